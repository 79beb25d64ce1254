"""The rules: set-up, seats to move, legal moves, effects of moves and the end of the match."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, product
from typing import Any

from domain.games.mice_cake.rules.attempts import front_cell, is_face_up_blank, nearest_cell, resolve
from domain.games.mice_cake.rules.components import PIPS, TABLE_ORDER
from domain.games.mice_cake.rules.facts import (
    AssignmentsRevealed,
    CakeLaid,
    Fact,
    GameEnded,
    GameStarted,
    MiceAssigned,
    PositionSet,
    RoundEnded,
    RoundStarted,
    SeatResigned,
)
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice, Move, Options, Resign
from domain.games.mice_cake.rules.parts import (
    COLUMNS,
    DOUBLE_SIX,
    MICE_PER_SEAT,
    PIECES,
    QUIET_ROUND_LIMIT,
    ROWS,
    SEATS,
    Assignment,
    Both,
    Cell,
    Column,
    Columns,
    DecidedBy,
    LeftOver,
    Piece,
    Reason,
    Resting,
    SeatName,
    opponent_of,
)
from domain.games.mice_cake.rules.position import read_position
from domain.games.mice_cake.rules.reducer import Recorder, evolve
from domain.kernel.chance import Chance, Scripted
from domain.kernel.game import Outcome, Seat
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.refusals import IllegalMove

FACE_UP_ROWS = {"alternate": (1, 3, 5, 7), "up": (1, 2, 3, 4, 5, 6, 7), "down": ()}  # S4, option start_face


# -- set-up -------------------------------------------------------------------------------------------------------


def setup(seats: int, options: Options, chance: Chance) -> Decision[State, Fact]:
    """Lay out the shuffled cake and start the first round (S2 to S6)."""
    deck = chance.use("cake").shuffle(PIECES)  # S2, D1
    return start_game(options, CakeLaid(lay_cake(deck, options)), 1, chance)


def lay_cake(deck: Sequence[Piece], options: Options) -> tuple[Cell, ...]:
    """Return the cells row by row, A to D in each (S3), with the face-up rows of the option (S4)."""
    places = product(range(1, ROWS + 1), COLUMNS)
    up = FACE_UP_ROWS[options.start_face]
    return tuple(Cell(f"{column}{row}", piece, row in up) for (row, column), piece in zip(places, deck, strict=True))


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> Decision[State, Fact]:
    """Start from a position document (S7). Raise BadOptions."""
    chosen, number, position = read_position(options, document)
    return start_game(chosen, position, number, Scripted(()))  # nothing is drawn


def start_game(options: Options, laid: CakeLaid | PositionSet, number: int, chance: Chance) -> Decision[State, Fact]:
    """Return the facts of the set-up: options, cake and start of the first round."""
    recorder: Recorder = FactRecorder(State(), evolve, chance)
    recorder.emit(GameStarted("mice_cake", SEATS, options), laid)
    start_round(recorder, number)
    return recorder.decision()


# -- seats to move and legal moves --------------------------------------------------------------------------------


def to_move(state: State) -> frozenset[Seat]:
    """Return the seats that owe an assignment and have not made it (P4)."""
    return frozenset(seat for seat, name in enumerate(SEATS) if owes_assignment(state, name))


def owes_assignment(state: State, name: SeatName) -> bool:
    """Return whether this seat still has to assign its mice."""
    return name in state.to_assign and state.pending.of(name) is None


def count_ready_mice(state: State, name: SeatName) -> int:
    """Return the number of the seat's mice that don't rest in this round (P2)."""
    return MICE_PER_SEAT - sum(group.count for group in state.resting.of(name))


def find_open_columns(state: State, name: SeatName) -> tuple[Column, ...]:
    """Return the columns that are open for a seat: with a domino, and no face-up 0-0 with nothing to steal (P3)."""
    can_steal = bool(state.stash.of(opponent_of(name)))
    fronts = [nearest_cell(cells, name) for cells in state.cake.values()]
    is_open = [bool(front) and (can_steal or not is_face_up_blank(front)) for front in fronts]
    return tuple(compress(COLUMNS, is_open))


def blank_column(state: State, name: SeatName) -> Column | None:
    """Return the column where the seat's front is the face-up 0-0, or None."""
    return next((column for column in COLUMNS if is_face_up_blank(front_cell(state, name, column))), None)


def legal_moves(state: State, seat: Seat) -> Iterator[AssignMice]:
    """Yield the legal assignments of a seat by (A, B, C, D), then by steal target in table order (M3)."""
    name = SEATS[seat]
    if owes_assignment(state, name):
        yield from assignments(state, name)


