"""Follows a game's draw table through the facts of a game, and records every draw that the table makes."""

from collections.abc import Callable
from typing import Any

from replays.standalone_verify import DrawInterpreter, fill_in
from tests.contract.rules_play import Draw, PlayedGame, RecordedChance, chance_of
from tools.draw_tables import plain


class TableReader(DrawInterpreter):
    """The independent interpreter, with the draws of a match that has the same seed or a different one.

    Under protocol 1, all draws of an event are recorded as one use without a purpose.
    """

    def __init__(self, played: PlayedGame, seed: str | int) -> None:
        super().__init__(plain(played.game), {"options": played.options, "seats": [None] * played.seats})
        self.events: list[list[Draw]] = []
        self.dice_of_seats: list[tuple[str, Any]] = []
        uses: dict[str, int] = {}
        for number, event in enumerate(played.events):
            chance = RecordedChance(chance_of(played.game, played.seats, seed, number, uses), uses)
            self.run_event(number, event.facts, source_of(chance, played.game.luck_protocol))
            self.events.append(chance.draws)
            uses = dict(chance.uses)

    def run_steps(self, steps: Any, fact: Any) -> None:
        """Take steps for a fact, and record whose dice are rolled."""
        if self.table.get("protocol") == 2:
            self.dice_of_seats += [(fill_in(step[1], fact), fact.get("seat")) for step in steps if step[0] == "dice"]
        super().run_steps(steps, fact)


def source_of(chance: RecordedChance, protocol: int) -> Callable[..., Any]:
    """Return the draws as the interpreter takes them: `below`, or a function from a purpose to its `below`."""
    if protocol == 1:
        return chance.use("").below
    return lambda purpose: chance.use(purpose).below
