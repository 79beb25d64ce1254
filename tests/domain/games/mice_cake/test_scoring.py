"""The engine's score and the independent scorer's agree (rules E1 to E4), and planted faults are detected."""

import ast
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules import scorer
from domain.games.mice_cake.rules.facts import BlankRemoved, Fact, PieceStolen, PieceTaken, RoundEnded
from domain.games.mice_cake.rules.model import State
from domain.kernel.chance import Fast
from tests.domain.games.mice_cake.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    deal,
    given,
    greedily,
    play,
    play_on,
    position,
    resigning,
    send,
    whole_match,
)

SWAP = {
    "cake": ["B5: 0-0"],
    "yellow": ["0-6", "1-1", "1-3", "1-4", "1-5", "1-6", "2-2", "2-4", "2-5", "3-5", "3-6", "4-5", "6-6"],
}
STEAL = {"cake": ["B5: 0-0", "C1: 0-4 1-3"], "yellow": ["1-4", "3-3"]}


def swapped() -> tuple[State, list[Fact]]:
    """Return AC-14: both seats steal, and the number of dominoes decides."""
    start = position(**SWAP)
    state, one = play(given(start), "yellow", send(B=4, steal="5-6"))
    state, two = play(state, "blue", send(B=4, steal="6-6"), 6, 4, 3, 2, 6, 5, 4, 3)
    return state, start + one + two


def differences(state: State, facts: list[Fact]) -> list[str]:
    return GAME.score(state).differences(GAME.audit(facts))


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("player", [at_random, greedily, resigning(20, at_random)])
def test_both_scores_agree(options: dict[str, str], player: Player) -> None:
    for seed in range(4):
        state, facts = whole_match(seed, (player, player), options)
        assert differences(state, facts) == []
        assert GAME.score(state).totals == (GAME.outcome(state) or pytest.fail("not over")).scores


@pytest.mark.parametrize("document", [SWAP, STEAL, {"cake": ["A4: 6-6"], "quiet": 19}])
def test_both_scores_agree_after_a_start_from_a_position(document: dict[str, object]) -> None:
    for seed in range(10):
        state, facts = play_on(position(**document), (greedily, at_random), Fast(seed))
        assert differences(state, facts) == []


def test_a_swap_decided_by_count() -> None:
    state, facts = swapped()
    sheet = GAME.score(state)
    assert (sheet.totals, sheet.winners) == ((84, 84), (1,))
    last = sheet.lines[-1]
    assert (last.seat, last.rule, last.item, last.points) == (1, "E3", "wins by count", 0)
    assert differences(state, facts) == []


def test_the_lines_are_the_stashes_in_the_order_gained() -> None:
    state, facts = whole_match(3)
    for sheet in (GAME.score(state), GAME.audit(facts)):
        for seat, stash in enumerate((state.stash.yellow, state.stash.blue)):
            items = [line.item for line in sheet.lines if line.seat == seat and line.rule == "E2"]
            assert items == list(stash)


def test_the_scorers_lines_name_the_facts_that_gained_the_dominoes() -> None:
    _, facts = whole_match(3)
    for line in GAME.audit(facts).lines:
        if line.rule == "E2":
            (number,) = line.facts
            fact = facts[number]
            assert isinstance(fact, PieceTaken | PieceStolen)
            assert fact.piece == line.item


def test_an_unfinished_match_has_a_score_but_no_winner() -> None:
    state, facts = play_on(deal(), (at_random, at_random), Fast(1), lambda state: state.round == 6)
    assert differences(state, facts) == []
    assert GAME.score(state).winners == ()


# -- planted faults ---------------------------------------------------------------------------------------------------


def test_a_wrong_winner_is_detected() -> None:
    state, facts = whole_match(2)
    assert state.result
    assert state.result.winner
    wrong = replace(state, result=replace(state.result, winner="yellow" if state.result.winner == "blue" else "blue"))
    assert "winners" in differences(wrong, facts)[-1]


def test_a_wrong_tie_breaker_is_detected() -> None:
    state, facts = swapped()
    assert state.result
    assert differences(replace(state, result=replace(state.result, by="double_six")), facts)


def test_a_missing_and_a_duplicate_domino_are_detected() -> None:
    state, facts = whole_match(2)
    fewer = replace(state, stash=state.stash.with_value("yellow", state.stash.yellow[1:]))
    more = replace(state, stash=state.stash.with_value("blue", (*state.stash.blue, "6-6")))
    for wrong in (fewer, more):
        assert differences(wrong, facts)


def test_pips_in_facts_are_ignored() -> None:
    """Wrong `pips`, `quiet` and `left` in facts don't change the audit."""
    state, facts = whole_match(2)
    false = [replace(fact, pips=99) if isinstance(fact, PieceTaken | PieceStolen) else fact for fact in facts]
    false = [replace(fact, quiet=0, left=9) if isinstance(fact, RoundEnded) else fact for fact in false]
    assert GAME.audit(false) == GAME.audit(facts)
    assert differences(state, false) == []


def test_a_stolen_domino_kept_in_the_victims_stash_is_detected() -> None:
    state, facts = swapped()
    stolen = [fact for fact in facts if isinstance(fact, PieceStolen)]
    kept = replace(state, stash=state.stash.with_value("yellow", (*state.stash.yellow, stolen[1].piece)))
    assert differences(kept, facts)


def test_a_missing_fact_is_detected() -> None:
    state, facts = swapped()
    for missing in (fact for fact in facts if isinstance(fact, PieceStolen | BlankRemoved)):
        assert differences(state, [fact for fact in facts if fact is not missing])


def test_the_scorer_imports_only_the_facts_of_the_game() -> None:
    tree = ast.parse(Path(str(scorer.__file__)).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and "mice_cake" in name} == {"domain.games.mice_cake.rules.facts"}
