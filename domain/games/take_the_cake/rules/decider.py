"""The rules: set-up, seat to move, legal moves, effects of moves and the end of the match."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any

from msgspec import UNSET

from domain.games.take_the_cake.rules.board import start_places
from domain.games.take_the_cake.rules.components import CARD_ORDER, CARDS, FEATURED, FEATURED_ORDER, RECIPES, SECTIONS
from domain.games.take_the_cake.rules.facts import (
    BakersPlaced,
    BakeryClosed,
    BoardLaid,
    CardsDealt,
    CardsDiscarded,
    CardsDrawn,
    CardsSwapped,
    DeckReplenished,
    Fact,
    FeaturedDeckReplenished,
    FeaturedDeckShuffled,
    FeaturedItemDrawn,
    FirstPlayerChosen,
    GameEnded,
    PlacementAccepted,
    PlacementProposed,
    PlacementRejected,
    PlayerDeckShuffled,
    ProgramLaid,
    RecipeDrawn,
    RoundEnded,
    SeatResigned,
    TokensPlaced,
    TurnEnded,
    TurnStarted,
)
from domain.games.take_the_cake.rules.model import State
from domain.games.take_the_cake.rules.moves import (
    AcceptPlacement,
    Move,
    Options,
    ProposePlacement,
    RejectPlacement,
    Resign,
    RunProgram,
    SwapCards,
)
from domain.games.take_the_cake.rules.parts import HAND_SIZE, MAX_SWAPPED, QUADRANTS, Card, Laid, Reason
from domain.games.take_the_cake.rules.placement import (
    PlacementMove,
    check_placement,
    deal_tokens,
    is_accepted_by_all,
    placement_branches,
    placement_moves,
    to_tokens,
)
from domain.games.take_the_cake.rules.position import read_position
from domain.games.take_the_cake.rules.programs import (
    check_cards,
    check_program,
    execute_program,
    is_repeat,
    program_branches,
    programs,
)
from domain.games.take_the_cake.rules.reducer import Recorder, evolve
from domain.games.take_the_cake.rules.scoring import points, rank_tiers
from domain.kernel.chance import Chance
from domain.kernel.game import Branch, Outcome, Seat
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.refusals import BadOptions, IllegalMove

# -- set-up -----------------------------------------------------------------------------------------------------------


def setup(seats: int, options: Options, chance: Chance) -> Decision[State, Fact]:
    """Return the set-up facts (S1 to S9), up to the first proposal if `placement` is `agreed`. Raise BadOptions."""
    check_first_player(seats, options)
    first = options.first_player
    if first == "random":
        first = chance.use("first_player").below(seats)  # S1, C3
    sections = chance.use("sections").shuffle(SECTIONS)[: len(QUADRANTS)]  # S2
    rotations = chance.use("rotations")
    layout = tuple(
        Laid(quadrant, section, rotations.below(4)) for quadrant, section in zip(QUADRANTS, sections, strict=True)
    )
    recipe = chance.use("recipe").pick(list(RECIPES)) if options.recipe == "random" else options.recipe  # S5
    dealt = deal_tokens(layout, recipe, chance.use("tokens"))  # S6
    recorder: Recorder = FactRecorder(State(), evolve, chance)
    recorder.emit(
        FirstPlayerChosen(first, UNSET if options == Options() else options),
        BoardLaid(layout),
        BakersPlaced(start_places(seats)),
        RecipeDrawn(recipe, RECIPES[recipe].ingredients),
    )
    if options.placement == "agreed":
        recorder.emit(PlacementProposed(None, dealt))
    else:
        recorder.emit(TokensPlaced(dealt, "dealt"))
        finish_setup(recorder)
    return recorder.decision()


def check_first_player(seats: int, options: Options) -> None:
    """Raise BadOptions if the first player is not one of the seats (section 11)."""
    if options.first_player != "random" and options.first_player >= seats:
        raise BadOptions(
            "S1", f"first_player is {options.first_player}. With {seats} seats it must be 0 to {seats - 1}."
        )


def finish_setup(recorder: Recorder) -> None:
    """Emit the set-up facts that follow the placement of the tokens (S7 to S9)."""
    featured = tuple(recorder.chance.use("featured").shuffle(FEATURED))
    cards = tuple(recorder.chance.use("deck").shuffle(CARDS))
    order = active_seats(recorder.state)
    dealt = [CardsDealt(seat, HAND_SIZE, cards[n :: len(order)][:HAND_SIZE]) for n, seat in enumerate(order)]
    recorder.emit(
        FeaturedDeckShuffled(len(featured), featured),
        FeaturedItemDrawn(featured[0], None),
        PlayerDeckShuffled(len(cards), cards),
        *dealt,
        TurnStarted(order[0], 1, 1),
    )


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> list[Fact]:
    """Return the facts of a start from a position document (section 3). Raise BadOptions for an invalid one."""
    check_first_player(seats, options)
    position = read_position(seats, options, document)
    return [position, TurnStarted(position.acting, position.turn, position.round)]


# -- seat to move and legal moves -------------------------------------------------------------------------------------


def turn_order(state: State) -> list[Seat]:
    """Return all seats in turn order (S1)."""
    return [(state.first + n) % state.seats for n in range(state.seats)]


def active_seats(state: State) -> list[Seat]:
    """Return the seats that have not resigned, in turn order."""
    return [seat for seat in turn_order(state) if seat not in state.out]


def to_move(state: State) -> frozenset[Seat]:
    """Return the acting seat, or the asked seat during the placement."""
    if state.phase == "placement":
        return frozenset() if state.talks is None or state.talks.asked is None else frozenset({state.talks.asked})
    return frozenset() if state.acting is None else frozenset({state.acting})


def min_swapped(options: Options) -> int:
    """Return the minimum number of cards to swap (W1)."""
    return 0 if options.allow_keep else 1


def can_program(hand: Sequence[Card]) -> bool:
    """Return whether the hand allows any program: not if it holds only Repeats (R47)."""
    return not all(map(is_repeat, hand))


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield all moves of the seat to move: the swaps, then the programs (up to 6,330), shortest first.

    During the placement: accept, then either reject or every arrangement.
    """
    if seat not in to_move(state):
        return
    if state.talks is not None:
        yield from placement_moves(state, state.talks, seat)
        return
    hand = state.hands[seat]
    yield from swaps(hand, state.options)
    yield from programs(hand, state.options)


