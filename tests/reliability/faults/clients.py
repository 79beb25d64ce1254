"""HTTP players that retry unanswered requests with the same key, and record all answers.

In most matches they contribute to the luck: they sit down with a share or its seal, and open it once the table is full.
One of them is careless and often doesn't open. Some matches are under rules version 1, with client seeds.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import httpx

from domain.kernel.luck import share_seal, table_hash
from tests import plain_http
from tests.names import fresh_name
from tests.reliability.faults.history import Request, RequestKind

CARELESS = "client-4"
"""The client that often doesn't open its share. Only this client is then suspended from rated matches for a while."""
OPENING_SECONDS = 43_200
"""The shortest time per move, and so for opening shares. Used where a player doesn't open."""

TRY_SECONDS = 4.0
IDLE_SECONDS = 1.0
"""How long a connection may be idle before it is used again: less than the 2 seconds after which the service closes it.
Otherwise a request can meet a connection that is just being closed, and needs a second attempt, as RFC 9112 says."""
PAUSE_SECONDS = 0.05
MATCHES_AT_ONCE = 3
MAX_ORDERED = 2
FIRST_UNFORESEEN_STATUS = 500
UNAVAILABLE = 503
DAMAGED = "log_damaged"
"""The answer in a match that accepts no moves until the operator has restored it. There is no point in retrying."""


class Answer(NamedTuple):
    """A definite answer or none, with its times and tries."""

    status: int | None
    body: Any
    began: float
    ended: float
    tries: int
    strange: tuple[int, ...]


class ClientSeat(NamedTuple):
    """A client's seat at a match."""

    match: str
    seat: int


@dataclass
class SharedState:
    """State shared by all clients: open seats, the end of play, and the record."""

    url: str
    games: list[str]
    most_moves: int
    """A client resigns after this many moves in a match, so that long games also end and are audited."""
    hooks: str
    """URL of the webhook receiver."""
    give_address: Callable[[str, str], None]
    """Gives a player (id) a confirmed email address."""
    finished: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    given_up: threading.Event = field(default_factory=threading.Event)
    """Set when clients should stop retrying."""
    invitations: deque[ClientSeat] = field(default_factory=deque)
    never_opened: set[str] = field(default_factory=set)
    """Sealed matches whose players will not open their shares."""
    ops: list[Request] = field(default_factory=list)

    def has_seen(self, moves: int, ends: int) -> bool:
        """Return whether this many moves were acknowledged and this many matches seen to end."""
        return self.finished >= ends and sum(op.kind == "move" and op.done for op in tuple(self.ops)) >= moves


