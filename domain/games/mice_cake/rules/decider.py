"""The rules: set-up, who owes an assignment, legal assignments, what a move does, how it ends."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

from domain.games.mice_cake.rules.attempts import front_cell, is_face_up_blank, resolve
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
    """S2 to S6: the shuffled cake, and the first round."""
    deck = chance.shuffle(PIECES)  # S2, D1
    return start_game(options, CakeLaid(lay_cake(deck, options)), 1, chance)


def lay_cake(deck: Sequence[Piece], options: Options) -> tuple[Cell, ...]:
    """S3 Row by row, A to D in each; S4 which rows lie face up."""
    places = product(range(1, ROWS + 1), COLUMNS)
    up = FACE_UP_ROWS[options.start_face]
    return tuple(Cell(f"{column}{row}", piece, row in up) for (row, column), piece in zip(places, deck, strict=True))


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> Decision[State, Fact]:
    """S7 A start from a position document. Raises BadOptions."""
    chosen, number, position = read_position(options, document)
    return start_game(chosen, position, number, Scripted(()))  # nothing is drawn


def start_game(options: Options, laid: CakeLaid | PositionSet, number: int, chance: Chance) -> Decision[State, Fact]:
    """The facts of set-up: the game, the cake, and the start of this round."""
    recorder: Recorder = FactRecorder(State(), evolve, chance)
    recorder.emit(GameStarted("mice_cake", SEATS, options), laid)
    start_round(recorder, number)
    return recorder.decision()


# -- whose turn, and what may be done -----------------------------------------------------------------------------


def to_move(state: State) -> frozenset[Seat]:
    """P4 The seats that owe an assignment and have not made it."""
    return frozenset(seat for seat, name in enumerate(SEATS) if owes_assignment(state, name))


def owes_assignment(state: State, name: SeatName) -> bool:
    """Whether the others wait for this seat's assignment."""
    return name in state.to_assign and state.pending.of(name) is None


def count_ready_mice(state: State, name: SeatName) -> int:
    """P2 The seat's mice that do not rest in this round."""
    return MICE_PER_SEAT - sum(group.count for group in state.resting.of(name))


def find_open_columns(state: State, name: SeatName) -> tuple[Column, ...]:
    """P3 The columns that are open for a seat."""
    return tuple(column for column in COLUMNS if is_open(state, name, column))


def is_open(state: State, name: SeatName, column: Column) -> bool:
    """P3 It holds a domino, and the front is not a face-up 0-0 without anything to steal."""
    cell = front_cell(state, name, column)
    return cell is not None and not (is_face_up_blank(cell) and not state.stash.of(opponent_of(name)))


def blank_column(state: State, name: SeatName) -> Column | None:
    """The column whose front for this seat is the face-up 0-0."""
    return next((column for column in COLUMNS if is_face_up_blank(front_cell(state, name, column))), None)


def legal_moves(state: State, seat: Seat) -> Iterator[AssignMice]:
    """M3 Every assignment that the seat may make, by (A, B, C, D), then by steal target in table order."""
    name = SEATS[seat]
    if owes_assignment(state, name):
        yield from assignments(state, name)


def assignments(state: State, name: SeatName) -> Iterator[AssignMice]:
    """All assignments of a seat's ready mice to its open columns."""
    steal_from = blank_column(state, name)
    targets = sorted(state.stash.of(opponent_of(name)), key=TABLE_ORDER.__getitem__)
    for columns in enumerate_splits(count_ready_mice(state, name), find_open_columns(state, name)):
        if steal_from and columns.of(steal_from):
            yield from (AssignMice(columns, target) for target in targets)  # M1
        else:
            yield AssignMice(columns)


@cache
def enumerate_splits(mice: int, open_columns: tuple[Column, ...]) -> tuple[Columns, ...]:
    """The ways to place this many mice on these columns, in ascending order (P6)."""
    choices = [range(mice + 1) if column in open_columns else (0,) for column in COLUMNS]
    return tuple(Columns(*counts) for counts in product(*choices) if sum(counts) == mice)


# -- what a move does ---------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """What the move does. Raises IllegalMove with the first code of M2 that applies."""
    name = SEATS[seat]
    if state.phase == "finished":
        raise IllegalMove("game_over", "E1", "The game is over; nothing can be moved any more.")
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
    """M2, rows 3 and 4."""
    if state.pending.of(name) is not None:
        raise IllegalMove(
            "already_assigned", "P6", f"Your mice are sent for round {state.round}; an assignment is final."
        )
    if name not in state.to_assign:
        why = "all your mice are resting" if not count_ready_mice(state, name) else "no column is open for you"
        raise IllegalMove("nothing_to_assign", "P4", f"You have nothing to assign in round {state.round}: {why}.")


