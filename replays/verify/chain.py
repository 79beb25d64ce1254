"""The layer `chain`: plies, links and hashes."""

from domain.kernel.hash_chain import GENESIS, event_hash
from replays.report import Layer
from replays.verify.case import SEALED, Case, number


def check_chain(case: Case) -> list[Layer]:
    """Checks plies and links, and every hash where nothing of an event is hidden."""
    prev = GENESIS
    for ply, event in enumerate(case.each_event(), 1):
        case.require(event, "chain.ply", ply, event.ply, "An event is missing, doubled or out of its place.")
        case.require(event, "chain.prev", prev, event.prev, "The event does not follow the one before it.")
        if case.complete:
            expected = event_hash(event, prev)
            case.require(event, "chain.hash", expected, event.hash, "The event was changed after it was sealed.")
        prev = str(event.hash)
    if not case.complete:
        return [Layer("chain", "partly", f"{number(len(case.events), 'link')} hold; {SEALED}.")]
    return [Layer("chain", "ok", f"{len(case.events)} hashes computed again; the last is {prev[:16]}...")]
