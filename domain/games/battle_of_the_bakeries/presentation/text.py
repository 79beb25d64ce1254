"""The table as text (rules, section 13), and the wording that text and picture share."""

from collections.abc import Iterator

from domain.games.battle_of_the_bakeries.presentation.narration import (
    describe_sets,
    dollars,
    seat_name,
)
from domain.games.battle_of_the_bakeries.rules.components import (
    BAKERIES,
    CAKE_CARDS,
    FACTORS,
    PRICES,
)
from domain.games.battle_of_the_bakeries.rules.model import View
from domain.games.battle_of_the_bakeries.rules.parts import (
    COLUMNS,
    POSITIONS,
    SLOT_KEYS,
    SLOTS,
    SlotKey,
    opponent_of,
)
from domain.kernel.game import Seat

# -- shared by text and picture -------------------------------------------------------------------------------------


def prompt(view: View) -> str:
    """Return what the current player has to do, or how the match ended."""
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
            return f"{who}: last chance to hire the {describe_sets(view.allowed or ())} chef"
        case "stock", _:
            return f"{who}: place the {CAKE_CARDS[view.drawn].name if view.drawn else 'cake'}"
        case "sale", "stale":
            return f"{who}: make one of {seat_name(opponent_of(view.actor or 0))}'s cakes stale"
        case "sale", _:
            return f"{who}: roll the dice"
        case _:
            return f"{who}: {'stop at 60%, or try for 80%' if view.tries else 'roll a drawn number to keep 60%'}"


def describe_flips_left(view: View) -> str:
    """Return how many cards can still be turned over, and whether the player can stop."""
    done = len(view.face_up or ())
    left = (view.flips_max or 0) - done
    cards = f"{left}{' more' if done else ''} card{'' if left == 1 else 's'}"
    if view.flips_min == view.flips_max:
        return f"turn over {cards}"
    return f"turn over up to {cards}" + (", or stop" if done >= (view.flips_min or 0) else "")


def describe_result(view: View) -> str:
    """Return who won."""
    if view.winner is None:
        return "The match is a draw"
    why = {"tiebreak": " on rounds won", "resignation": " by resignation"}.get(view.reason or "", "")
    return f"{BAKERIES[view.winner].name} wins{why}"


def sides(seat: Seat | None) -> tuple[Seat, Seat]:
    """Return the seats drawn at the top and at the bottom."""
    own = seat or 0
    return opponent_of(own), own


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """Return the table for a terminal."""
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
    """Return the line of a bakery: score, multiplier, rounds won and tab."""
    mark = ">" if view.actor == side else " "
    tab = f"  tab {dollars(view.tabs[side])}" if view.tabs else ""
    won = view.rounds_won[side]
    return (
        f"{mark} {BAKERIES[side].name:<24} {dollars(view.scores[side]):>9}  "
        f"chef {view.multipliers[side]}x  rounds won {won}{tab}"
    )


def board_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Yield the chef cards row by row: known cards by id, face-up cards in brackets."""
    yield f"turn {view.turn}, fives rolled: {view.fives}, cards in [brackets] are face up"
    for row in range(len(POSITIONS) // COLUMNS):
        cells = (cell_text(view, position) for position in POSITIONS[row * COLUMNS : (row + 1) * COLUMNS])
        yield " ".join(f"{cell:<14}" for cell in cells)


def cell_text(view: View, position: int) -> str:
    """Return a board position with its card, if the viewer can see it."""
    card = (view.faces or {}).get(str(position))
    if position in (view.empty or ()):
        return f"{position:>2}"
    if card is None:
        return f"{position:>2} ?"
    return f"{position:>2} [{card}]" if position in (view.face_up or ()) else f"{position:>2} {card}"


def stock_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Yield the drawn cake, the cases and the store."""
    if view.drawn:
        yield f"drawn: {CAKE_CARDS[view.drawn].name} ({dollars(PRICES[view.drawn])})"
    yield from case_lines(view, top, own)
    yield "store: " + ", ".join(f"{count} {CAKE_CARDS[cake].name}" for cake, count in (view.store or {}).items())


def sale_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Yield the cases, the number of rolls and the stale cards left."""
    yield from case_lines(view, top, own)
    kept = f", keeps {view.percent}% so far" if view.phase == "catch_up" else ""
    yield f"rolls: {view.rolls}, stale cards left: {view.stale_left}{kept}"


def case_lines(view: View, top: Seat, own: Seat) -> Iterator[str]:
    """Yield both cases, one slot per line."""
    yield f"{'slot':>4} {'':>4} {BAKERIES[own].name:<38} {BAKERIES[top].name}"
    for slot, key in zip(SLOTS, SLOT_KEYS, strict=True):
        mine, theirs = slot_text(view, own, key), slot_text(view, top, key)
        yield f"{slot:>4} {'x' + str(FACTORS[slot]):>4} {mine:<38} {theirs}"


def slot_text(view: View, side: Seat, key: SlotKey) -> str:
    """Return a slot with its cake, price, stale cards and whether it is sold."""
    cake = view.cases[side][key] if view.cases else None
    if cake is None:
        return "-"
    stale = view.stale[side][key] if view.stale else 0
    sold = " SOLD" if is_sold(view, side, int(key)) else ""
    return f"{CAKE_CARDS[cake].name} {dollars(PRICES[cake])}{f' stale {stale}' if stale else ''}{sold}"


def is_sold(view: View, side: Seat, slot: int) -> bool:
    """Return whether a bakery has sold the cake in this slot."""
    return bool(view.sold) and slot in (view.sold or ((), ()))[side]
