"""The contract suite has teeth: twelve faults, planted in every registered game, and the checks that kill each."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import games
from domain.match.guards import MAX_FACTS_PER_EVENT
from replays.re_execution import TracedChance
from replays.verify import verify
from tests.builders import play_match, replay_file, sit_down, step
from tests.contract import test_determinism, test_draws, test_matches, test_moves, test_secrets
from tests.contract.cases import GAMES
from tests.contract.faults import CHANCE, FAULTS, SECRETS, Fault, plant_fault

Check = Callable[[AnyGame, int], None]
QUICK_GAMES = ("tic_tac_toe",)
"""Games whose table is made in every run; those of the others belong to the full counts."""
HASH_SEEDS = ("0", "1")


def processes_agree(game: AnyGame, seats: int) -> None:
    """What `test_separate_processes_agree_to_the_byte` asks, of one game and with the fault that is planted there."""
    name = next(fault.name for fault in FAULTS if fault.plant.__name__ == "ordering_by_hash")
    one, other = (test_determinism.playouts_in_process(seed, game.slug, name) for seed in HASH_SEEDS)
    assert one == other


KILLERS: dict[str, tuple[Check, ...]] = {
    "opponent's card in my view": (test_secrets.test_a_seat_cannot_tell_a_made_up_world,),
    "scoring bug": (test_matches.test_the_independent_scorer_agrees,),
    "mask that allows illegal moves": (test_moves.test_every_legal_move_is_accepted,),
    "seed ignored": (
        test_draws.test_the_table_makes_the_draws_of_the_rules,
        test_draws.test_other_draws_do_not_fit_the_facts,
    ),
    "global random seeded at set-up": (
        test_determinism.test_the_global_random_plays_no_part,
        test_determinism.test_the_rules_leave_the_global_random_alone,
    ),
    "global random drawn in play": (test_determinism.test_the_rules_leave_the_global_random_alone,),
    "wall clock": (
        test_determinism.test_the_global_random_plays_no_part,
        test_moves.test_legal_moves_stand_in_one_order_without_resign,
    ),
    "order of a hash": (processes_agree,),
    "outcome that does not add up": (test_matches.test_outcomes_are_whole,),
    "wrong chances": (test_draws.test_the_table_makes_the_draws_of_the_rules,),
    "legal moves in no order": (test_moves.test_two_moves_stand_in_the_same_order_wherever_both_are_legal,),
    "the same move fails a second time": (test_matches.test_random_matches_end_and_verify,),
}
"""By fault, the checks of the suite that are there to notice it: one at least must, in every game that has it."""


CRASHING = {
    "mask that allows illegal moves": ("IllegalMove",),
    "the same move fails a second time": ("KeyError",),
}
"""Faults that a check may also meet as what they raise; all others are noticed by what it asserts."""


def tables() -> list[object]:
    """Each game with each fault."""
    return [
        pytest.param(fault, game, id=f"{game.slug}-{fault.name}", marks=marks_of(fault, game))
        for game in GAMES
        for fault in FAULTS
    ]


def marks_of(fault: Fault, game: AnyGame) -> tuple[pytest.MarkDecorator, ...]:
    """When to plant a fault in a game: under full counts for most games; slow where it needs processes of its own."""
    if game.slug not in QUICK_GAMES:
        return (pytest.mark.full,)
    return (pytest.mark.slow,) if processes_agree in KILLERS[fault.name] else ()


def game_lacks(game: AnyGame, what: str | None) -> bool:
    """Whether the game lacks what a fault needs to be one: chance, or something hidden."""
    draws = TracedChance(Fast("lacks"))
    game.start(game.seat_counts[0], {}, draws)
    if what == CHANCE:
        return game.draws is not None and not game.draws.facts
    return what == SECRETS and test_secrets.check_twins(game, game.seat_counts[0]) == 0


def failure(check: Check, game: AnyGame) -> BaseException | None:
    """How a check fails, None if it does not."""
    try:
        check(game, game.seat_counts[0])
    except pytest.skip.Exception:
        return None
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize(("fault", "game"), tables())
def test_every_fault_is_killed_in_every_game(fault: Fault, game: AnyGame) -> None:
    if game_lacks(game, fault.without):
        print(f"| {fault.name} | {game.slug} | {fault.without} |")
        return
    with plant_fault(fault, game) as faulty:
        found = {check.__name__: failure(check, faulty) for check in KILLERS[fault.name]}
    killers = {name: type(error).__name__ for name, error in found.items() if error is not None}
    print(f"| {fault.name} | {game.slug} | {', '.join(killers)} |")
    assert killers, "it goes unnoticed"
    assert {*killers.values()} <= {"AssertionError", *CRASHING.get(fault.name, ())}, "it is killed by something else"
    assert games()[game.slug] is game


@pytest.mark.parametrize("slug", QUICK_GAMES)
def test_a_game_planted_without_a_fault_is_killed_by_nothing(slug: str) -> None:
    game = games()[slug]
    with plant_fault(Fault("none", replace), game) as same:
        assert same is not game
        checks = {check for checks in KILLERS.values() for check in checks} - {processes_agree}
        assert [check.__name__ for check in checks if failure(check, same)] == []
    assert games()[slug] is game


@pytest.mark.parametrize("slug", QUICK_GAMES)
def test_rules_that_lose_count_are_refused_in_words_and_reported(slug: str) -> None:
    game, honest = games()[slug], replay_file(play_match(games()[slug], seed="count"))

    def endless(true: AnyGame) -> AnyGame:
        return replace(true, decide=lambda *asked: true.decide(*asked) * (MAX_FACTS_PER_EVENT + 1))

    with plant_fault(Fault("endless", endless), game) as faulty:
        with pytest.raises(MatchRefused, match=r"the most\. Nothing has happened") as told:
            step(sit_down(faulty), Fast("count"))
        report = verify(honest)
    assert told.value.code == "too_many_facts"
    assert not report.ok
    assert f"{MAX_FACTS_PER_EVENT} is the most" in report.as_text()


def test_every_fault_has_a_killer() -> None:
    assert {fault.name for fault in FAULTS} == KILLERS.keys()
    assert len(FAULTS) == 12
