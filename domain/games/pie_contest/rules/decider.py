"""The decider: set-up, turn order, legal moves, the facts of a move, resigning and the end.

The consequences of a move are in `turns.py` (4.3), `interpreter.py` and `effects.py`, `baking.py`, `achievements.py`
and `pantry.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations, product, starmap
from typing import Any

from domain.games.pie_contest.rules.achievements import complete_achievement
from domain.games.pie_contest.rules.baking import end_if_over
from domain.games.pie_contest.rules.components import ACTIONS, INGREDIENTS, PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.effects import reveal
from domain.games.pie_contest.rules.facts import (
    AchievementsShuffled,
    ActionPlayed,
    ChoiceMade,
    DumpsterDived,
    Fact,
    FirstSeatChosen,
    GameStarted,
    HandsDealt,
    HandTrimmed,
    IngredientPlayed,
    PantryShuffled,
    SeatResigned,
    TurnPassed,
)
from domain.games.pie_contest.rules.interpreter import answer
from domain.games.pie_contest.rules.model import Question, State
from domain.games.pie_contest.rules.moves import Choose, Dive, Move, Options, Pass, PlayCard, Resign, TrimHand
from domain.games.pie_contest.rules.option_keys import key_numbers
from domain.games.pie_contest.rules.parts import HAND_LIMIT, ROW_SIZE, SEAT_KEYS, START_HAND, Cards, Step
from domain.games.pie_contest.rules.position import check_options, read_position
from domain.games.pie_contest.rules.reducer import Recorder, evolve
from domain.games.pie_contest.rules.refusals import refuse
from domain.games.pie_contest.rules.scoring import make_game_ended
from domain.games.pie_contest.rules.step_queue import queue_steps
from domain.games.pie_contest.rules.targets import has_kitchen_room
from domain.games.pie_contest.rules.turns import begin_turn, end_turn, resolve
from domain.kernel.chance import Chance
from domain.kernel.game import Branch, Outcome, Part, Seat
from domain.kernel.recorder import Decision, FactRecorder

# -- set-up -------------------------------------------------------------------------------------------------------


def setup(seats: int, options: Options, chance: Chance) -> Decision[State, Fact]:
    """Set up a match (S1 to S7). Raises BadOptions."""
    check_options(seats, options)
    recorder: Recorder = FactRecorder(State(), evolve, chance)
    recorder.emit(GameStarted(seats, options.resolved(seats)))
    recorder.emit(PantryShuffled(tuple(chance.use("pantry").shuffle(PANTRY_CARDS))))  # S2
    recorder.emit(AchievementsShuffled(tuple(chance.use("achievements").shuffle(PILE_CARDS))))  # S3
    first = chance.use("first_seat").below(seats) if options.first_seat == "random" else options.first_seat  # S4
    recorder.emit(FirstSeatChosen(first))
    dealt = recorder.state.pantry[: START_HAND * seats]
    hands = {SEAT_KEYS[seat]: dealt[(seat - first) % seats :: seats] for seat in range(seats)}
    recorder.emit(HandsDealt({**hands}))  # S5
    for slot in range(ROW_SIZE):  # S6
        reveal(recorder, slot)
    begin_turn(recorder, 1, first)  # S7
    resolve(recorder)
    return recorder.decision()


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> list[Fact]:
    """Return the start from a position document, without resolution (section 15). Raises BadOptions."""
    return [read_position(seats, options, document)]


# -- turn order and legal moves -----------------------------------------------------------------------------------


def to_move(state: State) -> frozenset[Seat]:
    """Return the seats with an open choice, else the active seat. Empty before set-up and after the end."""
    if state.result or not state.turn:
        return frozenset()
    return frozenset(question.seat for question in state.choices) or frozenset((state.active,))


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield all legal moves of this seat except `resign`, in the order of section 5."""
    if seat not in to_move(state):
        return
    if question := state.question(seat):
        yield from (Choose(picks) for picks in combinations(question.options, question.count))
    elif state.phase == "trim":
        yield from map(TrimHand, combinations(state.seats[seat].hand, state.to_trim))
    else:
        yield from main_moves(state, seat)


