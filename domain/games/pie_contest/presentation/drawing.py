"""The table as a picture (rules, section 13): the frame that the other drawings are put into."""

from zlib import crc32

from msgspec import UnsetType

from domain.games.pie_contest.presentation.board import row, stacks
from domain.games.pie_contest.presentation.card_text import card_name
from domain.games.pie_contest.presentation.hints import round_number
from domain.games.pie_contest.presentation.layout import MARGIN, ROW, WIDTH
from domain.games.pie_contest.presentation.narration import (
    baker_name,
    card_names,
)
from domain.games.pie_contest.presentation.panels import (
    cards_height,
    cards_section,
    seat_height,
    seat_panel,
    visible_card_groups,
)
from domain.games.pie_contest.presentation.pictures import (
    BAR,
    BAR_INK,
)
from domain.games.pie_contest.presentation.text import (
    asking_card,
    display_order,
    end_forecast,
    seat_summary,
    status,
    text,
)
from domain.games.pie_contest.rules.model import View
from domain.kernel.game import Seat
from domain.kernel.svg import WOOD, element, group, label, planks

TOP_BAR = 84
STACKS = 128


def svg(view: View, seat: Seat | None) -> str:
    """The table as a picture.

    For the page: `[data-card]` covers a card, in the zone that `[data-zone]` names (`hand`, `kitchen`, `row`, `trash`,
    `aside`), `[data-seat]` a seat, `[data-pie]` a Pie (`seat.number`). What the viewer may choose now glows.
    """
    prefix = f"pie-contest-{crc32(text(view, seat).encode()):08x}"
    wanted = open_options(view, seat)
    sections = [(STACKS, stacks(view)), (ROW, row(view, wanted))]
    sections += [(seat_height(view.seats[n]), seat_panel(view, n, seat, wanted)) for n in display_order(view, seat)]
    sections += [(cards_height(held), cards_section(view, seat, head, zone, held, wanted))
                 for head, zone, held in visible_card_groups(view, seat)]  # fmt: skip
    parts, y = [], TOP_BAR
    for height, drawn in sections:
        parts.append(group(MARGIN, y, drawn))
        y += height
    return element(
        "svg",
        element("title", f"Pie Contest. Turn {view.turn}. {status(view)}.", id=f"{prefix}-title"),
        element("desc", description(view), id=f"{prefix}-desc"),
        element("rect", width=WIDTH, height=y, rx=22, fill=WOOD),
        planks(WIDTH, range(140, y - 20, 120)),
        top_bar(view),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {y}",
        role="img",
        aria_labelledby=f"{prefix}-title {prefix}-desc",
        class_="table pie-contest",
        font_family="'Trebuchet MS', 'Segoe UI', Verdana, sans-serif",
    )


def open_options(view: View, seat: Seat | None) -> frozenset[str]:
    """The parts of the table that the viewer may choose now: cards, seats, Pies, as their keys name them."""
    question = view.question(seat)
    if question is None or isinstance(question.options, UnsetType):
        return frozenset()
    found: set[str] = set()
    for key in question.options:
        kind, _, rest = key.partition(":")
        match kind:
            case "card" | "ach" | "eff":
                found.add(f"card:{rest}")
            case "pair":
                found.update(f"card:{card}" for card in rest.split("/"))
            case "gift":
                card, _, receiver = rest.partition("/")
                found.update((f"card:{card}", f"seat:{receiver}"))
            case _:
                found.add(key)
    return frozenset(found)


def description(view: View) -> str:
    """The table in a few sentences, for those who do not see it."""
    kitchens = (
        f"{baker_name(n)}: {seat_summary(seen)}; {card_names(seen.kitchen)} in the Kitchen"
        for n, seen in enumerate(view.seats)
    )
    row_cards = [card_name(slot.card) for slot in view.row if slot.card is not None]
    return f"{end_forecast(view)}. Achievements: {', '.join(row_cards) or 'none'}. {'. '.join(kitchens)}."


def top_bar(view: View) -> str:
    """Turn and round, whose turn it is, and what is missing for the end."""
    said = status(view)
    frame = f"M0 {TOP_BAR - 12}V22A22 22 0 0 1 22 0H{WIDTH - 22}a22 22 0 0 1 22 22V{TOP_BAR - 12}z"
    second = end_forecast(view)
    ask = asking_card(view)
    return "".join(
        (
            element("path", d=frame, fill=BAR),
            label(20, 32, f"Turn {view.turn}, round {round_number(view)}", 22, fill=BAR_INK, font_weight=700),
            label(WIDTH - 20, 32, said, 22 if len(said) < 38 else 17, fill=BAR_INK, text_anchor="end"),
            label(20, 60, ask or second, 18 if len(ask or second) < 72 else 15, fill=BAR_INK),
        )
    )
