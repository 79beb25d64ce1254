"""Tests of whole matches: they end, lose no cards, and survive a round trip through JSON."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from math import sqrt
from statistics import mean, stdev
from time import process_time
from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.components import PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.facts import (
    AchievementCompleted,
    AchievementTurned,
    BakeFailed,
    HandTrimmed,
    PieBaked,
)
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.moves import Dive, Move, PlayCard, TrimHand
from domain.kernel.chance import Chance, Fast
from domain.kernel.refusals import IllegalMove
from tests.domain.games.pie_contest.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    greedily,
    midgame,
    plain,
    play_on,
    resigning,
    seen,
    whole_match,
)

seeds = st.integers(0, 1 << 32)
options = st.sampled_from(ALL_OPTIONS)
tables = st.integers(2, 8)
players_of = {"random": at_random, "greedy": greedily}


def check_invariants(state: State) -> None:
    """Check card conservation, Kitchen size and valid zones (section 12.6), and that the match is at rest (4.2)."""
    held = [(card, seat) for seat, baker in enumerate(state.seats) for card in (*baker.hand, *baker.kitchen)]
    cards = [*state.pantry, *state.trash, *state.pile, *state.aside, *state.turning, *(card for card, _ in held)]
    cards += [slot.card for slot in state.row if slot.card is not None]
    assert sorted(cards) == [*PANTRY_CARDS, *PILE_CARDS]
    assert set(state.pantry) | set(state.trash) <= set(PANTRY_CARDS)
    assert set(state.pile) <= set(PILE_CARDS)
    assert {int(card) for card in state.turned} == {card for card, _ in held if card in PILE_CARDS}
    for seat, baker in enumerate(state.seats):
        assert list(baker.hand) == sorted(baker.hand)
        assert len(baker.kitchen) <= 5
        assert all(state.turned[str(card)] == seat for card in baker.hand if card in PILE_CARDS)
        assert all(len(pie.values) == len(pie.causes) for pie in baker.pies)
        assert seat not in state.out or not (baker.hand or baker.kitchen)
    assert state.granted <= 5
    if state.result is None:
        assert state.active not in state.out
        assert state.phase != "main" or (state.plays_left >= 1 and not state.agenda)
        assert state.pantry or not state.trash or state.stage == "acted"
        assert not state.turning or state.agenda


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@for_all(seeds, options, tables, st.sampled_from(["random", "greedy"]))
def test_every_move_keeps_the_invariants(seed: int, chosen: dict[str, Any], seats: int, kind: str) -> None:
    chance, checked = Fast(seed), 0

    def check(state: State) -> bool:
        nonlocal checked
        check_invariants(state)
        checked += 1
        return False

    player = resigning(50, players_of[kind])
    play_on(GAME.start(seats, {**chosen, "closing_round": 10}, chance), (player,) * seats, chance, check)
    assert checked >= 1


@pytest.mark.full
def test_section_10_a_thousand_random_matches_end() -> None:
    for seed in range(1000):
        seats, chosen = 2 + seed % 7, ALL_OPTIONS[seed % len(ALL_OPTIONS)]
        state, _ = whole_match(f"end {seed}", (resigning(50, at_random),) * seats, chosen)
        assert state.result
        assert state.turn <= (state.options.closing_round or 0) * seats


# -- legal moves are the accepted moves ---------------------------------------------------------------------------


def accepted(state: State, seat: int, move: Move) -> bool:
    try:
        return bool(GAME.decide(state, seat, move, Fast(0)))
    except IllegalMove:
        return False


def other_moves(state: State, seat: int, chance: Chance) -> list[Move]:
    """Return well-formed moves of all kinds, most of them illegal."""
    cards = [*PANTRY_CARDS, *PILE_CARDS]
    hand = [*state.seats[seat].hand, *chance.shuffle(cards)[:2]]
    count = max(state.to_trim, 1)
    keys = [f"{kind}:{card}" for kind in ("card", "ach", "eff", "seat") for card in chance.shuffle(cards)[:4]]
    return [
        *map(PlayCard, cards),
        *(Dive(tuple(chance.shuffle(hand)[: 1 + n % 3]), chance.pick(cards)) for n in range(30)),
        *(TrimHand(tuple(chance.shuffle(hand)[: count + n % 2])) for n in range(20)),
        *map(GAME.read_move, [{"type": "pass"}, *({"type": "choose", "picks": [key]} for key in (*keys, "no", "yes"))]),
    ]


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 90), st.sampled_from(["random", "greedy"]))
def test_legal_moves_are_exactly_the_accepted_moves(
    seed: int, chosen: dict[str, Any], seats: int, moves: int, kind: str
) -> None:
    state, _ = midgame(seed, (players_of[kind],) * seats, chosen, moves)
    chance = Fast(seed)
    for seat in range(seats):
        legal = list(islice(GAME.legal_moves(state, seat), 50_000))
        allowed = set(legal)
        assert len(allowed) == len(legal)
        assert all(accepted(state, seat, move) for move in chance.shuffle(legal)[:60])
        assert all(not accepted(state, seat, move) for move in other_moves(state, seat, chance) if move not in allowed)
        assert bool(legal) == (seat in GAME.to_move(state))


def test_legal_moves_are_lazy() -> None:
    """The first of half a million ways to trim is available without computing the others."""
    document = {"hands": {"0": list(range(2, 24))}, "seats": 2}
    state = GAME.fold(GAME.start(2, {}, Fast(1), document))
    state = GAME.fold(GAME.decide(state, 0, GAME.read_move({"type": "pass"}), Fast(1)), state)
    assert state.phase == "trim"
    assert plain(next(iter(GAME.legal_moves(state, 0)))) == {"type": "trim_hand", "cards": list(range(2, 17))}


# -- folding ------------------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@for_all(seeds, seeds, tables)
def test_folding_never_refuses(seed: int, luck: int, seats: int) -> None:
    """Facts can be folded in any order, into any state, and as any viewer sees them."""
    state, facts = whole_match(seed, (resigning(40, at_random),) * seats, {"closing_round": 10})
    shown = seen(State(), facts, 1)
    jumbled = Fast(luck).shuffle([*facts, *shown])
    for begin in (GAME.initial, state, midgame(seed, (greedily,) * 2, {}, 9)[0]):
        assert isinstance(GAME.fold(jumbled, begin), State)


def test_folding_does_not_change_the_given_state() -> None:
    state, facts = midgame(4, (greedily,) * 3, {}, 30)
    before = msgspec.json.encode(state)
    for fact in facts:
        GAME.evolve(state, fact)
    assert msgspec.json.encode(state) == before


# -- JSON ---------------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 70))
def test_round_trip_through_json(seed: int, chosen: dict[str, Any], seats: int, moves: int) -> None:
    state, facts = midgame(seed, (resigning(60, at_random),) * seats, chosen, moves)
    assert GAME.read_facts(msgspec.json.encode(facts)) == facts
    assert msgspec.json.decode(msgspec.json.encode(state), type=GAME.state_type) == state
    for seat in (*range(seats), None):
        view = GAME.view(state, seat)
        assert GAME.read_view(msgspec.json.encode(view)) == view
        shown = seen(state, facts, seat)
        assert GAME.read_facts(msgspec.json.encode(shown)) == shown
    for seat in GAME.to_move(state):
        for move in islice(GAME.legal_moves(state, seat), 300):
            assert GAME.read_move(plain(move)) == move


# -- speed --------------------------------------------------------------------------------------------------------


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor time that `work` takes, the best of three runs."""
    spent = []
    for _ in range(3):
        began = process_time()
        work()
        spent.append(process_time() - began)
    return min(spent)


