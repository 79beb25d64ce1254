"""Check a fork against the match it comes from: the same game and exactly the same facts."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from domain.kernel.events import AnyEvent, Created, without_retracted
from domain.kernel.hash_chain import canonical_json
from domain.match.history import fold
from domain.match.luck import fork_from
from replays.difference import first_difference
from replays.report import Divergence, Layer, divergence_error

CREATED_LINE = 2
"""The line of the `created` event."""
PINNED_FIELDS = ("game", "rules_version", "components", "options")
"""The fields that a fork copies from its parent."""

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
    luck = [
        (f"fork.{name}", getattr(wanted, name), getattr(named, name)) for name in ("draws", "origin", "client_seeds")
    ]
    for name, expected, found in (*pinned, ("number of seats", len(root.seats), len(created.seats)), *luck):
        if expected != found:
            return fork_divergence(expected, found, f"The fork has a different `{name}`.")
    if (parted := find_luck_divergence(created, root, named.luck)) is not None:
        return parted
    facts = tuple(fact for event in without_retracted(parent[: named.ply]) for fact in event.facts)
    if canonical_json(facts) == canonical_json(created.facts):
        return None
    difference = first_difference(facts, created.facts, "facts")
    where, expected, found = difference or ("facts", facts, created.facts)
    return fork_divergence(expected, found, f"The fork does not start with the facts of its match: `{where}` differs.")


def find_luck_divergence(created: AnyCreated, root: AnyCreated, luck: str) -> Divergence | None:
    """Return the divergence of a fork's seed, or None: same luck needs the parent's seed, new luck a new one."""
    if luck == "new":
        if created.commitment != root.commitment:
            return None
        return fork_divergence("a different seed", created.commitment, "The fork claims new luck but has the old seed.")
    for name in ("commitment", "given"):
        expected, found = getattr(root, name), getattr(created, name)
        if expected != found:
            return fork_divergence(expected, found, f"The fork claims the same luck but has a different `{name}`.")
    return None


def fork_divergence(expected: object, found: object, sentence: str) -> Divergence:
    """Return the divergence at a fork's first event."""
    return divergence_error(CREATED_LINE, "fork", expected, found, sentence, ply=1).divergence
