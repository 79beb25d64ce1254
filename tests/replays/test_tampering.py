"""Every change to a file is found, by the right layer and in the right place."""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import pytest

from domain.kernel.chance import Fast
from domain.kernel.registry import find_game, games
from replays import standalone_verify
from replays.report import Divergence, Report
from replays.verify import LAYERS, verify
from tests.builders import greedy_agent, play_match, random_agent, replay_file
from tests.replays.forge import Entries, dump, facts_of, forge_replay, header_of, load, of_kind, rechain, reseal

GAMES = list(games().values())
MICE = pytest.mark.skipif("mice_cake" not in games(), reason="Mice Cake is not installed")


every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)


@cache
def file_of(slug: str, n: int = 0, version: int | None = None) -> bytes:
    """Return a replay file of a game. `n` selects plain, with shares, with a resignation, or with options.

    Rules version 1 has luck protocol 1, where players give client seeds instead of shares.
    """
    game = find_game(slug, version)
    kinds: list[dict[str, Any]] = [
        {},
        {"client_seeds": ("mine", "thine")} if game.luck_protocol == 1 else {"shares": (True, True)},
        {"agent": random_agent, "resign_in": 12, "given": True},
        {"options": {option.name: option.values[-1] for option in game.option_help}},
    ]
    return replay_file(play_match(game, seed=n, moves=n, **{"agent": greedy_agent, **kinds[n % 4]}))


def statuses(report: Report) -> dict[str, str]:
    return {layer.name: layer.status for layer in report.layers}


def failure(raw: bytes, layer: str) -> Divergence:
    """Return the first divergence of a file and check that this layer found it."""
    report = verify(raw)
    assert not report.ok
    assert report.verdict == "failed"
    assert report.first is not None
    assert next(found.name for found in report.layers if found.divergence == report.first) == layer, report.as_text()
    return report.first


# -- single bytes -------------------------------------------------------------------------------------------------


class Flip(NamedTuple):
    """A changed byte in one of a game's files, on this line."""

    file: int
    at: int
    byte: int
    line: int
    name: str


def places(slug: str, times: int) -> Iterator[Flip]:
    """Yield bytes to change, in each of the game's files in turn."""
    chance = Fast(f"flips {slug}")
    for n in range(times):
        raw = file_of(slug, n % 4)
        at = chance.below(len(raw))
        byte = (raw[at] + 1 + chance.below(255)) % 256
        yield Flip(n % 4, at, byte, raw.count(b"\n", 0, at) + 1, f"byte {at} of file {n % 4}: {raw[at]} became {byte}")


def flips(slug: str, times: int) -> Iterator[tuple[bytes, int, str]]:
    """Yield files with one changed byte, with its line and a name for the change."""
    for flip in places(slug, times):
        raw = file_of(slug, flip.file)
        yield raw[: flip.at] + bytes([flip.byte]) + raw[flip.at + 1 :], flip.line, flip.name


def check_flips(slug: str, times: int) -> None:
    for changed, line, name in flips(slug, times):
        report = verify(changed)
        assert report.first is not None, name
        assert report.verdict == "failed", name
        assert report.first.line <= line, f"{name} in line {line}: {report.first.as_text()}"


