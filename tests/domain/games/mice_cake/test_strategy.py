"""The greedy player (rules, section 14)."""

from math import exp
from time import process_time
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games.mice_cake import GAME
from domain.games.mice_cake.bot.column_weights import POINT, contest_weights, front_weights, steal_weights, wins
from domain.games.mice_cake.bot.evaluation import TIRED_MOUSE_COST, ColumnEvaluator
from domain.games.mice_cake.bot.lookahead import to_block
from domain.games.mice_cake.bot.rollout import Rollout, roll_totals
from domain.games.mice_cake.bot.search import consider, look_ahead, playout, to_allocation
from domain.games.mice_cake.bot.strategy import weigh_columns
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice, Options
from domain.games.mice_cake.rules.odds import OUTCOMES, odds
from domain.games.mice_cake.rules.parts import Both, ByColumn, Columns, Piece, opponent_of
from domain.kernel.chance import Fast
from tests.domain.games.mice_cake.builders import at_random, given, greedily, midgame, position, whole_match


def choice(seat: int = 0, luck: int = 0, **document: Any) -> AssignMice:
    """What the greedy player does in a position."""
    state = given(position(**document))
    move = GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), Fast(luck))
    assert isinstance(move, AssignMice)
    return move


def test_item_1_the_formula() -> None:
    """Three mice on 3-4: 166 of 216 take 7 pips and the tempo, 30 of 216 tire two mice."""
    exact = 166 / 216 * (7 + 2) - 30 / 216 * 2 * 2
    assert front_weights("3-4", "exhaust")[3] / POINT == pytest.approx(exact)


def test_item_2_half_blanks_want_few_mice() -> None:
    assert best_count("0-1") == 1
    assert best_count("0-4") == 2
    assert best_count("0-6") == 3


def best_count(piece: Piece) -> int:
    weights = front_weights(piece, "exhaust")
    return max(range(5), key=lambda mice: weights[mice])


def test_item_3_big_pieces_want_four() -> None:
    assert {best_count(piece) for piece in ("6-6", "5-6", "4-6")} == {4}
    assert choice(cake=["A3: 6-6 1-2", "B7: 1-1"], yellow=["5-5"]).columns.A in (3, 4)


@pytest.mark.parametrize(("mice", "target"), [(3, "4-4"), (2, "3-3")])
def test_item_6_the_target_most_worth_stealing(mice: int, target: Piece) -> None:
    pieces: tuple[Piece, ...] = ("4-4", "3-3", "6-6")
    takes = {piece: odds(piece, mice, "exhaust").take * 2 * PIPS[piece] for piece in pieces}
    assert max(takes, key=lambda piece: takes[piece]) == target
    assert steal_weights(target, "exhaust")[mice] == max(steal_weights(p, "exhaust")[mice] for p in pieces)


def test_item_6_a_steal_is_worth_going_for() -> None:
    move = choice(cake=["A3: 0-0 (2-4) 1-3", "B3: 6-6 1-1"], yellow=["0-1"])
    assert move.steal_target in ("5-5", "5-6", "4-4")
    assert move.columns.A >= 3


def test_item_4_a_contest_counts_what_the_other_would_take() -> None:
    """Against four mice a lone one is worth little, and staying away costs what they then take."""
    weights = contest_weights("2-6", 4, Options())
    assert weights[0] == -odds("2-6", 4, "exhaust").take * 10 * OUTCOMES
    assert weights[4] > weights[1]
    mirrored = odds("2-6", 4, "exhaust")
    assert wins(mirrored, mirrored, 8) < mirrored.take * OUTCOMES


def test_item_4_only_a_last_domino_is_weighed_as_a_contest() -> None:
    view = GAME.view(given(position(cake=["A4: 2-6", "B3: 5-5 4-4"], yellow=["1-1"])), 0)
    weighing = weigh_columns(view, "yellow", Columns(A=3, B=1))
    assert weighing.columns[0] == contest_weights("2-6", 3, Options())
    assert weighing.columns[1] == front_weights("5-5", "exhaust")
    assert weigh_columns(view, "yellow", Columns()).columns[0] == front_weights("2-6", "exhaust")


