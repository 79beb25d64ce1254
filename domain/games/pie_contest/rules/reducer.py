"""The reducer: folds facts into the state (rules, section 5). It never raises an error and uses no randomness.

A fact that doesn't fit the state is applied as far as possible. References to things the state lacks are ignored.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain.games.pie_contest.rules.card_changes import (
    apply_achievement_completed,
    apply_achievement_turned,
    apply_card_foraged,
    apply_card_looked_at,
    apply_card_salvaged,
    apply_card_stolen,
    apply_cards_trashed,
    apply_hands_passed,
    apply_ingredient_given,
    apply_ingredient_stocked,
    apply_ingredient_stolen,
    apply_ingredient_taken_back,
    apply_ingredient_trashed,
    apply_ingredients_swapped,
    apply_pie_baked,
    apply_pies_changed,
    apply_pies_staled,
    apply_row_cleared,
    apply_search_finished,
)
from domain.games.pie_contest.rules.facts import (
    AchievementCompleted,
    AchievementRevealed,
    AchievementsShuffled,
    AchievementTurned,
    ActionPlayed,
    CardDrawn,
    CardForaged,
    CardLookedAt,
    CardSalvaged,
    CardStolen,
    CardsTrashed,
    ChoiceAsked,
    ChoiceMade,
    DumpsterDived,
    ExtraPlayGranted,
    Fact,
    FirstSeatChosen,
    GameEnded,
    GameStarted,
    HandsDealt,
    HandsPassed,
    HandTrimmed,
    IngredientGiven,
    IngredientPlayed,
    IngredientsSwapped,
    IngredientStocked,
    IngredientStolen,
    IngredientTakenBack,
    IngredientTrashed,
    PantryRestocked,
    PantryShuffled,
    PieBaked,
    PiesChanged,
    PiesStaled,
    PositionSet,
    RowCleared,
    SearchFinished,
    SeatResigned,
    StepsQueued,
    StepStarted,
    TrimDue,
    TurnBegan,
    TurnPassed,
)
from domain.games.pie_contest.rules.model import (
    Baker,
    Cause,
    Commit,
    Deed,
    Pie,
    Question,
    Result,
    Slot,
    State,
)
from domain.games.pie_contest.rules.parts import SEAT_KEYS, Cards, known_card, visible_cards
from domain.games.pie_contest.rules.zones import (
    count_act,
    into_hand,
    into_kitchen,
    out_of_hand,
    remove_cards,
    to_trash,
    under_pile,
    with_baker,
    with_slot,
)
from domain.kernel.game import Seat
from domain.kernel.recorder import FactRecorder

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each of them into the state."""


def evolve(state: State, fact: Fact) -> State:
    """Return the state after one fact."""
    row = APPLY_BY_FACT.get(type(fact))
    return row(state, fact) if row else state


# -- set-up ---------------------------------------------------------------------------------------------------------


def apply_game_started(state: State, fact: GameStarted) -> State:
    """Return the state at the start of a contest."""
    return State(options=fact.options, seats=(Baker(),) * fact.seats)


def apply_position_set(state: State, fact: PositionSet) -> State:
    """Return the state that a position document describes (section 15)."""

    def cards(held: Cards | int | None) -> Cards:
        return held if isinstance(held, tuple) else ()

    bakers = tuple(
        Baker(
            hand=cards(fact.hands.get(key)),
            kitchen=fact.kitchens.get(key, ()),
            pies=tuple(Pie((), value, (value,), (Cause("given", seat),)) for value in fact.pies.get(key, ())),
        )
        for seat, key in enumerate(SEAT_KEYS[: fact.seats])
    )
    return State(
        options=fact.options,
        seats=bakers,
        pantry=cards(fact.pantry),
        trash=fact.trash,
        pile=cards(fact.pile),
        row=tuple(Slot(card) for card in fact.row),
        turned=fact.turned,
        turn=fact.turn,
        active=fact.active,
        stage=fact.stage,
        plays_left=fact.plays_left,
        acts_made=fact.acts_made,
        granted=fact.granted,
        out=fact.out,
    )


