"""State changes for facts about Pies, Ingredients, hands and Achievements."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.games.pie_contest.rules.components import ACHIEVEMENTS, INGREDIENTS
from domain.games.pie_contest.rules.facts import (
    AchievementCompleted,
    AchievementTurned,
    CardForaged,
    CardLookedAt,
    CardSalvaged,
    CardStolen,
    CardsTrashed,
    HandsPassed,
    IngredientGiven,
    IngredientsSwapped,
    IngredientStocked,
    IngredientStolen,
    IngredientTakenBack,
    IngredientTrashed,
    PieBaked,
    PiesChanged,
    PiesStaled,
    RowCleared,
    SearchFinished,
)
from domain.games.pie_contest.rules.model import (
    EMPTY_ROW,
    Cause,
    Deed,
    Pie,
    Slot,
    State,
)
from domain.games.pie_contest.rules.parts import Cards, PieChange, known_card
from domain.games.pie_contest.rules.zones import (
    baker_of,
    into_hand,
    into_kitchen,
    out_of_hand,
    out_of_kitchen,
    remove_cards,
    to_trash,
    under_pile,
    with_baker,
    with_deed,
    with_slot,
)

# -- Pies -----------------------------------------------------------------------------------------------------------


def apply_pie_baked(state: State, fact: PieBaked) -> State:
    """Return the state after a Bake (B3)."""
    baker = baker_of(state, fact.seat)
    pies = (*baker.pies, Pie(fact.cards, fact.total, (fact.total,), (Cause("baked", fact.seat),)))
    state = with_baker(state, fact.seat, kitchen=remove_cards(baker.kitchen, *fact.cards), pies=pies)
    return with_deed(to_trash(state, *fact.cards), Deed(fact.seat, "bake", cards=fact.cards, total=fact.total))


def apply_pies_staled(state: State, fact: PiesStaled) -> State:
    """Return the state after Pies have gone stale (B4)."""
    return with_values(state, fact.changes, Cause("stale", fact.by))


def apply_pies_changed(state: State, fact: PiesChanged) -> State:
    """Return the state after a `pie` effect or the bonus of the Grand Contest (H5)."""
    return with_values(state, fact.changes, Cause("changed", fact.seat, fact.src))


def with_values(state: State, changes: Iterable[PieChange], cause: Cause) -> State:
    """Return the state with a new value added to each changed Pie. Unknown Pies are ignored."""
    for change in changes:
        pies = baker_of(state, change.seat).pies
        if not 0 < change.pie <= len(pies):
            continue
        pie = pies[change.pie - 1]
        grown = replace(pie, values=(*pie.values, change.to), causes=(*pie.causes, cause))
        state = with_baker(state, change.seat, pies=(*pies[: change.pie - 1], grown, *pies[change.pie :]))
    return state


# -- Ingredients ----------------------------------------------------------------------------------------------------


def apply_ingredients_swapped(state: State, fact: IngredientsSwapped) -> State:
    """Return the state with the two Ingredients swapped, each in the other's place."""

    def exchanged(kitchen: Cards, leaves: int, comes: int) -> Cards:
        return tuple(comes if card == leaves else card for card in kitchen if card == leaves or card != comes)

    if fact.gave not in INGREDIENTS or fact.got not in INGREDIENTS:
        return state
    own, other = baker_of(state, fact.seat).kitchen, baker_of(state, fact.other).kitchen
    state = with_baker(state, fact.seat, kitchen=exchanged(own, fact.gave, fact.got))
    state = with_baker(state, fact.other, kitchen=exchanged(other, fact.got, fact.gave))
    return with_deed(state, Deed(fact.seat, "swap"))


def apply_ingredient_stolen(state: State, fact: IngredientStolen) -> State:
    """Return the state with the Ingredient at the end of the thief's Kitchen."""
    moved = into_kitchen(out_of_kitchen(state, fact.owner, fact.card), fact.seat, fact.card)
    return with_deed(moved, Deed(fact.seat, "steal"))


def apply_ingredient_trashed(state: State, fact: IngredientTrashed) -> State:
    """Return the state with the Ingredient trashed. Trashing another seat's Ingredient is a raid."""
    moved = to_trash(out_of_kitchen(state, fact.owner, fact.card), fact.card)
    return moved if fact.owner == fact.seat else with_deed(moved, Deed(fact.seat, "raid"))


