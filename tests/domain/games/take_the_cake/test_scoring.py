"""Scoring (rules, section 8), and the independent scorer compared with the engine."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.facts import (
    BakerMoved,
    BakerTurned,
    Fact,
    GameEnded,
    IngredientCollected,
    PastryBaked,
    SeatResigned,
)
from domain.games.take_the_cake.rules.model import State
from domain.kernel.chance import Fast
from tests.domain.games.take_the_cake.builders import (
    VARIANTS,
    given,
    greedily,
    loosely,
    play,
    play_on,
    resigning,
    state_of,
    whole_match,
)

FIVE = ["flour", "butter", "eggs", "cream", "berries"]
TARTS = {"flour": [2, 0], "butter": [1, 2], "eggs": [0, 8], "cream": [7, 7], "berries": [6, 1]}


def closing(collected: Sequence[tuple[int, int]], **options: Any) -> GameEnded:
    """Return the end of a match at closing time, for seats with these (C, L)."""
    places = [[2, 2], [2, 4], [2, 6], [2, 8]]
    bakers = {
        str(seat): {"at": places[seat], "collected": FIVE[:count], "last": last}
        for seat, (count, last) in enumerate(collected)
    }
    document = {
        "seats": len(collected), "recipe": "rec_08", "tokens": TARTS, "bakers": bakers,
        "round": 20, "acting": len(collected) - 1, "turn": 60,
    }  # fmt: skip
    _, facts = play(state_of(document, round_limit=20, **options), len(collected) - 1, {"swap": []})
    assert isinstance(facts[-1], GameEnded)
    return facts[-1]


def test_X4_a_pastry_and_three_opponents() -> None:
    """N = 5. Seat 0 bakes; the others have C 4 (L 31), C 4 (L 28) and C 0."""
    bakers = {
        "0": {"at": [4, 3], "facing": "E", "collected": FIVE, "last": 40},
        "1": {"at": [2, 4], "collected": FIVE[:4], "last": 31},
        "2": {"at": [2, 6], "collected": FIVE[:4], "last": 28},
        "3": {"at": [2, 8]},
    }
    document = {"seats": 4, "recipe": "rec_08", "tokens": TARTS, "bakers": bakers, "round": 11, "turn": 41}
    state, facts = play(state_of(document), 0, {"run": "fwd_1"})
    ended = facts[-1]
    assert isinstance(ended, GameEnded)
    assert ended.scores == (6, 4, 4, 0)
    assert ended.ranking == ((0,), (2,), (1,), (3,))
    assert GAME.outcome(state).places == (1, 3, 2, 4)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("collected", "winners", "ranking"),
    [
        ([(2, 31), (2, 28)], (1,), ((1,), (0,))),  # X5
        ([(0, 0), (0, 0)], (0, 1), ((0, 1),)),  # X6
        ([(1, 55), (3, 59), (3, 34)], (2,), ((2,), (1,), (0,))),  # X7
        ([(2, 30), (1, 5), (2, 30)], (0, 2), ((0, 2), (1,))),  # equal C and L, from a position
        ([(0, 0), (0, 0), (1, 60)], (2,), ((2,), (0, 1))),
    ],
)
def test_E3_winners_at_closing_time(
    collected: list[tuple[int, int]], winners: tuple[int, ...], ranking: tuple[Any, ...]
) -> None:
    ended = closing(collected)
    assert (ended.reason, ended.winners, ended.ranking) == ("closed", winners, ranking)
    assert ended.scores == tuple(count for count, _ in collected)
    nobody = closing(collected, closing="no_winner")
    assert (nobody.winners, nobody.ranking) == ((), ranking)


def test_E5_resigned_seats_rank_last_in_reverse_order() -> None:
    bakers = {"0": {"collected": FIVE[:4], "last": 9}, "2": {"collected": FIVE[:1], "last": 3}}
    document = {
        "seats": 4, "recipe": "rec_08", "tokens": TARTS, "bakers": bakers, "out": [2, 0], "acting": 1, "turn": 12
    }  # fmt: skip
    state, facts = play(state_of(document), 3, "resign")
    ended = facts[-1]
    assert isinstance(ended, GameEnded)
    assert ended.ranking == ((1,), (3,), (0,), (2,))
    assert ended.scores == (4, 0, 1, 0), "E2: resigned seats keep their points"
    assert (ended.reason, ended.winners) == ("last_baker", (1,))
    assert GAME.outcome(state).places == (3, 1, 4, 2)  # type: ignore[union-attr]


def test_the_score_sheet_lists_every_point() -> None:
    bakers = {"0": {"at": [4, 3], "facing": "E", "collected": ["berries", "eggs", "sugar", "cream"], "last": 4}}
    facts = given({"bakers": bakers, "turn": 5})
    state, made = play(GAME.fold(facts), 0, {"run": "fwd_1"})
    sheet = GAME.score(state)
    assert [(line.seat, line.rule, line.item, line.points) for line in sheet.lines] == [
        (0, "E2", "berries", 1),
        (0, "E2", "eggs", 1),
        (0, "E2", "sugar", 1),
        (0, "E2", "cream", 1),
        (0, "E2", "pastry", 1),
        (0, "E1", "wins: baked the pastry", 0),
        (0, "E5", "place 1", 0),
        (1, "E5", "place 2", 0),
    ]
    assert (sheet.totals, sheet.winners) == ((5, 0), (0,))
    audit = GAME.audit(facts + made)
    assert not sheet.differences(audit)
    motion = next(n for n, fact in enumerate(facts + made) if isinstance(fact, BakerMoved))
    assert [line.facts for line in audit.lines][:5] == [(0,)] * 4 + [(motion,)]


def test_a_match_in_progress_has_points_but_no_winner() -> None:
    state, facts = whole_match(3, (greedily, greedily), {}, 10)
    assert state.result is None
    assert GAME.score(state).winners == ()
    assert not GAME.score(state).differences(GAME.audit(facts))


# -- engine against scorer ----------------------------------------------------------------------------------------

Match = tuple[State, list[Fact]]


def matches(count: int) -> Iterator[Match]:
    """Yield finished matches of all kinds: greedy and random, all options, resignations, positions near the end."""
    for number in range(count):
        seats = 2 + number // 2 % 3
        player = resigning(50, greedily if number % 2 else loosely)
        if number % 10 in (6, 7):
            yield level(number, seats)
        else:
            options = {"round_limit": 30, **VARIANTS[number // 2 % len(VARIANTS)]}
            yield whole_match(number, (player,) * seats, options)


def level(number: int, seats: int) -> Match:
    """Play a match from a tied position, two rounds before closing time."""
    shared = {"collected": ["eggs", "sugar"], "last": 30 + number // 10 % 2}
    bakers = {str(seat): {**shared, "last": shared["last"]} for seat in range(seats)}
    bakers["0"] = {"collected": ["eggs", "sugar"], "last": 30}
    document = {"seats": seats, "bakers": bakers, "round": 99, "turn": 31}
    players = (resigning(20, loosely if number % 2 else greedily),) * seats
    return play_on(given(document, closing=("ranked", "no_winner")[number // 20 % 2]), players, Fast(number))


def rules_hit(state: State, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield the rules of section 8 that a match used."""
    result = state.result
    assert result
    yield f"{ {'baked': 'E1', 'closed': 'E3', 'last_baker': 'E4'}[result.reason] } {result.reason}"
    yield "E2 ingredients" if any(baker.collected for baker in state.bakers) else "E2 nothing"
    if any(isinstance(fact, PastryBaked) for fact in facts):
        yield "E2 pastry"
    if any(isinstance(fact, IngredientCollected) and fact.how == "jumped" for fact in facts):
        yield "K1 collected by jumping over"
    if result.reason == "closed":
        yield "E3 nobody wins" if not result.winners else "E3 shared" if len(result.winners) > 1 else "E3 one winner"
        best = [state.bakers[seat] for seat in range(state.seats) if seat not in state.out]
        most = max(len(baker.collected) for baker in best)
        if sum(len(baker.collected) == most for baker in best) > 1 and most:
            yield "E3 tie, the earlier last one" if len(result.ranking[0]) == 1 else "E3 tie not broken"
    if any(isinstance(fact, SeatResigned) for fact in facts):
        yield "E4 a seat resigned"
    if len(state.out) > 1:
        yield "E5 several resigned"
    if any(len(tier) > 1 for tier in result.ranking):
        yield "E5 a shared tier"
    if len(result.ranking) > 2:
        yield "E5 three tiers or more"