def test_item_4_chances_of_a_contest_add_up() -> None:
    """Mine, theirs, nobody's: exactly all outcomes."""
    mine, theirs = odds("3-4", 2, "exhaust"), odds("3-4", 3, "exhaust")
    level = sum(a * b for a, b in zip(mine.totals[7:], theirs.totals[7:], strict=True))
    neither = (OUTCOMES - mine.take) * (OUTCOMES - theirs.take)
    assert wins(mine, theirs, 7) + wins(theirs, mine, 7) + level + neither == OUTCOMES**2


def test_the_choice_is_legal_and_does_not_depend_on_what_is_hidden() -> None:
    for seed in range(20):
        state, facts = midgame(seed, rounds=1 + seed % 12)
        for seat in GAME.to_move(state):
            view = GAME.view(state, seat)
            legal = list(GAME.legal_moves(state, seat))
            move = GAME.greedy(view, seat, legal, Fast(seed))
            assert move in legal
            told = [fact for n, f in enumerate(facts) if (fact := GAME.redact(state, f, n, seat)) is not None]
            guessed = GAME.determinize(view, told, seat, Fast(seed + 1))
            assert GAME.greedy(GAME.view(guessed, seat), seat, legal, Fast(seed)) == move


def test_ties_are_broken_by_chance() -> None:
    cake = ["A3: 1-2 5-6", "B3: 1-3 4-5", "C3: 1-4 4-6", "D3: 2-3 3-6"]
    found = {choice(luck=luck, cake=cake, resting={"yellow": [{"column": "A", "count": 3}]}) for luck in range(10)}
    assert found == {AssignMice(Columns(A=1))}
    level = ["C3: 1-4 4-6", "D3: 2-3 3-6"]
    found = {choice(luck=luck, cake=level, resting={"yellow": [{"column": "A", "count": 3}]}) for luck in range(20)}
    assert found == {AssignMice(Columns(C=1)), AssignMice(Columns(D=1))}


def test_greedy_beats_random() -> None:
    """Section 10: about nine matches of ten."""
    won = 0
    for seed in range(30):
        won += (end := whole_match(seed, (greedily, at_random))[0].result) is not None and end.winner == "yellow"
        won += (end := whole_match(seed, (at_random, greedily))[0].result) is not None and end.winner == "blue"
    assert won >= 48


@pytest.mark.full
def test_a_choice_takes_less_than_five_milliseconds() -> None:
    state = given(position(cake=["A3: 0-0 (2-4) 1-3", "B7: 4-6", "C7: 5-6", "D7: 6-6"]))
    view, legal = GAME.view(state, 0), list(GAME.legal_moves(state, 0))
    GAME.greedy(view, 0, legal, Fast(0))
    started = process_time()
    for luck in range(20):
        GAME.greedy(view, 0, legal, Fast(luck))
    assert (process_time() - started) / 20 < 0.005


# -- the last rounds, quickly -------------------------------------------------------------------------------------


def endgame(seed: int, left: int) -> State:
    """A position of a greedy match with so few dominoes left, blue yet to assign in half of them."""
    state, chance = given(GAME.start(2, {}, Fast(seed))), Fast(seed)
    while sum(map(len, state.cake.values())) > left or (seed % 2 and len(GAME.to_move(state)) == 2):
        state = on(state, chance)
    return state


def on(state: State, chance: Fast) -> State:
    """The state after one more greedy move."""
    seat = min(GAME.to_move(state))
    move = GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)
    return GAME.fold(GAME.decide(state, seat, move, chance), state)


def by_the_rules(state: State, chance: Fast) -> float:
    """Yellow's share at the end of a greedy match, move by move."""
    while GAME.to_move(state):
        state = on(state, chance)
    end = GAME.outcome(state)
    assert end is not None
    return float(0 in end.winners) if end.winners else 0.5


