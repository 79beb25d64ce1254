"""The admin area and the reports: who may use them, what they do, what they show, and what they never show."""

import re
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from freezegun import freeze_time

from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.moderation.journal import OPERATOR
from service.moderation.reports import InvalidReport
from service.runtime.rate_limits import MAX_REPORTS, MAX_REPORTS_FROM
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

ADMIN_PATHS = ("/admin", "/admin/log", "/admin/find?player=Bob", "/admin/players/{bob}")


def player_id(services: Services, visitor: Visitor) -> str:
    with visitor.client.session_transaction() as session:
        return str(session["player"])


def moderator(app: Flask, services: Services, name: str = "Mona") -> Visitor:
    """Return a moderator who has just signed in with a link."""
    mona = Visitor(app).named(name)
    player = player_id(services, mona)
    services.moderation.actions.grant(player)
    with mona.client.session_transaction() as session:
        services.accounts.sessions.record_sign_in(player, session["secret"])
    return mona


def sanction(mona: Visitor, player: str, kind: str, **fields: str) -> Page:
    page = mona.open(f"/admin/players/{player}")
    form = next(form for form in page.forms(f"/admin/players/{player}") if "impose" in form.buttons.get("do", []))
    return mona.send(form, press="impose", kind=kind, **{"reason": "Rude texts.", **fields})


# -- who may use the admin area ---------------------------------------------------------------------------------------


def test_the_admin_area_does_not_exist_for_anyone_but_moderators(app: Flask, services: Services) -> None:
    ann, bob, guest = Visitor(app).named("Ann"), Visitor(app).named("Bob"), Visitor(app)
    services.accounts.arbiters.add(player_id(services, ann))
    for path in ADMIN_PATHS:
        for reader in (ann, bob, guest):
            page = reader.open(path.format(bob=player_id(services, bob)))
            assert page.status == 404
            assert "moderat" not in page.text.lower()


def test_every_action_is_refused_to_others_even_with_a_copied_form(app: Flask, services: Services) -> None:
    mona, ann, bob = moderator(app, services), Visitor(app).named("Ann"), Visitor(app).named("Bob")
    target = player_id(services, bob)
    for form in mona.open(f"/admin/players/{target}").forms("/admin/"):
        form.fields["csrf_token"] = ann.open("/name").form("/name").fields["csrf_token"]
        form.fields["reason"] = "Just so"
        for do in ("impose", "rename", "lift"):
            assert ann.post(form, press=do, kind="ban").status_code == 404
    assert services.moderation.sanctions.of(target) == []


def test_a_moderator_must_have_signed_in_within_30_minutes(app: Flask, services: Services) -> None:
    # given: a moderator in an old session, such as one that somebody else found open
    mona = Visitor(app).named("Mona")
    services.moderation.actions.grant(player_id(services, mona))
    page = mona.open("/admin")
    assert page.status == 403
    assert "Sign in again" in page.text or "command line" in page.text
    # when: she has signed in
    with mona.client.session_transaction() as session:
        services.accounts.sessions.record_sign_in(player_id(services, mona), session["secret"])
    assert mona.open("/admin").status == 200
    # then: only for 30 minutes, by the server's own clock
    key = next(iter(services.runtime.redis.scan_iter(match="ct:signed-in:*")))
    assert 0 < services.runtime.redis.ttl(key) <= 30 * 60
    services.runtime.redis.delete(key)
    assert mona.open("/admin").status == 403


def magic_link(services: Services, address: str, player: str | None) -> str:
    """Send a magic link and return its path."""
    services.accounts.magic_links.send(address, player)
    letter = services.runtime.redis.zrange("ct:errands", -1, -1)[0].decode()
    return f"/sign-in/{services.accounts.magic_links.token_of(letter)}"


@pytest.mark.parametrize("own", ["mona@example.org", None])
def test_an_old_session_of_a_moderator_cannot_be_renewed_with_another_address(
    app: Flask, services: Services, own: str | None
) -> None:
    # given: Eve has found an old session of Mona, and requests a link to an address of her own
    mona = Visitor(app).named("Mona")
    target = player_id(services, mona)
    if own:
        services.notifications.preferences.set_address(target, own)
    services.moderation.actions.grant(target)
    path = magic_link(services, "eve@example.org", target)
    # when
    page = mona.send(mona.open(path).form("/sign-in/"))
    # then: nothing has changed
    assert page.status == 410
    assert "A moderator's email address can only be changed within 30 minutes" in page.text
    found = services.notifications.preferences.get(target).address
    assert (found.text if found else None) == own
    assert mona.open("/admin").status == 403


