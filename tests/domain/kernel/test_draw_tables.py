"""Draw tables of both luck protocols, and how one follows from the other."""

from dataclasses import replace

import pytest

from domain.kernel.draw_tables import drawing_steps, without_purposes
from domain.kernel.game import DrawTable
from domain.kernel.registry import games

TABLE = DrawTable(
    protocol=2,
    lists={"cards": ("ace", "king")},
    facts={
        "shuffled": (("shuffle", "deck", "=cards", "deck", "order"), ("set", "hands", ())),
        "chosen": (("when", "@first", "'random", (("below", "first", "@seats", "seat"),), (("set", "turn", "seat"),)),),
        "stolen": (("each", "thefts", (("when", "seat", 0, (("pick", "theft/0", "#hand", "card"),)),)),),
        "rolled": (("dice", "dice/0", "rolls.*.0"), ("dice", "dice/1", "rolls.*.1")),
    },
)


def test_steps_that_draw_are_found_inside_other_steps() -> None:
    purposes = [step[1] for steps in TABLE.facts.values() for step in drawing_steps(steps)]
    assert purposes == ["deck", "first", "theft/0", "dice/0", "dice/1"]


def test_a_table_without_purposes_has_the_same_steps() -> None:
    assert without_purposes(TABLE, rolled=(("dice", "rolls"),)) == DrawTable(
        lists=TABLE.lists,
        facts={
            "shuffled": (("shuffle", "=cards", "deck", "order"), ("set", "hands", ())),
            "chosen": (("when", "@first", "'random", (("below", "@seats", "seat"),), (("set", "turn", "seat"),)),),
            "stolen": (("each", "thefts", (("when", "seat", 0, (("pick", "#hand", "card"),)),)),),
            "rolled": (("dice", "rolls"),),
        },
    )


def test_an_exception_for_a_fact_that_the_table_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="no such facts: role"):
        without_purposes(TABLE, role=())


def test_a_rules_version_has_the_luck_protocol_of_its_table() -> None:
    game = games()["tic_tac_toe"]
    assert replace(game, draws=TABLE).luck_protocol == 2
    assert replace(game, draws=DrawTable()).luck_protocol == 1
    assert replace(game, draws=None).luck_protocol == 1
