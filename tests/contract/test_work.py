"""What a game does for a seat, as work: two positions that the seat can't tell apart cost it the same.

Otherwise the response time would reveal what the others hide. `test_secrets.py` compares the answers as bytes. Here
we count what happens inside: calls of Python and built-in functions, including draws and folded facts.

We compare everything that the service computes from the true state: the view and the facts, from which it makes the
world for a dry run (`service.matches.seat_worlds`), legal moves, and the first refused move of a seat.
`tests/luck/test_refused_moves.py` does the same with the whole service.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove
from tests.builders import LOOKED_AT
from tests.contract.cases import every_table, moves_made
from tests.contract.mutants import leaves, mutated_moves
from tests.contract.test_secrets import LOOKS, TWINS, World, other_moves, other_set_ups, secretive, seen
from tests.contract.work import difference, work_of

PAIRS = 48
"""How many pairs of worlds to compare for each table and seat, at most."""
REFUSED = 12
"""How many kinds of wrong moves are tried in each pair."""


# -- what a seat can ask for ------------------------------------------------------------------------------------------


def requests(game: AnyGame, seats: int, world: World, seat: Seat, wrong: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what the service computes from the true state at the request of a seat."""
    state, facts = world
    yield "view", lambda: game.view(state, seat)
    yield "facts", lambda: seen(game, state, facts, seat)
    yield "to move", lambda: sorted(game.to_move(state))
    yield "legal moves", lambda: list(islice(game.legal_moves(state, seat), LOOKED_AT))
    for document in wrong:
        yield f"refusal of {document}", lambda document=document: refusal(game, state, seat, document)


def refusal(game: AnyGame, state: Any, seat: Seat, document: Any) -> Any:
    """Return None for a move that is legal. Raises IllegalMove."""
    move = game.read_move(document)
    game.decide(state, seat, move, Fast("refusal"))
    return None


def wrong_moves(game: AnyGame, state: Any, seat: Seat) -> list[Any]:
    """Return moves that are refused in this position: moves from other moments, and legal moves with a change."""
    legal = [msgspec.to_builtins(move) for move in islice(game.legal_moves(state, seat), 6)]
    chance = Fast("wrong moves")
    words = sorted({leaf for one in legal for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
    tried = chance.shuffle(moves_made(game))[: 2 * REFUSED]
    tried += [bad for one in legal for bad in mutated_moves(one, words, chance, 4)]
    return [document for document in tried if is_refused(game, state, seat, document)][:REFUSED]


def is_refused(game: AnyGame, state: Any, seat: Seat, document: Any) -> bool:
    """Return whether the rules refuse a well-formed move."""
    try:
        refusal(game, state, seat, document)
    except IllegalMove as error:
        return error.code != "bad_move"
    return False


# -- two worlds -------------------------------------------------------------------------------------------------------


def pairs(game: AnyGame, seats: int) -> Iterator[tuple[World, World, Seat]]:
    """Yield two worlds with a seat that can't tell them apart, and from which something is hidden."""
    counts: Counter[Seat] = Counter()
    for one, other in (*other_moves(game, seats, LOOKS), *other_set_ups(game, seats, TWINS)):
        if canonical_json(one[0]) == canonical_json(other[0]):
            continue
        for seat in range(seats):
            views = [canonical_json([game.view(state, seat), seen(game, state, facts, seat)])
                     for state, facts in (one, other)]  # fmt: skip
            if views[0] == views[1] and counts[seat] < PAIRS:
                counts[seat] += 1
                yield one, other, seat


def unequal_requests(game: AnyGame, seats: int) -> list[str]:
    """Return the requests that cost a seat more in one of two worlds than in the other."""
    found = set()
    for one, other, seat in pairs(game, seats):
        wrong = wrong_moves(game, one[0], seat)
        for (name, mine), (_, theirs) in zip(
            requests(game, seats, one, seat, wrong), requests(game, seats, other, seat, wrong), strict=True
        ):
            if differs := difference(work_of(mine), work_of(theirs)):
                found.add(f"{name}: {differs}")
    return sorted(found)


@pytest.mark.slow
@every_table
def test_a_request_costs_the_same_in_worlds_that_look_the_same(game: AnyGame, seats: int) -> None:
    assert unequal_requests(game, seats) == []


# -- planted differences ----------------------------------------------------------------------------------------------


def curious(game: AnyGame, state: Any) -> None:
    """Do work that depends on the whole state."""
    for _ in range(number_from(state)):
        game.to_move(state)


def number_from(state: Any) -> int:
    """Return a small number that depends on the whole state, and on its order."""
    return Fast(canonical_json(state)).below(7)


def slow_to_refuse(game: AnyGame) -> AnyGame:
    """Return the game with refusals that take a while."""

    def decide(state: Any, seat: Seat, move: Any, chance: Chance) -> Any:
        try:
            return game.decide(state, seat, move, chance)
        except IllegalMove:
            curious(game, state)
            raise

    return replace(game, decide=decide)


def slow_to_list(game: AnyGame) -> AnyGame:
    """Return the game with a list of legal moves that takes a while."""

    def legal_moves(state: Any, seat: Seat) -> Iterator[Any]:
        curious(game, state)
        return game.legal_moves(state, seat)

    return replace(game, legal_moves=legal_moves)


def drawing(game: AnyGame) -> AnyGame:
    """Return the game with refusals that come after a number of draws."""

    def decide(state: Any, seat: Seat, move: Any, chance: Chance) -> Any:
        for _ in range(number_from(state)):
            chance.use("dice/0").die()
        return game.decide(state, seat, move, chance)

    return replace(game, decide=decide)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [slow_to_refuse, slow_to_list, drawing])
def test_work_that_depends_on_what_is_hidden_is_found(fault: Callable[[AnyGame], AnyGame]) -> None:
    game, seats = secretive()
    assert unequal_requests(fault(game), seats)
