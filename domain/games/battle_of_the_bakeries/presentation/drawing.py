"""A view as text and as SVG (rules, section 13). The viewer's bakery is at the bottom; spectators sit with seat 0."""

from collections.abc import Iterator

from domain.games.battle_of_the_bakeries.presentation.narration import (
    card_name,
    describe_position,
    describe_sets,
    dollars,
    seat_name,
)
from domain.games.battle_of_the_bakeries.presentation.pictures import (
    CARD,
    CHERRY,
    INK,
    MINT,
    MUTED,
    PAPER,
    SHELF,
    SLOT,
    WOOD,
    badge,
    box,
    cake_icon,
    card_back,
    card_face,
    card_gone,
    die,
    fitted,
    label,
    middle,
    stale_marks,
    toque,
)
from domain.games.battle_of_the_bakeries.rules.components import (
    BAKERIES,
    CAKE_CARDS,
    FACTORS,
    PRICES,
    SET_COLOURS,
    STALE_CARDS,
)
from domain.games.battle_of_the_bakeries.rules.model import (
    CAKES,
    COLUMNS,
    MAX_STALE,
    POSITIONS,
    SALES_TO_WIN,
    SEATS,
    SLOT_KEYS,
    SLOTS,
    Cake,
    SlotKey,
    View,
    opponent_of,
)
from domain.games.battle_of_the_bakeries.rules.scoring import HIT_PERCENT, LOSER_PERCENT, kept_amount, sale_amount
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, Number, element, group, tooltip

WIDTH = 720
MARGIN = 19
GAP = 8
LAMPS = (("Chefs", ("order", "hire", "last_chance")), ("Stock", ("stock",)), ("Sale", ("sale", "catch_up")))
FONT = "ui-rounded, 'Nunito', 'Trebuchet MS', system-ui, sans-serif"


# -- what both drawings say ---------------------------------------------------------------------------------------


def prompt(view: View) -> str:
    """What is asked of whom now, or how it ended."""
    if view.phase == "over":
        return describe_result(view)
    who = seat_name(view.actor or 0)
    match view.phase, view.step:
        case "order", _:
            return f"{who} chooses who goes first"
        case "hire", "start":
            return f"{who}: roll the die, or try to hire a chef"
        case "hire", "five":
            return f"{who}: take {dollars(view.bonus_offer or 0)}, or turn over 2 cards"
        case "hire", "flip":
            return f"{who}: {describe_flips_left(view)}"
        case "hire", _:
            return f"{who}: {'turn over the chef first' if not view.face_up else 'turn over the rest of the set'}"
        case "last_chance", _:
            return f"{who}: one last chance, the {describe_sets(view.allowed or ())} set"
        case "stock", _:
            return f"{who}: place the {CAKE_CARDS[view.drawn].name if view.drawn else 'cake'}"
        case "sale", "stale":
            return f"{who}: make one of {seat_name(opponent_of(view.actor or 0))}'s cakes stale"
        case "sale", _:
            return f"{who}: roll the dice"
        case _:
            return f"{who}: {'stop at 60%, or try for 80%' if view.tries else 'try to roll a number for 60%'}"


def describe_flips_left(view: View) -> str:
    """How many cards may still be turned over."""
    done = len(view.face_up or ())
    left = (view.flips_max or 0) - done
    cards = "1 more card" if left == 1 else f"{left} more cards"
    if view.flips_min == view.flips_max:
        return f"turn over {cards}"
    return f"turn over up to {cards}" + (", or stop" if done >= (view.flips_min or 0) else "")


def describe_result(view: View) -> str:
    """Who won."""
    if view.winner is None:
        return "The battle ends in a draw"
    why = {"tiebreak": " on rounds won", "resignation": " by resignation"}.get(view.reason or "", "")
    return f"{BAKERIES[view.winner].name} wins{why}"


def sides(seat: Seat | None) -> tuple[Seat, Seat]:
    """Who is drawn at the top, and who at the bottom."""
    own = seat or 0
    return opponent_of(own), own


