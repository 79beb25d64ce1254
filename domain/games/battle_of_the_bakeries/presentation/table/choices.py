"""What a seat is asked now: a title, what is worth knowing, and the places that may be chosen, from its view alone."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from domain.games.battle_of_the_bakeries.presentation.narration import (
    card_name,
    describe_position,
    describe_sets,
    dollars,
    seat_name,
)
from domain.games.battle_of_the_bakeries.presentation.pictures import EFFECT_WORDS
from domain.games.battle_of_the_bakeries.presentation.text import describe_flips_left
from domain.games.battle_of_the_bakeries.rules.components import CAKE_CARDS, CHEF_CARDS, FACTORS, SET_COLOURS
from domain.games.battle_of_the_bakeries.rules.model import View
from domain.games.battle_of_the_bakeries.rules.moves import FlipCard, Move, PlaceCake, PlaceStale
from domain.games.battle_of_the_bakeries.rules.parts import (
    BONUS_STEP,
    POSITIONS,
    SALES_TO_WIN,
    SETS,
    SLOT_KEYS,
    SLOTS,
    Card,
    opponent_of,
)
from domain.games.battle_of_the_bakeries.rules.scoring import HIT_PERCENT, LOSER_PERCENT, kept_amount, sale_amount
from domain.games.battle_of_the_bakeries.rules.sets import can_become_set, is_chef, is_wild
from domain.kernel.game import Seat
from domain.kernel.table import TableContext
from domain.kernel.text import capital

WILD_SETS = {multiplier for known in CHEF_CARDS.values() if is_wild(known.card) for multiplier in known.sets}
"""The sets in which a wild may stand for a component."""
Kind = Literal["order", "start", "cards", "slots", "roll", "catch_up"]


class BoardPlace(msgspec.Struct, frozen=True):
    """One of the thirty places of the board: `face` and `badge` are what the reader is shown of its card."""

    position: int
    words: str
    face: str
    badge: str
    open: bool
    gone: bool
    chosen: bool


class SlotChoice(msgspec.Struct, frozen=True):
    """A slot that may be chosen, and what that would do."""

    case: Seat
    slot: int
    factor: int
    cake: str
    effect: str
    words: str
    """What the button says when this one is chosen."""
    chosen: bool


class Stakes(msgspec.Struct, frozen=True):
    """A try of the catch-up round: what a hit and a miss would leave."""

    hit: str
    miss: str
    stop: str | None


class FormPrompt(msgspec.Struct, frozen=True):
    """What the form shows."""

    kind: Kind
    title: str
    hint: str
    places: tuple[BoardPlace, ...] = ()
    spots: tuple[tuple[str, tuple[SlotChoice, ...]], ...] = ()
    """Slots by case, under the name of each."""
    move: str = ""
    """The move that the chosen slot is for."""
    bonus: str | None = None
    may_stop: bool = False
    may_decline: bool = False
    stakes: Stakes | None = None


def form_prompt(context: TableContext) -> FormPrompt:
    """What this seat is asked."""
    view: View = context.view
    seat = context.seat or 0
    moves = list(context.game.legal_moves(context.match.state, seat))
    match view.phase, view.step:
        case "order", _:
            return FormPrompt(
                "order", "Who begins?", "Who begins takes the first turn at the chef cards; it is nearly even."
            )
        case "hire", "start":
            return FormPrompt(
                "start", "Look, or hire?", "Roll to see some cards, or go for a chef if you know a whole set."
            )
        case (("hire" | "last_chance"), _):
            return card_prompt(context, view, moves)
        case "stock", _:
            return cake_prompt(context, view, seat, moves)
        case "sale", "stale":
            return stale_prompt(context, view, seat, moves)
        case "sale", _:
            return FormPrompt("roll", "Roll the dice", describe_unsold(view, seat))
        case _:
            return catch_up_prompt(view, seat)


# -- chef cards -----------------------------------------------------------------------------------------------------


def card_prompt(context: TableContext, view: View, moves: Iterable[Move]) -> FormPrompt:
    """Cards to turn over, and how one may do without."""
    turning = {move.position for move in moves if isinstance(move, FlipCard)}
    others = {type(move).__name__ for move in moves}
    title, hint = card_prompt_texts(view)
    return FormPrompt(
        "cards",
        title,
        hint,
        places=tuple(board_place(view, position, turning, context.form.get("position")) for position in POSITIONS),
        bonus=dollars(view.bonus_offer or 0) if view.step == "five" else None,
        may_stop="StopFlipping" in others,
        may_decline="DeclineLastChance" in others,
    )


def card_prompt_texts(view: View) -> tuple[str, str]:
    """Title and hint while cards are turned over."""
    if view.phase == "last_chance":
        return f"Your last chance: the {describe_sets(view.allowed or ())} set", describe_missing(
            view, view.allowed or ()
        )
    match view.step:
        case "five":
            offer = dollars(view.bonus_offer or 0)
            return f"Take {offer}, or turn over 2 cards", "The first card that you turn over gives the money up."
        case "attempt":
            title = "Turn over the rest of the set" if view.face_up else "Turn over the chef"
            return title, describe_missing(view, SETS)
        case _:
            words = describe_flips_left(view)
            return capital(words), fresh_hint(view)


def fresh_hint(view: View) -> str:
    """What to mind when cards are turned over after a roll."""
    if view.options.fresh_first and not view.face_up:
        return "The first card must be one that nobody has turned over this round."
    return "They are turned back at the end of your turn."


def describe_missing(view: View, allowed: Iterable[int]) -> str:
    """What the set on the table still needs, told from the cards that lie face up."""
    laid = [card for position in view.face_up or () if (card := (view.faces or {}).get(str(position)))]
    if not laid:
        first = "The chef must come first. " if view.phase == "hire" else "In any order. "
        return f"{first}One card that does not fit ends it."
    sets = [multiplier for multiplier in allowed if can_become_set(laid, multiplier)]
    return " ".join(f"For the {multiplier}x: {', '.join(missing_cards(laid, multiplier))}." for multiplier in sets)


def missing_cards(laid: list[Card], multiplier: int) -> list[str]:
    """The cards that a set still needs; one wild may stand for a component."""
    parts = [known for known in CHEF_CARDS.values() if known.sets == (multiplier,) and known.card not in laid]
    chef = [known.name for known in parts if is_chef(known.card)]
    rest = [EFFECT_WORDS[known.effect].lower() for known in parts if not is_chef(known.card)]
    if any(map(is_wild, laid)):
        rest = [f"{len(rest) - 1} of {', '.join(rest)}"] if len(rest) > 1 else []
    elif rest and multiplier in WILD_SETS:
        rest[-1] += " (a wild may stand for one)"
    return [*chef, *rest]


def board_place(view: View, position: int, turning: set[int], chosen: str | None) -> BoardPlace:
    """One place of the board."""
    card = (view.faces or {}).get(str(position))
    gone = position in (view.empty or ())
    known = CHEF_CARDS[card] if card else None
    words = describe_position(position) + (f", {card_name(card)}" if card else "")
    return BoardPlace(
        position=position,
        words=words,
        face=EFFECT_WORDS[known.effect] if known else "",
        badge="/".join(str(multiplier) for multiplier in known.sets) + "x" if known else "",
        open=position in turning,
        gone=gone,
        chosen=chosen == str(position) and position in turning,
    )


# -- slots ----------------------------------------------------------------------------------------------------------


def cake_prompt(context: TableContext, view: View, seat: Seat, moves: Iterable[Move]) -> FormPrompt:
    """Where the drawn cake may go, and what it would bring there."""
    assert view.drawn is not None, "a cake is drawn before it is placed"
    cake = CAKE_CARDS[view.drawn]
    open_slots = [(move.case, move.slot) for move in moves if isinstance(move, PlaceCake)]
    hint = f"Each slot shows what a {cake.name} sold there brings its owner: chef x slot x {dollars(cake.price)}."
    sides = (seat, opponent_of(seat))
    spots = tuple(
        (
            capital(f"{case_owner(side, seat)} case"),
            tuple(cake_choice(context, view, seat, *spot) for spot in open_slots if spot[0] == side),
        )
        for side in sides
    )
    return FormPrompt(
        "slots", f"Place the {cake.name}", hint, spots=tuple(group for group in spots if group[1]), move="place_cake"
    )


def cake_choice(context: TableContext, view: View, seat: Seat, case: Seat, slot: int) -> SlotChoice:
    """An empty slot for the drawn cake."""
    gain = sale_amount(view.multipliers[case], slot, view.drawn, 0) if view.drawn else 0
    return SlotChoice(
        case=case,
        slot=slot,
        factor=FACTORS[slot],
        cake="",
        effect=dollars(gain),
        words=f"Put it under {case_owner(case, seat)} {slot} ({dollars(gain)})",
        chosen=context.form.get("place") == f"{case}-{slot}",
    )


def stale_prompt(context: TableContext, view: View, seat: Seat, moves: Iterable[Move]) -> FormPrompt:
    """Which of the other bakery's cakes may go stale, and what that would cost it."""
    against = opponent_of(seat)
    spots = tuple(stale_choice(context, view, against, move.slot) for move in moves if isinstance(move, PlaceStale))
    hint = (
        f"{seat_name(against)} has rolled a number that it had sold. A stale card takes 20% of a cake's printed price."
    )
    title = f"Make one of {seat_name(against)}'s cakes go stale"
    return FormPrompt("slots", title, hint, spots=((f"{seat_name(against)}'s case", spots),), move="place_stale")


