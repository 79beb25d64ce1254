"""Small pictures for the form, drawn with the same pieces as the table."""

from functools import cache

from domain.games.pie_contest.presentation.pictures import icon, small_card
from domain.games.pie_contest.rules.pie_values import ingredient_worths
from domain.kernel.svg import decoration, element, group

WIDTH, HEIGHT = 168, 176
PIE = (
    '<path d="M-34 0h68l-11 16h-46z" fill="#d99f52" stroke="#6d430f" stroke-width="2"/>'
    '<path d="M-38 0q38-30 76 0z" fill="#f0cd92" stroke="#6d430f" stroke-width="2"/>'
    '<path d="M-20-8l14 8M-6-14l22 14M10-13l14 10M20-8l-14 8M6-14l-22 14M-10-13l-14 10" stroke="#b5792c" '
    'stroke-width="2.4"/><path d="M-38 0q5 7 9.5 0q5 7 9.5 0q5 7 9.5 0q5 7 9.5 0q5 7 9.5 0q5 7 9.5 0q5 7 '
    '9.5 0q5 7 9.5 0" fill="#e8b46a" stroke="#6d430f" stroke-width="2"/>'
    '<path d="M-12-20q-5-5 0-10M0-22q-5-5 0-10M12-20q-5-5 0-10" fill="none" stroke="#a06f38" stroke-width="2.6" '
    'stroke-linecap="round"/>'
)
"""A steaming Pie, about 76 units wide."""


@cache
def picture(card: int) -> str:
    """Return the picture of a card."""
    return decoration(36, 36, icon(card, 18, 18), class_="flavour")


def cover() -> str:
    """Return the cover picture: a Kitchen that can be Baked, and a Pie."""
    kitchen = (1, 30, 53)
    shelf = element("rect", x=4, y=4, width=324, height=118, rx=14, fill="#f9dce4", stroke="#ad1f4b", stroke_width=4)
    places = zip(kitchen, ingredient_worths(kitchen, baked=False), strict=True)
    cards = (group(14 + 104 * n, 13, small_card(card, worth, 98, 100)) for n, (card, worth) in enumerate(places))
    return decoration(508, 164, shelf, *cards, group(410, 112, PIE, scale=2.4))
