"""Moves in plain words, for standing orders and hints."""

from domain.games.battle_of_the_bakeries.presentation.narration import describe_position, seat_name
from domain.games.battle_of_the_bakeries.rules.model import View
from domain.games.battle_of_the_bakeries.rules.moves import (
    ChooseTurnOrder,
    DeclareHire,
    DeclineLastChance,
    FlipCard,
    Move,
    PlaceCake,
    PlaceStale,
    Resign,
    RollDice,
    RollDie,
    StopCatchUp,
    StopFlipping,
    TakeBonus,
    TryCatchUp,
)
from domain.games.battle_of_the_bakeries.rules.parts import opponent_of
from domain.kernel.game import Seat


def describe_move(view: View, seat: Seat, move: Move) -> str:  # noqa: PLR0912 -- one case for each move
    """Return a move of this seat in plain words."""
    match move:
        case ChooseTurnOrder(place):
            return f"Go {place}"
        case RollDie():
            return "Roll the die"
        case TakeBonus():
            return "Take the money"
        case DeclareHire():
            return "Try to hire a chef"
        case FlipCard(position):
            return f"Turn over the card in {describe_position(position)}"
        case StopFlipping():
            return "Stop turning over cards"
        case DeclineLastChance():
            return "Decline the last chance"
        case PlaceCake(case, slot) if case == seat:
            return f"Put the cake in your slot {slot}"
        case PlaceCake(case, slot):
            return f"Put the cake in {seat_name(case)}'s slot {slot}"
        case RollDice():
            return "Roll the dice"
        case PlaceStale(slot):
            return f"Put a stale card on {seat_name(opponent_of(seat))}'s slot {slot}"
        case TryCatchUp():
            return "Draw a number and try to roll it"
        case StopCatchUp():
            return "Stop and keep 60% of the tab"
        case Resign():
            return "Resign"