class Client(threading.Thread):
    """A player of several matches at once, who thinks for up to `thinks` seconds about a move."""

    def __init__(self, room: SharedState, name: str, seed: int, thinks: float = 0.0) -> None:
        super().__init__(name=name, daemon=True)
        self.failure: BaseException | None = None
        self._room = room
        self._thinks = thinks
        self._luck = Random(f"{name} {seed}")
        self._connections = [
            plain_http.Client(
                base_url=f"{room.url}/api/v1", timeout=TRY_SECONDS, limits=httpx.Limits(keepalive_expiry=IDLE_SECONDS)
            )
            for _ in range(3)
        ]
        """Several connections reach different web processes, whose caches of a match differ."""
        self._headers: dict[str, str] = {}
        self._author = ""
        self._tables: list[ClientSeat] = []
        self._made: dict[ClientSeat, int] = {}
        self._legal: list[Any] = []
        self._shares: dict[str, str] = {}
        self._count = 0

    def run(self) -> None:
        """Play."""
        try:
            self._introduce()
            while not self._room.over.is_set():
                self._join_or_create()
                moved = bool(self._tables) and self._turn(self._luck.choice(self._tables))
                time.sleep(0 if moved else self._luck.uniform(0, 2 * PAUSE_SECONDS))
        except BaseException as error:
            self.failure = error
        finally:
            for connection in self._connections:
                connection.close()

    def _introduce(self) -> None:
        answer = self._ask("POST", "/players", json={"name": self.name})
        if answer.status == 409:  # a request without an answer has taken the name
            answer = self._ask("POST", "/players", json={"name": fresh_name(self.name)})
        if answer.status == 201:
            self._author = answer.body["player"]["id"]
            self._headers["Authorization"] = f"Bearer {answer.body['token']}"
            self._ask("PUT", "/me/notifications/mail", json={"mode": "each", "patience": 0})
            self._ask("PUT", "/me/notifications/webhook", json={"url": f"{self._room.hooks}/{self.name}"})
            self._room.give_address(self._author, f"{self.name}@example.org")

    # -- tables -----------------------------------------------------------------------------------------------------

    def _join_or_create(self) -> None:
        """Join or create a match if there are too few: against a client or a bot, or one that no one will play."""
        if len(self._tables) >= MATCHES_AT_ONCE:
            return
        if self._room.invitations and self._luck.random() < 0.8:
            try:
                table = self._room.invitations.popleft()
            except IndexError:
                return
            self._take(table)
            return
        self._open()

    def _open(self) -> None:
        kind = self._luck.choices(["bot", "duel", "abandoned"], [5, 6, 1])[0] if self._count else "abandoned"
        other = {"kind": "open"} if kind == "duel" else {"kind": "bot", "level": self._luck.choice(["random", "easy"])}
        body: dict[str, Any] = {"game": self._luck.choice(self._room.games), "seats": [{"kind": "me"}, other]}
        if kind == "abandoned":
            body["clock"] = {"kind": "bank", "seconds": 3600}
        if kind == "duel":
            body["rated"] = self._luck.random() < 0.7
            if self._luck.random() < 0.7:  # otherwise without a share, like a client of the first release
                body["luck"] = "sealed" if body["rated"] or self._luck.random() < 0.5 else "open"
            if self.name == CARELESS:
                body["clock"] = {"kind": "per_move", "seconds": OPENING_SECONDS}
        key = self._key()
        answer = self._ask("POST", "/matches", key, json=body)
        match = answer.body["match"]["id"] if answer.status == 201 else ""
        self._note("create", match, answer, key=key)
        if answer.status != 201:
            return
        if kind == "duel":
            self._room.invitations.append(ClientSeat(match, 1))
        if "luck" in body:
            self._take(ClientSeat(match, 0))
        elif kind != "abandoned":
            self._tables.append(ClientSeat(match, 0))

    def _take(self, table: ClientSeat) -> None:
        """Sit down, in most matches with a share or its seal."""
        shown = self._ask("GET", f"/matches/{table.match}")
        if shown.status != 200:
            return
        key = self._key()
        body = self._contribution(table, shown.body["luck"])
        answer = self._ask("POST", f"/matches/{table.match}/seats/{table.seat}", key, json=body)
        self._note("take", table.match, answer, key=key)
        if answer.status is not None and answer.status < 300:
            self._tables.append(table)

    def _contribution(self, table: ClientSeat, luck: Any) -> dict[str, Any]:
        """Return what the client sends for the luck when sitting down."""
        if luck is None:
            return {"client_seed": self.name}
        if table.match not in self._room.never_opened and self._luck.random() < 0.2:
            return {}
        commitment = luck["commitment"]
        share = self._shares.setdefault(table.match, self._luck.randbytes(32).hex())
        if luck["level"] == "open":
            return {"commitment": commitment, "share": share}
        return {"commitment": commitment, "seal": share_seal(table.match, table.seat, commitment, share)}

    def _open_share(self, table: ClientSeat, shown: Any) -> bool:
        """Open the client's share at a full table, if it has one to open. Return whether something was sent."""
        luck = shown["luck"]
        if table.seat not in luck["unopened"]:
            return False
        if table.match in self._room.never_opened:
            self._tables.remove(table)
            return False
        if self.name == CARELESS and self._luck.random() < 0.6:
            self._tables.remove(table)
            return self._lose(table) if self._luck.random() < 0.3 else False
        first = min(seat for seat in luck["unopened"] if ClientSeat(table.match, seat) in self._tables)
        opening = {
            "table": table_hash(table.match, luck["commitment"], luck["seals"]),
            "share": self._shares[table.match],
        }
        for _ in range(self._luck.choice([1, 1, 2])):
            answer = self._ask("POST", f"/matches/{table.match}/share", json=opening)
            key = f"share/2 {opening['table']} {opening['share']}"
            self._note("open", table.match, answer, key=key, seat=first, move=opening)
        return True

    def _lose(self, table: ClientSeat) -> bool:
        """Say that the share is lost, which cancels the match."""
        answer = self._ask("POST", f"/matches/{table.match}/share", json={"lost": True})
        self._note("lose", table.match, answer, key="share/2 lost", seat=table.seat)
        return True

    # -- moves ------------------------------------------------------------------------------------------------------

    def _turn(self, table: ClientSeat) -> bool:
        """Look at a match and move if it is the client's turn. Return whether it moved."""
        answer = self._ask("GET", f"/matches/{table.match}")
        self._note("look", table.match, answer)
        if answer.status != 200:
            if answer.body.get("code") == DAMAGED:
                self._tables.remove(table)
            return False
        if answer.body["status"] == "over":
            self._tables.remove(table)
            self._room.finished += 1
            return False
        if answer.body["status"] == "opening":
            return self._open_share(table, answer.body)
        if table.seat not in answer.body["to_move"] or not (move := self._choice(table)):
            return False
        time.sleep(self._luck.uniform(0, self._thinks))
        self._move(table, move, answer.body["ply"])
        return True

    def _choice(self, table: ClientSeat) -> Any:
        """Return a random legal move, or a resignation after many moves."""
        made = self._made[table] = self._made.get(table, 0) + 1
        if made > self._room.most_moves:
            return {"type": "resign"}
        answer = self._ask("GET", f"/matches/{table.match}/legal-moves?as={table.seat}")
        if answer.status != 200 or not answer.body["moves"]:
            return None
        self._legal = answer.body["moves"]
        return self._luck.choice(self._legal)

    def _move(self, table: ClientSeat, move: Any, ply: int) -> None:
        key, headers = self._key(), {}
        if self._luck.random() < 0.1:
            headers["If-Match"] = f'"{ply - self._luck.choice([0, 1])}"'
        answer = self._ask("POST", f"/matches/{table.match}/moves?as={table.seat}", key, headers, json=move)
        self._note("move", table.match, answer, key=key, seat=table.seat, move=move)
        if self._luck.random() < 0.15:
            self._order(table)
        if answer.status != 201 or self._luck.random() > 0.1:
            return
        kind: RequestKind = "repeat" if move["type"] == "resign" else self._luck.choice(["repeat", "reuse"])
        again = move if kind == "repeat" else {"type": "resign"}
        answer = self._ask("POST", f"/matches/{table.match}/moves?as={table.seat}", key, headers, json=again)
        self._note(kind, table.match, answer, key=key, seat=table.seat, move=again)

    def _order(self, table: ClientSeat) -> None:
        """Give standing orders for moves that were just legal and may still be legal at the next turn."""
        moves = self._luck.sample(self._legal, min(MAX_ORDERED, len(self._legal)))
        wanted = {"forced": self._luck.random() < 0.5, "moves": moves}
        answer = self._ask("PUT", f"/matches/{table.match}/orders?as={table.seat}", json=wanted)
        given = {"forced": answer.body["forced"], "moves": answer.body["moves"]} if answer.status == 200 else wanted
        self._note("order", table.match, answer, seat=table.seat, move=given)

    # -- asking -----------------------------------------------------------------------------------------------------

    def _key(self) -> str:
        self._count += 1
        return f"{self.name}-{self._count}"

    def _ask(
        self, method: str, path: str, key: str | None = None, headers: dict[str, str] | None = None, **request: Any
    ) -> Answer:
        """Repeat a request until there is a definite answer; 503 and connection errors are not definite."""
        headers = {**self._headers, **(headers or {}), **({"Idempotency-Key": key} if key else {})}
        began, tries, strange = time.monotonic(), 0, []
        while not (tries and self._room.given_up.is_set()):
            tries += 1
            try:
                found = self._luck.choice(self._connections).request(method, path, headers=headers, **request)
            except httpx.HTTPError:
                time.sleep(PAUSE_SECONDS)
                continue
            if found.status_code < FIRST_UNFORESEEN_STATUS or is_damaged(found):
                return Answer(found.status_code, found.json(), began, time.monotonic(), tries, tuple(strange))
            strange += [found.status_code] if found.status_code != UNAVAILABLE else []
            time.sleep(PAUSE_SECONDS)
        return Answer(None, {}, began, time.monotonic(), tries, tuple(strange))

    def _note(
        self,
        kind: RequestKind,
        match: str,
        answer: Answer,
        *,
        key: str | None = None,
        seat: int | None = None,
        move: Any = None,
    ) -> None:
        """Record a request and its answer."""
        done = answer.status is not None and answer.status < 300
        shown = answer.body if kind == "look" else answer.body.get("match", {})
        event = answer.body.get("event", {}) if done else {}
        self._room.ops.append(
            Request(
                client=self.name,
                author=self._author,
                kind=kind,
                match=match,
                key=key,
                seat=seat,
                move=move,
                began=answer.began,
                ended=answer.ended,
                status=answer.status,
                code=None if done else answer.body.get("code"),
                tries=answer.tries,
                ply=event.get("ply"),
                hash=event.get("hash"),
                head_ply=shown.get("ply") if done else None,
                head=shown.get("head") if done else None,
                strange=answer.strange,
            )
        )


def is_damaged(answer: httpx.Response) -> bool:
    """Return whether the service says that the match is damaged."""
    return answer.status_code == UNAVAILABLE and DAMAGED in answer.text


def list_games(url: str) -> list[str]:
    """Return the available games, except the one that is only for tests."""
    found = plain_http.get(f"{url}/api/v1/games", timeout=TRY_SECONDS).json()["games"]
    return [game["slug"] for game in found if game["slug"] != "tic_tac_toe"]
