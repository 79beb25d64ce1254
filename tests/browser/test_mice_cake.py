"""Mice Cake in a real browser: by mouse, touch and keyboard, with and without scripts."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cake import (
    STEAL,
    cell,
    choose_target,
    click_column,
    mice_at,
    open_columns,
    place_all,
    play_from,
    play_now,
    ready,
    sent,
    start,
    targets_rolled_for,
)
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, bounding_box, ply, resign, send, wait_for_later_ply, wait_for_my_turn


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
        expect(page.locator("#send")).to_have_text(re.compile(r"^Send \d (mouse|mice)$"))
        send(page)
    expect(page.locator("#turn")).to_contain_text(re.compile("won|draw"))
    assert rounds >= 4
    page.get_by_role("link", name="Replay", exact=True).click()
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
    expect(mice_at(page, column)).to_have_count(3)
    mice_at(page, column).first.click()
    assert sent(page, column) == 2
    expect(mice_at(page, column)).to_have_count(2)
    page.keyboard.press(f"Shift+{column}")
    assert sent(page, column) == 1


def test_only_ready_mice_can_be_placed(page: Page) -> None:
    play_now(page)
    first, second = open_columns(page)[:2]
    for _ in range(6):
        click_column(page, first)
    click_column(page, second)
    assert (sent(page, first), sent(page, second)) == (4, 0)
    expect(page.locator("#reason")).to_have_text("All your mice are placed. Take one back first.")
    expect(cell(page, second, 1)).to_have_class(re.compile("dim"))


def test_a_dashed_cell_takes_mice_from_the_column_that_was_set_first(page: Page) -> None:
    play_now(page)
    first, second, third = open_columns(page)[:3]
    cell(page, first, 2).click()
    cell(page, second, 2).click()
    expect(cell(page, third, 1)).to_have_class(re.compile("dim"))
    cell(page, third, 1).click()
    assert [sent(page, column) for column in (first, second, third)] == [1, 2, 1]
    expect(page.locator("#reason")).to_contain_text(f"1 mouse from {first}. 1 mouse to {third}:")
    expect(page.locator("#send")).to_have_text("Send 4 mice")
    cell(page, second, 2).click()
    assert sent(page, second) == 0, "a tap on the chosen cell takes the mice back"
    expect(page.locator("#send")).to_have_text("Place 2 more mice")


def test_a_mouse_can_be_dragged_to_another_column(page: Page) -> None:
    play_now(page)
    first, second = open_columns(page)[:2]
    click_column(page, first)
    expect(mice_at(page, first)).to_have_class(re.compile("draggable"))
    mice_at(page, first).drag_to(page.locator(f".cake-column[data-column={second}]"))
    assert (sent(page, first), sent(page, second)) == (0, 1)
    mice_at(page, second).drag_to(page.locator(".head"))
    assert sent(page, second) == 0


def test_a_ghost_shows_the_chance_before_a_mouse_is_placed(page: Page) -> None:
    play_now(page)
    column = page.locator(".column[data-state=front]").first.get_attribute("data-column") or ""
    page.locator(f".cake-column[data-column={column}]").hover()
    slot = page.locator(f".lane.mine .slot[data-column={column}]")
    expect(slot.locator(".mouse.ghost")).to_be_visible()
    chance = page.locator(f"input[name={column}][value='1']").get_attribute("data-take")
    expect(slot.locator(".ghost-tag")).to_have_text(f"{chance}%")
    assert sent(page, column) == 0
    page.locator(".head").hover()
    expect(page.locator(".ghost")).to_have_count(0)


def test_a_chance_says_its_reason_and_its_cost(page: Page) -> None:
    play_from(page, {"cake": ["A1: 0-6 2-3 1-1", "B1: 1-2 3-4 5-6"], "rest": "blue"})
    cell(page, "A", 1).click()
    expect(page.locator("#reason")).to_have_text(
        "1 mouse to A: 0% to take. One die can't reach 6 without showing the 6 that tires it."
    )
    cell(page, "B", 2).click()
    expect(page.locator("#reason")).to_have_text("2 mice to B: 92% to take, 6% to tire.")
    expect(page.locator("#head-B")).to_contain_text("3 to take")


def test_the_plain_slice_steals_a_chosen_slice(page: Page) -> None:
    play_from(page, STEAL)
    cell(page, "A", 4).click()
    targets = page.locator(".targets")
    expect(targets).to_be_visible()
    expect(page.locator("#send")).to_have_text("Choose a slice to steal")
    expect(page.locator("#send")).to_be_disabled()
    page.locator(".target:has(input[value='5-6'])").click()
    expect(targets).to_be_hidden()
    expect(page.locator("#head-A .needs")).to_have_text("Steal 5-6, 11 to take")
    expect(page.locator("#reason")).to_have_text("4 mice to A: 61% to take, 23% to tire.")
    send(page)
    wait_for_my_turn(page)
    assert targets_rolled_for(page) == ["5-6"], "the dice are rolled for the chosen slice, whatever they show"


def test_the_list_of_slices_stays_open_when_the_opponent_moves(page: Page) -> None:
    token = play_from(page, STEAL, {"kind": "me"})
    cell(page, "A", 4).click()
    expect(page.locator(".targets")).to_be_visible()
    before = ply(page)
    moved = page.request.post(
        f"/api/v1/matches/{page.url.partition('/matches/')[2].partition('?')[0]}/moves",
        headers={"Authorization": f"Bearer {token}"},
        data={"type": "assign_mice", "columns": {"B": 4}},
    )
    assert moved.ok, moved.text()
    wait_for_later_ply(page, before)
    expect(page.locator(".enhanced .targets")).to_be_visible()
    page.locator(".target:has(input[value='5-6'])").click()
    expect(page.locator("#send")).to_have_text("Send 4 mice")


def test_every_slice_has_a_card_with_its_rule(page: Page) -> None:
    """On hover, on focus by keyboard, and when it is tapped where no mouse can go."""
    play_from(page, {"cake": ["A1: 1-2 (2-3) 1-1", "B1: 0-0 3-4 5-6"], "blue": ["6-6"], "rest": "yellow"})
    card = page.locator(".slice-card")
    front = page.locator("[data-piece=slice-A1]")
    front.hover()
    expect(card).to_contain_text("A1: 1-2, lemon-honey slice, 3 pips.")
    expect(card).to_contain_text("A 1 and a 2 (lemon, honey) exhaust 2 mice.")
    expect(card.get_by_role("link", name="Rules for this slice")).to_have_attribute("href", "/rules/mice_cake")
    page.locator(".head").hover()
    expect(card).to_have_count(0)
    reach(page, ".cake .slice")
    expect(card).to_contain_text("B1: 0-0, the crumb")
    page.keyboard.press("ArrowRight")
    expect(card).to_contain_text("A1: 1-2")
    page.keyboard.press("ArrowUp")
    expect(card).to_contain_text("A2: under icing.")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)


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
    page.locator("#recap").wait_for(state="attached")
    page.locator("#log-sheet summary").click()
    entries = page.locator(".entries li").filter(has_text=re.compile("Round 1: .* send their mice"))
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
    expect(mice_at(ann, column)).to_have_count(2)


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
            expect(page.locator("#recap-title")).to_have_text(f"Round {number}")
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
    resign(ann)
    expect(bob.locator("#turn")).to_have_text("You won!")
    expect(ann.locator("#turn")).to_contain_text("won.")


def test_a_round_is_played_back_and_can_be_skipped(visitor: OpenBrowser) -> None:
    page = visitor(reduced_motion="no-preference")
    play_now(page)
    place_all(page)
    page.locator("#send").click()
    page.locator(".playing .die").first.wait_for()
    expect(page.locator("#move")).to_have_attribute("inert", "")
    page.locator("#playback").get_by_text("Skip").click()
    expect(page.locator(".playing")).to_have_count(0)
    expect(page.locator("#board .die")).to_have_count(0)
    page.get_by_role("button", name="Play again").click()
    page.locator(".playing .die").first.wait_for()


PACE = """() => {
  const beats = new Map();
  window.beats = beats;
  const original = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    const layer = document.querySelector(".left-behind");
    if (layer) beats.set(layer, Math.max(beats.get(layer) ?? 0, (options.delay ?? 0) + options.duration));
    return original.call(this, frames, options);
  };
}"""
"""Records the longest motion of each beat, so that the pace can be added up on a machine of any speed."""


def test_a_round_plays_in_four_seconds(visitor: OpenBrowser) -> None:
    """Given mice of both seats at many columns, when the round plays, then its beats and pauses take 4 s at most."""
    page = visitor(reduced_motion="no-preference")
    play_from(page, {"cake": ["A1: 1-2 (2-3) 1-1", "B1: 1-3 3-4 5-6", "C1: 1-4 0-6", "D1: 1-5 2-6"], "rest": "blue"})
    page.evaluate(PACE)
    for column in "ABCD":
        cell(page, column, 1).click()
        expect(cell(page, column, 1).locator("input")).to_be_checked()
    page.evaluate("window.beats.clear()")
    page.locator("#send").click()
    page.locator(".playing").wait_for(state="attached")
    expect(page.locator(".playing")).to_have_count(0)
    beats = page.evaluate("[...window.beats.values()]")
    assert len(beats) >= 6
    assert sum(beats) + 80 * len(beats) <= 4000, beats
    assert min(beats) >= 200, beats


def test_nothing_moves_on_its_own_when_motion_is_reduced(page: Page) -> None:
    play_now(page)
    place_all(page)
    send(page)
    page.locator("#recap").wait_for(state="attached")
    assert page.evaluate("document.querySelector('#board').getAnimations({subtree: true}).length") == 0
    expect(page.locator(".playing")).to_have_count(0)


def test_a_phone_plays_by_touch(visitor: OpenBrowser) -> None:
    page = visitor(**PHONE)
    page.goto("/")
    page.get_by_role("button", name="Play Mice Cake now").tap()
    wait_for_my_turn(page)
    column = open_columns(page)[0]
    for _ in range(4):
        page.locator(f".cake-column[data-column={column}]").tap(position={"x": 12, "y": 40})
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
            if page.locator("#recap-title", has_text=f"Round {number}").count():
                break
            page.wait_for_timeout(150)
            page.reload()
        expect(page.locator("#recap-title")).to_have_text(f"Round {number}")


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


ONE_SCREEN = Path(__file__).with_name("one_screen.js").read_text(encoding="utf-8")
SIZES = [(390, 844), (820, 1180), (1280, 800), (1920, 1080)]


def off_screen(page: Page) -> list[str]:
    """Return what a reader can't see or hit without scrolling, and text that is too small."""
    targets = ".odd:not(.none), #send, .lane.mine .slot, .cake-column, .tool"
    found: list[str] = page.evaluate(f"targets => {{ {ONE_SCREEN}; return oneScreen(targets); }}", targets)
    return found


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_turn_fits_one_screen(visitor: OpenBrowser, width: int, height: int) -> None:
    page = visitor(viewport={"width": width, "height": height}, has_touch=width < 1000)
    play_now(page)
    assert off_screen(page) == []
    place_all(page)
    assert off_screen(page) == []
    send(page)
    if wait_for_my_turn(page):
        assert off_screen(page) == []
    if height == 1080:
        bars = page.locator(".cake-table .bar").evaluate_all(
            "all => all.map((bar) => bar.getBoundingClientRect().toJSON())"
        )
        assert max(bar["bottom"] for bar in bars) - min(bar["top"] for bar in bars) >= 850


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_turn_with_a_closed_column_fits_one_screen(visitor: OpenBrowser, width: int, height: int) -> None:
    page = visitor(viewport={"width": width, "height": height}, has_touch=width < 1000)
    play_from(page, {"cake": ["A1: 1-2 2-3 1-1", "B1: 0-0 3-4 5-6", "C1: 4-6 2-2"], "rest": "yellow"})
    expect(page.locator(".shut", has_text="they have no slices yet")).to_be_visible()
    assert off_screen(page) == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_board_keeps_its_size_when_mice_sleep(visitor: OpenBrowser, width: int, height: int) -> None:
    page = visitor(viewport={"width": width, "height": height})
    cake = {"cake": ["A1: 1-2 (2-3) 1-1", "B1: 1-3 3-4 5-6"], "rest": "blue"}
    sizes = []
    for resting in ({}, {"resting": {"yellow": [{"column": "A", "count": 2}]}}):
        play_from(page, {**cake, **resting})
        assert off_screen(page) == []
        sizes.append(bounding_box(page, ".cake"))
    assert sizes[0] == sizes[1]
    expect(page.locator(".asleep")).to_have_text("2 mice asleep, awake in round 6")


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
