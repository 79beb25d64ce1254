"""Replay files of stored matches, also of those whose game can't be used."""

from collections.abc import Sequence

from domain.kernel.event_codec import read_event
from domain.kernel.registry import GameNotInstalled
from replays.file import encode_replay
from replays.signature import Signer
from service.matches.repository import FOLD_ERRORS, pinned_game, read_events_without_game, recorded_components


def replay_file(lines: Sequence[bytes], signer: Signer | None = None) -> bytes:
    """Return the replay file of a match, from all lines of its log.

    It needs no game if the match is over. The file of a running match has no facts while its game can't be used.
    """
    try:
        game = pinned_game(lines)
    except GameNotInstalled:
        return _without_game(lines, signer)
    try:
        return b"".join(encode_replay([read_event(line, game) for line in lines], signer))
    except FOLD_ERRORS:
        if recorded_components(lines) == game.components_digest:
            raise
        return _without_game(lines, signer)


def _without_game(lines: Sequence[bytes], signer: Signer | None) -> bytes:
    return b"".join(encode_replay(read_events_without_game(lines), signer, without_game=True))