def test_a_moderator_who_has_just_signed_in_can_change_the_address(app: Flask, services: Services) -> None:
    # given
    mona = Visitor(app).named("Mona")
    target = player_id(services, mona)
    services.notifications.preferences.set_address(target, "mona@example.org")
    services.moderation.actions.grant(target)
    # when: she signs in with her address, then confirms another one
    for address in ("mona@example.org", "new@example.org"):
        assert mona.send(mona.open(magic_link(services, address, target)).form("/sign-in/")).status == 200
        assert mona.open("/admin").status == 200
    # then
    found = services.notifications.preferences.get(target).address
    assert found is not None
    assert found.text == "new@example.org"


def test_only_the_command_line_makes_moderators(app: Flask, services: Services) -> None:
    mona, bob = moderator(app, services), Visitor(app).named("Bob")
    target = player_id(services, bob)
    page = mona.open(f"/admin/players/{target}")
    for form in page.forms("/admin/"):
        for do in ("grant", "promote", "moderator"):
            mona.post(form, do=do, kind=do, reason="Just so")
    assert services.moderation.moderators.player_ids() == [player_id(services, mona)]


def test_moderators_cannot_act_against_themselves_or_each_other(app: Flask, services: Services) -> None:
    mona, other = moderator(app, services), moderator(app, services, "Otto")
    for player in (player_id(services, mona), player_id(services, other)):
        assert sanction(mona, player, "ban").status == 422
        assert services.moderation.sanctions.of(player) == []


# -- actions ----------------------------------------------------------------------------------------------------------


def test_a_muted_player_writes_nothing_that_others_read(app: Flask, services: Services) -> None:
    # given: a match of Ann and Bob
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    mona = moderator(app, services)
    # when: Bob is muted for three days
    page = sanction(mona, player_id(services, bob), "mute", days="3")
    # then
    assert "Muted until" in page.text
    refused = bob.send(bob.open("/name").form("/name"), name="Rude Words")
    assert refused.status == 422
    assert "You can't write in disputes or change your name until" in refused.text
    assert "Reason: Rude texts." in refused.text
    form = bob.open(f"/matches/{match}/disputes").form("/disputes")
    assert bob.send(form, claim="Rude words", ground="other", ply="2").status == 422
    assert services.matches.repository.load(match).disputes == ()
    assert "You can't write in disputes or change your name until" in bob.open("/account").text
    # and: once it is lifted, everything works again
    lift = mona.open(f"/admin/players/{player_id(services, bob)}").forms("/admin/")[0]
    mona.send(lift, press="lift", reason="Enough.")
    assert bob.named("Bobby").open("/name").status == 200


