"""Playbacks on the live page: pieces travel, nothing jumps, and the reader can skip, slow down or turn motion off."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.cake import open_columns, play_now, start
from tests.browser.conftest import OpenBrowser
from tests.browser.tables import new_match, ply, wait_for_later_ply, wait_for_my_turn

MOVING = {"reduced_motion": "no-preference"}
SHORTEST = 200
"""A piece that changes its place is seen on its way for at least this many milliseconds."""
TOLERANCE = 3.0
"""Pixels by which a piece may be off when a motion begins."""
BEFORE_BOT = 700

WATCH = """() => {
  window.beats = [];
  const middles = () => Object.fromEntries(
    Array.from(document.querySelectorAll("#board [data-piece]"), (node) => {
      const board = document.getElementById("board").getBoundingClientRect();
      const box = node.getBoundingClientRect();
      return [node.dataset.piece, [box.x + box.width / 2 - board.x, box.y + box.height / 2 - board.y]];
    }),
  );
  // Looks at a beat as it begins: where every piece is at the start, in the middle and at the end of its motions.
  const look = () => {
    const motions = document.getElementById("board").getAnimations({ subtree: true });
    const at = (part) => {
      for (const motion of motions) {
        const { delay, duration } = motion.effect.getTiming();
        motion.pause();
        motion.currentTime = part === 1 ? delay + duration : delay * (part > 0) + duration * part;
      }
      return middles();
    };
    const lasting = {};
    for (const motion of motions) {
      const piece = motion.effect.target.dataset.piece;
      const { delay, duration } = motion.effect.getTiming();
      if (piece) lasting[piece] = Math.max(lasting[piece] ?? 0, duration);
    }
    window.beats.push({ when: performance.now(), begin: at(0), middle: at(0.5), end: at(1), lasting });
    for (const motion of motions) {
      motion.currentTime = 0;
      motion.play();
    }
  };
  new MutationObserver((changes) => {
    const swapped = changes.some((change) => change.target.id === "board" &&
      Array.from(change.addedNodes).some((node) => node.classList?.contains("left-behind")));
    if (swapped) look();
  }).observe(document.body, { childList: true, subtree: true });
}"""
"""Records every beat of a playback. It stops the motions while it looks, so the speed of the machine doesn't matter."""


def send_mice(page: Page) -> None:
    """Send all mice to the first open columns with the keyboard."""
    page.locator(".enhanced #move").wait_for()
    for column in open_columns(page)[:2]:
        page.keyboard.press(column.lower())
        page.keyboard.press(column.lower())
    page.locator("#send").click()


def beats(page: Page) -> list[dict[str, Any]]:
    """Return the beats seen so far."""
    found: list[dict[str, Any]] = page.evaluate("window.beats")
    return found


def wait_until(page: Page, condition: str) -> None:
    """Wait until an expression is true on the page, whose policy forbids scripts from strings."""
    for _ in range(300):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"still not true: {condition}")


def distance(one: list[float], other: list[float]) -> float:
    """Return the distance of two places."""
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


def turn(page: Page) -> str:
    """Return the key of the turn that the page shows: it changes with the round."""
    return page.locator("#live").get_attribute("data-turn") or ""


def wait_for_later_turn(page: Page, before: str) -> None:
    """Wait until the round has been played."""
    expect(page.locator("#live")).not_to_have_attribute("data-turn", before, timeout=30_000)


def play_round(page: Page) -> None:
    """Send the mice and wait until the round has been played and the next form is there."""
    before = turn(page)
    send_mice(page)
    wait_for_later_turn(page, before)


def test_pieces_travel_and_nothing_jumps(visitor: OpenBrowser) -> None:
    """Given a round of Mice Cake, then every piece begins where it was and is on its way for 200 milliseconds."""
    page = visitor(**MOVING)
    play_now(page)
    page.evaluate(WATCH)
    play_round(page)
    seen = beats(page)
    travelled = 0
    for before, beat in zip([None, *seen], seen, strict=False):
        for piece, begin in beat["begin"].items():
            if before and piece in before["end"]:
                assert distance(before["end"][piece], begin) < TOLERANCE, f"{piece} jumped"
            if before and piece in before["end"] and distance(begin, beat["end"][piece]) > TOLERANCE:
                travelled += 1
                assert beat["lasting"][piece] >= SHORTEST, piece
                assert distance(begin, beat["middle"][piece]) > 1, piece
                assert distance(beat["end"][piece], beat["middle"][piece]) > 1, piece
    assert len(seen) >= 3
    assert travelled >= 4
    assert page.locator(".left-behind, .effects").count() == 0


def test_the_page_at_the_end_is_where_the_playback_ended(visitor: OpenBrowser) -> None:
    """For the slices on the cake. Those in the bars make room again as soon as the bot sends its mice."""
    page = visitor(**MOVING)
    play_now(page)
    page.evaluate(WATCH)
    play_round(page)
    last = beats(page)[-1]["end"]
    now = page.evaluate(
        """() => Object.fromEntries(
        Array.from(document.querySelectorAll("#board [data-piece^=slice]")).filter((node) => !node.closest(".bar"))
        .map((node) => {
          const board = document.getElementById("board").getBoundingClientRect();
          const box = node.getBoundingClientRect();
          return [node.dataset.piece, [box.x + box.width / 2 - board.x, box.y + box.height / 2 - board.y]];
        }))"""
    )
    assert len(now) >= 20
    off = {piece: (last[piece], place) for piece, place in now.items() if distance(place, last[piece]) >= TOLERANCE}
    assert off == {}


