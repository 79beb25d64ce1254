"""Rules not covered by the acceptance cases: programs, refills, turns, set-up, placement and order of errors."""

import inspect
from collections import Counter
from itertools import islice
from typing import Any

import pytest

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.bot import strategy
from domain.games.take_the_cake.rules.components import CARD_ORDER
from domain.games.take_the_cake.rules.decider import finish_setup
from domain.games.take_the_cake.rules.facts import (
    BakerBlocked,
    BakerMoved,
    BakerTurned,
    CardsDealt,
    CardsDiscarded,
    CardsDrawn,
    DeckReplenished,
    FeaturedDeckReplenished,
    FeaturedItemDrawn,
    IfChecked,
    IngredientCollected,
    PastryBaked,
    TokensPlaced,
    TurnStarted,
)
from domain.games.take_the_cake.rules.model import State, SwapRange
from domain.games.take_the_cake.rules.moves import ProposePlacement, RunProgram, SwapCards
from domain.games.take_the_cake.rules.programs import activations
from domain.games.take_the_cake.rules.reducer import Recorder
from domain.kernel.chance import Chance, Fast, Scripted
from domain.kernel.refusals import BadOptions, IllegalMove
from tests.domain.games.take_the_cake.builders import NoChance, Zeros, name_of, plain, play, program, state_of

LIVE_FIVE = ["if_01", "if_02", "if_05", "if_06", "if_11"]
"""Five Ifs that are all live for the Pineapple Upside-Down Cake (cake, fruit, warm)."""
PROPOSED = {"flour": [2, 2], "sugar": [3, 7], "butter": [8, 5], "spice": [7, 4]}


def refused(state: State, seat: Any, move: Any) -> str:
    with pytest.raises(IllegalMove) as error:
        play(state, seat, move)
    return error.value.code


def ticks(text: str, hand: list[str]) -> list[tuple[int, int]]:
    """Return step and tick of every motion and check in a program."""
    _, facts = play(state_of({"hands": {"0": hand}}), 0, {"run": text})
    kinds = IfChecked | BakerMoved | BakerTurned | BakerBlocked
    return [(fact.step, fact.tick) for fact in facts if isinstance(fact, kinds)]


# -- programs -----------------------------------------------------------------------------------------------------


def test_X1_nested_repeats_multiply() -> None:
    done = ticks("rep2_1(2) rep3_1(1) fwd_1", ["rep2_1", "rep3_1", "fwd_1", "left_1", "left_2"])
    assert done == [(2, tick) for tick in range(1, 7)]


def test_X2_a_nested_repeat_takes_nine_ticks() -> None:
    done = ticks("rep3_1(3) fwd_1 rep2_1(1) right_1", ["rep3_1", "fwd_1", "rep2_1", "right_1", "left_2"])
    assert Counter(step for step, _ in done) == {1: 3, 3: 6}
    assert [tick for _, tick in done] == list(range(1, 10))


@pytest.mark.parametrize(("featured", "commands"), [("feat_01", 7), ("feat_07", 1)])
def test_X3_a_dead_if_takes_ticks_but_no_commands(featured: str, commands: int) -> None:
    state = state_of({"hands": {"0": ["rep2_1", "if_05", "fwd_1", "left_1", "left_2"]}, "featured": featured})
    _, facts = play(state, 0, {"run": "rep2_1(1) if_05 fwd_1"})
    motions = [fact for fact in facts if isinstance(fact, BakerMoved | BakerBlocked)]
    assert len(motions) == commands
    assert max(fact.tick for fact in motions) == 3


def test_E6_the_largest_program_has_243_commands() -> None:
    hand = ["rep3_1", "rep3_2", "rep3_3", "rep3_4", "if_05"]
    text = "rep3_1(4) rep3_2(3) rep3_3(2) rep3_4(1) if_05"
    _, facts = play(state_of({"hands": {"0": hand}}), 0, {"run": text})
    assert sum(isinstance(fact, BakerMoved | BakerBlocked) for fact in facts) == 243
    assert sum(isinstance(fact, IfChecked) for fact in facts) == 81


