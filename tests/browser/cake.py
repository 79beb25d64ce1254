"""Helpers to play Mice Cake in a browser."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.tables import wait_for_my_turn
from tests.names import fresh_name

COLUMNS = "ABCD"
STEAL = {"cake": ["A3: 0-0 (2-4) 1-3", "B7: 4-6"], "rest": "blue"}
"""A position in which yellow's front in A is the plain slice, and blue has 24 slices."""


def start(page: Page) -> None:
    """Start a match against the greedy bot from the lobby."""
    page.goto("/")
    page.get_by_role("button", name="Play Mice Cake now").click()
    expect(page).to_have_url(re.compile(r"/matches/\w{18}$"))


def play_now(page: Page) -> None:
    """Start a match and wait for the first turn."""
    start(page)
    wait_for_my_turn(page)


GREEDY = {"kind": "bot", "level": "greedy"}


def play_from(page: Page, position: dict[str, Any], opponent: dict[str, str] = GREEDY) -> str:
    """Take yellow's seat in a match set up through the API, and wait. Return the token of the player who set it up."""
    token = page.request.post("/api/v1/players", data={"name": fresh_name("Bo")}).json()["token"]
    seats = [{"kind": "open"}, opponent]
    made = page.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": "mice_cake", "seats": seats, "position": position},
    )
    assert made.ok, made.text()
    page.goto(f"/matches/{made.json()['match']['id']}")
    page.get_by_role("button", name="Take this seat").click()
    wait_for_my_turn(page)
    return str(token)


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
    """If a slice has to be stolen, choose the last one in the list."""
    if page.locator("#send").is_disabled():
        page.locator(".target input").last.check(force=True)


def click_column(page: Page, column: str) -> None:
    """Click a column of the cake, away from any mouse."""
    page.locator(f".cake-column[data-column={column}]").click(position={"x": 20, "y": 60})


def cell(page: Page, column: str, mice: int) -> Locator:
    """Return the cell of the table of odds that sends this many mice to a column."""
    return page.locator(f".odd:has(input[name={column}][value='{mice}'])")


def mice_at(page: Page, column: str) -> Locator:
    """Return the reader's mice at a column on the board."""
    return page.locator(f".lane.mine .slot[data-column={column}] .mouse[data-piece]")


def place_all(page: Page) -> None:
    """Place all mice at one column with the keyboard (this needs scripts)."""
    page.locator(".enhanced:not(.playing) #move").wait_for()
    column = open_columns(page)[0]
    while sent(page, column) < ready(page):
        page.keyboard.press(column.lower())
    choose_target(page)


def targets_rolled_for(page: Page) -> list[str]:
    """Return the slices that dice of this match were rolled to steal, in the order of the rolls."""
    path = page.url.partition("/matches/")[2].partition("?")[0]
    events = page.request.get(f"/api/v1/matches/{path}/events").json()["events"]
    facts = [fact for event in events for fact in event.get("facts", ())]
    return [fact["target"] for fact in facts if fact["type"] == "dice_rolled" and fact["target"]]