@every_game
def test_a_changed_byte_is_found_at_or_before_its_line(game: Any) -> None:
    check_flips(game.slug, 200 // len(GAMES))


@pytest.mark.full
@every_game
def test_a_thousand_changed_bytes_are_found(game: Any) -> None:
    check_flips(game.slug, 1_000)


@pytest.mark.slow
@every_game
def test_a_replaced_digit_or_letter_is_found(game: Any) -> None:
    """Such changes leave the file well-formed, so the chain has to find them."""
    raw, chance, layers = file_of(game.slug), Fast("alike"), set()
    for _ in range(40):
        at = chance.below(len(raw))
        if (pool := next((pool for pool in (b"0123456789", b"abcdef") if raw[at] in pool), None)) is None:
            continue
        byte = chance.pick([other for other in pool if other != raw[at]])
        report = verify(raw[:at] + bytes([byte]) + raw[at + 1 :])
        assert report.first is not None
        assert report.first.line <= raw.count(b"\n", 0, at) + 1
        layers.add(next(layer.name for layer in report.layers if layer.status == "failed"))
    assert {"file", "chain"} <= layers


# -- whole lines --------------------------------------------------------------------------------------------------


@every_game
def test_a_file_cut_off_anywhere_is_found(game: Any) -> None:
    raw, chance = file_of(game.slug), Fast("cuts")
    for _ in range(60):
        cut = raw[: chance.below(len(raw))]
        assert failure(cut, "file").line <= cut.count(b"\n") + 1


@every_game
def test_the_error_for_a_file_cut_off_between_lines_says_where(game: Any) -> None:
    lines = file_of(game.slug).splitlines(keepends=True)
    found = failure(b"".join(lines[:8]), "file")
    assert (found.line, found.rule) == (9, "file.closing")
    assert f"breaks off after 7 of {len(lines) - 2} events" in found.sentence


def relined(raw: bytes, change: Callable[[list[bytes]], list[bytes]]) -> bytes:
    return b"".join(change(raw.splitlines(keepends=True)))


@every_game
def test_a_duplicated_event_is_found(game: Any) -> None:
    raw = relined(file_of(game.slug), lambda lines: [*lines[:6], lines[5], *lines[6:]])
    assert failure(raw, "file").sentence == "The header's `events` does not match the events."
    chain = next(layer for layer in verify(raw).layers if layer.name == "chain")
    assert chain.divergence is not None
    assert (chain.divergence.line, chain.divergence.expected, chain.divergence.found) == (7, "6", "5")


@every_game
def test_a_missing_event_is_found(game: Any) -> None:
    raw = relined(file_of(game.slug), lambda lines: lines[:6] + lines[7:])
    failure(raw, "file")
    assert statuses(verify(raw))["chain"] == "failed"


@every_game
def test_events_in_another_order_are_found(game: Any) -> None:
    raw = relined(file_of(game.slug), lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]])
    found = failure(raw, "chain")
    assert (found.line, found.ply, found.rule, found.expected, found.found) == (7, 6, "chain.ply", "6", "7")


@every_game
def test_two_files_in_one_are_found(game: Any) -> None:
    raw = file_of(game.slug)
    found = failure(raw + raw, "file")
    assert found.line == raw.count(b"\n")


@every_game
def test_an_event_changed_without_its_chain_is_found(game: Any) -> None:
    header, events, closing = load(file_of(game.slug))
    events[6]["at"] = "2026-01-01T12:03:01Z"
    found = failure(dump(header, events, closing), "chain")
    assert (found.line, found.rule, found.sentence) == (8, "chain.hash", "The event was changed after it was sealed.")


@every_game
def test_an_event_of_another_match_is_found(game: Any) -> None:
    other = file_of(game.slug, 1).splitlines(keepends=True)
    raw = relined(file_of(game.slug, 0), lambda lines: [*lines[:6], other[6], *lines[7:]])
    assert failure(raw, "chain").line == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "field", "value", "name"),
    [(0, "match", "m99other", "match"), (0, "events", 3, "events"), (0, "complete", False, "complete"),
     (0, "options", {"x": 1}, "options"), (0, "components", "ff", "components"), (0, "seats", ["p0", None], "seats"),
     (0, "commitment", "f" * 64, "commitment"), (0, "seed", "f" * 64, "seed"), (0, "seed", None, "seed"),
     (-1, "end", "playing", "end"), (-1, "head", "f" * 64, "head"), (-1, "result", None, "result")],
)  # fmt: skip
@every_game
def test_a_changed_frame_is_found(game: Any, line: int, field: str, value: Any, name: str) -> None:
    header, events, closing = load(file_of(game.slug))
    (header, closing)[line][field] = value
    raw = dump(header, events, closing)
    found = failure(raw, "file")
    assert found.line == (1 if line == 0 else len(events) + 2)
    assert f"`{name}` does not match the events" in found.sentence
    wrong = standalone_verify.verify(raw)[1]
    assert wrong is not None
    assert (wrong.line, wrong.layer) == (found.line, "file")
    assert name in str(wrong)


# -- forgeries with an intact chain -----------------------------------------------------------------------------


