"""Helpers to play the Battle of the Bakeries in a browser, against the greedy bot or a player who uses the API."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import APIRequestContext, Page

from tests.browser.tables import new_match, ply, wait_for_later_ply, wait_for_my_turn
from tests.names import fresh_name

SLUG = "battle_of_the_bakeries"


@dataclass
class Opponent:
    """The player of seat 1, who uses the API."""

    api: APIRequestContext
    token: str
    match: str

    def move(self, kind: str, **fields: Any) -> None:
        """Make a legal move."""
        answer = self.api.post(
            f"/api/v1/matches/{self.match}/moves",
            headers={"Authorization": f"Bearer {self.token}"},
            data={"type": kind, **fields},
        )
        assert answer.status == 201, answer.text()


def start_from(page: Page, position: dict[str, Any], scripts: bool = True, **options: Any) -> Opponent:
    """Take seat 0 in this position; the opponent uses the API. With scripts, wait for the move form."""
    token = page.request.post("/api/v1/players", data={"name": fresh_name("Bo")}).json()["token"]
    made = page.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": SLUG, "options": options, "seats": [{"kind": "open"}, {"kind": "me"}], "position": position},
    )
    match = made.json()["match"]["id"]
    page.goto(f"/matches/{match}")
    page.get_by_role("button", name="Take this seat").click()
    if scripts:
        wait_for_my_turn(page)
    return Opponent(page.request, token, match)


def start_short(page: Page, **options: str) -> None:
    """Start the shortest possible match against the greedy bot with the form for new matches."""
    new_match(page, SLUG, **{"rounds": "1", "hire_turn_limit": "10", **options})


def kind(page: Page) -> str:
    """Return the kind of move that the form asks for."""
    return page.locator(".bakery-form").get_attribute("data-kind") or ""


def spots(page: Page) -> Any:
    """Return the clickable parts of the board."""
    return page.locator("#board [role=button]")


def step(page: Page) -> str:
    """Make one move by clicks and return its kind."""
    before, asked = ply(page), kind(page)
    match asked:
        case "order":
            page.locator("#go-second").click()
        case "start":
            page.locator("#roll").click()
        case "cards":
            found = spots(page)
            found.nth(7 * before % found.count()).click()
        case "slots":
            spots(page).first.click()
            page.locator("#send").click()
        case "roll":
            spots(page).click()
        case _:
            page.locator("#try").click()
    wait_for_later_ply(page, before)
    return asked
