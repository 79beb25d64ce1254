"""The end of a turn, a round and the game."""

from domain.games.bakers_brawl.rules.facts import (
    Fact,
    GameEnded,
    OrderArrived,
    OrderTakenByBoss,
    RoundEnded,
    TurnStarted,
)
from domain.games.bakers_brawl.rules.model import State, View
from domain.games.bakers_brawl.rules.parts import (
    LINE_LIMIT,
    Reason,
)
from domain.games.bakers_brawl.rules.reducer import Recorder
from domain.games.bakers_brawl.rules.scoring import declare_result, score_agenda, score_help
from domain.kernel.game import Seat


def end_turn(recorder: Recorder, seat: Seat) -> None:
    """Start the turn of the next active seat in this round, or end the round (T4)."""
    state = recorder.state
    for later in range(place_in_round(state, seat) + 1, state.players):
        following = (state.start_seat + later) % state.players
        if state.seats[following].active:
            recorder.emit(TurnStarted(following, state.round))
            return
    end_round(recorder)


def place_in_round(state: State, seat: Seat) -> int:
    """Return a seat's place in the round order, starting at 0 (T1)."""
    return (seat - state.start_seat) % state.players


def end_round(recorder: Recorder) -> None:
    """End the round: a new Order arrives, and the boss may take the oldest (T5)."""
    state = recorder.state
    recorder.emit(RoundEnded(state.round))
    if not state.order_deck:
        end(recorder, "orders_exhausted")  # R52
        return
    recorder.emit(OrderArrived(state.order_deck[0]))
    if len(state.order_line) == LINE_LIMIT:
        boss_total = len(state.boss_pile) + 1
        recorder.emit(OrderTakenByBoss(state.order_line[0], boss_total))
        if boss_total >= state.options.boss_limit:
            end(recorder, "boss_limit")  # R51
            return
    active = (seat for seat, baker in enumerate(state.seats) if baker.active)
    opener = min(active, key=lambda seat: place_in_round(state, seat))
    recorder.emit(TurnStarted(opener, state.round + 1))


def end(recorder: Recorder, reason: Reason) -> None:
    """End the game."""
    recorder.emit(*end_game(recorder.state, reason))


def end_game(state: State, reason: Reason) -> list[Fact]:
    """Return the facts that end the game: agendas, help bonuses and the result (8.3)."""
    facts: list[Fact] = [GameEnded(reason)]
    for seat in range(state.players):
        facts += [score_agenda(state, seat), score_help(state, seat)]
    return [*facts, declare_result(state)]


def end_reason(table: State | View) -> Reason:
    """Return why a finished game ended, from the number of active bakers and the size of the boss pile."""
    if sum(baker.active for baker in table.seats) == 1:
        return "last_baker"
    return "boss_limit" if len(table.boss_pile) >= table.options.boss_limit else "orders_exhausted"