def main_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield the moves of the phase `main`."""
    hand = state.seats[seat].hand
    room = has_kitchen_room(state, seat)
    yield from (PlayCard(card) for card in hand if room or card in ACTIONS)
    if state.acts_made == 0:
        yield from dives(state, hand)
    yield Pass()


def dives(state: State, hand: Cards) -> Iterator[Move]:
    """Yield a dive for each pair of cards in the hand with each card that it can take (T5)."""
    trash, pairs = sorted(state.trash), combinations(hand, 2)
    if not state.options.dive_own:
        return starmap(Dive, product(pairs, trash))
    return (Dive(pair, card) for pair in pairs for card in sorted((*trash, *own_takes(state, pair))))


def own_takes(state: State, pair: tuple[int, ...]) -> Cards:
    """Return which of the two trashed cards a dive can take back (R8, R44)."""
    if not state.options.dive_own:
        return ()
    return tuple(card for card in pair if card not in PILE_CARDS)


def branches(state: State, seat: Seat) -> list[Branch]:
    """Return the legal moves as a tree of parts in ascending order, since a turn can have thousands of dives."""
    if seat not in to_move(state):
        return []
    if question := state.question(seat):
        return [("choose", partial(pick_branches, question.options, question.count, Choose))]
    hand = state.seats[seat].hand
    if state.phase == "trim":
        return [("trim_hand", partial(pick_branches, hand, state.to_trim, TrimHand))]
    playable = tuple(card for card in hand if card in ACTIONS or has_kitchen_room(state, seat))
    divers = dive_branches(state, hand) if state.acts_made == 0 else []
    return [
        *([("play_card", partial(card_branches, playable))] if playable else ()),
        *([("dive", lambda: divers)] if divers else ()),
        ("pass", Pass),
    ]


def card_branches(cards: Cards) -> list[Branch]:
    """Return the branches of `play_card`."""
    return [(card, partial(PlayCard, card)) for card in cards]


def dive_branches(state: State, hand: Cards) -> list[Branch]:
    """Return the branches of `dive`: the first trashed card, the second, then the card to take (T5)."""
    found: list[Branch] = []
    for n, first in enumerate(hand):
        seconds: list[Branch] = [
            (second, partial(take_branches, state, (first, second)))
            for second in hand[n + 1 :]
            if state.trash or own_takes(state, (first, second))
        ]
        if seconds:
            found.append((first, partial(list, seconds)))
    return found


def take_branches(state: State, pair: tuple[int, int]) -> list[Branch]:
    """Return the branches for the cards that a pair can take (R8)."""
    return [(card, partial(Dive, pair, card)) for card in sorted((*state.trash, *own_takes(state, pair)))]


def pick_branches(
    things: tuple[Part, ...], count: int, make: Callable[[Any], Move], chosen: tuple[Part, ...] = ()
) -> Any:
    """Return the branches for the next pick, or the move once `count` things are chosen."""
    if len(chosen) == count:
        return make(chosen)
    latest = len(things) - (count - len(chosen))
    return [
        (thing, partial(pick_branches, things[n + 1 :], count, make, (*chosen, thing)))
        for n, thing in enumerate(things[: latest + 1])
    ]


# -- deciding a move ----------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """Return the facts of a move. Raises IllegalMove with the first code of section 5 that applies."""
    if state.result:
        raise refuse("game_over", "V5")
    if seat in state.out:
        raise refuse("already_out", "V3")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    match move:
        case Resign():
            resign(recorder, seat)
        case Choose(picks):
            choose(recorder, seat, picks)
        case _:
            require_turn(state, seat, move)
            play_move(recorder, seat, move)
    resolve(recorder)
    return recorder.decision()


def require_turn(state: State, seat: Seat, move: Move) -> None:
    """Check the conditions shared by all moves of the active seat. Raises IllegalMove."""
    if seat != state.active:
        raise refuse("not_your_turn", "T2")
    if state.choices:
        raise refuse("choice_pending", "Q1")
    if isinstance(move, TrimHand) != (state.phase == "trim"):
        raise refuse("wrong_phase", "T7")


def play_move(recorder: Recorder, seat: Seat, move: Move) -> None:
    """Carry out a move of the active seat. Raises IllegalMove."""
    match move:
        case PlayCard(card):
            play_card(recorder, seat, card)
        case Dive(trash, take):
            dive(recorder, seat, trash, take)
        case TrimHand(cards):
            trim_hand(recorder, seat, cards)
        case Pass():
            recorder.emit(TurnPassed(seat))  # T6


def require_in_hand(state: State, seat: Seat, *cards: int) -> None:
    """Check that the cards are in the hand, without revealing where else they are. Raises IllegalMove."""
    if not set(cards) <= set(state.seats[seat].hand):
        raise refuse("not_in_hand", "T2")


def play_card(recorder: Recorder, seat: Seat, card: int) -> None:
    """Play a card (T3, T4). Raises IllegalMove."""
    require_in_hand(recorder.state, seat, card)
    if card in INGREDIENTS:
        if not has_kitchen_room(recorder.state, seat):
            raise refuse("kitchen_full", "T4")
        recorder.emit(IngredientPlayed(seat, card))
        steps = INGREDIENTS[card].on_play
    else:
        recorder.emit(ActionPlayed(seat, card, "pile" if card in PILE_CARDS else "trash"))
        steps = ACTIONS[card].do
    queue_steps(recorder, (Step(seat, call.name, call.args, card) for call in steps))


def dive(recorder: Recorder, seat: Seat, trash: Cards, take: int) -> None:
    """Dive (T5). Raises IllegalMove."""
    state = recorder.state
    if state.acts_made:
        raise refuse("already_played", "R10")
    if len(trash) != 2 or len(set(trash)) != 2:
        raise refuse("wrong_count", "T5")
    require_in_hand(state, seat, *trash)
    if take not in state.trash and take not in own_takes(state, trash):
        raise refuse("not_in_trash", "R8" if take in trash else "T5")
    recorder.emit(DumpsterDived(seat, tuple(sorted(trash)), take))


def trim_hand(recorder: Recorder, seat: Seat, cards: Cards) -> None:
    """Trim the hand (T7). Raises IllegalMove."""
    if len(set(cards)) != len(cards) or len(cards) != len(recorder.state.seats[seat].hand) - HAND_LIMIT:
        raise refuse("trim_count", "T7")
    require_in_hand(recorder.state, seat, *cards)
    recorder.emit(HandTrimmed(seat, tuple(sorted(cards))))


def choose(recorder: Recorder, seat: Seat, picks: tuple[str, ...]) -> None:
    """Make an open choice (Q1, Q2, H2). Raises IllegalMove."""
    question = recorder.state.question(seat)
    if question is None:
        raise refuse("no_choice", "Q1")
    require_picks(question, picks)
    in_order = tuple(option for option in question.options if option in picks)  # Q4
    if question.kind == "order_achievement":
        recorder.emit(ChoiceMade(seat=seat, picks=in_order, commit=False))
        complete_achievement(recorder, seat, key_numbers(in_order[0])[0])
        return
    answer(recorder, question, in_order)


def require_picks(question: Question, picks: tuple[str, ...]) -> None:
    """Check that the picks are the right number of different options. Raises IllegalMove."""
    if len(picks) != question.count or len(set(picks)) != len(picks):
        raise refuse("pick_count", "Q1")
    if not set(picks) <= set(question.options):
        raise refuse("bad_pick", "Q4")


# -- resigning and the end ----------------------------------------------------------------------------------------


def resign(recorder: Recorder, seat: Seat) -> None:
    """Resign, and end the contest or the turn if that follows (V3)."""
    state = recorder.state
    was_active = seat == state.active
    aside = state.aside if was_active or seat == state.searcher else ()
    recorder.emit(SeatResigned(seat, state.seats[seat].hand, state.seats[seat].kitchen, aside))
    if len(recorder.state.live) == 1:
        recorder.emit(make_game_ended(recorder.state, "last_seat"))
    elif not end_if_over(recorder) and was_active:
        end_turn(recorder)


def close(state: State) -> list[Fact]:
    """Return the facts that end the contest now, scored as at closing time (8.2)."""
    return [make_game_ended(state, "closing_time")]


def outcome(state: State) -> Outcome | None:
    """Return the outcome, or None. A seat that has no Pie or has resigned has no score."""
    if state.result is None:
        return None
    scores: dict[Seat, int | None] = {entry.seat: entry.score for entry in state.result.scores}
    places, place = dict[Seat, int](), 1
    for group in state.result.ranking:
        places |= dict.fromkeys(group, place)
        place += len(group)
    seats = range(len(state.seats))
    return Outcome(
        state.result.why,
        state.result.winners,
        tuple(scores.get(seat) for seat in seats),
        tuple(places.get(seat, place) for seat in seats),
    )
