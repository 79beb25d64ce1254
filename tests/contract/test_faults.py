"""The contract suite finds twelve faults in every registered game. This module lists the checks that find each."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import games
from domain.match.guards import MAX_FACTS_PER_EVENT
from replays.verify import verify
from tests.builders import play_match, replay_file, sit_down, step
from tests.contract import test_determinism, test_draws, test_matches, test_moves, test_secrets
from tests.contract.cases import GAMES
from tests.contract.faults import CHANCE, FAULTS, SECRETS, Fault, plant_fault

Check = Callable[[AnyGame, int], None]
QUICK_GAMES = ("tic_tac_toe",)
"""Games whose faults are checked in every run. Other games are checked at full counts."""
HASH_SEEDS = ("0", "1")


def processes_agree(game: AnyGame, seats: int) -> None:
    """Check one game with its planted fault like `test_separate_processes_give_the_same_bytes`."""
    name = next(fault.name for fault in FAULTS if fault.plant.__name__ == "ordering_by_hash")
    one, other = (test_determinism.playouts_in_process(seed, 2, "outer", game.slug, name) for seed in HASH_SEEDS)
    assert one == other


KILLERS: dict[str, tuple[Check, ...]] = {
    "opponent's card in my view": (test_secrets.test_a_seat_cannot_identify_a_made_up_world,),
    "scoring bug": (test_matches.test_the_independent_scorer_agrees,),
    "mask that allows illegal moves": (test_moves.test_every_legal_move_is_accepted,),
    "seed ignored": (
        test_draws.test_the_table_makes_the_draws_of_the_rules,
        test_draws.test_other_draws_do_not_fit_the_facts,
    ),
    "global random seeded at set-up": (
        test_determinism.test_the_global_random_generator_has_no_effect,
        test_determinism.test_the_rules_do_not_use_the_global_random_generator,
    ),
    "global random drawn in play": (test_determinism.test_the_rules_do_not_use_the_global_random_generator,),
    "wall clock": (
        test_determinism.test_the_global_random_generator_has_no_effect,
        test_moves.test_legal_moves_have_a_fixed_order_without_resign,
    ),
    "order of a hash": (processes_agree,),
    "outcome that does not add up": (test_matches.test_outcomes_are_consistent,),
    "wrong chances": (test_draws.test_the_table_makes_the_draws_of_the_rules,),
    "legal moves in no order": (test_moves.test_two_moves_have_the_same_order_in_every_position,),
    "the same move fails a second time": (test_matches.test_random_matches_end_and_verify,),
}
"""The checks that should find each fault. At least one must do so, in every game where it has an effect."""


CRASHING = {
    "mask that allows illegal moves": ("IllegalMove",),
    "the same move fails a second time": ("KeyError",),
}
"""Exceptions that some faults may raise. All other faults must be found by an assertion."""


def tables() -> list[object]:
    """Return each game with each fault."""
    return [
        pytest.param(fault, game, id=f"{game.slug}-{fault.name}", marks=marks_of(fault, game))
        for game in GAMES
        for fault in FAULTS
    ]


def marks_of(fault: Fault, game: AnyGame) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a fault in a game: full counts for most games, slow if it needs other processes."""
    if game.slug not in QUICK_GAMES:
        return (pytest.mark.full,)
    return (pytest.mark.slow,) if processes_agree in KILLERS[fault.name] else ()


def game_lacks(game: AnyGame, what: str | None) -> bool:
    """Return whether the game lacks what a fault needs to have an effect: chance, or something hidden."""
    if what == CHANCE:
        return game.draws is not None and not game.draws.facts
    return what == SECRETS and test_secrets.check_twins(game, game.seat_counts[0]) == 0


def failure(check: Check, game: AnyGame) -> BaseException | None:
    """Return how a check fails, or None if it passes."""
    try:
        check(game, game.seat_counts[0])
    except pytest.skip.Exception:
        return None
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize(("fault", "game"), tables())
def test_every_fault_is_found_in_every_game(fault: Fault, game: AnyGame) -> None:
    if game_lacks(game, fault.without):
        print(f"| {fault.name} | {game.slug} | {fault.without} |")
        return
    with plant_fault(fault, game) as faulty:
        found = {check.__name__: failure(check, faulty) for check in KILLERS[fault.name]}
    killers = {name: type(error).__name__ for name, error in found.items() if error is not None}
    print(f"| {fault.name} | {game.slug} | {', '.join(killers)} |")
    assert killers, "no check found the fault"
    assert {*killers.values()} <= {"AssertionError", *CRASHING.get(fault.name, ())}, (
        "the fault was found by an unexpected exception"
    )
    assert games()[game.slug] is game


@pytest.mark.parametrize("slug", QUICK_GAMES)
def test_a_game_without_a_fault_passes(slug: str) -> None:
    game = games()[slug]
    with plant_fault(Fault("none", replace), game) as same:
        assert same is not game
        checks = {check for checks in KILLERS.values() for check in checks} - {processes_agree}
        assert [check.__name__ for check in checks if failure(check, same)] == []
    assert games()[slug] is game


@pytest.mark.parametrize("slug", QUICK_GAMES)
def test_too_many_facts_are_refused_with_a_message_and_reported(slug: str) -> None:
    game, honest = games()[slug], replay_file(play_match(games()[slug], seed="count"))

    def endless(true: AnyGame) -> AnyGame:
        return replace(true, decide=lambda *arguments: true.decide(*arguments) * (MAX_FACTS_PER_EVENT + 1))

    with plant_fault(Fault("endless", endless), game) as faulty:
        with pytest.raises(MatchRefused, match=r"the maximum is \d+\. Nothing has changed") as refused:
            step(sit_down(faulty), Fast("count"))
        report = verify(honest)
    assert refused.value.code == "too_many_facts"
    assert not report.ok
    assert f"the maximum is {MAX_FACTS_PER_EVENT}" in report.as_text()


def test_every_fault_has_checks() -> None:
    assert {fault.name for fault in FAULTS} == KILLERS.keys()
    assert len(FAULTS) == 12
