"""How random draws appear in the facts (rules, section 6), for verifiers that don't implement the rules."""

from domain.games.take_the_cake.rules.board import ORIGIN, board_of
from domain.games.take_the_cake.rules.components import CARDS, FEATURED, RECIPES, SECTIONS
from domain.games.take_the_cake.rules.parts import QUADRANTS, Laid, Square
from domain.kernel.draw_tables import without_purposes
from domain.kernel.game import DrawTable, Step


def item_tiles(section: str, rotation: int) -> tuple[Square, ...]:
    """Return the ingredient tiles of a rotated section in reading order, relative to its corner."""
    return board_of((Laid("NW", section, rotation),)).items["NW"]


SPREAD: Step = ("spread", "tokens", "tokens", "#ingredients", "#sections", "#rotations", "=tiles", "=corners")  # S6

DRAWS = DrawTable(
    protocol=2,
    lists={
        "sections": list(SECTIONS),
        "recipes": list(RECIPES),
        "featured": list(FEATURED),
        "cards": list(CARDS),
        "corners": [ORIGIN[quadrant] for quadrant in QUADRANTS],
        "tiles": {section: [item_tiles(section, rotation) for rotation in range(4)] for section in SECTIONS},
    },
    facts={
        "position_set": (
            ("set", "deck", "deck"),
            ("set", "discard", "discard"),
            ("set", "featured", "featured_deck"),
            ("set", "shown", "featured_discard"),
        ),
        "first_player_chosen": (
            ("when", "@first_player", "'random", (("below", "first_player", "@seats", "seat"),)),  # S1
        ),
        "board_laid": (
            ("shuffle", "sections", "=sections", "sections", "layout.*.section", len(QUADRANTS)),  # S2
            ("below", "rotations", 4, "layout.*.rotation"),
            ("set", "rotations", "layout.*.rotation"),
        ),
        "recipe_drawn": (
            ("when", "@recipe", "'random", (("pick", "recipe", "=recipes", "recipe"),)),  # S5
            ("set", "ingredients", "ingredients"),
        ),
        "placement_proposed": (("when", "seat", (), (SPREAD,)),),
        "tokens_placed": (("when", "how", "'dealt", (SPREAD,)),),
        "featured_deck_shuffled": (("shuffle", "featured", "=featured", "featured", "order"),),  # S7
        "featured_item_drawn": (("top", "featured", "card"), ("put", "shown", "replaced")),
        "featured_deck_replenished": (
            ("sort", "shown", "=featured"),
            ("shuffle", "featured", "#shown", "featured", "order"),  # R41
            ("set", "shown", ()),
        ),
        "player_deck_shuffled": (("shuffle", "deck", "=cards", "deck", "order"), ("set", "hands", ())),  # S8
        "cards_dealt": (("push", "hands", "cards"),),
        "turn_started": (
            ("deal", "dealt", "#hands", 0),  # S9
            ("top", "deck", "#dealt"),
            ("set", "hands", ()),
        ),
        "cards_drawn": (("top", "deck", "cards"),),
        "cards_discarded": (("put", "discard", "cards"),),
        "cards_swapped": (("put", "discard", "cards"),),
        "seat_resigned": (("put", "discard", "cards"),),
        "deck_replenished": (
            ("sort", "discard", "=cards"),
            ("shuffle", "deck", "#discard", "deck", "order"),  # C2
            ("set", "discard", ()),
        ),
    },
)

DRAWS_OF_VERSION_1 = without_purposes(DRAWS)
"""The table of rules version 1, which draws by luck protocol 1."""
