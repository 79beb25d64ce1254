"""Moves in plain words, for standing orders and hints."""

from domain.games.bakers_brawl.presentation.narration import ingredient_name, order_title
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.moves import (
    CompleteOrder,
    DeclineOrder,
    DrawSpecial,
    KeepSpecial,
    Move,
    Pass,
    PlayBasic,
    PlayBlind,
    PlaySpecial,
    Resign,
    TakeFromPantry,
)
from domain.kernel.game import Seat
from domain.kernel.text import join_and


def describe_move(view: View, seat: Seat, move: Move) -> str:
    """Return a move of this seat in plain words."""
    match move:
        case DrawSpecial():
            return "Draw two Specials"
        case KeepSpecial(kept, str(discarded)):
            return f"Keep {ingredient_name(kept)} and discard {ingredient_name(discarded)} to make room"
        case KeepSpecial(kept):
            return f"Keep {ingredient_name(kept)}"
        case TakeFromPantry(card):
            return f"Take {ingredient_name(card)} from the Pantry"
        case PlayBasic(ingredient, cell):
            return f"Place {ingredient_name(ingredient)} on {cell}"
        case PlaySpecial(ingredient, cell):
            return f"Place {ingredient_name(ingredient)} from your hand on {cell}"
        case PlayBlind(cell):
            return f"Play blind on {cell}"
        case CompleteOrder(order, cells):
            return f"Complete {order_title(order)} with {join_and(cells)}"
        case DeclineOrder():
            return "Don't complete an Order"
        case Pass():
            return "Pass"
        case Resign():
            return "Resign"
