"""Every golden replay, read and folded without its game."""

from pathlib import Path

import pytest

from domain.kernel.event_codec import read_event, read_header, write_event
from domain.kernel.placeholder import placeholder_game
from domain.kernel.registry import find_pinned_game
from domain.match.history import fold, fold_without_game
from replays.file import encode_replay

FILES = sorted(Path(__file__).parent.glob("*/*.crumb.ndjson"))
OF_THE_GAME = {"state", "without_game"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.name.split('.')[0]}")
def test_a_match_without_its_game_has_the_same_players_result_and_file(file: Path) -> None:
    """Given a finished match, when it is folded without its game, then only its position is missing, and its replay
    file is the same."""
    lines = file.read_bytes().splitlines()[1:-1]
    header = read_header(lines[0])
    game = find_pinned_game(header.game, header.rules_version)
    known = [read_event(line, game) for line in lines]
    events = [read_event(line, placeholder_game(header.game, header.rules_version)) for line in lines]
    assert [write_event(event) for event in events] == lines
    whole, bare = fold(known), fold_without_game(events)
    assert {name: getattr(bare, name) for name in bare.__struct_fields__ if name not in OF_THE_GAME} == {
        name: getattr(whole, name) for name in whole.__struct_fields__ if name not in OF_THE_GAME
    }
    assert bare.without_game
    assert not bare.to_move
    assert b"".join(encode_replay(events, without_game=True)) == b"".join(encode_replay(known))
