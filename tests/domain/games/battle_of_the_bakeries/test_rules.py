"""Rules that the acceptance cases don't cover, one test each."""

from typing import Any

import msgspec
import pytest

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.facts import (
    CakeDrawn,
    CakePlaced,
    OrderRolledOff,
    SaleOpened,
    TurnBegan,
    TurnEnded,
    TurnLost,
)
from domain.games.battle_of_the_bakeries.rules.moves import (
    ChooseTurnOrder,
    DeclareHire,
    DeclineLastChance,
    FlipCard,
    Options,
    PlaceCake,
    Resign,
    RollDice,
    RollDie,
    StopCatchUp,
    StopFlipping,
    TakeBonus,
    TryCatchUp,
)
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS, SLOTS, Card
from domain.games.battle_of_the_bakeries.rules.sets import allowed_sets_after, completed_set, is_hopeless
from domain.kernel.chance import Fast, Scripted
from domain.kernel.refusals import BadOptions, IllegalMove

from .builders import IDENTITY, Played, draws, first_turn, start

NO_LUCK = Scripted([])


def code_of(played: Played, seat: int, move: Any) -> str:
    before = played.state
    with pytest.raises(IllegalMove) as refused:
        GAME.decide(played.state, seat, move, NO_LUCK)
    assert played.state is before
    return refused.value.code


# -- S Set-up -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 0},
        {"rounds": 4},
        {"rounds": None},
        {"rounds": True},
        {"rounds": "3"},
        {"memory_aid": True},
        {"memory_aid": None},
        {"last_chance_sets": "any"},
        {"round_order": None},
        {"hire_turn_limit": 9},
        {"hire_turn_limit": 201},
        {"hire_turn_limit": True},
        {"fresh_first": 1},
        {"fresh_first": None},
        {"more": 1},
    ],
)
def test_s2_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadOptions) as refused:
        GAME.start(2, options, Fast(1))
    assert refused.value.code == "bad_options"


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_s2_two_seats_only(seats: int) -> None:
    with pytest.raises(BadOptions, match="for 2 players"):
        GAME.start(seats, {}, Fast(1))


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({}, 30),
        ({"memory_aid": "off"}, 60),
        ({"hire_turn_limit": None}, 30),
        ({"hire_turn_limit": 17.0, "memory_aid": "off"}, 17),
    ],
)
def test_s2_the_resolved_limit_is_recorded(given: dict[str, Any], limit: int) -> None:
    assert start(given).facts[0].options.hire_turn_limit == limit


def test_s4_t1_after_twenty_equal_pairs_seat_0_is_the_chooser() -> None:
    equal_pairs = [face for _ in range(20) for face in (3, 3)]
    played = start(chance=Scripted([*IDENTITY, *equal_pairs]))
    rolled = played.facts[-1]
    assert rolled == OrderRolledOff(((4, 4),) * 20, 0)
    assert played.state.actor == 0


@pytest.mark.parametrize(("scores", "chooser"), [((500, 900), 0), ((900, 500), 1)])
def test_r7_the_trailing_seat_chooses_after_round_one_without_a_roll(scores: tuple[int, int], chooser: int) -> None:
    played = near_the_end_of_round_one(scores, "trailing_chooses")
    made = played.make(0, RollDice(), Scripted([*draws(["dice 4,4"]), *IDENTITY]))
    assert made[-1] == OrderRolledOff((), chooser)


def test_r7_equal_scores_roll_off() -> None:
    played = near_the_end_of_round_one((0, 250), "trailing_chooses")  # the tab of 250 makes the scores equal
    made = played.make(0, RollDice(), Scripted([*draws(["dice 4,4"]), *IDENTITY, *draws(["dice 1,2"])]))
    assert played.state.scores == (250, 250)
    assert made[-1] == OrderRolledOff(((1, 2),), 1)


def near_the_end_of_round_one(scores: tuple[int, int], order: str) -> Played:
    """Return a sale with a tab of 100, in which the bundt cake in slot 8 would be the seventh, sold for 150."""
    return start(
        {"round_order": order},
        {"phase": "sale", "scores": scores, "sold": [[2, 3, 4, 5, 6, 7], []], "tabs": [100, 0], "actor": 0},
    )


# -- H Phase one ----------------------------------------------------------------------------------------------------


def test_h4_the_turn_ends_after_four_cards_on_a_six() -> None:
    played = first_turn()
    played.make(0, RollDie(), Scripted.dice(6))
    for position in (1, 2, 3):
        assert len(played.make(0, FlipCard(position), NO_LUCK)) == 1
        assert StopFlipping() in list(GAME.legal_moves(played.state, 0))
    assert played.make(0, FlipCard(4), NO_LUCK)[1:] == [TurnEnded(0, (1, 2, 3, 4)), TurnBegan(1, 2)]


