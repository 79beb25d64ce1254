"""Shares of the luck in real browsers: sitting down, sealing, opening, other devices, and servers that cheat."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from domain.kernel.luck import share_seal
from tests import plain_http
from tests.browser.conftest import WAIT_MILLISECONDS, OpenBrowser, running_service
from tests.browser.tables import PHONE, check_page, open_menu, resign
from tests.browser.test_three_weeks import Calendar
from tests.names import fresh_name

ROOT = Path(__file__).parents[2]
SCREENSHOT_FOLDER = os.environ.get("CRUMBTRAIL_SCREENSHOTS")
"""Optional folder for screenshots of the pages."""
STARTED = {"timeout": 2 * WAIT_MILLISECONDS}


def save_screenshot(page: Page, name: str) -> None:
    if SCREENSHOT_FOLDER:
        page.screenshot(path=Path(SCREENSHOT_FOLDER) / f"{name}.png", full_page=True)


def create(page: Page, level: str, other: str = "friend", game: str = "tic_tac_toe") -> str:
    """Create a match at a level of luck, wait until the page has sat down, and return the path of the match."""
    page.goto(f"/new/{game}")
    page.locator(f"input[name=seat1][value='{other}']").check()
    page.locator("summary", has_text=re.compile("^Luck$")).click()
    page.locator(f"input[name=shares][value={level}]").check()
    save_screenshot(page, f"new-{level}")
    page.get_by_role("button", name="Start the match").click()
    expect(page.locator(".log")).to_contain_text("joins as cross", **STARTED)
    return page.url.removeprefix(page.evaluate("location.origin"))


def share_in(page: Page, match: str) -> Any:
    """Return what this browser has stored about its share of a match."""
    text = page.evaluate("key => localStorage.getItem(key)", f"crumbtrail/share/{match.rsplit('/', 1)[1]}")
    return json.loads(text) if text else None


def luck_of(site: str, match: str) -> Any:
    """Return what the API says about the luck of a match."""
    return plain_http.get(f"{site}/api/v1{match}").json()["luck"]


def events_of(site: str, match: str) -> Any:
    """Return the events of a match."""
    return plain_http.get(f"{site}/api/v1{match}/events").json()["events"]


def join(page: Page, link: str) -> None:
    """Take the seat of an invite link."""
    page.goto(link)
    save_screenshot(page, "join")
    page.get_by_role("button", name="Join").click()
    page.wait_for_url(re.compile(r"/matches/\w{18}$"))


def resign_to_the_end(page: Page) -> None:
    resign(page)
    page.locator(".ended").wait_for()


def answer_api(page: Page, change: Any) -> None:
    """Let a cheating server change the events that this page reads."""

    def lie(route: Route) -> None:
        body = route.fetch().json()
        change(body["events"])
        route.fulfill(json=body)

    page.route(re.compile(r"/api/v1/matches/\w+/events"), lie)


# -- sitting down -------------------------------------------------------------------------------------------------


def test_quick_play_gives_a_share_and_checks_it_at_the_end(page: Page, site: str) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play Mice Cake now").click()
    page.locator(".enhanced #move").wait_for()
    match = page.url.removeprefix(site)
    mine = share_in(page, match)
    assert luck_of(site, match)["shares"] == [mine["share"], None]
    open_menu(page)
    page.locator("details.luck > summary").click()
    expect(page.locator("details.luck")).to_contain_text("So you sit down last, and an open share protects you.")
    save_screenshot(page, "playing-luck")
    resign(page)
    open_menu(page)
    page.locator("details.luck > summary").click() if not page.locator("details.luck[open]").count() else None
    expect(page.locator("#luck-check")).to_contain_text("This browser has checked the replay file")
    assert share_in(page, match)["checked"]["faults"] == []
    assert page.locator(".luck-alarm").count() == 0


def test_words_of_the_player_change_the_share_and_are_not_sent(page: Page, site: str) -> None:
    posted: list[str] = []
    page.on("request", lambda request: posted.append(request.post_data or ""))
    page.goto("/new/tic_tac_toe")
    page.locator("summary", has_text=re.compile("^Luck$")).click()
    page.get_by_label("Words of your own").fill("sesame")
    page.get_by_role("button", name="Start the match").click()
    page.locator(".enhanced #move").wait_for()
    assert len(luck_of(site, page.url.removeprefix(site))["shares"][0]) == 64
    assert not any("sesame" in text for text in posted)


def test_without_storage_the_player_sits_down_without_a_share(visitor: OpenBrowser, site: str) -> None:
    page = visitor()
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.goto("/new/tic_tac_toe")
    expect(page.locator("main")).to_contain_text("Your browser can't add a share of the luck here")
    page.get_by_role("button", name="Start the match").click()
    page.locator(".enhanced #move").wait_for()
    assert luck_of(site, page.url.removeprefix(site))["shares"] == [None, None]
    open_menu(page)
    page.locator("details.luck > summary").click()
    expect(page.locator("details.luck")).to_contain_text("You didn't add a share of the luck, so you")


def test_sitting_down_continues_after_a_reload_with_the_same_share(visitor: OpenBrowser, site: str) -> None:
    """Given a server that refuses the first share, the browser sends the same share again."""
    page = visitor()
    page.goto("/")
    page.route("**/seats/0", lambda route: route.fulfill(status=409, body="<p>busy</p>", content_type="text/html"))
    page.goto("/new/tic_tac_toe")
    page.get_by_role("button", name="Start the match").click()
    page.wait_for_function("() => document.body.textContent.includes('busy')")
    match = page.url.removeprefix(site)
    first = share_in(page, match)["share"]
    page.unroute("**/seats/0")
    page.goto(match)
    page.locator(".enhanced #move").wait_for()
    assert luck_of(site, match)["shares"] == [first, None]


def test_a_swapped_commitment_is_refused(visitor: OpenBrowser, site: str) -> None:
    """Given a server that shows a different commitment after a reload, the browser doesn't send its share."""
    page = visitor()
    page.goto("/")
    page.route("**/seats/0", lambda route: route.fulfill(status=409, body="<p>busy</p>", content_type="text/html"))
    page.goto("/new/tic_tac_toe")
    page.get_by_role("button", name="Start the match").click()
    page.wait_for_function("() => document.body.textContent.includes('busy')")
    match = page.url.removeprefix(site)
    commitment = share_in(page, match)["commitment"]
    page.unroute("**/seats/0")

    def swap(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace(commitment, "f" * 64))

    page.route(f"**{match}", swap)
    page.goto(match)
    expect(page.get_by_role("alert")).to_contain_text("the server now shows a different commitment")
    assert [event["kind"] for event in events_of(site, match)] == ["created", "seat_taken"]  # only the house bot


