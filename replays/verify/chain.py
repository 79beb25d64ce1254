"""The layer `chain`: plies, links and hashes."""

from domain.kernel.hash_chain import GENESIS, event_hash
from replays.report import Layer
from replays.verify.case import SEALED, Case, number


def check_chain(case: Case) -> list[Layer]:
    """Check plies and links and, if nothing is hidden, every hash."""
    prev = GENESIS
    for ply, event in enumerate(case.each_event(), 1):
        case.require(event, "chain.ply", ply, event.ply, "An event is missing, duplicated or out of order.")
        case.require(event, "chain.prev", prev, event.prev, "The event does not link to the one before it.")
        if case.complete:
            expected = event_hash(event, prev)
            case.require(event, "chain.hash", expected, event.hash, "The event was changed after it was sealed.")
        prev = str(event.hash)
    if not case.complete:
        return [Layer("chain", "partly", f"{number(len(case.events), 'link')} checked; {SEALED}.")]
    return [Layer("chain", "ok", f"{len(case.events)} hashes recomputed; the last is {prev[:16]}...")]
