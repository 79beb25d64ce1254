"""Forged replay files: events are changed, then the chain and the frame are recomputed.

Works on plain JSON with only the standard library, so it shares no code with the verifiers.
"""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

Entry = dict[str, Any]
Entries = list[Entry]


def load(raw: bytes) -> tuple[Entry, Entries, Entry]:
    """Return header, events and closing line of a file."""
    header, *events, closing = map(json.loads, raw.splitlines())
    return header, events, closing


def dump(header: Entry, events: Entries, closing: Entry) -> bytes:
    """Return the file of these parts, in canonical form."""
    return b"".join(canonical(line) + b"\n" for line in (header, *events, closing))


def canonical(value: Any) -> bytes:
    """Return a value in canonical form (RFC 8785), for the values in our files."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def rechain(events: Entries) -> Entries:
    """Return the events with new links and hashes and the same salts."""
    prev, linked = "0" * 64, []
    for event in events:
        bare = {key: value for key, value in event.items() if key not in ("prev", "hash")}
        digest = hashlib.sha256(prev.encode() + canonical(bare)).hexdigest()
        linked.append({**bare, "prev": prev, "hash": digest})
        prev = digest
    return linked


def reseal(events: Entries) -> Entries:
    """Return the events with new numbers, counters, salts and chain, as anyone who knows the seed can make them."""
    revealed: Entry = next((event for event in reversed(events) if "seed" in event), {})
    secret, label = bytes.fromhex(revealed.get("seed", "")), "salt/v1"
    if "luck" in events[0]:
        secret, label = bytes.fromhex(revealed.get("salts", "")), "salt/2"
    draws = facts = 0
    for ply, event in enumerate(events, 1):
        salt = hmac.new(secret, f"{label}|{ply}".encode(), hashlib.sha256).hexdigest()
        event.update(ply=ply, salt=salt, first_fact=facts)
        if event["draw"] is not None:
            event["draw"], draws = draws, draws + 1
        facts += len(event["facts"])
    return rechain(events)


def forge_replay(
    raw: bytes, change: Callable[[Entries], Any], *, seal: Callable[[Entries], Entries] = rechain
) -> bytes:
    """Return the file after a change of its events, with chain and frame recomputed."""
    _, events, closing = load(raw)
    events = seal(change(events) or events)
    ended = [event["outcome"] for event in events if event["kind"] == "ended" or event.get("ruling") == "result_of"]
    header = header_of(events)
    closing |= {"head": events[-1]["hash"], "result": ended[-1] if ended else None}
    return dump(header, events, closing)


def header_of(events: Entries) -> Entry:
    """Return the header for these events."""
    created: Entry = next((event for event in events if event["kind"] == "created"), {})
    seeds = [event["seed"] for event in events if event["kind"] == "seed_revealed"]
    seats: list[Any] = [None] * len(created.get("seats", []))
    for event in events:
        over = event["kind"] == "expired" and event.get("consequence") == "bot_takes_over"
        if (over or event["kind"] in ("seat_taken", "seat_left", "handed_over")) and event["seat"] in range(len(seats)):
            level = event.get("level") and f"bot:{event['level']}"
            seats[event["seat"]] = event.get("player") or level
        if event["kind"] == "started" and "order" in event:
            seats = [seats[seat] for seat in event["order"]]
    pinned = ("match", "game", "rules_version", "options", "components", "commitment")
    return {name: created.get(name) for name in pinned} | {
        "crumbtrail": "replay/v3" if "luck" in created else "replay/v2",
        "events": len(events),
        "complete": bool(seeds),
        "seats": seats,
        "seed": seeds[0] if seeds else None,
    }


def of_kind(events: Entries, kind: str) -> Entries:
    """Return the events of a kind."""
    return [event for event in events if event["kind"] == kind]


def facts_of(events: Entries, kind: str) -> list[Entry]:
    """Return all facts of a kind."""
    return [fact for event in events for fact in event["facts"] if fact["type"] == kind]
