"""The effects (rules, section 12.1): for each kind of step its decision, its obstacles and its result.

No card has its own code. Its data lists its steps.
"""

from domain.games.pie_contest.rules.baking import (
    bake,
    baked_effects,
    change_pies,
    effects_to_order,
    end_if_over,
    pie_changes,
)
from domain.games.pie_contest.rules.components import ACHIEVEMENTS as ACHIEVEMENT_CARDS
from domain.games.pie_contest.rules.components import INGREDIENTS, Ingredient
from domain.games.pie_contest.rules.facts import (
    AchievementRevealed,
    AchievementTurned,
    CardForaged,
    CardLookedAt,
    CardSalvaged,
    CardStolen,
    CardsTrashed,
    ChoiceAsked,
    ChoiceMade,
    ExtraPlayGranted,
    HandsPassed,
    IngredientGiven,
    IngredientsSwapped,
    IngredientStocked,
    IngredientStolen,
    IngredientTakenBack,
    IngredientTrashed,
    RowCleared,
    SearchFinished,
)
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.option_keys import Decision, Numbers, make_decision
from domain.games.pie_contest.rules.pantry import draw, take_top
from domain.games.pie_contest.rules.parts import MAX_GRANTED, ROW_SIZE, HandMove, Step, Why
from domain.games.pie_contest.rules.pie_values import can_bake
from domain.games.pie_contest.rules.reducer import Recorder
from domain.games.pie_contest.rules.step_queue import queue_steps
from domain.games.pie_contest.rules.targets import (
    fizzle,
    has_kitchen_room,
    landing_zone,
    matching_trash,
    number_argument,
    open_ingredients,
    own_ingredients,
    owner_of,
    word_argument,
)
from domain.kernel.game import Seat

# -- drawing, baking, plays -----------------------------------------------------------------------------------------