def apply_hands_dealt(state: State, fact: HandsDealt) -> State:
    """Return the state after the deal (S5)."""
    dealt = 0
    for key, cards in fact.hands.items():
        hand = cards if isinstance(cards, tuple) else ()
        dealt += cards if isinstance(cards, int) else len(hand)
        state = into_hand(state, int(key), *hand)
    return replace(state, pantry=state.pantry[dealt:])


def apply_achievement_revealed(state: State, fact: AchievementRevealed) -> State:
    """Return the state with the top card of the pile in a slot. Earlier deeds don't count for it (H4)."""
    slot = Slot(fact.card, len(state.deeds))
    return with_slot(replace(state, pile=state.pile[1:]), fact.slot, slot)


# -- turns and cards ------------------------------------------------------------------------------------------------


def apply_turn_began(state: State, fact: TurnBegan) -> State:
    """Return the state at the start of a turn (T1)."""
    return replace(
        state,
        turn=fact.turn,
        active=fact.seat,
        stage="open",
        plays_left=1,
        acts_made=0,
        granted=0,
        trimming=False,
        to_trim=0,
        deeds=(),
        locked=(),
        row=tuple(Slot(slot.card) for slot in state.row),
    )


def apply_card_drawn(state: State, fact: CardDrawn) -> State:
    """Return the state after a draw (T8)."""
    return into_hand(replace(state, pantry=state.pantry[1:]), fact.seat, *known_card(fact.card))


def apply_pantry_restocked(state: State, fact: PantryRestocked) -> State:
    """Return the state with the shuffled Trash in the Pantry (T8)."""
    return replace(state, trash=(), pantry=(*state.pantry, *visible_cards(fact.order)))


def apply_ingredient_played(state: State, fact: IngredientPlayed) -> State:
    """Return the state after playing an Ingredient (T4)."""
    moved = into_kitchen(out_of_hand(state, fact.seat, fact.card), fact.seat, fact.card)
    return count_act(moved, fact.seat, Deed(fact.seat, "play", fact.card))


def apply_action_played(state: State, fact: ActionPlayed) -> State:
    """Return the state after playing an Action (T3)."""
    moved = to_trash(out_of_hand(state, fact.seat, fact.card), fact.card)
    return count_act(moved, fact.seat, Deed(fact.seat, "play", fact.card))


def apply_dumpster_dived(state: State, fact: DumpsterDived) -> State:
    """Return the state after a dive (T5)."""
    moved = to_trash(out_of_hand(state, fact.seat, *fact.trashed), *fact.trashed)
    moved = into_hand(replace(moved, trash=remove_cards(moved.trash, fact.taken)), fact.seat, fact.taken)
    return count_act(moved, fact.seat, Deed(fact.seat, "dive", fact.taken))


def apply_hand_trimmed(state: State, fact: HandTrimmed) -> State:
    """Return the state after trimming the hand (T7)."""
    return replace(to_trash(out_of_hand(state, fact.seat, *fact.cards), *fact.cards), to_trim=0)


# -- steps and choices ----------------------------------------------------------------------------------------------


def apply_choice_asked(state: State, fact: ChoiceAsked) -> State:
    """Return the state with a choice open (Q1)."""
    options = fact.options if isinstance(fact.options, tuple) else ()
    question = Question(fact.seat, fact.kind, options, fact.count)
    return replace(state, choices=insert_by_seat(without_seat(state.choices, fact.seat), question))


def apply_choice_made(state: State, fact: ChoiceMade) -> State:
    """Return the state with a choice made (Q1). Potluck picks are kept until all seats have picked."""
    state = replace(state, choices=without_seat(state.choices, fact.seat))
    if not fact.commit:
        return state
    picks = fact.picks if isinstance(fact.picks, tuple) else ()
    cards = [int(pick.removeprefix("card:")) for pick in picks if pick.removeprefix("card:").isdecimal()]
    commits = tuple(commit for commit in state.commits if commit.seat != fact.seat)
    commits += tuple(Commit(fact.seat, card) for card in cards[:1])
    return replace(state, commits=tuple(sorted(commits, key=lambda commit: commit.seat)))


def without_seat(choices: tuple[Question, ...], seat: Seat) -> tuple[Question, ...]:
    """Return the open choices of all other seats."""
    return tuple(question for question in choices if question.seat != seat)


