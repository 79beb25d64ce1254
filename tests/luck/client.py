"""An honest player's program, written from the specification alone (docs/luck-protocol.md, "What a client must do").

It knows the service only from its answers, and shares no code with it apart from the verifier that comes with every
download. Whatever the service does, the program makes one share for each match, opens it for one table only, and
records every broken promise in `complaints`.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from replays.standalone_verify import verify

T = TypeVar("T")
Entry = dict[str, Any]
ATTEMPTS = 5


class Refused(Exception):
    """The service refused a request for good. The message is the code."""


class Unavailable(Exception):
    """The service answered 503. The request may be repeated."""


class ServiceLike(Protocol):
    """The requests of the specification, as Python calls. Answers are JSON."""

    def show(self, match: str) -> Entry:
        """Answer `GET /matches/{id}`."""

    def sit(self, match: str, seat: int, player: str, body: Entry) -> None:
        """Answer `POST /matches/{id}/seats/{n}`."""

    def events(self, match: str) -> list[Entry]:
        """Return the events that the player may see."""

    def open(self, match: str, player: str, body: Entry) -> None:
        """Answer `POST /matches/{id}/share`."""


def sha256(text: str) -> str:
    """Return the SHA-256 of text in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def repeat(send: Callable[[], T]) -> T:
    """Repeat a request while the service is unavailable."""
    for _ in range(ATTEMPTS - 1):
        try:
            return send()
        except Unavailable:
            continue
    return send()


@dataclass
class Kept:
    """What a client stores for one match before it sends anything."""

    commitment: str
    share: str
    seat: int | None = None
    seal: str | None = None
    table: str | None = None


@dataclass
class HonestClient:
    """The program of one player."""

    player: str
    kept: dict[str, Kept] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def require(self, holds: bool, complaint: str) -> None:
        """Complain and stop unless a condition is true."""
        if not holds:
            self.complaints.append(complaint)
            raise Refused(complaint)

    def sit(self, service: ServiceLike, match: str, seats: list[int]) -> None:
        """Sit down at the first of these seats that is free. Raise Refused."""
        shown = repeat(lambda: service.show(match))["luck"]
        new_share = sha256(f"share of {self.player} for {match}")  # stands for 32 random bytes
        kept = self.kept.setdefault(match, Kept(shown["commitment"], new_share))  # duties 1 and 2
        self.require(shown["commitment"] == kept.commitment, "commitment")
        for seat in seats:
            body = {"commitment": kept.commitment, "share": kept.share}
            if shown["level"] == "sealed":
                seal = sha256(f"crumbtrail/share/2|{match}|{seat}|{kept.commitment}|{kept.share}")
                body = {"commitment": kept.commitment, "seal": seal}
            try:
                repeat(lambda seat=seat, body=body: service.sit(match, seat, self.player, body))  # type: ignore[misc]
            except Refused:
                continue
            kept.seat, kept.seal = seat, body.get("seal")
            return
        raise Refused("no seat")

    def table(self, match: str, events: list[Entry]) -> str:
        """Return the hash of the full table that these events show. Raise Refused if it is not the one we sat at."""
        kept, seals = self.kept[match], dict[int, str | None]()
        for event in events:
            if event["kind"] == "seat_taken":
                seals[event["seat"]] = event["seal"]
            elif event["kind"] == "seat_left":
                del seals[event["seat"]]
        self.require(events[0]["commitment"] == kept.commitment, "commitment")
        self.require(len(seals) == len(events[0]["seats"]), "not full")
        self.require(kept.seat is not None and seals[kept.seat] == kept.seal, "seal")
        in_order = ",".join(seals[seat] or "-" for seat in sorted(seals))
        return sha256(f"crumbtrail/table/2|{match}|{kept.commitment}|{in_order}")

    def open(self, service: ServiceLike, match: str) -> None:
        """Open our share for the table shown now, and never for a different one (duties 3 and 4). Raise Refused."""
        kept = self.kept[match]
        table = self.table(match, repeat(lambda: service.events(match)))
        kept.table = kept.table or table
        self.require(table == kept.table, "table")
        repeat(lambda: service.open(match, self.player, {"table": table, "share": kept.share}))

    def check(self, match: str, raw: bytes) -> list[str]:
        """Return what is wrong with the file of the match at its end (duty 5)."""
        kept, (_, *events, _) = self.kept[match], map(json.loads, raw.splitlines())
        mine = [event for event in events if event["seat"] == kept.seat]
        taken = [event for event in mine if event["kind"] == "seat_taken" and event["player"] == self.player][-1:]
        opened = [event for event in mine if event["kind"] == "share_opened"]
        found = [started["shares"][kept.seat] for started in events if started["kind"] == "started"]
        wrong = {
            "commitment": events[0]["commitment"] != kept.commitment,
            "seal": not taken or taken[0]["seal"] != kept.seal,
            "share": any(share != kept.share for share in found),
            "table": any(event["table"] != kept.table for event in opened),
            "not accepted": kept.table is not None and not opened,
            "file": verify(raw)[1] is not None,
        }
        self.complaints += [name for name, is_wrong in wrong.items() if is_wrong]
        return self.complaints