def test_h10_two_failures_are_both_paid() -> None:
    """A failure during the opponent's double turn adds a lost turn, and lost turns are paid in order (R23)."""
    played = first_turn()
    failed = [played.make(seat, move, NO_LUCK) for seat in (0,) for move in (DeclareHire(), FlipCard(25))]
    assert failed[-1][-1] == TurnBegan(1, 2)
    played.make(1, DeclareHire(), NO_LUCK)
    made = played.make(1, FlipCard(25), NO_LUCK)
    assert made[-3:] == [TurnLost(0), TurnLost(1), TurnBegan(0, 3)]
    assert played.state.skips == (0, 0)


def test_h12_applies_only_to_the_first_card_after_a_roll() -> None:
    shown = [p for p in range(30) if p != 7]
    played = start({"fresh_first": True}, {"step": "flip", "flips_min": 2, "flips_max": 2, "shown": shown})
    assert list(GAME.legal_moves(played.state, 0)) == [FlipCard(7)]
    assert code_of(played, 0, FlipCard(3)) == "must_flip_fresh"
    played.make(0, FlipCard(7), NO_LUCK)
    assert len(list(GAME.legal_moves(played.state, 0))) == 29


@pytest.mark.parametrize(
    "document",
    [
        {"step": "flip", "shown": list(range(30))},
        {"step": "attempt", "shown": [1, 2]},
        {"phase": "last_chance", "finder": 1, "multipliers": [1, 6], "shown": [1, 2]},
    ],
)
def test_h12_does_not_apply_without_new_cards_or_in_attempts(document: dict[str, Any]) -> None:
    played = start({"fresh_first": True}, document)
    assert sum(isinstance(move, FlipCard) for move in GAME.legal_moves(played.state, 0)) == 30


@pytest.mark.parametrize(
    ("cards", "can", "done"),
    [
        (("chef_3", "wild_23_a", "hat_3", "oven_3", "batter_3"), True, True),
        (("wild_23_a", "hat_3", "oven_3", "batter_3", "apron_3"), False, False),  # A11: no chef
        (("chef_6", "wild_45_a"), False, False),  # no wild serves 6x
        (("chef_4", "wild_45_a", "wild_45_b"), False, False),  # R20
        (("chef_4", "chef_5"), False, False),
        (("wild_45_a", "hat_4"), True, False),
        (("hat_2", "apron_2", "oven_2", "batter_2", "chef_2"), True, True),
    ],
)
def test_h8_possible_and_complete(cards: tuple[Card, ...], can: bool, done: bool) -> None:
    everything = (6, 5, 4, 3, 2)
    assert is_hopeless(cards, everything) is not can
    assert (completed_set(cards, everything) is not None) is done


def test_h8_a_set_is_complete_in_any_order_in_the_last_chance() -> None:
    """Wilds work as in an attempt (R30), and the replaced component stays on the board (R32)."""
    document = {"phase": "last_chance", "finder": 0, "multipliers": [6, 1], "actor": 1, "empty": [4, 9, 14, 19, 24]}
    played = start(position=document)
    for position in (28, 23, 18, 13):
        played.make(1, FlipCard(position), NO_LUCK)
    made = played.make(1, FlipCard(3), Scripted([0]))
    assert [fact.__struct_config__.tag for fact in made] == [
        "card_flipped",
        "chef_hired",
        "hiring_closed",
        "cake_drawn",
    ]
    assert made[2].multipliers == (6, 5)
    assert 8 not in played.state.empty


# -- L The last chance ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claimed", "book", "lesser"),
    [
        (6, (5, 4, 3, 2), (5, 4, 3, 2)),
        (5, (3, 2), (4, 3, 2)),
        (4, (3, 2), (3, 2)),
        (3, (2,), (2,)),
        (2, (), ()),
    ],
)
def test_l1_the_sets_of_the_last_chance(claimed: int, book: tuple[int, ...], lesser: tuple[int, ...]) -> None:
    assert allowed_sets_after(claimed, Options()) == book
    assert allowed_sets_after(claimed, Options(last_chance_sets="any_lesser")) == lesser


def test_l4_declining_is_possible_after_a_flip() -> None:
    played = start(position={"phase": "last_chance", "finder": 0, "multipliers": [6, 1], "actor": 1})
    played.make(1, FlipCard(3), NO_LUCK)
    played.make(1, DeclineLastChance(), Scripted([0]))
    assert (played.state.phase, played.state.multipliers) == ("stock", (6, 1))


# -- K Phase two ----------------------------------------------------------------------------------------------------


def test_k4_k5_seats_alternate_until_a_case_is_full() -> None:
    played = start(position={"phase": "stock", "drawn": "wedding_cake", "actor": 0, "finder": 1})
    chance = Fast("stock")
    while played.state.phase == "stock":
        (seat,) = GAME.to_move(played.state)
        legal = list(GAME.legal_moves(played.state, seat))
        made = played.make(seat, chance.pick(legal), chance)
        roomy = [owner for owner in (0, 1) if None in played.state.cases[owner]]
        following = made[-1]
        if len(roomy) == 2:
            assert following.seat == 1 - seat
        elif roomy:
            assert following.seat == roomy[0]
    assert following == SaleOpened(1)  # K6, M1: the opener
    assert sum(played.state.store) == 78 - 22


