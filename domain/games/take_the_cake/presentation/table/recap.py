"""The last turns step by step, to read and to play back on the board."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from domain.games.take_the_cake.presentation.board import middle_of
from domain.games.take_the_cake.presentation.narration import describe_deeds, tell
from domain.games.take_the_cake.presentation.pictures import TURN
from domain.games.take_the_cake.rules.board import CLOCKWISE, QUARTER_TURNS, facing_after
from domain.games.take_the_cake.rules.components import CARDS
from domain.games.take_the_cake.rules.facts import (
    BakerBlocked,
    BakerMoved,
    BakerTurned,
    Fact,
    IfChecked,
    IngredientCollected,
    PastryBaked,
    ProgramLaid,
)
from domain.games.take_the_cake.rules.moves import Step
from domain.games.take_the_cake.rules.parts import COLOURS, Facing, Square
from domain.kernel.events import Moved
from domain.kernel.game import Seat
from domain.kernel.table import TableContext


class Frame(msgspec.Struct, frozen=True):
    """One effect of a program: the index of its card, its tick, and the baker's position after it.

    `x` and `y` are in SVG units and `turned` in degrees. They are empty if unchanged or unknown.
    """

    step: int
    tick: int
    kind: str
    words: str
    x: str
    y: str
    turned: str


class TurnRecap(msgspec.Struct, frozen=True):
    """A seat's turn: its program, the frames of the playback and the narration."""

    ply: int
    seat: Seat
    colour: str
    steps: tuple[Step, ...]
    names: tuple[str, ...]
    frames: tuple[Frame, ...]
    start: Frame | None
    lines: tuple[str, ...]


def build_recap(context: TableContext) -> list[TurnRecap]:
    """Return the last turns, as many as there are seats, oldest first."""
    moved = context.moves
    return [make_turn(event) for event in moved[-len(context.match.seats) :]]


def make_turn(event: Moved[Any, Any]) -> TurnRecap:
    """Return one turn."""
    laid = next((fact for fact in event.facts if isinstance(fact, ProgramLaid)), None)
    seat = event.seat
    steps = laid.steps if laid else ()
    return TurnRecap(
        ply=event.ply,
        seat=seat,
        colour=COLOURS[seat],
        steps=steps,
        names=tuple(CARDS[step.card].name for step in steps),
        frames=tuple(make_frames(event.facts)) if laid else (),
        start=start_frame(event.facts) if laid else None,
        lines=tuple(tell(event.facts)),
    )


def start_frame(facts: Sequence[Fact]) -> Frame:
    """Return the baker's position before its program, as far as the facts show it."""
    first = next((fact for fact in facts if isinstance(fact, BakerMoved | BakerBlocked)), None)
    turned = next((fact for fact in facts if isinstance(fact, BakerTurned)), None)
    at = None if first is None else first.from_ if isinstance(first, BakerMoved) else first.at
    facing = None if turned is None else facing_before(turned)
    return make_frame(0, 0, "start", "", at, facing)


def facing_before(turned: BakerTurned) -> Facing:
    """Return the baker's facing before it turned."""
    return CLOCKWISE[(CLOCKWISE.index(turned.facing) - QUARTER_TURNS[turned.command]) % 4]


def make_frames(facts: Sequence[Fact]) -> Iterator[Frame]:
    """Yield a frame for each fact of the program."""
    step = tick = 0
    for fact in facts:
        match fact:
            case BakerMoved() | BakerBlocked() | BakerTurned() | IfChecked():
                step, tick = fact.step, fact.tick
            case IngredientCollected() | PastryBaked():
                pass
            case _:
                continue
        words = ", ".join(describe_deeds([fact]))
        match fact:
            case BakerMoved(command=command, to=to):
                yield make_frame(step, tick, command, words, to, None)
            case BakerTurned(command=command, facing=facing):
                assert facing == facing_after(facing_before(fact), command)
                yield make_frame(step, tick, "turn", words, None, facing)
            case BakerBlocked(at=at):
                yield make_frame(step, tick, "bump", words, at, None)
            case IfChecked(result=result):
                yield make_frame(step, tick, result, words, None, None)
            case IngredientCollected():
                yield make_frame(step, tick, "collect", words, None, None)
            case _:
                yield make_frame(step, tick, "bake", words, None, None)


def make_frame(step: int, tick: int, kind: str, words: str, at: Square | None, facing: Facing | None) -> Frame:
    """Return one frame."""
    x, y = middle_of(at) if at else ("", "")
    return Frame(step, tick, kind, words, str(x), str(y), "" if facing is None else str(TURN[facing]))
