"""The frames of playbacks in two worlds that a reader cannot tell apart: pieces, captions and facts are equal."""

import itertools
from itertools import islice

import pytest

from domain.kernel.game import AnyGame
from tests.leaks.channels import filmed
from tests.leaks.stacks import WorldService
from tests.leaks.test_two_worlds import compare, every_secretive_game, some_pairs


@every_secretive_game
@pytest.mark.parametrize("count", [4, pytest.param(20, marks=pytest.mark.full)])
def test_hidden_information_changes_no_byte_of_a_playback(
    two_services: tuple[WorldService, WorldService], game: AnyGame, count: int
) -> None:
    """Whole matches, single moves and other points of view, as different readers of different matches."""
    readers = (pair for n in itertools.count() for pair in some_pairs(game, n, "people"))
    for pair in islice(readers, count):
        answers, endpoints = compare(two_services, pair, filmed)
        assert answers > 6
        assert endpoints == {"web.frames"}