@pytest.mark.full
def test_speed() -> None:
    """With eight seats, every move takes under 5 ms and every list of legal moves under 20 ms."""
    step, listing = 0.0, 0.0
    for seed in range(4):
        chance = Fast(seed)
        state = GAME.fold(GAME.start(8, {}, chance))
        while waiting := sorted(GAME.to_move(state)):
            seat = waiting[0]
            move = at_random(state, seat, chance)
            step = max(step, seconds(partial(take_step, state, seat, move)))
            listing = max(listing, seconds(partial(list_moves, state, seat)))
            state = take_step(state, seat, move)
    print(f"slowest step {step * 1000:.2f} ms, slowest list of moves {listing * 1000:.2f} ms")
    assert step < 0.005
    assert listing < 0.02


def list_moves(state: State, seat: int) -> list[Move]:
    return list(GAME.legal_moves(state, seat))


def take_step(state: State, seat: int, move: Move) -> State:
    return GAME.fold(GAME.decide(state, seat, move, Fast(0)), state)


# -- section 10 ---------------------------------------------------------------------------------------------------


def measure(player: Player, seats: int, count: int, chosen: dict[str, Any] | None = None) -> dict[str, float]:
    """Return averages per match. `error` is the standard error of the mean of `rounds`."""
    found: dict[str, float] = dict.fromkeys(
        ("rounds", "error", "longest", "pies", "all_baked", "third_pie", "closing_time", "all_have_four", "shared",
         "value", "failed", "trims", "completed", "turned"), 0.0
    )  # fmt: skip
    baked, rounds = 0, []
    for seed in range(count):
        state, facts = whole_match(f"figures {seed}", (player,) * seats, chosen)
        assert state.result
        found[state.result.why] += 1 / count
        rounds.append(state.turn / seats)
        found["shared"] += (len(state.result.winners) > 1) / count
        for fact in facts:
            match fact:
                case PieBaked(total=total):
                    found["pies"] += 1 / count
                    found["value"] += total
                    baked += 1
                case BakeFailed():
                    found["failed"] += 1 / count
                case HandTrimmed():
                    found["trims"] += 1 / count
                case AchievementCompleted():
                    found["completed"] += 1 / count
                case AchievementTurned():
                    found["turned"] += 1 / count
                case _:
                    pass
    found["value"] /= max(baked, 1)
    found["rounds"], found["longest"] = mean(rounds), max(rounds)
    found["error"] = stdev(rounds) / sqrt(count)
    return found


