"""Tests many pairs of worlds directly on the rules: everything that a game shows a reader is the same in both.

The soak makes 100,000 pairs: PAIRS here, and 1,000 visits of the whole service in `test_two_worlds`, which compare a
few hundred answers each. CRUMBTRAIL_LEAK_PAIRS and CRUMBTRAIL_LEAK_WALKS set other numbers.
"""

import os
import secrets
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from tests.contract.mutants import leaves, mutated_moves
from tests.contract.test_secrets import answer
from tests.leaks.test_two_worlds import SECRETIVE, every_secretive_game, some_pairs
from tests.leaks.worlds import Pair, World

PAIRS = int(os.environ.get("CRUMBTRAIL_LEAK_PAIRS", "99000"))
EACH = 6
"""Number of second worlds of a match for each reader."""
LISTED = 120
"""Number of legal moves to compare."""
TRIED = 10
"""Number of invalid moves to try."""


def check(pair: Pair) -> None:
    """Check that the rules show the reader the same in both worlds, including the greedy bot's move."""
    one, other = (given_in(pair, world) for world in pair.worlds)
    assert one == other, f"{pair.game.slug} {pair.kind} {pair.match}, read by {pair.reader}"


def given_in(pair: Pair, world: World) -> list[Any]:
    """Return everything that the rules show the pair's reader in a world. (Views and facts of a pair are equal.)"""
    game, reader, state = pair.game, pair.reader, world.match.state
    view = game.view(state, reader)
    found = [game.text(view, reader), game.svg(view, reader), game.tell(world.facts_for(reader)), game.outcome(state)]
    if reader is None:
        return found
    legal = [canonical_json(move) for move in islice(game.legal_moves(state, reader), LISTED)]
    wrong = [answer(game, state, reader, document) for document in spoilt_moves(game, reader, legal)]
    if reader not in world.match.to_move:
        return [*found, legal, wrong]
    forms = canonical_json(game.grammar(view, reader)) if game.grammar else b""
    hint = game.greedy(view, reader, islice(game.legal_moves(state, reader), LISTED), Fast("hint"))
    return [*found, legal, wrong, forms, canonical_json(hint)]


def spoilt_moves(game: AnyGame, reader: int, legal: list[bytes]) -> Iterator[Any]:
    """Yield some invalid moves: mutations of the reader's legal moves or of a resignation."""
    plain = [msgspec.json.decode(raw) for raw in legal[:2] + legal[-1:]] or [{"type": "resign"}]
    words = sorted({leaf for one in plain for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
    yield from islice(
        (bad for one in plain for bad in mutated_moves(one, words, Fast(f"spoilt {reader}"), TRIED)), TRIED
    )


def check_many(game: AnyGame, wanted: int, start: int) -> None:
    """Compare at least this many pairs of a game, with all numbers of seats and both kinds, and print the count."""
    made = 0
    for number in count(start):
        for pair in some_pairs(game, number, "practice" if number % 4 == 3 else "people", EACH):
            check(pair)
            made += 1
        if made >= wanted:
            break
    print(f"two worlds in the rules, {game.slug}: {made} pairs, matches {start} to {number}")


@every_secretive_game
def test_the_rules_show_a_reader_the_same_in_both_worlds(game: AnyGame) -> None:
    check_many(game, 12, start=0)


@pytest.mark.soak
@pytest.mark.timeout(6 * 3600)
@every_secretive_game
def test_the_rules_show_a_reader_the_same_in_many_worlds(game: AnyGame) -> None:
    check_many(game, PAIRS // len(SECRETIVE), start=secrets.randbelow(2**40))
