"""The random draws in the facts (rules, section 6), for verifiers without the rules."""

from domain.games.battle_of_the_bakeries.rules.components import FULL_STORE
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS, SLOTS
from domain.kernel.game import DrawTable

DRAWS = DrawTable(
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
        "chefs_laid_out": (("shuffle", "=chefs", "layout", "layout"),),  # C1
        "order_rolled_off": (("dice", "rolls"),),  # C2
        "die_rolled": (("dice", "value"),),  # C3
        "card_flipped": (("at", "layout", "position", "card"),),
        "hiring_closed": (("set", "store", "=cakes"),),
        "cake_drawn": (("pick", "#store", "cake"), ("drop", "store", "cake")),  # C4
        "sale_opened": (("set", "unsold.0", "=slots"), ("set", "unsold.1", "=slots")),
        "dice_rolled": (("dice", "dice"),),  # C5
        "cake_sold": (("drop", "unsold.{seat}", "slot"),),
        "catch_up_tried": (("pick", "#unsold.{seat}", "number"), ("dice", "dice")),  # C6
    },
)