def are_near(found: dict[str, float], rounds: float) -> bool:
    """Return whether the mean length is within 10 % of section 10, plus two standard errors."""
    return abs(found["rounds"] - rounds) < 0.1 * rounds + 2 * found["error"]


@pytest.mark.slow
def test_section_10_random_players() -> None:
    """Section 10 has 50 rounds, 4.7 Pies, 27 failed Bakes and 7.9 Achievements per match."""
    found = measure(at_random, 4, 24)
    assert 40 < found["rounds"] < 70
    assert 3.5 < found["pies"] < 5.7
    assert 16 < found["failed"] < 40
    assert 5.5 < found["completed"] < 11.5


@pytest.mark.slow
def test_section_10_greedy_players() -> None:
    """Section 10 has 11.5 rounds and 4.6 Pies worth 11.3, and no match reaches the closing round."""
    found = measure(greedily, 4, 60)
    assert are_near(found, 11.5)
    assert 4.1 < found["pies"] < 5.1
    assert found["closing_time"] == 0
    assert found["all_baked"] > 0.78
    assert 10.5 < found["value"] < 12.1


@pytest.mark.full
@pytest.mark.parametrize(
    ("seats", "rounds", "pies", "all_baked", "count"),
    [
        (2, 18.2, 3.9, 0.72, 1000),
        (3, 18.0, 5.8, 0.52, 600),
        (4, 11.5, 4.6, 0.88, 1000),
        (5, 11.9, 5.9, 0.85, 400),
        (6, 11.8, 7.0, 0.85, 400),
        (8, 12.3, 9.8, 0.81, 300),
    ],
)
def test_section_10_figures_of_greedy_players(
    seats: int, rounds: float, pies: float, all_baked: float, count: int
) -> None:
    found = measure(greedily, seats, count)
    print(f"{seats} seats, greedy: { {key: round(value, 2) for key, value in found.items()} }")
    assert are_near(found, rounds)
    assert found["pies"] == pytest.approx(pies, rel=0.1)
    assert found["all_baked"] == pytest.approx(all_baked, abs=0.1)
    assert found["closing_time"] < 0.01


@pytest.mark.full
def test_section_10_figures_of_random_players_and_of_the_grand_contest() -> None:
    random = measure(at_random, 4, 200)
    print(f"4 seats, random: { {key: round(value, 2) for key, value in random.items()} }")
    assert 45 < random["rounds"] < 62
    assert 4.0 < random["pies"] < 5.2
    assert 0.1 < random["closing_time"] < 0.35
    assert 0.9 < random["turned"] < 2.5
    grand = measure(greedily, 4, 150, {"variant": "grand"})
    print(f"4 seats, greedy, Grand Contest: { {key: round(value, 2) for key, value in grand.items()} }")
    assert are_near(grand, 39.3)
    assert grand["pies"] == pytest.approx(18.8, rel=0.1)
    assert grand["all_have_four"] > 0.99