def test_the_next_form_is_inactive_until_the_playback_ends(visitor: OpenBrowser) -> None:
    page = visitor(**MOVING)
    play_now(page)
    before = turn(page)
    send_mice(page)
    expect(page.locator("#live.playing #playback")).to_be_visible()
    assert page.locator(".dock > :not(#playback)").evaluate_all("parts => parts.every((part) => part.inert)")
    assert turn(page) == before
    wait_for_later_turn(page, before)
    assert wait_for_my_turn(page)
    expect(page.locator("#live.playing")).to_have_count(0)
    assert not page.locator("#move").evaluate("form => form.inert")


def test_skip_shows_the_result_and_the_next_form(visitor: OpenBrowser) -> None:
    """With the slowest speed, a round takes many seconds; the button and Escape end it."""
    page = visitor(**MOVING)
    play_now(page)
    for skip in (lambda: page.get_by_role("button", name="Skip").click(), lambda: page.keyboard.press("Escape")):
        page.evaluate("document.documentElement.dataset.pace = 'slow'")
        before = turn(page)
        send_mice(page)
        page.locator("#live.playing").wait_for()
        skip()
        wait_for_later_turn(page, before)
        assert wait_for_my_turn(page)
        expect(page.locator(".left-behind")).to_have_count(0)


def test_the_speed_is_changed_while_it_plays_and_remembered(visitor: OpenBrowser) -> None:
    page = visitor(**MOVING)
    play_now(page)
    send_mice(page)
    with page.expect_response(re.compile("/comfort$")):
        page.get_by_role("button", name="Speed: 1×").click()
    expect(page.get_by_role("button", name="Speed: 2×")).to_be_visible()
    assert wait_for_my_turn(page)
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-pace", "fast")


def test_with_animations_off_the_next_form_comes_at_once(visitor: OpenBrowser) -> None:
    page = visitor(**MOVING)
    play_now(page)
    page.evaluate("document.documentElement.dataset.pace = 'off'")
    page.evaluate(WATCH)
    play_round(page)
    assert beats(page) == []


def test_with_reduced_motion_what_changed_is_outlined_and_nothing_travels(visitor: OpenBrowser) -> None:
    page = visitor()
    play_now(page)
    page.evaluate(
        """() => {
          window.travels = [];
          window.marked = new Map();
          const early = new Set(Array.from(document.querySelectorAll("[data-changed]"), (node) => node.dataset.piece));
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (...given) {
            if (this.dataset?.piece) window.travels.push(this.dataset.piece);
            return animate.apply(this, given);
          };
          new MutationObserver((changes) => changes.forEach(({ target }) => {
            const piece = target.dataset.piece;
            if (early.has(piece)) return;
            if (!("changed" in target.dataset)) window.marked.get(piece).until = performance.now();
            else if (!window.marked.has(piece)) {
              window.marked.set(piece, { from: performance.now(), outline: getComputedStyle(target).outline });
            }
          })).observe(document.body, { subtree: true, attributeFilter: ["data-changed"] });
        }"""
    )
    play_round(page)
    wait_until(page, "[...window.marked.values()].some((mark) => mark.until)")
    marked = page.evaluate("[...window.marked.values()].filter((mark) => mark.until)")
    assert page.evaluate("window.travels") == []
    assert all(mark["until"] - mark["from"] >= 590 for mark in marked)
    assert all("2px" in mark["outline"] for mark in marked)


def test_a_bots_move_begins_after_a_pause(visitor: OpenBrowser) -> None:
    """Given a game without a board of pieces, then the bot's move plays 700 milliseconds after one's own."""
    page = visitor(**MOVING)
    new_match(page, "tic_tac_toe")
    wait_for_my_turn(page)
    page.evaluate(WATCH)
    before = ply(page)
    page.locator("#move label.choice").first.click()
    page.locator("#send").click()
    wait_until(page, "window.beats.length >= 2")
    own, bots = (beat["when"] for beat in beats(page)[:2])
    assert bots - own >= BEFORE_BOT
    wait_for_later_ply(page, before + 1)


def test_a_reload_in_the_middle_shows_the_present(visitor: OpenBrowser) -> None:
    page = visitor(**MOVING)
    play_now(page)
    before = ply(page)
    send_mice(page)
    page.locator("#live.playing").wait_for()
    page.reload()
    assert ply(page) > before
    assert wait_for_my_turn(page)
    assert page.locator("#playback").is_hidden()


def test_a_move_is_shown_if_its_frames_can_not_be_fetched(visitor: OpenBrowser) -> None:
    page = visitor(**MOVING)
    play_now(page)
    page.route("**/frames?*", lambda route: route.fulfill(status=404))
    page.evaluate(WATCH)
    try:
        play_round(page)
    finally:
        page.unroute("**/frames?*")
    assert beats(page) == []
    assert wait_for_my_turn(page)


def test_without_scripts_a_round_is_played_by_forms(visitor: OpenBrowser) -> None:
    page = visitor(java_script_enabled=False)
    start(page)
    expect(page.locator("#playback")).to_be_hidden()
    expect(page.locator("#board [data-piece]").first).to_be_visible()
