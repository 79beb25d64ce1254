"""Browser tests of Pie Contest with mouse, touch and keyboard, with and without scripts."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import OpenBrowser
from tests.browser.pie import GREEDY, SLUG, begin, click_card, hand, one_move, phase, sit_at
from tests.browser.tables import PHONE, check_page, new_match, ply, resign, send, wait_for_later_ply, wait_for_my_turn
from tests.names import fresh_name

SEED = "c0ffee"
TABLE: dict[str, Any] = {
    "seats": 2,
    "hands": {"0": [41, 129, 144, 172, 178], "1": [2, 3]},
    "kitchens": {"0": [1, 53, 57, 123], "1": [24, 86, 104]},
    "pies": {"1": [11, 7]},
    "trash": [63, 130, 10],
    "options": {"pies_for_all": 3},
}
BUTTON = "#send"


class Played(NamedTuple):
    """A short match played to the end: its URL and the button texts of the moves."""

    url: str
    moves: list[str]


@pytest.fixture(scope="module")
def played(browser: Browser, site: str) -> Iterator[Played]:
    context = browser.new_context(base_url=site, reduced_motion="reduce")
    page = context.new_page()
    new_match(page, SLUG, first_seat="0", closing_round="10", seed=SEED)
    moves: list[str] = []
    while wait_for_my_turn(page):
        moves.append(one_move(page, len(moves)))
    yield Played(page.url, moves)
    context.close()


@pytest.mark.full
def test_a_whole_match_against_greedy_with_the_mouse(page: Page, played: Played) -> None:
    assert len(played.moves) >= 8
    assert any(words.startswith("Play ") for words in played.moves)
    assert any(re.match("Trash .* and .*, take ", words) for words in played.moves), "a dive"
    page.goto(played.url)
    expect(page.locator(".ended")).to_be_visible()
    expect(page.locator("#recap")).to_contain_text("the contest is over")
    page.get_by_role("link", name="Replay", exact=True).click()
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()


@pytest.mark.full
def test_the_replay_is_scrubbed(page: Page, played: Played) -> None:
    page.goto(f"{played.url}/replay?ply=5")
    expect(page.locator("#this-ply")).to_contain_text("Move 5")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#this-ply")).to_contain_text("Move 6")
    page.locator("#ply").fill("8")
    expect(page.locator("#this-ply")).to_contain_text("Move 8")
    page.locator(".look", has_text="As seen by Ben").click()
    expect(page.locator(".board-frame")).to_contain_text("Ben (you)")


def test_a_card_is_chosen_on_the_board_and_replaced_by_another(page: Page) -> None:
    sit_at(page, TABLE)
    button = page.locator(BUTTON)
    expect(button).to_have_text("Choose a card")
    expect(button).to_be_disabled()
    click_card(page, 129)
    expect(button).to_have_text("Play Bake")
    click_card(page, 41)
    expect(button).to_have_text("Play Lemon")
    expect(page.locator("#board [data-card='41']")).to_have_class(re.compile("picked"))
    expect(page.locator("#board [data-card='41'] > title")).to_have_text(
        "Lemon. Kitchen worth 8 → 11, 14 as a Pie. Each other cream here +1."
    )
    send(page)
    expect(page.locator(".entries")).to_contain_text("Ana plays Lemon (1).")


def test_a_dive_by_clicks(page: Page) -> None:
    sit_at(page, TABLE)
    page.locator("#board [data-zone=trash]").click()
    button = page.locator(BUTTON)
    expect(button).to_have_text("Dive: choose two cards to trash")
    for card in (172, 178, 144):
        click_card(page, card)
    expect(button).to_have_text("Dive: trash Swap and Unwanted Gift, then choose a card to take")
    page.locator("#take").select_option("130")
    expect(button).to_have_text("Trash Swap and Unwanted Gift, take Bake")
    send(page)
    expect(page.locator(".entries")).to_contain_text("Ana dives, trashing Swap and Unwanted Gift, and takes Bake.")


def test_a_swap_is_chosen_on_the_table(page: Page) -> None:
    sit_at(page, TABLE)
    click_card(page, 144)
    send(page)
    assert wait_for_my_turn(page)
    expect(page.locator(".asks")).to_have_text("Effect of Swap")
    click_card(page, 123)
    expect(page.locator(BUTTON)).to_have_text("Give Graham Crumbs")
    expect(page.locator(BUTTON)).to_be_disabled()
    expect(page.locator("#board [data-card='86']")).not_to_have_class(re.compile("pickable"))
    click_card(page, 104)
    expect(page.locator(BUTTON)).to_have_text("Give Graham Crumbs for Beef")
    send(page)
    expect(page.locator(".entries")).to_contain_text("Ana swaps Graham Crumbs for Ben's Beef.")


def test_a_pie_and_a_seat_are_chosen_on_the_table(page: Page) -> None:
    sit_at(page, TABLE)
    click_card(page, 172)
    send(page)
    assert wait_for_my_turn(page)
    page.locator("#board [data-pie='1.2']").click()
    expect(page.locator(BUTTON)).to_have_text("Ben's Pie 2")
    page.locator("#board [data-pie='1.1']").click()
    expect(page.locator(BUTTON)).to_have_text("Ben's Pie 1")
    send(page)
    expect(page.locator(".entries")).to_contain_text("Food Critic: Ben's Pie 1 11→8.")


def test_a_hand_is_trimmed_by_clicks(page: Page) -> None:
    sit_at(page, {**TABLE, "hands": {"0": list(range(24, 33))}, "kitchens": {}})
    page.locator("input[value=pass]").check(force=True)
    send(page)
    assert wait_for_my_turn(page)
    assert phase(page) == "trim"
    button = page.locator(BUTTON)
    expect(button).to_have_text("Choose 2 more to trash")
    click_card(page, 24)
    click_card(page, 30)
    expect(button).to_have_text("Trash Pear and Cherry")
    click_card(page, 24)
    expect(button).to_have_text("Choose 1 more to trash")
    click_card(page, 32)
    send(page)
    expect(page.locator(".entries")).to_contain_text("Ana trashes Cherry and Cherry to get down to seven cards.")


@pytest.mark.full
def test_a_double_click_sends_once(page: Page) -> None:
    sit_at(page, {**TABLE, "plays_left": 3})
    click_card(page, 41)
    page.locator(BUTTON).dblclick()
    expect(page.locator(".entries")).to_contain_text("Ana plays Lemon")
    wait_for_my_turn(page)
    expect(page.locator(".entries li").filter(has_text="Ana plays")).to_have_count(1)
    expect(page.locator(".refusal")).to_have_count(0)


def test_a_card_can_be_played_with_the_keyboard_alone(page: Page) -> None:
    sit_at(page, TABLE)
    reach(page, "#board [data-card='41']")
    page.keyboard.press("Enter")
    expect(page.locator(BUTTON)).to_have_text("Play Lemon")
    reach(page, BUTTON)
    before = ply(page)
    page.keyboard.press("Enter")
    wait_for_later_ply(page, before)
    expect(page.locator(".entries")).to_contain_text("Ana plays Lemon (1).")


def reach(page: Page, target: str) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("target => document.activeElement.matches(target)", target):
            return
    raise AssertionError(f"{target} cannot be reached by Tab")


def test_cards_have_accessible_names(page: Page) -> None:
    sit_at(page, TABLE)
    expect(page.get_by_role("button", name="Bake. A Pie worth 8. Stale: Ben's Pie 1 11→7")).to_be_visible()
    expect(page.locator("#board svg")).to_have_attribute("role", "group")


def test_the_trash_can_be_filtered(page: Page) -> None:
    sit_at(page, TABLE)
    page.locator("#trash summary").click()
    expect(page.locator(".trash-list li:visible")).to_have_text(["Sea Salt", "Bake", "Spoiled Milk"])
    page.get_by_role("button", name="Bake", exact=True).click()
    expect(page.locator(".trash-list li:visible")).to_have_text(["Bake"])
    page.get_by_role("button", name="Ingredients").click()
    expect(page.locator(".trash-list li:visible")).to_have_text(["Sea Salt", "Spoiled Milk"])


def test_a_choice_is_kept_when_another_seat_resigns(visitor: OpenBrowser) -> None:
    ann, bob = visitor(), visitor()
    new_match(ann, SLUG, "friend", GREEDY, first_seat="0")
    bob.goto(ann.get_by_label("Send this link").input_value())
    bob.get_by_role("button", name="Join as Ben").click()
    assert wait_for_my_turn(ann)
    click_card(ann, hand(ann)[0])
    words = ann.locator(BUTTON).inner_text()
    before = ply(ann)
    resign(bob)
    wait_for_later_ply(ann, before)
    expect(ann.locator(BUTTON)).to_have_text(words)
    expect(ann.locator("#board")).to_contain_text("resigned")


def test_a_refusal_links_to_its_rule(page: Page) -> None:
    sit_at(page, TABLE)
    click_card(page, 41)
    page.locator("input[value='play:41']").evaluate("input => { input.value = 'play:2'; }")
    page.locator(BUTTON).click()
    expect(page.get_by_role("alert")).to_contain_text("You can only use cards from your hand.")
    page.get_by_role("link", name="rule T2").click()
    expect(page).to_have_url(re.compile("/rules/pie_contest#T2$"))
    expect(page.locator("#T2")).to_be_in_viewport()


@pytest.mark.parametrize("width", [360, 1200])
def test_no_page_is_wider_than_the_screen_or_hard_to_read(visitor: OpenBrowser, played: Played, width: int) -> None:
    phone = width == 360
    page = visitor(**(PHONE if phone else {}))
    for path in ("/rules/pie_contest", "/new/pie_contest?seats=8", played.url, f"{played.url}/replay?ply=6"):
        page.goto(path)
        check_page(page, path, phone=phone)
    begin(page, *[GREEDY] * 7, seed=SEED, first_seat="0")
    check_page(page, "a table of eight", phone=phone)
    one_move(page, 1)
    sit_at(page, TABLE)
    page.locator("#board [data-zone=trash]").click()
    check_page(page, "a dive", phone=phone)
    click_card(page, 144)
    for card in (144,):
        page.locator(f"input[value='play:{card}']").check(force=True)
    send(page)
    assert wait_for_my_turn(page)
    check_page(page, "a swap", phone=phone)


def test_a_card_is_played_by_touch_on_a_phone(visitor: OpenBrowser) -> None:
    page = visitor(**PHONE)
    sit_at(page, TABLE)
    page.locator("#board [data-card='41']").tap()
    expect(page.locator(BUTTON)).to_have_text("Play Lemon")
    expect(page.locator(BUTTON)).to_be_in_viewport()
    before = ply(page)
    page.locator(BUTTON).tap()
    wait_for_later_ply(page, before)


def test_cards_and_choices_work_without_scripts(visitor: OpenBrowser) -> None:
    plain = visitor(java_script_enabled=False)
    token = plain.request.post("/api/v1/players", data={"name": fresh_name("Bo")}).json()["token"]
    made = plain.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={"game": "pie_contest", "seats": [{"kind": "open"}, {"kind": "me"}], "position": TABLE},
    )
    plain.goto(f"/matches/{made.json()['match']['id']}")
    plain.get_by_role("button", name="Take this seat").click()
    plain.locator("input[value='play:144']").check(force=True)
    plain.get_by_role("button", name="Submit move").click()
    plain.locator("input[name=give][value='123']").check(force=True)
    plain.locator("input[name=get][value='104']").check(force=True)
    plain.get_by_role("button", name="Submit move").click()
    expect(plain.locator(".entries")).to_contain_text("Ana swaps Graham Crumbs for Ben's Beef.")
