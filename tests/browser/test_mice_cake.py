"""Mice Cake in a real browser: by mouse, touch and keyboard, with and without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cake import choose_target, click_column, open_columns, place_all, play_now, ready, sent, start
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, ply, send, wait_for_later_ply, wait_for_my_turn


def test_a_whole_match_against_greedy_by_clicks_and_keys(page: Page) -> None:
    play_now(page)
    rounds = 0
    while wait_for_my_turn(page):
        rounds += 1
        columns = open_columns(page)
        for mouse in range(ready(page)):
            column = columns[(mouse // 2) % len(columns)]
            before = sent(page, column)
            while sent(page, column) == before:  # a click is lost while the page updates
                click_column(page, column) if rounds % 2 else page.keyboard.press(column.lower())
        choose_target(page)
        expect(page.locator("#send")).to_have_text("Send the mice")
        send(page)
    expect(page.locator("#turn")).to_contain_text(re.compile("won|draw"))
    assert rounds >= 4
    page.get_by_role("link", name="Watch the replay").click()
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()


def test_mice_are_placed_on_the_cake_and_removed_again(page: Page) -> None:
    play_now(page)
    column = open_columns(page)[0]
    for _ in range(3):
        click_column(page, column)
    assert sent(page, column) == 3
    expect(page.locator("#send")).to_have_text("Place 1 more mouse")
    expect(page.locator("#send")).to_be_disabled()
    page.locator(f".mouse.mine[data-column={column}]").first.click()
    assert sent(page, column) == 2
    page.keyboard.press(f"Shift+{column}")
    assert sent(page, column) == 1


def test_only_ready_mice_can_be_placed(page: Page) -> None:
    play_now(page)
    first, second = open_columns(page)[:2]
    for _ in range(6):
        click_column(page, first)
    click_column(page, second)
    assert (sent(page, first), sent(page, second)) == (4, 0)
    expect(page.locator("#placed")).to_have_text("All your mice are placed. Take one back first.")
    assert page.locator(f"input[name={second}][value='1']").is_disabled()


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    play_now(page)
    column = open_columns(page)[0]
    reach(page, f"input[name={column}]")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert sent(page, column) == 4
    before = ply(page)
    reach(page, "#send")
    page.keyboard.press("Enter")
    wait_for_later_ply(page, before)


def reach(page: Page, target: str) -> None:
    """Press Tab until the target has the focus and check that its outline is visible."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("target => document.activeElement.matches(target)", target):
            outline = page.evaluate(
                "getComputedStyle(document.activeElement.matches('input') ? "
                "document.activeElement.nextElementSibling : document.activeElement).outlineStyle"
            )
            assert outline == "solid"
            return
    raise AssertionError(f"{target} cannot be reached by Tab")


def test_a_double_click_sends_once(page: Page) -> None:
    play_now(page)
    for _ in range(4):
        click_column(page, open_columns(page)[0])
    page.locator("#send").dblclick()
    page.locator("#recap").wait_for()
    entries = page.locator(".entries li").filter(has_text="Round 1: yellow and blue send their mice.")
    expect(entries).to_have_count(1)
    expect(page.locator(".refusal")).to_have_count(0)


def test_placed_mice_are_kept_when_the_opponent_moves(visitor: OpenBrowser) -> None:
    ann, bob = friends(visitor)
    column = open_columns(ann)[0]
    click_column(ann, column)
    click_column(ann, column)
    before = ply(ann)
    place_all(bob)
    send(bob)
    wait_for_later_ply(ann, before)
    assert sent(ann, column) == 2
    expect(ann.locator("#send")).to_have_text("Place 2 more mice")
    expect(ann.locator(f".mouse.mine[data-column={column}]")).to_have_count(2)


def friends(visitor: OpenBrowser, **settings: object) -> tuple[Page, Page]:
    """Return the pages of two players; the second one joined with the invite link of the first."""
    ann, bob = visitor(**settings), visitor(**settings)
    ann.goto("/new/mice_cake")
    ann.locator("input[name=seat1][value=friend]").check()
    ann.get_by_role("button", name="Start the match").click()
    link = ann.get_by_label("Send this link").input_value()
    bob.goto(link)
    bob.get_by_role("button", name="Join as blue").click()
    for page in (ann, bob):
        wait_for_my_turn(page)
    return ann, bob


