"""A view as text and as SVG (rules, section 13): north is always up."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from zlib import crc32

from msgspec import UNSET

from domain.games.take_the_cake.presentation.narration import DIRECTIONS, card_name, describe_tile
from domain.games.take_the_cake.presentation.pictures import (
    CARD,
    PAINT,
    PAPER,
    box,
    card,
    card_back,
    corner,
    floor,
    ingredient,
    label,
    oven,
    pill,
    robot,
    shelf,
    tick,
    wall,
)
from domain.games.take_the_cake.rules.board import BOARDS, OVEN, Board, board_of, start_corner
from domain.games.take_the_cake.rules.components import CARD_ORDER, FEATURED, INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.model import (
    BOARD_SIZE,
    COLOURS,
    Baker,
    Card,
    Facing,
    Ingredient,
    Laid,
    Square,
    Tokens,
    View,
)
from domain.games.take_the_cake.rules.programs import is_live
from domain.kernel.game import Seat
from domain.kernel.svg import INK, WOOD, element, group, tooltip
from domain.kernel.text import join_and, pluralize

TILES: tuple[Square, ...] = tuple(product(range(BOARD_SIZE), range(BOARD_SIZE)))
ARROWS: dict[Facing, str] = {"N": "^", "E": ">", "S": "v", "W": "<"}

# -- in words, for both pictures --------------------------------------------------------------------------------------


def heading(view: View) -> str:
    """Where the match stands."""
    if view.phase == "placement":
        return "Placing the ingredients"
    return f"Round {view.round} of {view.options.round_limit}" if view.round else "Setting up"


def status(view: View) -> str:
    """Whom the table waits for, or how it ended."""
    if view.result is None:
        return f"Waiting for {COLOURS[view.to_move[0]]}" if view.to_move else "Setting up"
    if not view.result.winners:
        return "Nobody wins"
    verb = "wins" if len(view.result.winners) == 1 else "win"
    return f"{join_and([COLOURS[seat] for seat in view.result.winners])} {verb}".capitalize()


def featured_name(view: View) -> str:
    """The featured item."""
    return FEATURED[view.featured].name if view.featured in FEATURED else "none yet"


def needed_ingredients(view: View) -> tuple[Ingredient, ...]:
    """The ingredients of the recipe."""
    return RECIPES[view.recipe].ingredients if view.recipe in RECIPES else ()


def shown_tokens(view: View) -> Tokens:
    """The tokens as they lie, or as they are proposed."""
    return view.tokens if view.talks is None else view.talks.standing


def describe_place(baker: Baker) -> str:
    """A baker's place in words."""
    if baker.at is None or baker.facing is None:
        return "off the board"
    return f"at {describe_tile(baker.at)} facing {DIRECTIONS[baker.facing]}"


def describe_collected(view: View, baker: Baker) -> str:
    """What a baker has collected."""
    return f"{len(baker.collected)} of {len(needed_ingredients(view))}" + (" and the pastry" if baker.baked else "")


def count_cards(cards: tuple[Card, ...]) -> list[str]:
    """Cards counted by name, in canonical order."""
    names = Counter(card_name(one) for one in sorted(cards, key=CARD_ORDER.__getitem__))
    return [f"{count} {name}" if count > 1 else name for name, count in names.items()]


def board(view: View) -> Board:
    """The board, empty before it is laid."""
    return board_of(view.layout)


def baker_on(view: View, square: Square) -> Seat | None:
    """The seat whose baker stands on a tile."""
    return next((seat for seat, baker in enumerate(view.bakers) if baker.at == square), None)