EVERY_RULE = {
    "E1 baked", "E2 ingredients", "E2 nothing", "E2 pastry", "E3 closed", "E3 nobody wins", "E3 one winner",
    "E3 shared", "E3 tie not broken", "E3 tie, the earlier last one", "E4 a seat resigned", "E4 last_baker",
    "E5 a shared tier", "E5 several resigned", "E5 three tiers or more", "K1 collected by jumping over",
}  # fmt: skip


def check_agreement(count: int) -> Counter[str]:
    """Check that both scorers agree on this many matches, and return the rules used."""
    hits: Counter[str] = Counter()
    for state, facts in matches(count):
        engine, audit = GAME.score(state), GAME.audit(facts)
        assert engine.differences(audit) == []
        hits.update(rules_hit(state, facts))
    return hits


@pytest.mark.slow
def test_engine_and_scorer_agree() -> None:
    hits = check_agreement(40)
    assert set(hits) <= EVERY_RULE
    assert len(hits) > 10


@pytest.mark.full
def test_engine_and_scorer_agree_on_a_thousand_matches_with_every_rule() -> None:
    hits = check_agreement(1000)
    for rule in sorted(EVERY_RULE):
        print(f"{rule:32} {hits[rule]:6}")
    assert set(hits) == EVERY_RULE


