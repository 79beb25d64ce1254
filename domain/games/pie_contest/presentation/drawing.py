"""A view as text and as SVG (rules, section 13)."""

from collections.abc import Iterator
from zlib import crc32

from msgspec import UnsetType

from domain.games.pie_contest.presentation.card_text import card_name, condition_text, face_text, reward_text
from domain.games.pie_contest.presentation.hints import closing_note, play_hint, progress, round_number, still_to_bake
from domain.games.pie_contest.presentation.narration import (
    END_SENTENCES,
    QUESTION_TEXTS,
    baker_name,
    card_names,
    describe_winner,
    format_number,
)
from domain.games.pie_contest.presentation.pictures import (
    BAR,
    BAR_INK,
    GOLD,
    SEAT_COLOURS,
    SEAT_TINTS,
    badge,
    card_back,
    hand_card,
    lamp,
    small_card,
    words,
    wrap_text,
)
from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import ACTIONS
from domain.games.pie_contest.rules.model import ROW_SIZE, Cards, Pie, SeenBaker, View, visible_cards
from domain.games.pie_contest.rules.pie_values import count_salts
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, CRUST, GLOW, PAPER, SOFT_INK, WOOD, Number, element, group, label, planks, tooltip
from domain.kernel.text import join_and, pluralize

# -- in words, for both pictures ----------------------------------------------------------------------------------


def status(view: View) -> str:
    """Whom the table waits for, or how it ended."""
    if not view.turn:
        return "The table is not set yet"
    if view.result:
        return describe_winner(view.result.scores, view.result.winners)
    if view.phase == "choice":
        who = join_and(map(baker_name, view.to_move)) if len(view.to_move) < 4 else f"{len(view.to_move)} bakers"
        return f"{who} to choose {QUESTION_TEXTS[view.choices[0].kind]}"
    if view.phase == "trim":
        return f"{baker_name(view.active)} to trash {pluralize(view.to_trim, 'card')}"
    if view.stage == "acted":
        return f"{baker_name(view.active)} may play {view.plays_left} more"
    return f"{baker_name(view.active)} to play"


def asking_card(view: View) -> str:
    """The card that asks, while a choice is open."""
    by_card = view.phase == "choice" and view.agenda and view.choices[0].kind != "order_achievement"
    return f"{card_name(view.agenda[0].src)} asks" if by_card else ""


def end_forecast(view: View) -> str:
    """How the contest will end, or why it did."""
    if view.result:
        return END_SENTENCES[view.result.why]
    return ", ".join(filter(None, (still_to_bake(view), closing_note(view))))


def visible_hand(seen: SeenBaker) -> Cards | None:
    """The hand, if the view shows it."""
    return None if isinstance(seen.hand, UnsetType) else seen.hand


def seat_summary(seen: SeenBaker) -> str:
    """What a seat has, in words."""
    if seen.out:
        return "resigned"
    parts = [f"{pluralize(seen.hand_count, 'card')} in hand", f"Kitchen worth {format_number(seen.worth)}"]
    if seen.if_baked is not None:
        parts.append(f"as a Pie {format_number(seen.if_baked)}")
    return ", ".join(parts)


def achievement_progress(view: View, slot: int) -> Iterator[tuple[Seat, int, int]]:
    """How near each live seat is to an Achievement: (seat, has, needs)."""
    for seat, seen in enumerate(view.seats):
        found = None if seen.out else progress(view, seat, slot)
        if found:
            yield seat, min(found), found[1]


def display_order(view: View, viewer: Seat | None) -> list[Seat]:
    """The seats from the viewer's to the right, so that the next player always follows."""
    count = len(view.seats)
    return [((viewer or 0) + n) % count for n in range(count)]


# -- text ---------------------------------------------------------------------------------------------------------

TRASH_SHOWN = 12


