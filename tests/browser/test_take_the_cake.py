"""Take the Cake in a real browser: the program builder by mouse, touch and keyboard, and a whole match."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenBrowser
from tests.browser.kitchen import PATH_SELECTOR, begin, drag, hand, kind, pick, play_card, program, strip
from tests.browser.tables import (
    PHONE,
    bounding_box,
    check_page,
    new_match,
    ply,
    send,
    wait_for_later_ply,
    wait_for_my_turn,
)

SEED = "0021"
"""With this seed, red starts with a Repeat and cards to repeat."""


@pytest.mark.full
def test_a_whole_match_against_greedy_by_clicks(page: Page) -> None:
    """Play ten rounds with clicks, keys, drags and swaps, then watch the replay."""
    begin(page, round_limit="10")
    turns = 0
    while wait_for_my_turn(page):
        turns += 1
        cards = [card for card in hand(page) if not kind(card).startswith("rep")][:3]
        if turns % 4 == 0 or not cards:
            swap(page)
            continue
        for place, card in enumerate(cards):
            if turns % 4 == 1:
                play_card(page, card)
            elif turns % 4 == 2:
                drag(page, card, place)
            else:
                page.keyboard.press(str(hand(page).index(card) + 1))
        assert [card for card, _ in program(page)] == cards
        expect(page.locator("#trial")).to_contain_text(re.compile("Ends on|win"))
        send(page)
    assert turns >= 5
    expect(page.locator("#turn")).to_contain_text(re.compile("won|draw"))
    watch_the_replay(page)


def swap(page: Page) -> None:
    """Swap the first two cards."""
    before = ply(page)
    if not page.locator("#swap").is_visible():
        page.locator(".swap > summary").click()
    for label in page.locator(".swap label").all()[:2]:
        label.click()
    expect(page.locator("#swap")).to_have_text("Swap 2 cards")
    page.locator("#swap").click()
    wait_for_later_ply(page, before)


def watch_the_replay(page: Page) -> None:
    """Browse the replay, view a move step by step and verify the match."""
    page.get_by_role("link", name="Replay", exact=True).click()
    page.get_by_role("link", name="First move").click()
    page.get_by_role("link", name="Next move").click()
    page.locator(".ledger a", has_text="5").first.click()
    page.get_by_role("link", name="View this move step by step").click()
    expect(page.locator(".inside")).to_contain_text("Step 0 of")
    for number in (1, 2, 3):
        page.get_by_role("link", name="Next step").click()
        expect(page.locator(".inside")).to_contain_text(f"Step {number} of")
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page.get_by_role("heading", name="Verified: every check passed")).to_be_visible()


# -- the builder --------------------------------------------------------------------------------------------------


def repeat_and_two(page: Page) -> tuple[str, str, str]:
    """Return a Repeat and two other cards of the hand."""
    cards = hand(page)
    repeat = next(card for card in cards if kind(card).startswith("rep"))
    first, second = [card for card in cards if not kind(card).startswith("rep")][:2]
    return repeat, first, second


def test_the_span_of_a_repeat_is_set_by_buttons_keys_and_dragging(page: Page) -> None:
    begin(page, seed=SEED)
    repeat, first, second = repeat_and_two(page)
    play_card(page, repeat)
    expect(page.locator("#send")).to_have_text("A Repeat needs a card after it")
    expect(page.locator("#send")).to_be_disabled()
    play_card(page, first)
    play_card(page, second)
    assert program(page) == [(repeat, "1"), (first, ""), (second, "")]
    page.locator(".strip button").first.click()
    page.get_by_role("button", name="Repeat one more card").click()
    assert program(page)[0] == (repeat, "2")
    expect(page.get_by_role("button", name="Repeat one more card")).to_be_disabled()
    page.locator(".strip button").first.focus()
    page.keyboard.press("-")
    assert program(page)[0] == (repeat, "1")
    page.locator(".handle").hover()
    page.mouse.down()
    slot = bounding_box(page, ".strip > li:nth-child(3)")
    page.mouse.move(slot["x"] + slot["width"] / 2, slot["bottom"] + 12, steps=5)
    page.mouse.up()
    assert program(page)[0] == (repeat, "2")
    assert "repeats the next 2" in strip(page)[0]


def test_cards_are_moved_removed_and_restored_by_undo(page: Page) -> None:
    begin(page, seed=SEED)
    _, first, second = repeat_and_two(page)
    play_card(page, first)
    play_card(page, second)
    page.locator(".strip button").nth(1).click()
    page.get_by_role("button", name="Move left").click()
    assert [card for card, _ in program(page)] == [second, first]
    page.locator(".strip button").nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert [card for card, _ in program(page)] == [first, second]
    page.keyboard.press("Delete")
    assert [card for card, _ in program(page)] == [first]
    page.get_by_role("button", name="Undo").click()
    assert [card for card, _ in program(page)] == [first, second]
    page.get_by_role("button", name="Clear").click()
    assert program(page) == []
    page.get_by_role("button", name="Undo").click()
    assert [card for card, _ in program(page)] == [first, second]
    drag_out(page)
    assert [card for card, _ in program(page)] == [second]


def drag_out(page: Page) -> None:
    """Drag the first card out of the strip."""
    page.locator(".strip button").first.hover()
    page.mouse.down()
    page.mouse.move(20, 20, steps=4)
    page.mouse.up()


def test_the_path_is_shown_while_the_program_is_built(page: Page) -> None:
    begin(page, seed=SEED)
    expect(page.locator(PATH_SELECTOR)).to_have_count(0)
    before = ply(page)
    for card in hand(page):
        if kind(card) in ("fwd", "jump", "right", "left", "around", "back"):
            play_card(page, card)
            break
    expect(page.locator(PATH_SELECTOR)).to_have_count(1)
    expect(page.locator("#trial")).to_contain_text("Ends on")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(PATH_SELECTOR)).to_have_count(0)
    assert ply(page) == before, "a trial must not change the match"


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    begin(page, seed=SEED)
    _, first, _ = repeat_and_two(page)
    page.keyboard.press(str(hand(page).index(first) + 1))
    assert program(page) == [(first, "")]
    before = ply(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "send":
            break
    page.keyboard.press("Enter")
    wait_for_later_ply(page, before)


@pytest.mark.full
def test_a_double_click_runs_once(page: Page) -> None:
    begin(page, seed=SEED)
    _, first, _ = repeat_and_two(page)
    play_card(page, first)
    before = ply(page)
    page.locator("#send").dblclick()
    wait_for_later_ply(page, before)
    expect(page.locator(".entries li").filter(has_text="Red runs")).to_have_count(1)
    expect(page.locator(".refusal")).to_have_count(0)


def test_an_if_can_be_left_unused(page: Page) -> None:
    for seed in range(1, 40):
        begin(page, seed=f"{seed:02x}")
        live = page.locator("button.held.live[data-kind=if]")
        if live.count():
            break
    live.first.click()
    page.locator(".strip button").first.click()
    page.get_by_role("button", name="Leave it unused").click()
    expect(page.locator("#trial")).to_contain_text("is left unused")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#trial")).not_to_contain_text("is left unused")


def test_a_refused_program_links_to_its_rule(page: Page) -> None:
    """The builder can't make an illegal program, so the form is manipulated."""
    begin(page, seed=SEED)
    _, first, _ = repeat_and_two(page)
    play_card(page, first)
    expect(page.locator("#trial")).to_contain_text("Ends on")
    page.locator("#move").evaluate("form => { form.elements.step2.value = form.elements.step1.value; }")
    page.locator("#send").click()
    expect(page.locator("#refusal")).to_contain_text("is used twice")
    page.locator("#refusal a.rule").click()
    expect(page).to_have_url(re.compile("/rules/take_the_cake#P1$"))


