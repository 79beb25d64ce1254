"""Playing the Battle of the Bakeries in a browser, against the greedy bot or against somebody at the interface."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import APIRequestContext, Page

from tests.browser.tables import new_match, ply, wait_for_later_ply, wait_for_my_turn

SLUG = "battle_of_the_bakeries"


@dataclass
class Opponent:
    """Somebody who plays seat 1 by the interface."""

    api: APIRequestContext
    token: str
    match: str

    def move(self, kind: str, **fields: Any) -> None:
        """Make a move, which must be legal."""
        answer = self.api.post(
            f"/api/v1/matches/{self.match}/moves",
            headers={"Authorization": f"Bearer {self.token}"},
            data={"type": kind, **fields},
        )
        assert answer.status == 201, answer.text()


def sit_down(page: Page, position: dict[str, Any], scripts: bool = True, **options: Any) -> Opponent:
    """Take seat 0 in this position; the other seat is played by the interface. Without scripts nothing is awaited."""
    token = page.request.post("/api/v1/players", data={"name": "Bo"}).json()["token"]
    made = page.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": SLUG, "options": options, "seats": [{"kind": "open"}, {"kind": "me"}], "position": position},
    )
    match = made.json()["match"]["id"]
    page.goto(f"/matches/{match}")
    page.get_by_role("button", name="Sit down").click()
    if scripts:
        wait_for_my_turn(page)
    return Opponent(page.request, token, match)


def start_short(page: Page, **options: str) -> None:
    """The shortest match against the greedy bot, from the form for it."""
    new_match(page, SLUG, **{"rounds": "1", "hire_turn_limit": "10", **options})


def kind(page: Page) -> str:
    """What the form asks for."""
    return page.locator(".bakery-form").get_attribute("data-kind") or ""


def spots(page: Page) -> Any:
    """What can be clicked in the picture."""
    return page.locator("#board [role=button]")


def step(page: Page) -> str:
    """One move, as a person would click it; gives what was asked."""
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