def assignments(state: State, name: SeatName) -> Iterator[AssignMice]:
    """Yield all assignments of a seat's ready mice to its open columns."""
    steal_from = blank_column(state, name)
    targets = sorted(state.stash.of(opponent_of(name)), key=TABLE_ORDER.__getitem__)
    for columns in enumerate_splits(count_ready_mice(state, name), find_open_columns(state, name)):
        if steal_from and columns.of(steal_from):
            yield from (AssignMice(columns, target) for target in targets)  # M1
        else:
            yield AssignMice(columns)


@cache
def enumerate_splits(mice: int, open_columns: tuple[Column, ...]) -> tuple[Columns, ...]:
    """Return the ways to place this many mice on these columns, in ascending order (P6)."""
    choices = [range(mice + 1) if column in open_columns else (0,) for column in COLUMNS]
    return tuple(Columns(*counts) for counts in product(*choices) if sum(counts) == mice)


# -- effects of moves ---------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """Return the effects of a move. Raise IllegalMove with the first code of M2 that applies."""
    name = SEATS[seat]
    if state.phase == "finished":
        raise IllegalMove("game_over", "E1", "The match is over, so you can't move.")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    match move:
        case Resign():
            recorder.emit(SeatResigned(name), make_game_ended(state, "resigned", resigned=name))  # E4
        case AssignMice(columns, steal_target):
            check_owes(state, name)
            check_columns(state, name, columns)
            check_target(state, name, columns, steal_target)
            assign_mice(recorder, name, Assignment(columns, steal_target))
    return recorder.decision()


def check_owes(state: State, name: SeatName) -> None:
    """Raise IllegalMove `already_assigned` or `nothing_to_assign` (M2, rows 3 and 4)."""
    if state.pending.of(name) is not None:
        raise IllegalMove(
            "already_assigned",
            "P6",
            f"You've already sent your mice for round {state.round}. Wait for {opponent_of(name)} to send its mice.",
        )
    if name not in state.to_assign:
        why = "all your mice are resting" if not count_ready_mice(state, name) else "no column is open to you"
        raise IllegalMove(
            "nothing_to_assign",
            "P4",
            f"You can't send mice in round {state.round} because {why}. Wait for the next round.",
        )


def check_columns(state: State, name: SeatName, columns: Columns) -> None:
    """Raise IllegalMove `column_empty`, `blank_closed` or `wrong_mouse_count` (M2, rows 5 to 7)."""
    used = [column for column in COLUMNS if columns.of(column)]
    for column in used:
        if not state.cake.of(column):
            raise IllegalMove("column_empty", "P3", f"Column {column} is empty. {list_open_columns(state, name)}")
    open_columns = find_open_columns(state, name)
    for column in used:
        if column not in open_columns:
            raise IllegalMove(
                "blank_closed",
                "P3",
                f"Column {column} is closed to you while {opponent_of(name)} has nothing to steal. "
                f"{list_open_columns(state, name)}",
            )
    mice = count_ready_mice(state, name)
    if columns.total() != mice:
        raise IllegalMove(
            "wrong_mouse_count",
            "P6",
            f"You must send all your ready mice, exactly {mice}. You placed {columns.total()}.",
        )


def list_open_columns(state: State, name: SeatName) -> str:
    """Return the sentence that names the columns open to a seat."""
    return f"Columns open to you: {', '.join(find_open_columns(state, name))}."


def check_target(state: State, name: SeatName, columns: Columns, target: Piece | None) -> None:
    """Raise IllegalMove if the steal target is wrong (M1; M2, rows 8 to 10)."""
    steal_from = blank_column(state, name)
    robbed = opponent_of(name)
    if steal_from is None or not columns.of(steal_from):
        if target:
            raise IllegalMove(
                "steal_target_unexpected",
                "M1",
                f"You chose {target} to steal, but none of your mice go to the crumb. Choose none.",
            )
    elif target is None:
        raise IllegalMove(
            "steal_target_missing",
            "M1",
            f"Your mice in column {steal_from} go to the crumb. Choose a piece to steal from {robbed}.",
        )
    elif target not in state.stash.of(robbed):
        raise IllegalMove(
            "steal_target_not_there",
            "M1",
            f"{robbed.capitalize()} doesn't have {target}. Choose a piece from {robbed}'s stash.",
        )


def assign_mice(recorder: Recorder, name: SeatName, sent: Assignment) -> None:
    """Record an assignment; if it was the last one owed, resolve the round (P6, P7)."""
    recorder.emit(MiceAssigned(name, recorder.state.round, sent.columns, sent.steal_target))
    if not to_move(recorder.state):
        play_round(recorder)