def test_two_friends_see_each_round_immediately(visitor: OpenBrowser) -> None:
    ann, bob = friends(visitor)
    for number in (1, 2):
        for page in (ann, bob):
            if page.locator("#move").count():
                place_all(page)
                send(page)
        for page in (ann, bob):
            expect(page.locator("#recap-title")).to_have_text(f"Round {number}, as it happened")
    assert "● Your turn" in ann.title() or "● Your turn" in bob.title()


def test_the_title_and_a_live_region_say_whose_turn_it_is(visitor: OpenBrowser) -> None:
    ann, bob = friends(visitor)
    place_all(ann)
    send(ann)
    expect(ann.locator("#announcer")).to_contain_text("Waiting for")
    expect(ann).not_to_have_title(re.compile("●"))
    place_all(bob)
    send(bob)
    expect(ann).to_have_title(re.compile("^● Your turn"))
    expect(ann.locator("#announcer")).to_contain_text("Your turn: send your mice.")


def test_the_opponent_sees_a_resignation(visitor: OpenBrowser) -> None:
    ann, bob = friends(visitor)
    ann.locator("summary", has_text="Resign").click()
    ann.get_by_role("button", name="Yes, resign").click()
    expect(bob.locator("#turn")).to_have_text("You won!")
    expect(ann.locator("#turn")).to_contain_text("won.")


def test_a_round_is_played_back_and_can_be_skipped(visitor: OpenBrowser) -> None:
    page = visitor(reduced_motion="no-preference")
    play_now(page)
    place_all(page)
    send(page)
    stage = page.locator(".stage")
    stage.wait_for()
    expect(stage.locator(".die").first).to_be_visible()
    stage.get_by_text("Skip").click()
    expect(stage).to_have_count(0)
    page.get_by_role("button", name="Play it back").click()
    expect(stage).to_have_count(1)


def test_nothing_moves_by_itself_when_motion_is_reduced(page: Page) -> None:
    play_now(page)
    place_all(page)
    send(page)
    page.locator("#recap").wait_for()
    expect(page.locator(".stage")).to_have_count(0)


def test_a_phone_plays_by_touch(visitor: OpenBrowser) -> None:
    page = visitor(**PHONE)
    page.goto("/")
    page.get_by_role("button", name="Play Mice Cake now").tap()
    wait_for_my_turn(page)
    column = open_columns(page)[0]
    for _ in range(4):
        page.locator(f".column-hit[data-column={column}]").tap(position={"x": 12, "y": 40})
    assert sent(page, column) == 4
    before = ply(page)
    page.locator("#send").tap()
    wait_for_later_ply(page, before)


def test_without_scripts_a_few_rounds(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    start(page)
    for number in (1, 2, 3):
        for _ in range(20):
            if page.locator("#move").count():
                break
            page.wait_for_timeout(150)
            page.reload()
        columns = open_columns_without_scripts(page)
        page.locator(f"input[name={columns[0]}][value='{ready_count(page)}']").check(force=True)
        page.locator("#send").click()
        for _ in range(40):
            if page.get_by_text(f"Round {number}, as it happened").count():
                break
            page.wait_for_timeout(150)
            page.reload()
        expect(page.get_by_text(f"Round {number}, as it happened")).to_be_visible()


def open_columns_without_scripts(page: Page) -> list[str]:
    """Return the columns with ordinary pieces."""
    return [field.get_attribute("data-column") or "" for field in page.locator(".column.front").all()]


def ready_count(page: Page) -> str:
    """Return the number of mice to send."""
    return page.locator(".mice-form").get_attribute("data-ready") or ""


def test_a_refusal_without_scripts_keeps_the_input(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    start(page)
    column = open_columns_without_scripts(page)[0]
    page.locator(f"input[name={column}][value='3']").check(force=True)
    page.locator("#send").click()
    expect(page.get_by_role("alert")).to_contain_text("You must send all your ready mice, exactly 4.")
    expect(page.locator(f"input[name={column}][value='3']")).to_be_checked()


@pytest.mark.parametrize("look", ["new", "board"])
def test_tic_tac_toe_is_played_on_the_board(page: Page, look: str) -> None:
    page.goto("/new/tic_tac_toe")
    page.locator("input[name=seat1][value='bot:random']").check()
    page.get_by_role("button", name="Start the match").click()
    wait_for_my_turn(page)
    if look == "new":
        page.get_by_text("Cross marks the middle.").click()
        page.get_by_role("button", name="Play it").click()
    else:
        middle = page.locator("[data-cell='4']")
        middle.click()
        expect(page.get_by_role("radio", name="Cross marks the middle.")).to_be_checked()
        middle.click()
    expect(page.locator(".entries")).to_contain_text("Nought marks")