# -- text -------------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """The table in letters.

    `##` is a wall, `oo` the Oven, `i.` an ingredient tile with a token named by its first letters (`eg` eggs), `R>` the
    red baker facing east; a baker on a token hides it.
    """
    tokens = {at: name for name, at in shown_tokens(view).items()}
    lines = [
        f"{heading(view)}. {status(view)}.",
        f"Today's special: {featured_name(view)}{text_tags(view)}. Recipe: {text_recipe(view)}.",
        "",
        "     " + " ".join(f"{col:>2}" for col in range(BOARD_SIZE)),
        *(
            f"{row:>3}  " + " ".join(text_tile(view, tokens, (row, col)) for col in range(BOARD_SIZE))
            for row in range(BOARD_SIZE)
        ),
        "",
        *(text_seat(view, number, seat) for number in range(len(view.bakers))),
        f"deck {view.deck.count}, discard {len(view.discard)}, specials to come {view.featured_deck.count}",
    ]
    if view.talks is not None:
        lines.append(text_talks(view))
    if view.laid:
        lines.append(f"laid: {', '.join(map(card_name, view.laid))}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_tags(view: View) -> str:
    """The tags of the featured item."""
    return f" ({', '.join(FEATURED[view.featured].tags)})" if view.featured in FEATURED else ""


def text_recipe(view: View) -> str:
    """The recipe with its ingredients."""
    if view.recipe not in RECIPES:
        return "none yet"
    return f"{RECIPES[view.recipe].name} ({', '.join(INGREDIENT_NAMES[one] for one in needed_ingredients(view))})"


def text_tile(view: View, tokens: dict[Square, Ingredient], square: Square) -> str:
    """One tile, two characters wide."""
    seat = baker_on(view, square)
    if seat is not None:
        return letter(seat) + ARROWS[view.bakers[seat].facing or "N"]
    return tokens[square][:2] if square in tokens else text_floor(view.layout)[square]


@lru_cache(BOARDS)
def text_floor(layout: tuple[Laid, ...]) -> dict[Square, str]:
    """Every tile of a board with nothing on it."""
    printed = board_of(layout)
    marks = dict.fromkeys(TILES, " .") | dict.fromkeys(printed.walls, "##") | dict.fromkeys(printed.all_items, "i.")
    return marks | dict.fromkeys(OVEN, "oo") if layout else marks


def text_seat(view: View, number: Seat, seat: Seat | None) -> str:
    """A seat: ingredients, place, hand."""
    baker, hand = view.bakers[number], view.hands[number]
    ticked = ", ".join(INGREDIENT_NAMES[one] for one in baker.collected)
    cards = pluralize(hand.count, "card") if hand.cards is UNSET else " ".join(hand.cards) or "no cards"
    you = " (you)" if number == seat else ""
    gone = ", resigned" if number in view.out else ""
    has_it = f"{describe_collected(view, baker)}{f' ({ticked})' if ticked else ''}"
    return f"{COLOURS[number]}{you}: {has_it}, {describe_place(baker)}{gone}; {cards}"


def text_talks(view: View) -> str:
    """Where the agreement stands."""
    assert view.talks is not None
    by = "dealt" if view.talks.by is None else f"proposed by {COLOURS[view.talks.by]}"
    accepted = join_and([COLOURS[one] for one in view.talks.accepted]) or "nobody"
    return f"the arrangement is {by}; accepted by {accepted}"


# -- SVG: the frame ---------------------------------------------------------------------------------------------------

WIDTH = 720
TOP_BAR = 124
CELL = 62
LEFT = 58
TOP = TOP_BAR + 34
"""Where the board begins."""
BELOW = TOP + BOARD_SIZE * CELL + 60
"""Where what lies under the board begins."""
HAND_ROW = CARD[1] + 60
RECIPE_ROW = 44
SEAT_ROW = 66
KITCHEN_CACHE_SIZE = 64
"""Boards whose picture is remembered."""
CLICK_AREA_CACHE_SIZE = 2048
"""Tiles with their words that are remembered: most of them are blank."""


def svg(view: View, seat: Seat | None) -> str:
    """The table as a picture.

    For the page: `[data-cell="r,c"]` on every tile, `[data-ingredient]` on tokens, `[data-seat]` on bakers,
    `[data-card]` on the cards of the viewer's own hand and of a program that runs, with the class `live` or `dead` for
    what an If would do now.
    """
    rows = card_rows(view, seat)
    under = BELOW + HAND_ROW * len(rows)
    return frame_picture(
        view,
        seat,
        0,
        under + counts_height(view),
        kitchen_and_bar(view),
        *(card_row(view, *row, BELOW + HAND_ROW * n) for n, row in enumerate(rows)),
        counts(view, seat, under),
    )


def svg_of_board(view: View, seat: Seat | None, over: str = "") -> str:
    """The upper part of the picture alone: today's special and the board, for a page that shows the rest beside it.

    `over` is drawn over the board.
    """
    return frame_picture(view, seat, 0, BELOW, kitchen_and_bar(view), over)


def svg_of_counts(view: View, seat: Seat | None) -> str:
    """The lower part alone: the recipe with what everyone has, the decks, the seats."""
    return frame_picture(view, seat, BELOW - 16, BELOW + counts_height(view), counts(view, seat, BELOW))


def frame_picture(view: View, seat: Seat | None, top: float, bottom: float, *content: str) -> str:
    """A picture from `top` to `bottom`, with its title and its words for those who cannot see it."""
    words = summary(view, seat)
    name = f"take-the-cake-{crc32(f'{top} {words}'.encode()):08x}"
    return element(
        "svg",
        element("title", f"Take the Cake. {heading(view)}. {status(view)}.", id=f"{name}-title"),
        element("desc", words.replace("&", "&amp;").replace("<", "&lt;"), id=f"{name}-desc"),
        box(0, top, WIDTH, bottom - top, WOOD, 22),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 {top} {WIDTH} {bottom - top}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="board take-the-cake",
        font_family="system-ui, 'Segoe UI', Roboto, sans-serif",
    )


def kitchen_and_bar(view: View) -> str:
    """The top bar, the board, and below it whom the table waits for."""
    return "".join(
        (
            top_bar(view),
            kitchen(view),
            label(LEFT, BELOW - 14, f"{status(view)}.", 24, font_weight=700, class_="status"),
            label(WIDTH - 38, BELOW - 14, f"Turn {view.turn}" if view.turn else "", 20, text_anchor="end"),
        )
    )


def counts(view: View, seat: Seat | None, top: float) -> str:
    """The recipe, the decks and the seats, from `top` on."""
    seats_top = top + recipe_height(view) + 14
    seats = (seat_panel(view, seat, n, seats_top + n * seat_row(view)) for n in range(len(view.bakers)))
    return "".join((recipe_panel(view, top), piles(view, top), *seats))


def counts_height(view: View) -> int:
    """How high all that is."""
    return recipe_height(view) + seat_row(view) * len(view.bakers) + 32


def summary(view: View, seat: Seat | None) -> str:
    """The picture for those who cannot see it."""
    tokens = ", ".join(f"{INGREDIENT_NAMES[one]} {describe_tile(at)}" for one, at in shown_tokens(view).items())
    bakers = (
        f"{COLOURS[number].capitalize()} {describe_place(baker)}, has {describe_collected(view, baker)}"
        for number, baker in enumerate(view.bakers)
    )
    hand = own_hand(view, seat)
    cards = [f"Your hand: {', '.join(map(card_name, hand))}"] if hand else []
    return ". ".join((f"Today's special: {featured_name(view)}", f"Ingredients: {tokens}", *bakers, *cards)) + "."


def own_hand(view: View, seat: Seat | None) -> tuple[Card, ...]:
    """The viewer's own hand."""
    if seat is None or seat >= len(view.hands):
        return ()
    cards = view.hands[seat].cards
    return () if cards is UNSET else cards