GIVE = """async ([match, seats, at, hasLocks]) => {
    if (!hasLocks) Object.defineProperty(navigator, "locks", { value: undefined });
    const { contribution } = await import(new URL("shares.js", document.querySelector("script[src*='/js/luck']").src));
    const terms = { match, commitment: "ab".repeat(32), level: "sealed", isSeated: false };
    await new Promise((done) => setTimeout(done, at - Date.now()));
    return Promise.all(seats.map(async (seat) => [seat, (await contribution(terms, seat)).seal]));
}"""
"""Computes what the browser sends for some seats of a sealed match, in parallel, at a given time."""


def give_at_once(pages: list[Page], match: str, seats: list[int], has_locks: bool = True) -> list[list[Any]]:
    """Let all pages take the seats at the same time, and return the pairs of seat and seal that they send."""
    at = pages[0].evaluate("Date.now()") + 1000
    for page in pages:
        page.evaluate("([give, all]) => { window.given = eval(give)(all); }", [GIVE, [match, seats, at, has_locks]])
    return [pair for page in pages for pair in page.evaluate("() => window.given")]


def assert_one_share(page: Page, match: str, sent: list[list[Any]]) -> None:
    """Assert that each seal belongs to the one stored share, and that the record has all of them."""
    mine = share_in(page, f"/matches/{match}")
    assert sent == [[seat, share_seal(match, seat, "ab" * 32, mine["share"])] for seat, _ in sent]
    assert mine["seats"] == {str(seat): seal for seat, seal in sent}


def test_two_tabs_make_one_share_for_a_match(visitor: OpenBrowser) -> None:
    one = visitor()
    two = one.context.new_page()
    for page in (one, two):
        page.goto("/")
    for match in (f"m{number}" for number in range(5)):
        assert_one_share(one, match, give_at_once([one, two], match, [0]))