@MICE
def test_a_changed_die_is_found_though_the_chain_is_intact() -> None:
    def change(events: Entries) -> None:
        rolled = facts_of(events, "dice_rolled")[9]
        rolled["dice"][0] = rolled["dice"][0] % 6 + 1

    raw = forge_replay(file_of("mice_cake"), change)
    found = failure(raw, "draws")
    assert found.rule == "luck.draws"
    assert found.sentence.startswith("Draw ")
    assert ".dice[0]` shows it as " in found.sentence
    assert int(found.expected) % 6 + 1 == int(found.found)
    states = statuses(verify(raw))
    assert [states[name] for name in ("file", "chain", "lifecycle", "seed", "components")] == ["ok"] * 5
    assert states["moves"] == "not_checked"


@MICE
def test_every_changed_die_is_named() -> None:
    raw = file_of("mice_cake")
    _, events, _ = load(raw)
    for number, rolled in enumerate(facts_of(events, "dice_rolled")[::7]):
        for n in range(len(rolled["dice"])):

            def change(events: Entries, number: int = number, n: int = n) -> None:
                dice = facts_of(events, "dice_rolled")[number * 7]["dice"]
                dice[n] = dice[n] % 6 + 1

            assert f".dice[{n}]`" in failure(forge_replay(raw, change), "draws").sentence


@MICE
def test_a_swapped_domino_of_the_set_up_is_found() -> None:
    def change(events: Entries) -> None:
        cells = facts_of(events, "cake_laid")[0]["cells"]
        cells[3]["piece"], cells[20]["piece"] = cells[20]["piece"], cells[3]["piece"]

    found = failure(forge_replay(file_of("mice_cake"), change), "draws")
    assert (found.line, found.ply) == (5, 4)
    assert "facts[1].cells[" in found.sentence


@MICE
def test_a_changed_effect_of_a_roll_is_not_reported_as_a_draw() -> None:
    def change(events: Entries) -> None:
        fact = next(fact for fact in facts_of(events, "attempt_decided") if fact["result"] == "taken")
        fact["result"] = "low"

    found = failure(forge_replay(file_of("mice_cake"), change), "moves")
    assert (found.rule, found.expected, found.found) == ("facts", "taken", "low")
    assert "no draw explains it" in found.sentence


@every_game
def test_swapped_facts_are_found(game: Any) -> None:
    def change(events: Entries) -> None:
        one, other = of_kind(events, "moved")[:2]
        one["facts"], other["facts"] = other["facts"], one["facts"]

    report = verify(forge_replay(file_of(game.slug), change, seal=reseal))
    assert report.first is not None
    assert report.first.ply == of_kind(load(file_of(game.slug))[1], "moved")[0]["ply"]
    assert report.first.rule in ("facts", "luck.draws")


@every_game
def test_facts_in_another_order_are_found(game: Any) -> None:
    def change(events: Entries) -> None:
        of_kind(events, "moved")[-1]["facts"].reverse()

    assert failure(forge_replay(file_of(game.slug), change), "moves").rule == "facts"


@every_game
def test_a_missing_fact_is_found(game: Any) -> None:
    def change(events: Entries) -> None:
        of_kind(events, "moved")[-1]["facts"].pop()

    found = failure(forge_replay(file_of(game.slug), change, seal=reseal), "moves")
    assert (found.rule, found.found) == ("facts", "nothing")


@every_game
def test_a_replaced_move_is_found(game: Any) -> None:
    def change(events: Entries) -> None:
        moved = of_kind(events, "moved")
        mine = [event for event in moved if event["seat"] == moved[0]["seat"]]
        other = next(event["move"] for event in mine if event["move"] != moved[0]["move"])
        moved[0]["move"] = other

    report = verify(forge_replay(file_of(game.slug), change))
    assert report.first is not None
    assert statuses(report)["moves"] == "failed"


@every_game
def test_an_inserted_move_is_found(game: Any) -> None:
    def change(events: Entries) -> Entries:
        moved = of_kind(events, "moved")
        at = events.index(moved[1])
        return [*events[:at], dict(moved[0]), *events[at:]]

    report = verify(forge_replay(file_of(game.slug), change, seal=reseal))
    assert report.first is not None
    assert statuses(report)["moves"] == "failed"
    assert statuses(report)["chain"] == "ok"
    assert report.first.rule not in ("facts", "luck.draws", ""), "it must name the game's rule that forbids the move"
    assert report.first.expected == "a move that the rules allow"


