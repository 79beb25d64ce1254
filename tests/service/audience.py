"""All kinds of callers, and every request of the API and the pages.

world = Audience(app, services)
world.callers["spectator"].get("/me")               # an API request
visitor_as(world, "owner").open("/account")         # a page request
"""

from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any, NamedTuple

from flask import Flask

from domain.kernel.luck import share_seal
from domain.match.commands import Command, Play, RaiseDispute, SeatSpec, TakeSeat
from service.accounts.players import HOUSE, Scope
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from tests.service.api.builders import Person
from tests.service.web.visitors import Visitor

API_CALLERS = ("stranger", "revoked", "house", "read", "spectator", "other", "bot", "owner")
"""Callers by token: none; a revoked one; a worker's; the owner's read-only one; that of a player in another match; the
opponent's; the owner's bot token; the owner's."""
PAGE_READERS = ("nobody", "spectator", "other", "owner")
"""Readers by session: none; that of a player in another match; the opponent's; the owner's."""
KEY = "0123456789abcdef" * 2
SHARE = "ab" * 32
"""The share of each player in the match whose shares are opened."""


class RequestCase(NamedTuple):
    """A request, and the expected status for each of `API_CALLERS` or `PAGE_READERS`."""

    method: str
    path: str
    statuses: str
    body: dict[str, Any] | None = None


ALL_OK, PLAYER_ONLY = "200 200 200 200 200 200 200 200", "401 401 403 200 200 200 200 200"
SPECTATOR_VISIBLE = "200 401 403 200 200 200 200 200"
"""Visible to spectators. A token must be valid if given."""
SEAT_ONLY = "401 401 403 200 403 403 200 200"
"""Visible only to seat 0, with any token of its player."""
SEATS = [{"kind": "me"}, {"kind": "open"}]