@pytest.mark.parametrize("has_locks", [True, False], ids=["locks", "no locks"])
@pytest.mark.parametrize("seats", [[0, 0], [0, 1]], ids=["one seat twice", "two seats"])
def test_parallel_calls_make_one_share_and_keep_every_seat(
    visitor: OpenBrowser, seats: list[int], has_locks: bool
) -> None:
    page = visitor()
    page.goto("/")
    for match in (f"m{number}" for number in range(5)):
        assert_one_share(page, match, give_at_once([page], match, seats, has_locks))


def test_a_share_stored_by_another_tab_meanwhile_is_kept_and_used(visitor: OpenBrowser) -> None:
    """Given a browser without locks where another tab stores a share during the hashing, no second one is made."""
    page = visitor()
    page.goto("/")
    page.evaluate("""() => {
        const digest = crypto.subtle.digest.bind(crypto.subtle);
        const share = "20".repeat(32);
        const commitment = "ab".repeat(32);
        const record = { match: "m", commitment, level: "sealed", share, seats: { 1: "x" }, table: null };
        crypto.subtle.digest = async (...all) => {
            const hash = await digest(...all);
            localStorage.setItem("crumbtrail/share/m", JSON.stringify(record));
            return hash;
        };
    }""")
    [[seat, seal]] = give_at_once([page], "m", [0], has_locks=False)
    assert (seat, seal) == (0, share_seal("m", 0, "ab" * 32, "20" * 32))
    mine = share_in(page, "/matches/m")
    assert (mine["share"], mine["seats"]) == ("20" * 32, {"0": seal, "1": "x"})


# -- sealed matches -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.full), True], ids=["wide", "phone"])
def test_a_sealed_match_between_two_browsers_one_of_them_closed(visitor: OpenBrowser, site: str, phone: bool) -> None:
    # given: Ann has sealed her share and closed her browser
    ann, bob = visitor(), visitor(**(PHONE if phone else {}))
    match = create(ann, "sealed")
    save_screenshot(ann, f"waiting-{phone}")
    link = ann.locator("#link1").input_value()
    mine = share_in(ann, match)
    ann.goto("about:blank")
    # when: Bob sits down, his browser opens his share
    join(bob, link)
    expect(bob.locator("#opening-status")).to_contain_text("Your share is open.")
    expect(bob.locator("#turn")).to_contain_text("to open the match.")
    expect(bob.locator("#room")).to_contain_text("All seats are taken")
    save_screenshot(bob, f"opening-{phone}")
    check_page(bob, "a match that waits for shares", phone)
    luck = luck_of(site, match)
    assert luck["seals"][0] == mine["seats"]["0"]
    assert luck["shares"] == [None, share_in(bob, match)["share"]]
    # then: the match starts when Ann opens it again, and at the end both browsers find their shares
    ann.goto(match)
    expect(ann.locator("#turn")).to_contain_text("Your turn", **STARTED)
    expect(bob.locator("#turn")).to_contain_text("Waiting for", **STARTED)
    assert luck_of(site, match)["shares"][0] == mine["share"]
    open_menu(bob)
    bob.locator("details.luck > summary").click()
    save_screenshot(bob, f"playing-{phone}")
    check_page(bob, "the luck of a match", phone)
    resign(ann)
    expect(ann.locator("#luck-check")).to_contain_text("has checked the replay file")
    expect(bob.locator("#luck-check")).to_contain_text("has checked the replay file")


def test_the_lobby_opens_a_share(visitor: OpenBrowser, site: str) -> None:
    ann, bob = visitor(), visitor()
    match = create(ann, "sealed")
    link = ann.locator("#link1").input_value()
    ann.goto("about:blank")
    join(bob, link)
    expect(bob.locator("#opening-status")).to_contain_text("Your share is open.")
    expect(ann.locator(f"[data-match='{match.rsplit('/', 1)[1]}']")).to_have_count(0)
    for _ in range(20):  # the lists of the lobby follow within seconds
        ann.goto("/")
        if ann.locator("[data-unopened]").count():
            break
        ann.wait_for_timeout(500)
    expect(ann.locator("[data-unopened] .state")).to_contain_text("Your share is open.")
    expect(bob.locator("#turn")).to_contain_text("Waiting for", **STARTED)


