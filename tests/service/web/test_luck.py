"""Shares of the luck on the pages: sitting down with and without the page's script, and opening shares.

The script fills fields of the forms. These tests fill them in the same way; tests/browser/test_luck.py runs the script.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from domain.kernel.luck import share_seal, table_hash
from domain.match.commands import CloseLobby
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import CLOCK_AUTHOR, IdempotencyKey
from service.web.match_history import event_lines, stored_events
from service.web.seating import seat_infos
from tests.service.web.visitors import Page, Visitor, match_id_of

SHARE, OTHER = "20" * 32, "40" * 32
TRUST = "you have to trust the server."


def load(services: Services, page: Page) -> AnyMatch:
    """Return the match on a page."""
    return services.matches.repository.load(match_id_of(page))


def sit_down(visitor: Visitor, page: Page, services: Services, seat: int, share: str) -> Page:
    """Send the form for a seat with this share or its seal, as the page's script does."""
    match = load(services, page)
    assert match.luck
    fields = {"commitment": match.commitment, "share": share}
    if match.luck.level == "sealed":
        fields = {**fields, "share": "", "seal": share_seal(match.id, seat, match.commitment, share)}
    action = "/join/" if "/join/" in page.path else f"/seats/{seat}"
    return visitor.send(page.form(action), **fields)


def invitation(room: Page) -> str:
    """Return the invite link shown to the creator."""
    return next(field["value"] for field in room.all("input") if "/join/" in field.get("value", ""))


def open_share(visitor: Visitor, page: Page, services: Services, share: str, table: str | None = None) -> Page:
    """Open a share from the page of a match, as the page's script does."""
    match = load(services, page)
    table = table or table_hash(match.id, match.commitment, [seat.seal for seat in match.seats])
    form = next(form for form in visitor.open(page.path).reader.forms if "csrf_token" in form.fields)
    form.action = f"/matches/{match.id}/share"
    return visitor.send(form, table=table, share=share)


@pytest.fixture
def full(ann: Visitor, bob: Visitor, services: Services) -> Page:
    """A sealed match between Ann and Bob with all seats taken."""
    room = ann.named("Ann").new_match(shares="sealed", seat1="friend")
    sit_down(ann, room, services, 0, SHARE)
    return sit_down(bob.named("Bob"), bob.open(invitation(room)), services, 1, OTHER)


# -- without the page's script ------------------------------------------------------------------------------------


def test_without_the_script_the_creator_is_seated_immediately_without_a_share(ann: Visitor, services: Services) -> None:
    form = ann.open("/new/mice_cake")
    assert TRUST in form.text
    page = ann.send(form.form("/new/"))
    match = load(services, page)
    assert (match.status, match.seats[0].share, match.shares) == ("playing", None, (None, None))
    assert "You didn't add a share of the luck, so you have to trust the server." in page.text
    assert "without a share of the luck" in page.text


def test_without_the_script_an_invited_player_adds_no_share(ann: Visitor, bob: Visitor, services: Services) -> None:
    room = ann.new_match(seat1="friend")
    page = bob.open(invitation(room))
    assert TRUST in page.text
    table = bob.send(page.form("/join/"))
    assert load(services, table).shares == (None, None)
    assert "You didn't add a share of the luck," in table.text


