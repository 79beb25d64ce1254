"""A view as text and as SVG (rules, section 13)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from zlib import crc32

from msgspec import UnsetType

from domain.games.bakers_brawl.presentation.narration import agenda_text, ingredient_name, order_title, seat_name
from domain.games.bakers_brawl.presentation.pictures import (
    LETTERS,
    MARKS,
    SEAT_COLOURS,
    SEAT_TINTS,
    badge,
    blindfold,
    card,
    cube,
    icon,
    label,
    patterns,
    short_name,
    symbols,
    with_id_prefix,
)
from domain.games.bakers_brawl.rules.components import (
    AGENDAS,
    BASICS,
    INGREDIENT_RANK,
    ORDERS,
    Ingredient,
    Order,
    Special,
)
from domain.games.bakers_brawl.rules.decider import end_reason
from domain.games.bakers_brawl.rules.model import LINE_LIMIT, PANTRY_LIMIT, SeenBaker, Tile, View, cells_of
from domain.games.bakers_brawl.rules.scoring import agenda_points, orders_helped
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, CRUST, GLOW, INK, PAPER, SOFT_INK, WOOD, Number, element, group, planks, tooltip
from domain.kernel.text import join_and, pluralize, wrap_words

# -- in words, for both pictures ------------------------------------------------------------------------------------

END_REASONS = {
    "boss_limit": "Fired by the head of the bakery",
    "orders_exhausted": "All Orders of the day are gone",
    "last_baker": "One baker is left",
}
PHASE_PROMPTS = {
    "act": "to act",
    "keep": "to keep one of two cards",
    "complete": "to choose an Order to complete",
    "over": "",
}


def status(view: View) -> str:
    """Whom the table waits for, or how it ended."""
    if not view.players:
        return "The table is not set yet"
    if view.result is None:
        return f"{seat_name(view.turn)} {PHASE_PROMPTS[view.phase]}"
    winners = view.result.winners
    verb = "wins" if len(winners) == 1 else "share the victory"
    return f"{END_REASONS[end_reason(view)]}: {join_and(map(seat_name, winners))} {verb}"


def warning(view: View) -> str:
    """What hangs over a full Line."""
    if len(view.order_line) < LINE_LIMIT or view.phase == "over":
        return ""
    return f"The Line is full: {order_title(view.order_line[0])} goes to the boss unless an Order is completed."


def visible_hand(baker: SeenBaker) -> tuple[Special, ...] | None:
    """The hand, if the view shows it."""
    return None if isinstance(baker.hand, UnsetType) else baker.hand


def seat_summary(view: View, seat: Seat) -> str:
    """What a seat has, in words."""
    baker = view.seats[seat]
    parts = [pluralize(view.scores[seat], "point"), pluralize(baker.cubes, "cube"), f"{baker.hand_count} in hand"]
    parts.append(f"helped {len(orders_helped(view.completed, seat))}")
    if view.result:
        parts.append(f"rank {view.result.ranks[seat]}")
    return ", ".join(parts if baker.active else [*parts, "resigned"])


def agenda_line(view: View, seat: Seat) -> str:
    """A seat's agenda with its points so far, where the view shows it."""
    agenda = AGENDAS.get(view.seats[seat].agenda or "")
    if agenda is None:
        return ""
    _, points = agenda_points(agenda, orders_helped(view.completed, seat))
    so_far = "" if view.result else " so far"
    return f"{agenda.name}: {agenda_text(agenda)} ({pluralize(points, 'point')}{so_far})"


def describe_tile(cell: str, tile: Tile) -> str:
    """A tile as it is read aloud."""
    blind = ", played blind" if is_blind(tile) else ""
    return f"{cell}, {ingredient_name(tile.ingredient)}, {seat_name(tile.owner)}, {tile.labor} labor{blind}"


def is_blind(tile: Tile) -> bool:
    """A Special with one cube was played blind (M6)."""
    return tile.special and tile.labor == 1