API_REQUESTS = [
    RequestCase("GET", "/openapi.json", ALL_OK),
    RequestCase("GET", "/games", ALL_OK),
    RequestCase("GET", "/games/{slug}", ALL_OK),
    RequestCase("GET", "/games/{slug}/leaderboard", ALL_OK),
    RequestCase("GET", "/players/{player}", ALL_OK),
    RequestCase("GET", "/players/{player}/matches", SPECTATOR_VISIBLE),
    RequestCase("GET", "/players/{player}/ratings/{slug}", ALL_OK),
    # anyone may register, but only the first caller gets the name
    RequestCase("POST", "/players", "201 409 409 409 409 409 409 409", {"name": "Eve"}),
    RequestCase("GET", "/me", PLAYER_ONLY),
    RequestCase("GET", "/me/turns", PLAYER_ONLY),
    RequestCase("GET", "/me/stream", PLAYER_ONLY),
    RequestCase("GET", "/me/notifications", PLAYER_ONLY),
    RequestCase("PUT", "/me/notifications/mail", "401 401 403 403 200 200 403 200", {"mode": "none"}),
    RequestCase("PUT", "/me/notifications/webhook", "401 401 403 403 200 200 403 200", {"url": "https://example.org/"}),
    RequestCase("POST", "/me/notifications/webhook/test", "401 401 403 403 409 409 403 202"),
    RequestCase("DELETE", "/me/notifications/webhook", "401 401 403 403 204 204 403 204"),
    RequestCase("GET", "/matches", ALL_OK),
    RequestCase("POST", "/matches", "401 401 403 403 201 201 201 201", {"game": "tic_tac_toe", "seats": SEATS}),
    RequestCase("GET", "/matches/{match}", SPECTATOR_VISIBLE),
    RequestCase("GET", "/matches/{match}?as=0", SEAT_ONLY),
    RequestCase("GET", "/matches/{match}/events", SPECTATOR_VISIBLE),
    RequestCase("GET", "/matches/{match}/events?as=0", SEAT_ONLY),
    RequestCase("GET", "/matches/{match}/stream", SPECTATOR_VISIBLE),
    RequestCase("GET", "/matches/{match}/stream?as=0", SEAT_ONLY),
    RequestCase("GET", "/matches/{match}/legal-moves?as=0", SEAT_ONLY),
    RequestCase("GET", "/matches/{match}/replay", ALL_OK),
    RequestCase("GET", "/matches/{match}/bots", "409 409 409 409 409 409 409 409"),
    RequestCase("GET", "/matches/{over}/bots", ALL_OK),
    RequestCase("GET", "/audits/{over}", ALL_OK),
    RequestCase(
        "POST", "/matches/{match}/moves?as=0&dry_run=1", "401 401 403 403 403 403 200 200", {"type": "mark", "cell": 8}
    ),
    RequestCase("POST", "/matches/{match}/moves?as=0", "401 401 403 403 403 403 201 201", {"type": "mark", "cell": 0}),
    RequestCase("POST", "/matches/{match}/commands?as=0", "401 401 403 403 403 403 403 201", {"type": "hand_over"}),
    RequestCase("POST", "/matches/{open}/commands", "401 401 403 403 403 403 201 201", {"type": "cancel"}),
    RequestCase("GET", "/matches/{match}/orders?as=0", SEAT_ONLY),
    RequestCase("PUT", "/matches/{match}/orders?as=0", "401 401 403 403 403 403 200 200", {"forced": True}),
    RequestCase("DELETE", "/matches/{match}/orders?as=0", "401 401 403 403 403 403 200 200"),
    RequestCase("POST", "/matches/{open}/seats/1", "403 401 403 403 403 403 201 201", {"name": "Eve"}),
    RequestCase("POST", "/matches/{open}/seats/1/invitation", "401 401 403 403 403 403 403 201"),
    RequestCase("POST", "/matches/{sealed}/share", "401 401 403 403 403 201 409 409", {"lost": True}),
    RequestCase("GET", "/matches/{match}/disputes", ALL_OK),
    RequestCase(
        "POST",
        "/matches/{match}/disputes?as=0",
        "401 401 403 403 403 403 403 201",
        {"ply": 4, "ground": "draw", "claim": "Was that so?"},
    ),
    RequestCase("GET", "/matches/{over}/disputes/{dispute}", ALL_OK),
    RequestCase(
        "POST",
        "/matches/{over}/disputes/{dispute}/resolution",
        "401 401 403 403 403 403 403 403",
        {"ruling": "stands"},
    ),
    RequestCase("POST", "/matches/{match}/continuation", "401 401 403 403 409 409 403 409"),
    RequestCase(
        "POST", "/matches/{match}/forks", "401 401 403 403 409 409 403 409", {"ply": 4, "seats": [{"kind": "me"}] * 2}
    ),
    RequestCase(
        "POST", "/matches/{over}/forks", "401 401 403 403 201 201 403 201", {"ply": 4, "seats": [{"kind": "me"}] * 2}
    ),
    RequestCase("POST", "/replays/verify", "422 422 422 422 422 422 422 422"),
    RequestCase("GET", "/house", "401 401 200 403 403 403 403 403"),
    RequestCase("GET", "/house/turns/{match}/4", "401 401 204 403 403 403 403 403"),
    RequestCase(
        "POST",
        "/house/turns/{match}/4",
        "401 401 403 403 403 403 403 403",
        {"seat": 0, "move": {"type": "resign"}, "engine": "x", "version": 1},
    ),
    RequestCase("POST", "/house/turns/{match}/4/failures", "401 401 204 403 403 403 403 403"),
]

EVERY_READER_OK = "200 200 200 200"
NOBODY = "404 404 404 404"
"""Only moderators who have just signed in; `test_moderation.py` tests what they can do."""
FORM = {"key": KEY, "seat": "0"}

