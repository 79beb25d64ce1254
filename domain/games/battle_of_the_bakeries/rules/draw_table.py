"""The random draws in the facts (rules, section 6), for verifiers that don't implement the rules."""

from domain.games.battle_of_the_bakeries.rules.components import FULL_STORE
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS, SLOTS
from domain.kernel.draw_tables import without_purposes
from domain.kernel.game import DrawTable

DRAWS = DrawTable(
    protocol=2,
    lists={
        "chefs": CARDS,
        "cakes": [cake for cake, copies in zip(CAKES, FULL_STORE, strict=True) for _ in range(copies)],
        "slots": SLOTS,
    },
    facts={
        "position_set": (
            ("set", "layout", "layout"),
            ("set", "store", "=cakes"),
            ("drop", "store", ("cases", "drawn")),
            ("hold", "sold", "sold"),
            ("set", "unsold.0", "=slots"),
            ("drop", "unsold.0", "#sold.0"),
            ("set", "unsold.1", "=slots"),
            ("drop", "unsold.1", "#sold.1"),
        ),
        "chefs_laid_out": (("shuffle", "chefs", "=chefs", "layout", "layout"),),  # C1
        "order_rolled_off": (("dice", "roll_off/0", "rolls.*.0"), ("dice", "roll_off/1", "rolls.*.1")),  # C2
        "die_rolled": (("dice", "die/{seat}", "value"),),  # C3
        "card_flipped": (("at", "layout", "position", "card"),),
        "hiring_closed": (("set", "store", "=cakes"),),
        "cake_drawn": (("pick", "cake/{seat}", "#store", "cake"), ("drop", "store", "cake")),  # C4
        "sale_opened": (("set", "unsold.0", "=slots"), ("set", "unsold.1", "=slots")),
        "dice_rolled": (("dice", "dice/{seat}", "dice"),),  # C5
        "cake_sold": (("drop", "unsold.{seat}", "slot"),),
        "catch_up_tried": (  # C6
            ("pick", "number/{seat}", "#unsold.{seat}", "number"),
            ("dice", "catch_up/{seat}", "dice"),
        ),
    },
)

DRAWS_OF_VERSION_1 = without_purposes(DRAWS, order_rolled_off=(("dice", "rolls"),))
"""The table of rules version 1, which draws by luck protocol 1. Both seats rolled off with the same dice then."""