@every_game
def test_a_missing_move_is_found(game: Any) -> None:
    def change(events: Entries) -> Entries:
        gone = of_kind(events, "moved")[1]
        return [event for event in events if event is not gone]

    report = verify(forge_replay(file_of(game.slug), change, seal=reseal))
    assert report.first is not None
    assert {"draws": "failed", "moves": "failed"}.items() & statuses(report).items()


@every_game
def test_a_changed_score_is_found_though_the_chain_is_intact(game: Any) -> None:
    def change(events: Entries) -> None:
        scores = of_kind(events, "ended")[0]["outcome"]["scores"]
        place = next(seat for seat, score in enumerate(scores) if score is not None)
        scores[place] += 1

    raw = forge_replay(file_of(game.slug), change)
    found = failure(raw, "fold")
    assert found.rule == "fold.outcome"
    score = next(layer for layer in verify(raw).layers if layer.name == "score")
    assert score.divergence is not None
    assert score.divergence.rule == "score.result"


@every_game
def test_a_changed_winner_is_found(game: Any) -> None:
    def change(events: Entries) -> None:
        outcome = of_kind(events, "ended")[0]["outcome"]
        outcome["winners"] = [seat for seat in (0, 1) if seat not in outcome["winners"]]

    raw = forge_replay(file_of(game.slug), change)
    failure(raw, "fold")
    assert statuses(verify(raw))["score"] == "failed"


@every_game
def test_an_early_end_is_found(game: Any) -> None:
    def change(events: Entries) -> Entries:
        return [*events[:-5], *events[-2:]]

    assert failure(forge_replay(file_of(game.slug), change, seal=reseal), "fold").rule == "fold.outcome"


each_protocol = pytest.mark.parametrize(("version", "layer"), [(1, "seed"), (2, "luck")])


@every_game
@each_protocol
def test_a_changed_seed_is_found(game: Any, version: int, layer: str) -> None:
    def change(events: Entries) -> None:
        events[-1]["seed"] = "ab" * 32

    raw = forge_replay(file_of(game.slug, version=version), change)
    found = failure(raw, "seed")
    assert (found.rule, found.line) == (f"{layer}.commitment", len(load(raw)[1]) + 1)
    assert statuses(verify(raw))["draws"] == "not_checked"


@every_game
@each_protocol
@pytest.mark.parametrize("seed", ["", "zz", "AB" * 32, "ab" * 65, "ab cd"])
def test_an_invalid_seed_is_found(game: Any, seed: str, version: int, layer: str) -> None:
    def change(events: Entries) -> None:
        events[-1]["seed"] = seed

    rule = "seed.revealed" if version == 1 else "luck.commitment"
    assert failure(forge_replay(file_of(game.slug, version=version), change), "seed").rule == rule


@MICE
def test_secrets_that_are_split_elsewhere_are_found() -> None:
    """Given a file whose given seed lost its first byte to the end of the salts, then both are malformed."""

    def change(events: Entries) -> None:
        revealed = events[-1]
        revealed["salts"], revealed["seed"] = revealed["salts"] + revealed["seed"][:2], revealed["seed"][2:]

    assert failure(forge_replay(file_of("mice_cake", 2), change), "seed").rule == "luck.commitment"


@MICE
def test_a_changed_seed_with_its_own_commitment_is_found_by_the_draws() -> None:
    def change(events: Entries) -> None:
        events[-1]["seed"] = "ab" * 32
        events[0]["commitment"] = sha256(f"crumbtrail/seed/2|m00built|{'ab' * 32}")

    found = failure(forge_replay(file_of("mice_cake"), change, seal=reseal), "draws")
    assert found.line == 5


@MICE
def test_a_changed_seed_of_protocol_1_with_its_own_commitment_is_found_by_the_draws() -> None:
    def change(events: Entries) -> None:
        events[-1]["seed"] = "ab" * 32
        events[0]["commitment"] = hashlib.sha256(bytes.fromhex("ab" * 32)).hexdigest()

    found = failure(forge_replay(file_of("mice_cake", version=1), change, seal=reseal), "draws")
    assert found.line == 5


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@every_game
@each_protocol
def test_a_changed_salt_is_found(game: Any, version: int, layer: str) -> None:
    def change(events: Entries) -> None:
        events[4]["salt"] = "0" * 64

    found = failure(forge_replay(file_of(game.slug, version=version), change), "seed")
    assert (found.rule, found.line) == (f"{layer}.salt", 6)