PAGE_REQUESTS = [
    RequestCase("GET", "/", EVERY_READER_OK),
    RequestCase("GET", "/account", EVERY_READER_OK),
    RequestCase("GET", "/account/notifications", EVERY_READER_OK),
    RequestCase("GET", "/disputes", EVERY_READER_OK),
    RequestCase("GET", "/join/{open}/1/{code}", EVERY_READER_OK),
    RequestCase("GET", "/join/{open}/1/wrong", "404 404 404 404"),
    RequestCase("GET", "/leaderboard", EVERY_READER_OK),
    RequestCase("GET", "/leaderboard/{slug}", EVERY_READER_OK),
    RequestCase("GET", "/matches", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}/disputes", EVERY_READER_OK),
    RequestCase("GET", "/matches/{over}/disputes/{dispute}", EVERY_READER_OK),
    RequestCase("GET", "/matches/{over}/fork", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}/live", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}/replay", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}/replay?as=0", "400 400 400 200"),
    RequestCase("GET", "/matches/{match}/frames", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}/frames?as=0", "400 400 400 200"),
    RequestCase("GET", "/matches/{match}/replay/bundle", EVERY_READER_OK),
    RequestCase("GET", "/matches/{match}/replay/file", EVERY_READER_OK),
    RequestCase("GET", "/matches/{over}/score", EVERY_READER_OK),
    RequestCase("GET", "/name", EVERY_READER_OK),
    RequestCase("GET", "/new", EVERY_READER_OK),
    RequestCase("GET", "/new/{slug}", EVERY_READER_OK),
    RequestCase("GET", "/players/{player}", EVERY_READER_OK),
    RequestCase("GET", "/players/{player}/report", "403 200 200 200"),
    RequestCase("GET", "/admin", NOBODY),
    RequestCase("GET", "/admin/find?player=Ann", NOBODY),
    RequestCase("GET", "/admin/log", NOBODY),
    RequestCase("GET", "/admin/players/{player}", NOBODY),
    RequestCase("GET", "/rules", EVERY_READER_OK),
    RequestCase("GET", "/rules/mice_cake", EVERY_READER_OK),
    RequestCase("GET", "/sign-in", EVERY_READER_OK),
    RequestCase("GET", "/sign-in/{token}", "410 410 410 410"),
    RequestCase("GET", "/trust", EVERY_READER_OK),
    RequestCase("GET", "/unsubscribe/{player}/{code}", "404 404 404 404"),
    RequestCase("GET", "/verify", EVERY_READER_OK),
    RequestCase("GET", "/verify/standalone_verify.py", EVERY_READER_OK),
    RequestCase("GET", "/assets/0/style.css", EVERY_READER_OK),
    RequestCase("POST", "/players/{player}/report", "403 422 422 422", {"subject": "mood"}),
    RequestCase("POST", "/admin/players/{player}", NOBODY, {"do": "impose", "kind": "ban", "reason": "Because."}),
    RequestCase("POST", "/admin/reports/r_x", NOBODY, {"note": "Because."}),
    RequestCase("POST", "/name/notice", "303 303 303 303"),
    RequestCase("POST", "/account/erase", "303 422 422 422"),
    RequestCase("POST", "/account/tokens", "422 422 422 422", {"scope": HOUSE, "label": "A worker"}),
    RequestCase("POST", "/account/tokens/{token}/revoke", "404 404 404 404"),
    RequestCase("POST", "/account/notifications/address", "422 422 422 422", {"address": "nowhere"}),
    RequestCase("POST", "/account/notifications/address/remove", "303 303 303 303"),
    RequestCase("POST", "/account/notifications/mail", "422 422 422 422", {"mail": "always"}),
    RequestCase("POST", "/account/notifications/webhook", "422 422 422 422", {"url": "file:///etc/passwd"}),
    RequestCase("POST", "/account/notifications/webhook/remove", "303 303 303 303"),
    RequestCase("POST", "/account/notifications/webhook/test", "409 409 409 409"),
    RequestCase("POST", "/join/{open}/1/wrong", "404 404 404 404", FORM),
    RequestCase("POST", "/matches/{open}/cancel", "403 409 409 303", FORM),
    RequestCase("POST", "/matches/{open}/leave", "403 403 403 303", FORM),
    RequestCase("POST", "/matches/{open}/remove", "403 409 409 409", FORM),
    RequestCase("POST", "/matches/{open}/seats/1", "404 404 404 404", FORM),
    RequestCase("POST", "/matches/{open}/seats/1/withdraw", "403 403 403 303", FORM),
    RequestCase("POST", "/matches/{match}/ask", "403 403 403 303", {**FORM, "what": "offer"}),
    RequestCase("POST", "/matches/{match}/moves", "403 403 403 303", {**FORM, "do": "resign"}),
    RequestCase(
        "POST", "/matches/{match}/moves", "403 403 403 200", {**FORM, "do": "try", "move": '{"type":"mark","cell":8}'}
    ),
    RequestCase("POST", "/matches/{match}/orders", "403 403 403 303", {**FORM, "what": "forced"}),
    RequestCase(
        "POST", "/matches/{match}/disputes", "403 409 409 303", {**FORM, "ply": "4", "ground": "draw", "claim": "So?"}
    ),
    RequestCase("POST", "/matches/{over}/disputes/{dispute}", "403 409 409 409", {**FORM, "ruling": "stands"}),
    RequestCase(
        "POST", "/matches/{match}/fork", "422 422 422 422", {"key": KEY, "ply": "4", "seat0": "me", "seat1": "me"}
    ),
    RequestCase("POST", "/matches/{match}/continue", "403 409 409 409", FORM),
    RequestCase("POST", "/matches/{over}/rematch", "403 403 303 303", FORM),
    RequestCase("POST", "/matches/{match}/replay", EVERY_READER_OK),
    RequestCase("POST", "/matches/{sealed}/share", "403 409 303 409", {**FORM, "lost": "yes"}),
    RequestCase("POST", "/comfort", "303 303 303 303", {"theme": "dark"}),
    RequestCase("POST", "/name", "422 422 422 422", {"name": "\u202e"}),
    RequestCase("POST", "/new/{slug}", "422 422 422 422", {"key": KEY, "seat0": "bot:oracle"}),
    RequestCase("POST", "/play", "400 400 400 400", {"key": KEY, "game": "tic_tac_toe", "level": "oracle"}),
    RequestCase("POST", "/sign-in", "422 422 422 422", {"address": "nowhere"}),
    RequestCase("POST", "/sign-in/{token}", "410 410 410 410"),
    RequestCase("POST", "/sign-out", "303 303 303 303"),
    RequestCase("POST", "/unsubscribe/{player}/{code}", "404 404 404 404"),
    RequestCase("POST", "/verify", "400 400 400 400"),
]