def swaps(hand: Sequence[Card], options: Options) -> Iterator[SwapCards]:
    """Yield all swaps, those with the fewest cards first, in canonical order (W1)."""
    cards = sorted(hand, key=CARD_ORDER.__getitem__)
    for count in range(min_swapped(options), MAX_SWAPPED + 1):
        yield from map(SwapCards, permutations(cards, count))


def branches(state: State, seat: Seat) -> list[Branch]:
    """Return the legal moves as a tree of choices, because full lists of arrangements and programs are too long."""
    if seat not in to_move(state):
        return []
    if state.talks is not None:
        return placement_branches(state, state.talks, seat)
    hand = state.hands[seat]
    kinds: list[Branch] = [("swap_cards", partial(swap_branches, hand, state.options))]
    if can_program(hand):
        kinds.append(("run_program", partial(program_branches, hand, state.options)))
    return kinds


def swap_branches(hand: Sequence[Card], options: Options, chosen: tuple[Card, ...] = ()) -> list[Branch] | SwapCards:
    """Return the choices for the next card to swap, with None for ending the swap (W1)."""
    if len(chosen) == MAX_SWAPPED:
        return SwapCards(chosen)
    enough: list[Branch] = [(None, partial(SwapCards, chosen))] if len(chosen) >= min_swapped(options) else []
    rest = [card for card in sorted(hand, key=CARD_ORDER.__getitem__) if card not in chosen]
    return enough + [(card, partial(swap_branches, hand, options, (*chosen, card))) for card in rest]


