"""The middle of the picture, between the bakeries: chef cards, the store or the dice."""

from domain.games.battle_of_the_bakeries.presentation.layout import GAP, MARGIN, WIDTH
from domain.games.battle_of_the_bakeries.presentation.narration import (
    card_name,
    describe_position,
    dollars,
    seat_name,
)
from domain.games.battle_of_the_bakeries.presentation.pictures import (
    CARD,
    CHERRY,
    INK,
    MINT,
    SHELF,
    WOOD,
    box,
    cake_icon,
    card_back,
    card_face,
    card_gone,
    die,
    fitted,
    label,
    middle,
    toque,
)
from domain.games.battle_of_the_bakeries.rules.components import (
    BAKERIES,
    CAKE_CARDS,
    PRICES,
    STALE_CARDS,
)
from domain.games.battle_of_the_bakeries.rules.model import View
from domain.games.battle_of_the_bakeries.rules.parts import (
    CAKES,
    COLUMNS,
    POSITIONS,
    SALES_TO_WIN,
    SEATS,
    Cake,
    opponent_of,
)
from domain.games.battle_of_the_bakeries.rules.scoring import HIT_PERCENT, LOSER_PERCENT, kept_amount
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, element, group, tooltip


def middle_panel(view: View, own: Seat, seat: Seat | None) -> tuple[str, int]:
    """Return the drawing for the middle, and its height."""
    match view.phase:
        case "order" | "hire" | "last_chance":
            return chef_board(view, seat), 6 * (CARD[1] + GAP) - GAP
        case "stock":
            return store(view), 246
        case "sale":
            return sale_counter(view, own, seat), 176
        case "catch_up":
            return catch_up(view), 176
        case "over":
            return final_panel(view), 220


