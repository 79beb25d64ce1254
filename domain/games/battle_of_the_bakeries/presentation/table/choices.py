"""The form of the current step: title, hint and the cards or slots to choose from, based on the seat's view only."""

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
"""The sets in which a wild can replace a component."""
Kind = Literal["order", "start", "cards", "slots", "roll", "catch_up"]


class BoardPlace(msgspec.Struct, frozen=True):
    """One of the thirty board positions; `face` and `badge` are empty unless the reader can see the card."""

    position: int
    words: str
    face: str
    badge: str
    open: bool
    gone: bool
    chosen: bool


class SlotChoice(msgspec.Struct, frozen=True):
    """A slot that can be chosen, and the effect of choosing it."""

    case: Seat
    slot: int
    factor: int
    cake: str
    effect: str
    words: str
    """The text of the button when this slot is chosen."""
    chosen: bool


class Stakes(msgspec.Struct, frozen=True):
    """The amounts kept after a hit, a miss and stopping in the catch-up round."""

    hit: str
    miss: str
    stop: str | None


class FormPrompt(msgspec.Struct, frozen=True):
    """The contents of the form."""

    kind: Kind
    title: str
    hint: str
    places: tuple[BoardPlace, ...] = ()
    spots: tuple[tuple[str, tuple[SlotChoice, ...]], ...] = ()
    """Pairs of a case's heading and its slots."""
    move: str = ""
    """The name of the move that uses the chosen slot."""
    bonus: str | None = None
    may_stop: bool = False
    may_decline: bool = False
    stakes: Stakes | None = None


def form_prompt(context: TableContext) -> FormPrompt:
    """Return the form for the current step of this seat."""
    view: View = context.view
    seat = context.seat or 0
    moves = list(context.game.legal_moves(context.match.state, seat))
    match view.phase, view.step:
        case "order", _:
            return FormPrompt(
                "order",
                "Who goes first?",
                "Choose whether you take the first or the second turn with the chef cards. Neither has an advantage.",
            )
        case "hire", "start":
            return FormPrompt(
                "start",
                "Roll or hire?",
                "Roll the die to turn over some cards, or try to hire a chef if you know where a whole set is.",
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
    """Return the form for turning over cards, with the ways to take money, stop or decline."""
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
    """Return title and hint while cards are turned over."""
    if view.phase == "last_chance":
        return f"Your last chance: hire the {describe_sets(view.allowed or ())} chef", describe_missing(
            view, view.allowed or ()
        )
    match view.step:
        case "five":
            offer = dollars(view.bonus_offer or 0)
            return f"Take {offer}, or turn over 2 cards", "If you turn over a card, you give up the money."
        case "attempt":
            title = "Turn over the rest of the set" if view.face_up else "Turn over the chef"
            return title, describe_missing(view, SETS)
        case _:
            words = describe_flips_left(view)
            return capital(words), fresh_hint(view)


def fresh_hint(view: View) -> str:
    """Return the hint for turning over cards after a roll."""
    if view.options.fresh_first and not view.face_up:
        return "The first card must be one that no one has turned over this round."
    return "All cards are turned back at the end of your turn."


def describe_missing(view: View, allowed: Iterable[int]) -> str:
    """Return what the set still needs, judging by the face-up cards."""
    laid = [card for position in view.face_up or () if (card := (view.faces or {}).get(str(position)))]
    if not laid:
        first = "Turn over the chef first. " if view.phase == "hire" else "Turn over the cards in any order. "
        return f"{first}A card that doesn't fit ends your attempt."
    sets = [multiplier for multiplier in allowed if can_become_set(laid, multiplier)]
    return " ".join(
        f"For the {multiplier}x you still need {', '.join(missing_cards(laid, multiplier))}." for multiplier in sets
    )


def missing_cards(laid: list[Card], multiplier: int) -> list[str]:
    """Return the cards that a set still needs, mentioning a wild where one can replace a component."""
    parts = [known for known in CHEF_CARDS.values() if known.sets == (multiplier,) and known.card not in laid]
    chef = [known.name for known in parts if is_chef(known.card)]
    rest = [EFFECT_WORDS[known.effect].lower() for known in parts if not is_chef(known.card)]
    if any(map(is_wild, laid)):
        rest = [f"{len(rest) - 1} of {', '.join(rest)}"] if len(rest) > 1 else []
    elif rest and multiplier in WILD_SETS:
        rest[-1] += " or a wild" if len(rest) == 1 else " (one of these can be a wild)"
    return [*chef, *rest]


def board_place(view: View, position: int, turning: set[int], chosen: str | None) -> BoardPlace:
    """Return one position of the board."""
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
    """Return the form for placing the drawn cake, with what it would earn in each slot."""
    assert view.drawn is not None, "a cake is drawn before it is placed"
    cake = CAKE_CARDS[view.drawn]
    open_slots = [(move.case, move.slot) for move in moves if isinstance(move, PlaceCake)]
    hint = f"Each slot shows what its owner earns for a {cake.name} sold there: chef x slot x {dollars(cake.price)}."
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
    """Return an empty slot as a choice for the drawn cake."""
    gain = sale_amount(view.multipliers[case], slot, view.drawn, 0) if view.drawn else 0
    return SlotChoice(
        case=case,
        slot=slot,
        factor=FACTORS[slot],
        cake="",
        effect=dollars(gain),
        words=f"Put it in {case_owner(case, seat)} slot {slot} ({dollars(gain)})",
        chosen=context.form.get("place") == f"{case}-{slot}",
    )


def stale_prompt(context: TableContext, view: View, seat: Seat, moves: Iterable[Move]) -> FormPrompt:
    """Return the form for a stale card, with what it would cost the opponent on each cake."""
    against = opponent_of(seat)
    spots = tuple(stale_choice(context, view, against, move.slot) for move in moves if isinstance(move, PlaceStale))
    hint = (
        f"{seat_name(against)} rolled a number it had already sold. A stale card takes 20% off a cake's printed price."
    )
    title = f"Make one of {seat_name(against)}'s cakes stale"
    return FormPrompt("slots", title, hint, spots=((f"{seat_name(against)}'s case", spots),), move="place_stale")


def stale_choice(context: TableContext, view: View, case: Seat, slot: int) -> SlotChoice:
    """Return a cake as a choice for a stale card."""
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
        words=f"Make the {CAKE_CARDS[cake].name} in slot {slot} stale ({now} → {then})",
        chosen=context.form.get("place") == f"{case}-{slot}",
    )