# -- effects of moves -------------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """Return the facts of a move. Raise IllegalMove with the first code of section 5.5 that applies."""
    check_seat(state, seat)
    recorder: Recorder = FactRecorder(state, evolve, chance)
    match move:
        case Resign():
            resign(recorder, seat)
        case AcceptPlacement() | ProposePlacement() | RejectPlacement():
            require_phase(state, "placement", seat)
            play_placement(recorder, seat, move)
        case RunProgram(steps):
            require_phase(state, "turn", seat)
            check_program(state.hands[seat], steps, state.options)
            run_program(recorder, seat, move)
        case SwapCards(cards):
            require_phase(state, "turn", seat)
            check_swap(state, seat, cards)
            swap_cards(recorder, seat, cards)
    return recorder.decision()


def check_seat(state: State, seat: Seat | None) -> None:
    """Run checks 1 to 3 of section 5.5. Raise IllegalMove if one fails."""
    if state.phase == "finished":
        raise IllegalMove("game_over", "E1", "The match is over. No more moves are possible.")
    if seat is None or not 0 <= seat < state.seats:
        raise IllegalMove("not_seated", "S1", f"Only players in seats 0 to {state.seats - 1} can move in this match.")
    if seat in state.out:
        raise IllegalMove("seat_resigned", "E4", "You have resigned from this match. You can still watch it.")


def require_phase(state: State, phase: str, seat: Seat) -> None:
    """Run checks 4 and 5 of section 5.5. Raise IllegalMove if one fails."""
    if state.phase != phase:
        placing = "First agree on where the ingredients go"
        reason = placing if state.phase == "placement" else "The ingredients have already been placed"
        raise IllegalMove("wrong_phase", "T1", f"You can't make this move now. {reason}.")
    if seat not in to_move(state):
        raise IllegalMove("not_your_turn", "T1", "It is not your turn. Wait until the others have moved.")


def check_swap(state: State, seat: Seat, cards: tuple[Card, ...]) -> None:
    """Check a swap (W1; checks 6 and 7). Raise IllegalMove if it is not allowed."""
    least = min_swapped(state.options)
    if not least <= len(cards) <= MAX_SWAPPED:
        raise IllegalMove("swap_size", "W1", f"You can't swap {len(cards)} cards. Choose {least} to {MAX_SWAPPED}.")
    check_cards(state.hands[seat], cards, "W1")


def run_program(recorder: Recorder, seat: Seat, move: RunProgram) -> None:
    """Run a program (P5 to P12), then refill the hand and end the turn (W3, T2), or end the match on a win (K4)."""
    laid = tuple(step.card for step in move.steps)
    motion = execute_program(recorder.state, seat, move.steps)
    recorder.emit(ProgramLaid(seat, move.steps), *motion, CardsDiscarded(seat, laid))
    if recorder.state.bakers[seat].baked:
        recorder.emit(make_game_ended(recorder.state, "baked"))  # E1
    else:
        finish_turn(recorder, seat, len(laid))


def swap_cards(recorder: Recorder, seat: Seat, cards: tuple[Card, ...]) -> None:
    """Discard the cards, refill the hand and end the turn (W2, W3, T2)."""
    recorder.emit(CardsSwapped(seat, cards))
    finish_turn(recorder, seat, len(cards))


def finish_turn(recorder: Recorder, seat: Seat, drawn: int) -> None:
    """Refill the hand and end the turn."""
    refill(recorder, seat, drawn)
    end_turn(recorder, seat)


def refill(recorder: Recorder, seat: Seat, count: int) -> None:
    """Draw this many cards. As soon as the deck is empty, shuffle the discard pile into a new one (W3, R39)."""
    if not count:
        return
    state = recorder.state
    first = state.deck[:count]
    recorder.emit(CardsDrawn(seat, len(first), first))
    if len(first) < len(state.deck):
        return
    deck = tuple(recorder.chance.use("deck").shuffle(sorted(state.discard, key=CARD_ORDER.__getitem__)))  # C2
    recorder.emit(DeckReplenished(len(deck), deck))
    if rest := deck[: count - len(first)]:
        recorder.emit(CardsDrawn(seat, len(rest), rest))