def test_P5_consecutive_repeats_are_independent() -> None:
    hand = ["rep2_1", "fwd_1", "rep3_1", "right_1", "left_1"]
    done = ticks("rep2_1(1) fwd_1 rep3_1(1) right_1 left_1", hand)
    assert [step for step, _ in done] == [1, 1, 3, 3, 3, 4]


def test_P2_a_nested_repeat_counts_as_one_card_of_the_body() -> None:
    move = GAME.read_move(program("rep2_1(3) rep3_1(1) fwd_1 left_1"))
    assert isinstance(move, RunProgram)
    assert list(activations(move.steps)) == [2, 2, 2, 3] * 2


def test_P6_an_if_is_checked_and_declined_at_each_activation() -> None:
    state = state_of({"hands": {"0": ["rep3_1", "if_05", "if_07", "left_1", "left_2"]}})
    _, facts = play(state, 0, {"run": "rep3_1(2) if_05! if_07!"})
    checks = [(fact.card, fact.result) for fact in facts if isinstance(fact, IfChecked)]
    assert checks == [("if_05", "declined"), ("if_07", "unmet")] * 3, "unmet takes precedence over declined"
    assert not any(isinstance(fact, BakerMoved) for fact in facts)


def test_R37_each_command_of_an_if_is_tried_separately() -> None:
    """Three forward commands of one If card against the edge cause three blocked moves in one tick."""
    state = state_of(
        {"hands": {"0": ["if_05", "fwd_1", "left_1", "around_1", "back_1"]}, "bakers": {"0": {"facing": "N"}}}
    )
    _, facts = play(state, 0, {"run": "if_05"})
    blocked = [fact for fact in facts if isinstance(fact, BakerBlocked)]
    assert [(fact.tick, fact.obstacle, fact.at) for fact in blocked] == [(1, "edge", (0, 0))] * 3


def test_R34_a_baker_cannot_jump_onto_another() -> None:
    bakers = {"0": {"at": [4, 2], "facing": "E"}, "1": {"at": [4, 4]}}
    state = state_of({"hands": {"0": ["jump_1", "fwd_1", "left_1", "around_1", "back_1"]}, "bakers": bakers})
    after, facts = play(state, 0, {"run": "jump_1 fwd_1 fwd_1".replace(" fwd_1 fwd_1", " fwd_1")})
    assert [name_of(fact) for fact in facts[1:3]] == ["baker_blocked", "baker_moved"]
    assert plain(facts[1]) == {
        "type": "baker_blocked", "seat": 0, "step": 0, "tick": 1, "command": "jump", "at": [4, 2], "obstacle": "baker"
    }  # fmt: skip
    assert after.bakers[0].at == (4, 3)


def test_K2_a_token_stays_on_the_board_and_is_ticked_once_per_seat() -> None:
    bakers = {"0": {"at": [0, 2], "facing": "S"}, "1": {"at": [2, 2], "facing": "N"}}
    hands = {
        "0": ["fwd_1", "back_1", "fwd_2", "left_1", "left_2"],
        "1": ["jump_1", "fwd_3", "left_3", "back_2", "back_3"],
    }
    state, facts = play(state_of({"bakers": bakers, "hands": hands}), 0, {"run": "fwd_1 back_1 fwd_2"})
    assert sum(isinstance(fact, IngredientCollected) for fact in facts) == 1
    state, facts = play(state, 1, {"run": "jump_1"})
    found = next(fact for fact in facts if isinstance(fact, IngredientCollected))
    assert (found.seat, found.ingredient, found.how) == (1, "eggs", "jumped"), (
        "R12: tokens under a baker are touched too"
    )
    assert state.bakers[1].last == 2


