"""Scoring (section 8): the worked examples, and agreement between engine and independent scorer."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CakeSold,
    CatchUpTried,
    Fact,
    GameEnded,
    GreatChefAwarded,
    RoundScored,
)
from domain.games.battle_of_the_bakeries.rules.moves import Resign, RollDice
from domain.games.battle_of_the_bakeries.rules.parts import SLOTS
from domain.games.battle_of_the_bakeries.rules.scoring import kept_amount, sale_amount
from domain.kernel.chance import Fast

from .builders import Played, at_random, exploring, greedily, play_out, some_options, some_sale, start

RULES = ("H3", "M2", "M4", "E1", "U2", "U3", "T3", "R51", "E4", "S7", "S8")


@pytest.mark.parametrize(
    ("multiplier", "slot", "cake", "stale", "money"),
    [
        (5, 8, "bundt_cake", 0, 750),  # W1
        (2, 2, "lemon_cake", 0, 1300),  # W2
        (2, 2, "lemon_cake", 4, 260),
        (1, 2, "wedding_cake", 0, 6500),  # W7
        (6, 2, "wedding_cake", 0, 39000),
        (1, 7, "lemon_cake", 4, 10),  # W8
        (4, 11, "cinnamon_coffee_cake", 3, 1600),  # W9
    ],
)
def test_amounts(multiplier: int, slot: int, cake: Any, stale: int, money: int) -> None:
    assert sale_amount(multiplier, slot, cake, stale) == money


@pytest.mark.parametrize(
    ("tab", "percents"), [(8000, (3200, 4800, 6400)), (7995, (3198, 4797, 6396)), (8010, (3204, 4806, 6408))]
)
def test_w4_w5_percentages(tab: int, percents: tuple[int, ...]) -> None:
    assert tuple(kept_amount(tab, percent) for percent in (40, 60, 80)) == percents


def test_w10_a_round_with_a_five() -> None:
    played = start(
        {"rounds": 1},
        {
            "phase": "sale",
            "scores": [500, 0],
            "sold": [[2, 3, 4, 5, 6, 7], [6]],
            "tabs": [3975, 300],
        },
    )
    played.make(0, RollDice(), Fast(next(n for n in range(999) if throws(n, 8))))
    assert played.state.scores == (4625, 120)


def throws(seed: int, total: int) -> bool:
    chance = Fast(seed)
    return chance.die() + chance.die() == total


# -- engine and scorer ----------------------------------------------------------------------------------------------


def match_of(n: int) -> Played:
    """Return match n of the comparison: half of them greedy, the others mixed, some from a custom position."""
    chance = Fast(f"scores {n}")
    options = some_options(chance)
    if n % 2:
        return play_out(start(options, chance=chance), n, (greedily, greedily), resign_once_in=50)
    if n % 4:
        return play_out(start(options, some_sale(chance), chance), n, resign_once_in=50)
    return play_out(start(options, chance=chance), n, chance.pick(PLAYERS), resign_once_in=50)


PLAYERS = ((at_random, at_random), (exploring, exploring), (at_random, greedily))


def agree(matches: int) -> Counter[str]:
    hits: Counter[str] = Counter()
    for n in range(matches):
        played = match_of(n)
        mine, theirs = GAME.score(played.state), GAME.audit(played.facts)
        assert mine.differences(theirs) == [], f"match {n}"
        assert tuple(sum(line.points for line in mine.lines if line.seat == seat) for seat in (0, 1)) == mine.totals
        for line in theirs.lines:
            assert all(0 <= fact < len(played.facts) for fact in line.facts)
        hits.update(line.rule for line in mine.lines)
    return hits


def report(hits: Counter[str]) -> None:
    print("\nrule  hits")
    for rule in RULES:
        print(f"{rule:<5} {hits[rule]}")


@pytest.mark.slow
def test_engine_and_scorer_agree() -> None:
    hits = agree(200)
    report(hits)
    assert set(RULES) - {"U3"} <= set(hits)


@pytest.mark.full
def test_engine_and_scorer_agree_on_a_thousand_matches() -> None:
    hits = agree(1000)
    report(hits)
    assert set(hits) == set(RULES)


def fault(kind: type[Fact], **change: Callable[[Any], Any]) -> Callable[[list[Fact]], list[Fact]]:
    """Return a function that falsifies the first fact of this type."""

    def falsify(facts: list[Fact]) -> list[Fact]:
        found = next(n for n, fact in enumerate(facts) if isinstance(fact, kind))
        wrong = replace(facts[found], **{name: make(facts[found]) for name, make in change.items()})
        return [*facts[:found], wrong, *facts[found + 1 :]]

    return falsify


FAULTS = {
    "a sale earns too much": fault(CakeSold, amount=lambda fact: fact.amount + 5),
    "the number of stale cards is wrong": fault(CakeSold, stale=lambda fact: fact.stale + 1),
    "another cake is sold": fault(CakeSold, cake=lambda fact: "wedding_cake"),
    "a five pays too little": fault(BonusTaken, amount=lambda fact: fact.amount - 250),
    "the loser keeps everything": fault(RoundScored, percents=lambda fact: (100, 100), kept=lambda fact: fact.tabs),
    "a bonus is not due": fault(RoundScored, great_chef=lambda fact: (500, 0)),
    "a score is wrong": fault(RoundScored, scores=lambda fact: (fact.scores[0] + 1, fact.scores[1])),
    "another seat wins": fault(GameEnded, winner=lambda fact: 1 - (fact.winner or 0)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_scorer_catches_a_false_fact(name: str) -> None:
    played = play_out(start({"rounds": 1}, chance=Fast(3)), 3, (greedily, greedily))
    assert any(isinstance(fact, BonusTaken) for fact in played.facts)
    wrong = FAULTS[name](played.facts)
    assert GAME.score(GAME.fold(wrong)).differences(GAME.audit(wrong)) != []


def test_the_scorer_catches_a_false_catch_up_roll() -> None:
    document = {"phase": "catch_up", "actor": 1, "tabs": [10000, 8000], "sold": [list(SLOTS[:7]), [3]]}
    for seed in range(40):
        played = play_out(start({"rounds": 1}, document), seed)
        (tried, *_) = [fact for fact in played.facts if isinstance(fact, CatchUpTried)]
        if tried.hit:
            break
    wrong = fault(CatchUpTried, dice=lambda fact: (fact.dice[0] % 6 + 1, fact.dice[1]))(played.facts)
    assert GAME.score(played.state).differences(GAME.audit(played.facts)) == []
    assert GAME.score(GAME.fold(wrong)).differences(GAME.audit(wrong)) != []


def test_the_scorer_ignores_amounts_in_facts() -> None:
    """False amounts in the facts don't change its sheet."""

    def with_false_amounts(fact: Fact) -> Fact:
        match fact:
            case CakeSold():
                return replace(fact, amount=1, tab=2, stale=9)
            case BonusTaken():
                return replace(fact, amount=3)
            case RoundScored():
                return replace(fact, tabs=(4, 4), kept=(5, 5), great_chef=(6, 6), scores=(7, 7))
            case GreatChefAwarded():
                return replace(fact, amount=8)
            case GameEnded():
                return replace(fact, scores=(9, 9), winner=None)
            case _:
                return fact

    played = play_out(start(chance=Fast(12)), 12, (greedily, greedily))
    assert GAME.audit(map(with_false_amounts, played.facts)) == GAME.audit(played.facts)


def test_e4_an_open_tab_is_not_scored() -> None:
    played = start({"rounds": 1}, {"phase": "sale", "scores": [500, 0], "sold": [[2], [3]]})
    played.make(1, Resign(), Fast(0))
    sheet = GAME.score(played.state)
    assert sheet.totals == (500, 0)
    assert sheet.differences(GAME.audit(played.facts)) == []
    assert [line.points for line in sheet.lines] == [500, 650, 2800, -650, -2800]


def test_the_scorer_needs_only_public_facts() -> None:
    """A spectator's redacted facts lead to the same score lines as the full facts."""

    def check(now: Played) -> None:
        if len(now.plies) % 40:
            return
        seen = [GAME.redact(now.state, fact, n, None) for n, fact in enumerate(now.facts)]
        sheet = GAME.audit([fact for fact in seen if fact is not None])
        assert sheet.lines == GAME.audit(now.facts).lines
        open_tabs = now.state.tabs if now.state.phase in ("sale", "catch_up") else (0, 0)
        assert sheet.totals == tuple(a + b for a, b in zip(now.state.scores, open_tabs, strict=True))

    play_out(start({"memory_aid": "off", "rounds": 2}, chance=Fast(4)), 4, (greedily, exploring), watch=check)
