"""Everybody who might ask for something, and every request that the interface and the pages know.

world = World(app, services)
world.people["spectator"].get("/me")                # a program's request
visitor(world, "owner").open("/account")            # a reader's
"""

from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any, NamedTuple

from flask import Flask

from domain.match.disputes import RaiseDispute
from domain.match.match import Command, Play, SeatWish, TakeSeat
from service.accounts.players import HOUSE, Scope
from service.bootstrap import Services
from service.matches.command_handler import CommandId
from tests.service.api.builders import Person
from tests.service.web.visitors import Visitor

PROGRAMS = ("stranger", "revoked", "house", "read", "spectator", "other", "bot", "owner")
"""Without a token; with one that was revoked; a worker's; the owner's to look only; a player's who sits elsewhere; of
who sits at the other seat; the owner's for programs; the owner's."""
READERS = ("nobody", "spectator", "other", "owner")
"""Without a session; with the session of a player who sits elsewhere; of who sits at the other seat; of the owner."""
KEY = "0123456789abcdef" * 2


class Ask(NamedTuple):
    """A request, and the status for each of `PROGRAMS` or `READERS`; one for all stands for everybody."""

    method: str
    path: str
    statuses: str
    body: dict[str, Any] | None = None


ALL, MINE = "200 200 200 200 200 200 200 200", "401 401 403 200 200 200 200 200"
TABLE = "200 401 403 200 200 200 200 200"
"""What spectators may see; a token, if there is one, must be good."""
SEAT = "401 401 403 200 403 403 200 200"
"""What seat 0 alone may see, by whatever token of its player."""
SEATS = [{"kind": "me"}, {"kind": "open"}]

INTERFACE = [
    Ask("GET", "/openapi.json", ALL),
    Ask("GET", "/games", ALL),
    Ask("GET", "/games/{slug}", ALL),
    Ask("GET", "/games/{slug}/leaderboard", ALL),
    Ask("GET", "/players/{player}", ALL),
    Ask("GET", "/players/{player}/matches", TABLE),
    Ask("GET", "/players/{player}/ratings/{slug}", ALL),
    Ask("POST", "/players", "201 201 201 201 201 201 201 201", {"name": "Eve"}),
    Ask("GET", "/me", MINE),
    Ask("GET", "/me/turns", MINE),
    Ask("GET", "/me/stream", MINE),
    Ask("GET", "/me/notifications", MINE),
    Ask("PUT", "/me/notifications/mail", "401 401 403 403 200 200 403 200", {"mode": "none"}),
    Ask("PUT", "/me/notifications/webhook", "401 401 403 403 200 200 403 200", {"url": "https://example.org/"}),
    Ask("POST", "/me/notifications/webhook/test", "401 401 403 403 409 409 403 202"),
    Ask("DELETE", "/me/notifications/webhook", "401 401 403 403 204 204 403 204"),
    Ask("GET", "/matches", ALL),
    Ask("POST", "/matches", "401 401 403 403 201 201 201 201", {"game": "tic_tac_toe", "seats": SEATS}),
    Ask("GET", "/matches/{match}", TABLE),
    Ask("GET", "/matches/{match}?as=0", SEAT),
    Ask("GET", "/matches/{match}/events", TABLE),
    Ask("GET", "/matches/{match}/events?as=0", SEAT),
    Ask("GET", "/matches/{match}/stream", TABLE),
    Ask("GET", "/matches/{match}/stream?as=0", SEAT),
    Ask("GET", "/matches/{match}/legal-moves?as=0", SEAT),
    Ask("GET", "/matches/{match}/replay", ALL),
    Ask("GET", "/matches/{match}/bots", "409 409 409 409 409 409 409 409"),
    Ask("GET", "/matches/{over}/bots", ALL),
    Ask("GET", "/audits/{over}", ALL),
    Ask(
        "POST", "/matches/{match}/moves?as=0&dry_run=1", "401 401 403 403 403 403 200 200", {"type": "mark", "cell": 8}
    ),
    Ask("POST", "/matches/{match}/moves?as=0", "401 401 403 403 403 403 201 201", {"type": "mark", "cell": 0}),
    Ask("POST", "/matches/{match}/commands?as=0", "401 401 403 403 403 403 403 201", {"type": "hand_over"}),
    Ask("POST", "/matches/{open}/commands", "401 401 403 403 403 403 201 201", {"type": "cancel"}),
    Ask("GET", "/matches/{match}/orders?as=0", SEAT),
    Ask("PUT", "/matches/{match}/orders?as=0", "401 401 403 403 403 403 200 200", {"forced": True}),
    Ask("DELETE", "/matches/{match}/orders?as=0", "401 401 403 403 403 403 200 200"),
    Ask("POST", "/matches/{open}/seats/1", "403 401 403 403 403 403 201 201", {"name": "Eve"}),
    Ask("POST", "/matches/{open}/seats/1/invitation", "401 401 403 403 403 403 403 201"),
    Ask("GET", "/matches/{match}/disputes", ALL),
    Ask(
        "POST",
        "/matches/{match}/disputes?as=0",
        "401 401 403 403 403 403 403 201",
        {"ply": 4, "ground": "draw", "claim": "Was that so?"},
    ),
    Ask("GET", "/matches/{over}/disputes/{dispute}", ALL),
    Ask(
        "POST",
        "/matches/{over}/disputes/{dispute}/resolution",
        "401 401 403 403 403 403 403 403",
        {"ruling": "stands"},
    ),
    Ask("POST", "/matches/{match}/forks", "401 401 403 403 409 409 403 409", {"ply": 4, "seats": [{"kind": "me"}] * 2}),
    Ask("POST", "/matches/{over}/forks", "401 401 403 403 201 201 403 201", {"ply": 4, "seats": [{"kind": "me"}] * 2}),
    Ask("POST", "/replays/verify", "422 422 422 422 422 422 422 422"),
    Ask("GET", "/house", "401 401 200 403 403 403 403 403"),
    Ask("GET", "/house/turns/{match}/4", "401 401 204 403 403 403 403 403"),
    Ask(
        "POST",
        "/house/turns/{match}/4",
        "401 401 403 403 403 403 403 403",
        {"seat": 0, "move": {"type": "resign"}, "engine": "x", "version": 1},
    ),
    Ask("POST", "/house/turns/{match}/4/failures", "401 401 204 403 403 403 403 403"),
]

