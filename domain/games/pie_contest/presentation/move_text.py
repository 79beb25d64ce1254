"""Moves in plain words, for standing orders and hints."""

from domain.games.pie_contest.presentation.card_text import card_name
from domain.games.pie_contest.presentation.narration import baker_name, card_names
from domain.games.pie_contest.rules.model import View
from domain.games.pie_contest.rules.moves import Choose, Dive, Move, Pass, PlayCard, Resign, TrimHand
from domain.games.pie_contest.rules.option_keys import key_numbers
from domain.games.pie_contest.rules.parts import MAX_SEATS
from domain.kernel.game import Seat
from domain.kernel.text import capital, join_and


def describe_move(view: View, seat: Seat, move: Move) -> str:
    """Return a move of this seat in plain words."""
    match move:
        case PlayCard(card):
            return f"Play {card_name(card)}"
        case Dive(trashed, taken):
            return f"Dive: trash {card_names(trashed)}, take {card_name(taken)}"
        case Pass():
            return "Pass"
        case TrimHand(cards):
            return f"Trash {card_names(cards)}"
        case Choose(picks):
            first, *rest = [describe_pick(view, seat, key) for key in picks] or ["choose nothing"]
            return capital(join_and([first, *(words.removeprefix("choose ") for words in rest)]))
        case Resign():
            return "Resign"


def describe_pick(view: View, seat: Seat, key: str) -> str:
    """Return one answer to a question as an instruction. Players can type any key, so some can't be put into words."""
    match key.partition(":")[0], key_numbers(key):
        case "card", (card,):
            return f"choose {owned_card(view, seat, card)}"
        case "pair", (mine, theirs):
            return f"swap {card_name(mine)} for {owned_card(view, seat, theirs)}"
        case "gift", (card, to) if to < MAX_SEATS:
            return f"give {card_name(card)} to {baker_name(to)}"
        case "seat", (owner,) if owner < MAX_SEATS:
            return f"steal from {baker_name(owner)}"
        case "pie", (owner, place) if owner < MAX_SEATS:
            return f"choose {baker_name(owner)}'s Pie {place}"
        case "eff", (card,):
            return f"let {card_name(card)} take effect first"
        case "ach", (card,):
            return f"complete {card_name(card)} first"
        case "yes", _:
            return "Bake"
        case "no", _:
            return "don't Bake"
    return f"choose {key}"


def owned_card(view: View, seat: Seat, card: int) -> str:
    """Return the name of a card, with its owner if it is in a rival's Kitchen."""
    owners = (owner for owner, seen in enumerate(view.seats) if owner != seat and card in seen.kitchen)
    return next((f"{baker_name(owner)}'s {card_name(card)}" for owner in owners), card_name(card))