@dataclass
class Audience:
    """A running match, a finished one, one with a private open seat, one whose shares are opened, and all callers."""

    app: Flask
    services: Services
    callers: dict[str, Person] = field(default_factory=dict)
    ids: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ann, bob, cid = (self.register_player(name) for name in ("Ann", "Bob", "Cid"))
        match, over = self.start_match(ann, bob), self.start_match(ann, bob)
        self.submit(over, Play(0, {"type": "resign"}), ann)
        claim = self.services.disputes.statements.store(over, "Was that so?")
        dispute = self.submit(over, RaiseDispute(0, 4, "draw", claim), ann)
        self.services.read_models.verdicts.record(over, b'{"ok":true}')
        waiting = self.create_match(ann, SeatSpec("open", private=True))
        sealed = self.fill_sealed_table(ann, bob)
        self.ids = {"match": match, "over": over, "open": waiting, "sealed": sealed, "dispute": dispute}
        self.ids |= {"player": ann.id, "slug": "tic_tac_toe"}
        self.callers = {
            "stranger": Person(self.app, checked=False),
            "revoked": self.with_revoked_token(ann),
            "house": self.with_token(replace(ann, id=HOUSE), HOUSE),
            "read": self.with_token(ann, "read"),
            "spectator": cid,
            "other": bob,
            "bot": self.with_token(ann, "bot"),
            "owner": ann,
        }

    def register_player(self, name: str) -> Person:
        """Return a new player."""
        player, token = self.services.accounts.players.register(name)
        return Person(self.app, token, player.id, checked=False)

    def create_match(self, person: Person, other: SeatSpec) -> str:
        """Return a match with this player in seat 0."""
        seats = [SeatSpec("human", player=person.id), other]
        return self.services.matches.creation.create(person.id or "", "tic_tac_toe", seats, {}).match.id

    def start_match(self, person: Person, other: Person) -> str:
        """Return a match that has started."""
        match = self.create_match(person, SeatSpec("open"))
        self.submit(match, TakeSeat(1, other.id or ""), other)
        return match

    def fill_sealed_table(self, *people: Person) -> str:
        """Return a sealed match whose players have sat down and not opened their shares."""
        seats = [SeatSpec("human", player=people[0].id), *[SeatSpec("open")] * (len(people) - 1)]
        creation = self.services.matches.creation
        made = creation.create(people[0].id or "", "tic_tac_toe", seats, {}, level="sealed").match
        for seat, person in enumerate(people):
            seal = share_seal(made.id, seat, made.commitment, SHARE)
            self.submit(made.id, TakeSeat(seat, person.id or "", commitment=made.commitment, seal=seal), person)
        return made.id

    def submit(self, match: str, command: Command, person: Person) -> int:
        """Carry out a command and return the ply of its first event."""
        by = IdempotencyKey(person.id or "", token_hex(8))
        return self.services.matches.commands.submit(match, command, by).events[0].ply

    def with_token(self, person: Person, scope: Scope) -> Person:
        """Return the same player with a different token."""
        return replace(person, token=self.services.accounts.players.new_token(person.id or "", scope, "Another one"))

    def with_revoked_token(self, person: Person) -> Person:
        """Return the same player with a revoked token."""
        found = self.with_token(person, "play")
        [_, token] = self.services.accounts.players.tokens(person.id or "")
        self.services.accounts.players.revoke(person.id or "", token.id)
        return found


def visitor_as(world: Audience, name: str) -> Visitor:
    """Return a page visitor, in the session of that player if there is one."""
    found = Visitor(world.app)
    found.open("/name")
    if name != "nobody":
        found.sign_in(world.services, world.callers[name].id)
    return found
