"""Helpers to play Baker's Brawl in a browser with clicks."""

from playwright.sync_api import Page

from tests.browser.tables import new_match, send, wait_for_my_turn

SLUG = "bakers_brawl"
CARD = "#board [data-zone={zone}][data-card={kind}]"


def begin(page: Page, *others: str, seed: str = "", **options: str) -> None:
    """Start a match with the form and wait for the reader's first turn."""
    new_match(page, SLUG, *others, seed=seed, **options)
    wait_for_my_turn(page)


def phase(page: Page) -> str:
    """Return the phase of the form: `act`, `keep` or `complete`."""
    return page.locator(".brawl-form").get_attribute("data-phase") or ""


def click_card(page: Page, zone: str, kind: str) -> None:
    """Click a card on the board in the zone `basics`, `hand`, `pantry` or `drawn`."""
    page.locator(CARD.format(zone=zone, kind=kind)).first.click()


def click_cell(page: Page, cell: str) -> None:
    """Click a cell of the board."""
    page.locator(f".cell-hit[data-cell={cell}]").click()


def actions(page: Page) -> list[str]:
    """Return the values of the choices, such as `basic:flour`."""
    found: list[str] = page.locator("input[name=choice]").evaluate_all("all => all.map(radio => radio.value)")
    return found


def empty_cells(page: Page) -> list[str]:
    """Return the cells where a card can be laid."""
    found: list[str] = page.locator("#cell option").evaluate_all("all => all.map(option => option.value)")
    return [cell for cell in found if cell]


def one_move(page: Page, turn: int) -> str:
    """Make a sensible move by clicks and return the text of the button."""
    if phase(page) == "keep":
        kind = page.locator("#board [data-zone=drawn]").first.get_attribute("data-card") or ""
        click_card(page, "drawn", kind)
    elif phase(page) == "complete":
        page.locator(".set").first.click()
    elif turn % 4 != 1 and page.locator(".completions li").count():
        complete_something(page)
    else:
        lay_or_draw(page, turn)
    words = page.locator("#send").inner_text()
    send(page)
    return words


def complete_something(page: Page) -> None:
    """Choose the first way to complete an Order from the list."""
    if not page.locator(".completions[open]").count():
        page.locator(".completions summary").click()
    page.locator(".completions li").first.click()


def lay_or_draw(page: Page, turn: int) -> None:
    """Draw on every fourth turn, play blind on every fourth turn, otherwise lay a card near the middle."""
    offered, cells = actions(page), empty_cells(page)
    cards = [action for action in offered if action.startswith(("basic:", "hand:"))]
    if turn % 4 == 1 and "draw" in offered:
        page.locator("#board [data-zone=deck]").click()
    elif cells and turn % 4 == 3 and "blind" in offered:
        page.locator("input[value=blind]").check(force=True)
        click_cell(page, middle(cells))
    elif cells and cards:
        kind, _, name = cards[turn % len(cards)].partition(":")
        click_card(page, {"basic": "basics", "hand": "hand"}[kind], name)
        click_cell(page, middle(cells))
    else:
        page.locator("input[name=choice]").first.check(force=True)
        if cells and page.locator("#send").is_disabled():
            click_cell(page, cells[0])


def middle(cells: list[str]) -> str:
    """Return the empty cell nearest to C3."""
    return min(cells, key=lambda cell: (abs(ord(cell[0]) - ord("C")) + abs(int(cell[1:]) - 3), cell))
