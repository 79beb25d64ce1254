"""The attacks on luck protocol 1 that protocol 2 prevents, for comparison. They win 12 of 12 matches.

Every verifier accepts these matches, because a chosen seed looks like any other.
"""

from collections.abc import Iterable
from hashlib import sha256

import pytest

from domain.kernel.chance import Luck, Seed
from domain.kernel.registry import find_game
from domain.match.commands import Create, SeatSpec
from domain.match.lobby import create_under_rules
from replays.verify import verify
from tests.builders import EPOCH, Table, replay_file
from tests.luck.operators import TRIES, own_luck, play_to_the_end

OLD_MICE = find_game("mice_cake", 1)
MATCHES = 12


def old_match(match: str, luck: Luck, client_seeds: tuple[str, str]) -> Table:
    """Return a match with protocol 1 that has just started."""
    seats = tuple(
        SeatSpec("human", player=player, client_seed=seed)
        for player, seed in zip(("guest", "ally"), client_seeds, strict=True)
    )
    command = Create(match=match, game=OLD_MICE.slug, creator="guest", options={}, seats=seats)
    events, made = create_under_rules(OLD_MICE, command, EPOCH, luck)
    return Table(luck, made, events)


def numbered_seed(match: str, number: int) -> Luck:
    """Return a seed of protocol 1."""
    return Seed(sha256(f"{match} {number}".encode()).digest())


def wins_some(tables: Iterable[Table]) -> bool:
    """Return whether the favourite wins one of these matches. Its file must verify."""
    for table in tables:
        if play_to_the_end(table, own_luck):
            return verify(replay_file(table.events)).ok
    return False


@pytest.mark.slow
def test_a_service_that_sees_the_share_before_it_draws_its_seed_wins_every_match() -> None:
    won = 0
    for match in (f"redrawn{n}" for n in range(MATCHES)):
        tried = (old_match(match, numbered_seed(match, n), ("guest's words", "none")) for n in range(TRIES))
        won += wins_some(tried)
    assert won == MATCHES


@pytest.mark.slow
def test_a_last_player_who_knows_the_seed_wins_every_match() -> None:
    won = 0
    for match in (f"picked{n}" for n in range(MATCHES)):
        luck = numbered_seed(match, 0)
        won += wins_some(old_match(match, luck, ("guest's words", f"ally's words {n}")) for n in range(TRIES))
    assert won == MATCHES
