"""Helpers for all games in a browser: starting a match, waiting, sending moves and checking pages."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
PAGE_CHECKS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")


def new_match(page: Page, slug: str, *others: str, seed: str = "", **options: str) -> None:
    """Start a match with the form. The reader has seat 0, the others follow (by default one greedy bot)."""
    others = others or ("bot:greedy",)
    page.goto(f"/new/{slug}?seats={1 + len(others)}")
    for seat, sitter in enumerate(others, 1):
        page.locator(f"input[name=seat{seat}][value='{sitter}']").check()
    if options:
        page.locator("#options summary").click()
    for name, value in options.items():
        page.locator(f"input[name=option-{name}][value='{value}']").check()
    if seed:
        page.locator("summary", has_text="Practise with a chosen seed").click()
        page.locator("#seed").fill(seed)
    page.get_by_role("button", name="Start the match").click()
    expect(page).to_have_url(re.compile(r"/matches/\w{18}$"))


def wait_for_my_turn(page: Page) -> bool:
    """Wait for the enhanced move form and return True, or return False if the match is over."""
    page.locator(".enhanced #move, .ended").first.wait_for()
    return page.locator("#move").count() > 0


def open_menu(page: Page) -> None:
    """Open the menu of a table if it is closed. A match that hasn't started has no menu: its page shows everything."""
    if page.locator("#menu-sheet:not([open])").count():
        page.locator("#menu-sheet > summary").click()


def close_menu(page: Page) -> None:
    """Close the menu or the log of a table."""
    page.keyboard.press("Escape")


def resign(page: Page) -> None:
    """Resign the seat in view."""
    open_menu(page)
    if page.locator("details.resign:not([open])").count():
        page.locator("details.resign > summary").click()
    page.get_by_role("button", name="Yes, resign").click()


def ply(page: Page) -> int:
    """Return the ply that the page shows."""
    return int(page.locator("#live").get_attribute("data-ply") or 0)


def wait_for_later_ply(page: Page, before: int) -> None:
    """Wait until the page shows a later ply."""
    expect(page.locator("#live")).not_to_have_attribute("data-ply", str(before))


def send(page: Page) -> None:
    """Press the button and wait until the move is made. Other updates may arrive first."""
    turn = page.locator("#live").get_attribute("data-turn")
    page.locator("#send").click()
    expect(page.locator(f"#live[data-turn='{turn}'] #move")).to_have_count(0)


def bounding_box(page: Page, selector: str) -> dict[str, float]:
    """Return the position of the first match in the window, measured in one step so that no update can intervene."""
    found: dict[str, float] = page.evaluate("s => document.querySelector(s).getBoundingClientRect().toJSON()", selector)
    return found


def check_page(page: Page, where: str, phone: bool) -> None:
    """Check that the page fits the screen, that text is readable and, on a phone, that targets are large enough."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is too wide"
    assert page_complaints(page, "hardToRead") == [], where
    if phone:
        assert page_complaints(page, "hardToHit") == [], where


def page_complaints(page: Page, about: str) -> list[str]:
    """Return the complaints of `looks.js` about the page."""
    found: list[str] = page.evaluate(f"() => {{ {PAGE_CHECKS}; return {about}(); }}")
    return found
