"""Legal moves, refusals and their order, and seats to move (rules P1 to P8, M1 to M3)."""

from math import comb

import pytest

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.components import TABLE_ORDER
from domain.games.mice_cake.rules.decider import count_ready_mice
from domain.games.mice_cake.rules.facts import AttemptDecided, Fact, MiceBoosted
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice, Resign
from domain.games.mice_cake.rules.parts import SEATS, Both, SeatName
from domain.kernel.chance import Fast, Scripted
from domain.kernel.refusals import IllegalMove
from tests.domain.games.mice_cake.builders import deal, given, midgame, move_of, plain, play, position, seat_of, send

CRUMB_CAKE = ["A3: 0-0 (2-4) 1-3", "B7: 4-6"]


def refusal(state: State, name: SeatName, document: object) -> IllegalMove:
    """Return the refusal of a move."""
    with pytest.raises(IllegalMove) as refused:
        GAME.decide(state, seat_of(name), GAME.read_move(document), Scripted([]))
    return refused.value


def legal(state: State, name: SeatName) -> list[AssignMice]:
    return [move for move in GAME.legal_moves(state, seat_of(name)) if isinstance(move, AssignMice)]


# -- M3: the list of legal moves --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mice", [1, 2, 3, 4])
@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_m3_sizes(mice: int, columns: int) -> None:
    """There are C(n+k-1, k-1) spreads of n ready mice on k open columns."""
    cake = ["A3: 1-6 5-5", "B3: 1-2 1-3", "C3: 2-4 2-5", "D3: 3-4 3-5"][:columns]
    resting = {"yellow": [{"column": "A", "count": 4 - mice}]} if mice < 4 else {}
    state = given(position(cake=cake, resting=resting))
    assert len(legal(state, "yellow")) == comb(mice + columns - 1, columns - 1)


def test_m3_a_spread_with_the_crumb_is_listed_once_per_target() -> None:
    state = given(position(cake=CRUMB_CAKE, yellow=["6-6"]))
    assert len(legal(state, "yellow")) == 4 * 23 + 1


def test_m3_order_of_the_moves_and_explicit_keys() -> None:
    state = given(position(cake=CRUMB_CAKE, yellow=["6-6"]))
    moves = legal(state, "yellow")
    keys = [(m.columns.counts(), TABLE_ORDER[m.steal_target] if m.steal_target else -1) for m in moves]
    assert keys == sorted(keys)
    assert plain(moves[0]) == {
        "type": "assign_mice",
        "columns": {"A": 0, "B": 4, "C": 0, "D": 0},
        "steal_target": None,
    }


def test_m3_resign_is_never_listed() -> None:
    assert not any(isinstance(move, Resign) for move in GAME.legal_moves(given(deal()), 0))


def test_m3_no_moves_after_assigning_and_after_the_end() -> None:
    state, _ = play(given(deal()), "yellow", send(A=4))
    assert legal(state, "yellow") == []
    assert GAME.to_move(state) == {1}
    state, _ = play(state, "blue", Resign())
    assert legal(state, "blue") == []
    assert GAME.to_move(state) == frozenset()


# -- M2: refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        {"type": "eat_cake"},
        {"type": "assign_mice"},
        {"type": "assign_mice", "columns": [4]},
        {"type": "assign_mice", "columns": None},
        {"type": "assign_mice", "columns": {"E": 4}},
        {"type": "assign_mice", "columns": {"a": 4}},
        {"type": "assign_mice", "columns": {"A": 5}},
        {"type": "assign_mice", "columns": {"A": -1}},
        {"type": "assign_mice", "columns": {"A": 1.5}},
        {"type": "assign_mice", "columns": {"A": "4"}},
        {"type": "assign_mice", "columns": {"A": True}},
        {"type": "assign_mice", "columns": {"A": None}},
        {"type": "assign_mice", "columns": {"A": 4}, "steal_target": "7-7"},
        {"type": "assign_mice", "columns": {"A": 4}, "steal_target": "6-5"},
        {"type": "assign_mice", "columns": {"A": 4}, "steal_target": 5},
        {"type": "assign_mice", "columns": {"A": 4}, "hurry": True},
        {"type": "resign", "columns": {}},
        {"columns": {"A": 4}},
        [],
        "resign",
        None,
    ],
)
def test_m2_bad_move(document: object) -> None:
    with pytest.raises(IllegalMove) as refused:
        GAME.read_move(document)
    assert (refused.value.code, refused.value.rule) == ("bad_move", "M2")


def test_m2_missing_keys_mean_zero_and_null() -> None:
    move = GAME.read_move({"type": "assign_mice", "columns": {"B": 4}})
    assert move == send(B=4)
    empty = GAME.read_move({"type": "assign_mice", "columns": {}})
    assert refusal(given(deal()), "yellow", plain(empty)).code == "wrong_mouse_count"


