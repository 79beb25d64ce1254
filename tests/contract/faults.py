"""Faults to plant in a game: common mistakes in rules, each as a `Game` that wraps the true one.

`plant_fault` puts a faulty game into the registry in place of the true one, so that everything that looks the game up,
above all the match, plays by the faulty rules. The product does not use this module.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace as altered

from domain.kernel import registry
from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Outcome, ScoreLine, ScoreSheet, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove
from tests.builders import random_agent, sit_down, step

WRONG_POINTS = 100
"""Points that the scoring fault adds."""
CHANCE, SECRETS = "draws nothing", "hides nothing"
"""Why a fault would have no effect in a game."""


@dataclass(frozen=True)
class Fault:
    """A mistake: a function that plants it, and what a game must lack for it to have no effect (`without`)."""

    name: str
    plant: Callable[[AnyGame], AnyGame]
    without: str | None = None


@contextmanager
def plant_fault(fault: Fault, game: AnyGame) -> Iterator[AnyGame]:
    """Replace the game in the registry by a faulty one until the block ends."""
    faulty = fault.plant(game)
    versions, key = registry._versions(), (game.slug, game.rules_version)
    versions[key] = faulty
    try:
        yield faulty
    finally:
        versions[key] = game


# -- chance -------------------------------------------------------------------------------------------------------


class TamperedChance(Chance):
    """A source that changes true draws: `draw` maps the bound and the true result to a result."""

    def __init__(self, true: Chance, draw: Callable[[int, int], int]) -> None:
        self._true, self._draw = true, draw
        self.used = true.used

    def use(self, purpose: str) -> Chance:
        return TamperedChance(self._true.use(purpose), self._draw)

    def below(self, n: int) -> int:
        return self._draw(n, self._true.below(n))


def with_draws(game: AnyGame, chance: Callable[[Chance], Chance], in_play: bool = True) -> AnyGame:
    """Return the game with a different source of chance at set-up and, if `in_play`, at moves."""

    def setup(seats: int, options: Any, true: Chance) -> Any:
        return game.setup(seats, options, chance(true))

    def decide(state: Any, seat: Seat, move: Any, true: Chance) -> Any:
        return game.decide(state, seat, move, chance(true) if in_play else true)

    return replace(game, setup=setup, decide=decide)


def ignoring_the_seed(game: AnyGame) -> AnyGame:
    """Return the game with the same luck in every match."""
    return with_draws(game, lambda true: Fast("the same for all"))


def seeding_global_random(game: AnyGame) -> AnyGame:
    """Return the game seeding the global generator once at set-up, and drawing from it afterwards."""

    def setup(seats: int, options: Any, true: Chance) -> Any:
        random.seed(true.use("random").below(2**32))
        return game.setup(seats, options, true)

    def decide(state: Any, seat: Seat, move: Any, true: Chance) -> Any:
        return game.decide(state, seat, move, TamperedChance(true, lambda n, _: random.randrange(n)))

    return replace(game, setup=setup, decide=decide)


def drawing_globally(game: AnyGame) -> AnyGame:
    """Return the game using the global generator at every move."""

    def decide(state: Any, seat: Seat, move: Any, true: Chance) -> Any:
        random.random()
        return game.decide(state, seat, move, TamperedChance(true, lambda n, _: random.randrange(n)))

    return replace(game, decide=decide)


def reading_the_clock(game: AnyGame) -> AnyGame:
    """Return the game with draws and the order of legal moves depending on the time of day."""

    def legal_moves(state: Any, seat: Seat) -> Iterator[Any]:
        return iter(Fast(time.time_ns()).shuffle(game.legal_moves(state, seat)))

    return replace(with_draws(game, lambda true: Fast(time.time_ns())), legal_moves=legal_moves)


def loading_the_dice(game: AnyGame) -> AnyGame:
    """Return the game with the highest result of every draw replaced by the lowest."""
    return with_draws(game, lambda true: TamperedChance(true, lambda n, drawn: 0 if drawn == n - 1 else drawn))


# -- knowledge ----------------------------------------------------------------------------------------------------


def showing_a_card(game: AnyGame) -> AnyGame:
    """Return the game with the next seat's view hidden in a corner of each seat's view."""
    leaky = msgspec.defstruct(
        "View", [("corner", Any, None)], bases=(game.view_type,), frozen=True, kw_only=True, tag=game.view_type.__name__
    )

    def view(state: Any, seat: Seat | None) -> Any:
        true = game.view(state, seat)
        if seat is None or not game.to_move(state):
            return true
        seats = next(count for count in game.seat_counts if seat < count)
        other = game.view(state, (seat + 1) % seats)
        shown = {name: getattr(true, name) for name in true.__struct_fields__}
        return leaky(**shown, corner=canonical_json(other).decode())

    return replace(game, view=view)


# -- moves --------------------------------------------------------------------------------------------------------


def masking_badly(game: AnyGame) -> AnyGame:
    """Return the game with an illegal move at the end of the list of legal moves."""
    others = some_moves(game)

    def legal_moves(state: Any, seat: Seat) -> Iterator[Any]:
        yield from game.legal_moves(state, seat)
        if seat in game.to_move(state):
            yield from islice((move for move in others if is_refused(game, state, seat, move)), 1)

    return replace(game, legal_moves=legal_moves)


def some_moves(game: AnyGame) -> list[Any]:
    """Return moves of some match."""
    table, chance = sit_down(game, seed="others"), Fast("others")
    while table.match.status == "playing" and len(table.events) < 60:
        step(table, chance, random_agent)
    moves = [event.move for event in table.events if event.move is not None]
    return list({canonical_json(move): move for move in moves}.values())


def is_refused(game: AnyGame, state: Any, seat: Seat, move: Any) -> bool:
    """Return whether the rules refuse a move."""
    try:
        game.decide(state, seat, move, Fast("refused"))
    except IllegalMove:
        return True
    return False


def ordering_by_hash(game: AnyGame) -> AnyGame:
    """Return the game with legal moves in the order of a set, which differs between processes."""

    def legal_moves(state: Any, seat: Seat) -> Iterator[Any]:
        return iter(sorted(game.legal_moves(state, seat), key=lambda move: hash(canonical_json(move).decode())))

    return replace(game, legal_moves=legal_moves)


def ordering_by_state(game: AnyGame) -> AnyGame:
    """Return the game with legal moves in a different order for every position, but repeatable."""

    def legal_moves(state: Any, seat: Seat) -> Iterator[Any]:
        return iter(Fast(canonical_json(game.view(state, seat))).shuffle(game.legal_moves(state, seat)))

    return replace(game, legal_moves=legal_moves)


def failing_the_second_time(game: AnyGame) -> AnyGame:
    """Return the game failing when the same seat repeats a move in the same position."""
    made: set[tuple[bytes, Seat, bytes]] = set()

    def decide(state: Any, seat: Seat, move: Any, chance: Chance) -> Any:
        asked = (canonical_json(state), seat, canonical_json(move))
        if asked in made:
            raise KeyError("made before")
        facts = game.decide(state, seat, move, chance)
        made.add(asked)
        return facts

    return replace(game, decide=decide)


# -- scores -------------------------------------------------------------------------------------------------------


def scoring_wrongly(game: AnyGame) -> AnyGame:
    """Return the game with a hundred extra points for the first seat, in the sheet and in the outcome."""

    def score(state: Any) -> ScoreSheet:
        sheet = game.score(state)
        extra = ScoreLine(seat=0, rule="bug", item="A bug", points=WRONG_POINTS)
        return altered(sheet, lines=(*sheet.lines, extra), totals=add_bonus(sheet.totals))

    def outcome(state: Any) -> Outcome | None:
        true = game.outcome(state)
        return true and altered(true, scores=add_bonus(true.scores))

    return replace(game, score=score, outcome=outcome)


def add_bonus(scores: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Return the scores with extra points for the first seat."""
    return ((scores[0] or 0) + WRONG_POINTS, *scores[1:])


def adding_up_wrongly(game: AnyGame) -> AnyGame:
    """Return the game with all seats in first place, but only one winner."""

    def outcome(state: Any) -> Outcome | None:
        true = game.outcome(state)
        return true and altered(true, places=(1,) * len(true.places), winners=true.winners[:1] or (0,))

    return replace(game, outcome=outcome)


FAULTS = (
    Fault("opponent's card in my view", showing_a_card, SECRETS),
    Fault("scoring bug", scoring_wrongly),
    Fault("mask that allows illegal moves", masking_badly),
    Fault("seed ignored", ignoring_the_seed, CHANCE),
    Fault("global random seeded at set-up", seeding_global_random),
    Fault("global random drawn in play", drawing_globally),
    Fault("wall clock", reading_the_clock),
    Fault("order of a hash", ordering_by_hash),
    Fault("outcome that does not add up", adding_up_wrongly),
    Fault("wrong chances", loading_the_dice, CHANCE),
    Fault("legal moves in no order", ordering_by_state),
    Fault("the same move fails a second time", failing_the_second_time),
)
"""The twelve faults, most of which other common test suites miss."""