@pytest.mark.parametrize("piece", ["0-6", "3-3", "2-6"])
def test_the_rolls_of_a_group_are_those_of_its_odds(piece: Piece) -> None:
    for mice in range(1, 5):
        chances = odds(piece, mice, "exhaust")
        assert len(roll_totals(piece, mice)) == OUTCOMES
        assert sum(total >= PIPS[piece] for total in roll_totals(piece, mice)) == chances.take
        assert roll_totals(piece, mice).count(-1) == chances.tire


def quickly(state: State, chance: Fast) -> float:
    """The same in quick rounds."""
    rounds = Rollout(state, 0)
    rounds.play_to_end(chance)
    return rounds.win_share()


@pytest.mark.slow
def test_quick_rounds_end_as_often_as_the_rules_do_in_a_win() -> None:
    """By 60 matches move by move and 600 quick ones from each of a dozen positions, most of which are not decided."""
    slow = quick = 0.0
    for seed in range(12):
        state, first, second = endgame(seed, 6), Fast("slow"), Fast("quick")
        assert not state.result
        slow += sum(by_the_rules(state, first) for _ in range(60)) / 60
        quick += sum(quickly(state, second) for _ in range(600)) / 600
    assert quick / 12 == pytest.approx(slow / 12, abs=0.045)


def test_both_seats_steal_in_quick_rounds_as_by_the_rules() -> None:
    """Only the 0-0 is left and yellow has 78 pips of 168: who steals first, or better, wins."""
    yellow = ["0-6", "1-6", "2-6", "3-6", "4-6", "5-6", "6-6", "4-5", "1-5"]
    state = given(position(cake=["A3: 0-0"], yellow=yellow))
    assert sum(PIPS[piece] for piece in state.stash.yellow) == 78
    first, second = Fast("slow"), Fast("quick")
    slow = sum(by_the_rules(state, first) for _ in range(400)) / 400
    quick = sum(quickly(state, second) for _ in range(2000)) / 2000
    assert 0.1 < slow < 0.9
    assert quick == pytest.approx(slow, abs=0.07)


def test_a_rollout_goes_to_the_end_when_few_dominoes_are_left_and_else_says_how_hopeful_it_looks() -> None:
    early = {playout(given(GAME.start(2, {}, Fast(1))), 0, Fast(n)) for n in range(20)}
    late = {playout(endgame(2, 14), 0, Fast(n)) for n in range(20)}
    assert all(found and 0 < found < 1 for found in early)
    assert late == {0.0, 1.0}


def test_a_rollout_knows_the_plain_rules_only() -> None:
    boosted = given(position(cake=["A3: 1-2 5-6"], yellow=["1-1"], options={"matches": "boost"}))
    assert playout(boosted, 0, Fast(1)) is None


@pytest.mark.parametrize("seed", range(6))
def test_how_hopeful_a_rollout_is_does_not_depend_on_what_is_hidden(seed: int) -> None:
    """Given two worlds that yellow cannot tell apart, when it looks ahead in them, then it hopes for the same."""
    state, facts = midgame(seed, rounds=1 + seed)
    told = [fact for n, f in enumerate(facts) if (fact := GAME.redact(state, f, n, 0)) is not None]
    hopes = {
        Rollout(GAME.determinize(GAME.view(state, 0), told, 0, Fast(n)), 0).estimate_win(Fast(1)) for n in range(4)
    }
    assert len(hopes) == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_rollout_looks_ahead_as_the_seat_does(seed: int) -> None:
    """Given a first round, when both look ahead, then a rollout hopes for what the best spread promises."""
    state = given(GAME.start(2, {}, Fast(seed)))
    ahead = look_ahead(GAME.view(state, 0), "yellow", Fast(1))
    lead = max(
        ahead.lead_after(to_allocation(move)) for move in GAME.legal_moves(state, 0) if isinstance(move, AssignMice)
    )
    assert Rollout(state, 0).estimate_win(Fast(1)) == pytest.approx(1 / (1 + exp(-lead)))


# -- one round ahead ----------------------------------------------------------------------------------------------


LAST_DOMINOES = ["A3: 4-6", "B2: 2-3", "C7: 3-3"]
"""One domino in a column, so that little is left to be worth anything after the round."""


