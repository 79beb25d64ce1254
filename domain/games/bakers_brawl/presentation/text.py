"""The table as text (rules, section 13), and wording shared by text and picture."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import UnsetType

from domain.games.bakers_brawl.presentation.narration import agenda_text, ingredient_name, order_title, seat_name
from domain.games.bakers_brawl.presentation.pictures import (
    LETTERS,
)
from domain.games.bakers_brawl.rules.components import (
    AGENDAS,
    INGREDIENT_RANK,
    ORDERS,
    Special,
)
from domain.games.bakers_brawl.rules.model import SeenBaker, View
from domain.games.bakers_brawl.rules.parts import LINE_LIMIT, Tile, cells_of
from domain.games.bakers_brawl.rules.scoring import agenda_points, orders_helped
from domain.games.bakers_brawl.rules.turns import end_reason
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

END_REASONS = {
    "boss_limit": "Fired by the head of the bakery",
    "orders_exhausted": "No Orders are left",
    "last_baker": "Only one baker is left",
}
PHASE_PROMPTS = {
    "act": "to act",
    "keep": "to keep one of two cards",
    "complete": "to choose an Order to complete",
    "over": "",
}


# -- wording for text and picture -----------------------------------------------------------------------------------


def status(view: View) -> str:
    """Return who is to act, or how the match ended."""
    if not view.players:
        return "The match is not set up yet"
    if view.result is None:
        return f"{seat_name(view.turn)} {PHASE_PROMPTS[view.phase]}"
    winners = view.result.winners
    verb = "wins" if len(winners) == 1 else "share the victory"
    return f"{END_REASONS[end_reason(view)]}: {join_and(map(seat_name, winners))} {verb}"


def warning(view: View) -> str:
    """Return the warning that the Line is full, or an empty string."""
    if len(view.order_line) < LINE_LIMIT or view.phase == "over":
        return ""
    oldest = order_title(view.order_line[0])
    return f"The Line is full. {oldest} goes to the head of the bakery after this round unless an Order is completed."


def visible_hand(baker: SeenBaker) -> tuple[Special, ...] | None:
    """Return the hand, or None if the view hides it."""
    return None if isinstance(baker.hand, UnsetType) else baker.hand


def seat_summary(view: View, seat: Seat) -> str:
    """Return a summary of a seat: points, cubes, hand size, Orders helped."""
    baker = view.seats[seat]
    parts = [pluralize(view.scores[seat], "point"), pluralize(baker.cubes, "cube"), f"{baker.hand_count} in hand"]
    parts.append(f"helped {len(orders_helped(view.completed, seat))}")
    if view.result:
        parts.append(f"rank {view.result.ranks[seat]}")
    return ", ".join(parts if baker.active else [*parts, "resigned"])


def agenda_line(view: View, seat: Seat) -> str:
    """Return a seat's agenda with its points so far, or an empty string if the view hides it."""
    agenda = AGENDAS.get(view.seats[seat].agenda or "")
    if agenda is None:
        return ""
    _, points = agenda_points(agenda, orders_helped(view.completed, seat))
    so_far = "" if view.result else " so far"
    return f"{agenda.name}: {agenda_text(agenda)} ({pluralize(points, 'point')}{so_far})"


def describe_tile(cell: str, tile: Tile) -> str:
    """Return the description of a tile for screen readers."""
    blind = ", played blind" if is_blind(tile) else ""
    return f"{cell}, {ingredient_name(tile.ingredient)}, {seat_name(tile.owner)}, {tile.labor} labor{blind}"


def is_blind(tile: Tile) -> bool:
    """Return whether a tile was played blind: a Special with one cube (M6)."""
    return tile.special and tile.labor == 1


def describe_pile(names: Iterable[Special]) -> str:
    """Return the cards of a pile counted by type."""
    counted = sorted(Counter(names).items(), key=lambda item: INGREDIENT_RANK[item[0]])
    return ", ".join(f"{count} {ingredient_name(kind)}" for kind, count in counted) or "none"


def describe_completed(view: View) -> Iterator[str]:
    """Yield each completed Order with the letters of its contributors."""
    for done in view.completed:
        yield f"{order_title(done.order_id)} ({''.join(LETTERS[seat] for seat in done.contributors)})"


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """Return the table as text. `floR1` is Raspberry's flour with 1 cube; a `?` after it means played blind."""
    lines = [f"Round {view.round}. {status(view)}.", *filter(None, [warning(view)]), ""]
    lines += ["Order Line, oldest first:", *(map(text_order, view.order_line) if view.order_line else ["  none"]), ""]
    lines += [*text_board(view), ""]
    drawn = () if isinstance(view.drawn, UnsetType) else view.drawn
    lines += [
        f"Pantry: {', '.join(map(ingredient_name, view.pantry)) or 'empty'}",
        f"Special deck: {view.special_deck_count}. Orders deck: {view.order_deck_count}.",
        f"Discard pile: {describe_pile(view.discard)}",
        f"Boss: {', '.join(map(order_title, view.boss_pile)) or 'none'} "
        f"({len(view.boss_pile)} of {view.options.boss_limit})",
        f"Completed: {', '.join(describe_completed(view)) or 'none'}",
        "",
        *(line for number in range(view.players) for line in text_seat(view, number)),
        *([f"Drawn: {', '.join(map(ingredient_name, drawn))}"] if drawn else []),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_order(order_id: str) -> str:
    """Return an Order on one line."""
    order = ORDERS[order_id]
    needs = ", ".join(map(ingredient_name, order.need))
    return f"  {order.id} {order.name} ({order.category}, {order.top}/{order.bottom}): {needs}"


def text_board(view: View) -> Iterator[str]:
    """Yield the lines of the board, seven characters per cell."""
    size = view.board_size
    cells = cells_of(size)
    yield "   " + "".join(f"{cell[0]:^7}" for cell in cells[:size])
    for row in range(size):
        tiles = (view.board.get(cell) for cell in cells[row * size : (row + 1) * size])
        yield f"{row + 1:>2} " + "".join(text_tile(tile) for tile in tiles)


def text_tile(tile: Tile | None) -> str:
    """Return one cell, seven characters wide."""
    if tile is None:
        return "   .   "
    mark = "?" if is_blind(tile) else " "
    return f" {tile.ingredient[:3]}{LETTERS[tile.owner]}{tile.labor}{mark}"


def text_seat(view: View, seat: Seat) -> Iterator[str]:
    """Yield the lines of a seat, with its hand and agenda if the view shows them."""
    baker = view.seats[seat]
    basics = ", ".join(map(ingredient_name, baker.basics)) or "none"
    yield f"{seat_name(seat)}: {seat_summary(view, seat)}; Basics: {basics}"
    hand = visible_hand(baker)
    if hand is not None:
        yield f"  hand: {', '.join(map(ingredient_name, hand)) or 'empty'}"
    if baker.agenda:
        yield f"  agenda: {agenda_line(view, seat)}"
