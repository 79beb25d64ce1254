"""Helpers to play Mice Cake in a browser."""

import re

from playwright.sync_api import Page, expect

from tests.browser.tables import wait_for_my_turn

COLUMNS = "ABCD"


def start(page: Page) -> None:
    """Start a match against the greedy bot from the lobby."""
    page.goto("/")
    page.get_by_role("button", name="Play Mice Cake now").click()
    expect(page).to_have_url(re.compile(r"/matches/\w{18}$"))


def play_now(page: Page) -> None:
    """Start a match and wait for the first turn."""
    start(page)
    wait_for_my_turn(page)


def ready(page: Page) -> int:
    """Return the number of mice to send."""
    return int(page.locator(".mice-form").get_attribute("data-ready") or 0)


def open_columns(page: Page) -> list[str]:
    """Return the columns that mice can go to, ordinary pieces first."""
    fields = page.locator(".column").evaluate_all("all => all.map(f => [f.dataset.column, f.dataset.state])")
    usable = [(state == "crumb", column) for column, state in fields if state in ("front", "hidden", "crumb")]
    return [column for _, column in sorted(usable)]


def sent(page: Page, column: str) -> int:
    """Return the number of mice placed at a column in the form."""
    return int(page.locator(f"input[name={column}]:checked").get_attribute("value") or 0)


def choose_target(page: Page) -> None:
    """If a piece has to be stolen, choose the last one in the list."""
    if page.locator("#send").is_disabled():
        page.locator(".target input").last.check(force=True)


def click_column(page: Page, column: str) -> None:
    """Click a column of the cake, away from any mouse."""
    page.locator(f".column-hit[data-column={column}]").click(position={"x": 20, "y": 60})


def place_all(page: Page) -> None:
    """Place all mice at one column with the keyboard (this needs scripts)."""
    page.locator(".enhanced #move").wait_for()
    column = open_columns(page)[0]
    while sent(page, column) < ready(page):
        page.keyboard.press(column.lower())
    choose_target(page)
