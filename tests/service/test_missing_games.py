"""Matches whose game can't be used: uninstalled, or with other component data than the match began with.

The games come from real packages with entry points. After each change, the service is built again, as after a restart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from flask import Flask
from redis import Redis

from domain.match.commands import Expire, Play, SeatSpec
from replays import standalone_verify
from replays.fork_check import check_fork
from replays.verify import verify
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.installed import LOST, OTHER_CARDS, Packages, installed_packages
from tests.service.api.builders import (
    Person,
    anonymous,
    assert_problem,
    mark_cell,
    new_match,
    register,
    started_match,
)
from tests.service.web.visitors import Form, Page, Visitor
from workers.bots.turn_source import LogTurnSource
from workers.handlers import matches as handlers
from workers.projection.projector import Projector
from workers.projection.ratings import Rater


@dataclass
class House:
    """The service in its present state. `restart` builds it again."""

    log_url: str
    packages: Packages
    services: Services
    app: Flask

    def restart(self) -> None:
        """Build everything again, with empty caches."""
        self.services = build_services(Settings(log_url=self.log_url))
        self.app = create_app(self.services)

    def uninstall(self) -> None:
        """Uninstall the game and restart."""
        self.packages.uninstall("noughts")
        self.restart()

    def install(self, digest: str = "a" * 64, more: str = "") -> None:
        """Install the game, or another version of it, and restart."""
        self.packages.install_noughts(digest, more)
        self.restart()

    def project(self, rebuild: bool = False) -> None:
        """Update the lists as the dispatcher does, or rebuild them from the log."""
        models = self.services.read_models
        projector = Projector(self.services.log, models.writer, models.progress)
        projector.rebuild() if rebuild else projector.catch_up()
        Rater(models.results, models.ratings, models.rating_trust.current).catch_up()

    def as_before(self, person: Person) -> Person:
        """Return the same player as a client of the restarted service."""
        return Person(self.app, person.token, person.id)

    def moved(self, visitor: Visitor) -> Visitor:
        """Return the same browser, with its cookies, at the restarted service."""
        again = Visitor(self.app)
        again.client._cookies = visitor.client._cookies
        return again

    def open(self, path: str) -> Page:
        """Open a page as a new visitor."""
        return Visitor(self.app).open(path)


@pytest.fixture
def house(server: EmbeddedServer, redis: Redis, tmp_path: Path) -> Iterator[House]:
    """The service on an empty log, with the game `noughts` installed."""
    with installed_packages(tmp_path / "site") as packages:
        packages.install_noughts()
        services = build_services(Settings(log_url=server.url()))
        yield House(server.url(), packages, services, create_app(services))


def played_match(house: House) -> str:
    """Return a finished match."""
    match, (ann, bob) = started_match(house.app, "noughts")
    for person, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        assert mark_cell(person, match, cell).status_code == 201
    return match


def replay_of(house: House, match: str) -> bytes:
    return anonymous(house.app).get(f"/matches/{match}/replay").get_data()


# -- a game that is not installed -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rebuild", [pytest.param(False, marks=pytest.mark.full), True], ids=["as stored", "rebuilt"])
def test_matches_of_an_uninstalled_game_are_listed_and_everything_else_works(house: House, rebuild: bool) -> None:
    """Given an open, a running and a finished match of a game, when its package is uninstalled, then all lists still
    work and say so, even after they were rebuilt from the log."""
    over = played_match(house)
    running, (ann, _) = started_match(house.app, "noughts")
    new_match(ann, "noughts")
    other, _ = started_match(house.app, "tic_tac_toe")
    house.project()
    # when
    house.uninstall()
    house.project(rebuild)
    # then: pages
    for path in ("/", "/matches", "/matches?status=over", f"/players/{ann.id}"):
        page = house.open(path)
        assert page.status == 200, path
        assert "Game not installed (noughts)" in page.text, path
    assert "Nobody can move in this match now." in house.open("/matches?status=playing").text
    for path in ("/new", "/rules", "/leaderboard", f"/matches/{other}"):
        assert house.open(path).status == 200, path
    assert house.open("/new/noughts").status == 404
    # then: the API
    rows = anonymous(house.app).get("/matches").json["matches"]
    assert {row["id"]: row["without_game"] for row in rows if row["id"] in (over, running, other)} == {
        over: True,
        running: True,
        other: False,
    }
    assert anonymous(house.app).get(f"/players/{ann.id}").status_code == 200
    # then: nobody is asked to move there
    assert house.services.read_models.lists.turns_of(str(ann.id)) == []
    assert house.services.read_models.lists.find_match(running) is not None


def test_the_page_of_a_match_of_an_uninstalled_game_says_so(house: House) -> None:
    match = played_match(house)
    running, _ = started_match(house.app, "noughts")
    house.uninstall()
    page = house.open(f"/matches/{match}")
    assert page.status == 200
    assert "Game not installed" in page.text
    assert "noughts at rules version 2, is not installed on this server." in page.text.replace(" ,", ",")
    assert "Ann won." in page.text
    assert f"/matches/{match}/replay/file" in page.reader.links
    assert "Nobody can move now." in house.open(f"/matches/{running}").text
    for path in ("replay", "score", "fork", "disputes", "live"):
        shown = house.open(f"/matches/{running}/{path}")
        assert shown.status == 409, path
        assert "Game not installed" in shown.text


def test_the_api_says_that_the_game_is_not_installed(house: House) -> None:
    match, (ann, _) = started_match(house.app, "noughts")
    house.uninstall()
    ann = house.as_before(ann)
    for answer in (ann.get(f"/matches/{match}"), ann.get(f"/matches/{match}/events"), mark_cell(ann, match, 0)):
        assert (answer.status_code, answer.json["code"]) == (409, "game_not_installed")
        assert (answer.json["game"], answer.json["rules_version"]) == ("noughts", 2)
    created = ann.post("/matches", {"game": "noughts", "seats": [{"kind": "me"}, {"kind": "open"}]})
    assert (created.status_code, created.json["code"]) == (422, "no_such_game")


def test_a_finished_match_is_exported_and_verified_without_its_game(house: House) -> None:
    """Then its file is the same, byte for byte, from the API and from the page."""
    match = played_match(house)
    before = replay_of(house, match)
    assert verify(before).ok
    house.uninstall()
    assert replay_of(house, match) == before
    page = Visitor(house.app).open(f"/matches/{match}/replay/file")
    assert page.html.encode() == before
    assert standalone_verify.verify(before)[1] is None
    bundle = Visitor(house.app).client.get(f"/matches/{match}/replay/bundle")
    with ZipFile(BytesIO(bundle.data)) as packed:
        assert packed.read(f"noughts-{match}.crumb.ndjson") == before
    house.install()
    assert verify(before).ok


def test_the_file_of_a_running_match_shows_no_facts_without_its_game(house: House) -> None:
    """Only the game knows which facts are secret."""
    match, (ann, _) = started_match(house.app, "noughts")
    mark_cell(ann, match, 4)
    assert b'"cell":4' in replay_of(house, match)
    house.uninstall()
    file = replay_of(house, match)
    assert b'"cell"' not in file
    assert b'"type"' not in file
    assert file.count(b"\n") == house.services.log.lines(match).__len__() + 2


def test_a_match_continues_when_its_game_is_installed_again(house: House) -> None:
    """Given lists that were rebuilt while the game was missing, then the match is whole again afterwards."""
    match, (ann, bob) = started_match(house.app, "noughts")
    mark_cell(ann, match, 0)
    house.uninstall()
    house.project(rebuild=True)
    house.install()
    house.project()
    row = house.services.read_models.lists.find_match(match)
    assert row is not None
    assert (row.to_move, row.without_game) == ((1,), False)
    assert mark_cell(house.as_before(bob), match, 4).status_code == 201


def test_the_workers_skip_a_match_whose_game_is_missing(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a bot's turn, an audit and an expiry that are due, then each job reports the missing game and no job
    fails."""
    seats = (SeatSpec("bot", level="greedy"), SeatSpec("bot", level="random"))
    bots = house.services.matches.creation.create("p_ann", "noughts", seats, {}).match
    over = played_match(house)
    house.project()
    house.uninstall()
    monkeypatch.setattr(handlers, "get_services", lambda: house.services)
    monkeypatch.setattr(handlers, "get_turn_source", lambda: house.services.house_bots)
    handlers.expire(bots.id, bots.ply)
    handlers.audit(over)
    handlers.follow_orders(bots.id, bots.ply)
    assert "the game 'noughts' at rules version 2 is not installed here" in caplog.text
    assert house.services.read_models.verdicts.find(over) is None
    # after a rebuild, no work is due for it at all
    house.project(rebuild=True)
    assert house.services.read_models.work.due_bot_turns() == []
    assert house.services.read_models.work.unaudited_matches() == []


