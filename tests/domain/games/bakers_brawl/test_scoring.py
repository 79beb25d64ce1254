"""Scoring (rules, section 8): the engine compared with the independent scorer."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.components import AGENDAS, PerOrder
from domain.games.bakers_brawl.rules.facts import (
    AgendaScored,
    Fact,
    GameEnded,
    HelpBonusScored,
    IngredientPlaced,
    IngredientsCleared,
    LaborCompared,
    OrderClaimed,
    OrderCompleted,
    PointsScored,
    ResultDeclared,
    SeatResigned,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.parts import Tally
from domain.games.bakers_brawl.rules.scoring import help_points
from domain.kernel.chance import Fast, Scripted
from tests.domain.games.bakers_brawl.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    flatly,
    greedily,
    play_on,
    position,
    resigning,
    whole_match,
)


def test_help_bonus() -> None:
    """8.4, example 1."""
    assert [help_points(count) for count in range(8)] == [0, 0, 3, 3, 6, 6, 9, 9]


def test_8_4_example_7_line_by_line() -> None:
    done = [("O03", 0, [0, 1]), ("O20", 1, [1, 2]), ("O35", 2, [0, 1, 2]), ("O12", 0, [0]), ("O37", 1, [0, 1])]
    completed = [{"order_id": order_id, "by": by, "contributors": seats} for order_id, by, seats in done]
    seats = [{"points": 14, "agenda": "A08"}, {"points": 12, "agenda": "A13"}, {"points": 9, "agenda": "A14"}]
    sheet = GAME.score(position(3, order_line=[], completed=completed, seats=seats))
    assert [(line.seat, line.rule, line.item, line.points) for line in sheet.lines] == [
        (0, "8.1", "points for Orders", 14),
        (0, "12.3", "A08: O35, O12", 4),
        (0, "8.2", "Orders helped: 4", 6),
        (1, "8.1", "points for Orders", 12),
        (1, "12.3", "A13: O20, O35, O37", 6),
        (1, "8.2", "Orders helped: 4", 6),
        (2, "8.1", "points for Orders", 9),
        (2, "12.3", "A14: O20, O35", 2),
        (2, "8.2", "Orders helped: 2", 3),
    ]
    assert sheet.totals == (24, 24, 14)
    assert sheet.winners == (), "the game is not over"


# -- the end ----------------------------------------------------------------------------------------------------------


def ended(final_tie: str, seats: list[dict[str, Any]], completed: list[dict[str, Any]] | None = None) -> ResultDeclared:
    """Return the result of a game that ends when the last seat passes."""
    state = position(
        len(seats),
        options={"final_tie": final_tie, "voluntary_pass": True},
        turn=len(seats) - 1,
        order_line=[],
        order_deck=[],
        completed=completed or [],
        seats=seats,
    )
    facts = GAME.decide(state, len(seats) - 1, GAME.read_move({"type": "pass"}), Scripted([]))
    assert isinstance(facts[-1], ResultDeclared)
    return facts[-1]


DONE = [{"order_id": "O01", "by": 0, "contributors": [0]}]
LEVEL = {"agenda": "A12"}  # counts nothing here


@pytest.mark.parametrize(
    ("seats", "completed", "winners", "decided_by"),
    [
        ([{**LEVEL, "points": 5}, {**LEVEL, "points": 5}], DONE, [0], "Orders helped"),
        (
            [{**LEVEL, "points": 5}, {**LEVEL, "points": 5}],
            [{"order_id": "O01", "by": 1, "contributors": [0, 1]}],
            [1],
            "Orders completed",
        ),
        ([{**LEVEL, "cubes": 9}, {**LEVEL, "cubes": 8}], [], [0], "cubes"),
        ([{**LEVEL, "cubes": 9}, {**LEVEL, "cubes": 9}], [], [0, 1], "nothing, so shared"),
        ([{**LEVEL, "points": 4, "cubes": 1}, {**LEVEL, "points": 3}], [], [0], "the total, before all tie-breakers"),
    ],
)
def test_8_2_the_ladder(
    seats: list[dict[str, Any]], completed: list[dict[str, Any]], winners: list[int], decided_by: str
) -> None:
    result = ended("ladder", seats, completed)
    assert list(result.winners) == winners, decided_by
    assert [result.ranks[seat] for seat in range(2)] == [1 if seat in winners else 2 for seat in range(2)]
    totals = result.totals
    assert list(ended("shared", seats, completed).winners) == [n for n in (0, 1) if totals[n] == max(totals)]


def test_8_2_a_resigned_seat_ranks_last_with_any_total() -> None:
    seats = [{"points": 3}, {"points": 50, "active": False}, {"points": 7}, {"points": 3}]
    result = ended("shared", seats)
    assert result.totals[1] == 50
    assert result.ranks == (2, 4, 1, 2)
    assert result.winners == (2,)


# -- engine and scorer -----------------------------------------------------------------------------------------------

Match = tuple[State, list[Fact]]


def matches(count: int) -> Iterator[Match]:
    """Yield finished matches: half of them greedy, with all options, resignations and positions near the end."""
    for number in range(count):
        options = ALL_OPTIONS[number // 2 % len(ALL_OPTIONS)]
        players = 2 + number // 2 % 3
        kind: Player = greedily if number % 2 else (at_random, flatly)[number // 2 % 2]
        player = resigning(50, kind)
        if number % 10 in (8, 9):
            yield from_position(number, players, player)
        else:
            yield whole_match(f"scoring {number}", (player,) * players, options)


def from_position(number: int, players: int, player: Player) -> Match:
    """Play a match from a position that runs out of Orders or is close to a tie."""
    document: dict[str, Any] = {
        "players": players,
        "round": 20,
        "order_line": ["O26", "O27"],
        "order_deck": ["O17", "O18"],
        "completed": [{"order_id": "O01", "by": number % players, "contributors": [0, 1]}],
        "options": {"final_tie": ("shared", "ladder")[number // 10 % 2]},
        "seats": [{"points": 4, "agenda": "A12", "hand": ["berries"]} for _ in range(players)],
        "board": {"B2": {"ingredient": "flour", "owner": 0, "labor": 1}},
    }
    chance = Fast(f"scoring {number}")
    return play_on(GAME.start(players, {}, chance, document), (player,) * players, chance)


def rules_hit(state: State, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield the rules of section 8 that a match used."""
    by = {fact.order_id: fact.seat for fact in facts if isinstance(fact, OrderCompleted)}
    for fact in facts:
        match fact:
            case LaborCompared(order_id, tally, winners):
                yield f"majority: {majority(tally, winners)}"
                yield "bottom to the completer" if by[order_id] in winners else "bottom to another"
            case PointsScored(reason="top"):
                yield "top"
            case HelpBonusScored(_, helped, _):
                yield f"help bonus: {'none' if helped < 2 else 'odd' if helped % 2 else 'even'}"
            case AgendaScored(_, agenda_id, orders, _):
                yield f"agenda {kind_of(agenda_id)}: {'points' if orders else 'nothing'}"
            case GameEnded(reason):
                yield f"end: {reason}"
            case SeatResigned():
                yield "a seat resigned"
    assert state.result
    level = len(state.result.winners) > 1
    yield "victory shared" if level else "one winner"
    if state.options.final_tie == "ladder" and state.result.totals.count(max(state.result.totals)) > 1:
        yield "ladder"


