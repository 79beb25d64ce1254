"""Narration of the log (rules, section 13): one line per notable fact, from the facts as the reader may see them."""

from collections.abc import Iterator, Sequence

from domain.games.mice_cake.rules.components import DOMINOES, FLAVOURS
from domain.games.mice_cake.rules.facts import (
    AssignmentsRevealed,
    AttemptDecided,
    BlankRemoved,
    CakeLaid,
    DiceRolled,
    Fact,
    GameEnded,
    MiceAssigned,
    MiceBoosted,
    MiceExhausted,
    PieceStolen,
    PieceTaken,
    PieceTurnedUp,
    PositionSet,
    RoundEnded,
    RoundStarted,
    SeatResigned,
)
from domain.games.mice_cake.rules.parts import (
    COLUMNS,
    QUIET_ROUND_LIMIT,
    SEATS,
    Assignment,
    AttemptResult,
    Columns,
    Piece,
    SeatName,
    opponent_of,
)
from domain.kernel.text import pluralize

QUIET_WARNING_FROM = 10
"""The number of quiet rounds from which the counter is mentioned."""
WaveFact = PieceTurnedUp | DiceRolled | AttemptDecided | MiceExhausted | PieceStolen | PieceTaken | BlankRemoved
"""The facts of one wave in one column (5.3)."""


def tell(facts: Sequence[Fact]) -> list[str]:
    """Return the lines of narration for the facts of one event."""
    resolved = any(isinstance(fact, AssignmentsRevealed) for fact in facts)
    lines: list[str] = []
    wave: list[WaveFact] = []
    for fact in facts:
        if isinstance(fact, WaveFact):
            if starts_wave(fact, wave):
                lines += tell_wave(wave)
                wave = []
            wave.append(fact)
        else:
            lines += tell_wave(wave)
            wave = []
            if not (resolved and isinstance(fact, MiceAssigned)):
                lines += tell_fact(fact)
    return lines + list(tell_wave(wave))


def starts_wave(fact: WaveFact, wave: list[WaveFact]) -> bool:
    """Return whether the fact starts a new wave: a roll or turn-up for an attempt after results are decided."""
    begins = isinstance(fact, DiceRolled) or (isinstance(fact, PieceTurnedUp) and fact.cause == "attempted")
    return begins and any(isinstance(earlier, AttemptDecided) for earlier in wave)


def tell_fact(fact: Fact) -> Iterator[str]:
    """Yield the lines for a fact that is not part of a wave."""
    match fact:
        case CakeLaid(cells):
            shown = sum(cell.up for cell in cells)
            yield f"The cake is laid: {len(cells)} pieces, {shown} of them face up."
        case PositionSet(cells=cells):
            yield f"The match starts from a custom position with {pluralize(len(cells), 'piece')} of cake left."
        case RoundStarted(number, _, _, to_assign):
            yield from tell_round_start(number, to_assign)
        case MiceAssigned(seat, number, columns, target):
            where = f" ({describe_split(columns, target)})" if columns else ""
            yield f"Round {number}: {seat} sends its mice{where}."
        case AssignmentsRevealed(number, assignments):
            sent = [name for name in SEATS if assignments.of(name).columns.total()]
            yield f"Round {number}: {describe_senders(sent)}."
            yield " ".join(f"{name.capitalize()}: {describe_assignment(assignments.of(name))}." for name in sent)
        case MiceBoosted(seat, column, dice):
            go = "is boosted and goes" if dice == 1 else "are boosted and go"
            yield f"{column}: {describe_mice(dice, seat)} {go} on to the next piece."
        case RoundEnded():
            yield from tell_round_end(fact)
        case SeatResigned(seat):
            yield f"{seat.capitalize()} resigns."
        case GameEnded():
            yield f"{describe_ending(fact)} {describe_winner(fact)}"


# -- rounds ---------------------------------------------------------------------------------------------------------


def tell_round_start(number: int, to_assign: tuple[SeatName, ...]) -> Iterator[str]:
    """Yield a line if a seat has to sit out the round."""
    match to_assign:
        case ():
            yield f"Round {number}: neither family can send mice, so the round is skipped."
        case (name,):
            yield f"Round {number}: {opponent_of(name)} can't send any mice, so {name} plays alone."


def describe_senders(names: Sequence[SeatName]) -> str:
    """Return a phrase for the seats that send their mice."""
    return f"{names[0]} sends its mice" if len(names) == 1 else f"{' and '.join(names)} send their mice"


def describe_assignment(assignment: Assignment) -> str:
    """Return a seat's assignment: A 2, C 2."""
    return describe_split(assignment.columns, assignment.steal_target)


def describe_split(columns: Columns, target: Piece | None) -> str:
    """Return the mice by column, with the piece to steal if there is one."""
    counts = ", ".join(f"{column} {columns.of(column)}" for column in COLUMNS if columns.of(column))
    return f"{counts}, to steal {target}" if target else counts


def tell_round_end(fact: RoundEnded) -> Iterator[str]:
    """Yield a line for recovered mice, and one for quiet rounds if there are many."""
    back = [(fact.recovered.of(name), name) for name in SEATS if fact.recovered.of(name)]
    if back:
        verb = "is" if sum(count for count, _ in back) == 1 else "are"
        yield f"{' and '.join(describe_mice(count, name) for count, name in back)} {verb} back."
    if QUIET_WARNING_FROM <= fact.quiet < QUIET_ROUND_LIMIT:
        yield f"That is {fact.quiet} rounds in a row without a piece taken. The match ends at {QUIET_ROUND_LIMIT}."


