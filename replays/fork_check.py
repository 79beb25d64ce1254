"""Check a fork against the match it comes from: the same game and exactly the same facts."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from domain.kernel.events import AnyEvent, Created, SeedRevealed, without_retracted
from domain.kernel.hash_chain import canonical_json
from domain.kernel.luck import seed_commitment
from domain.match.history import fold
from domain.match.luck import fork_from
from replays.difference import first_difference
from replays.report import Divergence, Layer, divergence_error
from replays.verify.case import seed_bytes

CREATED_LINE = 2
"""The line of the `created` event."""
PINNED_FIELDS = ("game", "rules_version", "options")
"""The fields that a fork copies from its parent. A fork continues a match whose component data has changed, so each of
the two has its own digest. The layer `components` checks it."""

LUCK_FIELDS = ("draws", "origin", "client_seeds", "commitment", "shares", "uses")
"""The fields of a fork that say which draws it continues."""

AnyCreated = Created[Any, Any]


def check_fork(fork: Sequence[AnyEvent], parent: Sequence[AnyEvent]) -> Layer:
    """Return the layer `fork`: the fork's first event checked against the events of its parent."""
    parted = find_divergence(fork, parent)
    if parted is not None:
        return Layer("fork", "failed", parted.sentence, parted)
    created = fork[0]
    assert isinstance(created, Created), "find_divergence ensures it"
    return Layer("fork", "ok", f"The first {len(created.facts)} facts are those of the match that the fork comes from.")


def find_divergence(fork: Sequence[AnyEvent], parent: Sequence[AnyEvent]) -> Divergence | None:
    """Return the first divergence of a fork from its parent, or None."""
    created, root = fork[0], parent[0]
    if not isinstance(created, Created) or created.fork is UNSET or not isinstance(root, Created):
        return fork_divergence("a fork and the match it comes from", "something else", "This is not a fork.")
    named = created.fork
    if named.match != root.match:
        return fork_divergence(named.match, root.match, "The fork comes from a different match.")
    if not 1 <= named.ply <= len(parent):
        return fork_divergence(f"a ply from 1 to {len(parent)}", named.ply, "The match has no such ply.")
    if named.head != parent[named.ply - 1].hash:
        return fork_divergence(parent[named.ply - 1].hash, named.head, "The event at that ply has a different hash.")
    pinned = [(name, getattr(root, name), getattr(created, name)) for name in PINNED_FIELDS]
    wanted = fork_from(fold(parent[: named.ply]), named.luck)
    luck = [(f"fork.{name}", getattr(wanted, name), getattr(named, name)) for name in LUCK_FIELDS]
    for name, expected, found in (*pinned, ("number of seats", len(root.seats), len(created.seats)), *luck):
        if expected != found:
            return fork_divergence(expected, found, f"The fork has a different `{name}`.")
    seeds = [event.seed for event in (*fork, *parent) if isinstance(event, SeedRevealed)]
    if (parted := find_luck_divergence(created, root, named.luck, seeds)) is not None:
        return parted
    facts = tuple(fact for event in without_retracted(parent[: named.ply]) for fact in event.facts)
    if canonical_json(facts) == canonical_json(created.facts):
        return None
    difference = first_difference(facts, created.facts, "facts")
    where, expected, found = difference or ("facts", facts, created.facts)
    return fork_divergence(expected, found, f"The fork does not start with the facts of its match: `{where}` differs.")


def find_luck_divergence(created: AnyCreated, root: AnyCreated, luck: str, seeds: list[str]) -> Divergence | None:
    """Return the divergence of a fork's seed, or None: same luck needs the parent's seed, new luck a new one.

    `seeds` are those that one of the matches has revealed.
    """
    if luck == "new":
        old = created.commitment == root.commitment or any(commits_both(created, root, seed) for seed in seeds)
        if not old:
            return None
        return fork_divergence("a different seed", created.commitment, "The fork claims new luck but has the old seed.")
    for name in ("commitment", "given"):
        expected, found = getattr(root, name), getattr(created, name)
        if expected != found:
            return fork_divergence(expected, found, f"The fork claims the same luck but has a different `{name}`.")
    return None


def commits_both(created: AnyCreated, root: AnyCreated, seed: str) -> bool:
    """Return whether fork and parent are both committed to this seed under luck protocol 2.

    Such commitments differ even if the seed is the same, because they contain the id of the match.
    """
    raw = seed_bytes(seed)
    return raw is not None and all(
        first.commitment == seed_commitment(match_with_luck_of(first), raw) for first in (created, root)
    )


def match_with_luck_of(created: AnyCreated) -> str:
    """Return the id of the match whose luck this match has."""
    if created.fork is UNSET or created.fork.luck == "new":
        return created.match
    return str(created.fork.origin)


def fork_divergence(expected: object, found: object, sentence: str) -> Divergence:
    """Return the divergence at a fork's first event."""
    wanted, shown = ("nothing" if value is UNSET else value for value in (expected, found))
    return divergence_error(CREATED_LINE, "fork", wanted, shown, sentence, ply=1).divergence
