"""Hints for players (rules, section 13): the results of a play, and progress towards Achievements and the end."""

from collections.abc import Iterator

from domain.games.pie_contest.presentation.card_text import face_text
from domain.games.pie_contest.presentation.narration import FAILURES, baker_name, format_number
from domain.games.pie_contest.rules.achievements import BAKE_CONDITIONS, COUNTED_DEEDS
from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import ACHIEVEMENTS, FACES, Action
from domain.games.pie_contest.rules.model import SeenBaker, View
from domain.games.pie_contest.rules.parts import GRAND_PIES_TO_END, MIN_TO_BAKE, PIES_TO_END, STALE_LOSS, Cards
from domain.games.pie_contest.rules.pie_values import (
    can_bake,
    count_flavours,
    count_matching,
    count_salts,
    freshness,
    kitchen_worth,
    pie_value,
)
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

# -- playing a card -----------------------------------------------------------------------------------------------


def play_hint(view: View, seat: Seat, card: int) -> str:
    """Return what playing this card from the hand would do."""
    face = FACES[card]
    if isinstance(face, Action):
        tells_to_bake = any(call.name == "bake" for call in face.do)
        return bake_hint(view, seat) if tells_to_bake else face_text(card)
    kitchen = view.seats[seat].kitchen
    if len(kitchen) == KITCHEN_SIZE:
        return "Your Kitchen is full, so you can't play this."
    return f"{kitchen_hint(kitchen, (*kitchen, card))} {face_text(card)}."


def kitchen_hint(before: Cards, after: Cards) -> str:
    """Return how an Ingredient changes the worth of a Kitchen."""
    worth = f"Kitchen worth {format_number(kitchen_worth(before))} → {format_number(kitchen_worth(after))}"
    missing = "" if can_bake(after) else f" ({missing_to_bake(after)})"
    return f"{worth}, {format_number(pie_value(after))} as a Pie{missing}."


def missing_to_bake(kitchen: Cards) -> str:
    """Return why a Kitchen can't be Baked yet (B1)."""
    if len(kitchen) < 3:
        return "needs three Ingredients"
    return "too much Salt" if count_salts(kitchen) > 1 else "no Salt yet"


def kitchen_status(kitchen: Cards) -> str:
    """Return what a Kitchen still needs before it can be Baked, or what it can Bake (B1)."""
    if not kitchen:
        return "Empty"
    if can_bake(kitchen):
        return f"Can bake {format_number(pie_value(kitchen))}"
    salts = count_salts(kitchen)
    if salts > 1:
        return f"{pluralize(salts - 1, 'Salt')} too many"
    if not salts and len(kitchen) >= KITCHEN_SIZE:
        return "Full, but has no Salt"
    others = MIN_TO_BAKE - len(kitchen) - (not salts)
    needs = [pluralize(others, "Ingredient")] if others > 0 else []
    return f"Needs {join_and([*needs, *([] if salts else ['1 Salt'])])}"


def bake_hint(view: View, seat: Seat) -> str:
    """Return how a Bake now would change all Pies, and whether it would end the contest."""
    kitchen = view.seats[seat].kitchen
    if not can_bake(kitchen):
        why = "too_few" if len(kitchen) < 3 else "too_much_salt" if count_salts(kitchen) else "no_salt"
        return f"You can't Bake now: {FAILURES[why]}."
    changes = ", ".join(stale_hints(view, seat))
    end = " This ends the contest." if bake_would_end(view, seat) else ""
    return f"A Pie worth {format_number(pie_value(kitchen))}.{f' Stale: {changes}.' if changes else ''}{end}"


def stale_hints(view: View, by: Seat) -> Iterator[str]:
    """Yield each rival's Pies before and after a Bake."""
    for seat, rival in enumerate(view.seats):
        loss = max(0, STALE_LOSS - freshness(rival.kitchen))
        if seat == by or rival.out or not loss:
            continue
        for n, pie in enumerate(rival.pies, 1):
            after = pie.value - loss
            if view.options.pie_floor == "zero":
                after = min(pie.value, max(0, after))
            yield f"{baker_name(seat)}'s Pie {n} {format_number(pie.value)}→{format_number(after)}"


def bake_would_end(view: View, seat: Seat) -> bool:
    """Return whether one more Pie by this seat would end the contest (V1, V2)."""
    baked = [len(other.pies) + (n == seat) for n, other in enumerate(view.seats) if not other.out]
    if view.options.variant == "grand":
        return min(baked) >= GRAND_PIES_TO_END
    return min(baked) >= pies_needed(view) or max(baked) >= PIES_TO_END


# -- the end ------------------------------------------------------------------------------------------------------


def pies_needed(view: View) -> int:
    """Return how many Pies everyone needs to end the contest."""
    return GRAND_PIES_TO_END if view.options.variant == "grand" else view.options.pies_for_all or 1


def still_to_bake(view: View) -> str:
    """Return who still needs how many Pies to end the contest."""
    missing = {n: pies_needed(view) - len(baker.pies) for n, baker in enumerate(view.seats) if not baker.out}
    waiting = [n for n, pies in missing.items() if pies > 0]
    if view.result or not waiting:
        return ""
    most = max(missing.values())
    what = "a Pie" if most == 1 else f"up to {most} Pies" if len(waiting) > 1 else f"{most} Pies"
    verb = "need" if len(waiting) > 1 else "needs"
    names = "Everyone" if len(waiting) == len(missing) > 1 else join_and(map(baker_name, waiting))
    return f"{names} still {'needs' if names == 'Everyone' else verb} {what}"


def round_number(view: View) -> int:
    """Return the current round, counted from 1, or 0 before the first turn."""
    return (view.turn - 1) // len(view.seats) + 1 if view.seats and view.turn else 0


def closing_note(view: View) -> str:
    """Return a note about the closing round, in the last ten rounds only."""
    closing = view.options.closing_round or 0
    return f"closing after round {closing}" if closing - round_number(view) < 10 and not view.result else ""


# -- Achievements -------------------------------------------------------------------------------------------------


def progress(view: View, seat: Seat, slot: int) -> tuple[int, int] | None:
    """Return a seat's progress towards an Achievement as (has, needs), or None if it is all or nothing."""
    card, since = view.row[slot].card, view.row[slot].since
    if card is None:
        return None
    me, name, args = view.seats[seat], ACHIEVEMENTS[card].condition.name, ACHIEVEMENTS[card].condition.args
    if name in COUNTED_DEEDS:
        deeds = [deed for deed in view.deeds[since:] if deed.seat == seat and deed.deed == COUNTED_DEEDS[name]]
        return len(deeds), int(args[0])
    if name in BAKE_CONDITIONS or name in ("dive", "clean", "pie_max", "worth_max", "hand_max"):
        return None
    return count_condition(me, name, args), int(args[-1])


def count_condition(me: SeenBaker, name: str, args: tuple[str | int, ...]) -> int:
    """Return the current count for a condition that requires a minimum."""
    match name:
        case "kitchen":
            return count_matching(me.kitchen, str(args[0]))
        case "flavours":
            return count_flavours(me.kitchen)
        case "worth_min":
            return me.worth
        case "hand_min":
            return me.hand_count
        case _:
            return len(me.pies)