@pytest.mark.slow
@every_game
def test_a_changed_share_is_found(game: Any) -> None:
    def change(events: Entries) -> None:
        of_kind(events, "seat_taken")[1]["share"] = "ab" * 32

    assert failure(forge_replay(file_of(game.slug, 1), change), "seed").rule == "luck.shares"


@MICE
def test_a_share_changed_in_both_places_is_found_by_the_draws() -> None:
    def change(events: Entries) -> None:
        of_kind(events, "seat_taken")[1]["share"] = "ab" * 32
        of_kind(events, "started")[0]["shares"][1] = "ab" * 32

    failure(forge_replay(file_of("mice_cake", 1), change), "draws")


@pytest.mark.slow
@every_game
def test_a_changed_client_seed_is_found(game: Any) -> None:
    def change(events: Entries) -> None:
        of_kind(events, "seat_taken")[1]["client_seed"] = "sugar"

    assert failure(forge_replay(file_of(game.slug, 1, version=1), change), "seed").rule == "seed.clients"


@MICE
def test_a_client_seed_changed_in_both_places_is_found_by_the_draws() -> None:
    def change(events: Entries) -> None:
        of_kind(events, "seat_taken")[1]["client_seed"] = "sugar"
        of_kind(events, "started")[0]["client_seeds"][1] = "sugar"

    failure(forge_replay(file_of("mice_cake", 1, version=1), change), "draws")


def deny_the_given_seed(events: Entries) -> None:
    events[0]["given"] = False


def deny_the_level_too(events: Entries) -> None:
    events[0]["given"] = False
    events[0]["luck"]["level"] = "open"


@MICE
@pytest.mark.parametrize(
    ("version", "change", "layer"),
    [(1, deny_the_given_seed, "draws"), (2, deny_the_given_seed, "seed"), (2, deny_the_level_too, "draws")],
)
def test_a_given_seed_presented_as_drawn_is_found(version: int, change: Any, layer: str) -> None:
    failure(forge_replay(file_of("mice_cake", 2, version), change), layer)


@every_game
def test_different_components_are_found(game: Any) -> None:
    def change(events: Entries) -> None:
        events[0]["components"] = "c" * 64

    found = failure(forge_replay(file_of(game.slug), change), "components")
    assert (found.line, found.rule) == (2, "components")


@every_game
@pytest.mark.parametrize(("field", "rule"), [("draw", "fold.draws"), ("first_fact", "fold.facts")])
def test_a_changed_counter_is_found(game: Any, field: str, rule: str) -> None:
    def change(events: Entries) -> None:
        of_kind(events, "moved")[2][field] += 1

    report = verify(forge_replay(file_of(game.slug), change))
    fold = next(layer for layer in report.layers if layer.name == "fold")
    assert fold.divergence is not None
    assert fold.divergence.rule == rule


@MICE
def test_a_changed_option_is_found() -> None:
    def change(events: Entries) -> None:
        events[0]["options"]["matches"] = "boost"

    assert not verify(forge_replay(file_of("mice_cake"), change)).ok


@every_game
def test_unknown_options_are_found(game: Any) -> None:
    def change(events: Entries) -> None:
        events[0]["options"]["gravity"] = "off"

    assert failure(forge_replay(file_of(game.slug), change), "lifecycle").line == 2


# -- lifecycle ----------------------------------------------------------------------------------------------------


def later(events: Entries) -> None:
    of_kind(events, "moved")[1]["at"] = "2025-01-01T00:00:00Z"


def start_missing(events: Entries) -> Entries:
    return [event for event in events if event["kind"] != "started"]


def seat_twice(events: Entries) -> None:
    of_kind(events, "seat_taken")[1]["seat"] = 0


def no_such_seat(events: Entries) -> None:
    of_kind(events, "moved")[0]["seat"] = 9


def negative_seat(events: Entries) -> None:
    of_kind(events, "seat_taken")[0]["seat"] = -1


def nobody(events: Entries) -> None:
    of_kind(events, "seat_taken")[0]["player"] = None


def uninvited_bot(events: Entries) -> None:
    of_kind(events, "seat_taken")[0].update(player=None, level="greedy")