def test_K1_a_jump_touches_the_jumped_tile_first() -> None:
    """Jumping over an Oven square with everything bakes on that square; the baker ends on the landing tile."""
    baker = {"at": [4, 3], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    hand = {"0": ["jump_1", "fwd_1", "left_1", "around_1", "back_1"]}
    document = {"bakers": {"0": baker}, "hands": hand, "turn": 5, "round": 3}
    state, facts = play(state_of(document), 0, {"run": "jump_1"})
    baked = next(fact for fact in facts if isinstance(fact, PastryBaked))
    assert baked.at == (4, 4)
    assert state.bakers[0].at == (4, 5)
    state, facts = play(state_of(document, jump_touches=False), 0, {"run": "jump_1"})
    baked = next(fact for fact in facts if isinstance(fact, PastryBaked))
    assert baked.at == state.bakers[0].at == (4, 5), "R12: only the landing tile is touched"


def test_K4_baking_stops_an_if_and_a_repeat() -> None:
    baker = {"at": [4, 2], "facing": "E", "collected": ["eggs", "sugar", "cream", "berries"], "last": 3}
    hand = {"0": ["rep3_1", "if_05", "left_1", "around_1", "back_1"]}
    _, facts = play(state_of({"bakers": {"0": baker}, "hands": hand}), 0, {"run": "rep3_1(2) if_05 left_1"})
    assert [name_of(fact) for fact in facts] == [
        "program_laid", "if_checked", "baker_moved", "baker_moved", "pastry_baked", "cards_discarded", "game_ended"
    ]  # fmt: skip


def test_R18_the_oven_must_be_touched_after_the_last_ingredient() -> None:
    """Entering the Oven before the last ingredient does not bake, even in the same program."""
    baker = {"at": [4, 4], "facing": "N", "collected": ["sugar", "cream", "berries"], "last": 3}
    tokens = {"eggs": [4, 3], "sugar": [0, 8], "cream": [7, 7], "berries": [6, 1]}
    hand = {"0": ["left_1", "fwd_1", "fwd_2", "around_1", "fwd_3"]}
    document = {"bakers": {"0": baker}, "hands": hand, "tokens": tokens}
    state, _ = play(state_of(document), 0, {"run": "left_1 fwd_1 fwd_2"})
    assert state.phase == "turn"
    assert len(state.bakers[0].collected) == 4
    state, _ = play(state_of(document), 0, {"run": "left_1 fwd_1 around_1 fwd_2"})
    assert state.phase == "finished"


# -- legal programs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "count"),
    [
        (["fwd_1", "fwd_2", "left_1", "right_1", "jump_1"], 325),
        (["rep2_1", "fwd_1", "fwd_2", "left_1", "right_1"], 488),
        (["rep2_1", "rep2_2", "fwd_1", "fwd_2", "left_1"], 447),
        (["rep2_1", "rep2_2", "rep3_1", "fwd_1", "fwd_2"], 244),
        (["rep2_1", "rep2_2", "rep3_1", "rep3_2", "fwd_1"], 65),
        (["rep2_1", "rep2_2", "rep3_1", "rep3_2", "rep3_3"], 0),
        (LIVE_FIVE, 6330),
    ],
)
def test_14_1_number_of_programs_of_a_hand(hand: list[str], count: int) -> None:
    moves = list(GAME.legal_moves(state_of({"hands": {"0": hand}}), 0))
    assert sum(isinstance(move, RunProgram) for move in moves) == count
    assert sum(isinstance(move, SwapCards) for move in moves) == 1 + 5 + 20 + 60
    assert GAME.view(state_of({"hands": {"0": hand}}), 0).legal_moves.run_program == (count > 0), "R47"


def test_legal_moves_come_lazily_and_in_canonical_order() -> None:
    moves = GAME.legal_moves(state_of({"hands": {"0": ["left_1", "if_05", "fwd_2", "rep2_1", "fwd_1"]}}), 0)
    assert inspect.isgenerator(moves)
    found = list(moves)
    assert found[0] == SwapCards(())
    programs = [move.steps for move in found if isinstance(move, RunProgram)]
    keys = [
        (len(steps), [CARD_ORDER[s.card] for s in steps], [s.span or 0 for s in steps], [s.decline for s in steps])
        for steps in programs
    ]
    assert keys == sorted(keys)
    assert [steps[0].card for steps in programs[:4]] == ["fwd_1", "fwd_2", "left_1", "if_05"]