def test_a_share_is_carried_to_another_device(visitor: OpenBrowser, site: str) -> None:
    # given: Ann has sealed her share in one browser, is signed in in a second one, and Bob has opened his
    ann, other, bob = visitor(), visitor(**PHONE), visitor()
    match = create(ann, "sealed")
    link = ann.locator("#link1").input_value()
    ann.locator("summary", has_text="Continue on another device").click()
    digits = ann.locator("#share-digits").input_value()
    expect(ann.locator(".qr-code svg")).to_be_visible()
    save_screenshot(ann, "carry")
    other.context.add_cookies([{**cookie, "url": site} for cookie in session_cookies(ann)])
    ann.goto("about:blank")
    join(bob, link)
    # when: she opens the match in the second browser, it has no share and says where it is
    other.goto(match)
    expect(other.locator("#opening-status")).to_contain_text("Open this match on the device where you sat down.")
    save_screenshot(other, "bring")
    check_page(other, "a match whose share is elsewhere", phone=True)
    other.get_by_label("Your share: 64 digits").fill("12" * 32)
    other.get_by_role("button", name="Use this share").click()
    expect(other.get_by_role("alert")).to_contain_text("This isn't the share that you sat down with")
    # then: with the right digits the match starts
    other.get_by_label("Your share: 64 digits").fill(digits)
    other.get_by_role("button", name="Use this share").click()
    expect(other.locator("#turn")).to_contain_text("Your turn", **STARTED)
    assert luck_of(site, match)["shares"][0] == digits


def test_the_address_in_the_code_carries_the_share(visitor: OpenBrowser, site: str) -> None:
    ann, other = visitor(), visitor()
    match = create(ann, "sealed")
    share = share_in(ann, match)["share"]
    other.context.add_cookies([{**cookie, "url": site} for cookie in session_cookies(ann)])
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url + (request.post_data or "")))
    other.goto(f"{match}#share={share}")
    expect(other.locator("#carry-share")).to_be_visible()
    assert share_in(other, match)["share"] == share
    assert not any(share in each.partition("#")[0] for each in asked), "the server must not see the share yet"
    assert "#" not in other.url


def session_cookies(page: Page) -> list[dict[str, Any]]:
    """Return the session cookie of a browser."""
    return [{"name": each["name"], "value": each["value"]} for each in page.context.cookies()]  # type: ignore[typeddict-item]


def test_a_lost_share_is_given_up_after_confirmation(visitor: OpenBrowser) -> None:
    ann, bob = visitor(), visitor()
    match = create(ann, "sealed")
    link = ann.locator("#link1").input_value()
    ann.evaluate("localStorage.clear()")
    join(bob, link)
    ann.goto(match)
    ann.locator("summary", has_text="My share is lost").click()
    save_screenshot(ann, "lost")
    ann.get_by_text("I can't open my share.").click()
    ann.get_by_role("button", name="Cancel the match").click()
    expect(ann.locator("#room")).to_contain_text("The match was cancelled")
    expect(bob.locator(".log")).to_contain_text("lost their share, so the match was cancelled.")


# -- a program as the other player --------------------------------------------------------------------------------


@contextmanager
def example_bot(site: str, folder: Path, link: str) -> Iterator[None]:
    """Run the example bot, which joins by an invite link."""
    token = plain_http.post(f"{site}/api/v1/players", json={"name": fresh_name("Robot"), "bot": True}).json()["token"]
    command = [sys.executable, "-S", str(ROOT / "examples/bot.py"), site, token, link]
    process = subprocess.Popen(command, cwd=folder)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def test_a_sealed_match_between_a_browser_and_the_example_bot(page: Page, site: str, tmp_path: Path) -> None:
    match = create(page, "sealed")
    with example_bot(site, tmp_path, page.locator("#link1").input_value()):
        expect(page.locator("#turn")).to_contain_text("Your turn", **STARTED)
        page.locator("[data-cell='4']").click()
        page.locator("#send").click()
        expect(page.locator("#turn")).to_contain_text("Your turn", **STARTED)
    assert None not in luck_of(site, match)["shares"]


# -- a player who never opens, and servers that cheat -------------------------------------------------------------


