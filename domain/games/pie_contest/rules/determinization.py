"""What a seat can deduce about hidden cards, and a random guess at the rest (rules, section 14)."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import UnsetType
from msgspec.structs import replace

from domain.games.pie_contest.rules.achievements import decide_achievement
from domain.games.pie_contest.rules.components import PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.facts import (
    AchievementsShuffled,
    CardStolen,
    ChoiceAsked,
    ChoiceMade,
    Fact,
    HandsPassed,
    IngredientGiven,
    IngredientsSwapped,
    IngredientStolen,
    PantryRestocked,
    PantryShuffled,
    PiesChanged,
    PiesStaled,
    PositionSet,
    StepFizzled,
    StepsQueued,
    StepStarted,
    TurnEnded,
)
from domain.games.pie_contest.rules.interpreter import decision_of
from domain.games.pie_contest.rules.model import Commit, Question, SeenCommit, SeenQuestion, State, View
from domain.games.pie_contest.rules.parts import Cards, visible_cards
from domain.games.pie_contest.rules.reducer import evolve
from domain.games.pie_contest.rules.zones import with_baker
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

UNKNOWN = 0
"""Placeholder for a card that the seat doesn't know."""

IRRELEVANT_FACTS = (
    StepsQueued, StepStarted, StepFizzled, ChoiceAsked, ChoiceMade, TurnEnded, PiesStaled, PiesChanged,
    IngredientsSwapped, IngredientStolen, IngredientGiven,
)  # fmt: skip
"""Facts that move no card into or out of a hand or a pile."""


class HiddenZones:
    """A random guess at the zones hidden from a seat."""

    def __init__(self, view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> None:
        self._view = view
        self._seat = seat
        self._chance = chance
        memory, restocked = replay_known_facts(facts)
        self.pile = self._guess_pile(memory)
        known = [self._known_hand(memory, n) for n in range(len(view.seats))]
        pool = self._unseen(known)
        fresh = [card for card in pool if restocked is None or card in restocked]
        self.pantry = visible_cards(view.pantry) or tuple(fresh[: view.pantry_count])
        rest = [*fresh[len(self.pantry) :], *(card for card in pool if card not in fresh)]
        deal = iter(rest)
        self.aside = visible_cards(view.aside) or tuple(next(deal) for _ in range(view.aside_count))
        self.hands = tuple(
            tuple(sorted((*cards, *(next(deal) for _ in range(seen.hand_count - len(cards))))))
            for cards, seen in zip(known, view.seats, strict=True)
        )
        self.commits = tuple(map(self._guess_commit, view.commits))

    def _guess_pile(self, memory: State) -> Cards:
        """Return a guess at the pile: unseen Achievements in random order, above those known to be at the bottom."""
        view = self._view
        if not isinstance(view.pile, UnsetType):
            return view.pile
        bottom = tuple(card for card in memory.pile if card != UNKNOWN)
        seen = {*bottom, *(slot.card for slot in view.row), *map(int, view.turned), *view.turning}
        unseen = self._chance.shuffle(card for card in PILE_CARDS if card not in seen)
        return (*unseen[: view.pile_count - len(bottom)], *bottom)

    def _known_hand(self, memory: State, seat: Seat) -> Cards:
        """Return the cards known to be in a hand."""
        seen = self._view.seats[seat]
        if not isinstance(seen.hand, UnsetType):
            return seen.hand
        return tuple(sorted({*memory.seats[seat].hand, *seen.turned_in_hand}))

    def _unseen(self, known: Iterable[Cards]) -> list[int]:
        """Return the Pantry cards whose place the seat doesn't know, shuffled."""
        view = self._view
        seen = {*view.trash, *visible_cards(view.aside), *visible_cards(view.pantry)}
        seen.update(*(baker.kitchen for baker in view.seats), *known)
        return self._chance.shuffle(card for card in PANTRY_CARDS if card not in seen)

    def _guess_commit(self, commit: SeenCommit) -> Commit:
        """Return a card that a seat may have picked for Potluck."""
        card = commit.card
        return Commit(commit.seat, self._chance.pick(self.hands[commit.seat]) if isinstance(card, UnsetType) else card)

    def choices(self, state: State) -> tuple[Question, ...]:
        """Return the open choices with the options they have in the guessed state."""
        return tuple(self._guess_question(state, question) for question in self._view.choices)

    def _guess_question(self, state: State, question: SeenQuestion) -> Question:
        """Return a choice with its options, which for another seat come from the guessed state."""
        options = question.options
        if isinstance(options, UnsetType):
            by_check = question.kind == "order_achievement"
            asked = decide_achievement(state, question.seat) if by_check else decision_of(state, question.seat)
            options = asked.options if asked else ()
        return Question(question.seat, question.kind, options, question.count)


def replay_known_facts(facts: Sequence[Fact]) -> tuple[State, frozenset[int] | None]:
    """Return the state according to redacted facts, and the cards of the last restock (None without one).

    Unknown cards in the piles are UNKNOWN. Hands hold only known cards.
    """
    state, restocked = State(), None
    for fact in facts:
        if isinstance(fact, IRRELEVANT_FACTS):
            continue
        if isinstance(fact, PantryRestocked):
            restocked = frozenset(state.trash)
        state = evolve(forget_hands(state, fact), with_unknown(fact))
    return state, restocked


def forget_hands(state: State, fact: Fact) -> State:
    """Forget the known cards of a hand that an unseen card has left, because any of them may be gone."""
    for seat in seats_losing_unseen_card(fact):
        state = with_baker(state, seat, hand=())
    return state


def seats_losing_unseen_card(fact: Fact) -> Iterator[Seat]:
    """Yield the seats whose hand an unseen card leaves."""
    match fact:
        case CardStolen(owner=owner, card=UnsetType()):
            yield owner
        case HandsPassed(moves):
            yield from (move.from_ for move in moves if isinstance(move.card, UnsetType))


def with_unknown(fact: Fact) -> Fact:
    """Return the fact with UNKNOWN for each card of a pile whose order is hidden."""
    match fact:
        case PantryShuffled(UnsetType()):
            return PantryShuffled((UNKNOWN,) * len(PANTRY_CARDS))
        case AchievementsShuffled(UnsetType()):
            return AchievementsShuffled((UNKNOWN,) * len(PILE_CARDS))
        case PantryRestocked(order=UnsetType()):
            return replace(fact, order=(UNKNOWN,) * fact.count)
        case PositionSet(pantry=int(pantry), pile=int(pile)):
            return replace(fact, pantry=(UNKNOWN,) * pantry, pile=(UNKNOWN,) * pile)
        case _:
            return fact
