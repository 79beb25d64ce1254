"""Errors for commands that their author may not give, or not at this time."""

from domain.kernel.refusals import Refused


class PositionLost(Exception):
    """The component data of the game has changed so much that the match's position can't be computed any more."""

    def __init__(self, match: str) -> None:
        super().__init__(f"the position of match {match} needs the component data that it began with")
        self.match = match


class NotArbiter(Exception):
    """Only an arbiter may do this."""


class NotSeated(Exception):
    """The player does not hold the seat that the command needs."""


class StalePly(Exception):
    """The match is no longer at the ply that the client expected, but at `actual`."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"the match is at ply {actual}")
        self.actual = actual


class NotYourTurn(Exception):
    """The move is refused because it is not this seat's turn. `refusal` is the error raised by the rules."""

    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


STALE_HEAD_REFUSALS = (Refused, NotYourTurn, NotSeated, NotArbiter, StalePly)
"""Refusals that may not apply at a newer head."""