# -- broken presentations ---------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_broken_table_is_replaced_by_the_generic_one(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """Given a package whose table and rules page can't be imported, then its matches are still shown."""
    folder = house.packages.folder / "fancy"
    (folder / "presentation").mkdir(parents=True)
    source = (house.packages.folder / "noughts.py").read_text().replace('slug="noughts"', 'slug="fancy"')
    (folder / "__init__.py").write_text(source)
    (folder / "presentation" / "__init__.py").write_text("")
    for room in ("table", "rules_page"):
        (folder / "presentation" / f"{room}.py").write_text("import a_package_that_is_missing")
    house.packages.install("fancy_entry", "", entry="fancy")
    house.packages.reload("fancy")
    house.restart()
    match, _ = started_match(house.app, "fancy")
    house.project()
    for path in ("/", "/new", "/rules", "/rules/fancy", f"/matches/{match}"):
        assert house.open(path).status == 200, path
    assert "fancy.presentation.table can't be loaded (ModuleNotFoundError)" in caplog.text


# -- changed component data -----------------------------------------------------------------------------------------


def test_changed_components_refuse_moves(house: House) -> None:
    """Given a match whose game comes back with other component data, then moves, seats and deadlines are refused with
    their own code, and the page says so. With the earlier data the match continues."""
    match, (ann, bob) = started_match(house.app, "noughts", clock={"kind": "per_move", "seconds": 86400})
    mark_cell(ann, match, 0)
    house.install(OTHER_CARDS)
    refused = mark_cell(house.as_before(bob), match, 4)
    assert (refused.status_code, refused.json["code"]) == (409, "components_changed")
    assert house.as_before(bob).get(f"/matches/{match}").status_code == 200
    assert "nobody can move here" in house.open(f"/matches/{match}").text
    head = house.services.matches.repository.load(match)
    assert not house.services.matches.commands.expire_overdue(head)
    with pytest.raises(Exception, match="components_changed"):
        house.services.matches.commands.submit(match, Expire(1), IdempotencyKey("clock", "expire"))
    # when the earlier data is back
    house.install()
    assert mark_cell(house.as_before(bob), match, 4).status_code == 201


