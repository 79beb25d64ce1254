"""Helpers to play Pie Contest in a browser with clicks."""

from typing import Any

from playwright.sync_api import Page

from tests.browser.tables import new_match, send, wait_for_my_turn
from tests.names import fresh_name

SLUG = "pie_contest"
GREEDY = "bot:greedy"


def begin(page: Page, *others: str, seed: str = "", **options: str) -> None:
    """Start a match with the form and wait for the reader's first turn."""
    new_match(page, SLUG, *others, seed=seed, **options)
    wait_for_my_turn(page)


def sit_at(page: Page, position: dict[str, Any]) -> None:
    """Take a seat in a match set up with a position through the API. The second seat never moves."""
    token = page.request.post("/api/v1/players", data={"name": fresh_name("Bo")}).json()["token"]
    bots = [{"kind": "bot", "level": "greedy"}] * (position["seats"] - 2)
    made = page.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": SLUG, "seats": [{"kind": "open"}, {"kind": "me"}, *bots], "position": position},
    )
    assert made.ok, made.text()
    page.goto(f"/matches/{made.json()['match']['id']}")
    page.get_by_role("button", name="Take this seat").click()
    assert wait_for_my_turn(page)


def phase(page: Page) -> str:
    """Return the phase of the form: `main`, `trim` or `choice`."""
    return page.locator(".pie-form").get_attribute("data-phase") or ""


def click_card(page: Page, card: int) -> None:
    """Click a card on the board."""
    page.locator(f"#board [data-card='{card}']").click()


def playable(page: Page) -> list[int]:
    """Return the cards of the hand that can be played."""
    found: list[str] = page.locator(".plays input:not(:disabled)").evaluate_all("all => all.map(i => i.dataset.card)")
    return [int(card) for card in found]


def hand(page: Page) -> list[int]:
    """Return the cards of the hand as shown on the board."""
    found: list[str] = page.locator("#board [data-zone=hand]").evaluate_all("all => all.map(c => c.dataset.card)")
    return [int(card) for card in found]


def one_move(page: Page, turn: int) -> str:
    """Make a sensible move by clicks and return the text of the button."""
    if phase(page) == "trim":
        for card in hand(page)[: int(page.locator(".pie-form").get_attribute("data-drops") or 0)]:
            click_card(page, card)
    elif phase(page) == "choice":
        answer(page)
    elif turn % 5 == 3 and page.locator("#board [data-zone=trash].pickable").count():
        dive(page)
    elif cards := playable(page):
        click_card(page, cards[0])
    else:
        page.locator("input[value=pass]").check(force=True)
    label = page.locator("#send").inner_text()
    send(page)
    return label


def answer(page: Page) -> None:
    """Choose the last option of each open question in the form."""
    for name in ("pick", "give", "get", "to"):
        field = page.locator(f".pie-form input[name={name}]")
        if field.count() and not page.locator(f".pie-form input[name={name}]:checked").count():
            field.last.check(force=True)


def dive(page: Page) -> None:
    """Click the Trash and two cards of the hand, and take the first card offered from the Trash."""
    page.locator("#board [data-zone=trash]").click()
    for card in hand(page)[:2]:
        click_card(page, card)
    page.locator("#take").select_option(index=1)