@pytest.mark.slow
def test_the_scorer_ignores_ticks_and_results_of_the_engine() -> None:
    """The score is the same without the facts about their results."""
    for seed in range(6):
        state, facts = whole_match(seed, (greedily,) * 3)
        results = IngredientCollected | PastryBaked | GameEnded | BakerTurned
        audit = GAME.audit([fact for fact in facts if not isinstance(fact, results)])
        assert audit.totals == GAME.score(state).totals
        assert audit.winners == GAME.score(state).winners


# -- planted faults -----------------------------------------------------------------------------------------------

Fault = Callable[[Fact], Iterable[Fact]]


def first(
    kind: type, change: Callable[[Any], Iterable[Fact]], fits: Callable[[Any], bool] = lambda fact: True
) -> Fault:
    """Return a fault that changes the first matching fact of a kind."""
    done: list[int] = []

    def plant(fact: Fact) -> Iterable[Fact]:
        if done or not isinstance(fact, kind) or not fits(fact):
            return [fact]
        done.append(1)
        return change(fact)

    return plant


def faults() -> Iterator[tuple[str, Fault]]:
    yield "an ingredient is missing", first(IngredientCollected, lambda f: [])
    yield "an ingredient is ticked twice", first(IngredientCollected, lambda f: [f, f])
    yield "an ingredient for the wrong seat", first(IngredientCollected, lambda f: [replace(f, seat=1 - f.seat)])
    yield "the wrong ingredient", first(IngredientCollected, lambda f: [replace(f, ingredient="nuts")])
    yield "the pastry is missing", first(PastryBaked, lambda f: [])
    yield "the pastry for the wrong seat", first(PastryBaked, lambda f: [replace(f, seat=1 - f.seat)])
    yield "a score is too high", first(GameEnded, lambda f: [replace(f, scores=(f.scores[0] + 1, *f.scores[1:]))])
    yield "no point for the pastry", first(GameEnded, lambda f: [replace(f, scores=tuple(min(s, 4) for s in f.scores))])
    yield "the wrong winner", first(GameEnded, lambda f: [replace(f, winners=(1 - f.winners[0],))])
    yield "all seats share the win", first(GameEnded, lambda f: [replace(f, winners=(0, 1))])
    yield "the ranking is reversed", first(GameEnded, lambda f: [replace(f, ranking=f.ranking[::-1])])
    yield "the wrong reason", first(GameEnded, lambda f: [replace(f, reason="closed")])


@pytest.mark.parametrize(("fault", "plant"), list(faults()), ids=lambda value: value if isinstance(value, str) else "")
def test_planted_scoring_faults_are_caught(fault: str, plant: Fault) -> None:
    state, facts = whole_match(11, (greedily, greedily), {"recipe": "rec_01"})
    assert state.result
    assert state.result.reason == "baked"
    spoiled = [wrong for fact in facts for wrong in plant(fact)]
    assert spoiled != facts
    assert GAME.score(GAME.fold(spoiled)).differences(GAME.audit(spoiled)), fault


def test_a_pastry_baked_too_early_is_caught() -> None:
    """The scorer notices that a baker crossed the Oven without all ingredients."""
    bakers = {"0": {"at": [4, 3], "facing": "E", "collected": ["eggs", "sugar", "cream"], "last": 4}}
    facts = given({"bakers": bakers, "turn": 5})
    state, made = play(GAME.fold(facts), 0, {"run": "fwd_1"})
    at = next(n for n, fact in enumerate(made) if isinstance(fact, BakerMoved)) + 1
    baked: list[Fact] = [PastryBaked(0, (4, 4)), GameEnded("baked", (0,), ((0,), (1,)), (4, 0))]
    forged = [*facts, *made[:at], *baked]
    assert GAME.score(GAME.fold(forged)).differences(GAME.audit(forged))
    assert state.result is None


def test_an_unbroken_tie_is_caught() -> None:
    """The scorer notices a tie that should be broken by the turn of the last ingredient."""
    facts = given(
        {
            "bakers": {"0": {"at": [0, 7], "facing": "E"}, "1": {"collected": ["eggs"], "last": 3}},
            "round": 10,
            "turn": 19,
        },
        round_limit=10,
    )
    state, made = play(GAME.fold(facts), 0, {"run": "fwd_1"})
    state, more = play(state, 1, {"swap": []})
    honest = facts + made + more
    assert isinstance(more[-1], GameEnded)
    assert more[-1].winners == (1,)
    assert not GAME.score(state).differences(GAME.audit(honest))
    forged = [*honest[:-1], replace(more[-1], winners=(0, 1), ranking=((0, 1),))]
    assert GAME.score(GAME.fold(forged)).differences(GAME.audit(forged))