def describe_mice(count: int, name: SeatName) -> str:
    """Return a number of mice with their colour: 2 yellow mice."""
    return f"{count} {name} {'mouse' if count == 1 else 'mice'}"


# -- attempts -------------------------------------------------------------------------------------------------------


def tell_wave(wave: list[WaveFact]) -> Iterator[str]:
    """Yield the lines for one wave in one column: pieces turned up, attempts, and pieces uncovered."""
    rolls = [fact for fact in wave if isinstance(fact, DiceRolled)]
    decided = [fact for fact in wave if isinstance(fact, AttemptDecided)]
    results = {fact.seat: fact.result for fact in decided}
    yield from (
        describe_turned_up(fact) for fact in wave if isinstance(fact, PieceTurnedUp) and fact.cause == "attempted"
    )
    yield from (
        f"{fact.column}: {fact.seat} finds the crumb and takes nothing."
        for fact in decided
        if fact.result == "blank_found"
    )
    yield from tell_rolls(rolls, results)
    yield from (
        describe_turned_up(fact) for fact in wave if isinstance(fact, PieceTurnedUp) and fact.cause == "uncovered"
    )


def describe_turned_up(fact: PieceTurnedUp) -> str:
    """Return the line for a piece that is turned up."""
    return f"{fact.at} turns up: {fact.piece}, {DOMINOES[fact.piece].words}."


def tell_rolls(rolls: list[DiceRolled], results: dict[SeatName, AttemptResult]) -> Iterator[str]:
    """Yield the lines for the attempts of a wave. Attempts on the same domino share a line."""
    match rolls:
        case [first, second] if set(results.values()) == {"swapped"}:
            yield (
                f"{first.column}: both steal: {first.target} goes to {first.seat}, {second.target} to {second.seat}; "
                "the crumb is swept away."
            )
        case [first, second] if first.at == second.at and not first.target:
            yield tell_contest(first, second, results)
        case _:
            yield from (tell_attempt(roll, results[roll.seat]) for roll in rolls if roll.seat in results)


def tell_attempt(roll: DiceRolled, result: AttemptResult) -> str:
    """Return the line for an attempt without a contest."""
    if roll.target:
        goal = f"{roll.total} for {opponent_of(roll.seat)}'s {roll.target} ({roll.needed})"
    else:
        dice = " ".join(map(str, roll.dice))
        goal = f"{dice if len(roll.dice) == 1 else f'{dice} = {roll.total}'} for {roll.piece} ({roll.needed})"
    return f"{roll.column}: {roll.seat} rolls {goal}: {describe_result(roll, result)}."


def describe_result(roll: DiceRolled, result: AttemptResult) -> str:
    """Describe the result of an attempt."""
    match result:
        case "exhausted":
            count = f"{roll.matched} mice are" if roll.matched > 1 else "1 mouse is"
            return f"{describe_pattern(roll.target or roll.piece)}, {count} exhausted"
        case "stolen":
            return "stolen, and the crumb with it"
        case "low":
            return "not enough"
        case _:
            return "taken"


def describe_pattern(piece: Piece) -> str:
    """Describe the pattern of a domino, for example "cherry and chocolate both shown" (T4)."""
    domino = DOMINOES[piece]
    low, high = FLAVOURS[domino.low], FLAVOURS[domino.high]
    match domino.kind:
        case "double":
            return f"{high} shown twice"
        case "mixed":
            return f"{low} and {high} both shown"
        case _:
            return f"{high} shown"


def tell_contest(first: DiceRolled, second: DiceRolled, results: dict[SeatName, AttemptResult]) -> str:
    """Return the line for a contest for a last domino (T9)."""
    opening = f"{first.column}, last piece {first.piece}"
    if set(results.values()) == {"level"}:
        return f"{opening}: {first.total} each, it stays."
    both = ", ".join(describe_contender(roll, results.get(roll.seat)) for roll in (first, second))
    taker = next((name for name, result in results.items() if result == "taken"), None)
    return f"{opening}: {both}: {f'{taker} takes it' if taker else 'it stays'}."


def describe_contender(roll: DiceRolled, result: AttemptResult | None) -> str:
    """Return one side of a contest: the seat, its total, and why it is out if it is."""
    match result:
        case "exhausted":
            return f"{roll.seat} {roll.total} ({describe_result(roll, 'exhausted')})"
        case "low":
            return f"{roll.seat} {roll.total} (not enough)"
        case _:
            return f"{roll.seat} {roll.total}"


# -- the end --------------------------------------------------------------------------------------------------------


def describe_ending(fact: GameEnded) -> str:
    """Return why the match ends, with the totals."""
    totals = f"yellow {fact.pips.yellow}, blue {fact.pips.blue}"
    match fact.reason:
        case "cake_gone":
            return f"The cake is gone: {totals}."
        case "stalled":
            return f"That is {QUIET_ROUND_LIMIT} rounds in a row without a piece taken: {totals}."
        case "resigned":
            return f"The match is over: {totals}."


def describe_winner(fact: GameEnded) -> str:
    """Return who wins, and how if not by pips."""
    if fact.winner is None:
        return "The match is a draw."
    winner, loser = fact.winner.capitalize(), opponent_of(fact.winner)
    match fact.by:
        case "count":
            return f"{winner} wins with {fact.count.of(fact.winner)} pieces to {fact.count.of(loser)}."
        case "double_six":
            return f"{winner} wins because it has the 6-6."
        case "resignation":
            return f"{winner} wins by resignation."
        case _:
            return f"{winner} wins."