def chef_board(view: View, seat: Seat | None) -> str:
    """Return the thirty positions: card backs, visible faces and empty places."""
    width, height = CARD
    step = (WIDTH - 2 * MARGIN - width) / (COLUMNS - 1)
    return "".join(
        group(step * (n % COLUMNS), (height + GAP) * (n // COLUMNS), board_place(view, n, seat)) for n in POSITIONS
    )


def board_place(view: View, position: int, seat: Seat | None) -> str:
    """Return one position. A remembered card is drawn with its face, but can still be turned over."""
    if position in (view.empty or ()):
        return element("g", tooltip(f"{describe_position(position)}: empty"), card_gone(), data_position=position)
    lying = position in (view.face_up or ())
    card = (view.faces or {}).get(str(position))
    if card is None:
        words, picture = "face down", card_back()
    else:
        words, picture = card_name(card) + ("" if lying else ", face down now"), card_face(card, lying)
    playable = "card playable" if can_flip(view, position, seat) else "card"
    return element(
        "g", tooltip(f"{describe_position(position)}: {words}"), picture, data_position=position, class_=playable
    )


def can_flip(view: View, position: int, seat: Seat | None) -> bool:
    """Return whether this viewer can turn over the card by a click now (H5, H12)."""
    turning = view.step in ("five", "flip", "attempt") or view.phase == "last_chance"
    if not turning or seat is None or seat != view.actor or position in (view.face_up or ()):
        return False
    return position in fresh_positions(view) if must_be_fresh(view) else True


def must_be_fresh(view: View) -> bool:
    """Return whether the next card must be a new one, and one is left (H12)."""
    first = view.step in ("five", "flip") and not view.face_up
    return view.options.fresh_first and first and bool(fresh_positions(view))


def fresh_positions(view: View) -> list[int]:
    """Return the positions never turned over this round that still hold a card."""
    return [n for n in POSITIONS if n not in (view.shown or ()) and n not in (view.empty or ())]


def store(view: View) -> str:
    """Return the drawn cake and the number left of each kind."""
    width = WIDTH - 2 * MARGIN
    parts = [box(width, 246, 14, fill=SHELF, stroke=WOOD, stroke_width=2)]
    if view.drawn:
        parts.append(group(12, 12, drawn_cake(view.drawn)))
    for n, cake in enumerate(CAKES):
        count = (view.store or {}).get(cake, 0)
        parts.append(group(210 + 78 * (n % 6), 14 + 112 * (n // 6), store_shelf(cake, count)))
    return "".join(parts)


def drawn_cake(cake: Cake) -> str:
    """Return the cake to place, drawn large."""
    words = CAKE_CARDS[cake].name.split()
    half = (len(words) + 1) // 2
    return element(
        "g",
        tooltip(f"Drawn: {CAKE_CARDS[cake].name}, {dollars(PRICES[cake])}"),
        box(184, 222, 12, fill=CREAM, stroke=CHERRY, stroke_width=4),
        group(92, 112, element("g", cake_icon(cake), transform="scale(2.1)")),
        fitted(92, 145, " ".join(words[:half]), 174),
        fitted(92, 170, " ".join(words[half:]), 174),
        middle(92, 207, dollars(PRICES[cake]), 30, font_weight="bold", fill=CHERRY),
        data_card=cake,
    )


def store_shelf(cake: Cake, count: int) -> str:
    """Return one kind of cake in the store."""
    return element(
        "g",
        tooltip(f"{CAKE_CARDS[cake].name}, {dollars(PRICES[cake])}: {count} left in the store"),
        box(72, 104, 9, fill=CREAM if count else SHELF, stroke=WOOD, stroke_width=2),
        group(36, 56, cake_icon(cake), opacity=1 if count else 0.3),
        middle(36, 76, dollars(PRICES[cake]), 19),
        middle(36, 98, f"{count} left", 19, font_weight="bold"),
    )


def sale_counter(view: View, own: Seat, seat: Seat | None) -> str:
    """Return the dice, the stale deck and both tabs with the number of sales."""
    width = WIDTH - 2 * MARGIN
    rolling = view.step == "roll" and seat is not None and seat == view.actor
    dice = element(
        "g",
        tooltip("Roll the dice" if rolling else "The dice"),
        element("rect", x=-10, y=-8, width=146, height=90, rx=10, fill="none", pointer_events="all"),
        group(0, 0, element("g", die(5), transform="rotate(-8 28 28)")),
        group(68, 14, element("g", die(3), transform="rotate(9 28 28)")),
        data_move="roll_dice",
        class_="dice playable" if rolling else "dice",
    )
    return (
        box(width, 176, 14, fill=SHELF, stroke=WOOD, stroke_width=2)
        + group(24, 34, dice)
        + middle(86, 146, f"roll {(view.rolls or 0) + 1}", 22)
        + group(184, 22, stale_deck(view.stale_left or 0))
        + group(312, 14, tab_row(view, opponent_of(own)))
        + group(312, 94, tab_row(view, own))
    )


def stale_deck(left: int) -> str:
    """Return the deck of stale cards."""
    return element(
        "g",
        tooltip(f"{STALE_CARDS.name}: {left} left"),
        box(96, 100, 10, fill=CREAM, stroke=MINT, stroke_width=4),
        middle(48, 42, "STALE", 23, fill=MINT, font_weight="bold"),
        middle(48, 78, f"-{STALE_CARDS.percent}%", 28, fill=MINT, font_weight="bold"),
        middle(48, 128, f"{left} left", 22),
    )


def tab_row(view: View, side: Seat) -> str:
    """Return a tab with n of 7 cakes sold."""
    tab = view.tabs[side] if view.tabs else 0
    sold = len(view.sold[side]) if view.sold else 0
    boxes = "".join(
        group(
            50 * n,
            34,
            box(44, 30, 6, fill=CHERRY if n < sold else CREAM, stroke=WOOD, stroke_width=2),
            element("path", d="M12 15l7 8l13 -16", fill="none", stroke="#ffffff", stroke_width=4) if n < sold else "",
        )
        for n in range(SALES_TO_WIN)
    )
    return element(
        "g",
        tooltip(f"{seat_name(side)}: tab {dollars(tab)}, {sold} of {SALES_TO_WIN} sold"),
        label(0, 23, f"{seat_name(side)} {sold} of {SALES_TO_WIN}", 22),
        label(346, 23, dollars(tab), 25, text_anchor="end", font_weight="bold"),
        boxes,
    )


def catch_up(view: View) -> str:
    """Return the steps of 40, 60 and 80 per cent with their amounts."""
    seat = view.actor or 0
    tab = view.tabs[seat] if view.tabs else 0
    steps = []
    for n, percent in enumerate((LOSER_PERCENT, *HIT_PERCENT.values())):
        now = percent == view.percent
        steps.append(
            group(
                12 + 222 * n,
                52,
                box(212, 108, 12, fill=CHERRY if now else CREAM, stroke=WOOD, stroke_width=2),
                middle(106, 48, f"{percent}%", 34, font_weight="bold", fill="#ffffff" if now else INK),
                middle(106, 88, dollars(kept_amount(tab, percent)), 27, fill="#ffffff" if now else INK),
            )
        )
    width = WIDTH - 2 * MARGIN
    title = fitted(width / 2, 36, f"Catch-up round: what {seat_name(seat)} keeps of {dollars(tab)}", width - 20, 25)
    return box(width, 176, 14, fill=SHELF, stroke=WOOD, stroke_width=2) + title + "".join(steps)


def final_panel(view: View) -> str:
    """Return the final panel with the winner and both scores."""
    width = WIDTH - 2 * MARGIN
    parts = [box(width, 220, 14, fill=SHELF, stroke=WOOD, stroke_width=2)]
    for seat in SEATS:
        won = view.winner == seat
        parts.append(
            group(
                20 + 331 * seat,
                30,
                box(311, 160, 14, fill=CREAM, stroke=CHERRY if won else WOOD, stroke_width=6 if won else 2),
                group(156, 42, toque("#ffffff")) if won else "",
                fitted(156, 92, BAKERIES[seat].name, 290, 24),
                middle(156, 136, dollars(view.scores[seat]), 36, font_weight="bold", fill=CHERRY if won else INK),
            )
        )
    return "".join(parts)
