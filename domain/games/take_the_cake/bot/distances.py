"""Exact distances: the number of commands that a baker still needs from any tile and facing."""

from functools import lru_cache
from typing import NamedTuple

from domain.games.take_the_cake.rules.board import CLOCKWISE, OVEN, board_of, facing_after, find_entry
from domain.games.take_the_cake.rules.components import RECIPES
from domain.games.take_the_cake.rules.parts import (
    BOARD_SIZE,
    Command,
    Facing,
    Laid,
    Square,
    Tokens,
)
from domain.games.take_the_cake.rules.programs import (
    touched,
)

COMMANDS: tuple[Command, ...] = ("forward", "backward", "left", "right", "around", "jump")
UNREACHABLE = 1_000_000
"""A distance longer than any path."""
TABLE_CACHE_SIZE = 64
"""Number of tables kept in the cache. A match needs one, and another when bakers block a lane."""
Pose = tuple[Square, Facing]
TouchedMarks = tuple[tuple[int, bool], ...]
"""For each touched tile, the bit of its ingredient (0 if none) and whether it is an Oven square."""


class Task(NamedTuple):
    """Everything that determines the distances in a match."""

    layout: tuple[Laid, ...]
    recipe: str
    tokens: Tokens
    jump_touches: bool
    barred: frozenset[Square] = frozenset()
    """Tiles to treat as walls in addition to the real ones."""


class BakerProgress(NamedTuple):
    """A baker's progress: its ingredients as bits, its tile and facing, and whether it has baked."""

    ticked: int
    at: Square
    facing: Facing
    baked: bool = False


class DistanceTable:
    """Minimum number of single commands to bake from every state, ignoring hands and other bakers (14.1)."""

    def __init__(self, task: Task) -> None:
        self.task = task
        ingredients = RECIPES[task.recipe].ingredients
        self.bit = {name: 1 << n for n, name in enumerate(ingredients)}
        self.full = (1 << len(ingredients)) - 1
        self.walls = board_of(task.layout).walls | task.barred
        self.bits = {at: self.bit[name] for name, at in task.tokens.items()}
        tiles = [(r, c) for r in range(BOARD_SIZE) for c in range(BOARD_SIZE) if (r, c) not in self.walls]
        self.poses: list[Pose] = [(tile, facing) for tile in tiles for facing in CLOCKWISE]
        self.left: list[dict[Pose, int]] = [{} for _ in range(self.full + 1)]
        self._compute()

    def distance_from(self, place: BakerProgress) -> int:
        """Return the number of commands left, or UNREACHABLE."""
        if place.baked:
            return 0
        return self.left[place.ticked].get((place.at, place.facing), UNREACHABLE)

    def touched_marks(self, to: Square, over: Square | None) -> TouchedMarks:
        """Return the marks of the touched tiles that hold a token or the Oven."""
        tiles = touched(to, over, self.task.jump_touches)
        return tuple((self.bits.get(tile, 0), tile in OVEN) for tile in tiles if tile in self.bits or tile in OVEN)

    def ticked_after(self, ticked: int, marks: TouchedMarks) -> tuple[int, bool]:
        """Return the ingredients after touching these tiles, and whether the pastry is baked (K1)."""
        for bit, oven in marks:
            ticked |= bit
            if oven and ticked == self.full:
                return ticked, True
        return ticked, False

    def step(self, pose: Pose, command: Command, others: frozenset[Square]) -> tuple[Pose, TouchedMarks]:
        """Return the pose after a command and the marks touched. A blocked command changes and touches nothing."""
        at, facing = pose
        match command:
            case "left" | "right" | "around":
                return (at, facing_after(facing, command)), ()
            case _:
                to, over, barred = find_entry(self.walls, others, at, facing, command)
                return (pose, ()) if barred else ((to, facing), self.touched_marks(to, over))

    def _compute(self) -> None:
        """Fill `left` from the layer with all ingredients down, with a backward search by distance in each layer."""
        behind: dict[Pose, list[tuple[Pose, TouchedMarks]]] = {pose: [] for pose in self.poses}
        marked: list[tuple[Pose, Pose, TouchedMarks]] = []
        for pose in self.poses:
            for command in COMMANDS:
                to, marks = self.step(pose, command, frozenset())
                if to != pose:
                    behind[to].append((pose, marks))
                if marks:
                    marked.append((pose, to, marks))
        for ticked in range(self.full, -1, -1):
            self._fill_layer(ticked, behind, marked)

    def _fill_layer(
        self,
        ticked: int,
        behind: dict[Pose, list[tuple[Pose, TouchedMarks]]],
        marked: list[tuple[Pose, Pose, TouchedMarks]],
    ) -> None:
        """Fill one layer: every pose with these ingredients."""
        left = self.left[ticked]
        rings: dict[int, list[Pose]] = {}
        for pose, to, marks in marked:
            then, baked = self.ticked_after(ticked, marks)
            if baked:
                rings.setdefault(1, []).append(pose)
            elif then != ticked and to in self.left[then]:
                rings.setdefault(1 + self.left[then][to], []).append(pose)
        while rings:
            distance = min(rings)
            for pose in rings.pop(distance):
                if pose in left:
                    continue
                left[pose] = distance
                near = rings.setdefault(distance + 1, [])
                near += [
                    one
                    for one, marks in behind[pose]
                    if one not in left and (not marks or self.ticked_after(ticked, marks) == (ticked, False))
                ]


@lru_cache(TABLE_CACHE_SIZE)
def distance_table(task: Task) -> DistanceTable:
    """Return the distance table of a task, computed once."""
    return DistanceTable(task)