def test_a_player_who_never_opens_cancels_the_match(browser: Browser, tmp_path: Path) -> None:
    calendar = Calendar(tmp_path / "now")
    with running_service(CRUMBTRAIL_CLOCK_FILE=str(calendar.path)) as site:
        ann, bob = (browser.new_context(base_url=site, reduced_motion="reduce").new_page() for _ in "ab")
        match = create(ann, "sealed")
        link = ann.locator("#link1").input_value()
        ann.goto("about:blank")
        join(bob, link)
        expect(bob.locator("#opening-status")).to_contain_text("Your share is open.")
        calendar.turn(timedelta(days=3, seconds=1))
        expect(bob.locator("#room")).to_contain_text("The match was cancelled", timeout=60_000)
        expect(bob.locator(".log")).to_contain_text("did not open their share in time, so the match was cancelled.")
        assert events_of(site, match)[-2]["seats"] == [0]
        expect(bob.locator("#luck-check")).to_contain_text("has checked the replay file")
        for page in (ann, bob):
            page.context.close()


def test_a_server_that_never_accepts_a_share_is_reported(browser: Browser, tmp_path: Path) -> None:
    """Given a server that answers 503 to every opening, the browser repeats the same share and reports it later."""
    calendar = Calendar(tmp_path / "now")
    sent: list[str] = []
    with running_service(CRUMBTRAIL_CLOCK_FILE=str(calendar.path)) as site:
        ann, bob = (browser.new_context(base_url=site, reduced_motion="reduce").new_page() for _ in "ab")
        match = create(ann, "sealed")
        mine = share_in(ann, match)

        def refuse(route: Route) -> None:
            sent.append(route.request.post_data or "")
            route.fulfill(status=503, body="busy")

        ann.route(f"**{match}/share", refuse)
        join(bob, ann.locator("#link1").input_value())
        expect(ann.locator("#opening-status")).to_contain_text("keeps trying with the same share")
        ann.wait_for_timeout(2500)
        ann.reload()
        expect(ann.locator("#opening-status")).to_contain_text("keeps trying with the same share")
        assert len(sent) > 2
        assert {re.findall("share=([0-9a-f]{64})", body)[0] for body in sent} == {mine["share"]}
        assert len({re.findall("table=([0-9a-f]{64})", body)[0] for body in sent}) == 1
        calendar.turn(timedelta(days=3, seconds=1))
        expect(ann.locator("#room")).to_contain_text("The match was cancelled", timeout=60_000)
        alarm = ann.locator(".luck-alarm")
        expect(alarm).to_contain_text("Your share was sent, but the service didn't accept it.")
        for page in (ann, bob):
            page.context.close()


@pytest.mark.parametrize("here", [True, False], ids=["in this browser", "elsewhere"])
def test_a_sent_share_given_up_as_lost_is_reported_unless_this_browser_gave_it_up(
    visitor: OpenBrowser, site: str, here: bool
) -> None:
    # given: Ann's browser has sent her share, and the service has not accepted it
    ann, other, bob = visitor(), visitor(), visitor()
    match = create(ann, "sealed")
    ann.route(
        f"**{match}/share",
        lambda route: route.fallback() if "lost=" in (route.request.post_data or "") else route.fulfill(status=429),
    )
    bob.route(f"**{match}/share", lambda route: route.fulfill(status=429))
    join(bob, ann.locator("#link1").input_value())
    expect(ann.locator("#opening-status")).to_contain_text("keeps trying with the same share")
    # when: the match is cancelled because her share is lost, and Bob's share is opened while the box is ticked
    other.context.add_cookies([{**cookie, "url": site} for cookie in session_cookies(ann)])
    page = ann if here else other
    page.goto(match) if not here else None
    page.locator("summary", has_text="My share is lost").click()
    page.get_by_text("I can't open my share.").click()
    bob.unroute(f"**{match}/share")
    expect(page.locator("#room ~ .players")).to_contain_text("opened")
    assert page.locator("#share-lost").is_checked()
    page.get_by_role("button", name="Cancel the match").click()
    # then: her browser reports it only if she didn't say so there
    expect(ann.locator("#room")).to_contain_text("The match was cancelled", **STARTED)
    assert [event.get("reason") for event in events_of(site, match) if event["kind"] == "cancelled"] == ["lost"]
    if here:
        expect(ann.locator("#luck-check")).to_contain_text("has checked the replay file")
        assert ann.locator(".luck-alarm").count() == 0
    else:
        expect(ann.locator(".luck-alarm")).to_contain_text("Your share was sent, but the service didn't accept it.")


