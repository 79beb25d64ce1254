"""Playing Take the Cake in a browser, by what a person would click."""

from playwright.sync_api import Page

from tests.browser.tables import bounding_box, new_match, wait_for_my_turn

SLUG = "take_the_cake"
PATH_SELECTOR = "#board .ghost"


def begin(page: Page, *others: str, seed: str = "", **options: str) -> None:
    """A match from the form, in which the reader is red and begins, and on to the first turn."""
    new_match(page, SLUG, *others, seed=seed, **{"first_player": "0", **options})
    wait_for_my_turn(page)


def hand(page: Page) -> list[str]:
    """The ids of the cards in hand."""
    cards: list[str] = page.locator("button.held").evaluate_all("all => all.map(one => one.dataset.card)")
    return cards


def kind(card: str) -> str:
    """`fwd`, `rep2`, `if` and so on."""
    return card.rpartition("_")[0]


def pick(page: Page, *kinds: str) -> list[str]:
    """A card of the hand for each of these kinds; fails if there is none."""
    left = hand(page)
    found = []
    for wanted in kinds:
        card = next(card for card in left if kind(card) == wanted)
        left.remove(card)
        found.append(card)
    return found


def play_card(page: Page, card: str) -> None:
    """Click a card of the hand, until it lies in the strip: a click may meet the moment when the page is renewed."""
    while page.locator(f"button.held[data-card={card}]").get_attribute("aria-pressed") != "true":
        page.locator(f"button.held[data-card={card}]").click()


def strip(page: Page) -> list[str]:
    """What lies in the strip, as it is read out."""
    return page.locator(".strip button").evaluate_all("all => all.map(one => one.ariaLabel)")


def program(page: Page) -> list[tuple[str, str]]:
    """Cards and spans as the form would send them."""
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