def test_a_muted_player_is_refused_by_the_api_too(app: Flask, services: Services) -> None:
    _, token = services.accounts.players.register("Rudi")
    rudi = services.accounts.players.find_token(token)
    assert rudi is not None
    services.moderation.actions.impose(OPERATOR, rudi.player, "mute", "Rude texts.", None)
    seats = (SeatSpec("human", player=rudi.player), SeatSpec("bot", level="random"))
    match = services.matches.creation.create(rudi.player, "tic_tac_toe", seats, {}).match
    answer = app.test_client().post(
        f"/api/v1/matches/{match.id}/disputes",
        json={"ply": 2, "ground": "move", "claim": "Rude words"},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert (answer.status_code, answer.json["code"]) == (403, "muted")  # type: ignore[index]


def test_a_suspended_player_cannot_start_or_join_matches_but_can_finish_them(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    mona, target = moderator(app, services), player_id(services, bob)
    open_match = match_id_of(ann.new_match("tic_tac_toe", seat0="me", seat1="anyone"))
    sanction(mona, target, "suspend", days="7")
    # joining and starting, on the pages and in the API
    assert services.matches.repository.load(open_match).open_seats
    page = bob.open(f"/matches/{open_match}")
    for form in page.forms("/seats"):
        assert "You can't start or join matches until" in bob.send(form).text
    assert "You can't start or join matches until" in bob.new_match("tic_tac_toe", seat0="me", seat1="bot:random").text
    token = services.accounts.players.new_token(target, "play", "Phone")
    seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
    for path, body in (
        ("/api/v1/matches", {"game": "tic_tac_toe", "seats": seats}),
        (f"/api/v1/matches/{open_match}/seats/1", {}),
    ):
        answer = app.test_client().post(path, json=body, headers={"Authorization": f"Bearer {token}"})
        assert (answer.status_code, answer.json["code"]) == (403, "suspended"), answer.text  # type: ignore[index]
    assert services.matches.repository.load(open_match).open_seats, "he has not taken the seat"
    # the running match continues
    resigned = services.matches.commands.submit(match, Play(1, {"type": "resign"}), IdempotencyKey(target, "resign"))
    assert resigned.match.status == "over"
    # but neither a rematch nor a fork of it can be started
    again = bob.open(f"/matches/{match}")
    for page in (bob.send(again.form("/rematch")), bob.send(bob.open(f"/matches/{match}/fork?ply=4").form("/fork"))):
        assert page.status in (403, 409, 422)
        assert "You can't start or join matches until" in page.text


def test_a_suspension_ends_automatically(app: Flask, services: Services) -> None:
    bob = Visitor(app).named("Bob")
    target = player_id(services, bob)
    services.moderation.actions.impose(OPERATOR, target, "suspend", "Stalling.", 2)
    with freeze_time() as frozen:
        frozen.tick(timedelta(days=1, hours=23))
        assert services.moderation.sanctions.find(target, "suspend") is not None
        frozen.tick(timedelta(hours=2))
        assert services.moderation.sanctions.find(target, "suspend") is None
        assert services.moderation.sanctions.players() == []


def test_nobody_can_report_themselves(app: Flask, services: Services) -> None:
    bob = player_id(services, Visitor(app).named("Bob"))
    with pytest.raises(InvalidReport, match="You can't report yourself"):
        services.moderation.reports.add(bob, bob, "cheating", "Look at me.")
    assert services.moderation.reports.open_reports() == []


def test_a_moderator_can_say_that_a_banned_player_cheated(app: Flask, services: Services) -> None:
    mona, bob = moderator(app, services), Visitor(app).named("Bob")
    target = player_id(services, bob)
    refused = sanction(mona, target, "mute", cheated="yes")
    assert refused.status == 422
    assert "Only a ban without a time limit takes a player's results out of the ratings." in refused.text
    sanction(mona, target, "ban", cheated="yes")
    assert services.read_models.rating_trust.current().excluded == {target}
    assert services.moderation.log.newest(1)[0].cheated


def test_a_banned_player_is_signed_out_and_cannot_sign_in(app: Flask, services: Services, project: Any) -> None:
    # given: Bob has a session, a token, an address, a running match and an open one
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    target = player_id(services, bob)
    lobby = match_id_of(bob.new_match("tic_tac_toe", seat0="me", seat1="anyone"))
    token = services.accounts.players.new_token(target, "play", "Phone")
    services.notifications.preferences.set_address(target, "bob@example.org")
    services.notifications.preferences.set_webhook(target, "https://example.org/bob")
    project()
    # when
    mona = moderator(app, services)
    assert "Banned until further notice" in sanction(mona, target, "ban").text
    # then: nothing acts for him any more
    assert services.accounts.players.find_token(token) is None
    assert services.moderation.sanctions.is_banned(target)
    assert services.notifications.preferences.get(target).webhook is None
    assert "Bob" not in bob.open("/account").text
    assert services.matches.repository.load(lobby).status == "over"
    # and: a link to his address does not let him in, and says why
    services.accounts.magic_links.send("bob@example.org", None)
    letter = services.runtime.redis.zrange("ct:errands", -1, -1)[0].decode()
    link = f"/sign-in/{services.accounts.magic_links.token_of(letter)}"
    page = bob.open(link)
    refused = bob.send(page.form("/sign-in/"))
    assert refused.status == 403
    assert "This account is banned until further notice. Reason: Rude texts." in refused.text
    assert "Bob" not in bob.open("/account").text
    # and: his running match is left to its clock
    assert services.matches.repository.load(match).status == "playing"


def test_a_renamed_player_finds_a_notice_and_can_dismiss_it(app: Flask, services: Services) -> None:
    mona, bob = moderator(app, services), Visitor(app).named("Rude Words")
    target = player_id(services, bob)
    form = mona.open(f"/admin/players/{target}").forms("/admin/")[-1]
    mona.send(form, press="rename", name="", reason="This name insults others.")
    found = services.accounts.players.find(target)
    assert found is not None
    assert found.name != "Rude Words"
    for path in ("/", "/name", "/account"):
        page = bob.open(path)
        assert f"Your name was changed from Rude Words to {found.name}" in page.text
        assert "This name insults others." in page.text
    bob.send(bob.open("/").form("/name/notice"))
    assert "Your name was changed" not in bob.open("/").text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"reason": " "}, "Enter a reason."),
        ({"reason": "m" * 301}, "Your reason has 301 characters."),
        ({"days": "0"}, "A sanction lasts 1 to 3650 days"),
        ({"days": "99999"}, "A sanction lasts 1 to 3650 days"),
        ({"days": "a week"}, "Enter the number of days"),
        ({"kind": "quarter"}, "Choose a sanction."),
    ],
)
def test_a_bad_form_is_refused_with_a_reason(app: Flask, services: Services, fields: Any, words: str) -> None:
    mona, bob = moderator(app, services), Visitor(app).named("Bob")
    target = player_id(services, bob)
    page = sanction(mona, target, **{"kind": "mute", **fields})
    assert page.status == 422
    assert words in page.text
    assert services.moderation.sanctions.of(target) == []


