"""The attempts of a round, column by column (rules 5.2 and 5.3): rolls, results, and what they do to cake and mice."""

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
"""The results after which the seat's front has left the cake and another lies there, if any is left."""


class Group(Value, frozen=True):
    """All mice of a seat in a column (T1): the dice they roll, and the domino to steal, if the front is the 0-0."""

    seat: SeatName
    dice: int
    target: Piece | None


class Attempt(Value, frozen=True):
    """A group's attempt in one wave: no roll if the front turned out to be the 0-0 (R54)."""

    seat: SeatName
    front: Cell
    roll: DiceRolled | None
    result: AttemptResult


def front_cell(state: State, name: SeatName, column: Column) -> Cell | None:
    """The nearest domino of a column for a seat (P1), None where the column is empty."""
    return nearest_cell(state.cake.of(column), name)


def nearest_cell(cells: tuple[Cell, ...], name: SeatName) -> Cell | None:
    """P1 The lowest row for yellow, the highest for blue."""
    if not cells:
        return None
    return cells[0] if name == "yellow" else cells[-1]


def count_matching_dice(piece: Piece, dice: Sequence[int]) -> int:
    """T4 How many dice count as the pattern of this domino: never more than 2, or 1 on a half-blank."""
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
    """P7 Every column with mice, A to D.

    No attempt depends on another column: dominoes leave only their own column, and stashes are not read (T11).
    """
    for column in COLUMNS:
        resolve_column(recorder, column, groups_at(recorder.state, column, assignments))


def groups_at(state: State, column: Column, assignments: Both[Assignment]) -> list[Group]:
    """The groups in a column, yellow's before blue's. Only mice on a face-up 0-0 have a target (M1)."""
    groups = []
    for name in SEATS:
        sent = assignments.of(name)
        if mice := sent.columns.of(column):
            steals = is_face_up_blank(front_cell(state, name, column))
            groups.append(Group(name, mice, sent.steal_target if steals else None))
    return groups


def is_face_up_blank(cell: Cell | None) -> bool:
    """Whether this front is the face-up 0-0."""
    return cell is not None and cell.up and cell.piece == BLANK


def resolve_column(recorder: Recorder, column: Column, groups: list[Group]) -> None:
    """5.3 One wave, and with `boost` further ones while a group that took something may roll again."""
    wave = 1
    while groups:
        attempts = play_wave(recorder, column, wave, groups)
        groups = boosted_groups(recorder.state, column, attempts)
        recorder.emit(*(MiceBoosted(group.seat, column, group.dice) for group in groups))  # 5.3 step 7
        wave += 1


def play_wave(recorder: Recorder, column: Column, wave: int, groups: list[Group]) -> list[Attempt]:
    """5.3 steps 1 to 6. Returns the attempts."""
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
    """Each group rolls against its front; then all are judged together (T11)."""
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
    """R54 A face-down front that turns out to be the 0-0 costs the group its attempt."""
    return cell.piece == BLANK and group.target is None


def roll_group(group: Group, column: Column, wave: int, cell: Cell, chance: Chance) -> DiceRolled:
    """One die for each mouse (T1, D2), against the front or the domino to steal (T3, T4)."""
    dice = tuple(chance.die() for _ in range(group.dice))
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
    """The results of the groups that rolled in a wave."""
    match rolls:
        case [first, second] if first.at == second.at and first.target:
            return judge_steals(first, second, options)  # T10
        case [first, second] if first.at == second.at:
            return judge_contest(first, second, options)  # T9
        case _:
            return {rolled.seat: judge_alone(rolled, options) for rolled in rolls}


def judge_alone(rolled: DiceRolled, options: Options) -> AttemptResult:
    """T5 exhausted, T6 low, or T7 sufficient: it takes its front, or steals (T10)."""
    if rolled.matched and options.matches == "exhaust":
        return "exhausted"
    if rolled.total < rolled.needed:
        return "low"
    return "stolen" if rolled.target else "taken"


def judge_steals(first: DiceRolled, second: DiceRolled, options: Options) -> dict[SeatName, AttemptResult]:
    """T10 Both on the 0-0, the last of its column: two successful steals swap their targets."""
    results = {rolled.seat: judge_alone(rolled, options) for rolled in (first, second)}
    if set(results.values()) == {"stolen"}:
        return dict.fromkeys(results, "swapped")
    return results


def judge_contest(first: DiceRolled, second: DiceRolled, options: Options) -> dict[SeatName, AttemptResult]:
    """T9 Both on the last domino: the higher of the sufficient totals takes it, equal ones leave it."""
    results = {rolled.seat: judge_contender(rolled, options) for rolled in (first, second)}
    if set(results.values()) != {"taken"}:
        return results
    if first.total == second.total:
        return dict.fromkeys(results, "level")  # R15
    beaten = min(first, second, key=lambda rolled: rolled.total)
    return {**results, beaten.seat: "outrolled"}


def judge_contender(rolled: DiceRolled, options: Options) -> AttemptResult:
    """Before totals are compared; with `contest_floor: none` every group that is not exhausted suffices."""
    alone = judge_alone(rolled, options)
    return "taken" if alone == "low" and options.contest_floor == "none" else alone


# -- what attempts do ---------------------------------------------------------------------------------------------


def gain_facts(attempts: list[Attempt]) -> list[Fact]:
    """5.3 step 5: dominoes stolen and taken, the 0-0 with a single steal, out of the game after two (T7, T10)."""
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
    """T8 The new front of each seat whose front was taken, if it lies face down; turned up only once (R46)."""
    fronts = [front_cell(state, tried.seat, column) for tried in attempts if tried.result in REMOVING_RESULTS]
    hidden = {cell.at: cell.visible_piece for cell in fronts if cell and not cell.up}
    return [PieceTurnedUp(at, piece, "uncovered") for at, piece in hidden.items()]


def boosted_groups(state: State, column: Column, attempts: list[Attempt]) -> list[Group]:
    """Section 11: who took something with matching dice rolls those again, unless nothing or the 0-0 comes next."""
    if state.options.matches != "boost":
        return []
    return [
        Group(tried.seat, tried.roll.matched, None)
        for tried in attempts
        if tried.roll and tried.roll.matched and tried.result in REMOVING_RESULTS
        if (following := front_cell(state, tried.seat, column)) and following.piece != BLANK
    ]
