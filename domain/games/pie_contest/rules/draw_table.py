"""How facts show random draws (rules, section 6), for verifiers that don't implement the rules.

Every card has its own id, so a move only needs its destination. Kitchens, the row and cards set aside are a single
pile, `table`, because no draw depends on them.
"""

from domain.games.pie_contest.rules.components import ACHIEVEMENTS, PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.parts import SEAT_KEYS
from domain.kernel.draw_tables import without_purposes
from domain.kernel.game import DrawTable, Step

EVERY_CARD = ("=pantry", "=achievements")
TURNING = tuple(f"#turning.{seat}" for seat in SEAT_KEYS)


def to_trash(cards: object) -> Step:
    """Return a step that moves cards to the newest end of the Trash, and Achievements under the pile (T9)."""
    return ("move", "trash", cards, "=achievements", "pile")


def under_pile(cards: object) -> Step:
    """Return a step that moves cards to the bottom of the Achievement pile."""
    return ("move", "pile", cards)


def to_hand(card: str) -> Step:
    """Return a step that moves a card to the hand of the fact's seat."""
    return ("move", "hand.{seat}", card)


def to_table(card: str) -> Step:
    """Return a step that moves a card to the pile that no draw depends on."""
    return ("move", "table", card)


DRAWS = DrawTable(
    protocol=2,
    lists={
        "pantry": PANTRY_CARDS,
        "achievements": PILE_CARDS,
        "becoming": [card for card, achievement in ACHIEVEMENTS.items() if achievement.becomes],
    },
    facts={
        "position_set": (
            ("set", "pantry", "pantry"),
            ("set", "trash", "trash"),
            ("set", "pile", "pile"),
            ("set", "active", "active"),
            ("hold", "hand", "hands"),
        ),
        "pantry_shuffled": (("shuffle", "pantry", "=pantry", "pantry", "order"),),  # C1
        "achievements_shuffled": (("shuffle", "achievements", "=achievements", "pile", "order"),),  # C2
        "first_seat_chosen": (
            ("when", "@first_seat", "'random", (("below", "first_seat", "@seats", "seat"),)),  # C3
            ("set", "active", "seat"),
        ),
        "hands_dealt": (
            ("deal", "dealt", "hands", "#active"),  # S5
            ("top", "pantry", "#dealt"),
            ("hold", "hand", "hands"),
        ),
        "turn_began": (("set", "active", "seat"),),
        "card_drawn": (("top", "pantry", "card"), to_hand("card")),
        "pantry_restocked": (("shuffle", "pantry", "#trash", "pantry", "order"), ("set", "trash", ())),  # C4
        "ingredient_played": (to_table("card"),),
        "action_played": (to_trash("card"),),
        "dumpster_dived": (to_trash("trashed"), to_hand("taken")),
        "hand_trimmed": (to_trash("cards"),),
        "pie_baked": (to_trash("cards"),),
        "ingredient_trashed": (to_trash("card"),),
        "ingredient_taken_back": (("when", "to", "'pile", (under_pile("card"),), (to_hand("card"),)),),
        "ingredient_stocked": (to_table("card"),),
        "card_salvaged": (to_hand("card"),),
        "card_foraged": (
            ("top", "pantry", "card"),
            ("when", "to", "'trash", (to_trash("card"),), (to_table("card"),)),
        ),
        "card_looked_at": (("top", "pantry", "card"), to_table("card")),
        "search_finished": (to_trash("trashed"), to_hand("kept")),
        "card_stolen": (
            ("sort", "hand.{owner}", EVERY_CARD),
            ("pick", "steal/{seat}", "#hand.{owner}", "card"),  # C5
            ("when", "to", "'pile", (under_pile("card"),), (to_hand("card"),)),
        ),
        "cards_trashed": (to_trash("cards"),),
        "hands_passed": (
            ("each", "moves", (("when", "zone", "'pile", (under_pile("card"),), (("move", "hand.{to}", "card"),)),)),
        ),
        "achievement_revealed": (("top", "pile", "card"), to_table("card")),
        "achievement_completed": (("move", "pile", "card", "=becoming", "turning.{seat}"),),
        "achievement_turned": (
            ("when", "to", "'pile", (under_pile("card"),)),
            ("when", "to", "'hand", (to_hand("card"),)),
            ("when", "to", "'kitchen", (to_table("card"),)),
        ),
        "row_cleared": (under_pile("cards"),),
        "seat_resigned": (
            to_trash(("hand", "kitchen", "aside")),
            ("set", "falling", "#turning.{seat}"),
            ("when", "seat", "#active", (("set", "falling", TURNING),)),  # V3: the whole agenda is dropped
            ("sort", "falling", EVERY_CARD),
            under_pile("#falling"),
        ),
    },
)

DRAWS_OF_VERSION_1 = without_purposes(DRAWS)
"""The table of rules version 1, which draws by luck protocol 1."""
