"""Exact distances: how many commands a baker still needs from any tile and direction."""

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
"""More commands than any way has."""
TABLE_CACHE_SIZE = 64
"""Ways to the Oven that are remembered; a match needs one, and another when bakers bar a lane."""
Pose = tuple[Square, Facing]
TouchedMarks = tuple[tuple[int, bool], ...]
"""What a command touches, tile by tile: the bit of the ingredient there (0 if none), and whether it is the Oven."""


class Task(NamedTuple):
    """What has to be done in a match: enough to compute how far every pose is from baking."""

    layout: tuple[Laid, ...]
    recipe: str
    tokens: Tokens
    jump_touches: bool
    barred: frozenset[Square] = frozenset()
    """Tiles to be treated as walls, beside the walls."""


class BakerProgress(NamedTuple):
    """Where a baker is in its task: the ingredients it has as bits, tile, facing; and whether it has baked."""

    ticked: int
    at: Square
    facing: Facing
    baked: bool = False


class DistanceTable:
    """How many single commands every place is from baking, ignoring hands and moving bakers (14.1)."""

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
        """Commands left from a place; more than any way is long where there is none."""
        if place.baked:
            return 0
        return self.left[place.ticked].get((place.at, place.facing), UNREACHABLE)

    def touched_marks(self, to: Square, over: Square | None) -> TouchedMarks:
        """What matters of the tiles that are touched."""
        tiles = touched(to, over, self.task.jump_touches)
        return tuple((self.bits.get(tile, 0), tile in OVEN) for tile in tiles if tile in self.bits or tile in OVEN)

    def ticked_after(self, ticked: int, marks: TouchedMarks) -> tuple[int, bool]:
        """K1 The ingredients after touching these tiles, and whether the pastry is baked."""
        for bit, oven in marks:
            ticked |= bit
            if oven and ticked == self.full:
                return ticked, True
        return ticked, False

    def step(self, pose: Pose, command: Command, others: frozenset[Square]) -> tuple[Pose, TouchedMarks]:
        """Where a command leads from a pose, and what it touches; nowhere and nothing if it is blocked."""
        at, facing = pose
        match command:
            case "left" | "right" | "around":
                return (at, facing_after(facing, command)), ()
            case _:
                to, over, barred = find_entry(self.walls, others, at, facing, command)
                return (pose, ()) if barred else ((to, facing), self.touched_marks(to, over))

    def _compute(self) -> None:
        """Fill `left`, the layers with more ingredients first; in each layer a search backwards by distance."""
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
        """One layer: every pose with these ingredients."""
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
    """The ways of a task, computed once."""
    return DistanceTable(task)