# -- reports ----------------------------------------------------------------------------------------------------------


def test_a_report_from_a_match_reaches_the_moderators_and_is_closed(
    app: Flask, services: Services, project: Any
) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    project()
    # when: Ann reports Bob from the match
    form = ann.open(ann.open(f"/matches/{match}").link("/report")).form("/report")
    thanks = ann.send(form, subject="stalling", text="He <b>never</b> moves.")
    assert "A moderator will look at your report." in thanks.text
    # then: moderators see it, escaped, with a link to the match
    mona = moderator(app, services)
    page = mona.open("/admin")
    assert "He <b>never</b> moves." in page.text
    assert page.link(f"/matches/{match}")
    mona.send(page.form("/admin/reports/"), note="Warned.")
    assert "There are no open reports." in mona.open("/admin").text
    assert "Warned." in mona.open(f"/admin/players/{player_id(services, bob)}").text
    # and: a second close is refused
    assert mona.send(page.form("/admin/reports/"), note="Again.").status == 422


def test_a_name_can_be_reported_from_the_profile(app: Flask, services: Services, ann: Visitor) -> None:
    bob, ann = Visitor(app).named("Bob"), ann.named("Ann")
    profile = f"/players/{player_id(services, bob)}"
    assert "/report" not in bob.open(profile).html, "nobody reports themselves"
    form = ann.open(ann.open(profile).link("/report")).form("/report")
    assert ann.send(form, subject="name").status == 200
    again = ann.send(form, subject="name")
    assert again.status == 422
    assert "You have already reported this." in again.text
    assert [(each.subject, each.text) for each in services.moderation.reports.open_reports()] == [("name", "")]


def test_reports_are_limited_and_checked(app: Flask, services: Services, ann: Visitor) -> None:
    bob, ann = Visitor(app).named("Bob"), ann.named("Ann")
    path = f"/players/{player_id(services, bob)}/report"
    assert Visitor(app).open(path).status == 403
    assert ann.open(f"{path}?match=00aaaaaaaaaaaaaaaa").status == 404
    assert ann.open("/players/p_nobody/report").status == 404
    form = ann.open(path).form("/report")
    assert ann.send(form, subject="other", text="m" * 501).status == 422
    assert ann.send(form, subject="mood").status == 422
    statuses = [ann.send(form, subject="other", text="x").status for _ in range(MAX_REPORTS)]
    assert statuses[-1] == 429
    assert len(services.moderation.reports.open_reports()) == 1


