"""The rules: set-up, seat to move, legal moves, effects of moves and the end of the match.

The phases are in `rounds.py`, `hiring.py`, `stocking.py` and `sale.py`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from domain.games.battle_of_the_bakeries.rules import hiring, sale, stocking
from domain.games.battle_of_the_bakeries.rules.facts import Fact, GameCreated, GameEnded, SeatResigned
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.moves import (
    ChooseTurnOrder,
    DeclareHire,
    DeclineLastChance,
    FlipCard,
    Move,
    Options,
    PlaceCake,
    PlaceStale,
    Resign,
    RollDice,
    RollDie,
    StopCatchUp,
    StopFlipping,
    TakeBonus,
    TryCatchUp,
)
from domain.games.battle_of_the_bakeries.rules.parts import SEATS, Phase, Step, opponent_of
from domain.games.battle_of_the_bakeries.rules.position import read_position
from domain.games.battle_of_the_bakeries.rules.reducer import Recorder, evolve
from domain.games.battle_of_the_bakeries.rules.refusals import refuse
from domain.games.battle_of_the_bakeries.rules.rounds import begin_round
from domain.kernel.chance import Chance
from domain.kernel.game import Outcome, Seat
from domain.kernel.recorder import Decision, FactRecorder

PLAYABLE: dict[tuple[Phase, Step | None], tuple[type[Move], ...]] = {
    ("order", None): (ChooseTurnOrder,),
    ("hire", "start"): (RollDie, DeclareHire),
    ("hire", "five"): (TakeBonus, FlipCard),
    ("hire", "flip"): (FlipCard, StopFlipping),
    ("hire", "attempt"): (FlipCard,),
    ("last_chance", None): (FlipCard, DeclineLastChance),
    ("stock", None): (PlaceCake,),
    ("sale", "roll"): (RollDice,),
    ("sale", "stale"): (PlaceStale,),
    ("catch_up", None): (TryCatchUp, StopCatchUp),
}
"""The moves of each phase and step (section 4)."""

TURN_RULES: dict[Phase, str] = {
    "order": "S5",
    "hire": "H1",
    "last_chance": "L1",
    "stock": "K3",
    "sale": "M1",
    "catch_up": "U1",
}
"""The rule that determines the seat to move, by phase."""


def setup(seats: int, options: Options, chance: Chance) -> Decision[State, Fact]:
    """Record the options and begin the first round (S1 to S4)."""
    recorder: Recorder = FactRecorder(State(), evolve, chance)
    recorder.emit(GameCreated(options.resolved()))  # S2
    begin_round(recorder)
    return recorder.decision()


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> list[Fact]:
    """Return the facts of a start from a position document (section 15), without draws. Raise BadOptions."""
    return [read_position(options, document)]


def to_move(state: State) -> frozenset[Seat]:
    """Return the seat that may act, or an empty set at the end (section 4)."""
    return frozenset() if state.actor is None else frozenset((state.actor,))


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield the legal moves of a seat in the order of 5.1. Face-down cards don't affect them (7.2)."""
    if state.actor != seat:
        return
    match state.phase, state.step:
        case "order", _:
            yield ChooseTurnOrder("first")
            yield ChooseTurnOrder("second")
        case "hire", "start":
            yield RollDie()
            yield DeclareHire()
        case "hire" | "last_chance", _:
            yield from board_moves(state)
        case "stock", _:
            yield from stocking.placements(state)
        case "sale", "roll":
            yield RollDice()
        case "sale", _:
            yield from map(PlaceStale, sale.stale_targets(state, opponent_of(seat)))
        case "catch_up", _:
            yield TryCatchUp()
            if state.tries:
                yield StopCatchUp()


def board_moves(state: State) -> Iterator[Move]:
    """Yield the legal moves while cards are turned over."""
    if state.step == "five":
        yield TakeBonus()
    yield from map(FlipCard, hiring.flippable_positions(state))
    if state.step == "flip" and hiring.may_stop(state):
        yield StopFlipping()
    if state.phase == "last_chance":
        yield DeclineLastChance()


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """Return the effects of a move (5.1, 5.3). Raise IllegalMove, checked in the order of 5.1."""
    if state.phase == "over":
        raise refuse("game_over", "E3")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    if isinstance(move, Resign):
        resign(recorder, seat)
        return recorder.decision()
    if state.actor != seat:
        raise refuse("not_your_turn", TURN_RULES[state.phase])
    if not isinstance(move, PLAYABLE.get((state.phase, state.step), ())):
        raise refuse("wrong_phase", TURN_RULES[state.phase])
    play_move(recorder, seat, move)
    return recorder.decision()


def play_move(recorder: Recorder, seat: Seat, move: Move) -> None:
    """Play a move that belongs to the current phase and step."""
    if recorder.state.phase in ("stock", "sale", "catch_up"):
        play_bakery(recorder, seat, move)
        return
    match move:
        case ChooseTurnOrder():
            hiring.choose_turn_order(recorder, seat, move)
        case RollDie():
            hiring.roll_die(recorder, seat)
        case TakeBonus():
            hiring.take_bonus(recorder, seat)
        case DeclareHire():
            hiring.declare_hire(recorder, seat)
        case FlipCard():
            hiring.flip_card(recorder, seat, move)
        case StopFlipping():
            hiring.stop_flipping(recorder, seat)
        case DeclineLastChance():
            hiring.decline_last_chance(recorder, seat)
        case _:
            raise AssertionError(f"{move} passed the checks of phase {recorder.state.phase}")


def play_bakery(recorder: Recorder, seat: Seat, move: Move) -> None:
    """Play a move of phase two or three."""
    match move:
        case PlaceCake():
            stocking.place_cake(recorder, seat, move)
        case RollDice():
            sale.roll_dice(recorder, seat)
        case PlaceStale():
            sale.place_stale(recorder, seat, move)
        case TryCatchUp():
            sale.try_catch_up(recorder, seat)
        case StopCatchUp():
            sale.stop_catch_up(recorder, seat)
        case _:
            raise AssertionError(f"{move} passed the checks of phase {recorder.state.phase}")


def resign(recorder: Recorder, seat: Seat) -> None:
    """End the match: the other seat wins, regardless of the scores (E4)."""
    recorder.emit(SeatResigned(seat), GameEnded(recorder.state.scores, opponent_of(seat), "resignation"))


def close(state: State) -> list[Fact]:
    """Return the facts that end the match now: higher score, then more rounds won (E3). Open tabs don't count."""
    return [sale.make_game_ended(state)]


def outcome(state: State) -> Outcome | None:
    """Return the outcome, with scores in dollars, or None while the match runs (E3, E4)."""
    if state.reason is None:
        return None
    winners = () if state.winner is None else (state.winner,)
    places = tuple(1 if state.winner in (seat, None) else 2 for seat in SEATS)
    return Outcome(state.reason, winners, state.scores, places)