def stale_choice(context: TableContext, view: View, case: Seat, slot: int) -> SlotChoice:
    """A cake that may go stale."""
    key = SLOT_KEYS[slot - 2]
    cake = view.cases[case][key] if view.cases else None
    assert cake is not None, "every slot holds a cake during the sale"
    lying = view.stale[case][key] if view.stale else 0
    now, then = (dollars(sale_amount(view.multipliers[case], slot, cake, count)) for count in (lying, lying + 1))
    return SlotChoice(
        case=case,
        slot=slot,
        factor=FACTORS[slot],
        cake=CAKE_CARDS[cake].name,
        effect=f"{now} → {then}",
        words=f"Make the {CAKE_CARDS[cake].name} under {slot} stale ({now} → {then})",
        chosen=context.form.get("place") == f"{case}-{slot}",
    )


def case_owner(case: Seat, seat: Seat) -> str:
    """A case as its chooser calls it."""
    return "your" if case == seat else f"{seat_name(case)}'s"


# -- sale -----------------------------------------------------------------------------------------------------------


def describe_unsold(view: View, seat: Seat) -> str:
    """What a roll can sell."""
    sold = view.sold[seat] if view.sold else ()
    left = [str(slot) for slot in SLOTS if slot not in sold]
    return f"You have sold {len(sold)} of {SALES_TO_WIN}. A new number sells its cake: {', '.join(left)}."