# -- the last turns -----------------------------------------------------------------------------------------------


def test_a_program_is_played_back_step_by_step(visitor: OpenBrowser) -> None:
    page = visitor(reduced_motion="no-preference")
    begin(page, seed=SEED)
    (card,) = pick(page, next(kind(one) for one in hand(page) if kind(one) in ("fwd", "left", "right", "around")))
    play_card(page, card)
    before = ply(page)
    page.locator("#send").click()
    page.locator(".playback").wait_for()
    wait_for_later_ply(page, before)
    page.locator(".playback").wait_for(state="detached")
    page.locator("#move").wait_for()
    if page.locator(".play-again").is_visible():
        page.locator(".play-again").click()
        page.locator(".playback").get_by_role("button", name="Skip", include_hidden=True).click()
        page.locator(".playback").wait_for(state="detached")
    assert page.locator(".baker").evaluate_all("all => all.every(one => !one.style.transform)"), (
        "all bakers must be back in place"
    )


# -- the placement ------------------------------------------------------------------------------------------------


def test_an_arrangement_is_proposed_on_the_board(page: Page) -> None:
    begin(page, placement="agreed", recipe="rec_02", seed=SEED)
    tokens = dict(page.locator("[data-token]").evaluate_all("all => all.map(one => [one.dataset.token, one.value])"))
    tiles = (page.locator(".placement-form").get_attribute("data-tiles") or "").split()
    free = next(tile for tile in tiles if tile not in tokens.values())
    page.locator(f".cell-hit[data-cell='{tokens['eggs']}']").click()
    page.locator(f".cell-hit[data-cell='{free}']").click()
    assert page.locator("#token_eggs").input_value() == free
    page.locator(f".cell-hit[data-cell='{tokens['sugar']}']").click()
    page.locator(f".cell-hit[data-cell='{free}']").click()
    assert page.locator("#token_eggs").input_value() == tokens["sugar"], "the two tokens swap places"
    before = ply(page)
    page.locator("#propose").click()
    wait_for_later_ply(page, before)
    expect(page.locator(".entries")).to_contain_text(
        f"Red proposes eggs ({tokens['sugar']})".replace("Red proposes eggs", "eggs")
    )
    wait_for_my_turn(page)
    expect(page.get_by_role("heading", name="Program your baker")).to_be_visible()


