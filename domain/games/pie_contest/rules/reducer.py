"""How facts fold into state (rules, section 5). Total: it never refuses, never draws.

A fact that does not fit the state folds as far as it can: what it names and the state does not hold is left alone.
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from domain.games.pie_contest.rules.components import ACHIEVEMENTS, INGREDIENTS, PILE_CARDS
from domain.games.pie_contest.rules.model import (
    EMPTY_ROW,
    SEAT_KEYS,
    AchievementCompleted,
    AchievementRevealed,
    AchievementsShuffled,
    AchievementTurned,
    ActionPlayed,
    Baker,
    CardDrawn,
    CardForaged,
    CardLookedAt,
    Cards,
    CardSalvaged,
    CardStolen,
    CardsTrashed,
    Cause,
    ChoiceAsked,
    ChoiceMade,
    Commit,
    Deed,
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
    Pie,
    PieBaked,
    PieChange,
    PiesChanged,
    PiesStaled,
    PositionSet,
    Question,
    Result,
    RowCleared,
    SearchFinished,
    SeatResigned,
    Slot,
    State,
    StepsQueued,
    StepStarted,
    TrimDue,
    TurnBegan,
    TurnPassed,
    known_card,
    visible_cards,
)
from domain.kernel.game import Seat
from domain.kernel.recorder import FactRecorder

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each of them once."""


def evolve(state: State, fact: Fact) -> State:
    """The state after one fact."""
    row = APPLY_BY_FACT.get(type(fact))
    return row(state, fact) if row else state


# -- small changes ------------------------------------------------------------------------------------------------


def remove_cards(cards: Cards, *gone: int) -> Cards:
    """The cards but these."""
    return tuple([card for card in cards if card not in gone])


def with_baker(state: State, seat: Seat, **changes: Any) -> State:
    """One seat changed."""
    if not 0 <= seat < len(state.seats):
        return state
    baker = replace(state.seats[seat], **changes)
    return replace(state, seats=(*state.seats[:seat], baker, *state.seats[seat + 1 :]))


def baker_of(state: State, seat: Seat) -> Baker:
    """A seat, empty if the table has no such seat."""
    return state.seats[seat] if 0 <= seat < len(state.seats) else Baker()


def into_hand(state: State, seat: Seat, *cards: int) -> State:
    """Cards into a hand, which stays in ascending order."""
    return with_baker(state, seat, hand=tuple(sorted({*baker_of(state, seat).hand, *cards})))


def out_of_hand(state: State, seat: Seat, *cards: int) -> State:
    """Cards out of a hand."""
    return with_baker(state, seat, hand=remove_cards(baker_of(state, seat).hand, *cards))


def into_kitchen(state: State, seat: Seat, card: int) -> State:
    """A card to the end of a Kitchen; what is no Ingredient cannot lie there."""
    if card not in INGREDIENTS:
        return state
    return with_baker(state, seat, kitchen=(*remove_cards(baker_of(state, seat).kitchen, card), card))


def out_of_kitchen(state: State, seat: Seat, *cards: int) -> State:
    """Cards out of a Kitchen."""
    return with_baker(state, seat, kitchen=remove_cards(baker_of(state, seat).kitchen, *cards))


def to_trash(state: State, *cards: int) -> State:
    """Cards to the newest end of the Trash, but turned Achievements under the pile (T9)."""
    trashed = tuple([card for card in cards if card not in PILE_CARDS])
    state = replace(state, trash=(*state.trash, *trashed))
    return under_pile(state, *[card for card in cards if card in PILE_CARDS])


def under_pile(state: State, *cards: int) -> State:
    """Achievements to the bottom of the pile, turned no longer."""
    if not cards:
        return state
    turned = {key: seat for key, seat in state.turned.items() if int(key) not in cards}
    return replace(state, pile=(*remove_cards(state.pile, *cards), *cards), turned=turned)


def with_deed(state: State, deed: Deed) -> State:
    """One deed more this turn."""
    return replace(state, deeds=(*state.deeds, deed))


