"""The resolution after a move (rules, 4.3), and the beginning and end of turns."""

from domain.games.pie_contest.rules.achievements import complete_or_ask
from domain.games.pie_contest.rules.facts import TrimDue, TurnBegan, TurnEnded
from domain.games.pie_contest.rules.interpreter import advance
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.pantry import draw
from domain.games.pie_contest.rules.parts import HAND_LIMIT
from domain.games.pie_contest.rules.reducer import Recorder
from domain.games.pie_contest.rules.scoring import make_game_ended
from domain.kernel.game import Seat


def resolve(recorder: Recorder) -> None:
    """Resolve until a choice is open, the active seat can play or must trim, or the contest is over (4.3)."""
    while not recorder.state.result and not recorder.state.choices:
        if recorder.state.agenda:
            advance(recorder)
        elif not complete_or_ask(recorder) and not close_turn(recorder):
            return


def close_turn(recorder: Recorder) -> bool:
    """Carry out steps 4 to 7 of 4.3. Return False if the active seat must act."""
    state = recorder.state
    if state.stage == "open" or (state.plays_left > 0 and not state.trimming):
        return False
    too_many = len(state.seats[state.active].hand) - HAND_LIMIT
    if too_many > 0:
        if state.to_trim != too_many:
            recorder.emit(TrimDue(state.active, too_many))
        return False
    end_turn(recorder)
    return True


def end_turn(recorder: Recorder) -> None:
    """End the turn, then end the contest (V4) or begin the next seat's turn (step 7 of 4.3)."""
    state = recorder.state
    recorder.emit(TurnEnded(state.active, state.turn))
    if state.turn >= (state.options.closing_round or 0) * len(state.seats):
        recorder.emit(make_game_ended(state, "closing_time"))
        return
    begin_turn(recorder, state.turn + 1, next_seat(state, state.active))


def begin_turn(recorder: Recorder, turn: int, seat: Seat) -> None:
    """Begin a turn: the seat draws a card (T1)."""
    recorder.emit(TurnBegan(turn, seat))
    draw(recorder, seat, "turn")


def next_seat(state: State, seat: Seat) -> Seat:
    """Return the next live seat to the right (section 3)."""
    count = len(state.seats)
    order = ((seat + n) % count for n in range(1, count + 1))
    return next(other for other in order if other not in state.out)