def catch_up_prompt(view: View, seat: Seat) -> FormPrompt:
    """What is at stake in the catch-up round."""
    tab = view.tabs[seat] if view.tabs else 0
    tries = view.tries or 0
    percent = HIT_PERCENT[tries + 1]
    stakes = Stakes(
        hit=f"{percent}%: {dollars(kept_amount(tab, percent))}",
        miss=f"{LOSER_PERCENT}%: {dollars(kept_amount(tab, LOSER_PERCENT))}",
        stop=f"{view.percent}%: {dollars(kept_amount(tab, view.percent or 0))}" if tries else None,
    )
    hint = "One of your unsold numbers is drawn, then you roll two dice and want exactly that number."
    return FormPrompt("catch_up", f"Catch-up sale: your tab is {dollars(tab)}", hint, stakes=stakes)


# -- beside the board -------------------------------------------------------------------------------------------------


def phase_notes(view: View) -> Iterator[str]:
    """What the picture does not say of the phase at hand."""
    if view.phase not in ("hire", "last_chance"):
        return
    yield f"Turn {view.turn}; after {view.options.turn_limit} the board closes."
    yield f"The next five is worth {dollars(BONUS_STEP * ((view.fives or 0) + 2))}."
    for seat, lost in enumerate(view.skips or ()):
        if lost:
            yield f"{seat_name(seat)} will lose {'its next turn' if lost == 1 else f'its next {lost} turns'}."


def describe_chef(multiplier: int) -> str:
    """A bakery's chef on the score sheet."""
    return f"{multiplier}x ({SET_COLOURS[multiplier]})" if multiplier in SET_COLOURS else "none, 1x"
