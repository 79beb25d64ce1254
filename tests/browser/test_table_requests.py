"""Playing over days in two real browsers: local times, a question that comes by itself, a takeback, a rematch."""

import re
from datetime import datetime

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, bounding_box


def set_up(ann: Page, bob: Page) -> None:
    """A match of tic-tac-toe with a day for each move, Ann at seat 0, Bob by invitation."""
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=me]").check()
    ann.locator("input[name=seat1][value=friend]").check()
    ann.locator("#clock").select_option("1d")
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link1").input_value())
    bob.get_by_role("button", name="Sit down").click()
    expect(ann.locator("#turn")).to_contain_text("Your turn")


def ask(page: Page, button: str) -> None:
    page.locator("details.asking > summary").click()
    page.get_by_role("button", name=button).click()


def test_days_at_a_table_of_two_browsers(visitor: OpenBrowser) -> None:
    ann, bob = visitor(), visitor(**PHONE)
    set_up(ann, bob)
    # the deadline stands there in the reader's own time
    time = ann.locator("time.moment").first
    until = datetime.fromisoformat(time.get_attribute("datetime") or "")
    here = ann.evaluate(
        "at => new Date(at).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'})", until.isoformat()
    )
    assert here in time.inner_text()
    # a question comes to the other browser by itself, and so does the answer
    ask(ann, "Ask for a pause")
    expect(bob.locator(".question")).to_contain_text("asks for a pause")
    expect(bob).to_have_title(re.compile("^● You are asked"))
    expect(ann.locator(".question")).to_be_visible()
    expect(ann.locator("#move")).to_be_visible()
    # the form stands right of the board, whatever is asked above
    assert bounding_box(ann, "#board")["right"] <= bounding_box(ann, "#move")["left"], (
        "the form stands right of the board, whatever is asked above"
    )
    assert bob.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bob.get_by_role("button", name="I agree").click()
    expect(ann.locator("main")).to_contain_text("The match is paused")
    ask(bob, "Let the clocks run again")
    expect(ann.locator("time.moment")).to_have_count(1)
    # and after the end one click each makes a rematch
    ann.locator("summary", has_text="Resign").click()
    ann.get_by_role("button", name="Yes, I give up").click()
    ann.get_by_role("button", name="Rematch").click()
    ann.locator("#room").wait_for()
    bob.reload()
    bob.get_by_role("button", name="Go to the rematch").click()
    expect(bob.locator("#turn")).to_contain_text("Your turn")
    expect(ann.locator("#board")).to_be_visible()