def check_columns(state: State, name: SeatName, columns: Columns) -> None:
    """M2, rows 5 to 7."""
    used = [column for column in COLUMNS if columns.of(column)]
    choice = f"open for you: {', '.join(find_open_columns(state, name))}"
    for column in used:
        if not state.cake.of(column):
            raise IllegalMove("column_empty", "P3", f"Nothing is left in column {column}; {choice}.")
    for column in used:
        if not is_open(state, name, column):
            raise IllegalMove(
                "blank_closed",
                "P3",
                f"The 0-0 in column {column} is closed while {opponent_of(name)} has nothing to steal; {choice}.",
            )
    mice = count_ready_mice(state, name)
    if columns.total() != mice:
        raise IllegalMove(
            "wrong_mouse_count",
            "P6",
            f"You placed {columns.total()} mice; all {mice} ready mice must be sent, no more and no fewer.",
        )


def check_target(state: State, name: SeatName, columns: Columns, target: Piece | None) -> None:
    """M1; M2, rows 8 to 10."""
    steal_from = blank_column(state, name)
    robbed = opponent_of(name)
    if steal_from is None or not columns.of(steal_from):
        if target:
            raise IllegalMove(
                "steal_target_unexpected",
                "M1",
                f"You named {target} to steal, but no mouse of yours goes to a face-up 0-0; name none.",
            )
    elif target is None:
        raise IllegalMove(
            "steal_target_missing",
            "M1",
            f"Your mice at column {steal_from} stand on the 0-0: name the domino to steal from {robbed}.",
        )
    elif target not in state.stash.of(robbed):
        raise IllegalMove("steal_target_not_there", "M1", f"{target} is not in {robbed}'s stash; name one that is.")


def assign_mice(recorder: Recorder, name: SeatName, sent: Assignment) -> None:
    """The seat's assignment; if it was the last one owed, the round is resolved and the next one starts (P6, P7)."""
    recorder.emit(MiceAssigned(name, recorder.state.round, sent.columns, sent.steal_target))
    if not to_move(recorder.state):
        play_round(recorder)


def play_round(recorder: Recorder) -> None:
    """P7, then P8."""
    state = recorder.state
    made = Both(state.pending.yellow or Assignment(), state.pending.blue or Assignment())
    recorder.emit(AssignmentsRevealed(state.round, made))
    resolve(recorder, made)
    quiet = 0 if count_left(recorder.state) < count_left(state) else state.quiet + 1
    end_round(recorder, quiet)


def start_round(recorder: Recorder, number: int) -> None:
    """P5 The round's start; if nobody can assign it is a rest round and ends at once."""
    state = recorder.state
    mice = Both(count_ready_mice(state, "yellow"), count_ready_mice(state, "blue"))
    columns = Both(find_open_columns(state, "yellow"), find_open_columns(state, "blue"))
    owing = tuple(name for name in SEATS if mice.of(name) and columns.of(name))  # P4
    recorder.emit(RoundStarted(number, mice, columns, owing))
    if not owing:
        end_round(recorder, state.quiet + 1)  # R42


def end_round(recorder: Recorder, quiet: int) -> None:
    """P8 Mice recover, and the game ends or the next round starts."""
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
    """How many mice these are."""
    return sum(group.count for group in groups)


def count_left(state: State) -> int:
    """Dominoes on the cake."""
    return sum(map(len, state.cake.values()))


# -- the end ------------------------------------------------------------------------------------------------------


def pips(state: State, name: SeatName) -> int:
    """E2 The pips in a seat's stash."""
    return sum(PIPS[piece] for piece in state.stash.of(name))


def make_game_ended(state: State, reason: Reason, resigned: SeatName | None = None) -> GameEnded:
    """The end of the game, with everything that stands on the table then."""
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
    """E3 More pips, then more dominoes, then the owner of 6-6, then nobody."""
    if leader := find_leader(totals):
        return leader, "pips"
    if leader := find_leader(counts):
        return leader, "count"
    return (double_six, "double_six") if double_six else (None, "draw")


def find_leader(numbers: Both[int]) -> SeatName | None:
    """The seat with more, None if they are equal."""
    if numbers.yellow == numbers.blue:
        return None
    return "yellow" if numbers.yellow > numbers.blue else "blue"


def close(state: State) -> list[Fact]:
    """E3 More pips, then more dominoes, then the 6-6."""
    return [make_game_ended(state, "stalled")]


def outcome(state: State) -> Outcome | None:
    """How the match ended; the scores are the pips."""
    if state.result is None:
        return None
    winner, totals = state.result.winner, state.result.pips
    winners = tuple(seat for seat, name in enumerate(SEATS) if name == winner)
    places = tuple(1 if winner in (name, None) else 2 for name in SEATS)
    return Outcome(state.result.reason, winners, (totals.yellow, totals.blue), places)
