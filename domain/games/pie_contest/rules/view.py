"""What a seat or a spectator may see (rules, section 7), and full states consistent with it."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from domain.games.pie_contest.rules.components import PILE_CARDS
from domain.games.pie_contest.rules.decider import to_move
from domain.games.pie_contest.rules.determinization import HiddenZones
from domain.games.pie_contest.rules.facts import (
    AchievementsShuffled,
    CardDrawn,
    CardLookedAt,
    CardStolen,
    ChoiceAsked,
    ChoiceMade,
    Fact,
    HandsDealt,
    HandsPassed,
    PantryRestocked,
    PantryShuffled,
    PositionSet,
    SearchFinished,
)
from domain.games.pie_contest.rules.model import Baker, SeenBaker, SeenCommit, SeenQuestion, State, View
from domain.games.pie_contest.rules.parts import Cards, SeatKey
from domain.games.pie_contest.rules.pie_values import can_bake, ingredient_worths, pie_value
from domain.games.pie_contest.rules.scoring import seat_score
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """Return the view of this seat, or of a spectator."""
    over = state.result is not None
    return View(
        options=state.options,
        seats=tuple(seen_baker(state, n, over or n == seat) for n in range(len(state.seats))),
        pantry=state.pantry if over else UNSET,
        pantry_count=len(state.pantry),
        trash=state.trash,
        pile=state.pile if over else UNSET,
        pile_count=len(state.pile),
        row=state.row,
        turned=state.turned,
        turning=state.turning,
        aside=state.aside if over or (seat is not None and seat == state.searcher) else UNSET,
        aside_count=len(state.aside),
        searcher=state.searcher,
        deeds=state.deeds,
        locked=state.locked,
        agenda=state.agenda,
        choices=tuple(
            SeenQuestion(seat=q.seat, kind=q.kind, options=q.options if q.seat == seat else UNSET, count=q.count)
            for q in state.choices
        ),
        commits=tuple(SeenCommit(c.seat, c.card if c.seat == seat else UNSET) for c in state.commits),
        turn=state.turn,
        active=state.active,
        stage=state.stage,
        plays_left=state.plays_left,
        acts_made=state.acts_made,
        granted=state.granted,
        trimming=state.trimming,
        to_trim=state.to_trim,
        out=state.out,
        phase=state.phase,
        to_move=tuple(sorted(to_move(state))),
        scores=tuple(None if n in state.out else seat_score(state, n).score for n in range(len(state.seats))),
        result=state.result,
    )


def seen_baker(state: State, seat: Seat, open_hand: bool) -> SeenBaker:
    """Return what a viewer sees of a seat: everything, or all but the cards in its hand."""
    baker = state.seats[seat]
    found = ingredient_worths(baker.kitchen, baked=False)
    return SeenBaker(
        hand=baker.hand if open_hand else UNSET,
        hand_count=len(baker.hand),
        turned_in_hand=tuple(card for card in baker.hand if card in PILE_CARDS),
        kitchen=baker.kitchen,
        worths=found,
        worth=sum(found),
        if_baked=pie_value(baker.kitchen) if can_bake(baker.kitchen) else None,
        pies=baker.pies,
        out=seat in state.out,
    )


# -- facts --------------------------------------------------------------------------------------------------------


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """Return the fact as this seat may see it. Once the contest is over, nothing is hidden."""
    if state.result:
        return fact
    match fact:
        case PantryShuffled() | AchievementsShuffled() | PantryRestocked():
            return replace(fact, order=UNSET)
        case HandsDealt(hands):
            return HandsDealt(hide_hands(hands, seat))
        case PositionSet():
            return hide_position(fact, seat)
        case CardDrawn() | CardLookedAt() if fact.seat != seat:
            return replace(fact, card=UNSET)
        case ChoiceAsked() if fact.seat != seat:
            return replace(fact, options=UNSET)
        case ChoiceMade() if fact.seat != seat:
            return replace(fact, picks=UNSET)
        case SearchFinished() if fact.seat != seat:
            return replace(fact, kept=UNSET)
        case CardStolen() if seat not in (fact.seat, fact.owner) and fact.to == "hand":
            return replace(fact, card=UNSET)
        case HandsPassed(moves):
            mine = (move.zone == "pile" or seat in (move.from_, move.to) for move in moves)
            shown = zip(moves, mine, strict=True)
            return HandsPassed(tuple(move if known else replace(move, card=UNSET) for move, known in shown))
        case _:
            return fact


def hide_hands(hands: dict[SeatKey, Cards | int], seat: Seat | None) -> dict[SeatKey, Cards | int]:
    """Return the hands with other seats' cards replaced by their number."""
    return {key: len(cards) if isinstance(cards, tuple) and int(key) != seat else cards for key, cards in hands.items()}


def hide_position(fact: PositionSet, seat: Seat | None) -> PositionSet:
    """Return a position with hidden hands and piles replaced by their number of cards."""
    pantry, pile = (len(cards) if isinstance(cards, tuple) else cards for cards in (fact.pantry, fact.pile))
    return replace(fact, hands=hide_hands(fact.hands, seat), pantry=pantry, pile=pile)


# -- a state that fits a view -------------------------------------------------------------------------------------


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """Return a full state that this seat can't distinguish from the real one (section 14).

    Cards whose place the seat knows stay there. All other unseen cards are dealt at random.
    """
    guess = HiddenZones(view, facts, seat, chance)
    bakers = tuple(
        Baker(hand=guess.hands[n], kitchen=seen.kitchen, pies=seen.pies) for n, seen in enumerate(view.seats)
    )
    state = State(
        options=view.options,
        seats=bakers,
        pantry=guess.pantry,
        trash=view.trash,
        pile=guess.pile,
        row=view.row,
        turned=view.turned,
        turning=view.turning,
        aside=guess.aside,
        searcher=view.searcher,
        deeds=view.deeds,
        locked=view.locked,
        agenda=view.agenda,
        commits=guess.commits,
        turn=view.turn,
        active=view.active,
        stage=view.stage,
        plays_left=view.plays_left,
        acts_made=view.acts_made,
        granted=view.granted,
        trimming=view.trimming,
        to_trim=view.to_trim,
        out=view.out,
        result=view.result,
    )
    return replace(state, choices=guess.choices(state))
