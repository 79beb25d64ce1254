"""Player pages, leaderboards, unlisted matches, invite links and match search."""

import re
from collections.abc import Callable

import pytest
from flask import Flask

from domain.match.commands import Play, SeatSpec
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.read_models.places import FOUNDERS_NOTE, PLACE_RULE
from tests.service.web.test_pages import assert_well_formed
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match
from tests.workers.rating_population import settled_league, store_league

Project = Callable[[], None]
PEOPLE = {"seat0": "me", "seat1": "friend"}


def invitation(room: Page) -> str:
    return next(field["value"] for field in room.all("input") if "/join/" in field.get("value", ""))


def rated_match(app: Flask, **fields: str) -> tuple[str, Visitor, Visitor]:
    """Return a rated match of tic-tac-toe that Ann lost to Bob."""
    match, ann, bob = two_player_match(app, game="tic_tac_toe", rated="yes", **fields)
    move_twice(app, match)
    ann.send(ann.open(f"/matches/{match}").form("/moves"), do="resign")
    return match, ann, bob


def move_twice(app: Flask, match: str) -> None:
    """Let both players mark a cell, because a result counts only if both have moved."""
    services: Services = app.extensions["crumbtrail"]
    for seat, cell in ((0, 0), (1, 3)):
        by = IdempotencyKey(id_of(services, match, seat), f"{match} {cell}")
        services.matches.commands.submit(match, Play(seat, {"type": "mark", "cell": cell}), by)


def id_of(services: Services, match: str, seat: int) -> str:
    player = services.matches.repository.load(match).seats[seat].player
    assert player is not None
    return player


# -- players ------------------------------------------------------------------------------------------------------


def test_a_player_page_shows_name_record_rating_and_matches(app: Flask, services: Services, project: Project) -> None:
    match, ann, bob = rated_match(app)
    rematch = bob.send(bob.open(f"/matches/{match}").form("/rematch"))
    ann.send(ann.open(f"/matches/{match}").form("/rematch"))
    move_twice(app, match_id_of(rematch))
    bob.send(bob.open(rematch.path).form("/moves"), do="resign")
    project()
    page = ann.open(f"/players/{id_of(services, match, 1)}")
    assert_well_formed(page)
    assert "Bob" in page.text
    assert "1 won, 0 drawn, 1 lost" in page.text
    assert re.search(r"Rating 1[45]\d\d ± \d+", page.text)
    assert "No place on the leaderboard yet. Still needed: an uncertainty of ±450 or less" in page.text
    assert 'role="img" class="plot"' in page.html
    assert {f"/matches/{match}", rematch.path} <= set(page.reader.links)
    assert f"/players/{id_of(services, match, 1)}" in ann.open(f"/matches/{match}").reader.links


def test_a_leaderboard_links_to_player_pages_and_says_how_to_get_there(app: Flask, services: Services) -> None:
    """Given ten players with a place, one of whom has erased the account, then the leaderboard shows all of them, and
    the rule in two sentences."""
    league, people = settled_league(10, 50, "pages")
    ids = {name: services.accounts.players.register(f"Baker {name[-4:]}")[0].id for name in people.names}
    store_league(services.read_models.ratings, "tic_tac_toe", league, ids)
    first, second = league.board()[:2]
    services.accounts.eraser.erase(ids[second])
    reader = Visitor(app).named("Ann")
    board = reader.open("/leaderboard/tic_tac_toe")
    assert_well_formed(board)
    assert [link for link in board.reader.links if "/players/" in link] == [
        f"/players/{ids[name]}" for name in league.board()
    ]
    assert "an erased player" in board.text
    assert f"Baker {first[-4:]}" in board.text
    assert f"Baker {second[-4:]}" not in board.text
    overview = reader.open("/leaderboard")
    assert f"Baker {first[-4:]}" in overview.text
    for page in (board, overview):
        assert PLACE_RULE in page.text
        assert FOUNDERS_NOTE in page.text
    assert reader.open("/leaderboard/tic_tac_toe?after=2").status == 200
    assert reader.open("/leaderboard/tic_tac_toe?after=-1").status == 400
    assert reader.open("/leaderboard/nothing").status == 404


def test_a_match_says_why_it_does_not_count(app: Flask) -> None:
    """Given a rated match that ended before both players had moved, then its page says why it doesn't count."""
    match, ann, _ = two_player_match(app, game="tic_tac_toe", rated="yes")
    running = ann.open(f"/matches/{match}")
    assert "rated" in running.text
    assert "count towards the ratings" not in running.text
    ann.send(running.form("/moves"), do="resign")
    assert (
        "This match was created rated, but it doesn't count towards the ratings because fewer than two players moved."
        in ann.open(f"/matches/{match}").text
    )


