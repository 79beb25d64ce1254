"""The replay file, `.crumb.ndjson`: a header, the events of a match as in its log, and a closing line.

Specified in `docs/replay-format.md`. The file of a running match is its public part: the events as a spectator sees
them, with the hashes of the full events. Reading checks only the form; `replays.verify` checks the content.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import AnyEvent, Created, Resolved
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from domain.kernel.json_input import MAX_SAFE_INTEGER
from domain.kernel.registry import UnknownGame, find_game
from domain.match.history import History, fold, fold_without_game
from replays.frame import FORMATS, Closing, Header, ReplayFile, build_header, check_frame, end_state
from replays.redaction import redact_events
from replays.replay import Replay
from replays.report import Divergence, DivergenceError, divergence_error
from replays.signature import Signer, sign_replay

SUFFIX = ".crumb.ndjson"
MAX_FILE = 16 * 2**20
"""Maximum size of a file, in bytes."""
MAX_LINE = 2**20
"""Maximum size of a line without its line feed, in bytes."""
MAX_EVENTS = 100_000

LATER_FORMAT = re.compile(rb'"crumbtrail":"(replay/v[0-9]{1,4})"')

SAFE_INTEGERS = "whole numbers within 2^53"
LARGE_NUMBER = re.compile(rb"[:,\[]-?[0-9]{16,40}")
"""Matches what may be a larger number, or digits in a string."""

T = TypeVar("T")


class ReplayError(ValueError):
    """Raised for an invalid replay file. `divergence` has the place, what was expected and what was found."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.as_text())
        self.divergence = divergence


_header = msgspec.json.Decoder(Header)
_closing = msgspec.json.Decoder(Closing)


# -- writing ------------------------------------------------------------------------------------------------------


def encode_replay(
    events: Sequence[AnyEvent], signer: Signer | None = None, *, without_game: bool = False
) -> Iterator[bytes]:
    """Yield the lines of the replay file of a match, from all its events as the log holds them.

    A running match is written as a spectator may see it now. Without a signer the file is not signed. `without_game`
    writes events that were read with a placeholder for their game: the same file if the match is over, and no facts at
    all if it runs, because only the game knows which of them are secret.
    """
    history = History(events, without_game=without_game)
    match = fold_without_game(events) if without_game else fold(events)
    header = build_header(events)
    yield canonical_json(header) + b"\n"
    for event in redact_events(events, match, None, history.at):
        yield write_event(event) + b"\n"
    closing = Closing(end=end_state(events), head=match.head_hash, result=match.outcome)
    if signer is not None:
        closing = replace(closing, signature=sign_replay(signer, header, closing))
    yield canonical_json(closing) + b"\n"


# -- reading ------------------------------------------------------------------------------------------------------


def read_replay(raw: bytes | Iterable[bytes]) -> Replay:
    """Return the replay in a file, given whole or in pieces (lines, or blocks of a download). Raises ReplayError."""
    try:
        file = parse_file(raw)
        check_frame(file, public=not file.header.complete)
    except DivergenceError as error:
        raise ReplayError(error.divergence) from None
    return Replay(file.events, is_redacted=not file.header.complete)


def parse_file(raw: bytes | Iterable[bytes]) -> ReplayFile:
    """Decode the lines of a file and check that each is canonical. Raises DivergenceError at the first bad one."""
    return parse_lines(split_lines(join_pieces(raw)))


def parse_log(raw: bytes) -> ReplayFile:
    """Decode the lines of the server's own log, without the size limits of files. Raises DivergenceError."""
    return parse_lines(raw.split(b"\n"))


def parse_lines(pieces: list[bytes]) -> ReplayFile:
    """Decode the lines of a file, split at its line feeds. Raises DivergenceError at the first bad line."""
    lines = require_whole_lines(pieces)
    require_known_format(lines[0])
    header = read_line(1, lines[0], _header.decode, "the header of a replay file")
    game = find_header_game(header)

    def decode(line: bytes) -> AnyEvent:
        return read_event(line, game)

    events = tuple(read_event_line(number, line, decode) for number, line in enumerate(lines[1:-1], 2))
    require_not_truncated(lines, header, decode)
    closing = read_line(len(lines), lines[-1], _closing.decode, "the closing line")
    return ReplayFile(header=header, events=events, closing=closing)


def join_pieces(raw: bytes | Iterable[bytes]) -> bytes:
    """Return the pieces joined. Raises DivergenceError as soon as there are more than `MAX_FILE` bytes."""
    whole = bytearray()
    for piece in (raw,) if isinstance(raw, bytes) else raw:
        whole += piece
        if len(whole) > MAX_FILE:
            line = whole.count(b"\n", 0, MAX_FILE) + 1
            raise divergence_error(
                line, "file.limit", f"at most {MAX_FILE} bytes", "more", "The file is too large for a replay."
            )
    return bytes(whole)


def split_lines(raw: bytes) -> list[bytes]:
    """Split a file at its line feeds. Raises DivergenceError for too many lines or a line that is too long."""
    if raw.count(b"\n") > MAX_EVENTS + 2:
        raise divergence_error(
            MAX_EVENTS + 3, "file.limit", f"at most {MAX_EVENTS} events", "more", "The file has too many lines."
        )
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise divergence_error(
                number, "file.limit", f"at most {MAX_LINE} bytes", f"{len(line)} bytes", "The line is too long."
            )
    return lines


