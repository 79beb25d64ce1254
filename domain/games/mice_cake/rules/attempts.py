"""The attempts of a round, column by column (rules 5.2 and 5.3): rolls, results and their effects."""

from collections.abc import Sequence

from domain.games.mice_cake.rules.components import DOMINOES, PIPS
from domain.games.mice_cake.rules.facts import (
    AttemptDecided,
    BlankRemoved,
    DiceRolled,
    Fact,
    MiceBoosted,
    MiceExhausted,
    PieceStolen,
    PieceTaken,
    PieceTurnedUp,
)
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.parts import (
    BLANK,
    COLUMNS,
    SEATS,
    Assignment,
    AttemptResult,
    Both,
    Cell,
    Column,
    Piece,
    SeatName,
    opponent_of,
)
from domain.games.mice_cake.rules.reducer import Recorder
from domain.kernel.chance import Chance
from domain.kernel.values import Value

REMOVING_RESULTS: frozenset[AttemptResult] = frozenset(("taken", "stolen"))
"""The results that remove the seat's front from the cake."""


class Group(Value, frozen=True):
    """All mice of a seat in a column (T1), with the domino to steal if the front is the face-up 0-0."""

    seat: SeatName
    dice: int
    target: Piece | None


class Attempt(Value, frozen=True):
    """A group's attempt in one wave. There is no roll if the front turned out to be the 0-0 (R54)."""

    seat: SeatName
    front: Cell
    roll: DiceRolled | None
    result: AttemptResult


def front_cell(state: State, name: SeatName, column: Column) -> Cell | None:
    """Return the seat's front in a column (P1), or None if the column is empty."""
    return nearest_cell(state.cake.of(column), name)


def nearest_cell(cells: tuple[Cell, ...], name: SeatName) -> Cell | None:
    """Return the cell in the lowest row for yellow, in the highest for blue (P1), or None if there are no cells."""
    if not cells:
        return None
    return cells[0] if name == "yellow" else cells[-1]


def count_matching_dice(piece: Piece, dice: Sequence[int]) -> int:
    """Return how many dice match the pattern of this domino (T4): at most 2, or 1 for a half-blank."""
    domino = DOMINOES[piece]
    match domino.kind:
        case "half":
            return 1 if domino.high in dice else 0
        case "double":
            return 2 if dice.count(domino.high) >= 2 else 0
        case "mixed":
            return 2 if domino.low in dice and domino.high in dice else 0
        case "blank":
            return 0


# -- a column -----------------------------------------------------------------------------------------------------


def resolve(recorder: Recorder, assignments: Both[Assignment]) -> None:
    """Resolve every column with mice, A to D (P7).

    Columns are independent: an attempt changes only its own column, and stashes are not read (T11).
    """
    for column in COLUMNS:
        resolve_column(recorder, column, groups_at(recorder.state, column, assignments))


def groups_at(state: State, column: Column, assignments: Both[Assignment]) -> list[Group]:
    """Return the groups in a column, yellow's first. Only mice on a face-up 0-0 have a target (M1)."""
    groups = []
    for name in SEATS:
        sent = assignments.of(name)
        if mice := sent.columns.of(column):
            steals = is_face_up_blank(front_cell(state, name, column))
            groups.append(Group(name, mice, sent.steal_target if steals else None))
    return groups


def is_face_up_blank(cell: Cell | None) -> bool:
    """Return whether this front is the face-up 0-0."""
    return cell is not None and cell.up and cell.piece == BLANK


def resolve_column(recorder: Recorder, column: Column, groups: list[Group]) -> None:
    """Play one wave in a column, then further waves as long as mice are boosted (5.3)."""
    wave = 1
    while groups:
        attempts = play_wave(recorder, column, wave, groups)
        groups = boosted_groups(recorder.state, column, attempts)
        recorder.emit(*(MiceBoosted(group.seat, column, group.dice) for group in groups))  # 5.3 step 7
        wave += 1


def play_wave(recorder: Recorder, column: Column, wave: int, groups: list[Group]) -> list[Attempt]:
    """Play steps 1 to 6 of 5.3 and return the attempts."""
    attempts = attempt(recorder.state, column, wave, groups, recorder.chance)
    recorder.emit(
        *(
            PieceTurnedUp(tried.front.at, tried.front.visible_piece, "attempted")
            for tried in attempts
            if not tried.front.up
        )
    )
    recorder.emit(*(tried.roll for tried in attempts if tried.roll))
    recorder.emit(*(AttemptDecided(tried.seat, column, wave, tried.result) for tried in attempts))
    recorder.emit(
        *(
            MiceExhausted(tried.seat, column, tried.roll.matched, tried.front.visible_piece)
            for tried in attempts
            if tried.roll and tried.result == "exhausted"
        )
    )
    recorder.emit(*gain_facts(attempts))
    recorder.emit(*uncover_new_fronts(recorder.state, column, attempts))
    return attempts


# -- attempts -----------------------------------------------------------------------------------------------------


