"""Whole matches: legal moves, termination and statistics (sections 4, 5 and 10), and the greedy bot."""

import subprocess
import sys
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.facts import CatchUpOpened, HiringClosed, LastChanceOpened
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.moves import (
    ChooseTurnOrder,
    DeclareHire,
    DeclineLastChance,
    FlipCard,
    Move,
    PlaceCake,
    PlaceStale,
    Resign,
    RollDice,
    RollDie,
    StopCatchUp,
    StopFlipping,
    TakeBonus,
    TryCatchUp,
)
from domain.games.battle_of_the_bakeries.rules.parts import POSITIONS, SLOTS
from domain.kernel.chance import Chance, Fast
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove

from .builders import Played, at_random, exploring, greedily, play_out, some_options, some_sale, start

ALL_MOVES: tuple[Move, ...] = (
    ChooseTurnOrder("first"), ChooseTurnOrder("second"), RollDie(), TakeBonus(), DeclareHire(),
    *map(FlipCard, POSITIONS), StopFlipping(), DeclineLastChance(),
    *(PlaceCake(case, slot) for case in (0, 1) for slot in SLOTS), RollDice(), *map(PlaceStale, SLOTS),
    TryCatchUp(), StopCatchUp(),
)  # fmt: skip
"""Every well-formed move except `resign`, in the order of 5.1."""


def accepted(state: State, seat: int) -> list[Move]:
    """Return the moves that `decide` accepts from a seat."""
    found = []
    for move in ALL_MOVES:
        try:
            GAME.decide(state, seat, move, Fast(1))
        except IllegalMove:
            continue
        found.append(move)
    return found


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@for_all(seed=st.integers(0, 1 << 32), every=st.integers(5, 40))
def test_legal_moves_are_exactly_those_accepted(seed: int, every: int) -> None:
    chance = Fast(seed)

    def check(now: Played) -> None:
        if len(now.plies) % every:
            return
        for seat in (0, 1):
            assert list(GAME.legal_moves(now.state, seat)) == accepted(now.state, seat)

    document = some_sale(chance) if seed % 3 == 0 else None
    players = ((at_random, at_random), (exploring, greedily))[seed % 2]
    play_out(start(some_options(chance), document, chance), seed, players, watch=check)


def test_no_moves_after_the_end() -> None:
    played = play_out(start({"rounds": 1}), 1)
    assert GAME.to_move(played.state) == frozenset()
    for seat in (0, 1):
        assert accepted(played.state, seat) == []
        with pytest.raises(IllegalMove, match="game_over"):
            GAME.decide(played.state, seat, Resign(), Fast(1))


@settings(max_examples=8, deadline=None)
@for_all(seed=st.integers(0, 1 << 32))
def test_states_views_facts_and_moves_survive_json(seed: int) -> None:
    chance = Fast(seed)

    def check(now: Played) -> None:
        assert msgspec.json.decode(msgspec.json.encode(now.state), type=GAME.state_type) == now.state
        for seat in (0, None):
            view = GAME.view(now.state, seat)
            assert GAME.read_view(msgspec.json.encode(view)) == view

    played = play_out(start(some_options(chance), chance=chance), seed, (greedily, at_random), watch=check)
    assert GAME.read_facts(canonical_json(played.facts)) == played.facts
    assert GAME.fold(GAME.read_facts(canonical_json(played.facts))) == played.state
    for ply in played.plies:
        assert GAME.read_move(msgspec.to_builtins(ply.move)) == ply.move


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@for_all(seed=st.integers(0, 1 << 32))
def test_evolve_is_total(seed: int) -> None:
    """Facts of one match can be folded on states of another, in any order."""
    chance = Fast(seed)
    facts = play_out(start(some_options(chance), chance=chance), seed, (greedily, greedily)).facts
    other = play_out(start(some_options(chance), some_sale(chance), chance), seed + 1, resign_once_in=2).facts
    state = GAME.initial
    for fact in chance.shuffle([*facts, *other])[:400]:
        state = GAME.evolve(state, fact)
        GAME.view(state, chance.pick((0, 1, None)))


def test_the_same_draws_give_the_same_match_in_another_process() -> None:
    code = (
        "import msgspec, sys; sys.path[:0] = sys.argv[1:];"
        "from domain.kernel.chance import Fast;"
        "from tests.domain.games.battle_of_the_bakeries.builders import *;"
        "p = play_out(start({'memory_aid': 'off'}, chance=Fast(7)), 7, (greedily, exploring));"
        "sys.stdout.buffer.write(msgspec.json.encode(p.facts))"
    )
    mine = play_out(start({"memory_aid": "off"}, chance=Fast(7)), 7, (greedily, exploring))
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code, *sys.path],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed},
        )
        assert run.stdout == msgspec.json.encode(mine.facts)


# -- 10 Termination and statistics----------------------------------------------------------------------------------


def bound(options: Any) -> int:
    """Return the maximum number of moves: 460 + 6T per round (section 10)."""
    return int(options.rounds) * (460 + 6 * int(options.turn_limit))