def test_m2_order_of_the_errors() -> None:
    """Each move breaks the rule of its error and all later ones."""
    state = given(position(cake=["B3: 0-0 1-3", "C7: 4-6"], rest="yellow"))
    chain = [
        ({"A": 1, "B": 1, "steal": "6-6"}, "column_empty"),
        ({"B": 1, "steal": "6-6"}, "blank_closed"),
        ({"C": 1, "steal": "6-6"}, "wrong_mouse_count"),
        ({"C": 4, "steal": "6-6"}, "steal_target_unexpected"),
    ]
    assert [refusal(state, "yellow", move_of(move)).code for move, _ in chain] == [code for _, code in chain]


def test_m2_targets() -> None:
    state = given(position(cake=CRUMB_CAKE, yellow=["6-6"]))
    assert refusal(state, "yellow", move_of({"A": 4})).code == "steal_target_missing"
    assert refusal(state, "yellow", move_of({"A": 4, "steal": "6-6"})).code == "steal_target_not_there"


def test_m2_already_assigned_comes_before_other_errors() -> None:
    state, _ = play(given(deal()), "yellow", send(A=4))
    assert refusal(state, "yellow", move_of({"A": 1, "steal": "6-6"})).code == "already_assigned"


def test_m2_nothing_to_assign() -> None:
    tired = {"blue": [{"column": "A", "count": 4}]}
    state = given(position(cake=["A3: 5-6 3-3"], resting=tired))
    assert refusal(state, "blue", move_of({"A": 4})).code == "nothing_to_assign"


def test_both_seats_can_resign_until_the_end() -> None:
    """Having assigned or owing nothing doesn't prevent it (M2)."""
    tired = {"blue": [{"column": "A", "count": 4}]}
    state = given(position(cake=["A3: 5-6 3-3"], resting=tired))
    for name in SEATS:
        ended, facts = play(state, name, Resign())
        assert ended.phase == "finished"
        assert plain(facts[0]) == {"type": "seat_resigned", "seat": name}


def test_messages_say_how_to_correct_the_move() -> None:
    state = given(position(cake=CRUMB_CAKE, yellow=["6-6"]))
    assert str(refusal(state, "yellow", move_of({"B": 2}))) == (
        "You must send all your ready mice, exactly 4. You placed 2. [wrong_mouse_count, rule P6]"
    )
    assert refusal(state, "blue", move_of({"C": 4})).message == "Column C is empty. Columns open to you: A, B."


@pytest.mark.parametrize("seed", range(8))
def test_m2_a_move_is_accepted_if_and_only_if_it_is_listed(seed: int) -> None:
    """Tries a wide range of spreads with some targets."""
    state, _ = midgame(seed, rounds=5 + seed)
    for name in SEATS:
        listed = {(move.columns.counts(), move.steal_target) for move in legal(state, name)}
        targets = (None, *state.stash.yellow[:1], *state.stash.blue[:2], "0-0", "6-6")
        for document in (
            {"A": a, "B": b, "C": c, "D": d} for a in range(5) for b in range(3) for c in range(3) for d in range(3)
        ):
            for target in targets:
                move = GAME.read_move({"type": "assign_mice", "columns": document, "steal_target": target})
                assert isinstance(move, AssignMice)
                assert accepted(state, name, move) == ((move.columns.counts(), move.steal_target) in listed)


def accepted(state: State, name: SeatName, move: AssignMice) -> bool:
    try:
        GAME.decide(state, seat_of(name), move, Fast(0))
    except IllegalMove:
        return False
    return True


# -- phases -----------------------------------------------------------------------------------------------------------


def test_p6_the_order_of_assignments_changes_only_the_first_fact() -> None:
    start, dice = given(deal()), (4, 2, 4, 6, 6, 5, 3, 4)
    first, _ = play(start, "blue", send(B=2, D=2))
    after_yellow, one = play(first, "yellow", send(A=1, C=3), *dice)
    first, _ = play(start, "yellow", send(A=1, C=3))
    after_blue, two = play(first, "blue", send(B=2, D=2), *dice)
    assert one[1:] == two[1:]
    assert after_yellow == after_blue


