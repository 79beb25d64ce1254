"""A hidden choice can't be guessed from its published hash, even by someone who knows the seed of the match.

In a fork with the same luck or a match with a given seed, an attacker who knows the seed tries every legal move against
the hash of the running match's newest event. Under protocol 2 none fits, because the secret for salts doesn't depend on
the seed. Under protocol 1 the attack succeeds; pages of such matches say so.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.chance import Fast, Luck, Seed
from domain.kernel.events import Moved
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json, event_hash
from domain.kernel.registry import all_versions
from domain.match.luck import next_chance, uses_of
from domain.match.state import AnyMatch
from replays.redaction import redact_event
from tests.builders import Table, fork_table, play_on, seed_of, sit_down, step

TRIED = 20_000
"""More moves than any position here has."""
versions_that_hide = pytest.mark.parametrize(
    "game",
    [game for game in all_versions() if game.slug in ("mice_cake", "pie_contest")],
    ids=lambda game: f"{game.slug}-{game.rules_version}",
)
pytestmark = pytest.mark.slow


def running_fork(game: AnyGame) -> Table:
    """Return a running fork with the same luck. Its seed is known from the finished match."""
    parent = sit_down(game, seed="parent")
    ply = parent.match.ply
    play_on(parent, Fast("parent"))
    return fork_table(parent, ply, "same")


def practice(game: AnyGame) -> Table:
    """Return a running match with a given seed."""
    return sit_down(game, seed="given", given=True)


every_match = pytest.mark.parametrize("start", [running_fork, practice])


def hidden_move(table: Table) -> tuple[AnyMatch, Moved[Any, Any]]:
    """Play until a move hides something. Return the match before it, and its event."""
    chance = Fast("hidden")
    while True:
        then, (moved, *_) = table.match, step(table, chance)
        assert table.match.status == "playing"
        assert isinstance(moved, Moved)
        shown = redact_event(moved, table.match, None)
        if canonical_json(shown.facts) != canonical_json(moved.facts):
            return then, moved


def guesses(then: AnyMatch, published: Moved[Any, Any], luck: Luck, salts: Iterable[str]) -> Iterator[Any]:
    """Yield the moves whose event would have the published hash, for someone who knows the draws and these salts."""
    assert isinstance(published.prev, str)
    for move in islice(then.rules.legal_moves(then.state, published.seat), TRIED):
        chance = next_chance(then, luck)
        facts = tuple(then.rules.decide(then.state, published.seat, move, chance))
        for salt in salts:
            event = replace(published, move=move, facts=facts, draws=uses_of(chance), salt=salt)
            if event_hash(event, published.prev) == published.hash:
                yield move


def known_salts(seed: bytes, other_salts: bytes, ply: int) -> list[str]:
    """Return all salts that someone who knows the seed and the salts of other matches can compute."""
    secrets = [seed, other_salts, bytes(32), hashlib.sha256(seed).digest()]
    texts = [f"salt/2|{ply}", f"salt/v1|{ply}"]
    return [hmac.digest(secret, text.encode(), "sha256").hex() for secret in secrets for text in texts]


def seed_and_other_salts(table: Table) -> tuple[bytes, bytes]:
    """Return what the attacker knows: the seed, and the revealed salts of the parent (of any match, without one)."""
    seed = bytes.fromhex(table.luck.reveal().seed)
    is_fork = table.match.fork is not None
    return seed, hashlib.sha256(b"salts" + seed).digest() if is_fork else seed_of("salts of another match")


@every_match
@versions_that_hide
def test_a_hidden_choice_is_guessed_exactly_under_protocol_1(game: AnyGame, start: Any) -> None:
    table = start(game)
    then, moved = hidden_move(table)
    salts = known_salts(*seed_and_other_salts(table), moved.ply)
    found = list(guesses(then, moved, table.luck, salts))
    assert found == ([moved.move] if isinstance(table.luck, Seed) else [])


@every_match
@versions_that_hide
def test_with_the_true_salt_the_attack_finds_the_move(game: AnyGame, start: Any) -> None:
    """The attack works if the salt is known. Otherwise the test above would prove nothing for protocol 2."""
    then, moved = hidden_move(table := start(game))
    assert moved.salt is not None
    assert list(guesses(then, moved, table.luck, [moved.salt])) == [moved.move]


@every_match
@versions_that_hide
def test_a_reader_of_the_running_match_gets_neither_move_nor_salt(game: AnyGame, start: Any) -> None:
    table = start(game)
    _, moved = hidden_move(table)
    for reader in (None, 1 - moved.seat):
        shown = redact_event(moved, table.match, reader)
        assert (shown.move, shown.salt, shown.hash) == (None, None, moved.hash)
        assert not getattr(shown, "draws", None)


@versions_that_hide
def test_salts_of_a_fork_are_not_those_of_its_origin(game: AnyGame) -> None:
    parent = sit_down(game, seed="parent")
    ply = parent.match.ply
    play_on(parent, Fast("parent"))
    salts = [{event.salt for event in fork_table(parent, ply, "same", name).events} for name in ("m0one", "m0two")]
    of_parent = {event.salt for event in parent.events}
    if not isinstance(parent.luck, Seed):
        assert not salts[0] & salts[1]
        assert not of_parent & (salts[0] | salts[1])
