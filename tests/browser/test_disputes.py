"""A dispute in the real browser, from the claim to the verdict that a worker gives; and what is seen of it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from replays.file import encode_replay, read_replay
from tests.browser.conftest import OpenBrowser
from tests.replays.test_signature import OTHER


@pytest.fixture
def table(visitor: OpenBrowser) -> Page:
    """A match of tic-tac-toe of one person on both seats, with a move made."""
    page = visitor()
    page.goto("/new/tic_tac_toe")
    for seat in (0, 1):
        page.locator(f"input[name=seat{seat}][value=me]").check()
    page.locator("form.stack button.button").last.click()
    expect(page.locator("#turn")).to_contain_text("Your turn")
    return page


def test_a_dispute_ends_in_a_verdict_page(table: Page) -> None:
    page = table
    page.get_by_text("Proof, link and file").click()
    page.get_by_role("link", name="Dispute something").click()
    page.get_by_label("Which ply").fill("4")
    page.get_by_label("A move and what it did").check()
    page.get_by_label("What is wrong?").fill("I did not sit down there.")
    page.get_by_role("button", name="Dispute it").click()
    # The page looks again by itself until the worker has spoken.
    expect(page.locator("body")).to_contain_text("The match holds.", timeout=20_000)
    expect(page.locator("blockquote")).to_have_text("I did not sit down there.")
    expect(page).to_have_title(re.compile("Verdict on ply 4"))
    assert page.locator("meta[http-equiv=refresh]").count() == 0
    page.get_by_role("link", name="The table").click()
    expect(page.locator(".court")).to_contain_text("Ply 4 is disputed")


def test_dispute_pages_fit_a_phone(table: Page, visitor: OpenBrowser) -> None:
    for path in ("/disputes", "/verify", re.sub(r"^.*?(/matches/.*)$", r"\1/disputes", table.url)):
        phone = visitor(viewport={"width": 360, "height": 740})
        phone.goto(path)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360, path


def signed_anew(route: Route) -> None:
    """The server's answer with the file under a stranger's signature."""
    answer = route.fetch()
    route.fulfill(response=answer, body=b"".join(encode_replay(read_replay(answer.body()).events, OTHER)))


def test_a_finished_match_is_checked_in_the_browser_and_played_on(visitor: OpenBrowser, tmp_path: Path) -> None:
    # given: a match that is over
    page = visitor()
    page.goto("/new/tic_tac_toe")
    for seat, choice in ((0, "bot:greedy"), (1, "bot:random")):
        page.locator(f"input[name=seat{seat}][value='{choice}']").check()
    page.locator("form.stack button.button").last.click()
    expect(page.get_by_role("link", name="Watch the replay")).to_be_visible(timeout=20_000)
    # when: its replay is checked here
    page.get_by_role("link", name="Watch the replay").click()
    page.get_by_role("button", name="Check in this browser").click()
    expect(page.locator("#checked-here h3")).to_have_text("Checked in your browser: nothing is wrong")
    expect(page.locator("#checked-here")).to_contain_text("signed by this server's key")
    # and: a file that somebody in between has signed anew is not taken for the server's own
    page.route("**/replay/file", signed_anew)
    page.get_by_role("button", name="Check in this browser").click()
    expect(page.locator("#checked-here h3")).to_have_text("Checked in your browser: this does not hold")
    expect(page.locator("#checked-here")).to_contain_text("signed by a key that this server does not publish")
    page.unroute("**/replay/file")
    # and: played on from a ply
    page.goto(page.url.split("?")[0] + "?ply=6")
    expect(page.locator("svg.plot")).to_be_visible()
    page.get_by_role("link", name="Play on from here").click()
    page.get_by_role("button", name="Play on").click()
    expect(page.locator(".court")).to_contain_text("ply 6 of another one")
    # and: its score sheet has both counts
    page.go_back()
    page.go_back()
    page.get_by_role("link", name="Score sheet").click()
    expect(page.locator(".score-sheet")).to_contain_text("They agree, line by line.")