def test_p2_t12_exhausted_mice_miss_exactly_one_round() -> None:
    tired = {"blue": [{"column": "A", "count": 2}, {"column": "B", "count": 2}]}
    state = given(position(cake=["A3: 5-6 (1-4) 3-3", "B6: 0-1 4-4"], resting=tired))
    state, _ = play(state, "yellow", send(A=4), 5, 5, 5, 6)
    assert (count_ready_mice(state, "yellow"), count_ready_mice(state, "blue")) == (2, 4)
    state, _ = play(state, "yellow", send(A=2))
    state, facts = play(state, "blue", send(A=4), 1, 1, 1, 1, 1, 1)
    assert count_ready_mice(state, "yellow") == 4
    assert facts[-2].recovered == Both(2, 0)  # type: ignore[union-attr]


def test_r46_the_middle_domino_of_three_is_turned_up_once() -> None:
    state = given(position(cake=["A3: 1-1 (2-4) 1-2"]))
    state, _ = play(state, "yellow", send(A=4))
    state, facts = play(state, "blue", send(A=4), 3, 3, 4, 4, 4, 4, 5, 5)
    assert [plain(fact)["at"] for fact in facts if plain(fact)["type"] == "piece_turned_up"] == ["A4"]


def test_contest_floor_none_a_group_alone_still_needs_the_pips() -> None:
    state = given(position(cake=["A4: 6-6", "B3: 1-1 2-2"], options={"contest_floor": "none"}))
    state, _ = play(state, "yellow", send(A=4))
    state, facts = play(state, "blue", send(B=4), 1, 1, 1, 1, 3, 3, 3, 3)
    assert [plain(fact).get("result") for fact in facts if plain(fact)["type"] == "attempt_decided"] == ["low", "taken"]


def results(facts: list[Fact]) -> list[tuple[str, str]]:
    """Return the results of the attempts by seat, in order."""
    return [(fact.seat, fact.result) for fact in facts if isinstance(fact, AttemptDecided)]


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((2, 6, 1, 1), [("yellow", "exhausted"), ("blue", "taken")]),
        ((2, 6, 2, 6), [("yellow", "exhausted"), ("blue", "exhausted")]),
        ((1, 2, 1, 1), [("yellow", "taken"), ("blue", "outrolled")]),
        ((1, 1, 1, 1), [("yellow", "level"), ("blue", "level")]),
    ],
)
def test_r14_contest_floor_none_exhausted_groups_are_out(
    dice: tuple[int, ...], expected: list[tuple[str, str]]
) -> None:
    facts = position(
        cake=["A4: 2-6", "B3: 1-1 2-2"],
        options={"contest_floor": "none"},
        resting={"yellow": [{"column": "A", "count": 2}], "blue": [{"column": "A", "count": 2}]},
    )
    state, _ = play(given(facts), "yellow", send(A=2))
    _, made = play(state, "blue", send(A=2), *dice)
    assert results(made) == expected


def test_r59_a_boost_onto_the_crumb_lapses_without_a_fact() -> None:
    """Lists every boost and attempt of AC-19."""
    cake = ["A1: 3-4 (0-2) 6-6 (1-5) 2-2 (0-0) 4-4"]
    state = given(position(options={"matches": "boost"}, cake=cake, rest="yellow"))
    state, _ = play(state, "yellow", send(A=4))
    _, facts = play(state, "blue", send(A=4), 3, 4, 1, 1, 4, 4, 1, 1, 2, 6, 6)
    assert [fact for fact in facts if isinstance(fact, MiceBoosted)] == [
        MiceBoosted("yellow", "A", 2),
        MiceBoosted("yellow", "A", 1),
    ]
    assert results(facts) == [("yellow", "taken"), ("blue", "taken"), ("yellow", "taken"), ("yellow", "low")]


def test_r60_two_boosted_groups_contest_the_last_domino() -> None:
    """In wave 2, a contest depends on the dominoes left at the start of that wave (section 11)."""
    state = given(position(options={"matches": "boost"}, cake=["A1: 1-1 (1-2) 2-2", "B3: 5-5 6-6"]))
    state, _ = play(state, "yellow", send(A=4))
    state, facts = play(state, "blue", send(A=4), 1, 1, 3, 3, 2, 2, 3, 3, 1, 2, 6, 5)
    assert results(facts) == [("yellow", "taken"), ("blue", "taken"), ("yellow", "outrolled"), ("blue", "taken")]
    assert state.stash.blue[-1] == "1-2"
    assert not state.cake.A


def test_r58_a_single_boosted_group_needs_the_pips_of_the_last_domino() -> None:
    options = {"matches": "boost", "contest_floor": "none"}
    state = given(position(options=options, cake=["A1: 1-1 (5-6) 2-2", "B3: 5-5 6-6"]))
    state, _ = play(state, "yellow", send(A=4))
    state, facts = play(state, "blue", send(A=4), 1, 1, 3, 3, 1, 1, 1, 1, 4, 4)
    assert results(facts) == [("yellow", "taken"), ("blue", "taken"), ("yellow", "low")]
