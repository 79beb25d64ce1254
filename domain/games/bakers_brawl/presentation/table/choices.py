"""The choices in the move form: actions and cells, the card to keep, the Order to complete.

Everything comes from the legal moves and from what the seat can see. Completions are previewed only for cards that the
seat knows, never for blind ones.
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


class ActionChoice(msgspec.Struct, frozen=True):
    """An action in the form. `picture` names its picture; `places` says whether it needs a cell."""

    action: str
    title: str
    picture: str
    places: bool = False
    deed: str = ""
    """Text of the button when this action is chosen."""


class ChoiceGroup(msgspec.Struct, frozen=True):
    """Choices of one kind, with a heading and a note."""

    title: str
    note: str
    choices: list[ActionChoice]


class Reward(msgspec.Struct, frozen=True):
    """The points of one seat for a completed Order, with the reason."""

    seat: str
    points: int
    why: str


class Completion(msgspec.Struct, frozen=True):
    """An Order that can be completed now or, with `cell`, by placing a known card there."""

    action: str
    order: str
    name: str
    words: str
    cells: tuple[str, ...]
    rewards: tuple[Reward, ...]
    cell: str = ""


GROUPS = (
    "Place a Basic",
    "Place a Special from your hand",
    "Take from the Pantry",
    "The Special deck",
    "Keep one",
    "Other choices",
)
"""Headings in the order of the form."""
NOTES = {
    "Place a Basic": "1 cube each",
    "Place a Special from your hand": "2 cubes each",
    "Take from the Pantry": "into your hand",
    "The Special deck": "a blind card costs 1 cube and is revealed only when it is placed",
}

# -- actions --------------------------------------------------------------------------------------------------------


def reader_moves(context: TableContext) -> list[Move]:
    """Return the legal moves of the reader, or none if it isn't their turn."""
    if context.seat is None or context.match.status != "playing":
        return []
    return list(context.game.legal_moves(context.match.state, context.seat))


def choice_groups(context: TableContext) -> list[ChoiceGroup]:
    """Return the possible actions in groups, each action once."""
    found: dict[str, dict[str, ActionChoice]] = {}
    for move in reader_moves(context):
        if not isinstance(move, CompleteOrder):  # these are listed with their rewards
            title, choice = describe_move(move)
            found.setdefault(title, {})[choice.action] = choice
    return [ChoiceGroup(title, NOTES.get(title, ""), [*found[title].values()]) for title in GROUPS if title in found]


def describe_move(move: Move) -> tuple[str, ActionChoice]:
    """Return a legal move's group and its choice there. The cell is chosen separately."""
    match move:
        case PlayBasic(kind):
            name = ingredient_name(kind)
            return "Place a Basic", ActionChoice(f"basic:{kind}", name, kind, places=True, deed=f"Place {name}")
        case PlaySpecial(kind):
            name = ingredient_name(kind)
            return "Place a Special from your hand", ActionChoice(
                f"hand:{kind}", name, kind, places=True, deed=f"Place {name}"
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
            return "Other choices", ActionChoice(
                "decline", "Don't complete an Order", "", deed="Don't complete an Order"
            )
        case Pass():
            return "Other choices", ActionChoice("pass", "Pass", "", deed="Pass")
    raise AssertionError(f"unexpected move: {type(move).__name__}")


def unavailable_reasons(context: TableContext) -> list[str]:
    """Return reasons why common actions are unavailable."""
    view: View = context.view
    if context.seat is None or context.seat not in view.to_move or view.phase != "act":
        return []
    own, reasons = view.seats[context.seat], []
    if own.hand_count >= HAND_LIMIT:
        reasons.append(f"You hold {HAND_LIMIT} Specials. Place one before you get more.")
    elif not view.special_deck_count and not view.discard:
        reasons.append("The Special deck and the discard pile are empty.")
    if own.cubes < labor_cost("hand"):
        reasons.append("Your other cubes come back when Orders are completed.")
    return reasons


def empty_cells(context: TableContext) -> list[str]:
    """Return the empty cells, or none if no action needs a cell."""
    if not any(choice.places for group in choice_groups(context) for choice in group.choices):
        return []
    return [cell for cell in cells_of(context.view.board_size) if cell not in context.view.board]


def pantry_discards(context: TableContext) -> list[tuple[str, str]]:
    """Return the types in a full Pantry, one of which can make room, with their names."""
    view: View = context.view
    if view.phase != "keep" or len(view.pantry) < PANTRY_LIMIT:
        return []
    return [(kind, ingredient_name(kind)) for kind in dict.fromkeys(view.pantry)]


# -- Orders ---------------------------------------------------------------------------------------------------------


def possible_completions(context: TableContext) -> list[Completion]:
    """Return what each card that the seat knows would complete on each cell."""
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
    """Yield the completions that this card on this cell would allow."""
    board = {**view.board, cell: tile}
    grid = Grid(board, view.board_size)
    for candidate in find_candidates(grid, view.order_line, cell, strict=view.options.strict_clusters):
        order = ORDERS[candidate.order_id]
        words = f"{ingredient_name(tile.ingredient)} on {cell}: {order.name}"
        earned = completion_rewards(order.id, seat, [board[used] for used in candidate.cells])
        yield Completion(action, order.id, order.name, words, candidate.cells, earned, cell)


def pending_completions(context: TableContext) -> list[Completion]:
    """Return the completions to choose from now (C7)."""
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
    """Return what each contributor would get for this Order."""
    order, compared = ORDERS[order_id], compare_labor(order_id, tiles)
    majority = "a shared majority" if len(compared.winners) > 1 else "the majority"
    found = []
    for tally in compared.tally:
        parts = [(order.top, "completing it")] if tally.seat == seat else []
        parts += [(order.bottom, majority)] if tally.seat in compared.winners else []
        each = [f"{points} for {deed}" if len(parts) > 1 else f"for {deed}" for points, deed in parts]
        why = " + ".join(each) or "helped"
        found.append(Reward(COLOURS[tally.seat], sum(points for points, _ in parts), why))
    return tuple(found)