def test_legal_moves_do_not_depend_on_the_order_of_the_hand() -> None:
    hand = ["left_1", "if_05", "fwd_2", "rep2_1", "fwd_1"]
    lists = [list(GAME.legal_moves(state_of({"hands": {"0": cards}}), 0)) for cards in (hand, hand[::-1])]
    assert lists[0] == lists[1]


def test_bots_search_only_programs_that_differ_in_effect() -> None:
    hand = ["fwd_1", "fwd_2", "fwd_3", "fwd_4", "fwd_5"]
    state = state_of({"hands": {"0": hand}})
    assert len(list(strategy.candidates(hand, "feat_01", state.options))) == 5
    assert sum(isinstance(move, RunProgram) for move in GAME.legal_moves(state, 0)) == 325


def test_options_restrict_the_legal_moves() -> None:
    nested = {"hands": {"0": ["rep2_1", "rep3_1", "fwd_1", "if_05", "left_1"]}}
    flat = state_of(nested, nested_repeats=False)
    assert refused(flat, 0, {"run": "rep2_1(2) rep3_1(1) fwd_1"}) == "nesting_forbidden"
    play(flat, 0, {"run": "rep2_1(1) fwd_1 rep3_1(1) left_1"})
    strict = state_of(nested, may_decline_if=False)
    assert refused(strict, 0, {"run": "if_05!"}) == "decline_forbidden"
    keen = state_of(nested, allow_keep=False)
    assert refused(keen, 0, {"swap": []}) == "swap_size"
    assert GAME.view(keen, 0).legal_moves.swap_cards == SwapRange(1, 3)
    assert next(iter(GAME.legal_moves(keen, 0))) == SwapCards(("fwd_1",))
    for state in (flat, strict):
        steps = [move.steps for move in GAME.legal_moves(state, 0) if isinstance(move, RunProgram)]
        assert not any(step.decline for one in steps for step in one) or state is flat


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fwd_9 fwd_1 fwd_1", "card_not_in_hand"),
        ("fwd_1 fwd_1 fwd_9", "card_used_twice"),
        ("fwd_1 back_1", "card_not_in_hand"),
        ("rep2_1 fwd_1 fwd_1", "card_used_twice"),
        ("fwd_1(1) rep2_1", "span_forbidden"),
        ("rep2_1 fwd_1(1)", "span_required"),
        ("rep2_1(9) left_1! fwd_1", "decline_forbidden"),
        ("rep2_1(1) rep3_1(9) fwd_1", "span_out_of_range"),
        ("fwd_1 left_1 if_05 rep2_1(1) rep3_1(1) fwd_2", "program_size"),
    ],
)
def test_5_5_the_first_failure_is_reported(text: str, code: str) -> None:
    state = state_of({"hands": {"0": ["rep2_1", "rep3_1", "fwd_1", "if_05", "left_1"]}})
    assert refused(state, 0, {"run": text}) == code


def test_5_5_crossing_is_reported_before_nesting() -> None:
    state = state_of({"hands": {"0": ["rep2_1", "rep3_1", "fwd_1", "if_05", "left_1"]}}, nested_repeats=False)
    assert refused(state, 0, {"run": "rep2_1(2) rep3_1(2) fwd_1 left_1"}) == "spans_cross"


@pytest.mark.parametrize("card", ["fwd_8", "back_1", "if_16", "fwd_99", "", "x" * 50_000])
def test_7_leak_b_unknown_cards_and_cards_of_others_are_refused_alike(card: str) -> None:
    with pytest.raises(IllegalMove) as error:
        play(state_of(), 0, {"swap": [card]})
    assert error.value.code == "card_not_in_hand"
    assert error.value.message == "Card 1 is not in your hand. Use only cards from your hand."


# -- refilling ----------------------------------------------------------------------------------------------------


def test_X8_a_refill_continues_after_a_reshuffle() -> None:
    hand = ["fwd_1", "fwd_2", "right_1", "fwd_3", "if_05"]
    state = state_of({"hands": {"0": hand}, "deck": ["back_1", "back_2"]})
    after, facts = play(state, 0, {"run": "fwd_1 fwd_2 right_1"}, Fast(1))
    kinds = [fact for fact in facts if isinstance(fact, CardsDrawn | DeckReplenished)]
    assert [fact.count for fact in kinds] == [2, 43, 1]
    assert len(after.deck) == 42
    assert isinstance(kinds[1], DeckReplenished)
    assert {"fwd_1", "fwd_2", "right_1"} <= set(kinds[1].order or ()), "just-discarded cards are included"