def test_reports_of_many_guests_at_one_address_are_limited(app: Flask, services: Services) -> None:
    path = f"/players/{services.accounts.players.create('Bob').id}/report"
    statuses = []
    for number in range(MAX_REPORTS_FROM + 1):
        guest = Visitor(app, environ_base={"REMOTE_ADDR": "203.0.113.7"}).named(f"Sock {number}")
        statuses.append(guest.send(guest.open(path).form("/report"), subject="name").status)
    assert statuses == [200] * MAX_REPORTS_FROM + [429]


def test_a_name_that_is_spelled_like_an_id_does_not_lead_to_another_player(app: Flask, services: Services) -> None:
    mona, bob = moderator(app, services), services.accounts.players.create("Bob").id
    services.accounts.players.create(bob)  # somebody takes Bob's id as their name
    page = mona.open(f"/admin/find?player={bob}")
    assert page.path == f"/admin/players/{bob}"
    assert mona.open("/admin/find?player=b0b").path == f"/admin/players/{bob}"
    assert "There is no player with this id or name." in mona.open("/admin/find?player=Nobody").text


def test_the_report_of_an_erased_author_loses_its_text(app: Flask, services: Services) -> None:
    ann, bob = Visitor(app).named("Ann"), Visitor(app).named("Bob")
    author, target = player_id(services, ann), player_id(services, bob)
    services.moderation.reports.add(author, target, "other", "My secret story")
    services.moderation.actions.impose(OPERATOR, author, "mute", "Rude texts.", None)
    services.accounts.eraser.erase(author)
    (report,) = services.moderation.reports.open_reports()
    assert (report.by, report.text) == (None, "")
    assert services.moderation.sanctions.of(author) == []


# -- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_says_who_did_what_and_holds_no_names(app: Flask, services: Services) -> None:
    mona, bob = moderator(app, services), Visitor(app).named("Rude Words")
    target = player_id(services, bob)
    sanction(mona, target, "suspend", days="5")
    form = mona.open(f"/admin/players/{target}").forms("/admin/")[-1]
    mona.send(form, press="rename", name="Kind Words", reason="An insult.")
    entries = services.moderation.log.newest()
    assert [(each.action, each.by, each.player) for each in entries] == [
        ("rename", player_id(services, mona), target),
        ("suspend", player_id(services, mona), target),
        ("grant", OPERATOR, player_id(services, mona)),
    ]
    stored = b"".join(services.runtime.redis.lrange("ct:moderation-log", 0, -1)).decode()
    assert "Rude Words" not in stored
    assert "Kind Words" not in stored
    page = mona.open("/admin/log")
    assert "suspended" in page.text
    assert "the operator appointed as moderator" in page.text
    assert f"until {entries[1].until:%-d %B %Y}" in page.text


# -- what moderators do not see ---------------------------------------------------------------------------------------


def world(app: Flask, services: Services, seed: bytes) -> list[str]:
    """Return the admin pages about a player in a running match, with hands and dice that depend on the seed."""
    services.runtime.redis.flushdb()
    with freeze_time("2026-03-01 08:00:00"):
        mona, bob = moderator(app, services), Visitor(app).named("Bob")
        target = player_id(services, bob)
        seats = (SeatSpec("human", player=target), SeatSpec("bot", level="random"))
        match: AnyMatch = services.matches.creation.create(
            target, "bakers_brawl", seats, {}, seed=seed, by=IdempotencyKey("test", "match")
        ).match
        services.moderation.reports.add(player_id(services, mona), target, "cheating", "Look.", match.id)
        paths = ("/admin", "/admin/log", f"/admin/players/{target}", "/admin/find?player=Bob")
        pages = [mona.open(path).html for path in paths]
        assert match.id in pages[0]
        assert seed.hex() not in "".join(pages)
        ids = {target: "bob", player_id(services, mona): "mona"}
        return [masked(page, ids) for page in pages]


def masked(page: str, ids: dict[str, str]) -> str:
    """Return a page without the random ids and tokens that differ between any two runs."""
    for found, word in ids.items():
        page = page.replace(found, word)
    page = re.sub(r"r_[0-9a-f]{16}", "report", page)
    return re.sub(r'name="csrf_token" value="[^"]*"', "", page)


def test_two_worlds_with_different_hands_and_seeds_look_the_same_to_a_moderator(app: Flask, services: Services) -> None:
    services.runtime.redis.set("ct:secret", services.runtime.secret)
    one, other = (world(app, services, bytes([number]) * 32) for number in (1, 2))
    assert one == other
