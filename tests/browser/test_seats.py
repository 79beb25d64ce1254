"""Vacation, standing orders and handing over a seat, in real browsers at both widths."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, check_page, open_menu

SCREENSHOT_FOLDER = os.environ.get("CRUMBTRAIL_SCREENSHOTS")
"""Optional folder for screenshots of the pages."""


def save_screenshot(page: Page, name: str) -> None:
    if SCREENSHOT_FOLDER:
        page.screenshot(path=Path(SCREENSHOT_FOLDER) / f"{name}.png", full_page=True)


def start_timed_match(ann: Page, bob: Page) -> None:
    """Start a tic-tac-toe match with 1 day per move and 7 days of vacation; Bob is invited."""
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=me]").check()
    ann.locator("input[name=seat1][value=friend]").check()
    ann.locator("#clock").select_option("1d")
    ann.locator("#vacation").select_option("7")
    save_screenshot(ann, "new")
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link1").input_value())
    bob.get_by_role("button", name="Join").click()
    expect(ann.locator("#turn")).to_contain_text("Your turn")


def open_details(page: Page, block: str) -> None:
    """Open this `details` element if it is closed."""
    open_menu(page)
    if page.locator(f"details.{block}:not([open])").count():
        page.locator(f"details.{block} > summary").click()


@pytest.mark.parametrize("phone", [pytest.param(False, marks=pytest.mark.full), True], ids=["wide", "phone"])
def test_vacation_standing_orders_and_handover(visitor: OpenBrowser, phone: bool) -> None:
    ann, bob, cid = visitor(), visitor(**(PHONE if phone else {})), visitor(**(PHONE if phone else {}))
    start_timed_match(ann, bob)
    # vacation moves the deadline, and the other browser updates automatically
    open_details(bob, "asking")
    bob.locator("#days").fill("3")
    save_screenshot(bob, f"vacation-{phone}")
    check_page(bob, "the form for vacation", phone)
    bob.get_by_role("button", name="Take vacation").click()
    expect(ann.locator(".players-panel")).to_contain_text("on vacation until")
    # Bob adds a standing order before his turn, and it is carried out within seconds of Ann's move
    open_details(bob, "orders")
    bob.get_by_role("link", name="Add a standing order").click()
    bob.locator("#ordered").select_option(label="Mark the top left cell")
    bob.get_by_role("button", name="Add order").click()
    expect(bob.locator("details.orders")).to_contain_text("Mark the top left cell")
    open_details(bob, "orders")
    save_screenshot(bob, f"orders-{phone}")
    check_page(bob, "standing orders", phone)
    ann.locator("[data-cell='4']").click()
    ann.locator("#send").click()
    expect(bob.locator(".log")).to_contain_text("Made by your standing order")
    expect(ann.locator("#turn")).to_contain_text("Your turn")
    expect(ann.locator(".log")).not_to_contain_text("Made by")
    # Bob hands over his seat to Cid and watches from then on
    open_details(bob, "handing")
    save_screenshot(bob, f"handing-{phone}")
    check_page(bob, "the forms for handing over", phone)
    bob.get_by_role("button", name="Create a link for my seat").click()
    link = bob.locator(".question .link-field")
    expect(link).to_be_visible()
    expect(ann.locator(".question")).to_contain_text("is looking for someone")
    save_screenshot(bob, f"offered-{phone}")
    check_page(bob, "an offered seat", phone)
    cid.goto(link.input_value())
    save_screenshot(cid, f"take-over-{phone}")
    check_page(cid, "the invitation to take over", phone)
    cid.get_by_role("button", name="Take over").click()
    expect(cid.locator("#turn")).to_contain_text("Waiting for")
    expect(bob.locator("details.handing")).to_have_count(0)
    expect(ann.locator(".log")).to_contain_text("takes over nought.")
    save_screenshot(ann, f"taken-{phone}")
