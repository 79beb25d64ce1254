"""The independent scorer: counts from what was done, trusts no score, winner or reason that the engine wrote.

It follows the deeds fact by fact: what was collected and in which turn, who baked where, who resigned, when rounds
ended. It knows the recipe from its fact, and the round limit from the options in the first fact.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec import UNSET

from domain.game import ScoreLine, ScoreSheet
from domain.games.take_the_cake.model import (
    BakersPlaced,
    Fact,
    FirstPlayerChosen,
    IngredientCollected,
    Options,
    PastryBaked,
    PositionSet,
    RoundEnded,
    SeatResigned,
    TurnStarted,
)


@dataclass
class Account:
    """What one seat has done: ingredients with the fact behind each, the turn of the latest, the pastry."""

    ticks: dict[str, int] = field(default_factory=dict)
    last: int = 0
    pastry: int | None = None
    resigned: int | None = None


@dataclass
class Ledger:
    """What has been seen so far."""

    seats: list[Account] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    limit: int = 0
    ranked: bool = True
    turn: int = 0
    won_by: str = ""
    end: int = 0

    def heed(self, options: Options) -> None:
        """Note the two options that matter for the score."""
        self.limit, self.ranked = options.round_limit, options.closing == "ranked"


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """The score counted again from the deeds."""
    ledger = Ledger()
    for number, fact in enumerate(facts):
        if not ledger.won_by:
            read(ledger, number, fact)
    lines = [line for seat, account in enumerate(ledger.seats) for line in points(seat, account)]
    totals = tuple(len(account.ticks) + (account.pastry is not None) for account in ledger.seats)
    if not ledger.won_by:
        return ScoreSheet(tuple(lines), totals, ())
    order = ranking(ledger)
    winners = tuple(sorted(seat for seat, place in order if place == 1))
    if ledger.won_by == "E3" and not ledger.ranked:
        winners = ()
    how = {"E1": "baked the pastry", "E3": "ahead when the bakery closed", "E4": "the last baker"}[ledger.won_by]
    behind = (ledger.end,)
    lines += [ScoreLine(seat, ledger.won_by, f"wins: {how}", 0, behind) for seat in winners]
    lines += [ScoreLine(seat, "E5", f"place {place}", 0, behind) for seat, place in order]
    return ScoreSheet(tuple(lines), totals, winners)


def points(seat: int, account: Account) -> list[ScoreLine]:
    """E2 A point for each ingredient and one for the pastry."""
    lines = [ScoreLine(seat, "E2", name, 1, (number,)) for name, number in account.ticks.items()]
    if account.pastry is not None:
        lines.append(ScoreLine(seat, "E2", "pastry", 1, (account.pastry,)))
    return lines


def read(ledger: Ledger, number: int, fact: Fact) -> None:
    """Note one fact."""
    match fact:
        case FirstPlayerChosen(options=options):
            ledger.heed(Options() if options is UNSET else options)
        case BakersPlaced(bakers):
            ledger.seats = [Account() for _ in bakers]
        case PositionSet():
            begin_from(ledger, number, fact)
        case TurnStarted(turn=turn):
            ledger.turn = turn
        case IngredientCollected(seat, ingredient):
            ledger.seats[seat].ticks.setdefault(ingredient, number)
            ledger.seats[seat].last = ledger.turn
        case PastryBaked(seat):
            ledger.seats[seat].pastry = number
            ledger.won_by, ledger.end = "E1", number
        case RoundEnded(played) if played >= ledger.limit:
            ledger.won_by, ledger.end = "E3", number
        case SeatResigned(seat):
            ledger.gone.append(seat)
            ledger.seats[seat].resigned = number
            if len(ledger.gone) == len(ledger.seats) - 1:
                ledger.won_by, ledger.end = "E4", number
        case _:
            pass


def begin_from(ledger: Ledger, number: int, fact: PositionSet) -> None:
    """Start from a position: what had been collected before."""
    ledger.heed(Options() if fact.options is UNSET else fact.options)
    ledger.gone = list(fact.out)
    ledger.seats = [
        Account(dict.fromkeys(baker.collected, number), baker.last)
        for baker in (fact.bakers.of(seat) for seat in range(fact.seats))
        if baker is not UNSET
    ]


def ranking(ledger: Ledger) -> list[tuple[int, int]]:
    """E5 Seats with their places, best first: the pastry, then more ingredients, then the earlier last one."""
    keys = {}
    for seat, account in enumerate(ledger.seats):
        if seat in ledger.gone:
            keys[seat] = (1, -ledger.gone.index(seat), 0, 0)
        else:
            keys[seat] = (0, account.pastry is None, -len(account.ticks), account.last)
    order = sorted(keys, key=lambda seat: (keys[seat], seat))
    return [(seat, 1 + sum(keys[other] < keys[seat] for other in order)) for seat in order]
