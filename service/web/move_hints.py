"""Hints: the move a greedy player would make now. Only for matches of one person against bots."""

from collections.abc import Sequence

import msgspec

from domain.kernel.chance import Fast
from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from service.matches.command_handler import MatchCommandHandler


def may_ask_hint(head: AnyMatch, seat: Seat | None, own: Sequence[Seat]) -> bool:
    """Return whether it is this seat's turn in a match of one person against bots."""
    alone = all(taken.kind == "bot" or number in own for number, taken in enumerate(head.seats))
    return seat is not None and seat in head.to_move and seat in own and alone


def greedy_hint(matches: MatchCommandHandler, head: AnyMatch, seat: Seat) -> list[str]:
    """Return the seat's greedy move in plain words, followed by its certain effects in the words of the history.

    Uses only what the seat can see and none of the match's draws. The hint is the same each time at the same ply.
    """
    game = head.rules
    legal = game.legal_moves(head.state, seat)
    view = game.view(head.state, seat)
    move = game.greedy(view, seat, legal, Fast(f"hint {head.id} {head.ply} {seat}"))
    effects = matches.dry_run(head, seat, msgspec.to_builtins(move)).facts
    return [f"{game.describe_move(view, seat, move)}.", *game.tell(effects)]
