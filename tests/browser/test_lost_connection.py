"""A browser that loses its connection while it sends a move, and pages that were left open."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenBrowser
from tests.browser.tables import resign


def start_match(page: Page) -> None:
    """Start a match of tic-tac-toe against yourself, so that moves need no other browser."""
    page.goto("/new/tic_tac_toe")
    page.locator("input[name=seat0][value=me]").check()
    page.locator("input[name=seat1][value=me]").check()
    page.get_by_role("button", name="Start the match").click()
    expect(page.locator("#board")).to_be_visible()


def mark(page: Page) -> None:
    """Choose a cell and send the move."""
    page.locator("#board [role=button]").first.click()
    page.locator("#send").click()


@pytest.mark.parametrize(
    "reached", [pytest.param(False, marks=pytest.mark.full), True], ids=["request lost", "answer lost"]
)
def test_a_lost_connection_keeps_the_table_and_repeats_the_move_once(visitor: OpenBrowser, reached: bool) -> None:
    """Given a move whose request or answer is lost, then the table stays and says what happened. "Try again" sends the
    same move, which takes effect once."""
    page = visitor()
    start_match(page)
    page.context.route(
        re.compile(r"/live(\?|$)"), lambda route: route.abort("internetdisconnected")
    )  # no updates any other way
    page.reload()
    before = int(page.locator("#live").get_attribute("data-ply") or 0)
    sent: list[str] = []

    def lose(route: object) -> None:
        sent.append(route.request.post_data)  # type: ignore[attr-defined]
        if reached:
            route.fetch()  # type: ignore[attr-defined]
        route.abort("internetdisconnected")  # type: ignore[attr-defined]

    page.context.route("**/moves", lose)
    mark(page)
    expect(page.get_by_role("alert")).to_contain_text("We couldn't reach the server")
    expect(page.locator("#board")).to_be_visible()
    expect(page.locator("#live")).to_have_attribute("data-ply", str(before))
    # when
    page.context.unroute("**/moves")
    page.on("request", lambda request: sent.append(request.post_data or "") if request.method == "POST" else None)
    page.get_by_role("button", name="Try again").click()
    # then
    expect(page.locator("#live")).to_have_attribute("data-ply", str(before + 1))
    expect(page.get_by_role("alert")).to_have_count(0)
    assert len(sent) == 2
    assert sent[0] == sent[1]


@pytest.mark.full
def test_the_lobby_counts_waiting_matches_when_the_reader_comes_back(visitor: OpenBrowser) -> None:
    """Given a lobby that says "1 waiting" in its title, when the match ends in another tab, then the title is right as
    soon as the reader looks at the lobby again."""
    page = visitor()
    start_match(page)
    lobby = page.context.new_page()
    lobby.goto("/")
    expect(lobby).to_have_title(re.compile("1 waiting"))
    page.bring_to_front()
    resign(page)
    expect(page.locator("#turn")).to_contain_text("won")

    def look() -> str:
        lobby.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        lobby.wait_for_timeout(300)
        return lobby.title()

    for _ in range(20):  # the lists follow the log within moments
        if "waiting" not in look():
            break
    assert "waiting" not in lobby.title()


@pytest.mark.full
def test_clickable_cards_are_named_by_the_words_in_the_picture(visitor: OpenBrowser) -> None:
    """People who speak to their browser say what they read, so the name of a card contains it."""
    page = visitor()
    for game in ("bakers_brawl", "pie_contest"):
        page.goto(f"/new/{game}")
        page.locator("input[name=seat0][value=me]").check()
        page.locator("input[name=seat1][value=me]").check()
        page.get_by_role("button", name="Start the match").click()
        expect(page.locator("#board .pickable").first).to_be_visible()
        names = page.locator("#board [role=button][aria-label]").evaluate_all(
            "spots => spots.map((spot) => [spot.getAttribute('aria-label'),"
            " Array.from(spot.querySelectorAll('text'), (text) => text.textContent.trim()).filter(Boolean).join(' ')])"
        )
        assert names
        assert [pair for pair in names if pair[1] not in pair[0]] == []