def test_W3_the_deck_is_replenished_as_soon_as_it_is_empty() -> None:
    """Even if no more cards are needed (R39). The new order doesn't depend on the order of the discard pile (C2)."""
    hand = {"0": ["fwd_1", "fwd_2", "right_1", "fwd_3", "if_05"]}
    rest = state_of({"hands": hand, "deck": ["back_1"]}).discard
    ends = []
    for discard in (rest, rest[::-1]):
        state = state_of({"hands": hand, "deck": ["back_1"], "discard": list(discard)})
        after, facts = play(state, 0, {"swap": ["fwd_1"]}, Fast(3))
        assert [name_of(fact) for fact in facts][:3] == ["cards_swapped", "cards_drawn", "deck_replenished"]
        assert after.discard == ()
        ends.append(after.deck)
    assert ends[0] == ends[1]


def test_W3_replenishing_draws_one_shuffle() -> None:
    hand = {"0": ["fwd_1", "fwd_2", "right_1", "fwd_3", "if_05"]}
    chance = Scripted([0] * 41)
    state = state_of({"hands": hand, "deck": ["back_1"]})
    assert len(state.discard) == 41
    play(state, 0, {"swap": ["fwd_1"]}, chance)
    chance.finish()


def test_R44_keeping_the_hand_draws_nothing() -> None:
    state = state_of()
    after, facts = play(state, 0, {"swap": []})
    assert not any(isinstance(fact, CardsDrawn) for fact in facts)
    assert after.hands == state.hands


# -- turns and rounds ---------------------------------------------------------------------------------------------


def test_T2_seats_act_clockwise_from_the_first_player() -> None:
    state = state_of({"seats": 4, "first": 2, "acting": 2})
    order = []
    for _ in range(8):
        (seat,) = GAME.to_move(state)
        order.append((state.round, seat))
        state, _ = play(state, seat, {"swap": []})
    assert order == [(1, 2), (1, 3), (1, 0), (1, 1), (2, 2), (2, 3), (2, 0), (2, 1)]


def test_T3_the_item_changes_after_each_round_even_without_the_first_player() -> None:
    """Covers R42."""
    state = state_of({"seats": 3, "first": 1, "acting": 2, "turn": 2})
    state, facts = play(state, 1, "resign")
    assert [name_of(fact) for fact in facts] == ["seat_resigned"]
    state, _ = play(state, 2, {"swap": []})
    state, facts = play(state, 0, {"swap": []})
    assert [name_of(fact) for fact in facts] == [
        "cards_swapped", "turn_ended", "round_ended", "featured_item_drawn", "turn_started"
    ]  # fmt: skip
    assert facts[-1] == TurnStarted(2, 4, 2)


def test_T5_resigning_in_turn_ends_the_turn() -> None:
    state, facts = play(state_of({"seats": 3}), 0, "resign")
    assert [name_of(fact) for fact in facts] == ["seat_resigned", "turn_ended", "turn_started"]
    assert facts[-1] == TurnStarted(1, 2, 1)
    state, facts = play(state_of({"seats": 3, "acting": 2, "turn": 3}), 2, "resign")
    assert [name_of(fact) for fact in facts] == [
        "seat_resigned", "turn_ended", "round_ended", "featured_item_drawn", "turn_started"
    ]  # fmt: skip
    assert refused(state, 2, {"swap": []}) == "seat_resigned"


def test_T5_resigning_last_in_the_last_round_closes_the_bakery() -> None:
    state = state_of({"seats": 3, "acting": 2, "turn": 300, "round": 100})
    after, facts = play(state, 2, "resign")
    assert [name_of(fact) for fact in facts] == [
        "seat_resigned", "turn_ended", "round_ended", "bakery_closed", "game_ended"
    ]  # fmt: skip
    assert after.result
    assert after.result.ranking == ((0, 1), (2,))


