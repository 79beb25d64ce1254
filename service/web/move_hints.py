"""A hint: what a greedy player would do now, in words. Only where nobody else is at the table but bots."""

from collections.abc import Sequence

import msgspec

from domain.kernel.chance import Fast
from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from service.matches.command_handler import MatchCommandHandler


def may_ask_hint(head: AnyMatch, seat: Seat | None, own: Sequence[Seat]) -> bool:
    """Whether this seat owes a move in a match of one person against bots."""
    alone = all(taken.kind == "bot" or number in own for number, taken in enumerate(head.seats))
    return seat is not None and seat in head.to_move and seat in own and alone


def greedy_hint(matches: MatchCommandHandler, head: AnyMatch, seat: Seat) -> list[str]:
    """The greedy move of a seat from what it sees: what it would surely do, in words, or the move itself.

    The same for the same ply, and no draw of the match is looked at.
    """
    game = head.rules
    legal = game.legal_moves(head.state, seat)
    move = game.greedy(game.view(head.state, seat), seat, legal, Fast(f"hint {head.id} {head.ply} {seat}"))
    document = msgspec.to_builtins(move)
    told = game.tell(matches.dry_run(head, seat, document).facts)
    return told or [str(document["type"]).replace("_", " ").capitalize() + "."]