def test_an_erased_player_keeps_the_record_and_loses_the_name(app: Flask, services: Services, project: Project) -> None:
    match, ann, bob = rated_match(app)
    player = id_of(services, match, 1)
    bob.send(bob.open("/account").form("/account/erase"), word="erase")
    project()
    for path in (f"/players/{player}", f"/matches/{match}"):
        page = ann.open(path)
        assert "erased player" in page.text.lower()
        assert "Bob" not in page.text
    assert "1 won, 0 drawn, 0 lost" in ann.open(f"/players/{player}").text


@pytest.mark.parametrize("path", ["p_nobody", "p_" + "0" * 16, "%F0%9F%8D%B0", "a%3Ab"])
def test_an_unknown_player_has_no_page(ann: Visitor, path: str) -> None:
    assert ann.open(f"/players/{path}").status == 404


def test_an_invalid_cursor_is_refused(app: Flask, services: Services, project: Project) -> None:
    match, ann, _ = rated_match(app)
    project()
    assert ann.open(f"/players/{id_of(services, match, 0)}?cursor=x").status == 400


# -- private ------------------------------------------------------------------------------------------------------


def test_a_finished_private_match_is_visible_only_by_its_link(app: Flask, services: Services, project: Project) -> None:
    """Lists, player pages and records hide it from others. Its players find it, and anyone with the link can watch."""
    match, ann, _ = two_player_match(app, game="tic_tac_toe", private="yes")
    ann.send(ann.open(f"/matches/{match}").form("/moves"), do="resign")
    project()
    stranger = Visitor(app)
    player = id_of(services, match, 0)
    for path in ("/", "/matches", "/matches?status=over", "/leaderboard/tic_tac_toe", f"/players/{player}"):
        assert match not in stranger.open(path).html
    assert "No finished matches yet" in stranger.open(f"/players/{player}").text
    assert match in ann.open(f"/players/{player}").html
    watched = stranger.open(f"/matches/{match}")
    assert watched.status == 200
    assert "Anyone with this link can watch" in watched.text
    assert [row.id for row in services.read_models.lists.list_matches(private=True).rows] == [match]


def test_an_open_private_match_is_visible_only_by_its_link(
    ann: Visitor, app: Flask, services: Services, project: Project
) -> None:
    """Player pages hide it from others, and its open seat can be taken only with the invite link."""
    room = ann.new_match("pie_contest", seats="3", seat0="me", seat1="anyone", seat2="bot:random", private="yes")
    match = match_id_of(room)
    project()
    player = id_of(services, match, 0)
    stranger = Visitor(app).named("Bob")
    for reader in (stranger, Visitor(app)):
        assert match not in reader.open(f"/players/{player}").html
    assert stranger.open(room.path).forms("/seats/1") == []
    assert stranger.send(stranger.open(invitation(room)).form("/join/")).status == 200
    assert services.matches.repository.load(match).seats[1].player is not None


def test_a_fork_of_a_private_match_is_private(app: Flask, services: Services) -> None:
    """A fork names its original match, so a public fork would leak the link."""
    match, ann, _ = two_player_match(app, game="tic_tac_toe", private="yes")
    ann.send(ann.open(f"/matches/{match}").form("/moves"), do="resign")
    wishes = [SeatSpec("bot", level="random")] * 2
    fork = services.matches.creation.fork(match, 4, id_of(services, match, 0), wishes, same_luck=False).match
    assert fork.private


def test_a_rated_match_is_not_private_and_has_no_bots(ann: Visitor) -> None:
    for fields, reason in (
        ({"seat1": "friend", "private": "yes"}, "be unlisted"),
        ({}, "take part"),
    ):
        page = ann.new_match("tic_tac_toe", seat0="me", rated="yes", **fields)
        assert page.status == 422
        assert reason in page.text
        assert any(box.get("name") == "rated" and "checked" in box for box in page.all("input"))


# -- invitations --------------------------------------------------------------------------------------------------


