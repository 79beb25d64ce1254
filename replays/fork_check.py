"""A fork held to the match that it comes from: the same game there, and just those facts."""

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
"""The line of a fork's `created`."""
PINNED_FIELDS = ("game", "rules_version", "components", "options")
"""What a fork takes over as it is."""

AnyCreated = Created[Any, Any]


def check_fork(fork: Sequence[AnyEvent], parent: Sequence[AnyEvent]) -> Layer:
    """The layer `fork`: a fork's first event against the events of the match that it names."""
    parted = find_divergence(fork, parent)
    if parted is not None:
        return Layer("fork", "failed", parted.sentence, parted)
    created = fork[0]
    assert isinstance(created, Created), "parting sees to it"
    return Layer("fork", "ok", f"Its first {len(created.facts)} facts are those of the match that it comes from.")


def find_divergence(fork: Sequence[AnyEvent], parent: Sequence[AnyEvent]) -> Divergence | None:
    """Where a fork is not what its parent was; None when it is."""
    created, root = fork[0], parent[0]
    if not isinstance(created, Created) or created.fork is UNSET or not isinstance(root, Created):
        return fork_divergence("a fork and the match that it comes from", "something else", "This is not a fork.")
    named = created.fork
    if named.match != root.match:
        return fork_divergence(named.match, root.match, "The fork names another match.")
    if not 1 <= named.ply <= len(parent):
        return fork_divergence(f"a ply from 1 to {len(parent)}", named.ply, "The match has no such ply.")
    if named.head != parent[named.ply - 1].hash:
        return fork_divergence(parent[named.ply - 1].hash, named.head, "The event at that ply has another hash.")
    pinned = [(name, getattr(root, name), getattr(created, name)) for name in PINNED_FIELDS]
    wanted = fork_from(fold(parent[: named.ply]), named.luck)
    luck = [
        (f"fork.{name}", getattr(wanted, name), getattr(named, name)) for name in ("draws", "origin", "client_seeds")
    ]
    for name, expected, found in (*pinned, ("number of seats", len(root.seats), len(created.seats)), *luck):
        if expected != found:
            return fork_divergence(expected, found, f"The fork has another `{name}`.")
    if (parted := find_luck_divergence(created, root, named.luck)) is not None:
        return parted
    facts = tuple(fact for event in without_retracted(parent[: named.ply]) for fact in event.facts)
    if canonical_json(facts) == canonical_json(created.facts):
        return None
    difference = first_difference(facts, created.facts, "facts")
    where, expected, found = difference or ("facts", facts, created.facts)
    return fork_divergence(expected, found, f"The fork does not begin with the facts of its match: `{where}` differs.")


def find_luck_divergence(created: AnyCreated, root: AnyCreated, luck: str) -> Divergence | None:
    """With the same luck a fork has the seed of the match that it comes from, with new luck a seed of its own."""
    if luck == "new":
        if created.commitment != root.commitment:
            return None
        return fork_divergence(
            "another seed", created.commitment, "The fork says that it has new luck, and has the old seed."
        )
    for name in ("commitment", "given"):
        expected, found = getattr(root, name), getattr(created, name)
        if expected != found:
            return fork_divergence(
                expected, found, f"The fork says that it has the same luck, and has another `{name}`."
            )
    return None


def fork_divergence(expected: object, found: object, sentence: str) -> Divergence:
    """The divergence at a fork's first event."""
    return divergence_error(CREATED_LINE, "fork", expected, found, sentence, ply=1).divergence
