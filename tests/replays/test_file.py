"""The replay file: what is written, and which invalid files are refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.kernel.chance import Fast
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from domain.match.commands import Cancel, Create, LeaveSeat, SeatSpec, TakeSeat
from domain.match.decide import decide
from domain.match.history import fold
from domain.match.lobby import create
from replays import standalone_verify
from replays.file import MAX_EVENTS, MAX_FILE, MAX_LINE, ReplayError, encode_replay, read_replay
from replays.report import Divergence
from replays.verify import verify
from tests.builders import EPOCH, Table, log_lines, play_match, replay_file, secrets_of, sit_down, step
from tests.replays.forge import canonical, dump, load, of_kind

GAMES = list(games().values())
GAME = find_game("tic_tac_toe")
EVENTS = play_match(GAME, match="m07file")
RAW = replay_file(EVENTS)
LINES = RAW.splitlines(keepends=True)
EARLIER = Path(__file__).with_name("replay-v1.crumb.ndjson")
"""A replay of Mice Cake in the old format, whose header has no options, seats and seed."""

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)


def refusal(raw: bytes | Iterator[bytes]) -> Divergence:
    with pytest.raises(ReplayError) as refused:
        read_replay(raw)
    return refused.value.divergence


def with_line(number: int, line: bytes) -> bytes:
    """Return the file with a line replaced; the number starts at 1."""
    return b"".join([*LINES[: number - 1], line, *LINES[number:]])


def under_play(game: AnyGame, plies: int) -> Table:
    table, chance = sit_down(game, match="m07runs"), Fast("running")
    for _ in range(plies):
        step(table, chance)
    assert table.match.status == "playing"
    return table


# -- written ------------------------------------------------------------------------------------------------------


def test_a_file_has_a_header_events_and_a_closing_line() -> None:
    assert json.loads(LINES[0]) == {
        "crumbtrail": "replay/v3",
        "match": "m07file",
        "game": "tic_tac_toe",
        "rules_version": 2,
        "options": {},
        "components": "",
        "seats": ["p0", "p1"],
        "commitment": EVENTS[0].commitment,
        "seed": EVENTS[-1].seed,
        "events": len(EVENTS),
        "complete": True,
    }
    assert [line.rstrip(b"\n") for line in LINES[1:-1]] == log_lines(EVENTS)
    assert json.loads(LINES[-1]) == {
        "end": "finished",
        "head": EVENTS[-1].hash,
        "result": json.loads(log_lines(EVENTS)[-2])["outcome"],
    }


@every_game
def test_every_line_is_canonical_json(game: AnyGame) -> None:
    for line in replay_file(play_match(game)).splitlines():
        assert canonical(json.loads(line)) == line


@every_game
def test_a_file_survives_a_round_trip(game: AnyGame) -> None:
    events = play_match(game)
    replay = read_replay(replay_file(events))
    assert list(replay.events) == events
    assert not replay.is_redacted


def test_the_file_of_a_cancelled_match_verifies() -> None:
    wishes = (SeatSpec("human", player="ann"), SeatSpec("open"))
    luck = secrets_of(GAME, "cancelled", match="m1")
    events = create(Create(match="m1", game=GAME.slug, creator="ann", options={}, seats=wishes), EPOCH, luck).events
    events += decide(fold(events), Cancel("ann"), EPOCH, luck).events
    raw = replay_file(events)
    assert json.loads(raw.splitlines()[-1])["end"] == "cancelled"
    assert json.loads(raw.splitlines()[-1])["result"] is None
    assert verify(raw).ok, verify(raw).as_text()


def test_the_header_names_the_final_holder_of_each_seat() -> None:
    luck = sit_down(GAME).luck

    def seats(made: list[AnyEvent]) -> Any:
        raw = replay_file(made)
        assert standalone_verify.verify(raw)[1] is None
        return json.loads(raw.splitlines()[0])["seats"]

    # given: two seats, one taken and one open
    wishes = (SeatSpec("human", player="ann"), SeatSpec("open"))
    events = create(Create(match="m1", game=GAME.slug, creator="ann", options={}, seats=wishes), EPOCH, luck).events
    assert seats(events) == ["ann", None]
    # when: the player leaves and others join
    for command, sitting in (
        (LeaveSeat(0), [None, None]),
        (TakeSeat(1, "ben"), [None, "ben"]),
        (TakeSeat(0, "cem"), ["cem", "ben"]),
    ):
        events += decide(fold(events), command, EPOCH, luck).events
        assert seats(events) == sitting
    # then: a bot is named by its level
    bots = (SeatSpec("bot", level="greedy"), SeatSpec("open"))
    planned = create(Create(match="m2", game=GAME.slug, creator="ann", options={}, seats=bots), EPOCH, luck).events
    assert seats(planned) == ["bot:greedy", None]


# -- the public part of a running match --------------------------------------------------------------------------


@every_game
def test_a_running_match_is_written_as_a_spectator_sees_it(game: AnyGame) -> None:
    table = under_play(game, 3)
    header, events, closing = load(replay_file(table.events))
    assert (header["complete"], header["seed"]) == (False, None)
    assert (closing["end"], closing["head"], closing["result"]) == ("playing", table.match.head_hash, None)
    assert all(event["salt"] is None and event["move"] is None for event in events)
    assert all(event["draws"] is None for event in of_kind(events, "started") + of_kind(events, "moved"))
    assert [event["hash"] for event in events] == [event.hash for event in table.events]


@every_game
def test_the_file_of_a_running_match_has_no_seed_and_no_salts(game: AnyGame) -> None:
    table = under_play(game, 3)
    raw = replay_file(table.events)
    seed, salts = table.luck.reveal()
    assert seed.encode() not in raw
    assert str(salts).encode() not in raw
    assert all(table.luck.salt(ply).encode() not in raw for ply in range(20))


def test_hidden_facts_are_not_in_the_public_part() -> None:
    if "mice_cake" not in games():
        pytest.skip("Mice Cake is not installed")
    table = under_play(find_game("mice_cake"), 3)
    _, events, _ = load(replay_file(table.events))
    laid = next(fact for event in events for fact in event["facts"] if fact["type"] == "cake_laid")
    assert {cell["piece"] is None for cell in laid["cells"] if not cell["up"]} == {True}
    assigned = events[-1]["facts"][0]
    assert (assigned["type"], assigned["columns"]) == ("mice_assigned", None)


def test_a_position_document_is_hidden_while_the_match_runs() -> None:
    document = {"cells": ["cross", *[None] * 8]}
    table = sit_down(GAME, position=document)
    assert load(replay_file(table.events))[1][0]["position"] is None
    table.play(1, {"type": "resign"})
    assert load(replay_file(table.events))[1][0]["position"] == document


@every_game
def test_the_hashes_of_a_running_match_do_not_change_at_its_end(game: AnyGame) -> None:
    table = under_play(game, 2)
    sealed = [event["hash"] for event in load(replay_file(table.events))[1]]
    table.play(0, {"type": "resign"})
    if table.match.status == "playing":
        pytest.skip("one resignation does not end this game")
    assert [event["hash"] for event in load(replay_file(table.events))[1]][: len(sealed)] == sealed


@every_game
def test_a_running_match_is_unfinished_not_verified(game: AnyGame) -> None:
    for plies in range(4):
        report = verify(replay_file(under_play(game, plies).events))
        assert (report.ok, report.verdict, report.first) == (False, "unfinished", None)
        states = {layer.name: layer.status for layer in report.layers}
        assert states == {
            "file": "ok", "chain": "partly", "lifecycle": "ok", "seed": "partly", "components": "ok",
            "draws": "not_checked", "moves": "not_checked", "fold": "partly", "score": "not_checked",
                "signature": "not_checked", "clocks": "ok", "authorship": "partly",
        }  # fmt: skip
        assert all(layer.sentence for layer in report.layers)


def test_a_match_without_all_its_players_is_unfinished() -> None:
    wishes = (SeatSpec("human", player="ann"), SeatSpec("open"))
    luck = sit_down(GAME).luck
    events = create(Create(match="m1", game=GAME.slug, creator="ann", options={}, seats=wishes), EPOCH, luck).events
    report = verify(replay_file(events))
    assert report.verdict == "unfinished", report.as_text()
    assert json.loads(replay_file(events).splitlines()[-1])["end"] == "open"


@every_game
def test_a_broken_link_in_a_running_match_is_found(game: AnyGame) -> None:
    header, events, closing = load(replay_file(under_play(game, 3).events))
    events[4]["hash"] = "0" * 64
    report = verify(dump(header, events, closing))
    assert report.first is not None
    assert (report.first.line, report.first.rule) == (7, "chain.prev")


@every_game
def test_a_salt_in_a_running_match_is_refused(game: AnyGame) -> None:
    header, events, closing = load(replay_file(under_play(game, 1).events))
    events[1]["salt"] = "a" * 64
    found = refusal(dump(header, events, closing))
    assert (found.line, found.rule) == (3, "file.sealed")


@every_game
@pytest.mark.parametrize(("field", "value"), [("draw", 7), ("first_fact", 0)])
def test_an_impossible_counter_is_found_in_a_running_match(game: AnyGame, field: str, value: int) -> None:
    header, events, closing = load(replay_file(under_play(game, 3).events))
    events[-1][field] = value
    report = verify(dump(header, events, closing))
    assert report.first is not None
    assert report.first.rule in ("fold.draws", "fold.facts")


@every_game
def test_a_finished_match_presented_as_running_is_refused(game: AnyGame) -> None:
    header, events, closing = load(replay_file(play_match(game)))
    header["complete"] = False
    for event in events:
        event["salt"] = None
    assert refusal(dump(header, events, closing)).line == 1


# -- refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "line", "rule"),
    [(b"", 1, "file.closing"), (b"\n", 2, "file.closing"), (LINES[0], 2, "file.closing"),
     (LINES[0] + LINES[-1], 3, "file.closing"), (RAW[:-1], len(LINES), "file.closing"),
     (b"".join(LINES[:5]), 6, "file.closing"), (RAW + b"\n", len(LINES), "file.closing"),
     (RAW + LINES[-1], len(LINES), "file.closing"), (RAW + RAW, len(LINES), "file.closing"),
     (b"\xef\xbb\xbf" + RAW, 1, "file.json"),
     (RAW.replace(b"\n", b"\r\n"), 1, "file.canonical"), (b"".join(LINES[1:]), 1, "file.json"),
     (b"".join([LINES[0], *LINES[2:]]), 2, "file.created"), (b"".join([*LINES[:3], *LINES[1:]]), 4, "file.created"),
     (b"{}\n" * 5, 1, "file.json"), (b"[]\n" * 5, 1, "file.json"), (b"null\n" * 5, 1, "file.json"),
     (b"PK\x03\x04" + bytes(200), 1, "file.closing"), (b"\x1f\x8b\n\n\n\n", 1, "file.utf8")],
    ids=range(19),
)  # fmt: skip
def test_an_invalid_file_is_refused(raw: bytes, line: int, rule: str) -> None:
    found = refusal(raw)
    assert (found.line, found.rule) == (line, rule), found
    assert verify(raw).first == found


@pytest.mark.parametrize(
    ("change", "rule"),
    [(lambda line: line.replace(b'"ply":6', b'"ply": 6'), "file.canonical"),
     (lambda line: line.replace(b'"ply":6', b'"ply":6.0'), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":06'), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":"6"'), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":true'), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":6e0'), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":' + b"6" * 5000), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":6,"ply":6'), "file.canonical"),
     (lambda line: line.replace(b'"ply":6', b'"ply":6,"zzz":0'), "file.canonical"),
     (lambda line: line.replace(b'"ply":6', b'"ply":6,"zzz":' + b"[" * 100_000), "file.json"),
     (lambda line: line.replace(b'"ply":6', b'"ply":6,"zzz":' + b'{"a":' * 100_000), "file.json"),
     (lambda line: line.replace(b'"moved"', b'"\\u006doved"'), "file.canonical"),
     (lambda line: line.replace(b'"moved"', b'"danced"'), "file.json"),
     (lambda line: line.replace(b'"cell_marked"', b'"cell_painted"'), "file.json"),
     (lambda line: line.replace(b'"moved"', b'"mo\xffved"'), "file.utf8"),
     (lambda line: line.replace(b'"moved"', b'"mo\xed\xa0\x80ved"'), "file.utf8"),
     (lambda line: line.replace(b'"moved"', b'"\\ud800"'), "file.json"),
     (lambda line: line.replace(b'Z"', b'+00:00"', 1), "file.canonical"),
     (lambda line: line.replace(b'Z"', b'+02:00"', 1), "file.time"),
     (lambda line: line.replace(b'Z"', b'"', 1), "file.time"),
     (lambda line: line.replace(b'Z"', b'.000Z"', 1), "file.canonical"),
     (lambda line: b"\xff" + line, "file.utf8"), (lambda line: b" " + line, "file.canonical"),
     (lambda line: line[: len(line) // 2] + b"\n", "file.json"), (lambda line: b"\n", "file.json"),
     (lambda line: line.rstrip() + b"\r\n", "file.canonical"), (lambda line: line.rstrip() * 2 + b"\n", "file.json"),
     (lambda line: b"x" * (MAX_LINE + 1) + b"\n", "file.limit")],
    ids=range(28),
)  # fmt: skip
def test_a_corrupted_line_is_located(change: Any, rule: str) -> None:
    assert change(LINES[6]) != LINES[6]
    found = refusal(with_line(7, change(LINES[6])))
    assert (found.line, found.rule) == (7, rule), found
    assert found.ply == (None if rule == "file.limit" else 6)
    assert len(found.as_text()) < 1000


@pytest.mark.parametrize(("field", "value"), [("game", "go"), ("rules_version", 99)])
def test_a_game_that_is_not_installed_is_named(field: str, value: Any) -> None:
    header = {**json.loads(LINES[0]), field: value}
    found = refusal(with_line(1, canonical(header) + b"\n"))
    assert (found.line, found.rule) == (1, "file.game")
    assert str(value) in found.found
    assert "tic_tac_toe" in found.sentence


@pytest.mark.parametrize("more", [{}, {"network_delay": 3}, {"a": {"keys": []}}])
def test_a_file_of_a_later_format_is_refused_with_a_sentence(more: dict[str, Any]) -> None:
    """Given a header that says `replay/v4`, with or without new fields, then engine and script name the format."""
    raw = with_line(1, canonical({**json.loads(LINES[0]), "crumbtrail": "replay/v4", **more}) + b"\n")
    found = refusal(raw)
    assert (found.line, found.rule, found.found) == (1, "file.json", "replay/v4")
    assert found.sentence == "The file has a format that is newer than this verifier. Use a newer one."
    wrong = standalone_verify.verify(raw)[1]
    assert wrong is not None
    assert (wrong.line, wrong.rule) == (1, "file.json")
    assert str(wrong) == "the file has the format replay/v4, which is newer than this verifier; use a newer one"


@pytest.mark.parametrize("name", [b"replay/v", b"replay/v4 ", b"replay/vx", b"other/v4", b"replay/v99999"])
def test_a_header_with_another_name_is_no_replay(name: bytes) -> None:
    raw = with_line(1, LINES[0].replace(b"replay/v3", name))
    assert (refusal(raw).line, refusal(raw).rule) == (1, "file.json")
    wrong = standalone_verify.verify(raw)[1]
    assert wrong is not None
    assert "the header does not have the fields of replay/v1, replay/v2 or replay/v3" in str(wrong)


def test_a_file_of_the_old_format_still_verifies() -> None:
    raw = EARLIER.read_bytes()
    report = verify(raw)
    assert report.ok, report.as_text()
    assert standalone_verify.verify(raw)[1] is None


@pytest.mark.parametrize("added", [b'"components":"","crumbtrail":"replay/v1"', b'"crumbtrail":"replay/v2"'])
def test_a_header_that_mixes_the_formats_is_refused(added: bytes) -> None:
    raw = EARLIER.read_bytes().replace(b'"crumbtrail":"replay/v1"', added, 1)
    found = refusal(raw)
    assert (found.line, found.rule) == (1, "file.header")
    wrong = standalone_verify.verify(raw)[1]
    assert wrong is not None
    assert (wrong.line, wrong.layer) == (1, "file")


@pytest.mark.parametrize("number", [b"1.0", b"1.5", b"1" + b"0" * 20, b"-9007199254740992"])
@pytest.mark.parametrize("place", [b'"options":{"x":%s}', b'"position":{"x":[{"y":%s}]}'])
def test_a_number_that_json_readers_read_differently_is_refused(number: bytes, place: bytes) -> None:
    field = place.split(b":")[0]
    rest = LINES[1][LINES[1].index(field) :]
    end = rest.index(b"{}" if field == b'"options"' else b"null") + (2 if field == b'"options"' else 4)
    line = LINES[1].replace(rest[:end], place % number)
    found = refusal(with_line(2, line))
    assert (found.line, found.rule) == (2, "file.canonical")
    assert not verify(with_line(2, line.replace(number, b"1"))).ok


def test_the_error_shows_where_a_line_is_not_canonical() -> None:
    found = refusal(with_line(7, LINES[6].replace(b'"ply":6', b'"ply": 6')))
    at = LINES[6].index(b'"ply":6') + 7
    assert found.expected.endswith(f"(byte {at})")
    assert '"ply": 6' in found.found


# -- limits -------------------------------------------------------------------------------------------------------


def test_an_endless_file_is_read_only_up_to_the_limit() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 65_536
            yield bytes(65_536)

    assert refusal(endless()).rule == "file.limit"
    assert taken <= MAX_FILE + 65_536


def test_a_file_that_is_too_large_is_refused() -> None:
    found = refusal(RAW + b" " * MAX_FILE)
    assert (found.rule, found.line) == ("file.limit", len(LINES) + 1)


def test_a_file_with_too_many_lines_is_refused() -> None:
    found = refusal(b"\n" * (MAX_EVENTS + 3))
    assert (found.rule, found.line) == ("file.limit", MAX_EVENTS + 3)


def test_a_file_can_be_read_in_pieces_of_any_size() -> None:
    for size in (1, 7, 4096):
        pieces = (RAW[n : n + size] for n in range(0, len(RAW), size))
        assert list(read_replay(pieces).events) == EVENTS
    assert list(read_replay(iter(LINES)).events) == EVENTS


def test_memory_is_bounded_for_a_hostile_file() -> None:
    import tracemalloc

    fact = b'{"seat":"cross","type":"seat_resigned"}'
    line = b'{"at":"2026-01-01T12:00:00Z","facts":[%s],"kind":"moved","ply":2}\n'
    full = line % b",".join([fact] * ((MAX_LINE - 100) // (len(fact) + 1)))
    hostile = LINES[0] + LINES[1] + full * ((MAX_FILE - 4096) // len(full)) + LINES[-1]
    assert len(hostile) > MAX_FILE * 9 // 10
    tracemalloc.start()
    try:
        assert not verify(hostile).ok
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * MAX_FILE


# -- arbitrary input ----------------------------------------------------------------------------------------------


@given(st.binary(max_size=400))
def test_any_bytes_get_a_report(raw: bytes) -> None:
    assert verify(raw).verdict == "failed"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@given(
    st.integers(1, len(LINES)), st.sampled_from(sorted({k for line in LINES for k in json.loads(line)})), json_values
)
def test_any_value_in_any_field_gets_a_report(number: int, field: str, value: Any) -> None:
    line = {**json.loads(LINES[number - 1]), field: value}
    text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    report = verify(with_line(number, text.encode(errors="surrogatepass") + b"\n"))
    changed = text.encode(errors="surrogatepass") + b"\n" != LINES[number - 1]
    assert report.ok != changed
    if report.first is not None:
        assert report.first.line <= number


def test_events_of_another_match_do_not_match_the_header() -> None:
    other: list[AnyEvent] = play_match(GAME, match="m08file")
    mixed = [LINES[0], *(line + b"\n" for line in log_lines(other)), LINES[-1]]
    assert refusal(b"".join(mixed)).sentence == "The header's `match` does not match the events."


def test_writing_requires_the_first_event() -> None:
    with pytest.raises(ValueError, match="created"):
        list(encode_replay(EVENTS[1:2]))