def test_bots_orders_and_deadlines_wait_while_the_components_differ(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a bot whose turn it is, then no bot resigns, nothing counts as a failure, and the bot moves afterwards."""
    seats = (SeatSpec("bot", level="greedy"), SeatSpec("bot", level="random"))
    bots = house.services.matches.creation.create("p_ann", "noughts", seats, {}).match
    for digest, more in ((OTHER_CARDS, ""), (OTHER_CARDS, LOST)):
        house.install(digest, more)
        monkeypatch.setattr(handlers, "get_services", lambda: house.services)
        source = LogTurnSource(house.services.house_bots, house.services.runtime.job_failures)
        monkeypatch.setattr(handlers, "get_turn_source", lambda source=source: source)
        for _ in range(4):
            handlers.play_bot(bots.id, bots.ply)
        handlers.expire(bots.id, bots.ply)
        handlers.follow_orders(bots.id, bots.ply)
        assert house.services.runtime.job_failures.turn_failures(bots.id, bots.ply) == 0
        assert len(house.services.log.lines(bots.id)) == bots.ply
    assert "failed" not in caplog.text
    house.install()
    source = LogTurnSource(house.services.house_bots, house.services.runtime.job_failures)
    handlers.play_bot(bots.id, bots.ply)
    assert house.services.matches.repository.load(bots.id).ply == bots.ply + 1


def test_a_match_with_changed_components_is_continued_by_a_fork(house: House) -> None:
    """Then everybody has the same seat, both players get the same fork, and it begins with the facts of the match."""
    ann, match = visiting_player(house)
    bob = register(house.app, "Bob")
    code = house.services.matches.invitations.seat_code(house.services.matches.repository.load(match), 1)
    assert bob.post(f"/matches/{match}/seats/1", {"invitation": code}).status_code == 201
    seats = house.services.matches.repository.load(match).seats
    submit(house, match, 0, {"type": "mark", "cell": 4})
    house.install(OTHER_CARDS)
    # when
    ann = house.moved(ann)
    page = ann.send(ann.open(f"/matches/{match}").form("/continue"))
    # then
    forked = page.path.rsplit("/", 1)[1]
    assert forked != match
    fork = house.services.matches.repository.load(forked)
    assert [seat.player for seat in fork.seats] == [seat.player for seat in seats]
    assert (fork.status, fork.is_rated, fork.to_move) == ("playing", False, frozenset({1}))
    bob = house.as_before(bob)
    for _ in range(2):
        answer = bob.post(f"/matches/{match}/continuation")
        assert (answer.status_code, answer.json) == (201, {"match": forked, "keeps_position": True})
        assert answer.headers["Location"].endswith(f"/matches/{forked}")
    assert mark_cell(house.as_before(bob), forked, 0).status_code == 201
    # then: an audit of the fork holds, and it fits its parent
    assert house.services.verification.auditor.audit(forked).first is None
    repository = house.services.matches.repository
    assert check_fork([*repository.read_events(forked)], [*repository.read_events(match)]).status == "ok"


def test_a_match_whose_position_is_lost_is_continued_by_a_fresh_match(house: House) -> None:
    """Given component data without which the position can't be computed, then the match is listed, exported, and
    continued from the beginning with the same seats. Nothing else fails."""
    ann, match = visiting_player(house)
    bob = register(house.app, "Bob")
    code = house.services.matches.invitations.seat_code(house.services.matches.repository.load(match), 1)
    bob.post(f"/matches/{match}/seats/1", {"invitation": code})
    submit(house, match, 0, {"type": "mark", "cell": 4})
    house.project()
    house.install(OTHER_CARDS, LOST)
    house.project(rebuild=True)
    ann = house.moved(ann)
    assert ann.open("/").status == 200
    page = ann.open(f"/matches/{match}")
    assert "This match can't continue here" in page.text
    refused = mark_cell(house.as_before(bob), match, 0)
    assert (refused.status_code, refused.json["code"]) == (409, "components_changed")
    assert anonymous(house.app).get("/matches").json["matches"][0]["without_game"]
    assert replay_of(house, match).count(b"\n") == len(house.services.log.lines(match)) + 2
    # when the game can start matches again
    house.install(OTHER_CARDS, BOUND_TO_CARDS)
    ann = house.moved(ann)
    fresh = ann.send(ann.open(f"/matches/{match}").form("/continue")).path.rsplit("/", 1)[1]
    answer = house.as_before(bob).post(f"/matches/{match}/continuation")
    assert answer.json == {"match": fresh, "keeps_position": False}
    made = house.services.matches.repository.load(fresh)
    assert [seat.player for seat in made.seats] == [player for _, player in seated(house, match)]
    assert (made.status, made.fork) == ("playing", None)
    assert mark_cell(house.as_before(bob), fresh, 0).status_code in (201, 409)  # 409: not Bob's turn


def test_a_view_that_fails_on_other_components_is_refused_with_a_code(house: House) -> None:
    """Given component data without which a position can be computed but not shown, then the API answers 409 as the page
    does, and the match can be continued."""
    match, (ann, bob) = started_match(house.app, "noughts")
    mark_cell(ann, match, 4)
    house.install(OTHER_CARDS, CANNOT_SHOW_CARDS)
    ann, bob = house.as_before(ann), house.as_before(bob)
    for answer in (
        anonymous(house.app).get(f"/matches/{match}"),
        ann.get(f"/matches/{match}"),
        bob.get(f"/matches/{match}/legal-moves"),
        mark_cell(bob, match, 0),
    ):
        assert_problem(answer, 409, "components_changed")
    assert anonymous(house.app).get(f"/matches/{match}/events").status_code == 200
    assert anonymous(house.app).get(f"/matches/{match}/replay").status_code == 200
    assert "This match can't continue here" in house.open(f"/matches/{match}").text
    assert bob.post(f"/matches/{match}/continuation").status_code in (201, 409)


@pytest.mark.full
def test_only_its_players_continue_a_match_and_only_if_it_is_needed(house: House) -> None:
    match, (ann, _) = started_match(house.app, "noughts")
    stranger = Visitor(house.app)
    stranger.send(stranger.open("/name").form("/name"), name="Cid")
    token = stranger.open("/name").form("/name").fields["csrf_token"]
    assert_problem(ann.post(f"/matches/{match}/continuation"), 409, "can_go_on")
    house.install(OTHER_CARDS)
    cid = house.as_before(register(house.app, "Cid"))
    assert_problem(cid.post(f"/matches/{match}/continuation"), 403, "not_your_seat")
    form = Form(f"/matches/{match}/continue", "post", {"csrf_token": token})
    assert house.moved(stranger).send(form).status == 403


CANNOT_SHOW_CARDS = """

def view(state, seat):
    raise KeyError("a card that is gone")


GAME = replace(GAME, view=view, legal_moves=lambda state, seat: view(state, seat))
"""
"""Component data without which a position can't be shown."""
BOUND_TO_CARDS = """

def evolve(state, fact):
    if getattr(fact, "cell", None) == 4:
        raise KeyError("a card that is gone")
    return HONEST.evolve(state, fact)


GAME = replace(GAME, evolve=evolve, setup=lambda *given: list(HONEST.setup(*given)))
GAME = replace(GAME, decide=lambda *given: list(HONEST.decide(*given)))
"""
"""Component data without which the fact of cell 4 can't be folded."""


def visiting_player(house: House) -> tuple[Visitor, str]:
    """Return a visitor who has created a match with an open second seat, and the match."""
    ann = Visitor(house.app)
    ann.send(ann.open("/name").form("/name"), name="Ann")
    page = ann.send(ann.open("/new/noughts").form("/new/"), seat0="me", seat1="friend")
    return ann, page.path.rsplit("/", 1)[1]


def submit(house: House, match: str, seat: int, move: Any) -> None:
    """Make a move as the player of a seat."""
    player = house.services.matches.repository.load(match).seats[seat].player or ""
    house.services.matches.commands.submit(match, Play(seat, move), IdempotencyKey(player, f"{move}"))


def seated(house: House, match: str) -> list[tuple[int, str | None]]:
    """Return the players by seat."""
    bare = house.services.matches.repository.load_without_game(match)
    return [(number, seat.player) for number, seat in enumerate(bare.seats)]
