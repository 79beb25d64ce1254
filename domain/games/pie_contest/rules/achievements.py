"""Achievements (rules, 4.7 and 12.1): when they are fulfilled, and what completing one does."""

from collections.abc import Callable

from domain.games.pie_contest.rules.baking import change_pies, pie_changes
from domain.games.pie_contest.rules.card_language import Arg
from domain.games.pie_contest.rules.components import ACHIEVEMENTS
from domain.games.pie_contest.rules.effects import reveal
from domain.games.pie_contest.rules.facts import AchievementCompleted, ChoiceAsked
from domain.games.pie_contest.rules.model import Baker, Deed, State
from domain.games.pie_contest.rules.option_keys import Decision, make_decision
from domain.games.pie_contest.rules.parts import GRAND_BONUS, Step
from domain.games.pie_contest.rules.pie_values import count_flavours, count_matching, kitchen_worth
from domain.games.pie_contest.rules.reducer import Recorder
from domain.games.pie_contest.rules.step_queue import queue_steps
from domain.kernel.game import Seat

Args = tuple[Arg, ...]
MIN_ROTTEN = 2
"""`worth_max` asks for a Kitchen with so many Ingredients at least."""

StateCondition = Callable[[Baker, Args], bool]
STATE_CONDITIONS: dict[str, StateCondition] = {
    "kitchen": lambda baker, args: count_matching(baker.kitchen, str(args[0])) >= int(args[1]),
    "flavours": lambda baker, args: count_flavours(baker.kitchen) >= int(args[0]),
    "worth_min": lambda baker, args: kitchen_worth(baker.kitchen) >= int(args[0]),
    "worth_max": lambda baker, args: len(baker.kitchen) >= MIN_ROTTEN and kitchen_worth(baker.kitchen) <= int(args[0]),
    "hand_min": lambda baker, args: len(baker.hand) >= int(args[0]),
    "hand_max": lambda baker, args: len(baker.hand) <= int(args[0]),
    "pies": lambda baker, args: len(baker.pies) >= int(args[0]),
    "pie_max": lambda baker, args: any(pie.value <= int(args[0]) for pie in baker.pies),
    "clean": lambda baker, args: not baker.kitchen and bool(baker.pies),
}
"""H3 Conditions on the state as it is now. Of a hand only the number of its cards counts (section 7)."""

BakeCondition = Callable[[Deed, Args], bool]
BAKE_CONDITIONS: dict[str, BakeCondition] = {
    "bake_min": lambda deed, args: (deed.total or 0) >= int(args[0]),
    "bake_max": lambda deed, args: (deed.total or 0) <= int(args[0]),
    "bake_size": lambda deed, args: len(deed.cards) == int(args[0]),
    "bake_with": lambda deed, args: count_matching(deed.cards, str(args[0])) >= int(args[1]),
    "bake_flavours": lambda deed, args: count_flavours(deed.cards) >= int(args[0]),
}
"""Conditions on one Bake: its total as baked, and its cards as they were."""

COUNTED_DEEDS = {"steals": "steal", "swaps": "swap", "raids": "raid", "plays": "play"}
"""Conditions on a number of deeds of one kind."""


def is_fulfilled(state: State, seat: Seat, slot: int) -> bool:
    """Whether a seat fulfils the Achievement in this slot now (H3, H4)."""
    card, since = state.row[slot].card, state.row[slot].since
    if card is None or card in state.locked:  # H6
        return False
    name, args = ACHIEVEMENTS[card].condition.name, ACHIEVEMENTS[card].condition.args
    if name in STATE_CONDITIONS:
        return STATE_CONDITIONS[name](state.seats[seat], args)
    deeds = [deed for deed in state.deeds[since:] if deed.seat == seat]
    if name in BAKE_CONDITIONS:
        return any(deed.deed == "bake" and BAKE_CONDITIONS[name](deed, args) for deed in deeds)
    if name == "dive":
        dives = [deed.card for deed in deeds if deed.deed == "dive" and deed.card is not None]
        return count_matching(dives, str(args[0])) > 0
    return sum(deed.deed == COUNTED_DEEDS[name] for deed in deeds) >= int(args[0])


def fulfilled_slots(state: State, seat: Seat) -> list[int]:
    """The face-up Achievements that a seat fulfils now, ascending."""
    cards = (slot.card for n, slot in enumerate(state.row) if is_fulfilled(state, seat, n))
    return sorted(card for card in cards if card is not None)


def decide_achievement(state: State, seat: Seat) -> Decision:
    """H2 Which of several a seat completes first."""
    return make_decision("order_achievement", ((card,) for card in fulfilled_slots(state, seat)))


def complete_or_ask(recorder: Recorder) -> bool:
    """H1, H2 The first seat around that fulfils anything completes it, or is asked which. False if nobody does."""
    for seat in recorder.state.live_seats_in_order:
        cards = fulfilled_slots(recorder.state, seat)
        if len(cards) == 1:
            complete_achievement(recorder, seat, cards[0])
            return True
        if cards:
            kind, options, number = decide_achievement(recorder.state, seat)
            recorder.emit(ChoiceAsked(seat=seat, kind=kind, options=options, count=number))
            return True
    return False


def complete_achievement(recorder: Recorder, seat: Seat, card: int) -> None:
    """H5"""
    slot = next(n for n, slot in enumerate(recorder.state.row) if slot.card == card)
    recorder.emit(AchievementCompleted(seat, card, slot))
    if recorder.state.options.variant == "grand":  # R48
        change_pies(recorder, seat, card, pie_changes(recorder.state, seat, GRAND_BONUS))
    reveal(recorder, slot)
    achievement = ACHIEVEMENTS[card]
    if achievement.becomes:
        queue_steps(recorder, [Step(seat, "become", (), card)])
        return
    queue_steps(recorder, (Step(seat, call.name, call.args, card) for call in achievement.reward))
