"""Checks the hash chain of a match's log without knowing its game.

Each event has the hash of the event before it (`prev`) and its own, `SHA-256(prev + canonical JSON of the event without
prev and hash)`. So a replaced, missing or additional event shows as a broken link.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from domain.kernel.hash_chain import GENESIS

Entries = Sequence[tuple[bytes, dict[bytes, bytes]]]
"""Entries of a log, as redis-py returns them: the id, and the fields."""


def find_damage(entries: Entries, first: int, announced: int | None) -> str:
    """Return what is wrong with the events from ply `first` to the end, as a sentence, or '' if nothing is.

    `announced` is the ply of the last event that the shard's feed announced for the match. The first of the entries is
    compared with its own hash only, unless it is the first event of the match.
    """
    prev: str | None = GENESIS if first == 1 else None
    for ply, (entry_id, fields) in enumerate(entries, first):
        if entry_id != b"%d-0" % ply:
            return f"Entry {entry_id.decode()} is in the place of event {ply}."
        event = _decode(fields.get(b"e", b""))
        if event is None:
            return f"Event {ply} can't be read."
        link, own = event.pop("prev", None), event.pop("hash", None)
        if link is None and own is None and prev in (None, GENESIS):
            continue  # an entry that was never part of a chain
        if prev is not None and link != prev:
            return f"Event {ply} doesn't continue event {ply - 1}: its link to it is wrong."
        if own != _hash(str(link), event):
            return f"The content of event {ply} has changed."
        prev = str(own)
    newest = first + len(entries) - 1
    if announced is not None and newest != announced:
        return f"The match has {newest} events, but the feed announced {announced}."
    return ""


def _decode(line: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else None


def _hash(prev: str, event: dict[str, Any]) -> str:
    return hashlib.sha256(prev.encode() + msgspec.json.encode(event, order="sorted")).hexdigest()
