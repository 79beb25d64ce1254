"""Phase three, the catch-up round and the end of a round (rules M1 to M6, U1 to U4, E1 to E3, T3)."""

from collections.abc import Iterator

from domain.games.battle_of_the_bakeries.rules.facts import (
    CakeSold,
    CatchUpOpened,
    CatchUpStopped,
    CatchUpTried,
    DiceRolled,
    GameEnded,
    GreatChefAwarded,
    RoundScored,
    SaleClosed,
    StaleDue,
    StalePlaced,
    StaleWaived,
)
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.moves import PlaceStale
from domain.games.battle_of_the_bakeries.rules.parts import (
    CATCH_UP_GAP,
    MAX_ROLLS,
    MAX_STALE,
    SALES_TO_WIN,
    SEATS,
    SLOTS,
    Pair,
    Reason,
    opponent_of,
)
from domain.games.battle_of_the_bakeries.rules.reducer import Recorder, with_value
from domain.games.battle_of_the_bakeries.rules.refusals import refuse
from domain.games.battle_of_the_bakeries.rules.rounds import begin_round
from domain.games.battle_of_the_bakeries.rules.scoring import (
    HIT_PERCENT,
    LOSER_PERCENT,
    great_chef_bonus,
    kept_amount,
    sale_amount,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

# -- rolling ------------------------------------------------------------------------------------------------------


def roll_pair(dice: Chance) -> tuple[int, int]:
    """Return the roll of two dice."""
    return dice.die(), dice.die()


def roll_dice(recorder: Recorder, seat: Seat) -> None:
    """Roll the dice and apply the result: a sale, a repeat or the end of the sale (M2 to M6, T3)."""
    dice = roll_pair(recorder.chance.use(f"dice/{seat}"))  # C5
    total = sum(dice)
    recorder.emit(DiceRolled(seat, dice, total))
    repeat = total in recorder.state.sold[seat]
    if not repeat:
        recorder.emit(sell(recorder.state, seat, total))
    if len(recorder.state.sold[seat]) == SALES_TO_WIN:
        close_sale(recorder, seat)  # M6
    elif recorder.state.rolls >= MAX_ROLLS:
        time_out(recorder)  # T3
    elif repeat:
        recorder.emit(stale_penalty(recorder.state, seat))


def sell(state: State, seat: Seat, slot: int) -> CakeSold:
    """Return the sale of the cake in this slot, for the amount of section 8 (M2)."""
    cake, stale = state.cases[seat][slot - 2], state.stale[seat][slot - 2]
    assert cake is not None
    money = sale_amount(state.multipliers[seat], slot, cake, stale)
    return CakeSold(seat, slot, cake, stale, money, state.tabs[seat] + money, len(state.sold[seat]) + 1)


def stale_penalty(state: State, roller: Seat) -> StaleDue | StaleWaived:
    """Return the penalty for a repeat, waived if no card is left or no cake can take one (M3, M5)."""
    if not state.stale_left:
        return StaleWaived(roller, "deck_empty")
    if not any(stale_targets(state, roller)):
        return StaleWaived(roller, "no_target")
    return StaleDue(opponent_of(roller), roller, state.stale_left)


def stale_targets(state: State, against: Seat) -> Iterator[int]:
    """Yield the slots of this seat's unsold cakes with fewer than four stale cards, ascending (M3)."""
    for slot, stale in zip(SLOTS, state.stale[against], strict=True):
        if slot not in state.sold[against] and stale < MAX_STALE:
            yield slot


def place_stale(recorder: Recorder, seat: Seat, move: PlaceStale) -> None:
    """Put a stale card on an opponent's cake (M3, M4). Raise IllegalMove `slot_sold` or `stale_full`."""
    state, against = recorder.state, opponent_of(seat)
    if move.slot in state.sold[against]:
        raise refuse("slot_sold", "M3")
    stale = state.stale[against][move.slot - 2]
    if stale >= MAX_STALE:
        raise refuse("stale_full", "M4")
    recorder.emit(StalePlaced(seat, against, move.slot, stale + 1, state.stale_left - 1))


# -- the end of a sale --------------------------------------------------------------------------------------------


def close_sale(recorder: Recorder, winner: Seat) -> None:
    """Close the sale after the seventh cake: award the bonus, then open the catch-up round or score (M6, U1)."""
    state = recorder.state
    recorder.emit(SaleClosed(winner, state.tabs))
    if bonus := great_chef_bonus(state, winner):
        recorder.emit(GreatChefAwarded(winner, bonus))
    loser = opponent_of(winner)
    if state.multipliers[winner] - state.multipliers[loser] >= CATCH_UP_GAP:
        recorder.emit(CatchUpOpened(loser, state.tabs[loser]))
    else:
        score_round(recorder, winner, LOSER_PERCENT)


def time_out(recorder: Recorder) -> None:
    """Close the sale after the last allowed roll, without a winner (T3)."""
    recorder.emit(SaleClosed(None, recorder.state.tabs))
    score_round(recorder, None, LOSER_PERCENT)


def try_catch_up(recorder: Recorder, seat: Seat) -> None:
    """Draw an unsold number and roll for it; score the round unless a first try hits (U2, U3)."""
    state, chance = recorder.state, recorder.chance
    unsold = [slot for slot in SLOTS if slot not in state.sold[seat]]
    number = chance.use(f"number/{seat}").pick(unsold)  # C6
    dice = roll_pair(chance.use(f"catch_up/{seat}"))
    tries = state.tries + 1
    hit = sum(dice) == number
    percent = HIT_PERCENT[tries] if hit else LOSER_PERCENT
    recorder.emit(CatchUpTried(seat, number, dice, sum(dice), hit, percent))
    if not hit or tries >= len(HIT_PERCENT):
        score_round(recorder, opponent_of(seat), percent)


def stop_catch_up(recorder: Recorder, seat: Seat) -> None:
    """Stop after the first hit (U3). Raise IllegalMove `wrong_phase` before the first try."""
    state = recorder.state
    if not state.tries:
        raise refuse("wrong_phase", "U2")
    recorder.emit(CatchUpStopped(seat, state.percent))
    score_round(recorder, opponent_of(seat), state.percent)


# -- the end of a round -------------------------------------------------------------------------------------------


def score_round(recorder: Recorder, winner: int | None, percent: int) -> None:
    """Score the round (E1, section 8), then begin the next one (E2) or end the match."""
    state = recorder.state
    percents: Pair[int] = (percent, percent) if winner is None else with_value((percent, percent), winner, 100)
    first, second = (kept_amount(state.tabs[seat], percents[seat]) for seat in SEATS)
    bonus: Pair[int] = (0, 0) if winner is None else with_value((0, 0), winner, great_chef_bonus(state, winner))
    scores = (state.scores[0] + first + bonus[0], state.scores[1] + second + bonus[1])
    recorder.emit(RoundScored(state.round, state.tabs, percents, (first, second), bonus, scores))
    if state.round >= state.options.rounds:
        recorder.emit(make_game_ended(recorder.state))
    else:
        begin_round(recorder)


def make_game_ended(state: State) -> GameEnded:
    """Return the end of the match (E3)."""
    winner, reason = decide_winner(state.scores, state.rounds_won)
    return GameEnded(state.scores, winner, reason)


def decide_winner(scores: Pair[int], rounds_won: Pair[int]) -> tuple[Seat | None, Reason]:
    """Return the winner, or None for a draw, and the reason: score, then rounds won (E3)."""
    if scores[0] != scores[1]:
        return (0 if scores[0] > scores[1] else 1), "score"
    if rounds_won[0] != rounds_won[1]:
        return (0 if rounds_won[0] > rounds_won[1] else 1), "tiebreak"
    return None, "draw"