def attempt(state: State, column: Column, wave: int, groups: list[Group], chance: Chance) -> list[Attempt]:
    """Roll for each group against its front, then decide all results together (T11)."""
    fronts = [(group, cell) for group in groups if (cell := nearest_cell(state.cake.of(column), group.seat))]
    rolls = [
        None if finds_blank(group, cell) else roll_group(group, column, wave, cell, chance) for group, cell in fronts
    ]
    results = judge([rolled for rolled in rolls if rolled], state.options)
    return [
        Attempt(group.seat, cell, rolled, results[group.seat] if rolled else "blank_found")
        for (group, cell), rolled in zip(fronts, rolls, strict=True)
    ]


def finds_blank(group: Group, cell: Cell) -> bool:
    """Return whether the front is a face-down 0-0, which costs the group its attempt (R54)."""
    return cell.piece == BLANK and group.target is None


def roll_group(group: Group, column: Column, wave: int, cell: Cell, chance: Chance) -> DiceRolled:
    """Roll one die per mouse (T1, D2) against the front or the domino to steal (T3, T4)."""
    source = chance.use(f"dice/{SEATS.index(group.seat)}")
    dice = tuple(source.die() for _ in range(group.dice))
    goal = group.target or cell.visible_piece
    return DiceRolled(
        seat=group.seat,
        column=column,
        wave=wave,
        at=cell.at,
        piece=cell.visible_piece,
        target=group.target,
        needed=PIPS[goal],
        dice=dice,
        total=sum(dice),
        matched=count_matching_dice(goal, dice),
    )


def judge(rolls: list[DiceRolled], options: Options) -> dict[SeatName, AttemptResult]:
    """Return the results of the groups that rolled in a wave."""
    match rolls:
        case [first, second] if first.at == second.at and first.target:
            return judge_steals(first, second, options)  # T10
        case [first, second] if first.at == second.at:
            return judge_contest(first, second, options)  # T9
        case _:
            return {rolled.seat: judge_alone(rolled, options) for rolled in rolls}


def judge_alone(rolled: DiceRolled, options: Options) -> AttemptResult:
    """Return the result of a group on its own: exhausted (T5), low (T6), taken (T7) or stolen (T10)."""
    if rolled.matched and options.matches == "exhaust":
        return "exhausted"
    if rolled.total < rolled.needed:
        return "low"
    return "stolen" if rolled.target else "taken"


def judge_steals(first: DiceRolled, second: DiceRolled, options: Options) -> dict[SeatName, AttemptResult]:
    """Return the results of two groups on the last domino, the 0-0: two successful steals swap targets (T10)."""
    results = {rolled.seat: judge_alone(rolled, options) for rolled in (first, second)}
    if set(results.values()) == {"stolen"}:
        return dict.fromkeys(results, "swapped")
    return results


def judge_contest(first: DiceRolled, second: DiceRolled, options: Options) -> dict[SeatName, AttemptResult]:
    """Return the results of a contest for a last domino: the higher sufficient total takes it (T9)."""
    results = {rolled.seat: judge_contender(rolled, options) for rolled in (first, second)}
    if set(results.values()) != {"taken"}:
        return results
    if first.total == second.total:
        return dict.fromkeys(results, "level")  # R15
    beaten = min(first, second, key=lambda rolled: rolled.total)
    return {**results, beaten.seat: "outrolled"}


def judge_contender(rolled: DiceRolled, options: Options) -> AttemptResult:
    """Return a group's result before totals are compared. With `contest_floor: none`, any total is sufficient."""
    alone = judge_alone(rolled, options)
    return "taken" if alone == "low" and options.contest_floor == "none" else alone


# -- effects of attempts ------------------------------------------------------------------------------------------


def gain_facts(attempts: list[Attempt]) -> list[Fact]:
    """Return the facts for dominoes stolen and taken, and for a 0-0 removed by two steals (5.3 step 5, T7, T10)."""
    facts: list[Fact] = [
        PieceStolen(tried.seat, opponent_of(tried.seat), tried.roll.target, PIPS[tried.roll.target])
        for tried in attempts
        if tried.roll and tried.roll.target and tried.result in ("stolen", "swapped")
    ]
    if any(tried.result == "swapped" for tried in attempts):
        return [*facts, BlankRemoved(attempts[0].front.at)]
    facts += (
        PieceTaken(tried.seat, tried.front.at, tried.front.visible_piece, PIPS[tried.front.visible_piece])
        for tried in attempts
        if tried.result in REMOVING_RESULTS
    )
    return facts


def uncover_new_fronts(state: State, column: Column, attempts: list[Attempt]) -> list[Fact]:
    """Return the facts that turn up new fronts (T8). A front shared by both seats is turned up once (R46)."""
    fronts = [front_cell(state, tried.seat, column) for tried in attempts if tried.result in REMOVING_RESULTS]
    hidden = {cell.at: cell.visible_piece for cell in fronts if cell and not cell.up}
    return [PieceTurnedUp(at, piece, "uncovered") for at, piece in hidden.items()]


def boosted_groups(state: State, column: Column, attempts: list[Attempt]) -> list[Group]:
    """Return the groups that roll their matching dice again (section 11).

    A boost lapses if the column is empty or the next front is the 0-0.
    """
    if state.options.matches != "boost":
        return []
    return [
        Group(tried.seat, tried.roll.matched, None)
        for tried in attempts
        if tried.roll and tried.roll.matched and tried.result in REMOVING_RESULTS
        if (following := front_cell(state, tried.seat, column)) and following.piece != BLANK
    ]