def case_owner(case: Seat, seat: Seat) -> str:
    """Return the possessive for a case: your, or the opponent's name."""
    return "your" if case == seat else f"{seat_name(case)}'s"


# -- sale -----------------------------------------------------------------------------------------------------------


def describe_unsold(view: View, seat: Seat) -> str:
    """Return how many cakes the seat has sold and which totals sell one."""
    sold = view.sold[seat] if view.sold else ()
    left = [str(slot) for slot in SLOTS if slot not in sold]
    return f"You have sold {len(sold)} of {SALES_TO_WIN} cakes. These totals sell another: {', '.join(left)}."


def catch_up_prompt(view: View, seat: Seat) -> FormPrompt:
    """Return the form for the catch-up round, with the amounts at stake."""
    tab = view.tabs[seat] if view.tabs else 0
    tries = view.tries or 0
    percent = HIT_PERCENT[tries + 1]
    stakes = Stakes(
        hit=f"{percent}% ({dollars(kept_amount(tab, percent))})",
        miss=f"{LOSER_PERCENT}% ({dollars(kept_amount(tab, LOSER_PERCENT))})",
        stop=f"{view.percent}% ({dollars(kept_amount(tab, view.percent or 0))})" if tries else None,
    )
    hint = "One of your unsold numbers is drawn. Then you roll two dice: only exactly that total is a hit."
    return FormPrompt("catch_up", f"Catch-up round: your tab is {dollars(tab)}", hint, stakes=stakes)


# -- next to the board ------------------------------------------------------------------------------------------------


def phase_notes(view: View) -> Iterator[str]:
    """Yield notes on phase one that the picture doesn't show."""
    if view.phase not in ("hire", "last_chance"):
        return
    yield f"This is turn {view.turn}. The board closes after turn {view.options.turn_limit}."
    yield f"The next 5 rolled is worth {dollars(BONUS_STEP * ((view.fives or 0) + 2))}."
    for seat, lost in enumerate(view.skips or ()):
        if lost:
            yield f"{seat_name(seat)} loses {'its next turn' if lost == 1 else f'its next {lost} turns'}."


def describe_chef(multiplier: int) -> str:
    """Return a bakery's chef for the score sheet."""
    return f"{multiplier}x ({SET_COLOURS[multiplier]})" if multiplier in SET_COLOURS else "none (1x)"
