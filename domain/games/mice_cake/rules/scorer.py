"""The independent scorer: counts from what was done, trusts no sum and no result that the engine wrote.

It follows each domino from the cake into the stashes, works out pips from the domino's name, and finds the end
itself: an empty cake, twenty quiet rounds, or a resignation.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.games.mice_cake.rules.facts import (
    BlankRemoved,
    CakeLaid,
    Fact,
    PieceStolen,
    PieceTaken,
    PositionSet,
    RoundEnded,
    SeatResigned,
)
from domain.kernel.game import ScoreLine, ScoreSheet

NAMES = ("yellow", "blue")
QUIET_ROUNDS = 20  # T2


@dataclass
class Ledger:
    """What has been seen so far: who holds which domino, since which fact, and how the game stands."""

    held: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in NAMES})
    on_cake: set[str] = field(default_factory=set)
    quiet: int = 0
    eaten: bool = False
    over: bool = False
    resigned: str | None = None
    last: int = 0


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """The score counted again from the deeds."""
    ledger = Ledger()
    for number, fact in enumerate(facts):
        read_fact(ledger, number, fact)
    lines = [
        ScoreLine(seat, "E2", piece, pip_value(piece), (number,))
        for seat, name in enumerate(NAMES)
        for piece, number in ledger.held[name].items()
    ]
    totals = tuple(sum(map(pip_value, ledger.held[name])) for name in NAMES)
    winner, by = decide(ledger, totals)
    if winner is None:
        return ScoreSheet(tuple(lines), totals, ())
    rule = "E4" if ledger.resigned else "E3"
    seat = NAMES.index(winner)
    return ScoreSheet((*lines, ScoreLine(seat, rule, f"wins by {by}", 0, (ledger.last,))), totals, (seat,))


def pip_value(piece: str) -> int:
    """E2 The pips of a domino: its two halves."""
    low, high = piece.split("-")
    return int(low) + int(high)


def read_fact(ledger: Ledger, number: int, fact: Fact) -> None:
    """Note one fact."""
    match fact:
        case CakeLaid(cells):
            ledger.on_cake = {cell.at for cell in cells}
        case PositionSet(cells, stash, _, _, quiet):
            ledger.on_cake = {cell.at for cell in cells}
            ledger.quiet = quiet
            ledger.held = {
                "yellow": dict.fromkeys(stash.yellow, number),
                "blue": dict.fromkeys(stash.blue, number),
            }
        case PieceTaken(seat, at, piece, _):
            ledger.on_cake.discard(at)
            ledger.held[seat][piece] = number
            ledger.eaten = True
        case PieceStolen(seat, robbed, piece, _):
            ledger.held[robbed].pop(piece, None)
            ledger.held[seat][piece] = number
        case BlankRemoved(at):
            ledger.on_cake.discard(at)
            ledger.eaten = True
        case RoundEnded():
            ledger.quiet = 0 if ledger.eaten else ledger.quiet + 1
            ledger.eaten = False
            ledger.over = not ledger.on_cake or ledger.quiet >= QUIET_ROUNDS
            ledger.last = number
        case SeatResigned(seat):
            ledger.over, ledger.resigned, ledger.last = True, seat, number
        case _:
            pass


def decide(ledger: Ledger, totals: tuple[int, ...]) -> tuple[str | None, str]:
    """Who won, and by what (E3, E4); nobody while the game runs and in a draw."""
    if not ledger.over:
        return None, ""
    if ledger.resigned:
        return next(name for name in NAMES if name != ledger.resigned), "resignation"
    counts = [len(ledger.held[name]) for name in NAMES]
    sixes = ["6-6" in ledger.held[name] for name in NAMES]
    for by, (yellow, blue) in (("pips", totals), ("count", counts), ("double_six", sixes)):
        if yellow != blue:
            return ("yellow" if yellow > blue else "blue"), by
    return None, ""
