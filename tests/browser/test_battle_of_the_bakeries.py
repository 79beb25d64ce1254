"""The Battle of the Bakeries in a real browser: by mouse, touch and keyboard, with and without scripts."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.bakeries import kind, spots, start_from, start_short, step
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, check_page, ply, wait_for_later_ply, wait_for_my_turn

HELD = {"phase": "hire", "step": "flip", "flips_min": 1, "flips_max": 4}
STOCKING = {"phase": "stock", "drawn": "wedding_cake", "multipliers": [3, 5], "finder": 1}
SELLING = {"phase": "sale", "multipliers": [5, 1], "finder": 0}
STALE = {**SELLING, "step": "stale", "sold": [[], [4, 7]]}
CATCHING_UP = {
    "phase": "catch_up",
    "multipliers": [2, 6],
    "finder": 1,
    "sold": [[3, 10, 9, 5, 6, 7], [2, 3, 4, 5, 6, 7, 10]],
}
POSITIONS: dict[str, dict[str, Any]] = {
    "cards": HELD,
    "stock": STOCKING,
    "stale": STALE,
    "sale": SELLING,
    "catch-up": CATCHING_UP,
}
FACES = re.compile("Redvelvet|Sconeface|Toque|Oven|Apron|Batter|Whisk|Rolling Pin|Bonnet|Cap|Plumcrumb|Blueberry")


@pytest.mark.full
def test_a_whole_match_against_greedy_by_clicks_and_its_replay(page: Page) -> None:
    start_short(page)
    met = set()
    while wait_for_my_turn(page):
        met.add(step(page))
    assert {"cards", "slots", "roll"} <= met
    expect(page.locator("#turn")).to_contain_text(re.compile("won|draw"))
    expect(page.locator("#sheet")).to_contain_text("Final score")
    scores = page.locator(".sheet-total td strong").all_inner_texts()
    ranked = sorted(scores, key=lambda score: int(re.sub(r"[$,]", "", score)), reverse=True)
    assert page.locator(".result strong").all_inner_texts() == ranked

    page.locator("#sheet .sale a").last.click()
    expect(page.locator("#told")).to_contain_text("sells a")
    page.locator("#ply").fill("8")
    expect(page.locator("#this-ply")).to_contain_text("Move 8")
    expect(page.locator(".board-frame svg")).to_be_visible()
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()


def test_cards_are_turned_over_with_the_keyboard(page: Page) -> None:
    start_from(page, HELD)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#board [role=button]')"):
            break
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("[data-position='7']")).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth") == "7px"
    before = ply(page)
    page.keyboard.press("Enter")
    wait_for_later_ply(page, before)
    expect(page.locator(".entries")).to_contain_text("Union turns over row 2, column 3: Berry Bonnet (4x).")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('#board [role=button], summary, button, a')")


def test_choosing_a_slot_shows_its_value_before_it_is_sent(page: Page) -> None:
    start_from(page, STOCKING)
    expect(page.locator("#send")).to_be_disabled()
    page.locator("[data-case='0'][data-slot='12']").click()
    expect(page.locator("#send")).to_have_text("Put it in your slot 12 ($19,500)")
    expect(page.get_by_role("radio", name=re.compile(r"12\s+x13"))).to_have_count(2)
    page.locator("[data-case='1'][data-slot='7']").click()
    expect(page.locator("#send")).to_have_text("Put it in Confederate's slot 7 ($2,500)")
    before = ply(page)
    page.locator("[data-case='1'][data-slot='7']").click()
    wait_for_later_ply(page, before)
    expect(page.locator("#recap")).to_contain_text("You Take the Cake! Union puts a Wedding Cake ($500)")


def test_a_stale_card_by_arrow_keys(page: Page) -> None:
    start_from(page, STALE)
    spots(page).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    expect(page.locator("#send")).to_contain_text("in slot 3 stale ($2,800 → $2,240)")
    before = ply(page)
    page.keyboard.press("Enter")
    wait_for_later_ply(page, before)
    expect(page.locator("#recap")).to_contain_text("Union puts a stale card on Confederate's slot 3")
    assert kind(page) == "roll"


@pytest.mark.full
def test_a_double_click_on_the_dice_rolls_once(page: Page) -> None:
    start_from(page, SELLING)
    before = ply(page)
    spots(page).dblclick()
    wait_for_later_ply(page, before)
    expect(page.locator(".sent")).to_be_visible()
    expect(page.locator(".entries li").filter(has_text="Union rolls")).to_have_count(1)
    expect(page.locator(".refusal")).to_have_count(0)


def test_hiring_needs_a_second_click(page: Page) -> None:
    start_from(page, {"phase": "hire"})
    assert kind(page) == "start"
    expect(page.locator("#declare")).not_to_be_visible()
    page.locator("summary", has_text="Try to hire a chef").click()
    before = ply(page)
    page.locator("#declare").click()
    wait_for_later_ply(page, before)
    for position in (3, 8, 13, 18):
        before = ply(page)
        page.locator(f"[data-position='{position}']").click()
        wait_for_later_ply(page, before)
    expect(page.locator(".bakery-form")).to_contain_text("For the 5x you still need batter or a wild.")
    page.locator("[data-position='28']").click()
    expect(page.locator("#recap")).to_contain_text("Union hires Rufus Redvelvet (5x)!")
    expect(page.locator("#sheet")).to_contain_text("5x (red)")


def test_without_the_memory_aid_the_page_keeps_nothing_of_a_faded_card(page: Page) -> None:
    bo = start_from(page, {**HELD, "flips_max": 1}, memory_aid="off")
    page.locator("[data-position='3']").click()
    expect(page.locator("#recap")).to_contain_text("Rufus Redvelvet (5x)")
    bo.move("declare_hire")
    bo.move("flip_card", position=9)
    wait_for_my_turn(page)
    expect(page.locator("[data-position='3']")).to_contain_text("Rufus Redvelvet (5x), face down now")
    expect(page.locator("[data-position='9']")).to_contain_text("Grand Toque (6x)")
    before = ply(page)
    page.locator("#roll").click()
    wait_for_later_ply(page, before)
    wait_for_my_turn(page)
    assert not FACES.findall(visible_and_hidden(page))
    page.go_back()
    page.go_forward()
    wait_for_my_turn(page)
    assert not FACES.findall(visible_and_hidden(page))
    page.goto(f"{page.url}/replay?ply=5")
    expect(page.locator(".board-frame")).to_contain_text("something that is now hidden again")
    assert not FACES.findall(visible_and_hidden(page))


def visible_and_hidden(page: Page) -> str:
    """Return the whole content of the page, without a text that is the same for every hire."""
    return page.content().replace("hat, apron, oven and batter", "")


def test_a_click_during_an_update_is_not_lost(page: Page) -> None:
    start_from(page, SELLING)

    def slowly(route: Route) -> None:
        page.wait_for_timeout(400)
        route.continue_()

    page.route(re.compile(r"/matches/\w{18}$"), slowly, times=1)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    before = ply(page)
    spots(page).click()
    wait_for_later_ply(page, before)
    expect(page.locator(".entries li").filter(has_text="Union rolls")).to_have_count(1)


@pytest.mark.parametrize("name", POSITIONS)
def test_every_phase_is_readable_and_usable_on_any_screen(visitor: OpenBrowser, name: str) -> None:
    page = visitor(**PHONE)
    start_from(page, POSITIONS[name])
    check_page(page, f"{name} on a phone", phone=True)
    page.set_viewport_size({"width": 1200, "height": 900})
    check_page(page, f"{name} on a wide screen", phone=False)


def test_the_rules_fit_a_phone(visitor: OpenBrowser) -> None:
    page = visitor(**PHONE)
    page.goto("/rules/battle_of_the_bakeries")
    check_page(page, "the rules", phone=True)


def test_a_phone_plays_by_touch(visitor: OpenBrowser) -> None:
    page = visitor(**PHONE)
    start_from(page, STOCKING)
    page.locator(".spots .count").first.tap()
    expect(page.locator("#send")).to_have_text("Put it in your slot 2 ($19,500)")
    before = ply(page)
    page.locator("#send").tap()
    wait_for_later_ply(page, before)
    expect(page.locator(".entries")).to_contain_text("in its own slot 2")
    start_from(page, HELD)
    before = ply(page)
    page.locator("[data-position='14']").tap()
    wait_for_later_ply(page, before)
    expect(page.locator("#stop")).to_be_visible()


def test_without_scripts_from_card_to_cake(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    start_from(page, HELD, scripts=False)
    page.locator("#flip").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a card first.")
    page.locator("input[name=position][value='8']").check(force=True)
    page.locator("#flip").click()
    expect(page.locator("#recap")).to_contain_text("Velvet Toque (5x)")
    page.locator("#stop").click()
    expect(page.locator("#recap")).to_contain_text("Turn 2: Confederate.")
    start_from(page, STOCKING, scripts=False)
    page.locator("input[name=place][value='0-12']").check(force=True)
    page.locator("#send").click()
    expect(page.locator("#recap")).to_contain_text("Union puts a Wedding Cake ($500) in its own slot 12.")
