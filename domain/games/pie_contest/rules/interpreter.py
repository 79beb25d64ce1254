"""The interpreter of effects (rules, 4.6).

`OPS` defines each kind of step: its decision and its effect. `advance` carries out the first queued step. If that
needs a decision, it asks the seat and stops; `answer` then continues with the picked options.
"""

from collections.abc import Callable
from dataclasses import dataclass

from domain.games.pie_contest.rules.effects import (
    ask_bake,
    ask_baked_effects,
    ask_give_ing,
    ask_pie,
    ask_salvage,
    ask_search_keep,
    ask_steal_card,
    ask_steal_ing,
    ask_stock,
    ask_swap,
    ask_take_back,
    ask_to_pass,
    ask_trash_hand,
    ask_trash_ing,
    blocked_by_full_kitchen,
    blocked_extra_play,
    blocked_pass_hand,
    blocked_pie,
    collect_commits,
    do_bake,
    do_baked_effects,
    do_become,
    do_draw,
    do_end_check,
    do_extra_play,
    do_forage,
    do_give_ing,
    do_new_row,
    do_pass_hand,
    do_pie,
    do_salvage,
    do_search,
    do_search_keep,
    do_steal_card,
    do_steal_ing,
    do_stock,
    do_swap,
    do_take_back,
    do_trash_hand,
    do_trash_ing,
)
from domain.games.pie_contest.rules.facts import (
    BakeDeclined,
    ChoiceAsked,
    ChoiceMade,
    StepStarted,
)
from domain.games.pie_contest.rules.model import Question, State
from domain.games.pie_contest.rules.option_keys import Decision, Numbers, key_numbers
from domain.games.pie_contest.rules.parts import Step, Why
from domain.games.pie_contest.rules.reducer import Recorder
from domain.games.pie_contest.rules.targets import fizzle
from domain.kernel.game import Seat


@dataclass(frozen=True)
class Op:
    """An op: its effect, the decision it needs first, and the reason it can't take effect, if any."""

    do: Callable[[Recorder, Step, list[Numbers]], None]
    ask: Callable[[State, Step], Decision | None] = lambda state, step: None
    blocked: Callable[[State, Step], Why | None] = lambda state, step: None


OPS: dict[str, Op] = {
    "draw": Op(do_draw),
    "bake": Op(do_bake, ask_bake),
    "extra_play": Op(do_extra_play, blocked=blocked_extra_play),
    "swap": Op(do_swap, ask_swap),
    "steal_ing": Op(do_steal_ing, ask_steal_ing, blocked_by_full_kitchen),
    "trash_ing": Op(do_trash_ing, ask_trash_ing),
    "give_ing": Op(do_give_ing, ask_give_ing),
    "take_back": Op(do_take_back, ask_take_back),
    "salvage": Op(do_salvage, ask_salvage),
    "stock": Op(do_stock, ask_stock, blocked_by_full_kitchen),
    "forage": Op(do_forage),
    "search": Op(do_search),
    "steal_card": Op(do_steal_card, ask_steal_card),
    "trash_hand": Op(do_trash_hand, ask_trash_hand),
    "pass_hand": Op(do_pass_hand, blocked=blocked_pass_hand),
    "pie": Op(do_pie, ask_pie, blocked_pie),
    "new_row": Op(do_new_row),
    "baked_effects": Op(do_baked_effects, ask_baked_effects),
    "end_check": Op(do_end_check),
    "search_keep": Op(do_search_keep, ask_search_keep),
    "become": Op(do_become),
}


def advance(recorder: Recorder) -> None:
    """Carry out the step at the head of the agenda, or ask for the decision it needs (Q1 to Q3)."""
    step = recorder.state.agenda[0]
    op = OPS[step.op]
    if why := op.blocked(recorder.state, step):
        start_step(recorder, step)
        fizzle(recorder, step, why)
        return
    if step.op == "pass_hand" and not collect_commits(recorder):
        return
    decision = op.ask(recorder.state, step)
    if decision is None:
        start_step(recorder, step)
        op.do(recorder, step, [])
    elif not decision.options:
        start_step(recorder, step)
        fizzle(recorder, step, "no_target")
    elif len(decision.options) <= decision.picks:
        carry_out(recorder, step, decision.options)
    else:
        kind, options, picks = decision
        recorder.emit(ChoiceAsked(seat=step.seat, kind=kind, options=options, count=picks))


def answer(recorder: Recorder, question: Question, picks: tuple[str, ...]) -> None:
    """Record what a seat picked, and carry out the step that asked for it (Q1, Q2)."""
    recorder.emit(ChoiceMade(seat=question.seat, picks=picks, commit=question.kind == "pass_hand"))
    if question.kind != "pass_hand":
        carry_out(recorder, recorder.state.agenda[0], picks)


def carry_out(recorder: Recorder, step: Step, picks: tuple[str, ...]) -> None:
    """Carry out a step with its decision made (Q2)."""
    start_step(recorder, step)
    if picks == ("no",):
        recorder.emit(BakeDeclined(step.seat))
        return
    OPS[step.op].do(recorder, step, [key_numbers(pick) for pick in picks])


def start_step(recorder: Recorder, step: Step) -> None:
    """Take the step off the agenda (Q2)."""
    recorder.emit(StepStarted(step.seat, step.op, step.args, step.src))


def decision_of(state: State, seat: Seat) -> Decision | None:
    """Return the decision that the step at the head of the agenda needs from this seat, or None."""
    if not state.agenda:
        return None
    step = state.agenda[0]
    return ask_to_pass(state, seat) if step.op == "pass_hand" else OPS[step.op].ask(state, step)
