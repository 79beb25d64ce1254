"""The pure core: tic-tac-toe next to its floor and other engines, and random matches of every game."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from time import process_time

import msgspec

from bench.lines import hottest
from bench.measure import Row, at_least, in_turns, per_second, ratio
from bench.processes import Unavailable, peer
from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games

LEAST = {"PettingZoo": 20.0, "OpenSpiel Python": 8.0, "OpenSpiel C++": 0.4}
"""The required speed of the engine's public API as a multiple of each peer's."""

choice = random.Random(7).choice


def rows() -> Iterator[Row]:
    """Yield one row per figure."""
    yield from tic_tac_toe_rows()
    for game in games().values():
        yield from game_rows(game)


# -- tic-tac-toe, its floor and its peers -------------------------------------------------------------------------


def tic_tac_toe_rows() -> Iterator[Row]:
    """Return moves per second of random matches: choose among the legal moves, decide, fold. Candidates take turns."""
    candidates: dict[str, Callable[[], float]] = {
        "floor": lambda: per_second(floor_match),
        "ours": lambda: per_second(tic_tac_toe_match),
    }
    with ExitStack() as stack:
        missing = ""
        try:
            candidates |= stack.enter_context(peer("engines.py"))
        except Unavailable as error:
            missing = str(error)
        figures = in_turns(candidates)
    ours = figures["ours"]
    yield Row("tic-tac-toe by the public API, moves", ours, "/s")
    yield Row("tic-tac-toe, plain facts floor, moves", figures["floor"], "/s")
    yield Row("tic-tac-toe, public API : plain facts floor", ratio(ours, figures["floor"]), target=at_least(0.8))
    for name, least in LEAST.items():
        if name not in figures:
            yield Row(f"tic-tac-toe, public API : {name}", target=at_least(least), missing=missing)
            continue
        yield Row(f"tic-tac-toe in {name}, moves", figures[name], "/s")
        yield Row(f"tic-tac-toe, public API : {name}", ratio(ours, figures[name]), target=at_least(least))


TIC_TAC_TOE = find_game("tic_tac_toe")
to_move, legal_moves = TIC_TAC_TOE.to_move, TIC_TAC_TOE.legal_moves
decide, evolve = TIC_TAC_TOE.decide, TIC_TAC_TOE.evolve
NO_CHANCE = Fast(0)
START = TIC_TAC_TOE.fold(TIC_TAC_TOE.start(2, {}, NO_CHANCE))


def tic_tac_toe_match() -> int:
    """Play a random match with the engine's public API and return the number of moves."""
    state, moves = START, 0
    while owed := to_move(state):
        (seat,) = owed
        for fact in decide(state, seat, choice(list(legal_moves(state, seat))), NO_CHANCE):
            state = evolve(state, fact)
        moves += 1
    return moves


class Marked(msgspec.Struct, frozen=True):
    """The floor's only fact."""

    seat: int
    cell: int


class Board(msgspec.Struct, frozen=True):
    """The floor's state."""

    cells: tuple[int | None, ...] = (None,) * 9
    seat: int = 0
    left: int = 9
    winner: int | None = None


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
THROUGH = tuple(tuple(line for line in LINES if cell in line) for cell in range(9))
EMPTY = Board()


def floor_match() -> int:
    """Play a random match with plain facts: no contract, no moves as data, no end as a fact, seats in turn."""
    board, moves = EMPTY, 0
    while board.winner is None and board.left:
        cells = board.cells
        for fact in floor_decide(board, board.seat, choice([cell for cell in range(9) if cells[cell] is None])):
            board = floor_evolve(board, fact)
        moves += 1
    return moves


def floor_decide(board: Board, seat: int, cell: int) -> tuple[Marked, ...]:
    """Return the fact of a move."""
    if seat != board.seat or board.winner is not None:
        raise ValueError("not your turn")
    if board.cells[cell] is not None:
        raise ValueError("taken")
    return (Marked(seat, cell),)


def floor_evolve(board: Board, fact: Marked) -> Board:
    """Return the board after a fact."""
    seat, cell = fact.seat, fact.cell
    cells = board.cells[:cell] + (seat,) + board.cells[cell + 1 :]  # noqa: RUF005 -- the fastest way
    for line in THROUGH[cell]:
        for other in line:
            if cells[other] != seat:
                break
        else:
            return Board(cells, 1 - seat, board.left - 1, seat)
    return Board(cells, 1 - seat, board.left - 1)


# -- every game ---------------------------------------------------------------------------------------------------


def game_rows(game: AnyGame) -> Iterator[Row]:
    """Yield steps and matches per second of one game, and the longest time of a single step."""
    seats = min(game.seat_counts)
    counter = iter(range(10**9))

    def steps(most: int | None = None) -> int:
        return random_match(game, seats, next(counter), most)[0]

    def one_match() -> int:
        steps()
        return 1

    figures = in_turns(
        {
            "steps": lambda: per_second(steps),
            "few": lambda: per_second(lambda: steps(FEW)),
            "matches": lambda: per_second(one_match),
        }
    )
    slowest, widest = extremes(game, seats)
    yield Row(f"{game.slug}: all legal moves, decide, evolve", figures["steps"], "steps/s")
    yield Row(f"{game.slug}: the first {FEW} legal moves, decide, evolve", figures["few"], "steps/s")
    yield Row(f"{game.slug}: whole random matches", figures["matches"], "/s")
    yield Row(f"{game.slug}: slowest step", [slowest], "ms")
    yield Row(f"{game.slug}: slowest legal_moves", [widest], "ms")
    for place, (line, share) in enumerate(hottest(lambda: steps(FEW)), 1):
        yield Row(f"{game.slug}: line {place} by time, {line}", [share * 100], "%")


FEW = 30
"""The number of legal moves considered where the number of moves in a game must not matter."""


def random_match(game: AnyGame, seats: int, seed: int, most: int | None = None) -> tuple[int, float, float]:
    """Play a random match. Return its steps, and its slowest step and list of moves in ms of processor time.

    A seat chooses among its first `most` moves, or among all of them without `most`.
    """
    chance = Fast(seed)
    state = game.fold(game.start(seats, {}, chance))
    steps, slowest, widest = 1, 0.0, 0.0
    while owed := game.to_move(state):
        seat = min(owed)
        begun = process_time()
        legal = list(islice(game.legal_moves(state, seat), most))
        listed = process_time()
        state = game.fold(game.decide(state, seat, chance.pick(legal), chance), state)
        done = process_time()
        steps, slowest, widest = steps + 1, max(slowest, done - listed), max(widest, listed - begun)
    return steps, slowest * 1000, widest * 1000


def extremes(game: AnyGame, seats: int, matches: int = 20) -> tuple[float, float]:
    """Return the slowest step and list of legal moves (ms) of some random matches, each the faster of two runs."""
    both = zip(
        (random_match(game, seats, n) for n in range(matches)),
        (random_match(game, seats, n) for n in range(matches)),
        strict=True,
    )
    quiet = [(min(a[1], b[1]), min(a[2], b[2])) for a, b in both]
    return max(step for step, _ in quiet), max(listing for _, listing in quiet)