def top_bar(view: View) -> str:
    """The featured item with its tags, the round, and how many specials are still to come."""
    if view.talks is not None:
        return (
            label(24, 34, heading(view), 22, font_weight=600)
            + label(24, 70, f"{status(view)}.", 28, font_weight=700)
            + label(24, 108, f"{text_talks(view)}.".capitalize(), 20)
        )
    parts = [
        label(24, 34, "Today's special", 20),
        label(24, 68, featured_name(view), 30, font_weight=700, class_="featured"),
        label(WIDTH - 24, 34, heading(view), 22, text_anchor="end", font_weight=600),
        label(WIDTH - 24, 108, f"{view.featured_deck.count} more specials", 20, text_anchor="end"),
    ]
    x = 24.0
    for tag in FEATURED[view.featured].tags if view.featured in FEATURED else ():
        drawn, width = pill(x, 84, tag)
        parts.append(drawn)
        x += width + 10
    return "".join(parts)


# -- SVG: the board ---------------------------------------------------------------------------------------------------


def corner_of(square: Square) -> tuple[float, float]:
    """The upper left corner of a tile."""
    return LEFT + square[1] * CELL, TOP + square[0] * CELL


def middle_of(square: Square) -> tuple[float, float]:
    """The middle of a tile."""
    x, y = corner_of(square)
    return x + CELL / 2, y + CELL / 2