def insert_by_seat(choices: tuple[Question, ...], question: Question) -> tuple[Question, ...]:
    """Return the choices with one more, in ascending order of seats."""
    return tuple(sorted((*choices, question), key=lambda asked: asked.seat))


# -- the end --------------------------------------------------------------------------------------------------------


def apply_seat_resigned(state: State, fact: SeatResigned) -> State:
    """Return the state without the seat's cards and steps, or without any steps if it was active (V3)."""
    seat = fact.seat
    dropped = [step for step in state.agenda if seat in (step.seat, state.active)]
    agenda = tuple(step for step in state.agenda if step not in dropped)
    turning = tuple(sorted(step.src for step in dropped if step.op == "become" and step.src in state.turning))
    state = with_baker(state, seat, hand=(), kitchen=())
    state = to_trash(state, *fact.hand, *fact.kitchen, *fact.aside)
    state = under_pile(replace(state, turning=remove_cards(state.turning, *turning)), *turning)
    gone = not state.aside or bool(fact.aside)
    return replace(
        state,
        agenda=agenda,
        aside=() if gone else state.aside,
        searcher=None if gone else state.searcher,
        choices=(),
        commits=(),
        out=tuple(sorted({*state.out, seat})),
    )


def apply_game_ended(state: State, fact: GameEnded) -> State:
    """Return the state at the end of the contest (V5)."""
    result = Result(fact.why, fact.scores, fact.winners, fact.ranking)
    return replace(state, result=result, agenda=(), choices=(), commits=(), to_trim=0)


APPLY_BY_FACT: dict[type, Callable[[State, Any], State]] = {
    GameStarted: apply_game_started,
    PositionSet: apply_position_set,
    PantryShuffled: lambda state, fact: replace(state, pantry=visible_cards(fact.order)),
    AchievementsShuffled: lambda state, fact: replace(state, pile=visible_cards(fact.order)),
    FirstSeatChosen: lambda state, fact: replace(state, active=fact.seat),
    HandsDealt: apply_hands_dealt,
    AchievementRevealed: apply_achievement_revealed,
    TurnBegan: apply_turn_began,
    CardDrawn: apply_card_drawn,
    PantryRestocked: apply_pantry_restocked,
    IngredientPlayed: apply_ingredient_played,
    ActionPlayed: apply_action_played,
    DumpsterDived: apply_dumpster_dived,
    TurnPassed: lambda state, fact: replace(state, stage="acted", plays_left=0),
    TrimDue: lambda state, fact: replace(state, trimming=True, to_trim=fact.count),
    HandTrimmed: apply_hand_trimmed,
    StepsQueued: lambda state, fact: replace(state, agenda=(*fact.steps, *state.agenda)),
    StepStarted: lambda state, fact: replace(state, agenda=state.agenda[1:]),
    ChoiceAsked: apply_choice_asked,
    ChoiceMade: apply_choice_made,
    ExtraPlayGranted: lambda state, fact: replace(
        state, plays_left=state.plays_left + fact.count, granted=state.granted + fact.count
    ),
    PieBaked: apply_pie_baked,
    PiesStaled: apply_pies_staled,
    PiesChanged: apply_pies_changed,
    IngredientsSwapped: apply_ingredients_swapped,
    IngredientStolen: apply_ingredient_stolen,
    IngredientTrashed: apply_ingredient_trashed,
    IngredientGiven: apply_ingredient_given,
    IngredientTakenBack: apply_ingredient_taken_back,
    IngredientStocked: apply_ingredient_stocked,
    CardSalvaged: apply_card_salvaged,
    CardForaged: apply_card_foraged,
    CardLookedAt: apply_card_looked_at,
    SearchFinished: apply_search_finished,
    CardStolen: apply_card_stolen,
    CardsTrashed: apply_cards_trashed,
    HandsPassed: apply_hands_passed,
    AchievementCompleted: apply_achievement_completed,
    AchievementTurned: apply_achievement_turned,
    RowCleared: apply_row_cleared,
    SeatResigned: apply_seat_resigned,
    GameEnded: apply_game_ended,
}
"""The state change of each fact. Facts not listed change nothing (section 5)."""