def with_slot(state: State, number: int, slot: Slot) -> State:
    """One place of the row changed."""
    return replace(state, row=tuple(slot if n == number else old for n, old in enumerate(state.row)))


def count_act(state: State, seat: Seat, deed: Deed) -> State:
    """T2 A play or a dive is made."""
    spent = replace(state, stage="acted", plays_left=state.plays_left - 1, acts_made=state.acts_made + 1)
    return with_deed(spent, deed)


# -- set-up -------------------------------------------------------------------------------------------------------


def apply_game_started(state: State, fact: GameStarted) -> State:
    """An empty table."""
    return State(options=fact.options, seats=(Baker(),) * fact.seats)


def apply_position_set(state: State, fact: PositionSet) -> State:
    """The table as the document has it (section 15)."""

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
    """S5"""
    dealt = 0
    for key, cards in fact.hands.items():
        hand = cards if isinstance(cards, tuple) else ()
        dealt += cards if isinstance(cards, int) else len(hand)
        state = into_hand(state, int(key), *hand)
    return replace(state, pantry=state.pantry[dealt:])


def apply_achievement_revealed(state: State, fact: AchievementRevealed) -> State:
    """The top of the pile into a slot; what was done before does not count for it (H4)."""
    slot = Slot(fact.card, len(state.deeds))  # H4
    return with_slot(replace(state, pile=state.pile[1:]), fact.slot, slot)


# -- turns and cards ----------------------------------------------------------------------------------------------


def apply_turn_began(state: State, fact: TurnBegan) -> State:
    """T1"""
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
    """T8"""
    return into_hand(replace(state, pantry=state.pantry[1:]), fact.seat, *known_card(fact.card))


def apply_pantry_restocked(state: State, fact: PantryRestocked) -> State:
    """T8"""
    return replace(state, trash=(), pantry=(*state.pantry, *visible_cards(fact.order)))


def apply_ingredient_played(state: State, fact: IngredientPlayed) -> State:
    """T4"""
    moved = into_kitchen(out_of_hand(state, fact.seat, fact.card), fact.seat, fact.card)
    return count_act(moved, fact.seat, Deed(fact.seat, "play", fact.card))


def apply_action_played(state: State, fact: ActionPlayed) -> State:
    """T3"""
    moved = to_trash(out_of_hand(state, fact.seat, fact.card), fact.card)
    return count_act(moved, fact.seat, Deed(fact.seat, "play", fact.card))


def apply_dumpster_dived(state: State, fact: DumpsterDived) -> State:
    """T5"""
    moved = to_trash(out_of_hand(state, fact.seat, *fact.trashed), *fact.trashed)
    moved = into_hand(replace(moved, trash=remove_cards(moved.trash, fact.taken)), fact.seat, fact.taken)
    return count_act(moved, fact.seat, Deed(fact.seat, "dive", fact.taken))


def apply_hand_trimmed(state: State, fact: HandTrimmed) -> State:
    """T7"""
    return replace(to_trash(out_of_hand(state, fact.seat, *fact.cards), *fact.cards), to_trim=0)


# -- steps and choices --------------------------------------------------------------------------------------------


def apply_choice_asked(state: State, fact: ChoiceAsked) -> State:
    """Q1"""
    options = fact.options if isinstance(fact.options, tuple) else ()
    question = Question(fact.seat, fact.kind, options, fact.count)
    return replace(state, choices=insert_by_seat(without_seat(state.choices, fact.seat), question))


def apply_choice_made(state: State, fact: ChoiceMade) -> State:
    """Q1; a pick for Potluck is kept until all are in."""
    state = replace(state, choices=without_seat(state.choices, fact.seat))
    if not fact.commit:
        return state
    picks = fact.picks if isinstance(fact.picks, tuple) else ()
    cards = [int(pick.removeprefix("card:")) for pick in picks if pick.removeprefix("card:").isdecimal()]
    commits = tuple(commit for commit in state.commits if commit.seat != fact.seat)
    commits += tuple(Commit(fact.seat, card) for card in cards[:1])
    return replace(state, commits=tuple(sorted(commits, key=lambda commit: commit.seat)))