def text(view: View, seat: Seat | None) -> str:
    """The table in letters."""
    newest = ", ".join(map(card_name, reversed(view.trash[-TRASH_SHOWN:]))) or "empty"
    lines = [
        f"Turn {view.turn}, round {round_number(view)}. {status(view)}.",
        *(f"{line}." for line in (asking_card(view), end_forecast(view).rstrip(".")) if line),
        "",
        f"Pantry {view.pantry_count}, Achievement pile {view.pile_count}, Trash {len(view.trash)}, newest: {newest}",
        *(text_slot(view, slot) for slot in range(ROW_SIZE)),
        "",
        *(line for n in display_order(view, seat) for line in text_seat(view, n)),
    ]
    if aside := visible_cards(view.aside):
        lines.append(f"Looked at: {card_names(aside)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_slot(view: View, slot: int) -> str:
    """An Achievement in one line, with how near everybody is."""
    card = view.row[slot].card
    if card is None:
        return f"  {slot + 1}. empty"
    found = ", ".join(f"{baker_name(seat)} {has}/{needs}" for seat, has, needs in achievement_progress(view, slot))
    locked = " (completed this turn)" if card in view.locked else ""
    nearest = f"  [{found}]" if found else ""
    return f"  {slot + 1}. {card_name(card)}: {condition_text(card)} > {reward_text(card)}{locked}{nearest}"


def text_seat(view: View, seat: Seat) -> Iterator[str]:
    """A seat: what it has, Kitchen, Pies, and the hand where it is the reader's to see."""
    seen = view.seats[seat]
    mark = "*" if seat in view.to_move else " "
    yield f"{mark}{baker_name(seat)}: {seat_summary(seen)}"
    kitchen = (
        f"{card_name(card)} {format_number(worth)}" for card, worth in zip(seen.kitchen, seen.worths, strict=True)
    )
    if seen.kitchen:
        yield f"   Kitchen: {', '.join(kitchen)}"
    for n, pie in enumerate(seen.pies, 1):
        yield f"   Pie {n}: {' '.join(map(format_number, pie.values))}"
    hand = visible_hand(seen)
    if hand is not None:
        yield f"   hand: {', '.join(map(card_name, hand)) or 'empty'}"


# -- SVG: the frame -----------------------------------------------------------------------------------------------

WIDTH = 720
MARGIN = 14
INNER = WIDTH - 2 * MARGIN
TOP_BAR = 84
STACKS = 128
ROW = 210
MIN_SEAT_HEIGHT = 158
PIE_ROW = 26
PIES_SHOWN = 4
"""Score rows that fit beside a Kitchen."""
SLOT = (100, 100)
CARD = (168, 176)
PER_ROW = 4


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


def glow(width: Number, height: Number, rx: Number = 11) -> str:
    """A frame around what can be chosen."""
    return element(
        "rect", x=-2, y=-2, width=width + 4, height=height + 4, rx=rx, fill="none", stroke=GLOW, stroke_width=5
    )


# -- SVG: the middle ----------------------------------------------------------------------------------------------


def stacks(view: View) -> str:
    """Pantry, Trash and Achievement pile."""
    arrow = element("path", d="M0-18v44m-9-12l9 13l9-13", fill="none", stroke=SOFT_INK, stroke_width=4,
                    stroke_linecap="round")  # fmt: skip
    way = words(26, 4, "turns go right:", 16, fill=SOFT_INK) + words(26, 24, "down this page", 16, fill=SOFT_INK)
    return "".join(
        (
            group(0, 6, stack("Pantry", view.pantry_count, "#9a4a2b")),
            group(124, 6, trash(view)),
            group(INNER - 118, 6, stack("Achievements", view.pile_count, "#5a6b2c")),
            group(408, 52, tooltip("The next baker sits to the right: below on this page."), arrow,
                  way),
        )
    )  # fmt: skip


def stack(what: str, count: int, colour: str) -> str:
    """A face-down pile with its count."""
    return "".join(
        (
            tooltip(f"{what}: {pluralize(count, 'card')}, face down"),
            card_back(114, 108, colour),
            label(57, 76, str(count), 28, fill="#fff", text_anchor="middle", font_weight=700),
            label(57, 98, what, 16 if len(what) < 10 else 14, fill="#fff", text_anchor="middle"),
        )
    )


def trash(view: View) -> str:
    """The Trash: its newest card and how many there are."""
    count = f"Trash, {pluralize(len(view.trash), 'card')}"
    if not view.trash:
        frame = element(
            "rect", width=260, height=108, rx=10, fill="none", stroke=CRUST, stroke_width=3, stroke_dasharray="8 8"
        )
        return frame + words(130, 60, "Trash: empty", 18, fill=SOFT_INK, text_anchor="middle")
    newest = [card_name(card) for card in reversed(view.trash[-3:])]
    lines = [f"{n + 1}. {title}" for n, title in enumerate(newest)]
    return element(
        "g",
        tooltip(f"{count}, all face up. Newest: {', '.join(newest)}."),
        element("rect", width=260, height=108, rx=10, fill="#e9e2d6", stroke="#6d5a48", stroke_width=3),
        words(12, 24, count, 18, font_weight=700),
        *(words(12, 50 + n * 22, line, 18) for n, line in enumerate(lines)),
        data_zone="trash",
        class_="trash",
    )


def row(view: View, wanted: frozenset[str]) -> str:
    """The three face-up Achievements."""
    width = (INNER - 16) / ROW_SIZE
    return "".join(group(n * (width + 8), 4, slot_picture(view, n, width, wanted)) for n in range(ROW_SIZE))


def slot_picture(view: View, slot: int, width: float, wanted: frozenset[str]) -> str:
    """An Achievement: what it asks for, what it gives, how near everybody is."""
    card, height = view.row[slot].card, ROW - 16
    frame: dict[str, Number | str] = {"width": f"{width:g}", "height": height, "rx": 12}
    if card is None:
        return element("rect", **frame, fill="none", stroke=CRUST, stroke_width=3, stroke_dasharray="8 8")
    asks, gives = wrap_text(condition_text(card), 20, 3), wrap_text(f"> {reward_text(card)}", 22, 5)
    size = 17 if len(gives) + len(asks) < 6 else 15
    locked = "Completed this turn: not again before the next. " if card in view.locked else ""
    found = list(achievement_progress(view, slot))
    return element(
        "g",
        tooltip(f"{card_name(card)}: {condition_text(card)} > {reward_text(card)}. {locked}"),
        element("rect", **frame, fill=CREAM, stroke="#a8862a", stroke_width=3),
        element("path", d=f"M0 32V12A12 12 0 0 1 12 0H{width - 12:g}a12 12 0 0 1 12 12V32z", fill=GOLD),
        label(10, 23, card_name(card), 19 if len(card_name(card)) < 19 else 16, fill="#fff", font_weight=700),
        *(words(10, 54 + n * 19, line, 17, font_weight=700) for n, line in enumerate(asks)),
        *(words(10, 60 + 19 * len(asks) + n * (size + 2), line, size) for n, line in enumerate(gives)),
        *progress_marks(found, height - 14),
        glow(width, height) if f"card:{card}" in wanted else "",
        data_zone="row",
        data_card=card,
        class_="card",
    )


def progress_marks(found: list[tuple[Seat, int, int]], y: Number) -> Iterator[str]:
    """A letter and a count for each seat; those who have enough in bold."""
    top = y - 24 * ((len(found) - 1) // 4)
    for n, (seat, has, needs) in enumerate(found):
        x, line = 18 + n % 4 * 52, top + n // 4 * 24
        yield badge(seat, x, line - 5, 10)
        yield words(x + 13, line, str(has), 16, font_weight=700 if has >= needs else 400)


# -- SVG: seats ---------------------------------------------------------------------------------------------------


def seat_height(seen: SeenBaker) -> int:
    """More Pies need more room."""
    return MIN_SEAT_HEIGHT + PIE_ROW * max(0, len(seen.pies) - PIES_SHOWN)


def seat_panel(view: View, seat: Seat, viewer: Seat | None, wanted: frozenset[str]) -> str:
    """A seat: name, hand count, Salt lamp, worth, Kitchen, Pies."""
    seen, height = view.seats[seat], seat_height(view.seats[seat]) - 8
    owes = seat in view.to_move
    frame = element("rect", width=INNER, height=height, rx=14, fill=SEAT_TINTS[seat], stroke=SEAT_COLOURS[seat],
                    stroke_width=6 if owes else 2)  # fmt: skip
    kitchen = [group(8 + n * (SLOT[0] + 5), 42, place(seen, n, wanted)) for n in range(KITCHEN_SIZE)]
    return element(
        "g",
        tooltip(f"{baker_name(seat)}: {seat_summary(seen)}"),
        frame,
        badge(seat, 24, 21, 14),
        words(46, 28, f"{baker_name(seat)}{' (you)' if seat == viewer else ''}", 21, font_weight=700),
        seat_line(view, seat),
        *kitchen,
        group(8 + KITCHEN_SIZE * (SLOT[0] + 5) + 2, 42, pies(seen, seat, wanted)),
        glow(INNER, height, 14) if f"seat:{seat}" in wanted else "",
        data_seat=seat,
        class_="seat",
    )


def seat_line(view: View, seat: Seat) -> str:
    """The numbers in a seat's heading."""
    seen = view.seats[seat]
    if seen.out:
        return words(INNER - 12, 28, "resigned", 18, text_anchor="end", fill=SOFT_INK)
    known = f" ({card_names(seen.turned_in_hand)})" if seen.turned_in_hand and visible_hand(seen) is None else ""
    in_hand = f"{seen.hand_count} in hand{known}"
    baked = f"as a Pie {format_number(seen.if_baked)}" if seen.if_baked is not None else "cannot Bake"
    worth = f"worth {format_number(seen.worth)}, {baked}" if seen.kitchen else "empty Kitchen"
    picked = "  ✓ chosen" if any(commit.seat == seat for commit in view.commits) else ""
    return "".join(
        (
            words(178, 27, f"{in_hand}{picked}", 17 if len(in_hand) < 26 else 14, fill=SOFT_INK),
            lamp(count_salts(seen.kitchen), 452, 21),
            words(INNER - 12, 27, worth, 17, text_anchor="end"),
        )
    )


def place(seen: SeenBaker, n: int, wanted: frozenset[str]) -> str:
    """A place of a Kitchen: an Ingredient with its shown worth, or nothing."""
    width, height = SLOT
    if n >= len(seen.kitchen):
        return element("rect", width=width, height=height, rx=9, fill="none", stroke=CRUST, stroke_width=2,
                       stroke_dasharray="6 7")  # fmt: skip
    card, worth = seen.kitchen[n], seen.worths[n]
    return element(
        "g",
        tooltip(f"{card_name(card)}, worth {format_number(worth)} here. {face_text(card)}."),
        small_card(card, worth, width, height),
        glow(width, height) if f"card:{card}" in wanted else "",
        data_zone="kitchen",
        data_card=card,
        class_="card",
    )


def pies(seen: SeenBaker, seat: Seat, wanted: frozenset[str]) -> str:
    """The score rows: earlier values struck out, the present one in bold."""
    if not seen.pies:
        return words(4, 56, "no Pie", 17, fill=SOFT_INK)
    return "".join(group(0, n * PIE_ROW, pie_row(pie, seat, n + 1, wanted)) for n, pie in enumerate(seen.pies))


def pie_row(pie: Pie, seat: Seat, n: int, wanted: frozenset[str]) -> str:
    """One Pie: its number, its last values, its value now."""
    key = f"{seat}.{n}"
    now = format_number(pie.value)
    struck, x = [], 128 - 13 * len(now)
    for value in map(format_number, reversed(pie.values[:-1])):  # the latest first, as far as there is room
        if x - 10 * len(value) < 28:
            break
        struck.append(words(x, 18, value, 15, fill=SOFT_INK, text_decoration="line-through", text_anchor="end"))
        x -= 10 + 10 * len(value)
    made_of = f" ({card_names(pie.cards)})" if pie.cards else ""
    return element(
        "g",
        tooltip(f"{baker_name(seat)}'s Pie {n}{made_of}: {', then '.join(map(format_number, pie.values))}"),
        element("rect", width=148, height=PIE_ROW - 3, rx=6, fill=PAPER, stroke=CRUST, stroke_width=1.5),
        words(6, 18, f"{n}.", 15, fill=SOFT_INK),
        *struck,
        words(142, 19, now, 20, text_anchor="end", font_weight=700),
        glow(148, PIE_ROW - 3, 7) if f"pie:{key}" in wanted else "",
        data_pie=key,
        class_="pie",
    )


# -- SVG: what is the viewer's own --------------------------------------------------------------------------------


def visible_card_groups(view: View, viewer: Seat | None) -> Iterator[tuple[str, str, Cards]]:
    """The viewer's hand, and the cards looked at: (heading, zone, cards)."""
    if viewer is None or viewer >= len(view.seats):
        return
    if aside := visible_cards(view.aside):
        yield "You look at these cards", "aside", aside
    hand = visible_hand(view.seats[viewer])
    if hand is not None and not view.seats[viewer].out:
        in_order = tuple(sorted(hand, key=lambda card: (card in ACTIONS, card)))
        yield f"Your hand, {pluralize(len(hand), 'card')}" if hand else "Your hand is empty", "hand", in_order


def cards_height(held: Cards) -> int:
    """Cards lie in rows of four."""
    return 42 + -(-len(held) // PER_ROW) * (CARD[1] + 8)


def cards_section(view: View, viewer: Seat | None, head: str, zone: str, held: Cards, wanted: frozenset[str]) -> str:
    """A heading and cards in full."""
    width, height = CARD[0] + 6, CARD[1] + 8
    places = (
        group(n % PER_ROW * width, 36 + n // PER_ROW * height, full_card(view, viewer, zone, card, wanted))
        for n, card in enumerate(held)
    )
    return words(4, 24, head, 22, font_weight=700) + "".join(places)


def full_card(view: View, viewer: Seat | None, zone: str, card: int, wanted: frozenset[str]) -> str:
    """A card of the hand, with what playing it would do; dim while it cannot be played."""
    mine = viewer is not None and zone == "hand"
    said = play_hint(view, viewer, card) if viewer is not None and mine else f"{face_text(card)}."
    no_room = viewer is not None and len(view.seats[viewer].kitchen) == KITCHEN_SIZE and card not in ACTIONS
    return element(
        "g",
        tooltip(f"{card_name(card)}. {said}"),
        hand_card(card, *CARD, dim=mine and no_room and view.phase == "main" and viewer == view.active),
        glow(*CARD) if f"card:{card}" in wanted else "",
        data_zone=zone,
        data_card=card,
        class_="card",
    )