SEEN = "200 200 200 200"
FORM = {"key": KEY, "seat": "0"}

PAGES = [
    Ask("GET", "/", SEEN),
    Ask("GET", "/account", SEEN),
    Ask("GET", "/account/notifications", SEEN),
    Ask("GET", "/disputes", SEEN),
    Ask("GET", "/join/{open}/1/{code}", SEEN),
    Ask("GET", "/join/{open}/1/wrong", "404 404 404 404"),
    Ask("GET", "/leaderboard", SEEN),
    Ask("GET", "/leaderboard/{slug}", SEEN),
    Ask("GET", "/matches", SEEN),
    Ask("GET", "/matches/{match}", SEEN),
    Ask("GET", "/matches/{match}/disputes", SEEN),
    Ask("GET", "/matches/{over}/disputes/{dispute}", SEEN),
    Ask("GET", "/matches/{over}/fork", SEEN),
    Ask("GET", "/matches/{match}/live", SEEN),
    Ask("GET", "/matches/{match}/replay", SEEN),
    Ask("GET", "/matches/{match}/replay?as=0", "400 400 400 200"),
    Ask("GET", "/matches/{match}/replay/bundle", SEEN),
    Ask("GET", "/matches/{match}/replay/file", SEEN),
    Ask("GET", "/matches/{over}/score", SEEN),
    Ask("GET", "/name", SEEN),
    Ask("GET", "/new", SEEN),
    Ask("GET", "/new/{slug}", SEEN),
    Ask("GET", "/players/{player}", SEEN),
    Ask("GET", "/rules", SEEN),
    Ask("GET", "/rules/mice_cake", SEEN),
    Ask("GET", "/sign-in", SEEN),
    Ask("GET", "/sign-in/{token}", "410 410 410 410"),
    Ask("GET", "/unsubscribe/{player}/{code}", "404 404 404 404"),
    Ask("GET", "/verify", SEEN),
    Ask("GET", "/verify/standalone_verify.py", SEEN),
    Ask("GET", "/assets/0/style.css", SEEN),
    Ask("POST", "/account/erase", "303 422 422 422"),
    Ask("POST", "/account/tokens", "422 422 422 422", {"scope": HOUSE, "label": "A worker"}),
    Ask("POST", "/account/tokens/{token}/revoke", "404 404 404 404"),
    Ask("POST", "/account/notifications/address", "422 422 422 422", {"address": "nowhere"}),
    Ask("POST", "/account/notifications/address/remove", "303 303 303 303"),
    Ask("POST", "/account/notifications/mail", "422 422 422 422", {"mail": "always"}),
    Ask("POST", "/account/notifications/webhook", "422 422 422 422", {"url": "file:///etc/passwd"}),
    Ask("POST", "/account/notifications/webhook/remove", "303 303 303 303"),
    Ask("POST", "/account/notifications/webhook/test", "409 409 409 409"),
    Ask("POST", "/join/{open}/1/wrong", "404 404 404 404", FORM),
    Ask("POST", "/matches/{open}/cancel", "403 409 409 303", FORM),
    Ask("POST", "/matches/{open}/leave", "403 403 403 303", FORM),
    Ask("POST", "/matches/{open}/seats/1", "404 404 404 404", FORM),
    Ask("POST", "/matches/{open}/seats/1/withdraw", "403 403 403 303", FORM),
    Ask("POST", "/matches/{match}/ask", "403 403 403 303", {**FORM, "what": "offer"}),
    Ask("POST", "/matches/{match}/moves", "403 403 403 303", {**FORM, "do": "resign"}),
    Ask("POST", "/matches/{match}/moves", "403 403 403 200", {**FORM, "do": "try", "move": '{"type":"mark","cell":8}'}),
    Ask("POST", "/matches/{match}/orders", "403 403 403 303", {**FORM, "what": "forced"}),
    Ask("POST", "/matches/{match}/disputes", "403 409 409 303", {**FORM, "ply": "4", "ground": "draw", "claim": "So?"}),
    Ask("POST", "/matches/{over}/disputes/{dispute}", "403 409 409 409", {**FORM, "ruling": "stands"}),
    Ask("POST", "/matches/{match}/fork", "422 422 422 422", {"key": KEY, "ply": "4", "seat0": "me", "seat1": "me"}),
    Ask("POST", "/matches/{over}/rematch", "403 403 303 303", FORM),
    Ask("POST", "/matches/{match}/replay", SEEN),
    Ask("POST", "/name", "422 422 422 422", {"name": "\u202e"}),
    Ask("POST", "/new/{slug}", "422 422 422 422", {"key": KEY, "seat0": "bot:oracle"}),
    Ask("POST", "/play", "400 400 400 400", {"key": KEY, "game": "tic_tac_toe", "level": "oracle"}),
    Ask("POST", "/sign-in", "422 422 422 422", {"address": "nowhere"}),
    Ask("POST", "/sign-in/{token}", "410 410 410 410"),
    Ask("POST", "/sign-out", "303 303 303 303"),
    Ask("POST", "/unsubscribe/{player}/{code}", "404 404 404 404"),
    Ask("POST", "/verify", "400 400 400 400"),
]


