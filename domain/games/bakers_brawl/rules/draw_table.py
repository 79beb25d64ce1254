"""Describes where random draws appear in the facts (rules, section 6), for verifiers that don't implement the rules."""

from domain.games.bakers_brawl.rules.components import (
    MAX_PLAYERS,
    SPECIALS,
    agendas_in_play,
    orders_in_play,
    special_cards,
)
from domain.kernel.draw_tables import without_purposes
from domain.kernel.game import DrawTable

PLAYERS = range(2, MAX_PLAYERS + 1)

DRAWS = DrawTable(
    protocol=2,
    lists={
        "kinds": SPECIALS,
        "specials": special_cards(),
        **{f"orders.{players}": orders_in_play(players) for players in PLAYERS},
        **{f"agendas.{players}": agendas_in_play(players) for players in PLAYERS},
    },
    facts={
        "position_set": (
            ("set", "orders", "order_deck"),
            ("set", "specials", "special_deck"),
            ("set", "discard", "discard"),
        ),
        "game_set_up": (
            ("when", "@start_seat", "'random", (("below", "start_seat", "@seats", "start_seat"),)),  # S3
            ("shuffle", "orders", "=orders.{players}", "orders", ("order_line", "order_deck")),  # S4, S7
            ("set", "orders", "order_deck"),
            ("deal", "hands", "hands", "start_seat"),  # S9
            ("shuffle", "specials", "=specials", "specials", ("#hands", "special_deck")),  # S5
            ("set", "specials", "special_deck"),
            ("deal", "agendas", "agendas", "start_seat"),  # S10
            ("shuffle", "agendas", "=agendas.{players}", "removed", ("#agendas", "removed_agendas")),  # S6
        ),
        "special_drawn": (("top", "specials", "card"),),
        "ingredient_placed": (("when", "source", "'blind", (("top", "specials", "ingredient"),)),),
        "order_arrived": (("top", "orders", "order_id"),),
        "pantry_discarded": (("put", "discard", "card"),),
        "special_discarded": (("put", "discard", "card"),),
        "ingredients_cleared": (("put", "discard", "discarded"),),
        "seat_resigned": (("put", "discard", "discarded"),),
        "special_deck_reshuffled": (
            ("sort", "discard", "=kinds"),
            ("shuffle", "specials", "#discard", "specials", "order"),
            ("set", "discard", ()),
        ),
    },
)

DRAWS_OF_VERSION_1 = without_purposes(DRAWS)
"""The table of rules version 1, which draws by luck protocol 1."""
