"""The layer `seed`: the seed matches its commitment, and salts, shares and random seats fit it.

The checks here are those of luck protocol 1; `luck` has those of protocol 2.
"""

import hashlib

from msgspec import UNSET

from domain.kernel.chance import SEED_BYTES, Seed
from domain.kernel.events import AnyEvent, SeatTaken, SeedRevealed, Started
from domain.match.commands import NO_CLIENT_SEED
from domain.match.luck import draw_seat_order, seating_chance
from replays.file import kind_of
from replays.report import Layer
from replays.verify.case import Case, seed_bytes
from replays.verify.luck import check_luck
from replays.verify.luck_protocol import check_luck_protocol


def check_seed(case: Case) -> list[Layer]:
    """Check the client seeds and, if the seed is known, its commitment, the order of seats and the salts."""
    check_luck_protocol(case)
    if case.created.luck is not UNSET:
        return check_luck(case)
    check_client_seeds(case)
    if not case.complete:
        return [Layer("seed", "not_checked", "The seed is revealed when the match is over.")]
    last: AnyEvent = next((event for event in case.events if isinstance(event, SeedRevealed)), case.events[-1])
    if not isinstance(last, SeedRevealed) and case.known_secrets is None:
        raise case.diverged(last, "seed.revealed", "seed_revealed", kind_of(last), "The seed is not revealed.")
    raw = case.known_secrets if case.known_secrets is not None else seed_bytes(getattr(last, "seed", ""))
    if raw is None:
        wanted = f"1 to {2 * SEED_BYTES} bytes in lower-case hex"
        raise case.diverged(last, "seed.revealed", wanted, getattr(last, "seed", ""), "This is not a valid seed.")
    found, sentence = hashlib.sha256(raw).hexdigest(), "The seed is not the one that was committed to."
    case.require(last, "seed.commitment", case.created.commitment, found, sentence)
    seed = Seed(raw, given=case.created.given)
    check_seat_order(case, seed)
    for ply, event in enumerate(case.each_event(), 1):
        case.require(event, "seed.salt", seed.salt(ply), event.salt, "The salt does not come from the seed.")
    given = " The seed was chosen openly, not drawn at random." if case.created.given else ""
    return [Layer("seed", "ok", f"The seed matches its commitment, and {len(case.events)} salts come from it.{given}")]


def client_seeds(case: Case) -> list[str]:
    """Return the client seed of each seat, as its player sent it when taking the seat."""
    sent: dict[int | None, str] = dict.fromkeys(range(len(case.created.seats)), NO_CLIENT_SEED)
    sent |= {event.seat: str(event.client_seed) for event in case.events if isinstance(event, SeatTaken)}
    return list(sent.values())


def check_seat_order(case: Case, seed: Seed) -> None:
    """Check the order of seats against the seed if seats are assigned at random."""
    for event in case.each_event():
        if isinstance(event, Started) and event.order is not UNSET:
            sent = client_seeds(case)
            drawn = draw_seat_order(seating_chance(seed, case.created.match, sent), len(sent))
            case.require(event, "seed.seats", list(drawn), list(event.order), "The seed gives the players other seats.")


def check_client_seeds(case: Case) -> None:
    """Check that the start lists the client seeds that the players sent, in the final order of seats."""
    for event in case.each_event():
        if isinstance(event, Started):
            sent = client_seeds(case)
            order = range(len(sent)) if event.order is UNSET else event.order
            expected = [sent[seat] for seat in order if seat in range(len(sent))]
            sentence = "These are not the client seeds that the players sent."
            found = None if event.client_seeds is UNSET else list(event.client_seeds)
            case.require(event, "seed.clients", expected, found, sentence)