# -- text ---------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """The table for a terminal."""
    top, own = sides(seat)
    body = {
        "hire": board_lines,
        "last_chance": board_lines,
        "stock": stock_lines,
        "sale": sale_lines,
        "catch_up": sale_lines,
    }.get(view.phase)
    lines = [f"Round {view.round} of {view.options.rounds}: {prompt(view)}."]
    lines += [bakery_line(view, side) for side in (top, own)]
    if body:
        lines += ["", *body(view, top, own)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def bakery_line(view: View, side: Seat) -> str:
    """A bakery with its money, its chef and its rounds."""
    mark = ">" if view.actor == side else " "
    tab = f"  tab {dollars(view.tabs[side])}" if view.tabs else ""
    won = view.rounds_won[side]
    return (
        f"{mark} {BAKERIES[side].name:<24} {dollars(view.scores[side]):>9}  "
        f"chef {view.multipliers[side]}x  rounds won {won}{tab}"
    )


def board_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """The chef cards by position: the known ones by name, those face up in brackets."""
    yield f"turn {view.turn}, fives rolled {view.fives}, cards in [brackets] lie face up"
    for row in range(len(POSITIONS) // COLUMNS):
        cells = (cell_text(view, position) for position in POSITIONS[row * COLUMNS : (row + 1) * COLUMNS])
        yield " ".join(f"{cell:<14}" for cell in cells)


def cell_text(view: View, position: int) -> str:
    """A place of the board: its number and its card, as far as it is shown."""
    card = (view.faces or {}).get(str(position))
    if position in (view.empty or ()):
        return f"{position:>2}"
    if card is None:
        return f"{position:>2} ?"
    return f"{position:>2} [{card}]" if position in (view.face_up or ()) else f"{position:>2} {card}"


def stock_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Drawn cake, cases, store."""
    if view.drawn:
        yield f"drawn: {CAKE_CARDS[view.drawn].name} ({dollars(PRICES[view.drawn])})"
    yield from case_lines(view, top, own)
    yield "store: " + ", ".join(f"{count} {CAKE_CARDS[cake].name}" for cake, count in (view.store or {}).items())


def sale_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Cases, stale cards, rolls."""
    yield from case_lines(view, top, own)
    caught = f", keeps {view.percent}% so far" if view.phase == "catch_up" else ""
    yield f"rolls {view.rolls}, stale cards left {view.stale_left}{caught}"


def case_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Both cases, slot by slot."""
    yield f"{'slot':>4} {'':>4} {BAKERIES[own].name:<38} {BAKERIES[top].name}"
    for slot, key in zip(SLOTS, SLOT_KEYS, strict=True):
        mine, theirs = slot_text(view, own, key), slot_text(view, top, key)
        yield f"{slot:>4} {'x' + str(FACTORS[slot]):>4} {mine:<38} {theirs}"


def slot_text(view: View, side: Seat, key: SlotKey) -> str:
    """A slot: its cake, price, stale cards, and whether it is sold."""
    cake = view.cases[side][key] if view.cases else None
    if cake is None:
        return "-"
    stale = view.stale[side][key] if view.stale else 0
    sold = " SOLD" if is_sold(view, side, int(key)) else ""
    return f"{CAKE_CARDS[cake].name} {dollars(PRICES[cake])}{f' stale {stale}' if stale else ''}{sold}"


def is_sold(view: View, side: Seat, slot: int) -> bool:
    """Whether a bakery has sold this slot."""
    return bool(view.sold) and slot in (view.sold or ((), ()))[side]


# -- picture ------------------------------------------------------------------------------------------------------


def svg(view: View, seat: Seat | None) -> str:
    """The table as a picture: opponent, the board of the phase, the viewer's own bakery."""
    top, own = sides(seat)
    parts, y = [header(view)], 128
    parts.append(group(MARGIN, y, bakery(view, top, seat)))
    y += bakery_height(view) + GAP
    board, height = middle_panel(view, own, seat)
    parts.append(group(MARGIN, y, board))
    y += height + GAP
    parts.append(group(MARGIN, y, bakery(view, own, seat)))
    y += bakery_height(view) + MARGIN
    return element(
        "svg",
        tooltip(f"Battle of the Bakeries, round {view.round} of {view.options.rounds}: {prompt(view)}"),
        box(WIDTH, y, 18, fill=PAPER),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {y}",
        role="img",
        class_="board battle-of-the-bakeries",
        font_family=FONT,
    )


def header(view: View) -> str:
    """Round, the three lamps of the phases, and what is asked."""
    lamps = []
    for n, (words, phases) in enumerate(LAMPS):
        lit = view.phase in phases
        lamps.append(
            group(
                200 + 168 * n,
                16,
                box(160, 40, 20, fill=MINT if lit else SHELF),
                element("circle", cx=21, cy=20, r=9, fill="#ffd76a" if lit else PAPER, stroke=INK, stroke_width=2),
                label(38, 28, words, 21, fill="#ffffff" if lit else INK, font_weight="bold" if lit else "normal"),
            )
        )
    return (
        label(MARGIN, 45, f"Round {view.round} of {view.options.rounds}", 22, font_weight="bold")
        + "".join(lamps)
        + group(MARGIN, 68, box(WIDTH - 2 * MARGIN, 48, 12, fill=INK))
        + fitted(WIDTH / 2, 101, prompt(view), WIDTH - 3 * MARGIN, 26, fill=CREAM)
    )


def bakery_height(view: View) -> int:
    """A bakery's plate, and its case once it is in use."""
    return 56 + (SLOT[1] + 6 if view.cases else 0)


def bakery(view: View, side: Seat, seat: Seat | None) -> str:
    """A bakery: its plate and, from phase two on, its case."""
    case = group(0, 62, case_row(view, side, seat)) if view.cases else ""
    return plate(view, side, seat) + case


def plate(view: View, side: Seat, seat: Seat | None) -> str:
    """Name, money, chef and rounds won; a cherry edge for the one whose move it is."""
    acting = view.actor == side
    own = seat == side
    edge: dict[str, Number | str] = {"stroke": CHERRY if acting else WOOD, "stroke_width": 5 if acting else 2}
    stars = "★" * view.rounds_won[side]
    width = WIDTH - 2 * MARGIN
    chef = view.multipliers[side]
    words = f"{SET_COLOURS[chef]} chef, {chef}x" if chef in SET_COLOURS else "no chef, 1x"
    return element(
        "g",
        tooltip(
            f"{BAKERIES[side].name}{' (you)' if own else ''}: {dollars(view.scores[side])}, {words}, "
            f"rounds won: {view.rounds_won[side]}"
        ),
        box(width, 54, 12, fill="#ffffff" if own else CREAM, **edge),
        element("path", d="M14 17l16 10l-16 10z", fill=CHERRY) if acting else "",
        label(40, 36, BAKERIES[side].name, 24, font_weight="bold"),
        label(412, 36, stars, 22, fill=CHERRY),
        label(width - 76, 37, dollars(view.scores[side]), 27, font_weight="bold", text_anchor="end"),
        group(width - 36, 28, badge(chef, 20)),
    )


def case_row(view: View, side: Seat, seat: Seat | None) -> str:
    """The eleven slots of a case."""
    return "".join(group(SLOT[0] * n, 0, slot_card(view, side, slot, seat)) for n, slot in enumerate(SLOTS))


def slot_card(view: View, side: Seat, slot: int, seat: Seat | None) -> str:
    """A slot: number, factor, cake, price and stale marks; for an empty one what the drawn cake would bring there."""
    width, height = SLOT
    key = SLOT_KEYS[slot - 2]
    cake = view.cases[side][key] if view.cases else None
    sold = is_sold(view, side, slot)
    stale = view.stale[side][key] if view.stale else 0
    playable = can_click(view, side, slot, seat)
    edge: dict[str, Number | str] = {"stroke": CHERRY if playable else WOOD, "stroke_width": 4 if playable else 2}
    parts = [
        tooltip(describe_slot(view, side, slot, cake)),
        box(width - 2, height, 8, fill=SHELF if cake is None else CREAM, **edge),
        box(width - 2, 32, 8, fill=WOOD),
        middle(width / 2 - 1, 25, str(slot), 26, fill="#ffffff", font_weight="bold"),
        middle(width / 2 - 1, 54, f"x{FACTORS[slot]}", 22, font_weight="bold", fill=MUTED),
    ]
    if cake is not None:
        parts += [
            group(width / 2 - 1, 102, cake_icon(cake), opacity=0.35 if sold else 1),
            middle(width / 2 - 1, 124, dollars(PRICES[cake]), 20, font_weight="bold"),
        ]
        if view.stale:
            parts.append(group(width / 2 - 1, 136, stale_marks(stale)))
    elif view.drawn:
        gain = sale_amount(view.multipliers[side], slot, view.drawn, 0)
        parts.append(middle(width / 2 - 1, 104, f"{gain}", 20 if gain < 10000 else 18, font_weight="bold", fill=MINT))
    if sold:
        parts.append(sold_stamp())
    return element("g", *parts, class_="slot playable" if playable else "slot", data_case=side, data_slot=slot)


def can_click(view: View, side: Seat, slot: int, seat: Seat | None) -> bool:
    """Whether a click of this viewer on a slot can be a move now."""
    if seat is None or seat != view.actor or view.cases is None:
        return False
    key = SLOT_KEYS[slot - 2]
    if view.phase == "stock":
        return view.cases[side][key] is None
    stale = view.stale[side][key] if view.stale else 0
    return view.step == "stale" and side != seat and not is_sold(view, side, slot) and stale < MAX_STALE


def describe_slot(view: View, side: Seat, slot: int, cake: Cake | None) -> str:
    """A slot in words."""
    where = f"{seat_name(side)} {slot} (x{FACTORS[slot]})"
    if cake is None:
        if view.drawn is None:
            return f"{where}: empty"
        gain = sale_amount(view.multipliers[side], slot, view.drawn, 0)
        return f"{where}: empty; a {CAKE_CARDS[view.drawn].name} sold here brings {dollars(gain)}"
    stale = view.stale[side][SLOT_KEYS[slot - 2]] if view.stale else 0
    what = f"{where}: {CAKE_CARDS[cake].name}, {dollars(PRICES[cake])}"
    if is_sold(view, side, slot):
        return f"{what}, sold"
    worth = sale_amount(view.multipliers[side], slot, cake, stale)
    return f"{what}{f', {stale} stale cards' if stale else ''}; brings {dollars(worth)}"


def sold_stamp() -> str:
    """The stamp across a sold cake."""
    return group(
        SLOT[0] / 2 - 1,
        84,
        element(
            "g",
            element("rect", x=-27, y=-12, width=54, height=24, rx=4, fill=CREAM, stroke=CHERRY, stroke_width=3),
            middle(0, 7, "SOLD", 18, fill=CHERRY, font_weight="bold"),
            transform="rotate(-14)",
        ),
    )


# -- the board of the phase -----------------------------------------------------------------------------------------


def middle_panel(view: View, own: Seat, seat: Seat | None) -> tuple[str, int]:
    """What lies in the middle, and its height."""
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
    """The thirty places: backs, faces as far as the viewer is shown them, and empty places."""
    width, height = CARD
    step = (WIDTH - 2 * MARGIN - width) / (COLUMNS - 1)
    return "".join(
        group(step * (n % COLUMNS), (height + GAP) * (n // COLUMNS), board_place(view, n, seat)) for n in POSITIONS
    )


def board_place(view: View, position: int, seat: Seat | None) -> str:
    """One place of the board. A face that is only remembered still lies face down and can be turned over."""
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
    """Whether a click of this viewer on a card can be a move now (H5, H12)."""
    turning = view.step in ("five", "flip", "attempt") or view.phase == "last_chance"
    if not turning or seat is None or seat != view.actor or position in (view.face_up or ()):
        return False
    return position in fresh_positions(view) if must_be_fresh(view) else True


def must_be_fresh(view: View) -> bool:
    """H12 Whether the first card of a roll must be a new one, and there is one."""
    first = view.step in ("five", "flip") and not view.face_up
    return view.options.fresh_first and first and bool(fresh_positions(view))


def fresh_positions(view: View) -> list[int]:
    """The positions never turned over this round that still hold a card."""
    return [n for n in POSITIONS if n not in (view.shown or ()) and n not in (view.empty or ())]


def store(view: View) -> str:
    """The drawn cake, and how many of each are left."""
    width = WIDTH - 2 * MARGIN
    parts = [box(width, 246, 14, fill=SHELF, stroke=WOOD, stroke_width=2)]
    if view.drawn:
        parts.append(group(12, 12, drawn_cake(view.drawn)))
    for n, cake in enumerate(CAKES):
        count = (view.store or {}).get(cake, 0)
        parts.append(group(210 + 78 * (n % 6), 14 + 112 * (n // 6), store_shelf(cake, count)))
    return "".join(parts)


def drawn_cake(cake: Cake) -> str:
    """The cake to place, large."""
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
    """One kind of cake in the store."""
    return element(
        "g",
        tooltip(f"{CAKE_CARDS[cake].name}, {dollars(PRICES[cake])}: {count} left in the store"),
        box(72, 104, 9, fill=CREAM if count else SHELF, stroke=WOOD, stroke_width=2),
        group(36, 56, cake_icon(cake), opacity=1 if count else 0.3),
        middle(36, 76, dollars(PRICES[cake]), 19),
        middle(36, 98, f"{count} left", 19, font_weight="bold"),
    )


def sale_counter(view: View, own: Seat, seat: Seat | None) -> str:
    """Dice, stale deck, and both tabs with how far they are."""
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
    """The stale cards that are left."""
    return element(
        "g",
        tooltip(f"{STALE_CARDS.name}: {left} left"),
        box(96, 100, 10, fill=CREAM, stroke=MINT, stroke_width=4),
        middle(48, 42, "STALE_CARDS", 23, fill=MINT, font_weight="bold"),
        middle(48, 78, f"-{STALE_CARDS.percent}%", 28, fill=MINT, font_weight="bold"),
        middle(48, 128, f"{left} left", 22),
    )


def tab_row(view: View, side: Seat) -> str:
    """A tab, and n of 7 sold."""
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
    """The ladder 40, 60, 80 per cent, with the sums at stake."""
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
    title = fitted(width / 2, 36, f"Catch-up sale: what {seat_name(seat)} keeps of {dollars(tab)}", width - 20, 25)
    return box(width, 176, 14, fill=SHELF, stroke=WOOD, stroke_width=2) + title + "".join(steps)


def final_panel(view: View) -> str:
    """The end: who won, and both scores."""
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