def test_one_failed_opening_is_repeated_with_the_same_share(visitor: OpenBrowser, site: str) -> None:
    ann, bob = visitor(), visitor()
    match = create(ann, "sealed")
    mine = share_in(ann, match)["share"]
    ann.route(f"**{match}/share", lambda route: route.abort("internetdisconnected"), times=1)
    ann.route(f"**{match}/share", lambda route: route.fulfill(status=409, body="no"), times=1)
    join(bob, ann.locator("#link1").input_value())
    expect(ann.locator("#turn")).to_contain_text("Your turn", **STARTED)
    assert luck_of(site, match)["shares"][0] == mine


def opening_requests(page: Page) -> list[str]:
    """Return a list that collects the openings that a page sends."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if request.url.endswith("/share") else None)
    return found


def free_a_seat(events: list[dict[str, Any]]) -> None:
    events[:] = [event for event in events if not (event["kind"] == "seat_taken" and event["seat"] == 1)]


def swap_the_commitment(events: list[dict[str, Any]]) -> None:
    events[0]["commitment"] = "f" * 64


def swap_my_seal(events: list[dict[str, Any]]) -> None:
    for event in events:
        if event["kind"] == "seat_taken" and event["seat"] == 0:
            event["seal"] = "f" * 64


def write_a_seal_in_capitals(events: list[dict[str, Any]]) -> None:
    for event in events:
        if event["kind"] == "seat_taken" and event["seat"] == 1:
            event["seal"] = event["seal"].upper()


def write_no_seal_as_text(events: list[dict[str, Any]]) -> None:
    """Show Bob's missing seal as the text that stands for it in the hash of the table."""
    for event in events:
        if event["kind"] == "seat_taken" and event["seat"] == 1:
            event["seal"] = "-"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (free_a_seat, "the events show a free seat"),
        (swap_the_commitment, "the server shows a different commitment"),
        (swap_my_seal, "the server shows a different seal for your seat"),
        (write_a_seal_in_capitals, "the server shows a seal that isn't 64 digits"),
        (write_no_seal_as_text, "the server shows a seal that isn't 64 digits"),
    ],
)
def test_a_share_stays_closed_if_the_events_do_not_fit(visitor: OpenBrowser, change: Any, words: str) -> None:
    ann, bob = visitor(), visitor()
    create(ann, "sealed")
    sent = opening_requests(ann)
    answer_api(ann, change)
    join(bob, ann.locator("#link1").input_value())
    expect(ann.locator("#opening-status")).to_contain_text(words)
    ann.reload()
    expect(ann.locator("#opening-status")).to_contain_text(words)
    assert sent == []


def test_a_share_is_not_opened_for_a_second_table(visitor: OpenBrowser) -> None:
    """Given a server that refuses an opening and then shows a different seal for Bob, the browser keeps its share."""
    ann, bob = visitor(), visitor()
    match = create(ann, "sealed")
    ann.route(f"**{match}/share", lambda route: route.fulfill(status=429, body="busy"))
    join(bob, ann.locator("#link1").input_value())
    expect(ann.locator("#opening-status")).to_contain_text("keeps trying")

    def refill(events: list[dict[str, Any]]) -> None:
        for event in events:
            if event["kind"] == "seat_taken" and event["seat"] == 1:
                event["seal"] = "e" * 64

    answer_api(ann, refill)
    expect(ann.locator("#opening-status")).to_contain_text("the seals that the server shows have changed")


def test_a_replay_with_another_share_is_reported_loudly(visitor: OpenBrowser, site: str) -> None:
    page = visitor()
    match = create(page, "open", "bot:random")
    mine = share_in(page, match)

    def forge(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace(mine["share"], "f" * 64))

    page.route(f"**{match}/replay/file", forge)
    page.route(re.compile(f"{match}/replay.*"), forge)
    page.locator(".enhanced #move").wait_for()
    resign(page)
    alarm = page.locator(".luck-alarm")
    expect(alarm).to_contain_text("The replay file of this match differs from what your browser stored.")
    expect(alarm).to_contain_text("The match didn't start with your share.")
    expect(alarm).to_contain_text(mine["share"])
    save_screenshot(page, "alarm")
    page.unroute_all()
    page.reload()
    expect(alarm).to_contain_text("The replay file doesn't have your share.")
    page.unroute_all(behavior="wait")
