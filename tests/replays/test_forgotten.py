"""What a reader of a running match was shown once and may not see now: in games of memory, and nowhere else."""

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
    """Whether the seat has at ply `now` lost something that it saw at `ply`."""
    matches: list[AnyMatch] = [fold(events[:end]) for end in (ply, now)]
    return is_hidden_again(events[:ply], matches[0], matches[1], seat)


def test_a_card_is_forgotten_at_the_seats_own_next_roll_and_known_again_behind_the_hunt() -> None:
    events = play_match(MEMORY, agent=greedy_agent, options={"rounds": 1, "memory_aid": "off"}, seed="faded")
    told = {event.ply: {type(fact).__name__ for fact in event.facts} for event in events}
    look = next(ply for ply, facts in told.items() if "CardFlipped" in facts)
    seat = events[look - 1].seat
    assert seat is not None
    begins = {"DieRolled", "HireDeclared"}
    again = next(e.ply for e in events if e.ply > look and e.seat == seat and told[e.ply] & begins)
    closed = next(ply for ply, facts in told.items() if "HiringClosed" in facts)
    assert not any(forgets(events, look, now, seat) for now in range(look, again))
    assert all(forgets(events, look, now, seat) for now in range(again, closed))
    assert not forgets(events, look, closed, seat)
    assert not forgets(events, look, len(events), None)


@pytest.mark.parametrize("slug", ["mice_cake", "tic_tac_toe"])
def test_games_without_memory_forget_nothing(slug: str) -> None:
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
def test_less_is_what_became_null_or_something_else(before: object, after: object, lost: bool) -> None:
    assert loses_information(before, after) is lost
