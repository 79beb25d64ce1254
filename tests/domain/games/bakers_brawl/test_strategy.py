"""The greedy player (rules, section 14): its preferences, legality, speed and strength."""

from math import sqrt
from time import process_time
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.model import State
from domain.kernel.chance import Fast
from tests.domain.games.bakers_brawl.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    greedily,
    plain,
    play,
    play_on,
    position,
    read,
    start,
    whole_match,
)


def choice(state: State, seed: int = 1) -> Any:
    return plain(greedily(state, state.turn, Fast(seed)))


def tile(kind: str, owner: int, labor: int = 1) -> dict[str, Any]:
    return {"ingredient": kind, "owner": owner, "labor": labor}


def test_it_completes_when_it_can() -> None:
    board = {"B2": tile("flour", 1), "B3": tile("berries", 0, 2)}
    state = position(2, order_line=["O27", "O26"], board=board)
    move = choice(state)
    assert (move["type"], move["ingredient"]) == ("play_basic", "sugar")
    _, facts = play(state, 0, read(**move))
    assert plain(facts[1])["order_id"] == "O27"


def test_it_takes_the_set_that_keeps_the_majority() -> None:
    """Of two sugars, a rival's and its own, the bot uses its own."""
    board = {"B2": tile("sugar", 1), "D2": tile("sugar", 0), "C3": tile("flour", 1), "C2": tile("berries", 0, 1)}
    state = position(2, order_line=["O27"], board=board, phase="complete", pending_cell="C2")
    assert choice(state)["cells"] == ["C2", "D2", "C3"]


def test_it_does_not_leave_a_single_basic_to_a_rival() -> None:
    """The bot doesn't add the third of four cards if only a Basic would then be missing."""
    board = {"B2": tile("chocolate", 1, 2), "B3": tile("eggs", 1)}
    seats = [{"basics": ["milk"]}, {"basics": ["flour", "butter", "sugar"]}]
    state = position(2, order_line=["O05"], board=board, seats=[{**seats[0], "hand": ["nuts"]}, seats[1]])
    move = choice(state)
    assert not (move["type"] == "play_special" and move["cell"] in ("A2", "C2", "B1", "A3", "C3", "B4"))


def test_it_takes_what_it_lacks_from_the_pantry() -> None:
    board = {"B2": tile("flour", 0), "B3": tile("sugar", 0)}
    state = position(2, order_line=["O27"], board=board, pantry=["nuts", "berries"])
    assert choice(state) == {"type": "take_from_pantry", "card": "berries"}


def test_it_keeps_what_it_lacks() -> None:
    board = {"B2": tile("flour", 0), "B3": tile("sugar", 0)}
    state = position(2, order_line=["O27"], board=board, phase="keep", drawn=["nuts", "berries"])
    assert choice(state)["keep"] == "berries"


@pytest.mark.slow
def test_it_plays_legal_moves_and_uses_only_its_view() -> None:
    for number, options in enumerate(ALL_OPTIONS):
        chance = Fast(number)
        state = GAME.fold(start(2 + number % 2, chance, options))
        while waiting := GAME.to_move(state):
            (seat,) = waiting
            move = greedily(state, seat, Fast(7))
            assert move in list(GAME.legal_moves(state, seat))
            changed = replace(
                state,
                special_deck=state.special_deck[::-1],
                order_deck=state.order_deck[::-1],
                seats=tuple(b if n == seat else replace(b, agenda="A14") for n, b in enumerate(state.seats)),
            )
            assert greedily(changed, seat, Fast(7)) == move
            state = GAME.fold(GAME.decide(state, seat, move, chance), state)


@pytest.mark.slow
def test_it_moves_within_a_few_milliseconds() -> None:
    chance, spent, moves = Fast(3), 0.0, 0
    state = GAME.fold(start(4, chance))
    while waiting := GAME.to_move(state):
        (seat,) = waiting
        began = process_time()
        move = greedily(state, seat, chance)
        spent += process_time() - began
        moves += 1
        state = GAME.fold(GAME.decide(state, seat, move, chance), state)
    assert spent / moves < 0.02


# -- strength ---------------------------------------------------------------------------------------------------------


def share_of(first: Player, second: Player, count: int) -> tuple[float, float, float]:
    """Return the first player's share of wins over matches with alternating seats, with its 95 % Wilson interval."""
    won = 0.0
    for number in range(count):
        seat = number % 2
        players = (first, second) if seat == 0 else (second, first)
        state, _ = whole_match(f"strength {number}", players)
        assert state.result
        won += (seat in state.result.winners) / len(state.result.winners)
    p, z = won / count, 1.96
    middle = (p + z * z / 2 / count) / (1 + z * z / count)
    half = z * sqrt(p * (1 - p) / count + z * z / 4 / count / count) / (1 + z * z / count)
    return p, middle - half, middle + half


@pytest.mark.slow
def test_greedy_beats_random() -> None:
    share, low, _ = share_of(greedily, at_random, 30)
    assert share > 0.9
    assert low > 0.6


@pytest.mark.full
def test_greedy_beats_random_over_500_matches() -> None:
    share, low, high = share_of(greedily, at_random, 500)
    print(f"greedy against random: {share:.3f} of 500 matches, 95 % interval {low:.3f} to {high:.3f}")
    assert low > 0.6


def test_greedy_plays_to_the_end_from_an_unusual_position() -> None:
    document = {"players": 3, "special_deck": [], "order_deck": ["O40"], "seats": [{"cubes": 0}, {"cubes": 1}, {}]}
    chance = Fast(1)
    state, _ = play_on(GAME.start(3, {}, chance, document), (greedily,) * 3, chance)
    assert state.result
