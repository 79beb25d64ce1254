"""Independent scorer, which ignores the ticks, scores, winners and reasons recorded by the engine.

It follows the bakers motion by motion and works out what each one collected, in which turn, and who baked.
Its other inputs are the placed tokens, resignations, the ends of rounds, and the options.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec import UNSET

from domain.games.take_the_cake.rules.facts import (
    BakerMoved,
    BakersPlaced,
    Fact,
    FirstPlayerChosen,
    PositionSet,
    RoundEnded,
    SeatResigned,
    TokensPlaced,
    TurnStarted,
)
from domain.games.take_the_cake.rules.moves import Options
from domain.games.take_the_cake.rules.parts import Tokens
from domain.kernel.game import ScoreLine, ScoreSheet

OVEN = {(4, 4), (4, 5), (5, 4), (5, 5)}  # S3
WIN_TEXTS = {"E1": "wins: baked the pastry", "E3": "wins: ahead when the bakery closed", "E4": "wins: the last baker"}


@dataclass
class Account:
    """One seat's progress: the fact of each ingredient, the turn of the latest, and the fact that baked."""

    ticks: dict[str, int] = field(default_factory=dict)
    last: int = 0
    pastry: int | None = None


@dataclass
class Ledger:
    """The progress so far. `won_by` is the rule that ended the match, empty until then."""

    options: Options = field(default_factory=Options)
    tokens: dict[tuple[int, int], str] = field(default_factory=dict)
    seats: list[Account] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    turn: int = 0
    won_by: str = ""
    end: int = 0

    def place_tokens(self, tokens: Tokens) -> None:
        """Record the tile of each ingredient."""
        self.tokens = {at: str(name) for name, at in tokens.items()}

    def end_game(self, rule: str, number: int) -> None:
        """Record the rule and the fact that ended the match."""
        self.won_by, self.end = rule, number


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """Return the score, recomputed from the motions."""
    ledger = Ledger()
    for number, fact in enumerate(facts):
        if not ledger.won_by:
            read_fact(ledger, number, fact)
    lines = [line for seat, account in enumerate(ledger.seats) for line in point_lines(seat, account)]
    totals = tuple(len(account.ticks) + (account.pastry is not None) for account in ledger.seats)
    if not ledger.won_by:
        return ScoreSheet(tuple(lines), totals, ())
    order = rank_seats(ledger)
    best = tuple(sorted(seat for seat, place in order if place == 1))
    nobody = ledger.won_by == "E3" and ledger.options.closing == "no_winner"
    winners = () if nobody else best
    ending = (ledger.end,)
    lines += [ScoreLine(seat, ledger.won_by, WIN_TEXTS[ledger.won_by], 0, ending) for seat in winners]
    lines += [ScoreLine(seat, "E5", f"place {place}", 0, ending) for seat, place in order]
    return ScoreSheet(tuple(lines), totals, winners)


def point_lines(seat: int, account: Account) -> list[ScoreLine]:
    """Return a line for each ingredient and one for the pastry (E2)."""
    lines = [ScoreLine(seat, "E2", name, 1, (number,)) for name, number in account.ticks.items()]
    if account.pastry is not None:
        lines.append(ScoreLine(seat, "E2", "pastry", 1, (account.pastry,)))
    return lines


def read_fact(ledger: Ledger, number: int, fact: Fact) -> None:
    """Enter one fact."""
    match fact:
        case FirstPlayerChosen(options=options):
            ledger.options = Options() if options is UNSET else options
        case BakersPlaced(bakers):
            ledger.seats = [Account() for _ in bakers]
        case TokensPlaced(tokens):
            ledger.place_tokens(tokens)
        case PositionSet():
            start_from_position(ledger, number, fact)
        case TurnStarted(turn=turn):
            ledger.turn = turn
        case BakerMoved():
            follow_move(ledger, number, fact)
        case RoundEnded(played) if played >= ledger.options.round_limit:
            ledger.end_game("E3", number)
        case SeatResigned(seat):
            ledger.gone.append(seat)
            if len(ledger.gone) == len(ledger.seats) - 1:
                ledger.end_game("E4", number)
        case _:
            pass


def follow_move(ledger: Ledger, number: int, moved: BakerMoved) -> None:
    """Tick the tokens that a motion touches, and bake on the Oven if all are ticked (P11, K1, E1)."""
    account = ledger.seats[moved.seat]
    jumped = [moved.over] if moved.over is not None and ledger.options.jump_touches else []
    for tile in (*jumped, moved.to):
        ingredient = ledger.tokens.get(tile)
        if ingredient is not None and ingredient not in account.ticks:
            account.ticks[ingredient] = number
            account.last = ledger.turn
        if tile in OVEN and len(account.ticks) == len(ledger.tokens):
            account.pastry = number
            ledger.end_game("E1", number)
            return


def start_from_position(ledger: Ledger, number: int, fact: PositionSet) -> None:
    """Enter the custom position that a match starts from."""
    ledger.options = Options() if fact.options is UNSET else fact.options
    ledger.place_tokens(fact.tokens)
    ledger.gone = list(fact.out)
    ledger.seats = [
        Account({str(name): number for name in baker.collected}, baker.last)
        for baker in (fact.bakers.of(seat) for seat in range(fact.seats))
        if baker is not UNSET
    ]


def rank_seats(ledger: Ledger) -> list[tuple[int, int]]:
    """Return seats with places, best first: the pastry, then most ingredients, then the earliest last one (E5)."""
    keys = {}
    for seat, account in enumerate(ledger.seats):
        if seat in ledger.gone:
            keys[seat] = (1, -ledger.gone.index(seat), 0, 0)
        else:
            keys[seat] = (0, account.pastry is None, -len(account.ticks), account.last)
    order = sorted(keys, key=lambda seat: (keys[seat], seat))
    return [(seat, 1 + sum(keys[other] < keys[seat] for other in order)) for seat in order]
