"""Draws the Pantry, decks, seats, the viewer's own cards and the lists."""

from collections.abc import Iterable, Iterator

from msgspec import UnsetType

from domain.games.bakers_brawl.presentation.layout import INNER, LIST_ROW, SEAT_ROW
from domain.games.bakers_brawl.presentation.narration import agenda_text, ingredient_name, order_title, seat_name
from domain.games.bakers_brawl.presentation.pictures import (
    SEAT_COLOURS,
    SEAT_TINTS,
    badge,
    card,
    icon,
    label,
)
from domain.games.bakers_brawl.presentation.text import (
    agenda_line,
    describe_completed,
    describe_pile,
    seat_summary,
    visible_hand,
)
from domain.games.bakers_brawl.rules.components import (
    AGENDAS,
    BASICS,
    Ingredient,
    Special,
)
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.parts import PANTRY_LIMIT
from domain.games.bakers_brawl.rules.scoring import agenda_points, orders_helped
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, CRUST, GLOW, INK, SOFT_INK, Number, element, group, tooltip
from domain.kernel.text import pluralize, wrap_words

PER_LINE = 58
"""Characters per line of small text."""


def own_seat(view: View, seat: Seat | None) -> Seat | None:
    """Return the viewer's seat if the view shows its hand, otherwise None."""
    return seat if seat is not None and seat < view.players and visible_hand(view.seats[seat]) is not None else None


SLOT = (94, 96)
DECK = 88


# -- Pantry, decks, seats -------------------------------------------------------------------------------------------


def store(view: View) -> str:
    """Draw the Pantry, the Special deck, the Orders deck and the discard pile."""
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
            label(4, 158, f"Discard pile: {clip_words(describe_pile(view.discard))}", 20, fill=SOFT_INK),
        )
    )


def clip_words(words: str) -> str:
    """Shorten a list to fit on one line."""
    return words if len(words) <= PER_LINE else words[: PER_LINE - 3].rsplit(",", 1)[0] + " ..."


def pantry_slot(view: View, n: int) -> str:
    """Draw a place in the Pantry."""
    width, height = SLOT
    if n >= len(view.pantry):
        return element("rect", width=width, height=height, rx=10, fill="none", stroke=CRUST, stroke_width=2,
                       stroke_dasharray="7 7")  # fmt: skip
    kind = view.pantry[n]
    return element("g", tooltip(f"{ingredient_name(kind)} in the Pantry"), card(kind, width, height),
                   data_zone="pantry",
                   data_card=kind, class_="card")  # fmt: skip


def deck(words: str, count: int, colour: str) -> str:
    """Draw a face-down deck with its number of cards."""
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
    """Draw a row for each seat, in round order."""
    order = [(view.start_seat + n) % view.players for n in range(view.players)]
    return "".join(group(0, n * SEAT_ROW, seat_row(view, seat, seat == viewer, prefix)) for n, seat in enumerate(order))


def seat_row(view: View, seat: Seat, own: bool, prefix: str) -> str:
    """Draw a seat with its counts and its Basics, lit if available."""
    baker = view.seats[seat]
    on_turn = view.phase != "over" and seat == view.turn
    frame = {"width": INNER, "height": SEAT_ROW - 8, "rx": 14}
    you = " (you)" if own else ""
    mark = "resigned" if not baker.active else "to act" if on_turn else ""
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
    """Return the counts of a seat in short form."""
    baker = view.seats[seat]
    parts = (
        pluralize(view.scores[seat], "point"),
        pluralize(baker.cubes, "cube"),
        f"hand {baker.hand_count}",
        f"helped {len(orders_helped(view.completed, seat))}",
    )
    return " · ".join(parts)


def basic_card(kind: Ingredient, *, lit: bool, own: bool) -> str:
    """Draw a Basic of a seat, pale and dashed while it is on the board."""
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


# -- the viewer's own cards -----------------------------------------------------------------------------------------


def own_cards(view: View, viewer: Seat | None) -> str:
    """Draw the viewer's hand, drawn cards and agenda with its points so far."""
    seat = own_seat(view, viewer)
    if seat is None:
        return ""
    hand = visible_hand(view.seats[seat]) or ()
    drawn = () if isinstance(view.drawn, UnsetType) or seat != view.turn else view.drawn
    cards = [("hand", kind) for kind in hand] + [("drawn", kind) for kind in drawn]
    heading = "Your hand and the two cards you drew" if drawn else "Your hand" if hand else "Your hand is empty"
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
    """Draw a card in the hand or one just drawn."""
    glow = (
        element("rect", width=96, height=112, rx=10, fill="none", stroke=GLOW, stroke_width=5)
        if zone == "drawn"
        else ""
    )
    caption = f"{ingredient_name(kind)}, {'just drawn' if zone == 'drawn' else 'in your hand'}"
    return element("g", tooltip(caption), card(kind, 96, 112), glow, data_zone=zone, data_card=kind, class_="card")


def agenda_card(view: View, seat: Seat, x: Number) -> Iterator[str]:
    """Draw the viewer's Secret Agenda."""
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


# -- lists ----------------------------------------------------------------------------------------------------------


def collected_lists(view: View) -> Iterator[tuple[str, list[str]]]:
    """Yield headings and lines: completed Orders, the boss's Orders and, at the end, all agendas."""
    if view.completed:
        yield "Completed Orders and who helped", wrap_list(describe_completed(view))
    if view.boss_pile:
        yield "Made by the head of the bakery", wrap_list(map(order_title, view.boss_pile))
    if view.result:
        agendas = (f"{seat_name(seat)}: {agenda_line(view, seat)}" for seat in range(view.players))
        yield "Secret Agendas", [line for words in agendas for line in wrap_words(words, PER_LINE + 8)]


def wrap_list(parts: Iterable[str]) -> list[str]:
    """Wrap a list over several lines without breaking its parts."""
    lines = [""]
    for part in parts:
        if len(lines[-1]) + len(part) + 2 > PER_LINE and lines[-1]:
            lines[-1] += ","
            lines.append("")
        lines[-1] += f", {part}" if lines[-1] else part
    return lines


def note_block(head: str, lines: list[str]) -> str:
    """Draw a heading and lines of text."""
    rows = (label(4, 56 + n * LIST_ROW, line, 20, fill=SOFT_INK) for n, line in enumerate(lines))
    return "".join((label(4, 26, head, 22, font_weight=700), *rows))