def apply_ingredient_given(state: State, fact: IngredientGiven) -> State:
    """Return the state with the Ingredient at the end of the receiver's Kitchen."""
    return into_kitchen(out_of_kitchen(state, fact.seat, fact.card), fact.to, fact.card)


def apply_ingredient_taken_back(state: State, fact: IngredientTakenBack) -> State:
    """Return the state with the Ingredient back in the hand, or at the bottom of the pile (T9)."""
    moved = out_of_kitchen(state, fact.seat, fact.card)
    return under_pile(moved, fact.card) if fact.to == "pile" else into_hand(moved, fact.seat, fact.card)


def apply_ingredient_stocked(state: State, fact: IngredientStocked) -> State:
    """Return the state with a card from the Trash at the end of the Kitchen."""
    return into_kitchen(out_of_trash(state, fact.card), fact.seat, fact.card)


def apply_card_salvaged(state: State, fact: CardSalvaged) -> State:
    """Return the state with a card from the Trash in the hand."""
    return into_hand(out_of_trash(state, fact.card), fact.seat, fact.card)


def out_of_trash(state: State, card: int) -> State:
    """Return the state without this card in the Trash."""
    return replace(state, trash=remove_cards(state.trash, card))


def apply_card_foraged(state: State, fact: CardForaged) -> State:
    """Return the state with the top card of the Pantry in the Kitchen or the Trash."""
    state = replace(state, pantry=state.pantry[1:])
    return into_kitchen(state, fact.seat, fact.card) if fact.to == "kitchen" else to_trash(state, fact.card)


# -- hands ----------------------------------------------------------------------------------------------------------


def apply_card_looked_at(state: State, fact: CardLookedAt) -> State:
    """Return the state with the top card of the Pantry set aside for the searcher."""
    aside = (*state.aside, *known_card(fact.card))
    return replace(state, pantry=state.pantry[1:], aside=aside, searcher=fact.seat)


def apply_search_finished(state: State, fact: SearchFinished) -> State:
    """Return the state with the kept card in the hand and the other cards in the Trash."""
    state = to_trash(replace(state, aside=(), searcher=None), *fact.trashed)
    return into_hand(state, fact.seat, *known_card(fact.kept))


def apply_card_stolen(state: State, fact: CardStolen) -> State:
    """Return the state with the card in the thief's hand, or at the bottom of the pile (T9)."""
    cards = known_card(fact.card)
    state = out_of_hand(state, fact.owner, *cards)
    if fact.to == "pile":
        return under_pile(state, *cards)
    return with_deed(into_hand(state, fact.seat, *cards), Deed(fact.seat, "steal"))


def apply_cards_trashed(state: State, fact: CardsTrashed) -> State:
    """Return the state with these cards moved from the hand to the Trash."""
    return to_trash(out_of_hand(state, fact.seat, *fact.cards), *fact.cards)


def apply_hands_passed(state: State, fact: HandsPassed) -> State:
    """Return the state after Potluck: all cards leave their hands before any arrives."""
    state = replace(state, commits=())
    for move in fact.moves:
        state = out_of_hand(state, move.from_, *known_card(move.card))
    for move in fact.moves:
        cards = known_card(move.card)
        state = under_pile(state, *cards) if move.zone == "pile" else into_hand(state, move.to, *cards)
    return state


# -- Achievements ---------------------------------------------------------------------------------------------------


def apply_achievement_completed(state: State, fact: AchievementCompleted) -> State:
    """Return the state with the Achievement completed (H5)."""
    state = with_slot(state, fact.slot, Slot())
    state = replace(state, locked=(*state.locked, fact.card))
    achievement = ACHIEVEMENTS.get(fact.card)
    if achievement is None or achievement.becomes is None:
        return under_pile(state, fact.card)
    return replace(state, turning=(*state.turning, fact.card))


def apply_achievement_turned(state: State, fact: AchievementTurned) -> State:
    """Return the state with the Achievement turned into an Ingredient or an Action (H7)."""
    state = replace(state, turning=remove_cards(state.turning, fact.card))
    if fact.to == "pile":
        return under_pile(state, fact.card)
    state = replace(state, turned={**state.turned, str(fact.card): fact.seat})
    if fact.to == "kitchen":
        return into_kitchen(state, fact.seat, fact.card)
    return into_hand(state, fact.seat, fact.card)


def apply_row_cleared(state: State, fact: RowCleared) -> State:
    """Return the state with an empty row and its cards at the bottom of the pile."""
    return under_pile(replace(state, row=EMPTY_ROW), *fact.cards)
