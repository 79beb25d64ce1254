"""What the seat on turn may choose: actions and cells, the card to keep, the Order to complete.

All of it comes from the legal moves and from what the seat sees. What a placement would complete is told for cards
that the seat knows, never for blind ones.
"""

from collections.abc import Iterator

import msgspec

from domain.games.bakers_brawl.presentation.narration import ingredient_name
from domain.games.bakers_brawl.rules.components import ORDERS
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
    TakeFromPantry,
)
from domain.games.bakers_brawl.rules.orders import Grid, compare_labor, find_candidates
from domain.games.bakers_brawl.rules.parts import COLOURS, HAND_LIMIT, PANTRY_LIMIT, Tile, cells_of, labor_cost
from domain.kernel.game import Seat
from domain.kernel.table import TableContext
from domain.kernel.text import pluralize


class ActionChoice(msgspec.Struct, frozen=True):
    """One thing to do. `picture` names a picture, `places` says that it needs a cell."""

    action: str
    title: str
    picture: str
    places: bool = False
    deed: str = ""
    """What the button says once it is chosen."""


class ChoiceGroup(msgspec.Struct, frozen=True):
    """Choices of one kind under a heading."""

    title: str
    note: str
    choices: list[ActionChoice]


class Reward(msgspec.Struct, frozen=True):
    """What a completed Order brings to one seat."""

    seat: str
    points: int
    why: str


class Completion(msgspec.Struct, frozen=True):
    """An Order that can be completed: now, or (with `cell`) by laying a known card there."""

    action: str
    order: str
    name: str
    words: str
    cells: tuple[str, ...]
    rewards: tuple[Reward, ...]
    cell: str = ""


GROUPS = (
    "Lay a Basic",
    "Lay a Special from your hand",
    "Take from the Pantry",
    "The Special deck",
    "Keep one",
    "Otherwise",
)
"""As the form shows them."""
NOTES = {
    "Lay a Basic": "1 cube each",
    "Lay a Special from your hand": "2 cubes each",
    "Take from the Pantry": "into your hand",
    "The Special deck": "a blind card costs 1 cube, and is not known until it lies there",
}

# -- actions --------------------------------------------------------------------------------------------------------


def reader_moves(context: TableContext) -> list[Move]:
    """The legal moves of the reader; none for one who is not on turn."""
    if context.seat is None or context.match.status != "playing":
        return []
    return list(context.game.legal_moves(context.match.state, context.seat))


def choice_groups(context: TableContext) -> list[ChoiceGroup]:
    """Everything that can be done now, each once, in groups."""
    found: dict[str, dict[str, ActionChoice]] = {}
    for move in reader_moves(context):
        if not isinstance(move, CompleteOrder):  # these are listed with what they bring
            title, choice = describe_move(move)
            found.setdefault(title, {})[choice.action] = choice
    return [ChoiceGroup(title, NOTES.get(title, ""), [*found[title].values()]) for title in GROUPS if title in found]


def describe_move(move: Move) -> tuple[str, ActionChoice]:
    """A legal move's group and what it is called there; the cell is chosen apart."""
    match move:
        case PlayBasic(kind):
            name = ingredient_name(kind)
            return "Lay a Basic", ActionChoice(f"basic:{kind}", name, kind, places=True, deed=f"Lay {name}")
        case PlaySpecial(kind):
            name = ingredient_name(kind)
            return "Lay a Special from your hand", ActionChoice(
                f"hand:{kind}", name, kind, places=True, deed=f"Lay {name}"
            )
        case PlayBlind():
            return "The Special deck", ActionChoice("blind", "Play blind", "blind", places=True, deed="Play blind")
        case DrawSpecial():
            return "The Special deck", ActionChoice("draw", "Draw two, keep one", "deck", deed="Draw two Specials")
        case TakeFromPantry(kind):
            name = ingredient_name(kind)
            return "Take from the Pantry", ActionChoice(
                f"pantry:{kind}", name, kind, deed=f"Take {name} from the Pantry"
            )
        case KeepSpecial(kind):
            return "Keep one", ActionChoice(
                f"keep:{kind}", ingredient_name(kind), kind, deed=f"Keep {ingredient_name(kind)}"
            )
        case DeclineOrder():
            return "Otherwise", ActionChoice("decline", "Complete nothing", "", deed="Complete nothing")
        case Pass():
            return "Otherwise", ActionChoice("pass", "Pass", "", deed="Pass")
    raise AssertionError(f"{type(move).__name__} is no move of this list")