def do_draw(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `draw(self, n)`."""
    for _ in range(number_argument(step)):
        draw(recorder, step.seat, "effect")


def ask_bake(state: State, step: Step) -> Decision | None:
    """Return the decision of `bake(may)` if a Bake is possible (B1)."""
    if word_argument(step) == "may" and can_bake(state.seats[step.seat].kitchen):
        return Decision("may_bake", ("no", "yes"))
    return None


def do_bake(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `bake(self)` or `bake(may)`. `bake(all)` queues one step for each seat (R35)."""
    if word_argument(step) == "all":
        queue_steps(recorder, (Step(seat, step.op, ("self",), step.src) for seat in recorder.state.live_seats_in_order))
        return
    bake(recorder, step)


def blocked_extra_play(state: State, step: Step) -> Why | None:
    """Return why an extra play is not possible, or None if it is (R12, R13)."""
    if step.seat != state.active or state.trimming:
        return "not_your_turn"
    return "limit" if state.granted >= MAX_GRANTED else None


def do_extra_play(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `extra_play(n)`."""
    count = min(number_argument(step), MAX_GRANTED - recorder.state.granted)
    recorder.emit(ExtraPlayGranted(step.seat, count))


# -- Ingredients ----------------------------------------------------------------------------------------------------


def blocked_by_full_kitchen(state: State, step: Step) -> Why | None:
    """Return `kitchen_full` if the seat has no room for an Ingredient (R17)."""
    return None if has_kitchen_room(state, step.seat) else "kitchen_full"


def ask_swap(state: State, step: Step) -> Decision:
    """Ask for one of the seat's Ingredients and an unguarded one of another seat (R18, R19)."""
    theirs = open_ingredients(state, step.seat, "any")
    return make_decision("swap", ((mine, other) for mine in state.seats[step.seat].kitchen for other in theirs))


def do_swap(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `swap()`."""
    gave, got = picks[0]
    recorder.emit(IngredientsSwapped(step.seat, owner_of(recorder.state, got), gave, got))


def ask_steal_ing(state: State, step: Step) -> Decision:
    """Ask for an unguarded Ingredient in another Kitchen."""
    return make_decision("steal_ing", ((card,) for card in open_ingredients(state, step.seat, word_argument(step))))


def do_steal_ing(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `steal_ing(F)`."""
    ((card,),) = picks
    recorder.emit(IngredientStolen(step.seat, owner_of(recorder.state, card), card))


def ask_trash_ing(state: State, step: Step) -> Decision:
    """Ask for one of the seat's Ingredients, or for an unguarded one of another seat."""
    choose = own_ingredients if word_argument(step) == "self" else open_ingredients
    return make_decision("trash_ing", ((card,) for card in choose(state, step.seat, word_argument(step, 1))))


def do_trash_ing(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `trash_ing(self, F)` or `trash_ing(others, F)`."""
    ((card,),) = picks
    recorder.emit(IngredientTrashed(step.seat, owner_of(recorder.state, card), card))


def ask_give_ing(state: State, step: Step) -> Decision:
    """Ask for one of the seat's Ingredients and another Kitchen with room for it (R17)."""
    receivers = [seat for seat in state.other_live_seats(step.seat) if has_kitchen_room(state, seat)]
    mine = own_ingredients(state, step.seat, word_argument(step))
    return make_decision("give_ing", ((card, seat) for card in mine for seat in receivers))


def do_give_ing(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `give_ing(F)`."""
    card, seat = picks[0]
    recorder.emit(IngredientGiven(step.seat, seat, card))


def ask_take_back(state: State, step: Step) -> Decision:
    """Ask for one of the seat's Ingredients."""
    return make_decision("take_back", ((card,) for card in own_ingredients(state, step.seat, word_argument(step))))


def do_take_back(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `take_back(F)`."""
    ((card,),) = picks
    recorder.emit(IngredientTakenBack(step.seat, card, landing_zone(recorder.state, card, step.seat)))


# -- Trash and Pantry -----------------------------------------------------------------------------------------------


def ask_salvage(state: State, step: Step) -> Decision:
    """Ask for a card in the Trash."""
    return make_decision("salvage", matching_trash(state, step))


def do_salvage(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `salvage(F)`."""
    ((card,),) = picks
    recorder.emit(CardSalvaged(step.seat, card))


def ask_stock(state: State, step: Step) -> Decision:
    """Ask for an Ingredient in the Trash."""
    return make_decision("stock", matching_trash(state, step))


def do_stock(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `stock(F)`."""
    ((card,),) = picks
    recorder.emit(IngredientStocked(step.seat, card))


def do_forage(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `forage()`."""

    def turned_up(card: int) -> CardForaged:
        fits = card in INGREDIENTS and has_kitchen_room(recorder.state, step.seat)
        return CardForaged(step.seat, card, "kitchen" if fits else "trash")

    if not take_top(recorder, turned_up):
        fizzle(recorder, step, "pantry_empty")


def do_search(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `search(n)`."""
    for _ in range(number_argument(step)):
        if not take_top(recorder, lambda card: CardLookedAt(step.seat, card)):
            break
    if not recorder.state.aside:
        fizzle(recorder, step, "pantry_empty")
        return
    queue_steps(recorder, [Step(step.seat, "search_keep", (), step.src)])


def ask_search_keep(state: State, step: Step) -> Decision:
    """Ask for one of the cards looked at."""
    return make_decision("search_keep", ((card,) for card in state.aside))


def do_search_keep(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Keep one card and trash the others in the order in which they were drawn."""
    ((kept,),) = picks
    rest = tuple(card for card in recorder.state.aside if card != kept)
    recorder.emit(SearchFinished(seat=step.seat, kept=kept, trashed=rest))


# -- hands ----------------------------------------------------------------------------------------------------------


def ask_steal_card(state: State, step: Step) -> Decision:
    """Ask for another seat with at least one card in hand."""
    return make_decision(
        "steal_card", ((seat,) for seat in state.other_live_seats(step.seat) if state.seats[seat].hand)
    )


def do_steal_card(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `steal_card(n)` with random cards (C5, R57)."""
    ((owner,),) = picks
    for _ in range(number_argument(step)):
        if not recorder.state.seats[owner].hand:
            return
        card = recorder.chance.use(f"steal/{step.seat}").pick(recorder.state.seats[owner].hand)
        to = landing_zone(recorder.state, card, step.seat)
        recorder.emit(CardStolen(seat=step.seat, owner=owner, card=card, to=to))


def ask_trash_hand(state: State, step: Step) -> Decision | None:
    """Ask for this many cards from the seat's hand, or all if there are fewer."""
    if word_argument(step) == "others":
        return None
    hand = state.seats[step.seat].hand
    return make_decision("trash_hand", ((card,) for card in hand), min(number_argument(step), len(hand)))


def do_trash_hand(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Trash the picked cards. `trash_hand(others, n)` queues one step for each other seat."""
    if word_argument(step) == "others":
        others = (seat for seat in recorder.state.live_seats_in_order if seat != step.seat)
        queue_steps(recorder, (Step(seat, step.op, ("self", number_argument(step)), step.src) for seat in others))
        return
    recorder.emit(CardsTrashed(step.seat, tuple(card for (card,) in picks)))


def blocked_pass_hand(state: State, step: Step) -> Why | None:
    """Return `no_target` if all hands are empty."""
    return None if any(state.seats[seat].hand for seat in state.live) else "no_target"


def ask_to_pass(state: State, seat: Seat) -> Decision:
    """Ask a seat for one card from its hand."""
    return make_decision("pass_hand", ((card,) for card in state.seats[seat].hand))


def collect_commits(recorder: Recorder) -> bool:
    """Ask all seats that have not picked a card, and return whether all have. A single card is picked automatically."""
    state = recorder.state
    committed = {commit.seat for commit in state.commits}
    for seat in state.live_seats_in_order:
        if not state.seats[seat].hand or seat in committed:
            continue
        filter_name = ask_to_pass(state, seat)
        if len(filter_name.options) == 1:
            recorder.emit(ChoiceMade(seat=seat, picks=filter_name.options, commit=True))
        else:
            recorder.emit(
                ChoiceAsked(seat=seat, kind=filter_name.kind, options=filter_name.options, count=filter_name.picks)
            )
    return not recorder.state.choices


def do_pass_hand(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `pass_hand()`: each picked card goes to the next live seat to the left."""
    state = recorder.state
    cards = {commit.seat: commit.card for commit in state.commits}
    moves = []
    for place, seat in enumerate(state.live_seats_in_order):
        if seat in cards:
            to = state.live_seats_in_order[(place + 1) % len(state.live_seats_in_order)]
            card = cards[seat]
            moves.append(HandMove(from_=seat, to=to, card=card, zone=landing_zone(state, card, to)))
    recorder.emit(HandsPassed(tuple(moves)))


# -- Pies and Achievements ------------------------------------------------------------------------------------------


def blocked_pie(state: State, step: Step) -> Why | None:
    """Return `no_target` if `pie(all_others, k)` finds no Pie. The other forms ask for a target instead."""
    others = state.other_live_seats(step.seat)
    none = word_argument(step) == "all_others" and not any(state.seats[seat].pies for seat in others)
    return "no_target" if none else None


def ask_pie(state: State, step: Step) -> Decision | None:
    """Ask for one of the seat's Pies, or for one of another live seat."""
    if word_argument(step) == "all_others":
        return None
    seats = (step.seat,) if word_argument(step) == "self" else state.other_live_seats(step.seat)
    return make_decision("pie", ((seat, n + 1) for seat in seats for n in range(len(state.seats[seat].pies))))


def do_pie(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `pie(self, k)`, `pie(other, k)` or `pie(all_others, k)`."""
    state, k = recorder.state, number_argument(step)
    if word_argument(step) == "all_others":
        changes = [change for seat in state.other_live_seats(step.seat) for change in pie_changes(state, seat, k)]
    else:
        seat, number = picks[0]
        changes = pie_changes(state, seat, k, only=number)
    change_pies(recorder, step.seat, step.src, changes)


def do_new_row(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out `new_row()`."""
    recorder.emit(RowCleared(tuple(slot.card for slot in recorder.state.row if slot.card is not None)))
    for slot in range(ROW_SIZE):
        reveal(recorder, slot)


def reveal(recorder: Recorder, slot: int) -> None:
    """Reveal the top card of the pile in a slot, unless the pile is empty (S6, H5, R43)."""
    if recorder.state.pile:
        recorder.emit(AchievementRevealed(slot, recorder.state.pile[0]))


def do_become(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Turn an Achievement: an Action goes to the hand, an Ingredient to the Kitchen or, if full, the pile (H7, R46)."""
    if not isinstance(ACHIEVEMENT_CARDS[step.src].becomes, Ingredient):
        recorder.emit(AchievementTurned(step.seat, step.src, "hand"))
        return
    room = has_kitchen_room(recorder.state, step.seat)
    recorder.emit(AchievementTurned(step.seat, step.src, "kitchen" if room else "pile"))


# -- internal steps -------------------------------------------------------------------------------------------------


def ask_baked_effects(state: State, step: Step) -> Decision | None:
    """Ask which card's effects come first, if the cards have different names (R3)."""
    cards = effects_to_order(step)
    return make_decision("order_effect", ((card,) for card in cards)) if cards else None


def do_baked_effects(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """Carry out the when-Baked effects of the first card and queue the others (B5)."""
    first = picks[0][0] if picks else min(int(card) for card in step.args)
    baked_effects(recorder, step, first)


def do_end_check(recorder: Recorder, step: Step, picks: list[Numbers]) -> None:
    """End the contest if its end condition is met (B6)."""
    end_if_over(recorder)
