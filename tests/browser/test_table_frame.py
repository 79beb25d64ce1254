"""The frame of a table in a real browser: one screen at four sizes, sheets, the end of a match, and settings."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from domain.kernel.registry import games
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import (
    bounding_box,
    check_page,
    close_menu,
    new_match,
    open_menu,
    page_complaints,
    ply,
    resign,
    wait_for_later_ply,
    wait_for_my_turn,
)

GEOMETRY = Path(__file__).with_name("table_geometry.js").read_text(encoding="utf-8")
SIZES = ((390, 844), (820, 1180), (1280, 800), (1920, 1080))
FRAME = (".head .tool", "#turn", "#log-sheet > summary", "#menu-sheet > summary", "#board", ".dock", ".bar")
SHIFTS = (
    "window.shifts = 0; new PerformanceObserver(list => list.getEntries().forEach(e => window.shifts += e.value))"
    ".observe({type: 'layout-shift', buffered: true})"
)


def start(page: Page, slug: str = "tic_tac_toe") -> None:
    """Start a match in which one person has all the seats."""
    seats = games()[slug].seat_counts[0]
    new_match(page, slug, *["me"] * (seats - 1))
    wait_for_my_turn(page)


def problems(page: Page, *selectors: str) -> list[str]:
    """Return what doesn't fit the screen or is covered."""
    found: list[str] = page.evaluate(f"(selectors) => {{ {GEOMETRY}; return problems(selectors); }}", list(selectors))
    return found


@pytest.mark.parametrize("slug", [pytest.param(slug, marks=pytest.mark.full) for slug in games()])
def test_every_table_fits_one_screen_at_every_size(visitor: OpenBrowser, slug: str) -> None:
    """The header, the board, the dock and the one button are in view at scroll 0, and the page doesn't scroll.

    A form with a button for each move (Battle of the Bakeries) has no one button.
    """
    page = visitor(has_touch=True)
    start(page, slug)
    button = ["#send"] * page.locator("#send").count()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)
        assert problems(page, *FRAME, *button) == [], f"{slug} at {width} x {height}"
        assert page_complaints(page, "hardToRead") == [], f"{slug} at {width} x {height}"


def test_a_generic_table_fits_one_screen_at_every_size(visitor: OpenBrowser) -> None:
    page = visitor()
    start(page)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)
        assert problems(page, *FRAME, "#send") == [], f"{width} x {height}"
    assert bounding_box(page, "#board")["height"] > 850, "at 1920 x 1080 the board uses the height"
    assert page.evaluate("document.getElementById('log-sheet').open"), "the log has a column of its own"


