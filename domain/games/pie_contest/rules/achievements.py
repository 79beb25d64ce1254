"""Achievements (rules, 4.7 and 12.1): their conditions and their completion."""

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
"""The smallest number of Ingredients in a Kitchen that can fulfil `worth_max`."""

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
"""Conditions on the current state (H3). They depend only on the size of a hand, not on its cards (section 7)."""

BakeCondition = Callable[[Deed, Args], bool]
BAKE_CONDITIONS: dict[str, BakeCondition] = {
    "bake_min": lambda deed, args: (deed.total or 0) >= int(args[0]),
    "bake_max": lambda deed, args: (deed.total or 0) <= int(args[0]),
    "bake_size": lambda deed, args: len(deed.cards) == int(args[0]),
    "bake_with": lambda deed, args: count_matching(deed.cards, str(args[0])) >= int(args[1]),
    "bake_flavours": lambda deed, args: count_flavours(deed.cards) >= int(args[0]),
}
"""Conditions on a single Bake: its total when baked, and its cards."""

COUNTED_DEEDS = {"steals": "steal", "swaps": "swap", "raids": "raid", "plays": "play"}
"""Conditions on the number of deeds of one kind."""


def is_fulfilled(state: State, seat: Seat, slot: int) -> bool:
    """Return whether a seat fulfils the Achievement in this slot (H3, H4)."""
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
    """Return the face-up Achievements that a seat fulfils, ascending."""
    cards = (slot.card for n, slot in enumerate(state.row) if is_fulfilled(state, seat, n))
    return sorted(card for card in cards if card is not None)


def decide_achievement(state: State, seat: Seat) -> Decision:
    """Return the decision about which of several Achievements a seat completes first (H2)."""
    return make_decision("order_achievement", ((card,) for card in fulfilled_slots(state, seat)))


def complete_or_ask(recorder: Recorder) -> bool:
    """Complete an Achievement for the first seat that fulfils one, or ask which (H1, H2). Return False if none."""
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
    """Complete an Achievement: bonus, new card in the slot, reward (H5)."""
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
