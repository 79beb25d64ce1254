"""Moves in plain words, for standing orders and hints."""

from domain.games.take_the_cake.presentation.narration import card_name, describe_program, describe_tile
from domain.games.take_the_cake.rules.components import INGREDIENT_NAMES
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.moves import (
    AcceptPlacement,
    Move,
    ProposePlacement,
    RejectPlacement,
    Resign,
    RunProgram,
    SwapCards,
)
from domain.games.take_the_cake.rules.parts import INGREDIENTS
from domain.kernel.game import Seat
from domain.kernel.text import join_and


def describe_move(view: View, seat: Seat, move: Move) -> str:
    """Return a move of this seat in plain words."""
    match move:
        case RunProgram(steps):
            return f"Run {describe_program(steps)}"
        case SwapCards(()):
            return "Keep your hand"
        case SwapCards(cards):
            return f"Swap {join_and(map(card_name, cards))}"
        case AcceptPlacement():
            return "Accept the arrangement"
        case ProposePlacement(tokens):
            places = (f"{INGREDIENT_NAMES[one]} {describe_tile(tokens[one])}" for one in INGREDIENTS if one in tokens)
            return f"Propose {', '.join(places)}"
        case RejectPlacement():
            return "Reject the arrangement"
        case Resign():
            return "Resign"
