"""Describes the effects of a program before it is run."""

import msgspec

from domain.games.take_the_cake.presentation.narration import DIRECTIONS, describe_deeds, describe_tile, merge_repeats
from domain.games.take_the_cake.presentation.table.path_preview import last_facing
from domain.games.take_the_cake.rules.facts import BakerMoved, PastryBaked, ProgramLaid
from domain.games.take_the_cake.rules.model import View
from domain.kernel.table import TableContext
from domain.kernel.text import capital


class TrialRun(msgspec.Struct, frozen=True):
    """A tried program: its effects, the baker's final position, and whether it bakes the pastry."""

    deeds: str
    end: str
    bakes: bool


def describe_trial(context: TableContext) -> TrialRun | None:
    """Return the effects of the tried program, or None if no program was tried."""
    if context.preview is None or context.seat is None:
        return None
    facts = context.preview.facts
    if not any(isinstance(fact, ProgramLaid) for fact in facts):
        return None
    view: View = context.view
    baker = view.bakers[context.seat]
    assert baker.at is not None
    assert baker.facing is not None
    moves = [fact for fact in facts if isinstance(fact, BakerMoved)]
    at, facing = (moves[-1].to if moves else baker.at), last_facing(baker.facing, facts)
    return TrialRun(
        deeds=capital(", ".join(merge_repeats(describe_deeds(facts))) or "nothing happens") + ".",
        end=f"Ends on {describe_tile(at)} facing {DIRECTIONS[facing]}.",
        bakes=any(isinstance(fact, PastryBaked) for fact in facts),
    )