def test_r43_the_owner_fills_the_last_slot_even_when_it_placed_last() -> None:
    lemons = {str(slot): "lemon_cake" for slot in SLOTS[:9]}
    sheets = {str(slot): "sheet_cake" for slot in SLOTS}
    played = start(position={"phase": "stock", "cases": [lemons, sheets], "drawn": "bundt_cake", "actor": 0})
    made = played.make(0, PlaceCake(0, 12), Scripted([0]))
    assert made == [CakePlaced(0, 0, 12, "bundt_cake"), CakeDrawn(0, "wedding_cake", 78 - 9 - 11 - 1 - 1)]


def test_c4_each_cake_has_its_range_of_draws() -> None:
    ranges = ["0-1", "2-4", "5-9", "10-16", "17-28", "29-48", "49-60", "61-67", "68-72", "73-75", "76-77"]
    for n, (low, high) in enumerate(map(int, entry.split("-")) for entry in ranges):
        for r in (low, high):
            played = start(position={"phase": "last_chance", "finder": 0, "multipliers": [6, 1], "actor": 1})
            made = played.make(1, DeclineLastChance(), Scripted([r]))
            assert made[-1] == CakeDrawn(1, CAKES[n], 77)
            assert played.state.store[n] == (2, 3, 5, 7, 12, 20, 12, 7, 5, 3, 2)[n] - 1


# -- 5.1 Refusals ---------------------------------------------------------------------------------------------------

OUT_OF_PLACE = (
    ChooseTurnOrder("first"), TakeBonus(), FlipCard(3), StopFlipping(), DeclineLastChance(), PlaceCake(0, 2),
    RollDice(), TryCatchUp(), StopCatchUp(),
)  # fmt: skip


@pytest.mark.parametrize("move", OUT_OF_PLACE, ids=lambda move: move.__struct_config__.tag)
def test_a_move_of_another_phase_is_refused(move: Any) -> None:
    assert code_of(first_turn(), 0, move) == "wrong_phase"
    assert code_of(first_turn(), 1, move) == "not_your_turn"


@pytest.mark.parametrize(
    "document",
    [
        {"type": "eat_cake"},
        {"position": 3},
        {"type": "flip_card"},
        {"type": "flip_card", "position": -1},
        {"type": "flip_card", "position": 30},
        {"type": "flip_card", "position": "3"},
        {"type": "flip_card", "position": True},
        {"type": "flip_card", "position": 3, "seat": 0},
        {"type": "roll_die", "value": 6},
        {"type": "choose_turn_order", "go": "third"},
        {"type": "place_cake", "case": 2, "slot": 7},
        {"type": "place_cake", "case": 0, "slot": 1},
        {"type": "place_stale", "slot": None},
        [],
        None,
    ],
)
def test_an_invalid_move_is_refused(document: Any) -> None:
    with pytest.raises(IllegalMove) as refused:
        GAME.read_move(document)
    assert refused.value.code == "bad_move"


def test_a_removed_card_cannot_be_turned_over() -> None:
    played = start(position={"step": "attempt", "empty": [5]})
    assert code_of(played, 0, FlipCard(5)) == "card_gone"


def test_moves_are_listed_in_the_order_of_5_1() -> None:
    """Flips are in ascending order, `case` comes before `slot`, and `resign` is not listed."""
    five = start(position={"step": "five", "empty": [0]})
    assert list(GAME.legal_moves(five.state, 0)) == [TakeBonus(), *map(FlipCard, range(1, 30))]
    stock = start(position={"phase": "stock", "drawn": "lemon_cake"})
    assert list(GAME.legal_moves(stock.state, 0)) == [PlaceCake(case, slot) for case in (0, 1) for slot in SLOTS]
    assert list(GAME.legal_moves(stock.state, 1)) == []


@pytest.mark.parametrize("phase", ["order", "hire", "last_chance", "stock", "sale", "catch_up"])
def test_e4_either_seat_can_resign_in_every_phase(phase: str) -> None:
    needs: dict[str, dict[str, Any]] = {
        "last_chance": {"finder": 0, "multipliers": [6, 1]},
        "stock": {"drawn": "lemon_cake"},
    }
    for seat in (0, 1):
        played = start(position={"phase": phase, "scores": [500, 0], **needs.get(phase, {})})
        played.make(seat, Resign(), NO_LUCK)
        outcome = GAME.outcome(played.state)
        assert outcome is not None
        assert (outcome.reason, outcome.winners, outcome.scores) == ("resignation", (1 - seat,), (500, 0))
        assert outcome.places[seat] == 2


def test_c1_the_layout_is_a_fisher_yates_shuffle() -> None:
    """The first draw swaps the last card."""
    played = start(chance=Scripted([0, *IDENTITY[1:], *draws(["dice 6,3"])]))
    layout = played.facts[2].layout
    assert layout == (CARDS[29], *CARDS[1:29], CARDS[0])


def test_states_moves_and_facts_survive_json() -> None:
    played = first_turn({"memory_aid": "off"})
    played.make(0, RollDie(), Scripted.dice(5))
    assert msgspec.json.decode(msgspec.json.encode(played.state), type=GAME.state_type) == played.state
    assert GAME.read_facts(msgspec.json.encode(played.facts)) == played.facts