def kitchen(view: View) -> str:
    """The board: numbers, tiles, seams, the Oven, tokens and bakers."""
    tokens = tuple(shown_tokens(view).items())
    return "".join(
        (
            bare_kitchen(view.layout, len(view.bakers)),
            *(token(view, name, at) for name, at in tokens),
            *(baker_picture(view, number) for number in range(len(view.bakers))),
            *(covered_ingredient(name, at) for name, at in tokens if baker_on(view, at) is not None),
            *(click_area(square, describe_tile_content(view, square)) for square in TILES),
        )
    )


@lru_cache(KITCHEN_CACHE_SIZE)
def bare_kitchen(layout: tuple[Laid, ...], seats: int) -> str:
    """The board with nothing on it: it stays the same for a whole match."""
    size = BOARD_SIZE * CELL
    return "".join(
        (
            box(LEFT - 10, TOP - 6, size + 20, size + 24, "#8d6240", 14),
            box(LEFT - 10, TOP - 10, size + 20, size + 20, "#c99a63", 14),
            box(LEFT - 2, TOP - 2, size + 4, size + 4, "#d9c3a0", 6),
            *numbers(),
            *(tile_picture(board_of(layout), seats, square) for square in TILES),
            seams(),
            group(*corner_of((4, 4)), tooltip("The Oven"), oven(CELL), class_="oven") if layout else "",
        )
    )


def numbers() -> Iterator[str]:
    """Row and column numbers."""
    for n in range(BOARD_SIZE):
        middle = n * CELL + CELL / 2
        yield label(LEFT + middle, TOP - 16, str(n), 20, text_anchor="middle", font_weight=600)
        yield label(LEFT - 20, TOP + middle + 7, str(n), 20, text_anchor="end", font_weight=600)


def seams() -> str:
    """The seams between the quadrants."""
    x, y = LEFT + 5 * CELL, TOP + 5 * CELL
    d = f"M{x} {TOP}v{BOARD_SIZE * CELL}M{LEFT} {y}h{BOARD_SIZE * CELL}"
    return element("path", d=d, stroke="#b08a55", stroke_width=2.5, stroke_dasharray="3 7", fill="none")


def tile_picture(printed: Board, seats: int, square: Square) -> str:
    """The floor of one tile."""
    if square in printed.walls:
        drawn = wall(CELL)
    elif square in printed.all_items:
        drawn = shelf(CELL)
    elif colour := corner_colour(seats, square):
        drawn = corner(CELL, colour)
    else:
        drawn = floor(CELL, sum(square) % 2 == 1)
    return group(*corner_of(square), drawn)


def corner_colour(seats: int, square: Square) -> str:
    """The colour of a start corner, empty for other tiles."""
    return next((COLOURS[seat] for seat in range(seats) if start_corner(seats, seat) == square), "")


