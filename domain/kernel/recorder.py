"""Records the facts of a decision and folds each of them once."""

from collections.abc import Callable
from typing import Generic, TypeVar

from domain.kernel.chance import Chance

StateT = TypeVar("StateT")
FactT = TypeVar("FactT")


class Decision(list[FactT], Generic[StateT, FactT]):
    """The facts of one decision, and the `state` they fold to.

    It is a list, so it compares and encodes like the plain list of facts that rules may return instead.
    """

    __slots__ = ("_folded", "state")

    def __init__(self, facts: list[FactT], state: StateT) -> None:
        super().__init__(facts)
        self.state = state
        self._folded = facts

    @property
    def is_unchanged(self) -> bool:
        """Return whether the list still holds the facts that were folded. If not, `state` is out of date."""
        return self == self._folded


class FactRecorder(Generic[StateT, FactT]):
    """Collects the facts of a move and folds each one when it is emitted, so `state` is always current."""

    __slots__ = ("_evolve", "_facts", "chance", "state")

    def __init__(self, state: StateT, evolve: Callable[[StateT, FactT], StateT], chance: Chance) -> None:
        self.state = state
        self.chance = chance
        self._evolve = evolve
        self._facts: list[FactT] = []

    def emit(self, *facts: FactT) -> None:
        """Add facts and fold them."""
        for fact in facts:
            self._facts.append(fact)
            self.state = self._evolve(self.state, fact)

    def decision(self) -> Decision[StateT, FactT]:
        """Return the facts emitted so far with the state they fold to."""
        return Decision(self._facts, self.state)