@dataclass
class World:
    """A match that is played, one that is over, one with a private open seat, and everybody who might ask."""

    app: Flask
    services: Services
    people: dict[str, Person] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ann, bob, cid = (self.player(name) for name in ("Ann", "Bob", "Cid"))
        match, over = self.table(ann, bob), self.table(ann, bob)
        self.submit(over, Play(0, {"type": "resign"}), ann)
        claim = self.services.claims.keep(over, "Was that so?")
        dispute = self.submit(over, RaiseDispute(0, 4, "draw", claim), ann)
        self.services.projections.record_verdict(over, b'{"ok":true}')
        waiting = self.create(ann, SeatWish("open", private=True))
        self.known = {"match": match, "over": over, "open": waiting, "dispute": dispute}
        self.known |= {"player": ann.id, "slug": "tic_tac_toe"}
        self.people = {
            "stranger": Person(self.app, checked=False),
            "revoked": self.revoked(ann),
            "house": self.token_of(replace(ann, id=HOUSE), HOUSE),
            "read": self.token_of(ann, "read"),
            "spectator": cid,
            "other": bob,
            "bot": self.token_of(ann, "bot"),
            "owner": ann,
        }

    def player(self, name: str) -> Person:
        """A new player."""
        player, token = self.services.players.register(name)
        return Person(self.app, token, player.id, checked=False)

    def create(self, person: Person, other: SeatWish) -> str:
        """A match of somebody at seat 0."""
        wishes = [SeatWish("human", player=person.id), other]
        return self.services.matches.create(person.id or "", "tic_tac_toe", wishes, {}).match.id

    def table(self, person: Person, other: Person) -> str:
        """A match that has started."""
        match = self.create(person, SeatWish("open"))
        self.submit(match, TakeSeat(1, other.id or ""), other)
        return match

    def submit(self, match: str, command: Command, person: Person) -> int:
        """Carry a command out; gives the ply of its first event."""
        by = CommandId(person.id or "", token_hex(8))
        return self.services.matches.submit(match, command, by).events[0].ply

    def token_of(self, person: Person, scope: Scope) -> Person:
        """The same player with another token."""
        return replace(person, token=self.services.players.new_token(person.id or "", scope, "Another one"))

    def revoked(self, person: Person) -> Person:
        """The same player with a token that is good no more."""
        found = self.token_of(person, "play")
        [_, token] = self.services.players.tokens(person.id or "")
        self.services.players.revoke(person.id or "", token.id)
        return found


def visitor(world: World, name: str) -> Visitor:
    """Somebody before the pages, in the session of that player if there is one."""
    found = Visitor(world.app)
    found.open("/name")
    if name != "nobody":
        found.sign_in(world.services, world.people[name].id)
    return found
