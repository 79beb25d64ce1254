"""The layers `draws` and `moves`: the setup and every move, decided again from the seed, have the same facts."""

from msgspec import UNSET

from domain.kernel.events import AnyEvent
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import Refused
from domain.match.evolve import evolve, from_created
from domain.match.state import AnyMatch
from replays.difference import Difference, first_difference
from replays.re_execution import TracedLuck, depends_on_chance, find_changed_draw, re_execute
from replays.report import DivergenceError, Layer
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case, number


def check_moves(case: Case) -> list[Layer]:
    """Decides the setup and every move again with the draws of the seed, and compares the facts."""
    if reason := why_not_checked(case):
        return [Layer(name, "not_checked", reason) for name in ("draws", "moves")]
    assert case.seed is not None, "why_not_checked ensures it"
    match, draws, decided = from_created(case.created), 0, 0
    for event in case.each_event():
        if event.draw is not None:
            luck = TracedLuck(case.seed)
            try:
                again = re_execute(match, event, luck)
            except Refused as refused:
                return illegal_move(case, event, refused)
            if canonical_json(again.facts) != canonical_json(event.facts):
                return different_facts(case, match, event, again, luck)
            draws, decided = draws + len(luck.traced), decided + 1
        if event is not case.created:
            match = evolve(match, event, case.match_after)
    if not decided and case.created.fork is UNSET:
        never = "The match was cancelled before anything was drawn or moved."
        return [Layer(name, "ok", never) for name in ("draws", "moves")]
    return [
        Layer("draws", "ok", f"{number(draws, 'draw')} made again from the seed."),
        Layer("moves", "ok", f"{decided_text(case, decided)} decided again: the same facts, to the byte."),
    ]


def decided_text(case: Case, decided: int) -> str:
    """What was decided again, for the report. The first facts of a fork are proved by its parent's file."""
    fork = case.created.fork
    if fork is UNSET:
        return f"Set-up and {number(decided - 1, 'move')}"
    parent = f"Forked from ply {fork.ply} of match {fork.match}, whose own file proves what was before"
    return f"{parent}; {number(decided, 'move')}"


def why_not_checked(case: Case) -> str | None:
    """Why draws and moves cannot be checked; None if they can."""
    if "lifecycle" in case.failed:
        return LIFECYCLE_FAILED
    if not case.complete:
        return f"This is what a spectator may see; {SEALED}."
    return "The seed that was committed to is not known." if case.seed is None else None


def illegal_move(case: Case, event: AnyEvent, refused: Refused) -> list[Layer]:
    """The layers for a move that is against the rules."""
    found = canonical_json(event.move).decode()
    error = case.diverged(event, refused.rule, "a move that the rules allow", found, refused.message)
    return [draws_before(error), Layer("moves", "failed", refused.message, error.divergence)]


def different_facts(case: Case, match: AnyMatch, event: AnyEvent, again: AnyEvent, luck: TracedLuck) -> list[Layer]:
    """The layers for facts that the move does not have: either a draw was changed, or something else in the facts."""
    assert case.seed is not None, "why_not_checked ensures it"
    difference = first_difference(again.facts, event.facts, "facts")
    assert difference is not None, "the facts differ in their bytes"
    path, expected, found = difference
    other = find_changed_draw(match, event, case.seed, luck.traced, difference)
    if other is not None:
        nth, draw, shown = other
        by_seed = f"Draw {nth} of game event {event.draw} is {draw.value} (of 0 to {draw.below - 1}) by the seed"
        return different_draw(case, event, difference, f"{by_seed}; `{path}` shows it as {shown}.")
    if depends_on_chance(match, event, case.seed, difference):
        sentence = f"`{path}` is a matter of draws, and not what the seed gives."
        return different_draw(case, event, difference, sentence)
    sentence = f"The move does not do this: `{path}` differs, and no draw explains it."
    error = case.diverged(event, "facts", expected, found, sentence)
    return [draws_before(error), Layer("moves", "failed", sentence, error.divergence)]


def different_draw(case: Case, event: AnyEvent, difference: Difference, sentence: str) -> list[Layer]:
    """The layers for an outcome of chance that the seed does not give."""
    error = case.diverged(event, "draw", difference.expected, difference.found, sentence)
    reason = f"A draw on line {error.divergence.line} is not the seed's; up to there the moves have the same facts."
    return [Layer("draws", "failed", sentence, error.divergence), Layer("moves", "not_checked", reason)]


def draws_before(error: DivergenceError) -> Layer:
    """The layer `draws` when a move failed: only the draws before it were checked."""
    return Layer("draws", "not_checked", f"The draws before line {error.divergence.line} are right.")
