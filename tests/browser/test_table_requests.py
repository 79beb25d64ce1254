"""A match over days in two real browsers: local times, a request that appears automatically, a rematch."""

import re
from datetime import datetime

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, bounding_box, close_menu, open_menu, resign


def set_up(ann: Page, bob: Page) -> None:
    """Start a tic-tac-toe match with 1 day per move, with Ann in seat 0; Bob is invited."""
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=me]").check()
    ann.locator("input[name=seat1][value=friend]").check()
    ann.locator("#clock").select_option("1d")
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link1").input_value())
    bob.get_by_role("button", name="Join").click()
    expect(ann.locator("#turn")).to_contain_text("Your turn")


def ask(page: Page, button: str) -> None:
    open_menu(page)
    page.locator("details.asking > summary").click()
    page.get_by_role("button", name=button).click()


def test_pause_and_rematch_in_two_browsers(visitor: OpenBrowser) -> None:
    ann, bob = visitor(), visitor(**PHONE)
    set_up(ann, bob)
    # the deadline is shown in the reader's local time
    open_menu(ann)
    time = ann.locator(".players-panel time.moment").first
    until = datetime.fromisoformat(time.get_attribute("datetime") or "")
    here = ann.evaluate(
        "at => new Date(at).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'})", until.isoformat()
    )
    assert here in time.inner_text()
    # a request appears in the other browser automatically, and so does the answer
    ask(ann, "Ask for a pause")
    expect(bob.locator(".question")).to_contain_text("asks for a pause")
    expect(bob).to_have_title(re.compile("^● Your answer is needed"))
    expect(ann.locator(".question")).to_be_visible()
    expect(ann.locator("#move")).to_be_visible()
    # the form stays to the right of the board, below an open request
    assert bounding_box(ann, "#board")["right"] <= bounding_box(ann, "#move")["left"], (
        "the form must be to the right of the board"
    )
    assert bob.evaluate("document.documentElement.scrollWidth <= innerWidth")
    close_menu(bob)
    bob.get_by_role("button", name="Accept").click()
    expect(ann.locator("main")).to_contain_text("The match is paused")
    ask(bob, "Resume the match")
    expect(ann.locator(".players-panel time.moment")).to_have_count(1)
    # after the end, one click by each player starts a rematch
    resign(ann)
    ann.get_by_role("button", name="Rematch").click()
    ann.locator("#room").wait_for()
    bob.reload()
    bob.get_by_role("button", name="Go to the rematch").click()
    expect(bob.locator("#turn")).to_contain_text("Your turn")
    expect(ann.locator("#board")).to_be_visible()