def test_R43_the_same_item_never_comes_twice_in_a_row() -> None:
    document = {"acting": 1, "turn": 2, "featured_deck": ["feat_10"]}
    for seed in range(20):
        state, facts = play(state_of(document), 1, {"swap": []}, Fast(seed))
        replenished = next(fact for fact in facts if isinstance(fact, FeaturedDeckReplenished))
        assert isinstance(facts[facts.index(replenished) - 1], FeaturedItemDrawn)
        assert "feat_10" not in state.featured_deck
        assert len(state.featured_deck) == replenished.count == 17
        assert state.featured_discard == ()


# -- set-up -------------------------------------------------------------------------------------------------------


class Asked(Chance):
    """Random source that records the draws."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self._random = Fast("asked")

    def below(self, n: int) -> int:
        self.asked.append(n)
        return self._random.below(n)


SECTIONS_DRAWN = [8, 7, 6, 5, 4, 3, 2]
QUADRANTS_DRAWN = [4, 3, 2]
DECKS_DRAWN = [*range(18, 1, -1), *range(52, 1, -1)]


@pytest.mark.parametrize(
    ("options", "first", "recipe", "decks"),
    [
        ({}, [3], [12], DECKS_DRAWN),
        ({"first_player": 1}, [], [12], DECKS_DRAWN),
        ({"recipe": "rec_12"}, [3], [], DECKS_DRAWN),
        ({"placement": "agreed"}, [3], [12], []),
    ],
)
def test_C2_C3_draws_of_the_set_up(
    options: dict[str, Any], first: list[int], recipe: list[int], decks: list[int]
) -> None:
    chance = Asked()
    state = GAME.fold(GAME.start(3, options, chance))
    tokens = state.talks.standing if state.talks else state.tokens
    tiles = [3, 3, 3, 3, 2, 2][: sum(1 for _ in tokens.items())]
    assert chance.asked == [*first, *SECTIONS_DRAWN, 4, 4, 4, 4, *recipe, *QUADRANTS_DRAWN, *tiles, *decks]


def test_S6_ingredients_are_spread_over_the_quadrants() -> None:
    for seed in range(20):
        state = GAME.fold(GAME.start(2, {"recipe": "rec_12"}, Fast(seed)))
        places = [(at[0] // 5, at[1] // 5) for _, at in state.tokens.items()]
        assert sorted(Counter(places).values()) == [1, 1, 2, 2]


def test_S8_cards_are_dealt_one_at_a_time() -> None:
    facts = GAME.start(4, {"first_player": 2}, Zeros())
    dealt = [fact for fact in facts if isinstance(fact, CardsDealt)]
    assert [fact.seat for fact in dealt] == [2, 3, 0, 1]
    order = [dealt[n % 4].cards[n // 4] for n in range(20)]  # type: ignore[index]
    assert order == [f"fwd_{n}" for n in range(2, 9)] + [f"back_{n}" for n in range(1, 5)] + [
        *(f"left_{n}" for n in range(1, 5)), *(f"right_{n}" for n in range(1, 5)), "around_1"
    ]  # fmt: skip


def test_S1_the_first_player_must_be_one_of_the_seats() -> None:
    with pytest.raises(BadOptions, match="must be 0 to 1"):
        GAME.start(2, {"first_player": 2}, NoChance())
    assert GAME.start(4, {"first_player": 3}, Zeros())[-1] == TurnStarted(3, 1, 1)


@pytest.mark.parametrize(
    "options",
    [
        {"round_limit": 9}, {"round_limit": 501}, {"round_limit": "20"}, {"recipe": "rec_13"}, {"first_player": 4},
        {"first_player": True}, {"jump_touches": 1}, {"closing": "draw"}, {"position": None}, {"placement": "random"},
    ],
)  # fmt: skip
def test_11_invalid_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions) as error:
        GAME.start(4, options, NoChance())
    assert error.value.code == "bad_options"


# -- the placement ------------------------------------------------------------------------------------------------


def negotiation(seats: int = 3, **options: Any) -> State:
    return GAME.fold(GAME.start(seats, {"placement": "agreed", "first_player": 1, **options}, Zeros()))


@pytest.mark.parametrize(
    "tokens",
    [
        {"flour": [2, 2], "sugar": [3, 7], "butter": [8, 5]},
        {**PROPOSED, "eggs": [0, 3]},
        {**PROPOSED, "flour": [3, 7]},
        {**PROPOSED, "flour": [0, 1]},
        {**PROPOSED, "flour": [-1, 99]},
        {**{key: at for key, at in PROPOSED.items() if key != "spice"}, "salt": [7, 4]},
    ],
)
def test_5_5_invalid_arrangements_are_refused(tokens: dict[str, list[int]]) -> None:
    assert refused(negotiation(), 1, {"propose": tokens}) == "bad_placement"


@pytest.mark.parametrize("tokens", [{"flour": [2, 2, 2]}, {"flour": "2,2"}, {"flour": [True, 2]}, [], None])
def test_5_5_malformed_arrangements_are_refused(tokens: Any) -> None:
    assert refused(negotiation(), 1, {"propose": tokens}) == "bad_move"


def test_4_an_earlier_arrangement_can_be_proposed_again() -> None:
    state = negotiation()
    assert refused(state, 0, {"propose": PROPOSED}) == "not_your_turn"
    assert refused(state, 1, {"swap": []}) == "wrong_phase"
    assert refused(state, 1, "reject") == "not_yet_proposed"
    assert state.talks
    dealt = dict(state.talks.dealt.items())
    state, _ = play(state, 1, {"propose": dealt})
    assert GAME.to_move(state) == {2}
    assert GAME.view(state, 2).legal_moves.propose_placement is True
    assert GAME.view(state, 1).legal_moves.propose_placement is not True


def test_4_a_proposal_stays_when_its_proposer_resigns() -> None:
    state, _ = play(negotiation(), 1, {"propose": PROPOSED})
    state, facts = play(state, 1, "resign")
    assert [name_of(fact) for fact in facts] == ["seat_resigned"]
    assert GAME.to_move(state) == {2}
    state, _ = play(state, 2, "accept")
    state, facts = play(state, 0, "accept", Fast(1))
    placed = next(fact for fact in facts if isinstance(fact, TokensPlaced))
    assert placed.how == "agreed"
    assert plain(placed.tokens) == PROPOSED
    assert state.acting == 2, "the first remaining seat in turn order"


def test_10_the_placement_ends_after_a_limited_number_of_moves() -> None:
    """At most n(n + 1) moves: one proposal per seat, with n - 1 acceptances between two proposals."""
    for seats in (2, 3, 4):
        for seed in range(40):
            state, chance, moves = negotiation(seats), Fast(seed), 0
            while state.phase == "placement":
                (seat,) = GAME.to_move(state)
                first = list(islice(GAME.legal_moves(state, seat), 3))
                state = GAME.fold(GAME.decide(state, seat, chance.pick(first), chance), state)
                moves += 1
            assert moves <= seats * (seats + 1)


def test_placement_moves_are_listed_lazily() -> None:
    state = negotiation(recipe="rec_12")
    moves = list(islice(GAME.legal_moves(state, 1), 50))
    assert [type(move).__name__ for move in moves[:2]] == ["AcceptPlacement", "ProposePlacement"]
    for move in moves:
        assert GAME.decide(state, 1, move, Fast(0))
    assert (
        sum(1 for move in GAME.legal_moves(negotiation(), 1) if isinstance(move, ProposePlacement)) == 12 * 11 * 10 * 9
    )


def test_the_rest_of_set_up_follows_the_agreement() -> None:
    state = negotiation(2)
    state, _ = play(state, 1, "accept")
    state, facts = play(state, 0, "accept", Zeros())
    recorder = Recorder(state, GAME.evolve, Zeros())
    finish_setup(recorder)
    assert [name_of(fact) for fact in facts[2:]] == [name_of(fact) for fact in recorder.decision()]
    assert isinstance(facts[-1], TurnStarted)
    assert not any(isinstance(fact, CardsDiscarded) for fact in facts)
