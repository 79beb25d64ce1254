"""Phase three, the catch-up round and the end of a round (rules M1 to M6, U1 to U4, E1 to E3, T3)."""

from collections.abc import Iterator

from domain.games.battle_of_the_bakeries.rules.model import (
    CATCH_UP_GAP,
    LAST_ROLL,
    SALES_TO_WIN,
    SEATS,
    SLOTS,
    STALE_MOST,
    CakeSold,
    CatchUpOpened,
    CatchUpStopped,
    CatchUpTried,
    DiceRolled,
    Fact,
    GameEnded,
    GreatChefAwarded,
    Pair,
    PlaceStale,
    Reason,
    RoundScored,
    SaleClosed,
    StaleDue,
    StalePlaced,
    StaleWaived,
    State,
    other,
)
from domain.games.battle_of_the_bakeries.rules.reducer import evolve, fold, having
from domain.games.battle_of_the_bakeries.rules.refusals import refuse
from domain.games.battle_of_the_bakeries.rules.rounds import begin_round
from domain.games.battle_of_the_bakeries.rules.scoring import HIT_PERCENT, LOSER_PERCENT, amount, great_chef, kept
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

# -- rolling ------------------------------------------------------------------------------------------------------


def roll_dice(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """M2 to M6, T3 A cake is sold, or the number is a repeat; either may close the sale."""
    dice = (chance.die(), chance.die())  # C5
    total = sum(dice)
    facts: list[Fact] = [DiceRolled(seat, dice, total)]
    repeat = total in state.sold[seat]
    if not repeat:
        facts.append(sell(state, seat, total))
    after = fold(state, facts)
    if len(after.sold[seat]) == SALES_TO_WIN:
        return facts + close_sale(after, seat, chance)  # M6
    if after.rolls >= LAST_ROLL:
        return facts + time_out(after, chance)  # T3
    return [*facts, penalty(state, seat)] if repeat else facts


def sell(state: State, seat: Seat, slot: int) -> CakeSold:
    """M2 The cake of this slot, for the amount of section 8."""
    cake, stale = state.cases[seat][slot - 2], state.stale[seat][slot - 2]
    assert cake is not None
    money = amount(state.multipliers[seat], slot, cake, stale)
    return CakeSold(seat, slot, cake, stale, money, state.tabs[seat] + money, len(state.sold[seat]) + 1)


def penalty(state: State, roller: Seat) -> StaleDue | StaleWaived:
    """M3, M5 A stale card is due for a repeat, unless none is left or no cake can bear it."""
    if not state.stale_left:
        return StaleWaived(roller, "deck_empty")
    if not any(stale_targets(state, roller)):
        return StaleWaived(roller, "no_target")
    return StaleDue(other(roller), roller, state.stale_left)


def stale_targets(state: State, against: Seat) -> Iterator[int]:
    """M3 The slots of this seat's unsold cakes that bear fewer than four stale cards, ascending."""
    for slot, stale in zip(SLOTS, state.stale[against], strict=True):
        if slot not in state.sold[against] and stale < STALE_MOST:
            yield slot


def place_stale(state: State, seat: Seat, move: PlaceStale) -> list[Fact]:
    """M3, M4 Raises IllegalMove `slot_sold`, `stale_full`."""
    against = other(seat)
    if move.slot in state.sold[against]:
        raise refuse("slot_sold", "M3")
    stale = state.stale[against][move.slot - 2]
    if stale >= STALE_MOST:
        raise refuse("stale_full", "M4")
    return [StalePlaced(seat, against, move.slot, stale + 1, state.stale_left - 1)]


# -- the end of a sale --------------------------------------------------------------------------------------------


def close_sale(state: State, winner: Seat, chance: Chance) -> list[Fact]:
    """M6, U1 The seventh sale: the Great Chef Bonus if it is due, then the catch-up round or the score."""
    facts: list[Fact] = [SaleClosed(winner, state.tabs)]
    if bonus := great_chef(state, winner):
        facts.append(GreatChefAwarded(winner, bonus))
    loser = other(winner)
    if state.multipliers[winner] - state.multipliers[loser] >= CATCH_UP_GAP:
        return [*facts, CatchUpOpened(loser, state.tabs[loser])]
    return facts + score_round(fold(state, facts), winner, LOSER_PERCENT, chance)


def time_out(state: State, chance: Chance) -> list[Fact]:
    """T3 Roll number 400: nobody has won the round."""
    closed = SaleClosed(None, state.tabs)
    return [closed, *score_round(evolve(state, closed), None, LOSER_PERCENT, chance)]


def try_catch_up(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """U2, U3 One of the unsold numbers and a roll at it; a hit on the first try may be tried once more."""
    number = chance.pick([slot for slot in SLOTS if slot not in state.sold[seat]])  # C6
    dice = (chance.die(), chance.die())
    tries = state.tries + 1
    hit = sum(dice) == number
    percent = HIT_PERCENT[tries] if hit else LOSER_PERCENT
    tried = CatchUpTried(seat, number, dice, sum(dice), hit, percent)
    if hit and tries < len(HIT_PERCENT):
        return [tried]
    return [tried, *score_round(evolve(state, tried), other(seat), percent, chance)]


def stop_catch_up(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """U3 The percentage of the first hit is kept. Raises IllegalMove `wrong_phase` before the first try."""
    if not state.tries:
        raise refuse("wrong_phase", "U2")
    stopped = CatchUpStopped(seat, state.percent)
    return [stopped, *score_round(state, other(seat), state.percent, chance)]


# -- the end of a round -------------------------------------------------------------------------------------------


def score_round(state: State, winner: int | None, percent: int, chance: Chance) -> list[Fact]:
    """E1, E2 Section 8, then the next round or the end of the game."""
    percents: Pair[int] = (percent, percent) if winner is None else having((percent, percent), winner, 100)
    first, second = (kept(state.tabs[seat], percents[seat]) for seat in SEATS)
    bonus: Pair[int] = (0, 0) if winner is None else having((0, 0), winner, great_chef(state, winner))
    scores = (state.scores[0] + first + bonus[0], state.scores[1] + second + bonus[1])
    scored = RoundScored(state.round, state.tabs, percents, (first, second), bonus, scores)
    after = evolve(state, scored)
    following = [ended(after)] if state.round >= state.options.rounds else begin_round(after, chance)
    return [scored, *following]


def ended(state: State) -> GameEnded:
    """E3 The higher score wins, then more rounds won; else a draw."""
    winner, reason = decide_winner(state.scores, state.rounds_won)
    return GameEnded(state.scores, winner, reason)


def decide_winner(scores: Pair[int], rounds_won: Pair[int]) -> tuple[Seat | None, Reason]:
    """E3 Who wins, and by what."""
    if scores[0] != scores[1]:
        return (0 if scores[0] > scores[1] else 1), "score"
    if rounds_won[0] != rounds_won[1]:
        return (0 if rounds_won[0] > rounds_won[1] else 1), "tiebreak"
    return None, "draw"