def check_termination(matches: int) -> None:
    for n in range(matches):
        chance = Fast(f"end {n}")
        played = play_out(start(some_options(chance), chance=chance), n, resign_once_in=50)
        assert len(played.plies) <= bound(played.state.options)
        outcome = GAME.outcome(played.state)
        assert outcome is not None
        assert outcome.scores == played.state.scores


@pytest.mark.slow
def test_random_matches_end() -> None:
    check_termination(100)


@pytest.mark.full
def test_a_thousand_random_matches_end() -> None:
    check_termination(1000)


def figures(matches: int, player: Any, options: dict[str, Any] | None = None) -> dict[str, float]:
    """Return averages: moves, wins of seat 0, rounds closed by T2, last chances and catch-up rounds."""
    seen: Counter[str] = Counter()
    for n in range(matches):
        played = play_out(start(options, chance=Fast(f"figures {n}")), n, (player, player))
        seen["moves"] += len(played.plies)
        seen["won by 0"] += played.state.winner == 0
        for fact in played.facts:
            seen["rounds"] += isinstance(fact, HiringClosed)
            seen["closed"] += isinstance(fact, HiringClosed) and fact.finder is None
            seen["chances"] += isinstance(fact, LastChanceOpened)
            seen["catch-ups"] += isinstance(fact, CatchUpOpened)
    rounds = seen["rounds"]
    return {
        "moves": seen["moves"] / matches,
        "won by 0": seen["won by 0"] / matches,
        "closed": seen["closed"] / rounds,
        "chances": seen["chances"] / rounds,
        "catch-ups": seen["catch-ups"] / rounds,
    }


@pytest.mark.slow
def test_statistics_of_random_play() -> None:
    found = figures(60, at_random)
    assert 395 < found["moves"] < 427  # section 10: 411
    assert found["closed"] > 0.97  # 99.97%
    assert 0.25 < found["won by 0"] < 0.75


@pytest.mark.slow
def test_statistics_of_explorers() -> None:
    found = figures(60, exploring)
    assert 230 < found["moves"] < 275  # section 10: 248
    assert found["closed"] == 0
    assert 0.65 < found["chances"] < 0.95  # 80%
    assert 0.1 < found["catch-ups"] < 0.45  # 27%


@pytest.mark.full
def test_statistics_in_full() -> None:
    random_play = figures(1000, at_random)
    print("\nrandom", random_play)
    assert 405 < random_play["moves"] < 417
    assert 0.45 < random_play["won by 0"] < 0.55
    without_aid = figures(333, at_random, {"memory_aid": "off"})
    print("random, aid off", without_aid)
    assert 660 < without_aid["moves"] < 686  # 673
    explorers = figures(600, exploring)
    print("explorers", explorers)
    assert 240 < explorers["moves"] < 256
    assert 0.75 < explorers["chances"] < 0.85
    assert 0.22 < explorers["catch-ups"] < 0.32


# -- 14 The greedy bot ----------------------------------------------------------------------------------------------


def greedy_share(matches: int, options: dict[str, Any] | None = None) -> tuple[float, float, float]:
    """Return the greedy bot's share of wins against random play, with its 95% Wilson interval."""
    won = 0.0
    for n in range(matches):
        own = n % 2
        players = (greedily, at_random) if own == 0 else (at_random, greedily)
        winner = play_out(start(options, chance=Fast(f"greedy {n}")), n, players).state.winner
        won += 0.5 if winner is None else float(winner == own)
    share = won / matches
    z = 1.96
    scale = 1 + z * z / matches
    centre = (share + z * z / (2 * matches)) / scale
    spread = z * (share * (1 - share) / matches + (z / (2 * matches)) ** 2) ** 0.5 / scale
    return share, centre - spread, centre + spread


@pytest.mark.slow
def test_greedy_beats_random() -> None:
    share, low, _ = greedy_share(40)
    assert low > 0.6, share


@pytest.mark.full
@pytest.mark.parametrize("options", [{}, {"memory_aid": "off"}, {"fresh_first": True}], ids=str)
def test_greedy_beats_random_over_500_matches(options: dict[str, Any]) -> None:
    share, low, high = greedy_share(500, options)
    print(f"\ngreedy against random {options}: {share:.3f} ({low:.3f} to {high:.3f})")
    assert low > 0.6


def test_the_greedy_bot_uses_only_its_view() -> None:
    """The same view and draws lead to the same move, regardless of the hidden cards."""
    chance: Chance = Fast(1)
    played = start({"memory_aid": "off"}, chance=chance)

    def check(now: Played) -> None:
        (seat,) = GAME.to_move(now.state)
        view = GAME.view(now.state, seat)
        seen = [GAME.redact(now.state, fact, n, seat) for n, fact in enumerate(now.facts)]
        guess = GAME.determinize(view, [fact for fact in seen if fact is not None], seat, Fast(2))
        legal = list(GAME.legal_moves(guess, seat))
        move = GAME.greedy(GAME.view(guess, seat), seat, legal, Fast(3))
        assert move == GAME.greedy(view, seat, legal, Fast(3))
        assert move in legal

    play_out(played, 5, (greedily, exploring), watch=check)
