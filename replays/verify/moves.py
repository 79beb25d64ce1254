"""The layers `draws` and `moves`: re-executed from the seed, the set-up and every move have the same facts."""

from typing import Any

from msgspec import UNSET

from domain.kernel.events import AnyEvent, Moved, Started
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import Refused
from domain.match.evolve import evolve, from_created
from domain.match.state import AnyMatch
from replays.difference import Difference, first_difference
from replays.re_execution import TracedLuck, depends_on_chance, find_changed_draw, re_execute
from replays.report import DivergenceError, Layer
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case, number

SEED_FAILED = "The layer `seed` failed."


def check_moves(case: Case) -> list[Layer]:
    """Re-execute the set-up and every move with the draws of the seed, and compare the facts."""
    if reason := why_not_checked(case):
        return [Layer(name, "not_checked", reason) for name in ("draws", "moves")]
    assert case.secrets is not None, "why_not_checked ensures it"
    match, draws, decided = from_created(case.created), 0, 0
    for event in case.each_event():
        if event.draw is not None:
            luck = TracedLuck(case.secrets)
            assert isinstance(event, Started | Moved), "the layer `lifecycle` ensures it"
            try:
                again = re_execute(match, event, luck)
            except Refused as refused:
                return illegal_move(case, event, refused)
            if canonical_json(again.facts) != canonical_json(event.facts):
                return different_facts(case, match, event, again, luck)
            if again.draws != event.draws:
                return different_uses(case, event, again.draws)
            draws, decided = draws + len(luck.traced), decided + 1
        elif isinstance(event, Started) and event.draws:
            return different_uses(case, event, {})  # a fork starts without drawing anything
        if event is not case.created:
            match = evolve(match, event, case.match_after)
    if not decided and case.created.fork is UNSET:
        never = "The match was cancelled before any draw or move."
        return [Layer(name, "ok", never) for name in ("draws", "moves")]
    return [
        Layer("draws", "ok", f"{number(draws, 'draw')} reproduced from the seed."),
        Layer("moves", "ok", f"{decided_text(case, decided)} replayed: the facts are identical, byte for byte."),
    ]


def decided_text(case: Case, decided: int) -> str:
    """Return what was re-executed, for the report. The first facts of a fork are proved by its parent's file."""
    fork = case.created.fork
    if fork is UNSET:
        return f"Set-up and {number(decided - 1, 'move')}"
    parent = f"Forked from ply {fork.ply} of match {fork.match}, whose own file proves the earlier part"
    return f"{parent}; {number(decided, 'move')}"


def why_not_checked(case: Case) -> str | None:
    """Return why draws and moves cannot be checked, or None if they can."""
    if "lifecycle" in case.failed:
        return LIFECYCLE_FAILED
    if case.created.luck is not UNSET and "seed" in case.failed:
        return SEED_FAILED
    if not case.complete:
        return f"The file shows what a spectator may see; {SEALED}."
    return "The seed that was committed to is not known." if case.secrets is None else None


def illegal_move(case: Case, event: AnyEvent, refused: Refused) -> list[Layer]:
    """Return the layers for a move that the rules do not allow."""
    found = canonical_json(event.move).decode()
    error = case.diverged(event, refused.rule, "a move that the rules allow", found, refused.message)
    return [draws_before(error), Layer("moves", "failed", refused.message, error.divergence)]


def different_facts(case: Case, match: AnyMatch, event: AnyEvent, again: AnyEvent, luck: TracedLuck) -> list[Layer]:
    """Return the layers for wrong facts: either a draw was changed, or something else in the facts."""
    assert case.secrets is not None, "why_not_checked ensures it"
    difference = first_difference(again.facts, event.facts, "facts")
    assert difference is not None, "the facts differ in their bytes"
    path, expected, found = difference
    other = find_changed_draw(match, event, case.secrets, luck.traced, difference)
    if other is not None:
        nth, draw, shown = other
        by_seed = (
            f"Draw {nth} of game event {event.draw} is {draw.value} (range 0 to {draw.below - 1}) according to the seed"
        )
        return different_draw(case, event, difference, f"{by_seed}, but `{path}` shows it as {shown}.")
    if depends_on_chance(match, event, case.secrets, difference):
        sentence = f"`{path}` depends on chance, and it is not what the seed gives."
        return different_draw(case, event, difference, sentence)
    sentence = f"The move does not have this effect: `{path}` differs, and no draw explains it."
    error = case.diverged(event, "facts", expected, found, sentence)
    return [draws_before(error), Layer("moves", "failed", sentence, error.divergence)]


def different_draw(case: Case, event: AnyEvent, difference: Difference, sentence: str) -> list[Layer]:
    """Return the layers for a random outcome that the seed does not give."""
    rule = "draw" if case.created.luck is UNSET else "luck.draws"
    error = case.diverged(event, rule, difference.expected, difference.found, sentence)
    reason = f"A draw on line {error.divergence.line} does not come from the seed. The moves before it are correct."
    return [Layer("draws", "failed", sentence, error.divergence), Layer("moves", "not_checked", reason)]


def different_uses(case: Case, event: Started[Any, Any] | Moved[Any, Any], uses: object) -> list[Layer]:
    """Return the layers for an event whose `draws` differ from the uses that its facts show (luck protocol 2)."""
    sentence = "The event's `draws` are not the uses that its facts show."
    error = case.diverged(event, "luck.draws", uses, event.draws, sentence)
    reason = f"The uses on line {error.divergence.line} are wrong. The moves before it are correct."
    return [Layer("draws", "failed", sentence, error.divergence), Layer("moves", "not_checked", reason)]


def draws_before(error: DivergenceError) -> Layer:
    """Return the layer `draws` when a move failed: only the draws before it were checked."""
    return Layer("draws", "not_checked", f"The draws before line {error.divergence.line} are correct.")
