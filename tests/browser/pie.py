"""Playing Pie Contest in a browser, by what a person would click."""

from typing import Any

from playwright.sync_api import Page

from tests.browser.tables import new_match, send, wait_for_my_turn

SLUG = "pie_contest"
GREEDY = "bot:greedy"


def begin(page: Page, *others: str, seed: str = "", **options: str) -> None:
    """A match from the form, and on to the reader's first turn."""
    new_match(page, SLUG, *others, seed=seed, **options)
    wait_for_my_turn(page)


def sit_at(page: Page, position: dict[str, Any]) -> None:
    """Sit down at a match from a position, which only the interface can set up; the second seat never moves."""
    token = page.request.post("/api/v1/players", data={"name": "Bo"}).json()["token"]
    bots = [{"kind": "bot", "level": "greedy"}] * (position["seats"] - 2)
    made = page.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": SLUG, "seats": [{"kind": "open"}, {"kind": "me"}, *bots], "position": position},
    )
    assert made.ok, made.text()
    page.goto(f"/matches/{made.json()['match']['id']}")
    page.get_by_role("button", name="Sit down").click()
    assert wait_for_my_turn(page)


def phase(page: Page) -> str:
    """What the form asks for: `main`, `trim` or `choice`."""
    return page.locator(".pie-form").get_attribute("data-phase") or ""


def click_card(page: Page, card: int) -> None:
    """Click a card of the picture."""
    page.locator(f"#board [data-card='{card}']").click()


def playable(page: Page) -> list[int]:
    """The cards of the hand that can be played."""
    found: list[str] = page.locator(".plays input:not(:disabled)").evaluate_all("all => all.map(i => i.dataset.card)")
    return [int(card) for card in found]


def hand(page: Page) -> list[int]:
    """The cards of the hand, as the picture shows them."""
    found: list[str] = page.locator("#board [data-zone=hand]").evaluate_all("all => all.map(c => c.dataset.card)")
    return [int(card) for card in found]


def one_move(page: Page, turn: int) -> str:
    """Do something sensible by clicks; says what."""
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
    words = page.locator("#send").inner_text()
    send(page)
    return words


def answer(page: Page) -> None:
    """Click the last thing on the table that can be chosen; what is not on the table, in the form."""
    for name in ("pick", "give", "get", "to"):
        field = page.locator(f".pie-form input[name={name}]")
        if field.count() and not page.locator(f".pie-form input[name={name}]:checked").count():
            field.last.check(force=True)


def dive(page: Page) -> None:
    """Click the Trash and two cards, and take the newest card of its first kind."""
    page.locator("#board [data-zone=trash]").click()
    for card in hand(page)[:2]:
        click_card(page, card)
    page.locator("#take").select_option(index=1)