def unavailable_reasons(context: TableContext) -> list[str]:
    """Why something that one might look for is not offered."""
    view: View = context.view
    if context.seat is None or context.seat not in view.to_move or view.phase != "act":
        return []
    own, told = view.seats[context.seat], []
    if own.hand_count >= HAND_LIMIT:
        told.append(f"You hold {HAND_LIMIT} Specials: play one before you take more.")
    elif not view.special_deck_count and not view.discard:
        told.append("The Special deck and the discard pile are empty.")
    if own.cubes < labor_cost("hand"):
        told.append(f"You have {pluralize(own.cubes, 'free cube')}; others come back with completed Orders.")
    return told


def empty_cells(context: TableContext) -> list[str]:
    """The empty cells, where a card may lie."""
    if not any(choice.places for group in choice_groups(context) for choice in group.choices):
        return []
    return [cell for cell in cells_of(context.view.board_size) if cell not in context.view.board]


def pantry_discards(context: TableContext) -> list[tuple[str, str]]:
    """The cards that a full Pantry may lose for the new one, with their names."""
    view: View = context.view
    if view.phase != "keep" or len(view.pantry) < PANTRY_LIMIT:
        return []
    return [(kind, ingredient_name(kind)) for kind in dict.fromkeys(view.pantry)]


# -- Orders ---------------------------------------------------------------------------------------------------------


def possible_completions(context: TableContext) -> list[Completion]:
    """What the cards that the seat knows would complete, card by card and cell by cell."""
    if context.seat is None:
        return []
    view: View = context.view
    found: list[Completion] = []
    for move in reader_moves(context):
        match move:
            case PlayBasic(kind, cell):
                found += completions_after(
                    view, context.seat, f"basic:{kind}", cell, Tile(kind, context.seat, labor_cost("basic"))
                )
            case PlaySpecial(kind, cell):
                found += completions_after(
                    view, context.seat, f"hand:{kind}", cell, Tile(kind, context.seat, labor_cost("hand"))
                )
            case _:
                pass
    return found


def completions_after(view: View, seat: Seat, action: str, cell: str, tile: Tile) -> Iterator[Completion]:
    """What this card on this cell would complete."""
    board = {**view.board, cell: tile}
    grid = Grid(board, view.board_size)
    for candidate in find_candidates(grid, view.order_line, cell, strict=view.options.strict_clusters):
        order = ORDERS[candidate.order_id]
        words = f"{ingredient_name(tile.ingredient)} on {cell}: {order.name}"
        earned = completion_rewards(order.id, seat, [board[used] for used in candidate.cells])
        yield Completion(action, order.id, order.name, words, candidate.cells, earned, cell)


def pending_completions(context: TableContext) -> list[Completion]:
    """The Orders that wait to be completed, each with its cells (C7)."""
    view: View = context.view
    return [
        Completion(
            f"complete:{move.order_id}:{' '.join(move.cells)}",
            move.order_id,
            ORDERS[move.order_id].name,
            ORDERS[move.order_id].name,
            move.cells,
            completion_rewards(move.order_id, view.turn, [view.board[cell] for cell in move.cells]),
        )
        for move in reader_moves(context)
        if isinstance(move, CompleteOrder)
    ]


def completion_rewards(order_id: str, seat: Seat, tiles: list[Tile]) -> tuple[Reward, ...]:
    """What each seat would get for it, or a cube on it alone."""
    order, compared = ORDERS[order_id], compare_labor(order_id, tiles)
    shared = "shared majority" if len(compared.winners) > 1 else "majority"
    found = []
    for tally in compared.tally:
        parts = [(order.top, "completing")] if tally.seat == seat else []
        parts += [(order.bottom, shared)] if tally.seat in compared.winners else []
        why = " + ".join(f"{points} {word}" for points, word in parts) or "a cube on it"
        found.append(Reward(COLOURS[tally.seat], sum(points for points, _ in parts), why))
    return tuple(found)