def require_whole_lines(pieces: list[bytes]) -> list[bytes]:
    """Return the complete lines. Raises DivergenceError for too few lines or a last line without a line feed."""
    *lines, unended = pieces
    if unended:
        raise divergence_error(
            len(lines) + 1,
            "file.closing",
            "a line feed at the end of each line",
            f"{len(unended)} bytes without one",
            "The file breaks off in the middle of a line.",
        )
    if len(lines) < 3:
        raise divergence_error(
            len(lines) + 1,
            "file.closing",
            "a header, at least one event and a closing line",
            f"{len(lines)} complete line{'' if len(lines) == 1 else 's'}",
            "This is not a complete replay file.",
        )
    return lines


def require_known_format(header: bytes) -> None:
    """Raise DivergenceError for a file of a later format, whose fields nobody can know here."""
    found = LATER_FORMAT.search(header)
    if found is not None and found[1].decode() not in FORMATS:
        raise divergence_error(
            1,
            "file.json",
            "replay/v1, replay/v2 or replay/v3",
            found[1].decode(),
            "The file has a format that is newer than this verifier. Use a newer one.",
        )


def find_header_game(header: Header) -> AnyGame:
    """Return the game to read the events with. Raises DivergenceError if it is not installed."""
    try:
        return find_game(header.game, header.rules_version)
    except UnknownGame as error:
        raise divergence_error(
            1,
            "file.game",
            "an installed game and rules version",
            f"{header.game} at rules version {header.rules_version}",
            f"The match cannot be read here: {error}.",
        ) from None


def read_line(number: int, line: bytes, decode: Callable[[bytes], T], what: str, ply: int | None = None) -> T:
    """Decode a line. Raises DivergenceError unless it is UTF-8, JSON, of the right form and canonical."""
    try:
        line.decode()
        value = decode(line)
        exact = canonical_json(value)
    except UnicodeDecodeError as error:
        found = f"{line[error.start]:#04x} at byte {error.start + 1}"
        raise divergence_error(number, "file.utf8", "UTF-8", found, "The line is not UTF-8.", ply=ply) from None
    except RecursionError:
        raise divergence_error(
            number, "file.json", what, "JSON nested too deeply", "The line cannot be read.", ply=ply
        ) from None
    except ValueError as error:  # includes msgspec's errors
        raise divergence_error(number, "file.json", what, str(error), "The line cannot be read.", ply=ply) from None
    if exact != line:
        expected, found = surroundings_of_difference(exact, line)
        raise divergence_error(
            number, "file.canonical", expected, found, "The line is not in canonical form (RFC 8785).", ply=ply
        )
    if (large := LARGE_NUMBER.search(line)) and not has_only_safe_integers(msgspec.json.decode(line)):
        sentence = "The line contains a number that not every JSON reader reads the same way."
        raise divergence_error(number, "file.canonical", SAFE_INTEGERS, large[0][1:].decode(), sentence, ply=ply)
    return value


def read_event_line(number: int, line: bytes, decode: Callable[[bytes], AnyEvent]) -> AnyEvent:
    """Return the event on a line. Raises DivergenceError."""
    ply = number - 1
    if line.startswith(b'{"end":'):
        raise divergence_error(
            number, "file.closing", "the end of the file", "more lines", "There are lines after the closing line."
        )
    event = read_line(number, line, decode, "an event", ply)
    if isinstance(event, Created) != (ply == 1):
        raise divergence_error(
            number,
            "file.created",
            "`created` as the first event and only there",
            kind_of(event),
            "A file must contain exactly one match.",
            ply=ply,
        )
    if isinstance(event, Created) and not has_only_safe_integers([event.options, event.position]):
        raise divergence_error(
            number,
            "file.canonical",
            SAFE_INTEGERS,
            [event.options, event.position],
            "The options or the position contain a number that not every JSON reader reads the same way.",
            ply=ply,
        )
    if isinstance(event, Resolved) and event.to_ply is not None and not 1 <= event.to_ply < ply:
        wanted, sentence = f"a ply from 1 to {ply - 1}", "The ruling refers to a ply that is not before it."
        raise divergence_error(number, "file.ply", wanted, event.to_ply, sentence, ply=ply)
    if event.at.utcoffset() != timedelta(0):
        raise divergence_error(
            number, "file.time", "a time in UTC", event.at.isoformat(), "The event's time is not in UTC.", ply=ply
        )
    return event


def has_only_safe_integers(value: Any) -> bool:
    """Return whether all numbers in plain JSON are whole numbers within the safe range."""
    if isinstance(value, dict):
        return all(map(has_only_safe_integers, value.values()))
    if isinstance(value, list):
        return all(map(has_only_safe_integers, value))
    return not isinstance(value, float) and not (isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER)


def require_not_truncated(lines: list[bytes], header: Header, decode: Callable[[bytes], AnyEvent]) -> None:
    """Raise DivergenceError if the last line is an event: the file was cut off between two lines."""
    try:
        decode(lines[-1])
    except (ValueError, RecursionError):
        return
    raise divergence_error(
        len(lines) + 1,
        "file.closing",
        "another event or the closing line",
        "the end of the file",
        f"The file breaks off after {len(lines) - 1} of {header.events} events.",
    )


def surroundings_of_difference(expected: bytes, found: bytes) -> tuple[str, str]:
    """Return both lines around the first byte that differs, as text."""
    pairs = zip(expected, found, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(found)))

    def around(line: bytes) -> str:
        return f"{line[max(at - 20, 0) : at + 20].decode(errors='replace')} (byte {at + 1})"

    return around(expected), around(found)


def kind_of(event: AnyEvent) -> str:
    """Return the `kind` of an event."""
    return str(type(event).__struct_config__.tag)