# -- turns and rounds -------------------------------------------------------------------------------------------------


def end_turn(recorder: Recorder, seat: Seat) -> None:
    """Pass the turn to the next seat, or end the round (T2)."""
    state = recorder.state
    recorder.emit(TurnEnded(seat, state.turn))
    order = turn_order(state)
    later = [one for one in order[order.index(seat) + 1 :] if one not in state.out]
    if later:
        recorder.emit(TurnStarted(later[0], state.turn + 1, state.round))
    else:
        end_round(recorder)


def end_round(recorder: Recorder) -> None:
    """Close the bakery, or feature another item and start the next round (T3)."""
    state = recorder.state
    recorder.emit(RoundEnded(state.round))
    if state.round >= state.options.round_limit:
        recorder.emit(BakeryClosed(state.round), make_game_ended(state, "closed"))  # E3
        return
    recorder.emit(FeaturedItemDrawn(state.featured_deck[0], state.featured))
    if not recorder.state.featured_deck:  # R41
        used = sorted(recorder.state.featured_discard, key=FEATURED_ORDER.__getitem__)
        deck = tuple(recorder.chance.use("featured").shuffle(used))
        recorder.emit(FeaturedDeckReplenished(len(deck), deck))
    recorder.emit(TurnStarted(active_seats(state)[0], state.turn + 1, state.round + 1))


# -- placement by agreement -------------------------------------------------------------------------------------------


def play_placement(recorder: Recorder, seat: Seat, move: PlacementMove) -> None:
    """Make a move of phase `placement` (section 4)."""
    state = recorder.state
    talks = state.talks
    assert talks is not None
    check_placement(state, talks, seat, move)
    match move:
        case AcceptPlacement():
            recorder.emit(PlacementAccepted(seat))
            finish_if_agreed(recorder)
        case ProposePlacement(tokens):
            recorder.emit(PlacementProposed(seat, to_tokens(tokens)))
        case RejectPlacement():
            recorder.emit(PlacementRejected(seat), TokensPlaced(talks.dealt, "fallback"))
            finish_setup(recorder)


def finish_if_agreed(recorder: Recorder) -> None:
    """Place the current proposal and finish the set-up if every seat has accepted it."""
    talks = recorder.state.talks
    if talks is not None and is_accepted_by_all(recorder.state, talks):
        recorder.emit(TokensPlaced(talks.standing, "agreed"))
        finish_setup(recorder)


# -- the end ----------------------------------------------------------------------------------------------------------


def resign(recorder: Recorder, seat: Seat) -> None:
    """Resign a seat, in or out of turn (E4, T5)."""
    state = recorder.state
    recorder.emit(SeatResigned(seat, state.hands[seat]))
    if len(recorder.state.out) == state.seats - 1:
        recorder.emit(make_game_ended(recorder.state, "last_baker"))  # R52
    elif state.phase == "placement":
        finish_if_agreed(recorder)
    elif state.acting == seat:
        end_turn(recorder, seat)


def make_game_ended(state: State, reason: Reason) -> GameEnded:
    """Return the fact that ends the match (E1 to E5)."""
    ranking = rank_tiers(state.bakers, state.out)
    winners = () if reason == "closed" and state.options.closing == "no_winner" else ranking[0]  # E3
    return GameEnded(reason, winners, ranking, tuple(map(points, state.bakers)))


def close(state: State) -> list[Fact]:
    """Return the facts that end the match as if the bakery closed now (E3, E5)."""
    return [make_game_ended(state, "closed")]


def outcome(state: State) -> Outcome | None:
    """Return the outcome, or None during the match. Scores count ingredients and the pastry (E2)."""
    result = state.result
    if result is None:
        return None
    places = {seat: 1 + sum(map(len, result.ranking[:n])) for n, tier in enumerate(result.ranking) for seat in tier}
    return Outcome(result.reason, result.winners, result.scores, tuple(places[seat] for seat in sorted(places)))