def play_round(recorder: Recorder) -> None:
    """Reveal the assignments, resolve the round and end it (P7, P8)."""
    state = recorder.state
    made = Both(state.pending.yellow or Assignment(), state.pending.blue or Assignment())
    recorder.emit(AssignmentsRevealed(state.round, made))
    resolve(recorder, made)
    quiet = 0 if count_left(recorder.state) < count_left(state) else state.quiet + 1
    end_round(recorder, quiet)


def start_round(recorder: Recorder, number: int) -> None:
    """Start a round (P5). If no seat can assign, it is a rest round and ends immediately (R42)."""
    state = recorder.state
    mice = Both(count_ready_mice(state, "yellow"), count_ready_mice(state, "blue"))
    columns = Both(find_open_columns(state, "yellow"), find_open_columns(state, "blue"))
    owing = tuple(name for name in SEATS if mice.of(name) and columns.of(name))  # P4
    recorder.emit(RoundStarted(number, mice, columns, owing))
    if not owing:
        end_round(recorder, state.quiet + 1)


def end_round(recorder: Recorder, quiet: int) -> None:
    """End a round: mice recover, and the match ends or the next round starts (P8)."""
    state = recorder.state
    left = count_left(state)
    recorder.emit(
        RoundEnded(
            round=state.round,
            recovered=Both(count_mice(state.resting.yellow), count_mice(state.resting.blue)),
            resting=Both(count_mice(state.newly.yellow), count_mice(state.newly.blue)),
            left=left,
            quiet=quiet,
        )
    )
    if not left:
        recorder.emit(make_game_ended(state, "cake_gone"))
    elif quiet >= QUIET_ROUND_LIMIT:
        recorder.emit(make_game_ended(state, "stalled"))  # T2
    else:
        start_round(recorder, state.round + 1)


def count_mice(groups: tuple[Resting, ...]) -> int:
    """Return the number of mice in these groups."""
    return sum(group.count for group in groups)


def count_left(state: State) -> int:
    """Return the number of dominoes on the cake."""
    return sum(map(len, state.cake.values()))


# -- the end ------------------------------------------------------------------------------------------------------


def pips(state: State, name: SeatName) -> int:
    """Return the pips in a seat's stash (E2)."""
    return sum(map(PIPS.__getitem__, state.stash.of(name)))


def make_game_ended(state: State, reason: Reason, resigned: SeatName | None = None) -> GameEnded:
    """Return the fact that ends the match, with totals, tie-breakers and the dominoes left on the cake."""
    totals = Both(pips(state, "yellow"), pips(state, "blue"))
    counts = Both(len(state.stash.yellow), len(state.stash.blue))
    double_six = next((name for name in SEATS if DOUBLE_SIX in state.stash.of(name)), None)
    winner, by = (opponent_of(resigned), "resignation") if resigned else decide_winner(totals, counts, double_six)
    return GameEnded(
        reason=reason,
        winner=winner,
        by=by,
        pips=totals,
        count=counts,
        double_six=double_six,
        left=tuple(LeftOver(cell.at, cell.visible_piece) for cells in state.cake.values() for cell in cells),
    )


def decide_winner(
    totals: Both[int], counts: Both[int], double_six: SeatName | None
) -> tuple[SeatName | None, DecidedBy]:
    """Return the winner and the tie-breaker: more pips, more dominoes, the owner of 6-6, or a draw (E3)."""
    if leader := find_leader(totals):
        return leader, "pips"
    if leader := find_leader(counts):
        return leader, "count"
    return (double_six, "double_six") if double_six else (None, "draw")


def find_leader(numbers: Both[int]) -> SeatName | None:
    """Return the seat with the higher number, or None if they are equal."""
    if numbers.yellow == numbers.blue:
        return None
    return "yellow" if numbers.yellow > numbers.blue else "blue"


def close(state: State) -> list[Fact]:
    """Return the facts that end the match now, decided by the stashes (E3)."""
    return [make_game_ended(state, "stalled")]


def outcome(state: State) -> Outcome | None:
    """Return the outcome, with pips as scores, or None while the match runs."""
    if state.result is None:
        return None
    winner, totals = state.result.winner, state.result.pips
    winners = tuple(seat for seat, name in enumerate(SEATS) if name == winner)
    places = tuple(1 if winner in (name, None) else 2 for name in SEATS)
    return Outcome(state.result.reason, winners, (totals.yellow, totals.blue), places)
