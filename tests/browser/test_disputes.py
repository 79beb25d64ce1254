"""Disputes in a real browser, from the claim to the verdict given by a worker, and how pages show them."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from replays.file import encode_replay, read_replay
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import open_menu
from tests.replays.test_signature import OTHER


@pytest.fixture
def table(visitor: OpenBrowser) -> Page:
    """Return the page of a tic-tac-toe match in which one person has both seats."""
    page = visitor()
    page.goto("/new/tic_tac_toe")
    for seat in (0, 1):
        page.locator(f"input[name=seat{seat}][value=me]").check()
    page.locator("form.stack button.button").last.click()
    expect(page.locator("#turn")).to_contain_text("Your turn")
    return page


def test_a_dispute_ends_in_a_verdict_page(table: Page) -> None:
    page = table
    open_menu(page)
    page.get_by_text("Match details and proof").click()
    page.get_by_role("link", name="Dispute a move").click()
    page.get_by_label("Which move").fill("4")
    page.get_by_label("A move and its effects").check()
    page.get_by_label("What is wrong?").fill("I never took that seat.")
    page.get_by_role("button", name="Submit dispute").click()
    # The page reloads itself until the worker has given the verdict.
    expect(page.locator("body")).to_contain_text("No fault found.")
    expect(page.locator("blockquote")).to_have_text("I never took that seat.")
    expect(page).to_have_title(re.compile("Verdict on move 4"))
    assert page.locator("meta[http-equiv=refresh]").count() == 0
    page.get_by_role("link", name="Go to the match").click()
    expect(page.locator(".court")).to_contain_text("Move 4 is disputed")


def test_dispute_pages_fit_a_phone(table: Page, visitor: OpenBrowser) -> None:
    for path in ("/disputes", "/verify", re.sub(r"^.*?(/matches/.*)$", r"\1/disputes", table.url)):
        phone = visitor(viewport={"width": 360, "height": 740})
        phone.goto(path)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360, path


def with_other_signature(route: Route) -> None:
    """Fulfil the request with the server's file, signed with a different key."""
    answer = route.fetch()
    route.fulfill(response=answer, body=b"".join(encode_replay(read_replay(answer.body()).events, OTHER)))


def test_a_finished_match_is_verified_in_the_browser_and_continued(visitor: OpenBrowser, tmp_path: Path) -> None:
    # given: a match that is over
    page = visitor()
    page.goto("/new/tic_tac_toe")
    for seat, choice in ((0, "bot:greedy"), (1, "bot:random")):
        page.locator(f"input[name=seat{seat}][value='{choice}']").check()
    page.locator("form.stack button.button").last.click()
    expect(page.get_by_role("link", name="Replay", exact=True)).to_be_visible()
    # when: its replay is verified in the browser
    page.get_by_role("link", name="Replay", exact=True).click()
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator("#checked-here h3")).to_have_text("Verified in your browser: no errors found")
    expect(page.locator("#checked-here")).to_contain_text("Signed by this server's key")
    # and: a file signed again by someone in between is not accepted as the server's own
    page.route("**/replay/file", with_other_signature)
    page.get_by_role("button", name="Verify in this browser").click()
    expect(page.locator("#checked-here h3")).to_have_text("Verification in your browser failed")
    expect(page.locator("#checked-here")).to_contain_text("signed by a key that this server does not publish")
    page.unroute("**/replay/file")
    # and: it is continued from a move
    page.goto(page.url.split("?")[0] + "?ply=6")
    expect(page.locator("svg.plot")).to_be_visible()
    page.get_by_text("More about this move").click()
    page.get_by_role("link", name="Continue from here").click()
    page.get_by_role("button", name="Start the match").click()
    expect(page.locator(".court")).to_contain_text("move 6 of another match")
    # and: its score sheet has both counts
    page.go_back()
    page.go_back()
    page.get_by_role("link", name="Score sheet").click()
    expect(page.locator(".score-sheet")).to_contain_text("Both counts agree on every line.")
