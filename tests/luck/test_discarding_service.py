"""Discarded tables in the whole service: they are counted, shown before the next match, and lead to suspensions.

Ann's program is the honest client of the other tests, over HTTP. Bob, who got the seed from the
service, opens only if he likes the luck.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from domain.kernel.luck import share_seal
from domain.match.opening import full_table_hash
from replays.verify import verify
from service.bootstrap import Services
from service.read_models.discards import SUSPENSION_DAYS, SUSPENSION_WINDOW
from tests.luck.client import Entry, HonestClient, Refused, Unavailable
from tests.luck.operators import FAVOURITE, GUEST, Operator
from tests.service.api.builders import Person, assert_problem, register
from tests.service.api.conftest import ManualClock

DAY = timedelta(days=1).total_seconds()
OPENING = timedelta(days=3).total_seconds()
BOBS_SHARE = "b0b" + 61 * "0"


class HttpService:
    """The service over HTTP, as one person's program uses it."""

    def __init__(self, person: Person) -> None:
        self.person = person

    def show(self, match: str) -> Entry:
        """Get the match."""
        return dict(answered(self.person.get(f"/matches/{match}")).json)

    def sit(self, match: str, seat: int, player: str, body: Entry) -> None:
        """Sit down."""
        answered(self.person.post(f"/matches/{match}/seats/{seat}", body))

    def events(self, match: str) -> list[Entry]:
        """Get the events."""
        return list(answered(self.person.get(f"/matches/{match}/events")).json["events"])

    def open(self, match: str, player: str, body: Entry) -> None:
        """Open a share."""
        answered(self.person.post(f"/matches/{match}/share", body))


def answered(response: TestResponse) -> TestResponse:
    """Return a successful response. Raises Refused, Unavailable."""
    if response.status_code == 503:
        raise Unavailable
    if response.status_code >= 400:
        raise Refused(response.json["code"])
    return response


@dataclass
class Players:
    """Ann and Bob, and the service that they play on."""

    services: Services
    clock: ManualClock
    project: Callable[[], None]
    ann: Person
    bob: Person
    client: HonestClient

    def full_table(self, *, rated: bool = False) -> str:
        """Return a sealed match in which Ann and Bob have sat down and Ann has opened."""
        match = self.new_match(rated=rated)
        service = HttpService(self.ann)
        self.client.sit(service, match, [GUEST])
        assert self.bob_sits(match).status_code == 201
        self.client.open(service, match)
        return match

    def new_match(self, *, rated: bool = False) -> str:
        """Let Ann create a match with two open seats."""
        body = {"game": "mice_cake", "seats": [{"kind": "open"}] * 2, "luck": "sealed", "rated": rated}
        return str(answered(self.ann.post("/matches", body)).json["match"]["id"])

    def bob_sits(self, match: str) -> TestResponse:
        """Let Bob sit down with a seal."""
        commitment = HttpService(self.bob).show(match)["commitment"]
        seal = share_seal(match, FAVOURITE, commitment, BOBS_SHARE)
        return self.bob.post(f"/matches/{match}/seats/{FAVOURITE}", {"commitment": commitment, "seal": seal})

    def bob_likes(self, match: str) -> bool:
        """Return whether Bob would win if everybody played greedily."""
        now = self.services.matches.repository.load(match)
        shares = (now.seats[GUEST].share, BOBS_SHARE)
        return Operator().would_win(match, self.services.matches.repository.secrets(now), shares)

    def bob_opens(self, match: str) -> None:
        """Let Bob open his share."""
        table = full_table_hash(self.services.matches.repository.load(match))
        answered(self.bob.post(f"/matches/{match}/share", {"table": table, "share": BOBS_SHARE}))

    def bob_discards(self, match: str, *, silently: bool = False) -> None:
        """Let Bob say that his share is lost, or wait until the time is up."""
        if silently:
            self.clock.advance(OPENING)
            self.services.matches.commands.close_if_abandoned(self.services.matches.repository.load(match))
        else:
            answered(self.bob.post(f"/matches/{match}/share", {"lost": True}))
        self.project()

    def is_bob_refused(self) -> bool:
        """Return whether Bob can neither join nor create a rated match."""
        sitting = self.bob_sits(self.new_match(rated=True))
        body = {"game": "mice_cake", "seats": [{"kind": "me"}, {"kind": "open"}], "rated": True}
        creating = self.bob.post("/matches", body)
        assert (sitting.status_code == 201) == (creating.status_code == 201)
        if sitting.status_code != 201:
            for answer in (sitting, creating):
                assert "rated" in assert_problem(answer, answer.status_code, "rated_suspended")["detail"]
        return sitting.status_code != 201


@pytest.fixture
def players(services: Services, app: Flask, clock: ManualClock, project: Callable[[], None]) -> Players:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    assert ann.id is not None
    return Players(services, clock, project, ann, bob, HonestClient(ann.id))


def test_each_discarded_table_is_shown_before_the_next_match(players: Players) -> None:
    """Given tables that Bob discards until he likes one, then Ann sees before each start how many there were."""
    assert players.bob.id is not None
    for discarded in range(20):
        match = players.full_table()
        shown = HttpService(players.ann).show(match)["luck"]["discarded"]
        assert shown == ({players.bob.id: discarded} if discarded else {})
        if discarded >= 2 and players.bob_likes(match):
            break
        players.bob_discards(match, silently=bool(discarded % 2))
        repository = players.services.matches.repository
        assert repository.load(match).discarded_by == (players.bob.id,)
        raw = players.ann.get(f"/matches/{match}/replay").data
        assert verify(raw).ok
        assert players.client.check(match, raw) == []
    players.bob_opens(match)
    assert HttpService(players.ann).show(match)["status"] == "playing"
    counts = players.services.read_models.discards.counts([players.bob.id, players.ann.id or ""])
    assert counts == {players.bob.id: discarded, players.ann.id: 0}


def test_a_discarded_rated_match_suspends_for_a_time_that_grows_and_ends(players: Players) -> None:
    for number, days in enumerate(SUSPENSION_DAYS[:3]):
        assert not players.is_bob_refused(), number
        players.bob_discards(players.full_table(rated=True))
        assert players.is_bob_refused()
        players.clock.advance(days * DAY - 1)
        assert players.is_bob_refused()
        players.clock.advance(1)
    assert not players.is_bob_refused()


def test_discarded_rated_matches_are_forgotten_after_a_while(players: Players) -> None:
    """Given two discarded rated matches long ago, when Bob discards another one, then it counts as his first."""
    for days in SUSPENSION_DAYS[:2]:
        players.bob_discards(players.full_table(rated=True))
        players.clock.advance(days * DAY)
    players.clock.advance(SUSPENSION_WINDOW.total_seconds())
    players.bob_discards(players.full_table(rated=True))
    assert players.is_bob_refused()
    players.clock.advance(SUSPENSION_DAYS[0] * DAY)
    assert not players.is_bob_refused()


def test_unrated_tables_do_not_suspend(players: Players) -> None:
    players.bob_discards(players.full_table())
    assert not players.is_bob_refused()


def test_after_the_deadline_the_first_request_cancels(players: Players) -> None:
    """Given a late worker, when Bob opens at the deadline, then the match is cancelled and counts only against him."""
    match = players.full_table(rated=True)
    players.clock.advance(OPENING)
    with pytest.raises(Refused, match="time_is_up"):
        players.bob_opens(match)
    now = players.services.matches.repository.load(match)
    assert (now.status, now.discarded_by) == ("over", (players.bob.id,))