def describe_heap(names: Iterable[Special]) -> str:
    """A heap of cards by type."""
    counted = sorted(Counter(names).items(), key=lambda item: INGREDIENT_RANK[item[0]])
    return ", ".join(f"{count} {ingredient_name(kind)}" for kind, count in counted) or "none"


def describe_completed(view: View) -> Iterator[str]:
    """Each completed Order with the letters of its contributors."""
    for done in view.completed:
        yield f"{order_title(done.order_id)} ({''.join(LETTERS[seat] for seat in done.contributors)})"


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """The table in letters: `floR1` is Raspberry's flour with 1 cube, `?` after it a card that was played blind."""
    lines = [f"Round {view.round}. {status(view)}.", *filter(None, [warning(view)]), ""]
    lines += ["Order Line, oldest first:", *(map(text_order, view.order_line) if view.order_line else ["  none"]), ""]
    lines += [*text_board(view), ""]
    drawn = () if isinstance(view.drawn, UnsetType) else view.drawn
    lines += [
        f"Pantry: {', '.join(map(ingredient_name, view.pantry)) or 'empty'}",
        f"Special deck: {view.special_deck_count}. Orders deck: {view.order_deck_count}.",
        f"Discard pile: {describe_heap(view.discard)}",
        f"Boss: {', '.join(map(order_title, view.boss_pile)) or 'none'} "
        f"({len(view.boss_pile)} of {view.options.boss_limit})",
        f"Completed: {', '.join(describe_completed(view)) or 'none'}",
        "",
        *(line for number in range(view.players) for line in text_seat(view, number)),
        *([f"Drawn: {', '.join(map(ingredient_name, drawn))}"] if drawn else []),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_order(order_id: str) -> str:
    """An Order in one line."""
    order = ORDERS[order_id]
    needs = ", ".join(map(ingredient_name, order.need))
    return f"  {order.id} {order.name} ({order.category}, {order.top}/{order.bottom}): {needs}"


def text_board(view: View) -> Iterator[str]:
    """The board, seven characters a cell."""
    size = view.board_size
    cells = cells_of(size)
    yield "   " + "".join(f"{cell[0]:^7}" for cell in cells[:size])
    for row in range(size):
        laid = (view.board.get(cell) for cell in cells[row * size : (row + 1) * size])
        yield f"{row + 1:>2} " + "".join(text_tile(tile) for tile in laid)


def text_tile(tile: Tile | None) -> str:
    """One cell, seven characters wide."""
    if tile is None:
        return "   .   "
    mark = "?" if is_blind(tile) else " "
    return f" {tile.ingredient[:3]}{LETTERS[tile.owner]}{tile.labor}{mark}"


def text_seat(view: View, seat: Seat) -> Iterator[str]:
    """A seat: what it has, its Basics, and what is its own to see."""
    baker = view.seats[seat]
    basics = ", ".join(map(ingredient_name, baker.basics)) or "none"
    yield f"{seat_name(seat)}: {seat_summary(view, seat)}; Basics: {basics}"
    hand = visible_hand(baker)
    if hand is not None:
        yield f"  hand: {', '.join(map(ingredient_name, hand)) or 'empty'}"
    if baker.agenda:
        yield f"  agenda: {agenda_line(view, seat)}"


# -- SVG: the frame -------------------------------------------------------------------------------------------------

WIDTH = 720
MARGIN = 14
INNER = WIDTH - 2 * MARGIN
TOP_BAR = 64
ORDER_ROW = 62
LINE = LINE_LIMIT * ORDER_ROW + 52
BOARD_RIM = 34
"""The board's edge with letters and numbers."""
BOARD = INNER - BOARD_RIM - 10
STORE = 168
SEAT_ROW = 92
OWN_CARDS = 190
LIST_ROW = 30
PER_LINE = 58
"""Characters of a line of small text."""


def svg(view: View, seat: Seat | None) -> str:
    """The table as a picture.

    For the page: `[data-cell]` covers each cell, `[data-order]` each Order of the Line, and `[data-zone][data-card]`
    each card of the Pantry (`pantry`), of the viewer's hand (`hand`), Basics (`basics`) and drawn cards (`drawn`);
    `[data-zone="deck"]` is the Special deck.
    """
    prefix = id_prefix(view, seat)
    sections = (
        (LINE, order_line(view)),
        (BOARD + BOARD_RIM + 24, board(view, prefix)),
        (STORE, store(view)),
        (SEAT_ROW * view.players + 8, bakers(view, seat, prefix)),
        (OWN_CARDS if own_seat(view, seat) is not None else 0, own_cards(view, seat)),
        *((LIST_ROW * len(lines) + 44, note_block(head, lines)) for head, lines in collected_lists(view)),
    )
    parts, y = [], TOP_BAR
    for height, drawn in sections:
        parts.append(group(MARGIN, y, drawn) if height else "")
        y += height
    drawn = element(
        "svg",
        element("title", f"Baker's Brawl. Round {view.round}. {status(view)}.", id=f"{prefix}-title"),
        element("desc", description(view), id=f"{prefix}-desc"),
        patterns(prefix),
        symbols(),
        element("rect", width=WIDTH, height=y, rx=22, fill=WOOD),
        planks(WIDTH, range(120, y - 20, 120)),
        top_bar(view),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {y}",
        role="img",
        aria_labelledby=f"{prefix}-title {prefix}-desc",
        class_="table bakers-brawl",
        font_family="'Trebuchet MS', 'Segoe UI', Verdana, sans-serif",
    )
    return with_id_prefix(drawn, prefix)


def id_prefix(view: View, seat: Seat | None) -> str:
    """What the ids in the picture begin with: another for every other table."""
    return f"bakers-brawl-{crc32(text(view, seat).encode()):08x}"


def description(view: View) -> str:
    """The table in a few sentences, for those who do not see it."""
    orders = "; ".join(f"{order.name}: {', '.join(map(ingredient_name, order.need))}" for order in orders_in_line(view))
    tiles = ". ".join(describe_tile(cell, tile) for cell, tile in view.board.items())
    return f"Orders, oldest first: {orders or 'none'}. On the board: {tiles or 'nothing'}."


def orders_in_line(view: View) -> list[Order]:
    """The Orders of the Line."""
    return [ORDERS[order_id] for order_id in view.order_line]


def own_seat(view: View, seat: Seat | None) -> Seat | None:
    """The viewer's seat while its own cards are worth a place of their own."""
    return seat if seat is not None and seat < view.players and visible_hand(view.seats[seat]) is not None else None


def top_bar(view: View) -> str:
    """Round and whose turn it is."""
    return "".join(
        (
            element("path", d=f"M0 {TOP_BAR - 10}V22A22 22 0 0 1 22 0H{WIDTH - 22}a22 22 0 0 1 22 22V{TOP_BAR - 10}z",
                    fill="#5a3320"),
            label(20, 36, f"Round {view.round}", 24, fill="#fff3dc", font_weight=700),
            label(WIDTH - 20, 36, status(view), 22 if len(status(view)) < 46 else 17, fill="#fff3dc",
                  text_anchor="end"),
        )
    )  # fmt: skip


CHECK = '<path d="M-6 0l4 6l8-12" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/>'
CUBE = '<path d="M-6-2h10v10h-10zM-6-2l3-4h10l-3 4M7-6v10l-3 4" fill="none" stroke="#fff" stroke-width="2.2"/>'


# -- SVG: the Order Line --------------------------------------------------------------------------------------------


def order_line(view: View) -> str:
    """The five places, oldest at the top, and the boss's count beside the heading."""
    full = bool(warning(view))
    rows = [group(0, 42 + n * ORDER_ROW, order_place(view, n, hot=full and n == 0)) for n in range(LINE_LIMIT)]
    heading = "Line full: the top Order goes next" if full else "Orders, oldest first"
    return "".join((label(4, 26, heading, 20 if full else 22, font_weight=700), boss_counter(view), *rows))


def boss_counter(view: View) -> str:
    """How many Orders the head of the bakery has made, of how many."""
    limit, made = view.options.boss_limit, len(view.boss_pile)
    places = [
        element("circle", cx=INNER - 16 - (limit - 1 - n) * 27, cy=18, r=11, fill="#8c2f1b" if n < made else CREAM,
                stroke="#5a3320", stroke_width=2.5)
        for n in range(limit)
    ]  # fmt: skip
    words = label(INNER - 38 - (limit - 1) * 27, 26, f"Boss {made} of {limit}", 22, text_anchor="end")
    return element("g", tooltip(f"The head of the bakery has made {made} of {limit} Orders."), words, *places)


def order_place(view: View, n: int, *, hot: bool) -> str:
    """A place of the Line: an Order with its needs and numbers, or nothing."""
    frame = {"width": INNER, "height": ORDER_ROW - 8, "rx": 12}
    if n >= len(view.order_line):
        return element("rect", **frame, fill="none", stroke=CRUST, stroke_width=2, stroke_dasharray="8 8")
    order = ORDERS[view.order_line[n]]
    needs = [element("g", tooltip(ingredient_name(kind)), icon(kind, 0, 0, 0.84),
                     transform=f"translate({292 + i * 49} 27)")
             for i, kind in enumerate(order.need)]  # fmt: skip
    last = "The oldest: it goes to the boss at the end of this round unless an Order is completed." if hot else ""
    words = f"{order.name}, {order.category}. {order.top} for completing, {order.bottom} for most labor. {last}"
    return element(
        "g",
        tooltip(words.strip()),
        element("rect", **frame, fill="#fde0cf" if hot else CREAM, stroke="#8c2f1b" if hot else CRUST,
                stroke_width=4 if hot else 2),
        group(24, 27, MARKS[order.category], scale=1.2),
        wrap_order_name(order.name),
        *needs,
        number_badge(INNER - 86, order.top, "#7a3b12", CHECK),
        number_badge(INNER - 32, order.bottom, "#3f5d27", CUBE),
        data_order=order.id,
        class_="order",
    )  # fmt: skip


def wrap_order_name(words: str) -> str:
    """A name on one line if it fits, otherwise on two."""
    if len(words) <= 17:
        return label(46, 35, words, 22, font_weight=700)
    first, last = words.rsplit(" ", 1)
    return label(46, 24, first, 20, font_weight=700) + label(46, 46, last, 20, font_weight=700)


def number_badge(x: Number, points: int, colour: str, mark: str) -> str:
    """One of the two numbers of an Order, with a tick for completing or a cube for labor."""
    return "".join(
        (
            element("rect", x=x - 24, y=6, width=48, height=42, rx=10, fill=colour),
            label(x - 9, 36, str(points), 27, fill="#fff", text_anchor="middle", font_weight=700),
            group(x + 11, 27, mark),
        )
    )


# -- SVG: the board -------------------------------------------------------------------------------------------------


def board(view: View, prefix: str) -> str:
    """The grid with letters and numbers, and a place for each cell."""
    size = view.board_size
    side = BOARD // max(size, 1)  # before set-up there is no board yet
    letters = [
        label(BOARD_RIM + (n + 0.5) * side, 24, cells_of(size)[n][0], 22, text_anchor="middle", fill=SOFT_INK)
        for n in range(size)
    ]
    numbers = [
        label(16, BOARD_RIM + (n + 0.5) * side + 8, str(n + 1), 22, text_anchor="middle", fill=SOFT_INK)
        for n in range(size)
    ]
    places = [
        group(BOARD_RIM + n % size * side, BOARD_RIM + n // size * side, board_cell(view, cell, side, prefix))
        for n, cell in enumerate(cells_of(size))
    ]
    frame = element(
        "rect", x=BOARD_RIM - 6, y=BOARD_RIM - 6, width=side * size + 12, height=side * size + 12, rx=16, fill="#c99a63"
    )
    return "".join((frame, *letters, *numbers, *places))


def board_cell(view: View, cell: str, side: int, prefix: str) -> str:
    """A cell: empty, or with its tile; the one that waits for a choice glows."""
    tile = view.board.get(cell)
    inner = side - 6
    field: dict[str, Number | str] = {"x": 3, "y": 3, "width": inner, "height": inner, "rx": 10}
    if tile is None:
        empty = element(
            "rect", **field, fill=PAPER, stroke="#dcb987", stroke_width=2, data_cell=cell, class_="cell-hit"
        )
        return element("g", tooltip(f"{cell}, empty"), empty)
    glow = element("rect", **field, fill="none", stroke=GLOW, stroke_width=6) if cell == view.pending_cell else ""
    hit = element("rect", **field, fill="transparent", data_cell=cell, class_="cell-hit")
    return element("g", tooltip(describe_tile(cell, tile)), tile_picture(tile, side, prefix), glow, hit)


def tile_picture(tile: Tile, side: int, prefix: str) -> str:
    """A tile: ring and band in the owner's colour and pattern, icon, short name, letter and cubes."""
    inner, colour = side - 8, SEAT_COLOURS[tile.owner]
    small = side < 110
    band = f"url(#{prefix}-{tile.owner})"
    words = label(
        round(side / 2), round(side - 20), short_name(tile.ingredient), 16 if small else 20, text_anchor="middle"
    )
    cubes = [cube(tile.owner, side - 26 - n * 21, 16, 15) for n in range(tile.labor)]
    return "".join(
        (
            element("rect", x=4, y=4, width=inner, height=inner, rx=10, fill=SEAT_TINTS[tile.owner],
                    stroke=colour, stroke_width=5),
            element("rect", x=7, y=side - 15, width=side - 14, height=8, fill=band),
            icon(tile.ingredient, side / 2, side * (0.5 if small else 0.48), side / (128 if small else 105)),
            words if side > 76 else "",
            badge(tile.owner, 22, 22, 12 if small else 14),
            *cubes,
            blindfold(side / 2 - 2, 20) if is_blind(tile) else "",
        )
    )  # fmt: skip


# -- SVG: Pantry, decks, seats --------------------------------------------------------------------------------------

SLOT = (94, 96)
DECK = 88


def store(view: View) -> str:
    """The Pantry, the Special deck, the discard pile and the Orders deck."""
    pantry = [group(n * (SLOT[0] + 5), 38, pantry_slot(view, n)) for n in range(PANTRY_LIMIT)]
    x = PANTRY_LIMIT * (SLOT[0] + 5) + 16
    drawn = f", {view.drawn_count} drawn" if view.drawn_count else ""
    return "".join(
        (
            label(4, 26, "Pantry", 22, font_weight=700),
            label(x, 26, f"Decks{drawn}", 18 if drawn else 22, font_weight=700),
            *pantry,
            group(x, 38, deck("Specials", view.special_deck_count, "#9a4a2b"), data_zone="deck", class_="deck"),
            group(x + DECK + 6, 38, deck("Orders", view.order_deck_count, "#5a6b2c")),
            label(4, 158, f"Discard pile: {clip_words(describe_heap(view.discard))}", 20, fill=SOFT_INK),
        )
    )


def clip_words(words: str) -> str:
    """Words that fit one line."""
    return words if len(words) <= PER_LINE else words[: PER_LINE - 3].rsplit(",", 1)[0] + " ..."


def pantry_slot(view: View, n: int) -> str:
    """A place of the Pantry."""
    width, height = SLOT
    if n >= len(view.pantry):
        return element("rect", width=width, height=height, rx=10, fill="none", stroke=CRUST, stroke_width=2,
                       stroke_dasharray="7 7")  # fmt: skip
    kind = view.pantry[n]
    return element("g", tooltip(f"{ingredient_name(kind)} in the Pantry"), card(kind, width, height),
                   data_zone="pantry",
                   data_card=kind, class_="card")  # fmt: skip


def deck(words: str, count: int, colour: str) -> str:
    """A face-down deck with its count."""
    width, height = DECK, SLOT[1]
    ink = "#fff" if count else INK
    return "".join(
        (
            tooltip(f"{words} deck: {pluralize(count, 'card')}"),
            *(element("rect", x=n * 3, y=-n * 3, width=width - 6, height=height, rx=10, fill=colour, stroke=CREAM,
                      stroke_width=2) for n in range(min(count, 3))),
            element("rect", width=width - 6, height=height, rx=10, fill="none", stroke=CRUST, stroke_width=2)
            if not count else "",
            label(width / 2, 48, str(count), 32, fill=ink, text_anchor="middle", font_weight=700),
            label(width / 2, 80, words, 18, fill=ink, text_anchor="middle"),
        )
    )  # fmt: skip


def bakers(view: View, viewer: Seat | None, prefix: str) -> str:
    """A row for each seat, in round order."""
    order = [(view.start_seat + n) % view.players for n in range(view.players)]
    return "".join(group(0, n * SEAT_ROW, seat_row(view, seat, seat == viewer, prefix)) for n, seat in enumerate(order))


def seat_row(view: View, seat: Seat, own: bool, prefix: str) -> str:
    """A seat: letter, points, cubes, hand, Orders helped, and the Basics, lit if available."""
    baker = view.seats[seat]
    on_turn = view.phase != "over" and seat == view.turn
    frame = {"width": INNER, "height": SEAT_ROW - 8, "rx": 14}
    you = " (you)" if own else ""
    mark = "resigned" if not baker.active else "on turn" if on_turn else ""
    if view.result:
        mark = f"rank {view.result.ranks[seat]}"
    basics = [
        group(440 + n * 50, 40, basic_card(kind, lit=kind in baker.basics, own=own)) for n, kind in enumerate(BASICS)
    ]
    return element(
        "g",
        tooltip(f"{seat_name(seat)}: {seat_summary(view, seat)}"),
        element("rect", **frame, fill=SEAT_TINTS[seat], stroke=SEAT_COLOURS[seat], stroke_width=5 if on_turn else 2),
        element("rect", x=6, y=6, width=14, height=SEAT_ROW - 20, rx=6, fill=f"url(#{prefix}-{seat})"),
        badge(seat, 46, 30, 17),
        label(72, 38, f"{seat_name(seat)}{you}", 24, font_weight=700),
        label(400, 38, mark, 20, text_anchor="end", fill=SOFT_INK),
        label(30, 72, seat_numbers(view, seat), 19),
        *basics,
        class_="seat",
        data_seat=seat,
    )


def seat_numbers(view: View, seat: Seat) -> str:
    """The counts of a seat, short."""
    baker = view.seats[seat]
    parts = (
        pluralize(view.scores[seat], "point"),
        pluralize(baker.cubes, "cube"),
        f"hand {baker.hand_count}",
        f"helped {len(orders_helped(view.completed, seat))}",
    )
    return " · ".join(parts)


def basic_card(kind: Ingredient, *, lit: bool, own: bool) -> str:
    """A Basic of a seat: pale and crossed while it lies on the board."""
    attributes: dict[str, Number | str] = (
        {"data_zone": "basics", "data_card": kind, "class_": "card"} if own and lit else {}
    )
    return element(
        "g",
        tooltip(f"{ingredient_name(kind)}: {'available' if lit else 'on the board'}"),
        element("rect", x=-2, y=-28, width=46, height=56, rx=9, fill=CREAM if lit else "none", stroke=CRUST,
                stroke_width=2, **({} if lit else {"stroke_dasharray": "5 5"})),
        element("g", icon(kind, 21, 0, 0.78), opacity=1 if lit else 0.25),
        **attributes,
    )  # fmt: skip


# -- SVG: what is the viewer's own ----------------------------------------------------------------------------------


def own_cards(view: View, viewer: Seat | None) -> str:
    """The viewer's drawn cards or hand, and the agenda with its points so far."""
    seat = own_seat(view, viewer)
    if seat is None:
        return ""
    hand = visible_hand(view.seats[seat]) or ()
    drawn = () if isinstance(view.drawn, UnsetType) or seat != view.turn else view.drawn
    cards = [("hand", kind) for kind in hand] + [("drawn", kind) for kind in drawn]
    heading = "Your hand, and the two cards you drew" if drawn else "Your hand" if hand else "Your hand is empty"
    gap = 100 if len(cards) > 3 else 106
    return "".join(
        (
            label(4, 24, heading, 22, font_weight=700),
            *(group(n * gap + (10 if zone == "drawn" else 0), 36, own_card(zone, kind))
              for n, (zone, kind) in enumerate(cards)),
            *agenda_card(view, seat, 0 if not cards else len(cards) * gap + 14),
        )
    )  # fmt: skip


def own_card(zone: str, kind: Special) -> str:
    """A card in the hand, or just drawn."""
    glow = (
        element("rect", width=96, height=112, rx=10, fill="none", stroke=GLOW, stroke_width=5)
        if zone == "drawn"
        else ""
    )
    words = f"{ingredient_name(kind)}, {'just drawn' if zone == 'drawn' else 'in your hand'}"
    return element("g", tooltip(words), card(kind, 96, 112), glow, data_zone=zone, data_card=kind, class_="card")


def agenda_card(view: View, seat: Seat, x: Number) -> Iterator[str]:
    """The viewer's Secret Agenda."""
    agenda = AGENDAS.get(view.seats[seat].agenda or "")
    if agenda is None:
        return
    width = INNER - x
    _, points = agenda_points(agenda, orders_helped(view.completed, seat))
    lines = wrap_words(agenda_text(agenda), max(int(width / 10.6) - 2, 10))
    size = 20 if len(lines) <= 3 else 16
    if len(lines) > 3:
        lines = wrap_words(agenda_text(agenda), int(width / 8.4) - 2)
    yield element("rect", x=x, y=36, width=width, height=140, rx=12, fill="#f3e3ef", stroke="#6c3a63", stroke_width=3)
    yield label(x + 14, 62, agenda.name, 21, font_weight=700, fill="#55284d")
    yield from (label(x + 14, 86 + n * (size + 3), line, size) for n, line in enumerate(lines))
    yield label(x + 14, 168, f"{pluralize(points, 'point')}{'' if view.result else ' so far'}", 20, fill="#55284d")


# -- SVG: lists -----------------------------------------------------------------------------------------------------


def collected_lists(view: View) -> Iterator[tuple[str, list[str]]]:
    """What has piled up: completed Orders, the boss's, and at the end everybody's agenda."""
    if view.completed:
        yield "Completed Orders, with whose cubes", wrap_list(describe_completed(view))
    if view.boss_pile:
        yield "Made by the head of the bakery", wrap_list(map(order_title, view.boss_pile))
    if view.result:
        agendas = (f"{seat_name(seat)}: {agenda_line(view, seat)}" for seat in range(view.players))
        yield "Secret Agendas", [line for words in agendas for line in wrap_words(words, PER_LINE + 8)]


def wrap_list(parts: Iterable[str]) -> list[str]:
    """A list in as many lines as it needs, parts kept whole."""
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part) + 2 > PER_LINE and lines[-1]:
            lines[-1] += ","
            lines.append("")
        lines[-1] += f", {part}" if lines[-1] else part
    return lines


def note_block(head: str, lines: list[str]) -> str:
    """A heading and lines of text."""
    rows = (label(4, 56 + n * LIST_ROW, line, 20, fill=SOFT_INK) for n, line in enumerate(lines))
    return "".join((label(4, 26, head, 22, font_weight=700), *rows))
