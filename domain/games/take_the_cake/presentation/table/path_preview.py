"""The path of a program, drawn over the board: steps, jumps, bumps and the end."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from domain.games.take_the_cake.presentation.board import middle_of
from domain.games.take_the_cake.presentation.layout import CELL
from domain.games.take_the_cake.presentation.pictures import PAINT, circle, line, path, robot
from domain.games.take_the_cake.rules.board import STEP_AHEAD, facing_after
from domain.games.take_the_cake.rules.facts import (
    BakerBlocked,
    BakerMoved,
    BakerTurned,
    IngredientCollected,
    PastryBaked,
)
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.parts import COLOURS, Facing, Square
from domain.kernel.game import Seat
from domain.kernel.svg import INK, ROUND, element, group, label

JUMP_ARC_HEIGHT = 34
"""Height of the arc of a jump."""


def draw_path(view: View, seat: Seat, facts: Sequence[Any]) -> str:
    """Return the path of this seat's baker through these facts. It is empty if the baker is off the board."""
    baker = view.bakers[seat]
    if baker.at is None or baker.facing is None:
        return ""
    moves = [fact for fact in facts if isinstance(fact, BakerMoved)]
    at, facing = (moves[-1].to if moves else baker.at), last_facing(baker.facing, facts)
    edge = PAINT[COLOURS[seat]][2]
    end = group(*middle_of(at), robot(COLOURS[seat], facing), opacity=0.6, class_="end")
    return element(
        "g",
        element("g", draw_trail(moves, "#ffffff", 11), opacity=0.8),
        draw_trail(moves, edge, 5),
        *(draw_ring(fact.at) for fact in facts if isinstance(fact, IngredientCollected | PastryBaked)),
        end if (at, facing) != (baker.at, baker.facing) else "",
        *draw_bumps(baker.facing, facts),
        *draw_tick_numbers(moves),
        class_="ghost",
        pointer_events="none",
    )


def last_facing(facing: Facing, facts: Iterable[Any]) -> Facing:
    """Return the baker's facing after these facts."""
    for fact in facts:
        if isinstance(fact, BakerTurned):
            facing = facing_after(facing, fact.command)
    return facing


def draw_trail(moves: Iterable[BakerMoved], stroke: str, width: int) -> str:
    """Return the path as one line, with arcs for jumps."""
    parts = []
    for moved in moves:
        (x, y), (to_x, to_y) = middle_of(moved.from_), middle_of(moved.to)
        lift_x, lift_y = (JUMP_ARC_HEIGHT, 0) if x == to_x else (0, -JUMP_ARC_HEIGHT)
        arc = f"Q{(x + to_x) / 2 + lift_x:g} {(y + to_y) / 2 + lift_y:g} {to_x:g} {to_y:g}"
        parts.append(f"M{x:g} {y:g}" + (f"L{to_x:g} {to_y:g}" if moved.over is None else arc))
    return line("".join(parts), stroke, width) if parts else ""


def draw_ring(square: Square) -> str:
    """Return a ring around a collected ingredient or the Oven."""
    return circle(*middle_of(square), CELL / 2 - 5, "none", stroke="#9d2235", stroke_width=5, stroke_dasharray="9 5")


def draw_bumps(facing: Facing, facts: Iterable[Any]) -> Iterator[str]:
    """Yield a star for each obstacle that the baker bumps into."""
    for fact in facts:
        if isinstance(fact, BakerTurned):
            facing = facing_after(facing, fact.command)
        elif isinstance(fact, BakerBlocked):
            dy, dx = STEP_AHEAD[facing]
            reach = (-0.46 if fact.command == "backward" else 0.46) * CELL
            x, y = middle_of(fact.at)
            yield group(x + dx * reach, y + dy * reach, draw_star(), class_="bump")


def draw_star() -> str:
    """Return a star."""
    rays = "M0 -12l3 8l9 -3l-6 7l6 8l-9 -2l-3 7l-3 -7l-9 2l6 -8l-6 -7l9 3z"
    return path(rays, "#f5c93f", stroke=INK, stroke_width=1.6, **ROUND)


def draw_tick_numbers(moves: Sequence[BakerMoved]) -> Iterator[str]:
    """Yield labels with the ticks at which each tile is entered."""
    entered = sorted((moved.to, moved.tick) for moved in moves)
    for square, visits in groupby(entered, key=lambda visit: visit[0]):
        ticks = sorted({tick for _, tick in visits})
        words = ",".join(map(str, ticks[:2])) + ("+" if len(ticks) > 2 else "")
        x, y = middle_of(square)
        width = 13 + 9 * len(words)
        yield group(
            x + CELL / 2 - width / 2 - 3,
            y - CELL / 2 + 13,
            element("rect", x=-width / 2, y=-11, width=width, height=22, rx=11, fill="#ffffff", stroke=INK),
            label(0, 6, words, 17, text_anchor="middle", font_weight=700, fill=INK),
        )