def without_seat(choices: tuple[Question, ...], seat: Seat) -> tuple[Question, ...]:
    """The open choices of all other seats."""
    return tuple(question for question in choices if question.seat != seat)


def insert_by_seat(choices: tuple[Question, ...], question: Question) -> tuple[Question, ...]:
    """The choices with one more, ascending by seat."""
    return tuple(sorted((*choices, question), key=lambda asked: asked.seat))


# -- Pies ---------------------------------------------------------------------------------------------------------


def apply_pie_baked(state: State, fact: PieBaked) -> State:
    """B3"""
    baker = baker_of(state, fact.seat)
    pies = (*baker.pies, Pie(fact.cards, fact.total, (fact.total,), (Cause("baked", fact.seat),)))
    state = with_baker(state, fact.seat, kitchen=remove_cards(baker.kitchen, *fact.cards), pies=pies)
    return with_deed(to_trash(state, *fact.cards), Deed(fact.seat, "bake", cards=fact.cards, total=fact.total))


def apply_pies_staled(state: State, fact: PiesStaled) -> State:
    """B4"""
    return with_values(state, fact.changes, Cause("stale", fact.by))


def apply_pies_changed(state: State, fact: PiesChanged) -> State:
    """The op `pie`, or the +3 of H5."""
    return with_values(state, fact.changes, Cause("changed", fact.seat, fact.src))


def with_values(state: State, changes: Iterable[PieChange], cause: Cause) -> State:
    """New values at the end of the Pies' rows."""
    for change in changes:
        pies = baker_of(state, change.seat).pies
        if not 0 < change.pie <= len(pies):
            continue
        pie = pies[change.pie - 1]
        grown = replace(pie, values=(*pie.values, change.to), causes=(*pie.causes, cause))
        state = with_baker(state, change.seat, pies=(*pies[: change.pie - 1], grown, *pies[change.pie :]))
    return state


# -- Ingredients --------------------------------------------------------------------------------------------------


def apply_ingredients_swapped(state: State, fact: IngredientsSwapped) -> State:
    """Each takes the place of the other."""

    def exchanged(kitchen: Cards, leaves: int, comes: int) -> Cards:
        return tuple(comes if card == leaves else card for card in kitchen if card == leaves or card != comes)

    if fact.gave not in INGREDIENTS or fact.got not in INGREDIENTS:
        return state
    own, other = baker_of(state, fact.seat).kitchen, baker_of(state, fact.other).kitchen
    state = with_baker(state, fact.seat, kitchen=exchanged(own, fact.gave, fact.got))
    state = with_baker(state, fact.other, kitchen=exchanged(other, fact.got, fact.gave))
    return with_deed(state, Deed(fact.seat, "swap"))


def apply_ingredient_stolen(state: State, fact: IngredientStolen) -> State:
    """To the end of the thief's Kitchen."""
    moved = into_kitchen(out_of_kitchen(state, fact.owner, fact.card), fact.seat, fact.card)
    return with_deed(moved, Deed(fact.seat, "steal"))


def apply_ingredient_trashed(state: State, fact: IngredientTrashed) -> State:
    """A raid, if it was another's."""
    moved = to_trash(out_of_kitchen(state, fact.owner, fact.card), fact.card)
    return moved if fact.owner == fact.seat else with_deed(moved, Deed(fact.seat, "raid"))


def apply_ingredient_given(state: State, fact: IngredientGiven) -> State:
    """To the end of the other Kitchen."""
    return into_kitchen(out_of_kitchen(state, fact.seat, fact.card), fact.to, fact.card)


def apply_ingredient_taken_back(state: State, fact: IngredientTakenBack) -> State:
    """To the hand, or under the pile (T9)."""
    moved = out_of_kitchen(state, fact.seat, fact.card)
    return under_pile(moved, fact.card) if fact.to == "pile" else into_hand(moved, fact.seat, fact.card)