def test_forms_have_no_client_seed(ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match(seat1="friend")
    for page in (ann.open("/new/mice_cake"), room, bob.open(invitation(room))):
        assert "client_seed" not in page.html


# -- with the page's script ---------------------------------------------------------------------------------------


def test_with_the_script_the_seat_is_kept_until_the_share_comes(ann: Visitor, services: Services) -> None:
    room = ann.new_match(shares="default")
    match = load(services, room)
    assert (match.status, match.luck and match.luck.level) == ("open", "open")
    assert "Sit down to begin." in room.text
    assert "/join/" not in room.html, "the creator's own seat has no invite link"
    table = sit_down(ann, room, services, 0, SHARE)
    assert load(services, table).shares == (SHARE, None)
    assert "joins as yellow, with a share of the luck." in table.text
    assert "All other seats are house bots, which add no shares." in table.text


def test_nobody_else_gets_a_seat_that_is_kept(ann: Visitor, bob: Visitor, services: Services) -> None:
    room = ann.named("Ann").new_match(shares="default", seat1="anyone")
    seen = bob.open(room.path)
    assert "waiting for Ann to sit down" in seen.text
    assert "Waiting for Ann to sit down, and for someone to play blue." in seen.text
    form = seen.form("/seats/1")
    form.action = form.action.replace("/seats/1", "/seats/0")
    assert bob.send(form).status == 404
    assert load(services, room).open_seats == (0, 1)


def test_without_a_free_seat_everyone_sees_who_must_sit_down(ann: Visitor, bob: Visitor) -> None:
    room = ann.named("Ann").new_match(shares="default")
    assert "Waiting for Ann to sit down." in bob.open(room.path).text


def test_one_player_sits_down_in_two_kept_seats(ann: Visitor, services: Services) -> None:
    room = ann.new_match(shares="default", seat1="me")
    room = sit_down(ann, room, services, 0, SHARE)
    assert load(services, room).status == "open"
    assert load(services, sit_down(ann, room, services, 1, SHARE)).shares == (SHARE, SHARE)


def test_quick_play_keeps_the_seat_with_the_script(ann: Visitor, services: Services) -> None:
    room = ann.send(ann.open("/").form("/play"), press="greedy", shares="default")
    assert load(services, room).seats[0].reserved_for
    assert load(services, sit_down(ann, room, services, 0, SHARE)).status == "playing"


@pytest.mark.parametrize(
    ("fields", "level"),
    [({}, "open"), ({"rated": "yes", "seat1": "anyone"}, "sealed"), ({"shares": "sealed"}, "sealed")],
)
def test_a_match_is_sealed_if_it_is_rated_or_the_creator_chose_so(
    ann: Visitor, services: Services, fields: dict[str, str], level: str
) -> None:
    match = load(services, ann.new_match(**{"shares": "default", **fields}))
    assert match.luck
    assert match.luck.level == level


def test_a_rated_match_cannot_be_open(ann: Visitor) -> None:
    page = ann.new_match(shares="open", rated="yes", seat1="anyone")
    assert page.status == 422
    assert "A rated match must be sealed" in page.text


def test_a_practice_match_needs_no_shares(ann: Visitor, services: Services) -> None:
    page = ann.new_match(shares="default", seed="c0ffee")
    assert load(services, page).status == "playing"
    assert "Someone chose the seed" in page.text
    assert TRUST not in page.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"commitment": "0" * 64}, "Your share was made for a different commitment"),
        ({"share": "x"}, "64 lower-case hex digits"),
        ({"share": "0" * 64}, "64 lower-case hex digits"),
        ({"share": "", "seal": SHARE}, "players send a share"),
    ],
)
def test_a_wrong_share_is_refused_and_the_seat_stays_free(
    ann: Visitor, services: Services, fields: dict[str, str], words: str
) -> None:
    room = ann.new_match(shares="default")
    commitment = load(services, room).commitment
    page = ann.send(room.form("/seats/0"), **{"commitment": commitment, "share": SHARE, **fields})
    assert page.status == 409
    assert words in page.text
    assert load(services, room).status == "open"
    assert "data-now" not in page.html, "a refused share is not sent again automatically"


# -- opening ------------------------------------------------------------------------------------------------------


def test_a_full_sealed_match_waits_for_every_share(full: Page, ann: Visitor, app: Flask) -> None:
    page = ann.open(full.path)
    assert "Open the match to begin." in page.text
    assert page.text.count("sealed share, not opened") >= 2
    assert "the match is cancelled, and this counts against the players who didn't open" in page.text
    assert not page.forms("/leave")
    assert not page.forms("/cancel")
    assert "The players are opening their shares." in Visitor(app).open(full.path).text
    assert SHARE not in page.html, "the server doesn't know the share yet"


def test_the_last_share_starts_the_match(full: Page, ann: Visitor, bob: Visitor, services: Services) -> None:
    page = open_share(ann, full, services, SHARE)
    assert "Waiting for Bob to open the match." in page.text
    assert "Ann opens their share of the luck." in page.text
    page = open_share(bob, full, services, OTHER)
    match = load(services, page)
    assert (match.status, match.shares) == ("playing", (SHARE, OTHER))
    assert page.text.count("share opened") == 2
    # repeating an opening changes nothing
    assert open_share(ann, full, services, SHARE).status == 200
    assert load(services, page).ply == match.ply


def test_a_share_for_another_table_is_refused(full: Page, ann: Visitor, services: Services) -> None:
    page = open_share(ann, full, services, SHARE, table="0" * 64)
    assert page.status == 409
    assert "Your table differs from the table of this match." in page.text
    assert open_share(ann, full, services, OTHER).status == 409
    assert load(services, page).status == "opening"


def test_an_incomplete_opening_is_refused(full: Page, ann: Visitor, services: Services) -> None:
    form = ann.open(full.path).form("/share")
    assert ann.send(form).status == 400
    assert load(services, full).status == "opening"


def test_the_lobby_lists_a_match_that_waits_for_my_share(
    full: Page, ann: Visitor, bob: Visitor, services: Services, project: Callable[[], None]
) -> None:
    open_share(bob, full, services, OTHER)
    project()
    home = ann.open("/")
    assert "1 waiting" in home.title
    assert "Open the match to begin." in home.text
    assert f'data-match="{match_id_of(full)}" data-unopened="0"' in home.html
    assert "Waiting for Ann to open the match." in bob.open("/").text


def test_a_lost_share_cancels_the_match(full: Page, ann: Visitor, services: Services) -> None:
    page = ann.open(full.path)
    page = ann.send(page.form("/share"), lost="yes")
    assert load(services, page).status == "over"
    assert "Ann lost their share, so the match was cancelled." in page.text
    assert "The match was cancelled" in page.text


