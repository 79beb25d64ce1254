"""The independent scorer, which ignores every total and result computed by the engine.

It follows each domino from the cake to the stashes, computes pips from the domino's name, and detects the end itself:
an empty cake, twenty quiet rounds, or a resignation.
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
    """The match so far: each seat's dominoes with the number of the fact that gained them, and the state of play."""

    held: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in NAMES})
    on_cake: set[str] = field(default_factory=set)
    quiet: int = 0
    eaten: bool = False
    over: bool = False
    resigned: str | None = None
    last: int = 0


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """Return the score sheet recomputed from the facts."""
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
    """Return the pips of a domino: the sum of its halves (E2)."""
    low, high = piece.split("-")
    return int(low) + int(high)


def read_fact(ledger: Ledger, number: int, fact: Fact) -> None:
    """Process one fact."""
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
    """Return the winner and the tie-breaker (E3, E4). The winner is None in a draw and while the match runs."""
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