# -- appearance ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [360, 1200])
def test_the_table_and_its_rules_look_right(visitor: OpenBrowser, width: int) -> None:
    page = visitor(**PHONE) if width == 360 else visitor()
    begin(page, seed=SEED)
    repeat, first, second = repeat_and_two(page)
    for card in (repeat, first, second):
        page.locator(f"button.held[data-card={card}]").tap() if width == 360 else play_card(page, card)
    page.locator(".strip button").first.click()
    expect(page.locator("#trial")).to_contain_text("Ends on")
    check_page(page, "the builder", phone=width == 360)
    send(page)
    wait_for_my_turn(page)
    page.locator(".swap > summary").click()
    check_page(page, "the next turn", phone=width == 360)
    page.goto("/rules/take_the_cake")
    check_page(page, "the rules", phone=width == 360)
    begin(page, placement="agreed")
    check_page(page, "the placement", phone=width == 360)


def test_without_scripts_a_program_is_tried_and_run(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    new_match(page, "take_the_cake", first_player="0")
    offered = [one.get_attribute("value") or "" for one in page.locator("#step1 option").all()]
    card = next(card for card in offered if card and not card.startswith("rep"))
    page.locator("#step1").select_option(card)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#trial")).to_contain_text("Ends on")
    expect(page.locator(PATH_SELECTOR)).to_have_count(1)
    assert page.locator("#step1").input_value() == card
    page.get_by_role("button", name="Run the program").click()
    expect(page.locator(".entries")).to_contain_text("Red runs")
