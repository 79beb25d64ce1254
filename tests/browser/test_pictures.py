"""Tests of the pictures in a real browser: each is drawn from its sprite, and fits and fills its box."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from tools import pictures

ADDRESS = "http://pictures.test"
SPRITES = ("kernel", "bakers_brawl", "battle_of_the_bakeries", "pie_contest", "take_the_cake")
MEASURE = """() => [...document.querySelectorAll('svg > use')].map((use) => {
  const box = use.getBBox();
  return [use.dataset.name, box.x, box.y, box.width, box.height];
})"""
SMALLEST = 0.45
"""How much of its box a picture fills at least, in its longer direction."""
SLACK = 2
"""How far a path may leave the box, in units of the grid: a browser also measures the part of a crescent that is
clipped."""
UNUSUAL = ("icon-minus", "icon-menu")
"""Pictures that are small on purpose."""


def open_pictures(browser: Browser, name: str) -> Page:
    """Open a page that shows every picture of a sprite as pages do: with `use` and the address of another file."""
    symbols = pictures.sprites()[name]
    shown = "".join(
        f'<svg width="48" height="48"><use data-name="{one}" href="/sprite.svg#{one}"/></svg>'
        for one in pictures.SYMBOL.findall(symbols)
    )
    files = {
        "/": ("text/html", f"<!doctype html><title>Pictures</title>{shown}"),
        "/sprite.svg": ("image/svg+xml", f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>'),
    }
    page = browser.new_context().new_page()

    def answer(route: Route) -> None:
        kind, body = files.get(route.request.url.removeprefix(ADDRESS), ("text/plain", ""))
        route.fulfill(content_type=kind, body=body)

    page.route("**/*", answer)
    page.goto(ADDRESS, wait_until="load")
    return page


@pytest.mark.parametrize("name", SPRITES)
def test_every_picture_is_drawn_fits_its_box_and_fills_it(browser: Browser, name: str) -> None:
    page = open_pictures(browser, name)
    measured: list[list[Any]] = page.evaluate(MEASURE)
    page.context.close()
    assert [one[0] for one in measured] == pictures.SYMBOL.findall(pictures.sprites()[name])
    for one, x, y, width, height in measured:
        if one.startswith("pattern-"):
            continue  # a pattern runs over the edge of its patch
        assert max(width, height) >= 48 * SMALLEST or one in UNUSUAL, one
        assert min(x, y) >= -SLACK, (one, x, y)
        assert max(x + width, y + height) <= 48 + SLACK, (one, x + width, y + height)