def token(view: View, name: Ingredient, at: Square) -> str:
    """An ingredient on the board, with a tick of each seat that has it; faint while it is only proposed."""
    x, y = middle_of(at)
    ticks = [
        group(-21 + 14 * n, -21, tick(COLOURS[number]))
        for n, number in enumerate(seat for seat, baker in enumerate(view.bakers) if name in baker.collected)
    ]
    return group(
        x,
        y,
        ingredient(name),
        *ticks,
        class_="token" if view.talks is None else "token proposed",
        data_ingredient=name,
        opacity=1 if view.talks is None else 0.75,
    )


def covered_ingredient(name: Ingredient, at: Square) -> str:
    """A small picture of the ingredient that lies under a baker."""
    x, y = middle_of(at)
    small = element("g", ingredient(name), transform="scale(.55)")
    return group(x + 19, y + 19, element("circle", r=12, fill=PAPER, stroke=INK), small, class_="reminder")


def baker_picture(view: View, seat: Seat) -> str:
    """A baker on its tile."""
    baker = view.bakers[seat]
    if baker.at is None or baker.facing is None:
        return ""
    x, y = middle_of(baker.at)
    return group(x, y, robot(COLOURS[seat], baker.facing), class_="baker", data_seat=seat)


@lru_cache(CLICK_AREA_CACHE_SIZE)
def click_area(square: Square, words: str) -> str:
    """An invisible area over a tile, for clicks; hovering tells what is there."""
    x, y = corner_of(square)
    return element(
        "rect",
        tooltip(words),
        class_="cell-hit",
        data_cell=f"{square[0]},{square[1]}",
        x=x,
        y=y,
        width=CELL,
        height=CELL,
        fill="#fff",
        fill_opacity=0,
        pointer_events="all",
    )


def describe_tile_content(view: View, square: Square) -> str:
    """What is on a tile."""
    parts = [INGREDIENT_NAMES[name] for name, at in shown_tokens(view).items() if at == square]
    if square in board(view).walls:
        parts.append("a wall")
    if square in OVEN:
        parts.append("the Oven")
    seat = baker_on(view, square)
    if seat is not None:
        baker = view.bakers[seat]
        parts.append(f"{COLOURS[seat]} facing {DIRECTIONS[baker.facing or 'N']}, has {describe_collected(view, baker)}")
    return f"{describe_tile(square)}: {', '.join(parts)}" if parts else describe_tile(square)


# -- SVG: cards -------------------------------------------------------------------------------------------------------


def card_rows(view: View, seat: Seat | None) -> list[tuple[str, tuple[Card, ...]]]:
    """What cards are shown below the board: a program that is running just now, and the viewer's own hand."""
    rows = []
    if view.laid and view.acting is not None:
        rows.append((f"{COLOURS[view.acting].capitalize()}'s program", view.laid))
    hand = own_hand(view, seat)
    return [*rows, ("Your hand", hand)] if hand else rows


def card_row(view: View, title: str, cards: tuple[Card, ...], top: float) -> str:
    """A row of cards; Ifs that would run now glow, others are grey."""
    gap = (WIDTH - 40) / len(cards)
    drawn = [label(24, top + 26, title, 22, font_weight=600)]
    for n, one in enumerate(cards):
        live = is_live(one, view.featured)
        x = 20 + gap * n + (gap - CARD[0]) / 2
        told = card_name(one) if live else f"{card_name(one)}: has no effect today"
        drawn.append(
            group(
                x, top + 40, tooltip(told), card(one, live), class_=f"card {'live' if live else 'dead'}", data_card=one
            )
        )
    return "".join(drawn)


def recipe_height(view: View) -> int:
    """How high the recipe is."""
    return 66 + RECIPE_ROW * max(len(needed_ingredients(view)), 3)


def recipe_panel(view: View, top: float) -> str:
    """The recipe card: a row for each ingredient, a column for each seat."""
    title = RECIPES[view.recipe].name if view.recipe in RECIPES else "No recipe yet"
    parts = [
        box(16, top, 440, recipe_height(view), PAPER, 16, stroke="#c8a26a", stroke_width=2),
        label(34, top + 34, title, 26, font_weight=700),
    ]
    parts += [
        label(check_x(view, seat) + 15, top + 57, letter(seat), 20, text_anchor="middle", font_weight=700)
        for seat in range(len(view.bakers))
    ]
    for n, name in enumerate(needed_ingredients(view)):
        y = top + 78 + n * RECIPE_ROW
        parts += [
            element("g", ingredient(name), transform=f"translate(54 {y:g}) scale(.9)"),
            label(84, y + 8, INGREDIENT_NAMES[name], 23),
        ]
        parts += [check_box(view, seat, name, y) for seat in range(len(view.bakers))]
    return "".join(parts)


