"""Every page in a real browser: layout on a phone, contrast and touch targets; and the replay."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.cake import place_all, play_now
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, check_page, new_match, resign, send, wait_for_my_turn

PAGES = (
    "/",
    "/new",
    "/matches",
    "/leaderboard",
    "/leaderboard/mice_cake",
    "/new/mice_cake",
    "/name",
    "/account",
    "/account/notifications",
    "/sign-in",
    "/rules",
    "/rules/mice_cake",
    "/rules/tic_tac_toe",
    "/verify",
    "/trust",
    "/gone",
)


@pytest.fixture(scope="module")
def played(browser: Browser, site: str) -> Iterator[str]:
    """Return the URL of a Mice Cake match that was resigned after two rounds."""
    context = browser.new_context(base_url=site, reduced_motion="reduce")
    page = context.new_page()
    play_now(page)
    for _ in range(2):
        if wait_for_my_turn(page):
            place_all(page)
            send(page)
    wait_for_my_turn(page)
    resign(page)
    page.locator(".ended").wait_for()
    yield page.url
    context.close()


@pytest.mark.parametrize("width", [360, 1200])
def test_no_page_is_wider_than_the_screen_or_hard_to_read(visitor: OpenBrowser, played: str, width: int) -> None:
    page = visitor(**(PHONE if width == 360 else {}))
    for path in (*PAGES, played, f"{played}/replay", f"{played}/replay?ply=6"):
        page.goto(path)
        check_page(page, path, phone=width == 360)
    play_now(page)
    wait_for_my_turn(page)
    check_page(page, "a table in play", phone=width == 360)
    place_all(page)
    send(page)
    page.locator("#recap").wait_for(state="attached")
    check_page(page, "a table after a round", phone=width == 360)


def test_a_long_name_does_not_widen_a_page(visitor: OpenBrowser) -> None:
    """Given a player with a name of 40 letters, when a match of theirs is on a phone, then no page is too wide."""
    page = visitor(**PHONE)
    page.goto("/name")
    page.get_by_label("Name").fill("W" * 40)
    page.get_by_role("button", name="Save").click()
    page.goto("/new/tic_tac_toe")
    check_page(page, "/new/tic_tac_toe", phone=True)
    new_match(page, "tic_tac_toe")
    match = page.url
    for path in (match, f"{match}/replay", f"{match}/disputes", "/", "/matches", "/account"):
        page.goto(path)
        check_page(page, path, phone=True)


def test_a_new_token_can_be_copied(page: Page) -> None:
    page.goto("/account")
    page.get_by_label("What is the token for?").fill("My bot")
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()


def test_the_board_does_not_shift_the_page(page: Page) -> None:
    page.add_init_script(
        "window.shifts = 0; new PerformanceObserver(list => list.getEntries().forEach(e => window.shifts += e.value))"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    play_now(page)
    wait_for_my_turn(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifts") < 0.1


def test_the_scrubber_and_the_keys_move_through_the_replay(page: Page, played: str) -> None:
    page.goto(f"{played}/replay?ply=1")
    expect(page.locator("#this-ply")).to_contain_text("Move 1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#this-ply")).to_contain_text("Move 2")
    page.keyboard.press("End")
    expect(page.locator("#this-ply")).to_contain_text(re.compile(r"Move 1\d"))
    page.keyboard.press("Home")
    expect(page.locator("#this-ply")).to_have_text("Move 1")
    page.locator("#ply").focus()
    page.keyboard.press("End")
    expect(page.locator("#this-ply")).to_contain_text(re.compile(r"Move 1\d"))
    expect(page.locator("#told")).to_contain_text("The seed is revealed")
    page.locator("#ply").fill("6")
    expect(page.locator(".dice-list .die")).not_to_have_count(0)
    expect(page).to_have_url(re.compile("ply=6"))
    page.get_by_role("link", name="As seen by blue").click()
    expect(page.get_by_role("link", name="As seen by blue")).to_have_attribute("aria-current", "page")
    expect(page.locator("#this-ply")).to_contain_text("Move 6")


def test_the_scrubber_can_be_moved_before_its_script_has_loaded(page: Page, played: str) -> None:
    scripts: list[Route] = []
    page.route("**/replay.js", lambda route: scripts.append(route))  # noqa: PLW0108 (Playwright needs a plain function)
    page.goto(f"{played}/replay?ply=1", wait_until="commit")
    page.locator("#ply").fill("6")
    while not scripts:
        page.wait_for_timeout(20)
    for script in scripts:
        script.continue_()
    expect(page.locator("#this-ply")).to_contain_text("Move 6")


def test_the_replay_reports_a_lost_connection_and_recovers(page: Page, played: str) -> None:
    page.goto(f"{played}/replay?ply=1")
    page.context.set_offline(True)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told")).to_contain_text("Can't reach the server")
    expect(page.locator("#this-ply")).to_contain_text("Move 1")
    page.context.set_offline(False)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#this-ply")).to_contain_text("Move 2")


def test_the_replay_plays_automatically_and_stops_at_the_end(page: Page, played: str) -> None:
    page.goto(f"{played}/replay")
    last = int(page.locator("#stage").get_attribute("data-last") or 0)
    page.locator("#ply").fill(str(last - 1))
    expect(page).to_have_url(re.compile(f"ply={last - 1}"))
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#ply-shown")).to_have_text(str(last))
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")


def test_the_replay_opens_at_the_start_and_space_plays_and_pauses_it(visitor: OpenBrowser, played: str) -> None:
    page = visitor(reduced_motion="no-preference")
    page.goto(f"{played}/replay")
    first = int(page.locator("#stage").get_attribute("data-ply") or 0)
    expect(page.locator("#told")).to_contain_text("The cake is laid")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#ply-shown")).not_to_have_text(str(first))
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
    shown = page.locator("#ply-shown").inner_text()
    expect(page).to_have_url(re.compile(f"ply={shown}"))
    expect(page.locator(".left-behind")).to_have_count(0)


def test_an_arrow_key_plays_one_move_of_the_replay(visitor: OpenBrowser, played: str) -> None:
    page = visitor(reduced_motion="no-preference")
    page.goto(f"{played}/replay?ply=5")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#board [data-moving]").first).to_be_attached()
    expect(page).to_have_url(re.compile("ply=6"))
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#this-ply")).to_contain_text("Move 5")


def test_chapters_and_the_score_plot_lead_to_their_moves(page: Page, played: str) -> None:
    page.goto(f"{played}/replay")
    page.get_by_role("link", name="Round 2", exact=True).click()
    expect(page.locator("[data-chapter][aria-current]")).to_have_text("Round 2")
    plot = page.locator(".plotted .plot")
    box = plot.bounding_box()
    assert box
    plot.click(position={"x": box["width"] * (1 - 12 / 640) - 1, "y": box["height"] / 2})
    last = page.locator("#stage").get_attribute("data-last")
    expect(page.locator("#ply-shown")).to_have_text(str(last))


def test_a_moment_of_the_replay_is_shared_and_a_dispute_is_in_a_menu(page: Page, played: str) -> None:
    page.goto(f"{played}/replay?ply=6")
    page.get_by_role("button", name="Share this moment").click()
    assert page.locator("#moment").input_value() == f"{played}/replay?ply=6"
    expect(page.get_by_role("link", name="Dispute this move")).to_be_hidden()
    page.locator("summary", has_text="More about this move").click()
    expect(page.get_by_role("link", name="Dispute this move")).to_be_visible()


def test_without_scripts_the_replay_is_browsed_by_links_and_verified(visitor: OpenBrowser, played: str) -> None:
    page = visitor(java_script_enabled=False)
    page.goto(f"{played}/replay?ply=4")
    page.get_by_role("link", name="Next move").click()
    expect(page.locator("#this-ply")).to_contain_text("Move 5")
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()


def test_a_replay_file_is_downloaded_and_verified(page: Page, played: str) -> None:
    page.goto(f"{played}/replay")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download replay file").click()
    assert download.value.suggested_filename.endswith(".crumb.ndjson")
    page.goto("/verify")
    page.get_by_label("Replay file").set_input_files(download.value.path())
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()