def majority(tally: Sequence[Tally], winners: Sequence[int]) -> str:
    if len(tally) == 1:
        return "alone"
    if len(winners) > 1:
        return "shared"
    best, second = sorted(((t.labor, t.ingredients, t.specials) for t in tally), reverse=True)[:2]
    return next(name for name, a, b in zip(("labor", "ingredients", "Specials"), best, second, strict=True) if a != b)


def kind_of(agenda_id: str) -> str:
    effect = AGENDAS[agenda_id].effect
    if not isinstance(effect, PerOrder):
        return "distinct_category"
    return next(name for name in effect.condition.__struct_fields__ if getattr(effect.condition, name) is not None)


EVERY_RULE = {
    "top",
    "bottom to the completer",
    "bottom to another",
    *(f"majority: {how}" for how in ("alone", "labor", "ingredients", "Specials", "shared")),
    *(f"help bonus: {how}" for how in ("none", "odd", "even")),
    *(
        f"agenda {kind}: {what}"
        for kind in ("has_any", "has_all", "category_in", "size_between", "distinct_category")
        for what in ("points", "nothing")
    ),
    *(f"end: {reason}" for reason in ("boss_limit", "orders_exhausted", "last_baker")),
    "a seat resigned",
    "victory shared",
    "one winner",
    "ladder",
}


def agree(count: int) -> Counter[str]:
    """Check that both scorers agree on every line of `count` matches. Return the rules used."""
    hits: Counter[str] = Counter()
    for state, facts in matches(count):
        engine, audit = GAME.score(state), GAME.audit(facts)
        assert not engine.differences(audit)
        assert audit.winners
        hits.update(rules_hit(state, facts))
    return hits


@pytest.mark.slow
def test_engine_and_scorer_agree() -> None:
    hits = agree(50)
    assert set(hits) <= EVERY_RULE
    assert len(hits) > 20


