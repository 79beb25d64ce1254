"""Baker's Brawl in a real browser: by mouse, touch and keyboard, with and without scripts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.brawl import SLUG, actions, begin, click_card, click_cell, empty_cells, one_move, phase
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import PHONE, check_page, new_match, ply, resign, send, wait_for_later_ply, wait_for_my_turn
from tests.names import fresh_name
from tests.service.web.test_bakers_brawl import CHOICE

SEED = "c0ffee"
GREEDY = "bot:greedy"


class Played(NamedTuple):
    """A short match played to the end: its URL and the button texts of the moves."""

    url: str
    moves: list[str]


@pytest.fixture(scope="module")
def played(browser: Browser, site: str) -> Iterator[Played]:
    context = browser.new_context(base_url=site, reduced_motion="reduce")
    page = context.new_page()
    new_match(page, SLUG, boss_limit="2", start_seat="0")
    moves: list[str] = []
    while wait_for_my_turn(page):
        moves.append(one_move(page, len(moves)))
    yield Played(page.url, moves)
    context.close()


@pytest.mark.full
def test_a_whole_match_against_greedy_by_clicks(page: Page, played: Played) -> None:
    assert len(played.moves) >= 4
    assert any(words.startswith("Place ") for words in played.moves)
    assert "Draw two Specials" in played.moves
    page.goto(played.url)
    expect(page.locator("#turn")).to_contain_text("won")
    expect(page.locator("#recap")).to_contain_text("Final scores:")
    page.get_by_role("link", name="Replay", exact=True).click()
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()


@pytest.mark.full
def test_the_replay_is_scrubbed(page: Page, played: Played) -> None:
    page.goto(f"{played.url}/replay?ply=5")
    expect(page.locator("#this-ply")).to_contain_text("Move 5")
    cards = page.locator(".bakers-brawl .cell-hit")
    expect(cards).to_have_count(25)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#this-ply")).to_contain_text("Move 6")
    page.locator("#ply").fill("8")
    expect(page.locator("#this-ply")).to_contain_text("Move 8")
    page.locator(".look", has_text="As seen by blueberry").click()
    expect(page.locator(".board-frame")).to_contain_text("Blueberry (you)")


def test_a_card_and_a_cell_are_chosen_on_the_board_and_can_be_changed(page: Page) -> None:
    begin(page, start_seat="0")
    button = page.locator("#send")
    expect(button).to_have_text("Choose a card or the deck")
    expect(button).to_be_disabled()
    click_card(page, "basics", "flour")
    expect(button).to_have_text("Place Flour: choose an empty cell")
    click_cell(page, "C3")
    expect(button).to_have_text("Place Flour on C3")
    expect(page.locator("[data-cell=C3]")).to_have_class(re.compile("chosen"))
    click_card(page, "basics", "milk")
    expect(button).to_have_text("Place Milk on C3")
    click_cell(page, "C3")
    expect(button).to_be_disabled()
    page.locator("#board [data-zone=deck]").click()
    expect(button).to_have_text("Draw two Specials")
    page.locator("#board [data-zone=deck]").click()
    expect(button).to_have_text("Play blind: choose an empty cell")
    click_cell(page, "A1")
    expect(button).to_have_text("Play blind on A1")


def test_one_of_two_drawn_cards_is_kept_by_a_click(page: Page) -> None:
    begin(page, start_seat="0")
    page.locator("#board [data-zone=deck]").click()
    send(page)
    expect(page.get_by_role("heading", name="Keep one of the two cards")).to_be_visible()
    kind = page.locator("#board [data-zone=drawn]").last.get_attribute("data-card") or ""
    click_card(page, "drawn", kind)
    expect(page.locator("#send")).to_have_text(re.compile("^Keep "))
    send(page)
    expect(page.locator(".entries")).to_contain_text("and put")
    wait_for_my_turn(page)
    expect(page.locator(f"#board [data-zone=hand][data-card={kind}]").first).to_be_visible()


def test_one_of_several_sets_is_chosen_and_shown_on_the_board(page: Page) -> None:
    """Play a position set up through the API: berries on C2 complete Berry Pie in two ways."""
    token = page.request.post("/api/v1/players", data={"name": fresh_name("Bo")}).json()["token"]
    made = page.request.post(
        "/api/v1/matches",
        headers={"Authorization": f"Bearer {token}"},
        data={
            "game": "bakers_brawl",
            "seats": [{"kind": "open"}, {"kind": "me"}, {"kind": "bot", "level": "greedy"}],
            "position": CHOICE,
        },
    )
    page.goto(f"/matches/{made.json()['match']['id']}")
    page.get_by_role("button", name="Take this seat").click()
    assert wait_for_my_turn(page)
    click_card(page, "hand", "berries")
    expect(page.locator(".cell-hit.would")).to_have_count(3)
    page.locator(".cell-hit[data-cell=D3]").hover()
    assert lit(page) == ["D2", "C3", "D3"]
    click_cell(page, "C2")
    assert lit(page) == ["B2", "C2", "D2", "C3"], "both sets are outlined"
    expect(page.locator("#send")).to_have_text("Place Berries on C2 to complete Berry Pie")
    send(page)
    expect(page.get_by_role("heading", name="Which Order do you want to complete?")).to_be_visible()
    page.get_by_text("Berry Pie with C2, D2, C3").click()
    assert lit(page) == ["C2", "D2", "C3"]
    expect(page.locator("#send")).to_have_text("Complete Berry Pie")
    send(page)
    expect(page.locator(".entries")).to_contain_text("Raspberry completes Berry Pie (C2, D2, C3) for 3 points.")


def lit(page: Page) -> list[str]:
    """Return the outlined cells, row by row."""
    found: list[str] = page.locator(".cell-hit.part").evaluate_all("all => all.map(hit => hit.dataset.cell)")
    return found


@pytest.mark.full
def test_a_double_click_sends_once(page: Page) -> None:
    begin(page, start_seat="0", seed=SEED)
    click_card(page, "basics", "sugar")
    click_cell(page, "B2")
    page.locator("#send").dblclick()
    expect(page.locator(".entries")).to_contain_text("Raspberry places Sugar on B2")
    wait_for_my_turn(page)
    expect(page.locator(".entries li").filter(has_text="Raspberry places")).to_have_count(1)
    expect(page.locator(".refusal")).to_have_count(0)


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    begin(page, start_seat="0")
    reach(page, "#board [data-cell]")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("[data-cell=A3]")).to_be_focused()
    expect(page.locator("#send")).to_have_text("Choose a card for A3")
    reach(page, "#board [data-zone=basics][data-card=eggs]")
    page.keyboard.press("Enter")
    reach(page, "#send")
    before = ply(page)
    page.keyboard.press("Enter")
    wait_for_later_ply(page, before)
    expect(page.locator(".entries")).to_contain_text("Raspberry places Eggs on A3 (1 labor).")


def reach(page: Page, target: str) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("target => document.activeElement.matches(target)", target):
            return
    raise AssertionError(f"{target} cannot be reached by Tab")


def test_cells_and_cards_have_accessible_names(page: Page) -> None:
    begin(page, start_seat="0")
    click_card(page, "basics", "butter")
    click_cell(page, "C3")
    send(page)
    assert wait_for_my_turn(page)
    laid = page.get_by_role("button", name="C3, Butter, Raspberry, 1 labor")
    expect(laid).to_have_attribute("aria-disabled", "true")
    expect(page.locator(f"[data-cell={empty_cells(page)[0]}]")).to_have_attribute("aria-label", re.compile(", empty$"))
    expect(page.locator("#board svg")).to_have_attribute("role", "group")


def test_an_order_shows_its_cards_on_the_board(page: Page) -> None:
    begin(page, start_seat="0", seed=SEED)
    basics = [action for action in actions(page) if action.startswith("basic:")]
    needed = page.locator(".need.mine").first.inner_text().split()[0].lower()
    assert f"basic:{needed}" in basics
    click_card(page, "basics", needed)
    click_cell(page, "E1")
    send(page)
    assert wait_for_my_turn(page)
    show = page.locator(".show-part").first
    cells = (page.locator(".orders > li").filter(has=show).first.get_attribute("data-cells") or "").split()
    show.click()
    expect(show).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".cell-hit.lit")).to_have_count(len(cells))
    show.click()
    expect(page.locator(".cell-hit.lit")).to_have_count(0)


def test_a_choice_is_kept_when_another_seat_resigns(visitor: OpenBrowser) -> None:
    ann, bob = visitor(), visitor()
    new_match(ann, SLUG, "friend", GREEDY, start_seat="0")
    bob.goto(ann.get_by_label("Send this link").input_value())
    bob.get_by_role("button", name="Join as blueberry").click()
    assert wait_for_my_turn(ann)
    click_card(ann, "basics", "milk")
    click_cell(ann, "D4")
    before = ply(ann)
    resign(bob)
    wait_for_later_ply(ann, before)
    expect(ann.locator("#send")).to_have_text("Place Milk on D4")
    expect(bob.locator("summary", has_text="Resign")).to_have_count(0)


def test_a_refusal_links_to_its_rule(page: Page) -> None:
    begin(page, start_seat="0")
    click_card(page, "basics", "milk")
    page.locator("#cell").evaluate("select => { select.options[1].value = 'Z9'; select.value = 'Z9'; }")
    page.locator("#send").evaluate("button => { button.disabled = false; }")
    page.locator("#send").click()
    expect(page.get_by_role("alert")).to_contain_text("Z9 is not on this board")
    page.get_by_role("link", name="rule R16").click()
    expect(page).to_have_url(re.compile("/rules/bakers_brawl#R16$"))
    expect(page.locator("#R16")).to_be_in_viewport()


@pytest.mark.parametrize("width", [360, 1200])
def test_no_page_is_wider_than_the_screen_or_hard_to_read(visitor: OpenBrowser, played: Played, width: int) -> None:
    phone = width == 360
    page = visitor(**(PHONE if phone else {}))
    for path in ("/rules/bakers_brawl", "/new/bakers_brawl?seats=4", played.url, f"{played.url}/replay?ply=6"):
        page.goto(path)
        check_page(page, path, phone=phone)
    begin(page, *[GREEDY] * 3, seed=SEED, start_seat="0")
    for step in ("act", "keep"):
        assert wait_for_my_turn(page)
        assert phase(page) == step
        check_page(page, f"the table, {step}", phone=phone)
        one_move(page, 1)
    assert wait_for_my_turn(page)
    assert page.locator("#recap .deeds li").count() >= 3
    check_page(page, "the table, after the moves of three opponents", phone=phone)


def test_a_phone_plays_by_touch(visitor: OpenBrowser) -> None:
    page = visitor(**PHONE)
    begin(page, start_seat="0")
    page.locator("#board [data-zone=basics][data-card=sugar]").tap()
    page.locator("[data-cell=B2]").tap()
    expect(page.locator("#send")).to_have_text("Place Sugar on B2")
    expect(page.locator("#send")).to_be_in_viewport()
    before = ply(page)
    page.locator("#send").tap()
    wait_for_later_ply(page, before)


def test_without_scripts_a_card_is_laid_and_a_pair_is_drawn(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    new_match(page, SLUG, start_seat="0", seed=SEED)
    page.locator("input[value='basic:sugar']").check(force=True)
    page.locator("#cell").select_option("C3")
    page.get_by_role("button", name="Submit move").click()
    expect(page.locator(".entries")).to_contain_text("Raspberry places Sugar on C3 (1 labor).")
    for _ in range(60):
        if page.locator("#move").count():
            break
        page.wait_for_timeout(150)
        page.reload()
    page.locator("input[value=draw]").check(force=True)
    page.get_by_role("button", name="Submit move").click()
    page.locator("input[name=choice]").first.check(force=True)
    page.get_by_role("button", name="Submit move").click()
    expect(page.locator(".entries")).to_contain_text("Raspberry keeps")