def test_a_withdrawn_link_stops_working_and_the_new_one_works(ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match("tic_tac_toe", **PEOPLE)
    old = invitation(room)
    room = ann.send(room.form("/withdraw"))
    assert invitation(room) != old
    gone = bob.open(old)
    assert gone.status == 404
    assert "has been used or withdrawn" in gone.text
    assert bob.send(bob.open(invitation(room)).form("/join/")).status == 200


def test_only_the_creator_can_withdraw_a_link(ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match("tic_tac_toe", **PEOPLE)
    link, form = invitation(room), room.form("/withdraw")
    bob.named("Bob")
    token = bob.open("/name").form("/name").fields["csrf_token"]
    assert bob.send(form, csrf_token=token).status == 403
    assert bob.open(link).status == 200


def test_a_link_works_once_even_if_the_seat_is_open_again(ann: Visitor, bob: Visitor, app: Flask) -> None:
    """After a friend joins by a link and leaves, the old link is invalid and the creator gets a new one."""
    room = ann.new_match("pie_contest", seats="3", seat0="me", seat1="friend", seat2="friend")
    links = [field["value"] for field in room.all("input") if "/join/1/" in field.get("value", "").replace(
        match_id_of(room) + "/", "")]  # fmt: skip
    table = bob.send(bob.open(links[0]).form("/join/"))
    bob.send(table.form("/leave"))
    assert Visitor(app).open(links[0]).status == 404
    again = [field["value"] for field in ann.open(room.path).all("input") if "/join/" in field.get("value", "")]
    assert links[0] not in again
    assert Visitor(app).open(again[0]).status == 200


# -- random seats ----------------------------------------------------------------------------------------------


def test_random_seats_are_drawn_when_everyone_has_joined(app: Flask, services: Services) -> None:
    """The open match says that seats are random, its history names the seats drawn, and each player gets their own."""
    seen = set()
    for number in range(40):
        ann, bob = Visitor(app).named(f"Ann {number}"), Visitor(app).named(f"Bob {number}")
        room = ann.new_match("tic_tac_toe", seating="chance", **PEOPLE)
        assert "drawn at random once everyone has joined" in room.text
        table = bob.send(bob.open(invitation(room)).form("/join/"))
        head = services.matches.repository.load(match_id_of(room))
        first = services.accounts.players.find(head.seats[0].player or "")
        assert first is not None
        assert f"The seats are drawn: {first.name} is cross" in table.text
        mover = ann if first.name == f"Ann {number}" else bob
        assert "Your turn" in mover.open(room.path).text
        seen.add(first.name.split()[0])
        if len(seen) == 2:
            break
    assert seen == {"Ann", "Bob"}


# -- finding a table ----------------------------------------------------------------------------------------------


@pytest.fixture
def tables(app: Flask, project: Project) -> dict[str, str]:
    """Matches of many kinds, as id by name."""
    ann = Visitor(app).named("Ann")
    made = {
        "bot": ann.new_match("tic_tac_toe", seat0="me", seat1="bot:random"),
        "seat": ann.new_match("tic_tac_toe", seat0="me", seat1="anyone", clock="3d"),
        "rated": ann.new_match("tic_tac_toe", seat0="me", seat1="anyone", rated="yes", clock="3d+12h"),
        "friend": ann.new_match("mice_cake", seat0="me", seat1="friend"),
        "private": ann.new_match("mice_cake", seat0="me", seat1="anyone", private="yes"),
    }
    project()
    return {name: match_id_of(page) for name, page in made.items()}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", {"bot", "seat", "rated", "friend"}),
        ("game=mice_cake", {"friend"}),
        ("status=playing", {"bot"}),
        ("seats=free", {"seat", "rated"}),
        ("seats=full", {"bot", "friend"}),
        ("rated=yes", {"rated"}),
        ("rated=no", {"bot", "seat", "friend"}),
        ("clock=none", {"bot", "friend"}),
        ("clock=per_move", {"seat"}),
        ("clock=bank", {"rated"}),
        ("bots=yes", {"bot"}),
        ("bots=no&seats=free&rated=no", {"seat"}),
        ("game=&status=&seats=&rated=&clock=&bots=", {"bot", "seat", "rated", "friend"}),
    ],
)
def test_filters_select_the_matching_matches(bob: Visitor, tables: dict[str, str], asked: str, found: set[str]) -> None:
    page = bob.open(f"/matches?{asked}")
    assert_well_formed(page)
    listed = {name for name, match in tables.items() if f"/matches/{match}" in page.reader.links}
    assert listed == found


@pytest.mark.parametrize(
    "asked", ["game=chess", "status=lost", "seats=1", "rated=maybe", "clock=3d", "bots=2", "cursor=x", "cursor=%00"]
)
def test_an_invalid_filter_is_refused(bob: Visitor, asked: str) -> None:
    assert bob.open(f"/matches?{asked}").status == 400


def test_paging_through_a_filtered_list_shows_each_match_once(app: Flask, services: Services, project: Project) -> None:
    """Of 66 matches every third is rated. Paging through the rated ones lists each once, newest first."""
    ann = Visitor(app).named("Ann")
    made = [
        match_id_of(ann.new_match("tic_tac_toe", seat0="me", seat1="anyone", **({} if n % 3 else {"rated": "yes"})))
        for n in range(66)
    ]
    project()
    page, seen = ann.open("/matches?rated=yes"), []
    while True:
        seen += [link[-18:] for link in page.reader.links if re.fullmatch(r"/matches/\w{18}", link)]
        older = [link for link in page.reader.links if "cursor=" in link]
        if not older:
            break
        page = ann.open(older[0])
    assert seen == made[::3][::-1]