def test_a_share_that_is_not_opened_cancels_the_match(full: Page, ann: Visitor, app: Flask, services: Services) -> None:
    match = load(services, full)
    open_share(ann, full, services, SHARE)
    late = datetime.now(UTC) + timedelta(days=4)
    services.runtime.clock.now = lambda: late  # type: ignore[method-assign]
    try:
        services.matches.commands.submit(match.id, CloseLobby(), IdempotencyKey(CLOCK_AUTHOR, "late"))
        page = Visitor(app).open(full.path)
    finally:
        del services.runtime.clock.now  # type: ignore[method-assign]
    assert "Bob did not open their share in time, so the match was cancelled." in page.text


def test_discarded_tables_are_shown_before_the_next_match(
    full: Page, ann: Visitor, bob: Visitor, project: Callable[[], None]
) -> None:
    page = ann.open(full.path)
    assert "Discarded matches" not in page.text
    ann.send(page.form("/share"), lost="yes")
    project()
    room = ann.new_match(shares="sealed", seat1="friend")
    assert "Discarded matches" not in room.text, "Ann has not sat down yet"
    room = ann.send(room.form("/seats/0"))
    assert "or by aborting before their first move: Ann: 1." in bob.open(room.path).text


def test_seats_drawn_by_chance_keep_the_names_of_their_shares(ann: Visitor, bob: Visitor, services: Services) -> None:
    room = ann.named("Ann").new_match(shares="sealed", seat1="friend", seating="chance")
    sit_down(ann, room, services, 0, SHARE)
    sit_down(bob.named("Bob"), bob.open(invitation(room)), services, 1, OTHER)
    open_share(ann, room, services, SHARE)
    page = open_share(bob, room, services, OTHER)
    match = load(services, page)
    with ann.client.application.test_request_context():
        table = seat_infos(match, None)
        told = [line for e in services.matches.repository.visible_events(match, None, after=0)
                for line in event_lines(match, e, table, stored_events(match))]  # fmt: skip
    assert "Ann opens their share of the luck." in told
    assert "Bob opens their share of the luck." in told


# -- forks, rematches, takebacks ----------------------------------------------------------------------------------


def finished(ann: Visitor, **fields: str) -> Page:
    """Return the page of a match that Ann has resigned."""
    table = ann.new_match("tic_tac_toe", **fields)
    return ann.send(table.form("/moves"), do="resign")


def test_a_rematch_sits_down_with_shares(ann: Visitor, bob: Visitor, services: Services) -> None:
    room = ann.new_match("tic_tac_toe", seat1="friend")
    over = bob.send(bob.open(invitation(room)).form("/join/"))
    over = ann.send(ann.open(over.path).form("/moves"), do="resign")
    # the first player's seat is kept; the second player's browser sits down by invitation
    again = ann.send(over.form("/rematch"), shares="default")
    assert "Sit down to begin." in again.text
    assert load(services, again).open_seats == (0, 1)
    invited = bob.send(bob.open(over.path).form("/rematch"), shares="default")
    assert re.search(r"/join/\w+/0/", invited.path)
    assert "data-now" in invited.html
    sit_down(bob, invited, services, 0, OTHER)
    assert load(services, sit_down(ann, again, services, 1, SHARE)).shares == (OTHER, SHARE)


def test_a_fork_offers_the_same_luck_only_when_the_match_is_over(ann: Visitor) -> None:
    playing = ann.new_match("tic_tac_toe", seed="c0ffee")
    page = ann.open(f"{playing.path}/fork")
    assert page.form("/fork").choices["luck"] == ["new"]
    assert "You can repeat the luck of this match once it is over." in page.text
    ann.send(playing.form("/moves"), do="resign")
    assert ann.open(f"{playing.path}/fork").form("/fork").choices["luck"] == ["new", "same"]


def test_a_fork_with_new_luck_takes_shares(ann: Visitor, services: Services) -> None:
    table = ann.new_match("mice_cake")
    over = ann.send(table.form("/moves"), do="resign")
    started = next(e.ply for e in services.matches.repository.visible_events(load(services, over), None, after=0)
                   if type(e).__name__ == "Started")  # fmt: skip
    form = ann.open(f"{over.path}/fork?ply={started}").form("/fork")
    room = ann.send(form, shares="default")
    assert load(services, room).open_seats == (0,)
    assert "data-luck" not in room.html
    assert load(services, sit_down(ann, room, services, 0, SHARE)).shares == (SHARE, None)
    same = ann.send(ann.open(f"{over.path}/fork?ply={started}").form("/fork"), shares="default", luck="same")
    assert load(services, same).status == "playing"
    assert "So anyone can know the luck in advance." in same.text


# -- the page about trust -----------------------------------------------------------------------------------------


def test_the_page_about_trust_is_linked_where_players_need_it(ann: Visitor) -> None:
    page = ann.open("/trust")
    assert "They can choose the luck" in page.text
    over = finished(ann)
    for path in ("/", "/new/mice_cake", "/verify", over.path, f"{over.path}/replay"):
        assert ann.open(path).link("/trust")