def test_the_board_keeps_its_size_from_turn_to_turn(visitor: OpenBrowser) -> None:
    """Given a phone, when moves are made, then the board area has the same place and nothing shifts on load."""
    page = visitor(viewport={"width": 390, "height": 844})
    page.add_init_script(SHIFTS)
    start(page)
    before = bounding_box(page, "#board")
    page.locator("#board [role=button]").first.click()
    page.locator("#send").click()
    expect(page.locator("#live")).to_have_attribute("data-turn", "5")
    after = bounding_box(page, "#board")
    assert (after["top"], after["height"]) == (before["top"], before["height"])
    page.reload()
    wait_for_my_turn(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifts") < 0.01


def test_sheets_open_one_at_a_time_and_close_with_escape_or_a_click_outside(visitor: OpenBrowser) -> None:
    page = visitor(viewport={"width": 390, "height": 844})
    start(page)
    page.locator("#log-sheet > summary").click()
    expect(page.locator("#log-sheet .log")).to_be_visible()
    page.locator("#menu-sheet > summary").click()
    expect(page.locator("#log-sheet .log")).to_be_hidden()
    expect(page.locator("#menu-sheet .players-panel")).to_be_visible()
    close_menu(page)
    expect(page.locator("#menu-sheet .players-panel")).to_be_hidden()
    expect(page.locator("#menu-sheet > summary")).to_be_focused()
    page.locator("#log-sheet > summary").click()
    page.locator("#turn").click()
    expect(page.locator("#log-sheet .log")).to_be_hidden()


def test_the_end_is_the_first_thing_in_view_on_a_phone(visitor: OpenBrowser) -> None:
    """Given a finished match, then the verdict, the podium and Rematch are in view, with names instead of seats."""
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    new_match(page, "mice_cake")
    wait_for_my_turn(page)
    resign(page)
    expect(page.locator("#ended")).to_have_text("Greedy bot wins")
    expect(page.locator(".podium .why")).to_have_text("A player resigned.")
    close_menu(page)
    assert problems(page, "#ended", ".step-1 .plaque", ".step-2 .plaque", ".next .button", ".also .button") == []
    expect(page.locator(".step-1")).to_contain_text("Greedy bot")
    expect(page.locator(".step-2")).to_contain_text("You")
    expect(page.locator(".step-2")).to_contain_text("0 pips")
    check_page(page, "the end of a match", phone=True)
    page.get_by_role("button", name="Rematch").click()
    wait_for_my_turn(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_table_can_be_read_in_both_themes(visitor: OpenBrowser, scheme: str) -> None:
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme=scheme)
    start(page)
    check_page(page, "a table", phone=True)
    open_menu(page)
    page.evaluate("document.querySelectorAll('#menu-sheet details').forEach(part => (part.open = true))")
    check_page(page, "the menu", phone=True)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(29, 21, 17)" if scheme == "dark" else "rgb(251, 241, 223)")
    page.goto("/")
    check_page(page, "the lobby", phone=True)


def test_settings_apply_at_once_and_stay_on_the_device(visitor: OpenBrowser) -> None:
    page = visitor()
    start(page)
    open_menu(page)
    page.locator(".comfort > summary").click()
    with page.expect_response("**/comfort"):
        page.get_by_role("radio", name="Dark").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    with page.expect_response("**/comfort"):
        page.get_by_role("group", name="Animations").get_by_role("radio", name="Fast").check()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("data-pace", "fast")


def test_without_scripts_sheets_settings_and_moves_work(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    page.goto("/new/tic_tac_toe")
    for seat in (0, 1):
        page.locator(f"input[name=seat{seat}][value=me]").check()
    page.get_by_role("button", name="Start the match").click()
    page.locator("#move input[type=radio]").first.check()
    page.locator("#send").click()
    page.locator("#menu-sheet > summary").click()
    page.locator(".comfort > summary").click()
    page.get_by_role("radio", name="Dark").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#board")).to_be_visible()
    page.goto(f"{page.url}?seat=0")
    page.locator("button.undo").click()
    expect(page.locator(".log")).to_contain_text("undoes a move")


def test_a_score_sheet_prints_black_on_white_in_the_dark_theme(visitor: OpenBrowser) -> None:
    page = visitor(color_scheme="dark")
    start(page)
    resign(page)
    page.locator(".ended").wait_for()
    page.get_by_role("link", name="Scores").click()
    page.locator(".score-sheet").wait_for()
    page.emulate_media(media="print", color_scheme="dark")
    look = "e => [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]"
    assert page.locator(".score-sheet td").first.evaluate(look) == ["rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"]
    expect(page.locator(".top")).to_be_hidden()


def test_with_eight_players_the_podium_has_three_steps_and_five_rows(visitor: OpenBrowser) -> None:
    """The verdict and the three steps are the first things in view, and nothing covers them."""
    page = visitor(viewport={"width": 390, "height": 844})
    new_match(page, "pie_contest", *["me"] * 7)
    for _ in range(7):
        wait_for_my_turn(page)
        before = ply(page)
        resign(page)
        wait_for_later_ply(page, before)
    page.locator(".ended").wait_for()
    assert page.locator(".podium .step").count() == 3
    assert page.locator(".podium .place:not(.step)").count() == 5
    assert (
        problems(page, "#ended", ".why", ".step-1 .plaque", ".step-2 .plaque", ".step-3 .plaque", ".next .button") == []
    )
