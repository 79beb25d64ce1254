"""Helpers to play Take the Cake in a browser with clicks."""

from playwright.sync_api import Page

from tests.browser.tables import bounding_box, new_match, wait_for_my_turn

SLUG = "take_the_cake"
PATH_SELECTOR = "#board .ghost"


def begin(page: Page, *others: str, seed: str = "", **options: str) -> None:
    """Start a match with the form, with the reader as red and first to move, and wait for the first turn."""
    new_match(page, SLUG, *others, seed=seed, **{"first_player": "0", **options})
    wait_for_my_turn(page)


def hand(page: Page) -> list[str]:
    """Return the ids of the cards in hand."""
    cards: list[str] = page.locator("button.held").evaluate_all("all => all.map(one => one.dataset.card)")
    return cards


def kind(card: str) -> str:
    """Return the kind of a card: `fwd`, `rep2`, `if` and so on."""
    return card.rpartition("_")[0]


def pick(page: Page, *kinds: str) -> list[str]:
    """Return a card of the hand for each of these kinds. Raises StopIteration if there is none."""
    left = hand(page)
    found = []
    for wanted in kinds:
        card = next(card for card in left if kind(card) == wanted)
        left.remove(card)
        found.append(card)
    return found


def play_card(page: Page, card: str) -> None:
    """Click a card of the hand until it is in the strip: a click is lost while the page updates."""
    while page.locator(f"button.held[data-card={card}]").get_attribute("aria-pressed") != "true":
        page.locator(f"button.held[data-card={card}]").click()


def strip(page: Page) -> list[str]:
    """Return the accessible names of the cards in the strip."""
    return page.locator(".strip button").evaluate_all("all => all.map(one => one.ariaLabel)")


def program(page: Page) -> list[tuple[str, str]]:
    """Return the cards and spans that the form would send."""
    fields = page.locator("#move").evaluate(
        "form => [1, 2, 3, 4, 5].map(n => [form.elements['step' + n].value, form.elements['span' + n].value])"
    )
    return [(card, span) for card, span in fields if card]


def drag(page: Page, card: str, place: int) -> None:
    """Drag a card of the hand to a place of the strip."""
    page.locator(f"button.held[data-card={card}]").hover()
    page.mouse.down()
    slot = bounding_box(page, f".strip > li:nth-child({place + 1})")
    page.mouse.move(slot["x"] + 12, slot["y"] + 30, steps=4)
    page.mouse.up()
