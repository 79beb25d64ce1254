"""Baking (rules, 4.5): the Pie, staleness of other Pies, when-Baked effects, and the end of the contest."""

from domain.games.pie_contest.rules.components import INGREDIENTS, NAMES
from domain.games.pie_contest.rules.facts import BakeFailed, Fact, PieBaked, PiesChanged, PiesStaled
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.parts import MIN_TO_BAKE, STALE_LOSS, PieChange, Step
from domain.games.pie_contest.rules.pie_values import can_bake, count_salts, freshness, ingredient_worths
from domain.games.pie_contest.rules.reducer import Recorder
from domain.games.pie_contest.rules.scoring import end_reason, make_game_ended
from domain.games.pie_contest.rules.step_queue import queue_steps
from domain.kernel.game import Seat


def bake(recorder: Recorder, step: Step) -> None:
    """Bake a seat's Kitchen, if possible (B1 to B6)."""
    seat, kitchen = step.seat, recorder.state.seats[step.seat].kitchen
    if not can_bake(kitchen):
        recorder.emit(bake_failure(seat, kitchen))
        return
    found = ingredient_worths(kitchen, baked=True)
    number = len(recorder.state.seats[seat].pies) + 1
    recorder.emit(PieBaked(seat, number, kitchen, found, sum(found)))
    make_stale(recorder, seat)
    effects = tuple(sorted(card for card in kitchen if INGREDIENTS[card].on_bake))
    steps = [Step(seat, "baked_effects", effects, step.src)] if effects else []
    queue_steps(recorder, [*steps, Step(seat, "end_check", (), step.src)])


def bake_failure(seat: Seat, kitchen: tuple[int, ...]) -> BakeFailed:
    """Return the first reason why a Kitchen can't be Baked (B1)."""
    if len(kitchen) < MIN_TO_BAKE:
        return BakeFailed(seat, "too_few")
    return BakeFailed(seat, "too_much_salt" if count_salts(kitchen) else "no_salt")


def make_stale(recorder: Recorder, baker: Seat) -> None:
    """Reduce every Pie of every other live seat by 4, less its freshness (B4)."""
    state = recorder.state
    losses = {seat: max(0, STALE_LOSS - freshness(state.seats[seat].kitchen)) for seat in state.other_live_seats(baker)}
    changes = tuple(change for seat, loss in losses.items() for change in pie_changes(state, seat, -loss))
    if changes:
        recorder.emit(PiesStaled(baker, changes))


def pie_changes(state: State, seat: Seat, k: int, only: int | None = None) -> list[PieChange]:
    """Return the changes from adding k to all Pies of a seat, or to one. Unchanged Pies are left out."""
    found = []
    for number, pie in enumerate(state.seats[seat].pies, 1):
        value = changed_value(state, pie.value, k)
        if value != pie.value and only in (None, number):
            found.append(PieChange(seat, number, pie.value, value))
    return found


def changed_value(state: State, value: int, k: int) -> int:
    """Return a value with k added. With `pie_floor` zero, a loss stops at 0 and never raises a value (R29)."""
    if k >= 0 or state.options.pie_floor == "none":
        return value + k
    return min(value, max(0, value + k))


def change_pies(recorder: Recorder, seat: Seat, src: int, changes: list[PieChange]) -> None:
    """Record changes of Pies by an effect. Emits no fact if there are none."""
    if changes:
        recorder.emit(PiesChanged(seat, src, tuple(changes)))


def effects_to_order(step: Step) -> tuple[int, ...]:
    """Return the cards whose effects the baker must order (B5, R3). Empty if all have the same name."""
    cards = tuple(int(card) for card in step.args)
    return cards if len({NAMES[card] for card in cards}) > 1 else ()


def baked_effects(recorder: Recorder, step: Step, first: int) -> None:
    """Queue one card's when-Baked effects, then those of the others (B5)."""
    rest = tuple(card for card in step.args if card != first)
    steps = [Step(step.seat, call.name, call.args, first) for call in INGREDIENTS[first].on_bake]
    queue_steps(recorder, [*steps, Step(step.seat, step.op, rest, step.src)] if rest else steps)


def end_if_over(recorder: Recorder) -> bool:
    """End the contest if its end condition is met (V1, V2). Return whether it ended."""
    why = end_reason(recorder.state)
    if why:
        fact: Fact = make_game_ended(recorder.state, why)
        recorder.emit(fact)
    return why is not None