def end_missing(events: Entries) -> Entries:
    return [event for event in events if event["kind"] != "ended"]


def end_twice(events: Entries) -> Entries:
    return [*events[:-1], dict(events[-2]), events[-1]]


def move_after_the_end(events: Entries) -> Entries:
    return [*events[:-1], dict(of_kind(events, "moved")[0]), events[-1]]


def seed_twice(events: Entries) -> Entries:
    return [*events, dict(events[-1])]


def facts_from_nowhere(events: Entries) -> None:
    of_kind(events, "ended")[0]["facts"] = of_kind(events, "moved")[-1]["facts"][-1:]


def no_move(events: Entries) -> None:
    of_kind(events, "moved")[0]["move"] = None


def seat_of_the_match(events: Entries) -> None:
    of_kind(events, "ended")[0]["seat"] = 1


def third_seat(events: Entries) -> None:
    events[0]["seats"] = events[0]["seats"] * 9


@every_game
@pytest.mark.parametrize(
    ("change", "rule"),
    [(start_missing, "lifecycle.order"), (seat_twice, "lifecycle.seats"),
     (no_such_seat, "lifecycle.seats"), (negative_seat, "lifecycle.seats"),
     (end_missing, "lifecycle.order"), (end_twice, "lifecycle.order"),
     (move_after_the_end, "lifecycle.order"), (seed_twice, "lifecycle.order"),
     (facts_from_nowhere, "lifecycle.shape"), (no_move, "lifecycle.shape"), (seat_of_the_match, "lifecycle.shape"),
     (third_seat, "lifecycle.seats")],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_a_broken_lifecycle_is_found(game: Any, change: Callable[[Entries], Any], rule: str) -> None:
    raw = forge_replay(file_of(game.slug), change, seal=reseal)
    report = verify(raw)
    lifecycle = next(layer for layer in report.layers if layer.name == "lifecycle")
    assert lifecycle.divergence is not None, report.as_text()
    assert lifecycle.divergence.rule == rule
    assert statuses(report)["moves"] == "not_checked"


def start_delayed(events: Entries) -> None:
    for event in events[events.index(of_kind(events, "started")[0]) :]:
        event["at"] = "2027-01-01T00:00:00Z"


def turn_of_another(events: Entries) -> None:
    """The last move comes from a seat whose turn it is not."""
    of_kind(events, "moved")[-1]["seat"] ^= 1


@every_game
@pytest.mark.parametrize(
    ("change", "layer", "rule"),
    [(later, "clocks", "clocks.order"), (start_delayed, "clocks", "clocks.append"),
     (nobody, "authorship", "authorship.seat"), (uninvited_bot, "authorship", "authorship.seat"),
     (turn_of_another, "authorship", "authorship.turn")],
    ids=lambda value: getattr(value, "__name__", value),
)  # fmt: skip
def test_a_wrong_time_or_author_is_found(game: Any, change: Callable[[Entries], Any], layer: str, rule: str) -> None:
    report = verify(forge_replay(file_of(game.slug), change, seal=reseal))
    found = next(each for each in report.layers if each.name == layer)
    assert found.divergence is not None, report.as_text()
    assert found.divergence.rule == rule
    assert not report.ok


def left_before_anyone_sat(events: Entries) -> Entries:
    left = {key: value for key, value in of_kind(events, "seat_taken")[0].items() if key in events[-1]}
    return [events[0], left | {"kind": "seat_left"}, *events[1:]]


@every_game
def test_an_empty_seat_cannot_be_left(game: Any) -> None:
    raw = forge_replay(file_of(game.slug), left_before_anyone_sat, seal=reseal)
    found = failure(raw, "lifecycle")
    assert (found.line, found.rule, found.sentence) == (3, "lifecycle.seats", "The seat is empty.")


def public(raw: bytes, plies: int, end: str) -> bytes:
    """Return the first plies of a match as the file of a running match shows them."""
    _, events, closing = load(raw)
    hidden = {"salt": None, "move": None, "draws": None}
    events = [event | {name: hidden[name] for name in hidden.keys() & event.keys()} for event in events[:plies]]
    result = events[-1].get("outcome")
    frame = {"head": events[-1]["hash"], "end": end, "result": result}
    return dump(header_of(events), events, closing | frame)


@every_game
def test_a_missing_event_of_the_same_append_is_found(game: Any) -> None:
    raw = file_of(game.slug)
    plies = len(load(raw)[1])
    found = failure(public(raw, plies - 1, "finished"), "lifecycle")
    assert (found.line, found.expected) == (plies, "seed_revealed next")
    found = failure(public(raw, 3, "open"), "lifecycle")
    assert (found.line, found.expected) == (4, "started next")
    assert verify(public(raw, 4, "playing")).verdict == "unfinished"


@every_game
@pytest.mark.parametrize(("version", "rule"), [(1, "seed.revealed"), (2, "luck.commitment")])
def test_a_complete_file_without_its_seed_is_found(game: Any, version: int, rule: str) -> None:
    header, events, closing = load(file_of(game.slug, version=version))
    header["events"] -= 1
    report = verify(dump(header, events[:-1], closing | {"head": events[-2]["hash"]}))
    assert report.first is not None
    assert (report.first.line, report.first.rule) == (1, "file.header")
    seed = next(layer for layer in report.layers if layer.name == "seed")
    assert seed.divergence is not None
    assert (seed.divergence.rule, seed.divergence.found) == (rule, "ended")


# -- at random ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("events_changed", "one_in"), [(4, 3), pytest.param(20, 1, marks=pytest.mark.full)])
@every_game
def test_any_changed_leaf_is_found_or_harmless_though_the_chain_is_intact(
    game: Any, events_changed: int, one_in: int
) -> None:
    """Changes the fields of the first and last events and of some others: one in three, or all at full counts.

    Only names and times can be changed unnoticed, since nothing in the file proves them; the signature does.
    """
    raw, chance, unseen = file_of(game.slug, 1), Fast("leaves"), {"at", "player", "creator", "match"}
    _, events, _ = load(raw)
    if "draws reproduced" in next(layer.sentence for layer in verify(raw).layers if layer.name == "draws"):
        unseen |= {"given"}  # without draws, `given` has no effect
    plies = sorted({*range(8), *chance.shuffle(range(len(events)))[:events_changed], *range(-3, 0)})
    leaves = [(ply, field) for ply in plies for field in sorted(set(events[ply]) - {"prev", "hash", "kind"} - unseen)]
    for ply, field in leaves[::one_in]:

        def change(events: Entries, ply: int = ply, field: str = field) -> None:
            events[ply][field] = other(events[ply][field], chance)

        report = verify(forge_replay(raw, change, seal=rechain))
        assert not report.ok, (ply, field)


def other(value: Any, chance: Fast) -> Any:
    """Return a different value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case list():
            return value[:-1] if value else [0]
        case dict():
            key = chance.pick(sorted(value)) if value else "x"
            return {**value, key: other(value.get(key), chance)}
        case _:
            return 0


def test_every_layer_is_tested_with_a_failure() -> None:
    """Add a new layer here and to the tests above."""
    assert set(LAYERS) == {
        "file", "chain", "signature", "lifecycle", "seed", "components", "draws", "moves", "fold", "score", "clocks",
        "authorship",
    }  # fmt: skip


def test_scorers_that_disagree_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The faults in rules and scorers are planted, since our own agree."""
    from dataclasses import replace

    from domain.kernel import registry

    game = find_game("tic_tac_toe")
    numbers = count(90)
    won = replay_file(play_match(game, seed=0, moves=0, agent=random_agent))

    def planted(**fault: Any) -> bytes:
        version = next(numbers)
        faulty = replace(game, rules_version=version, **fault)
        monkeypatch.setitem(registry._versions(), ("tic_tac_toe", version), faulty)
        header, events, closing = load(won)
        header["rules_version"] = events[0]["rules_version"] = version
        events = rechain(events)
        return dump(header, events, closing | {"head": events[-1]["hash"]})

    assert verify(planted()).ok
    nothing = game.audit([])
    assert failure(planted(audit=lambda facts: nothing), "score").rule == "score.lines"

    def failing(facts: Any) -> Any:
        raise KeyError("no such cell")

    found = failure(planted(audit=failing), "score")
    assert found.sentence == "The rules cannot process this event."
    assert found.found == "`ended`, which they cannot"
    assert failure(planted(decide=lambda *_: failing(None)), "moves").line == 6
    assert failure(planted(outcome=lambda state: None), "fold").rule == "fold.outcome"