def check_x(view: View, seat: Seat) -> float:
    """Where the column of a seat begins."""
    return 440 - 46 * (len(view.bakers) - seat)


def letter(seat: Seat) -> str:
    """The letter of a seat, as on its robot: colours alone are not for everybody."""
    return COLOURS[seat][0].upper()


def check_box(view: View, seat: Seat, name: Ingredient, y: float) -> str:
    """The box of one seat and one ingredient."""
    x = check_x(view, seat)
    _, pale, edge = PAINT[COLOURS[seat]]
    frame = box(x, y - 15, 30, 30, pale, 8, stroke=edge, stroke_width=2)
    if name not in view.bakers[seat].collected:
        return frame
    mark = element(
        "path", d=f"M{x + 7} {y}l6 7l11 -13", fill="none", stroke=edge, stroke_width=4.5, stroke_linecap="round"
    )
    return frame + mark


def piles(view: View, top: float) -> str:
    """Deck and discard pile, with their counts; hovering tells what has been discarded."""
    top_card = card_name(view.discard[-1]) if view.discard else "empty"
    return "".join(
        (
            box(468, top, WIDTH - 484, recipe_height(view), PAPER, 16, stroke="#c8a26a", stroke_width=2),
            group(492, top + 18, tooltip(f"Deck: {view.deck.count}"), card_back(), class_="deck"),
            label(562, top + 52, "Deck", 20),
            label(562, top + 80, str(view.deck.count), 26, font_weight=700),
            group(
                492,
                top + 108,
                tooltip(f"Discarded: {', '.join(count_cards(view.discard)) or 'empty'}"),
                box(0, 0, 56, 76, "#f5ecdb", 9, stroke="#b59a78", stroke_width=2.5),
                label(28, 48, str(len(view.discard)), 24, text_anchor="middle", font_weight=700),
                class_="discard",
            ),
            label(562, top + 142, "Discard", 20),
            label(562, top + 170, shorten_name(top_card), 20),
        )
    )


def shorten_name(words: str) -> str:
    """A card's name, cut to fit the panel."""
    return words.partition(" (")[0]


def seat_panel(view: View, viewer: Seat | None, number: Seat, top: float) -> str:
    """A seat: its robot, its name, what it has, where it stands, and another's hand if it can be seen."""
    colour, baker, hand = COLOURS[number], view.bakers[number], view.hands[number]
    body, pale, edge = PAINT[colour]
    acting = number in view.to_move
    title = colour.capitalize() + (" (you)" if number == viewer else "") + (", resigned" if number in view.out else "")
    held = () if hand.cards is UNSET or number == viewer else hand.cards
    frame = {"stroke": edge if acting else body, "stroke_width": 4 if acting else 2}
    return group(
        0,
        top,
        element("rect", x=16, y=0, width=WIDTH - 32, height=seat_row(view) - 8, rx=14, fill=pale, **frame),
        element("g", robot(colour, baker.facing or "N"), transform="translate(52 31) scale(.8)"),
        label(86, 26, f"{title}: {describe_collected(view, baker)}", 22, font_weight=700),
        label(86, 50, f"{describe_place(baker)}, {pluralize(hand.count, 'card')}".capitalize(), 20),
        label(86, 76, ", ".join(shorten_name(card_name(one)) for one in held), 19) if held else "",
        class_="seat acting" if acting else "seat",
    )


def seat_row(view: View) -> int:
    """How high a seat is: higher when hands are open."""
    return SEAT_ROW + (26 if view.options.open_hands or view.result else 0)