@pytest.mark.full
def test_engine_and_scorer_agree_on_a_thousand_matches_that_hit_every_rule() -> None:
    hits = agree(1000)
    for rule in sorted(EVERY_RULE):
        print(f"{rule:34} {hits[rule]:6}")
    assert set(hits) == EVERY_RULE


def test_the_scorer_ignores_sums_computed_by_the_engine() -> None:
    """Given facts without points, totals, tallies or cubes, when they are scored, then the score is the same."""
    state, facts = whole_match(11, (greedily,) * 3)
    sums = (
        PointsScored
        | LaborCompared
        | IngredientsCleared
        | OrderClaimed
        | AgendaScored
        | HelpBonusScored
        | ResultDeclared
    )
    placements = [fact for fact in facts if not isinstance(fact, sums)]
    assert not GAME.score(state).differences(GAME.audit(placements))


# -- planted faults ---------------------------------------------------------------------------------------------------

Fault = Callable[[Fact], Iterable[Fact]]


def first(
    kind: type, change: Callable[[Any], Iterable[Fact]], fits: Callable[[Any], bool] = lambda fact: True
) -> Fault:
    """Return a fault in the first matching fact of a kind."""
    done: list[int] = []

    def plant(fact: Fact) -> Iterable[Fact]:
        if done or not isinstance(fact, kind) or not fits(fact):
            return [fact]
        done.append(1)
        return change(fact)

    return plant


def faults() -> Iterator[tuple[str, Fault]]:
    bottom = "bottom"
    yield "one top point too many", first(PointsScored, lambda f: [replace(f, points=f.points + 1)])
    yield "no bottom points", first(PointsScored, lambda f: [], lambda f: f.reason == bottom)
    yield (
        "bottom to the wrong seat",
        first(PointsScored, lambda f: [replace(f, seat=(f.seat + 1) % 3)], lambda f: f.reason == bottom),
    )
    yield "bottom twice", first(PointsScored, lambda f: [f, f], lambda f: f.reason == bottom)
    yield "a missing contributor", first(OrderClaimed, lambda f: [replace(f, contributors=f.contributors[1:])])
    yield (
        "an extra contributor",
        first(OrderClaimed, lambda f: [replace(f, contributors=(0, 1, 2))], lambda f: len(f.contributors) < 3),
    )
    yield "wrong total", first(ResultDeclared, lambda f: [replace(f, totals=(f.totals[0] + 1, *f.totals[1:]))])
    yield "wrong winner", first(ResultDeclared, lambda f: [replace(f, winners=((f.winners[0] + 1) % 3,))])
    yield "all share the victory", first(ResultDeclared, lambda f: [replace(f, winners=(0, 1, 2))])


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "plant"), list(faults()), ids=lambda value: value if isinstance(value, str) else "")
def test_planted_scoring_faults_are_caught(fault: str, plant: Fault) -> None:
    state, facts = whole_match(11, (greedily,) * 3)
    assert len(state.completed) > 3
    assert state.result
    assert len(state.result.winners) == 1
    spoiled = [wrong for fact in facts for wrong in plant(fact)]
    assert spoiled != facts
    assert GAME.score(GAME.fold(spoiled)).differences(GAME.audit(spoiled)), fault


def test_cheaper_labor_is_caught() -> None:
    """A Special placed from the hand for one cube would cause a tie. The scorer derives labor from the source."""
    board = {
        "B2": {"ingredient": "eggs", "owner": 0, "labor": 1},
        "B3": {"ingredient": "chocolate", "owner": 0, "labor": 1},
        "C3": {"ingredient": "sugar", "owner": 1, "labor": 1},
    }
    document = {"players": 2, "order_line": ["O05"], "board": board, "turn": 1, "seats": [{}, {"hand": ["nuts"]}]}
    opening = GAME.start(2, {}, Scripted([]), document)
    state = GAME.fold(opening)
    move = GAME.read_move({"type": "play_special", "ingredient": "nuts", "cell": "C2"})
    honest = opening + GAME.decide(state, 1, move, Scripted([]))
    assert [fact.winners for fact in honest if isinstance(fact, LaborCompared)] == [(1,)]
    assert not GAME.score(GAME.fold(honest)).differences(GAME.audit(honest))
    swindle = [cheaper for fact in honest for cheaper in make_cheaper(fact)]
    assert GAME.score(GAME.fold(swindle)).differences(GAME.audit(swindle))


def make_cheaper(fact: Fact) -> list[Fact]:
    """Change the facts so that the card costs one cube and the rival shares the majority."""
    match fact:
        case IngredientPlaced():
            return [replace(fact, labor=1)]
        case PointsScored(_, _, "bottom"):
            return [replace(fact, seat=0), fact]
        case _:
            return [fact]
