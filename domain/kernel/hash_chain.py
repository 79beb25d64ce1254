"""Canonical JSON, salts and the hash chain of a match's log.

The hash of an event is `SHA-256(prev + canonical JSON of the entry without prev and hash)`, both hashes in lower-case
hex. The first `prev` is 64 zeros. Canonical JSON is RFC 8785: sorted keys, no white space, UTF-8. The salt keeps anyone
from guessing hidden parts of an event from its published hash. It is published together with the seed.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent

GENESIS = "0" * 64
"""The `prev` of the first event."""


def canonical_json(value: Any) -> bytes:
    """Return the value as RFC 8785 JSON. It must not contain fractions."""
    return msgspec.json.encode(value, order="sorted")


def event_hash(event: AnyEvent, prev: str) -> str:
    """Return the hash of an event; `prev` is the hash of the event before it."""
    return hashlib.sha256(prev.encode() + canonical_json(replace(event, prev=UNSET, hash=UNSET))).hexdigest()


def seal_events(events: Iterable[AnyEvent], prev: str, luck: Luck) -> list[AnyEvent]:
    """Return the events with their salts and chained hashes; `prev` is the hash of the event before the first."""
    sealed = []
    for event in events:
        salted = replace(event, salt=luck.salt(event.ply), prev=UNSET, hash=UNSET)
        hashed = hashlib.sha256(prev.encode() + canonical_json(salted)).hexdigest()
        sealed.append(replace(salted, prev=prev, hash=hashed))
        prev = hashed
    return sealed
