"""Decisions of the greedy bot and of the search policy (section 14)."""

from typing import Any

import pytest

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.bot.search import policy
from domain.games.battle_of_the_bakeries.rules.moves import (
    ChooseTurnOrder,
    DeclareHire,
    FlipCard,
    Move,
    PlaceCake,
    PlaceStale,
    RollDie,
    StopCatchUp,
    StopFlipping,
    TakeBonus,
    TryCatchUp,
)
from domain.kernel.chance import Fast

from .builders import start

TWO_X, FOUR_X, FIVE_X, SIX_X = ([first + 5 * n for n in range(5)] for first in (0, 2, 3, 4))


def choices(document: dict[str, Any]) -> set[Move]:
    """Return the moves that the greedy bot makes in this position over 30 seeds."""
    state = start(position=document).state
    (seat,) = GAME.to_move(state)
    view, legal = GAME.view(state, seat), list(GAME.legal_moves(state, seat))
    return {GAME.greedy(view, seat, legal, Fast(n)) for n in range(30)}


def test_a_known_set_is_hired_chef_first() -> None:
    assert choices({"shown": FIVE_X}) == {DeclareHire()}
    assert choices({"step": "attempt", "shown": FIVE_X}) == {FlipCard(3)}
    assert choices({"step": "attempt", "shown": FIVE_X, "face_up": [3, 8, 13, 18]}) == {FlipCard(23)}


def test_the_5x_is_preferred_to_the_4x_and_the_6x() -> None:
    assert choices({"step": "attempt", "shown": [*FOUR_X, *FIVE_X, *SIX_X]}) == {FlipCard(3)}
    assert choices({"step": "attempt", "shown": [*FOUR_X, *SIX_X]}) == {FlipCard(2)}


def test_without_a_set_it_rolls() -> None:
    assert choices({}) == {RollDie()}
    assert choices({"shown": FIVE_X[:4]}) == {RollDie()}


def test_a_gamble_needs_a_chance_of_one_third_or_the_last_turn() -> None:
    """Three cards fit, the batter and both wilds: enough among eight unseen cards, but not among fourteen."""
    all_but = set(range(30)) - {23}
    assert choices({"shown": sorted(all_but - {9, 14, 19, 24, 4, 28, 29})}) == {DeclareHire()}
    assert choices({"shown": sorted(all_but - {9, 14, 19, 24, 4, 20, 21, 22, 26, 27, 25, 28, 29})}) == {RollDie()}
    assert choices({"shown": [3, 8, 13, 18], "turns_done": 29}) == {DeclareHire()}


def test_an_uncertain_card_is_turned_over_before_the_known_ones() -> None:
    document = {"step": "attempt", "shown": [3, 8, 13, 18], "face_up": [3], "turns_done": 29}
    assert not choices(document) & {FlipCard(8), FlipCard(13), FlipCard(18)}


def test_it_turns_over_new_cards_only_while_that_is_safe() -> None:
    safe = choices({"step": "flip", "shown": [3, 8]})
    assert not safe & {FlipCard(3), FlipCard(8)}
    dangerous = {"step": "flip", "shown": [3, 8, 13, 18]}
    assert choices(dangerous) <= set(map(FlipCard, (3, 8, 13, 18)))
    assert choices({**dangerous, "skips": [0, 1]}).isdisjoint(map(FlipCard, (3, 8, 13, 18)))


def test_it_takes_money_and_stops_early() -> None:
    assert choices({"step": "five"}) == {TakeBonus()}
    assert choices({"step": "flip", "face_up": [3]}) == {StopFlipping()}


def test_it_goes_for_a_known_set_in_the_last_chance() -> None:
    document = {"phase": "last_chance", "finder": 1, "multipliers": [1, 5], "empty": FIVE_X}
    shown = [*FIVE_X, *TWO_X]
    assert choices({**document, "shown": shown}) <= set(map(FlipCard, TWO_X))
    assert len(choices(document)) > 3


@pytest.mark.parametrize(
    ("document", "best"),
    [
        ({"drawn": "wedding_cake"}, {PlaceCake(0, 3), PlaceCake(0, 11)}),  # the best slots, 3.44 each
        ({"drawn": "lemon_cake"}, {PlaceCake(1, 3), PlaceCake(1, 11)}),
        ({"drawn": "wedding_cake", "multipliers": [1, 6]}, {PlaceCake(1, 7), PlaceCake(0, 3), PlaceCake(0, 11)}),
    ],
)
def test_expensive_cakes_go_to_its_own_case(document: dict[str, Any], best: set[Move]) -> None:
    assert choices({"phase": "stock", **document}) <= best


def test_stale_cards_go_where_the_expected_loss_is_highest() -> None:
    """Slot x price x ways: 13 x 350 x 1 in slot 12 is more than 1 x 500 x 6, 8 x 200 x 2 and 5 x 200 x 3."""
    assert choices({"phase": "sale", "step": "stale", "actor": 1, "sold": [[2], []]}) == {PlaceStale(12)}


def test_it_tries_again_only_if_60_percent_would_lose() -> None:
    document = {"phase": "catch_up", "actor": 1, "tries": 1, "round": 3, "sold": [[2, 3, 4, 5, 6, 7, 8], [3]]}
    assert choices({**document, "tabs": [5000, 8000]}) == {TryCatchUp()}  # 4800 loses, 6400 wins
    assert choices({**document, "tabs": [4500, 8000]}) == {StopCatchUp()}  # 4800 wins
    assert choices({**document, "tabs": [9000, 8000]}) == {StopCatchUp()}  # neither wins
    assert choices({**document, "tabs": [5000, 8000], "round": 2}) == {StopCatchUp()}


# -- the search policy --------------------------------------------------------------------------------------------


def played_by_policy(document: dict[str, Any], **options: Any) -> Move:
    """Return the move of the policy in this position."""
    state = start(position={**document, "options": options} if options else document).state
    (seat,) = GAME.to_move(state)
    return policy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), Fast(1))


def test_the_policy_goes_first_and_still_gets_the_last_turn() -> None:
    """With thirty turns the second seat has the last one, unless the first seat loses a turn immediately."""
    assert played_by_policy({"phase": "order"}) == ChooseTurnOrder("first")
    assert played_by_policy({}) == DeclareHire()
    assert played_by_policy({"turns_done": 1}) == RollDie()
    assert played_by_policy({"turns_done": 0}, hire_turn_limit=31) == RollDie()


def test_the_policy_tries_in_the_last_turn_if_that_is_worth_more_than_a_roll() -> None:
    """Three of 26 cards complete the 5x: worth more than a sixth of 500, but less than a sixth of 6000."""
    last = {"turns_done": 29, "shown": [3, 8, 13, 18]}
    assert played_by_policy(last) == DeclareHire()
    assert played_by_policy({**last, "fives": 22}) == RollDie()
    assert played_by_policy({"turns_done": 29, "shown": [0, 5]}) == RollDie()


def test_the_policy_tries_for_the_most_valuable_set() -> None:
    """The 2x and the 4x each miss one card; four cards would complete the 2x, three the 4x."""
    document = {"step": "attempt", "turns_done": 29, "shown": [*TWO_X[:4], *FOUR_X[:4]]}
    assert played_by_policy(document) == FlipCard(FOUR_X[0])
    assert choices(document) == {FlipCard(TWO_X[0])}