@pytest.mark.slow
@pytest.mark.parametrize("columns", [Columns(A=4), Columns(A=2, B=2), Columns(B=1, C=3)])
def test_one_round_ahead_the_odds_are_those_of_the_rules(columns: Columns) -> None:
    """What yellow gains, by 3000 rounds against a greedy blue, contests and tired mice among them."""
    state, chance = given(position(cake=LAST_DOMINOES)), Fast("rounds")
    gained = tired = 0.0
    for _ in range(3000):
        after = GAME.fold(GAME.decide(state, 0, AssignMice(columns), chance), state)
        blue = GAME.greedy(GAME.view(after, 1), 1, GAME.legal_moves(after, 1), chance)
        after = GAME.fold(GAME.decide(after, 1, blue, chance), after)
        gained += (
            margin(after) - margin(state) + sum(map(ColumnEvaluator().value_of, map(to_block, after.cake.values())))
        )
        tired += sum(group.count for group in after.resting.yellow)
    outlooks = look_ahead(GAME.view(state, 0), "yellow", Fast(1)).column_outlooks(())
    expected = sum(outlook.means[mice] for outlook, mice in zip(outlooks, columns.counts(), strict=True))
    assert (gained - TIRED_MOUSE_COST * tired) / 3000 == pytest.approx(expected, abs=0.35)


def margin(state: State) -> int:
    pips = [sum(PIPS[piece] for piece in stash) for stash in (state.stash.yellow, state.stash.blue)]
    return pips[0] - pips[1]


@pytest.mark.parametrize("seed", range(6))
def test_a_look_ahead_from_the_other_side_of_the_cake_is_the_same(seed: int) -> None:
    """The cake turned round, stashes and resting mice exchanged: what yellow expected blue expects."""
    state, _ = midgame(seed)
    view = GAME.view(state, 0)
    turned = GAME.view(turned_round(state), 1)
    for move in list(GAME.legal_moves(state, 0))[:20]:
        if isinstance(move, AssignMice):
            there = look_ahead(turned, "blue", Fast(1)).lead_after(to_allocation(move))
            assert look_ahead(view, "yellow", Fast(1)).lead_after(to_allocation(move)) == pytest.approx(there)


def turned_round(state: State) -> State:
    """The same seen by the other seat."""
    return replace(
        state,
        cake=ByColumn(*(cells[::-1] for cells in state.cake.values())),
        stash=Both(state.stash.blue, state.stash.yellow),
        resting=Both(state.resting.blue, state.resting.yellow),
        to_assign=tuple(map(opponent_of, state.to_assign)),
    )


BLANK_BEHIND = {"cake": ["A1: 3-4 0-0 1-1 2-2 3-3", "B1: 3-6 5-5 1-3 1-4"], "yellow": ["4-4"]}
"""Yellow can have 9 pips of column B, or 7 of column A, where the 0-0 comes next and blue has a rich stash."""


def first_thought(**document: Any) -> AssignMice:
    """The first of yellow's moves that are worth a thought."""
    state = given(position(**document))
    move = consider(GAME.view(state, 0), 0, GAME.legal_moves(state, 0), Fast(0), 6)[0]
    assert isinstance(move, AssignMice)
    return move


def test_it_makes_for_the_blank_where_greedy_makes_for_pips() -> None:
    assert choice(**BLANK_BEHIND).columns.B == 4
    assert first_thought(**BLANK_BEHIND).columns.A >= 2


def test_by_rules_that_a_look_ahead_does_not_know_it_does_as_greedy() -> None:
    assert first_thought(**BLANK_BEHIND, options={"matches": "boost"}).columns.B == 4


@pytest.mark.parametrize(("options", "alone"), [({}, False), ({"matches": "boost"}, True)])
def test_before_the_last_rounds_one_move_alone_is_thought_of_by_rules_without_quick_rounds(
    options: dict[str, str], alone: bool
) -> None:
    early = given(GAME.start(2, options, Fast(1)))
    moves = consider(GAME.view(early, 0), 0, GAME.legal_moves(early, 0), Fast(1), 6)
    assert (len(moves) == 1) is alone
