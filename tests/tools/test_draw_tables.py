"""The draw tables that the verifiers ship."""

import json
from hashlib import sha256

import pytest

from domain.kernel.registry import all_versions, games
from tools.draw_tables import tables

RELEASED = {
    "bakers_brawl": "968ed54026f436c8aeb04c7d135cfca790e2b3ba67608daba2143998ec7d2637",
    "battle_of_the_bakeries": "6b50854bbbe4c961eb1b6818aa7da318e29be0d9a63f0c47497c83f337d579e1",
    "mice_cake": "9fb5a586f2227a5bd280559451dd29ec36388dab440238ecc2f92a572d41d0d2",
    "pie_contest": "8fab448ae0441c73b362d6582b152ecad50e54949f2352a1a0be4cd1bb163ae2",
    "take_the_cake": "cd07767540027dff2925306a7d5ba57e0add747077e234239fef2e703a94bfe1",
    "tic_tac_toe": "60ae057925e2371ca1419a4ae727ef0c5aabd1af88e1ef0eda5b51c8402d093c",
}
"""SHA-256 of the released table of rules version 1, by game."""


@pytest.mark.parametrize("slug", RELEASED)
def test_a_released_table_never_changes(slug: str) -> None:
    assert sha256(json.dumps(tables()[slug]["1"]).encode()).hexdigest() == RELEASED[slug]


def test_tables_name_their_protocol_from_2_on() -> None:
    for game in all_versions():
        protocol = tables()[game.slug][str(game.rules_version)].get("protocol")
        assert protocol == (None if game.luck_protocol == 1 else game.luck_protocol)


@pytest.mark.parametrize("slug", RELEASED)
def test_new_matches_use_luck_protocol_2_with_the_same_components(slug: str) -> None:
    first, newest = (game for game in all_versions() if game.slug == slug)
    assert (first.luck_protocol, newest.luck_protocol) == (1, 2)
    assert first.components_digest == newest.components_digest
    assert games()[slug] is newest
