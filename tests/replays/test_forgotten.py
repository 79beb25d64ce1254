"""In memory games, and only there, a reader may lose information during a match."""

import pytest

from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from domain.kernel.registry import find_game
from domain.match.history import fold
from domain.match.state import AnyMatch
from replays.redaction import is_hidden_again, loses_information
from tests.builders import greedy_agent, play_match

MEMORY = find_game("battle_of_the_bakeries")


def forgets(events: list[AnyEvent], ply: int, now: int, seat: Seat | None) -> bool:
    """Return whether something that the seat saw at `ply` is hidden from it at ply `now`."""
    matches: list[AnyMatch] = [fold(events[:end]) for end in (ply, now)]
    return is_hidden_again(events[:ply], matches[0], matches[1], seat)


def test_a_card_is_hidden_from_the_seats_next_roll_until_hiring_closes() -> None:
    events = play_match(MEMORY, agent=greedy_agent, options={"rounds": 1, "memory_aid": "off"}, seed="faded")
    fact_types = {event.ply: {type(fact).__name__ for fact in event.facts} for event in events}
    flipped = next(ply for ply, facts in fact_types.items() if "CardFlipped" in facts)
    seat = events[flipped - 1].seat
    assert seat is not None
    begins = {"DieRolled", "HireDeclared"}
    again = next(e.ply for e in events if e.ply > flipped and e.seat == seat and fact_types[e.ply] & begins)
    closed = next(ply for ply, facts in fact_types.items() if "HiringClosed" in facts)
    assert not any(forgets(events, flipped, now, seat) for now in range(flipped, again))
    assert all(forgets(events, flipped, now, seat) for now in range(again, closed))
    assert not forgets(events, flipped, closed, seat)
    assert not forgets(events, flipped, len(events), None)


@pytest.mark.parametrize("slug", ["mice_cake", "tic_tac_toe"])
def test_games_without_memory_never_hide_information_again(slug: str) -> None:
    events = play_match(find_game(slug), seed="elephant")
    for ply in range(4, len(events), 3):
        assert not any(forgets(events, ply, now, 0) for now in range(ply, len(events), 5))


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"card": "hat"}, {"card": None}, True),
        ({"card": "hat"}, {"card": "hat", "more": 1}, False),
        ({"card": None}, {"card": "hat"}, False),
        ({"cells": ["a", None]}, {"cells": ["a", "b"]}, False),
        ({"cells": ["a", "b"]}, {"cells": ["a"]}, True),
        ({"count": 0}, {"count": 1}, True),
        ({"card": "hat"}, None, True),
        (None, {"card": "hat"}, False),
    ],
)
def test_a_missing_null_or_different_value_counts_as_lost_information(
    before: object, after: object, lost: bool
) -> None:
    assert loses_information(before, after) is lost
