"""The table as a picture (rules, section 13), composed of the drawings in other modules."""

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
    """Return the table as SVG.

    Elements for scripts: `[data-card]` is a card in a `[data-zone]` (`hand`, `kitchen`, `row`, `trash`, `aside`),
    `[data-seat]` a seat, and `[data-pie]` a Pie (`seat.number`). The viewer's current options have a red frame.
    """
    prefix = f"pie-contest-{crc32(text(view, seat).encode()):08x}"
    highlighted = open_options(view, seat)
    sections = [(STACKS, stacks(view)), (ROW, row(view, highlighted))]
    sections += [
        (seat_height(view.seats[n]), seat_panel(view, n, seat, highlighted)) for n in display_order(view, seat)
    ]
    sections += [(cards_height(held), cards_section(view, seat, head, zone, held, highlighted))
                 for head, zone, held in visible_card_groups(view, seat)]  # fmt: skip
    parts, y = [], TOP_BAR
    for height, drawn in sections:
        parts.append(group(MARGIN, y, drawn))
        y += height
    return element(
        "svg",
        element("title", f"Pie Contest. Turn {view.turn}. {status(view).rstrip('.')}.", id=f"{prefix}-title"),
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
    """Return the keys of the cards, seats and Pies that the viewer can choose now."""
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
    """Return a description of the table for screen readers."""
    kitchens = (
        f"{baker_name(n)}: {seat_summary(seen)}; {card_names(seen.kitchen)} in the Kitchen"
        for n, seen in enumerate(view.seats)
    )
    row_cards = [card_name(slot.card) for slot in view.row if slot.card is not None]
    return f"{end_forecast(view).rstrip('.')}. Achievements: {', '.join(row_cards) or 'none'}. {'. '.join(kitchens)}."


def top_bar(view: View) -> str:
    """Draw the bar with turn and round, the status, and what is missing for the end."""
    state = status(view)
    frame = f"M0 {TOP_BAR - 12}V22A22 22 0 0 1 22 0H{WIDTH - 22}a22 22 0 0 1 22 22V{TOP_BAR - 12}z"
    forecast = end_forecast(view)
    cause = asking_card(view)
    return "".join(
        (
            element("path", d=frame, fill=BAR),
            label(20, 32, f"Turn {view.turn}, round {round_number(view)}", 22, fill=BAR_INK, font_weight=700),
            label(WIDTH - 20, 32, state, 22 if len(state) < 38 else 17, fill=BAR_INK, text_anchor="end"),
            label(20, 60, cause or forecast, 18 if len(cause or forecast) < 72 else 15, fill=BAR_INK),
        )
    )
