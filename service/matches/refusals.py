"""The stable codes of refused commands, used by the API and the metrics."""

from domain.kernel.refusals import Refused
from service.event_store.errors import CommandReused
from service.matches.errors import NotArbiter, NotSeated, NotYourTurn, StalePly

RefusedCommand = Refused | NotYourTurn | NotSeated | NotArbiter | StalePly | CommandReused
"""Errors with which `MatchCommandHandler.submit` refuses a command."""


def refusal_code(error: RefusedCommand) -> str:
    """Return the code of a refusal."""
    match error:
        case Refused():
            return error.code
        case NotYourTurn():
            return error.refusal.code
        case NotSeated():
            return "not_your_seat"
        case NotArbiter():
            return "not_arbiter"
        case StalePly():
            return "stale_ply"
        case CommandReused():
            return "idempotency_key_reused"
