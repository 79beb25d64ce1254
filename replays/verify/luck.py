"""The layer `seed` under luck protocol 2: nobody chose the luck, and everyone who added a share is part of it.

Each function checks one rule `luck.*`, in the order of `docs/luck-protocol.md`. `luck_protocol` and `luck_table` check
the rules that need no seed; `luck.draws` is in the layer `draws`.
"""

from typing import Any

from msgspec import UNSET

from domain.kernel.events import Created, SeatTaken, SeedRevealed
from domain.kernel.luck import SHARE_DIGITS, is_share
from domain.match.clock import MAX_BANK_SECONDS
from domain.match.luck import draw_context, draw_seat_order, luck_terms
from domain.match.state import AnyMatch
from replays.file import kind_of
from replays.report import Layer
from replays.verify.case import Case
from replays.verify.luck_table import (
    Table,
    check_deadline,
    check_seals,
    check_shares,
    check_table_hashes,
    follow_table,
)


def check_luck(case: Case) -> list[Layer]:
    """Check everything about the luck of a match with protocol 2 except its draws."""
    check_level(case)
    check_commitment(case)
    table = follow_table(case)
    check_table_hashes(case, table)
    check_seals(case, table)
    check_shares(case, table)
    check_deadline(case, table)
    if case.secrets is None:
        return [
            Layer("seed", "partly", "The shares match their seals so far. The seed is revealed when the match is over.")
        ]
    check_seat_order(case, table)
    for ply, event in enumerate(case.each_event(), 1):
        salt = case.secrets.salt(ply)
        case.require(event, "luck.salt", salt, event.salt, "The salt does not come from the secret for salts.")
    given = " The seed was chosen openly, not drawn at random." if case.created.given else ""
    count = len(case.events)
    return [
        Layer(
            "seed", "ok", f"Seed and shares match their commitments, and {count} salts come from their secret.{given}"
        )
    ]


def check_level(case: Case) -> None:
    """Check that the level fits the match, and that shares and seals are where the level requires them."""
    created, rule = case.created, "luck.level"
    assert created.luck is not UNSET, "only protocol 2 has levels"
    terms, clock = created.luck, None if created.clock is UNSET else created.clock
    if created.rated is True and terms.level != "sealed":
        raise case.diverged(created, rule, "sealed", terms.level, "A rated match must be sealed.")
    sentence = "The level does not fit whether the seed was given."
    case.require(created, rule, created.given, terms.level == "given", sentence)
    if clock is not None and clock.seconds > MAX_BANK_SECONDS:
        most, sentence = f"at most {MAX_BANK_SECONDS} seconds", "The clock has more time than a match can have."
        raise case.diverged(created, rule, most, clock.seconds, sentence)
    wanted = luck_terms(terms.level, clock).opening_seconds
    case.require(created, rule, wanted, terms.opening_seconds, "The time for opening shares does not fit the clock.")
    for event in case.each_event():
        if isinstance(event, SeatTaken):
            gives = event.level is None and terms.level != "given" and not has_same_luck(created)
            check_contribution(case, event, terms.level if gives else None)


def has_same_luck(created: Created[Any, Any]) -> bool:
    """Return whether the match is a fork with the luck of another match."""
    return created.fork is not UNSET and created.fork.luck == "same"


def check_contribution(case: Case, event: SeatTaken[Any, Any], level: str | None) -> None:
    """Check that a seat has a share or seal only if the level requires one, and that it is well-formed."""
    for name, value, right_level, valid in (
        ("share", event.share, "open", is_share),
        ("seal", event.seal, "sealed", SHARE_DIGITS.match),
    ):
        if value is None or value is UNSET:
            continue
        if level != right_level:
            raise case.diverged(event, "luck.level", f"no {name}", value, f"Nobody may give a {name} here.")
        if not valid(value):
            wanted = "64 lower-case hexadecimal digits, not all 0"
            raise case.diverged(event, "luck.level", wanted, value, f"This is not a {name}.")


def check_commitment(case: Case) -> None:
    """Check the seed against the commitment, if it is revealed."""
    created, rule = case.created, "luck.commitment"
    if not SHARE_DIGITS.match(created.commitment):
        wanted = "64 lower-case hexadecimal digits"
        raise case.diverged(created, rule, wanted, created.commitment, "This is not a commitment.")
    if has_same_luck(created) and created.fork is not UNSET:
        sentence = "The fork's commitment differs from that of the match whose luck it has."
        case.require(created, rule, created.fork.commitment, created.commitment, sentence)
    if not case.complete:
        return
    revealed = next((event for event in case.events if isinstance(event, SeedRevealed)), None)
    if case.secrets is None:
        last = revealed or case.events[-1]
        found = revealed.seed if revealed else kind_of(last)
        raise case.diverged(last, rule, created.commitment, found, "The seed is not the one that was committed to.")


def check_seat_order(case: Case, table: Table) -> None:
    """Check the order of seats: a shuffle if the creator wanted one, otherwise none."""
    if table.started is None or case.secrets is None:
        return
    wanted = None
    if case.created.seating is not UNSET:
        before = full_match(case, table)
        wanted = list(draw_seat_order(case.secrets.chance(draw_context(before)), len(before.seats)))
    found = None if table.started.order is UNSET else list(table.started.order)
    case.require(table.started, "luck.seats", wanted, found, "The seed gives the players different seats.")


def full_match(case: Case, table: Table) -> AnyMatch:
    """Return the match just before its start, folded without the game."""
    assert table.started is not None, "the match has started"
    return case.lifecycle_after(case.events.index(table.started))