def apply_ingredient_stocked(state: State, fact: IngredientStocked) -> State:
    """From the Trash to the end of the Kitchen."""
    return into_kitchen(out_of_trash(state, fact.card), fact.seat, fact.card)


def apply_card_salvaged(state: State, fact: CardSalvaged) -> State:
    """From the Trash to the hand."""
    return into_hand(out_of_trash(state, fact.card), fact.seat, fact.card)


def out_of_trash(state: State, card: int) -> State:
    """A card out of the Trash."""
    return replace(state, trash=remove_cards(state.trash, card))


def apply_card_foraged(state: State, fact: CardForaged) -> State:
    """From the Pantry to the Kitchen or the Trash."""
    state = replace(state, pantry=state.pantry[1:])
    return into_kitchen(state, fact.seat, fact.card) if fact.to == "kitchen" else to_trash(state, fact.card)


# -- hands --------------------------------------------------------------------------------------------------------


def apply_card_looked_at(state: State, fact: CardLookedAt) -> State:
    """From the Pantry aside."""
    aside = (*state.aside, *known_card(fact.card))
    return replace(state, pantry=state.pantry[1:], aside=aside, searcher=fact.seat)


def apply_search_finished(state: State, fact: SearchFinished) -> State:
    """One card to the hand, the others to the Trash."""
    state = to_trash(replace(state, aside=(), searcher=None), *fact.trashed)
    return into_hand(state, fact.seat, *known_card(fact.kept))


def apply_card_stolen(state: State, fact: CardStolen) -> State:
    """From hand to hand, or under the pile (T9)."""
    cards = known_card(fact.card)
    state = out_of_hand(state, fact.owner, *cards)
    if fact.to == "pile":
        return under_pile(state, *cards)
    return with_deed(into_hand(state, fact.seat, *cards), Deed(fact.seat, "steal"))


def apply_cards_trashed(state: State, fact: CardsTrashed) -> State:
    """From the hand to the Trash."""
    return to_trash(out_of_hand(state, fact.seat, *fact.cards), *fact.cards)


def apply_hands_passed(state: State, fact: HandsPassed) -> State:
    """All leave, then all arrive."""
    state = replace(state, commits=())
    for move in fact.moves:
        state = out_of_hand(state, move.from_, *known_card(move.card))
    for move in fact.moves:
        cards = known_card(move.card)
        state = under_pile(state, *cards) if move.zone == "pile" else into_hand(state, move.to, *cards)
    return state


# -- Achievements -------------------------------------------------------------------------------------------------


def apply_achievement_completed(state: State, fact: AchievementCompleted) -> State:
    """H5"""
    state = with_slot(state, fact.slot, Slot())
    state = replace(state, locked=(*state.locked, fact.card))
    achievement = ACHIEVEMENTS.get(fact.card)
    if achievement is None or achievement.becomes is None:
        return under_pile(state, fact.card)
    return replace(state, turning=(*state.turning, fact.card))


def apply_achievement_turned(state: State, fact: AchievementTurned) -> State:
    """H7"""
    state = replace(state, turning=remove_cards(state.turning, fact.card))
    if fact.to == "pile":
        return under_pile(state, fact.card)
    state = replace(state, turned={**state.turned, str(fact.card): fact.seat})
    if fact.to == "kitchen":
        return into_kitchen(state, fact.seat, fact.card)
    return into_hand(state, fact.seat, fact.card)


def apply_row_cleared(state: State, fact: RowCleared) -> State:
    """The row under the pile."""
    return under_pile(replace(state, row=EMPTY_ROW), *fact.cards)


# -- the end ------------------------------------------------------------------------------------------------------


def apply_seat_resigned(state: State, fact: SeatResigned) -> State:
    """V3 The seat's cards, steps and questions go; with the active seat the whole agenda does."""
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
    """V5"""
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
"""What each fact does; those that are missing tell only (section 5)."""
