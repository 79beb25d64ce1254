"""The greedy bot (rules, section 14), the lookahead and the rollouts."""

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
    """Return the greedy move in a position."""
    state = given(position(**document))
    move = GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), Fast(luck))
    assert isinstance(move, AssignMice)
    return move


def test_item_1_the_formula() -> None:
    """Three mice on 3-4 take 7 pips and tempo in 166 of 216 rolls, and two are exhausted in 30 of 216."""
    exact = 166 / 216 * (7 + 2) - 30 / 216 * 2 * 2
    assert front_weights("3-4", "exhaust")[3] / POINT == pytest.approx(exact)


def test_item_2_half_blanks_need_few_mice() -> None:
    assert best_count("0-1") == 1
    assert best_count("0-4") == 2
    assert best_count("0-6") == 3


def best_count(piece: Piece) -> int:
    weights = front_weights(piece, "exhaust")
    return max(range(5), key=lambda mice: weights[mice])


def test_item_3_big_pieces_need_four_mice() -> None:
    assert {best_count(piece) for piece in ("6-6", "5-6", "4-6")} == {4}
    assert choice(cake=["A3: 6-6 1-2", "B7: 1-1"], yellow=["5-5"]).columns.A in (3, 4)


@pytest.mark.parametrize(("mice", "target"), [(3, "4-4"), (2, "3-3")])
def test_item_6_the_best_steal_target(mice: int, target: Piece) -> None:
    pieces: tuple[Piece, ...] = ("4-4", "3-3", "6-6")
    takes = {piece: odds(piece, mice, "exhaust").take * 2 * PIPS[piece] for piece in pieces}
    assert max(takes, key=lambda piece: takes[piece]) == target
    assert steal_weights(target, "exhaust")[mice] == max(steal_weights(p, "exhaust")[mice] for p in pieces)


def test_item_6_greedy_goes_for_a_valuable_steal() -> None:
    move = choice(cake=["A3: 0-0 (2-4) 1-3", "B3: 6-6 1-1"], yellow=["0-1"])
    assert move.steal_target in ("5-5", "5-6", "4-4")
    assert move.columns.A >= 3


def test_item_4_a_contest_includes_the_rivals_gain() -> None:
    """Against four mice, a single mouse is worth little, and staying away costs the rival's expected gain."""
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
    """Wins, losses, ties and failures of both add up to all outcomes."""
    mine, theirs = odds("3-4", 2, "exhaust"), odds("3-4", 3, "exhaust")
    level = sum(a * b for a, b in zip(mine.totals[7:], theirs.totals[7:], strict=True))
    neither = (OUTCOMES - mine.take) * (OUTCOMES - theirs.take)
    assert wins(mine, theirs, 7) + wins(theirs, mine, 7) + level + neither == OUTCOMES**2


def test_the_choice_is_legal_and_does_not_depend_on_hidden_values() -> None:
    for seed in range(20):
        state, facts = midgame(seed, rounds=1 + seed % 12)
        for seat in GAME.to_move(state):
            view = GAME.view(state, seat)
            legal = list(GAME.legal_moves(state, seat))
            move = GAME.greedy(view, seat, legal, Fast(seed))
            assert move in legal
            visible = [fact for n, f in enumerate(facts) if (fact := GAME.redact(state, f, n, seat)) is not None]
            sampled = GAME.determinize(view, visible, seat, Fast(seed + 1))
            assert GAME.greedy(GAME.view(sampled, seat), seat, legal, Fast(seed)) == move


def test_ties_are_broken_at_random() -> None:
    cake = ["A3: 1-2 5-6", "B3: 1-3 4-5", "C3: 1-4 4-6", "D3: 2-3 3-6"]
    found = {choice(luck=luck, cake=cake, resting={"yellow": [{"column": "A", "count": 3}]}) for luck in range(10)}
    assert found == {AssignMice(Columns(A=1))}
    level = ["C3: 1-4 4-6", "D3: 2-3 3-6"]
    found = {choice(luck=luck, cake=level, resting={"yellow": [{"column": "A", "count": 3}]}) for luck in range(20)}
    assert found == {AssignMice(Columns(C=1)), AssignMice(Columns(D=1))}


def test_greedy_beats_random() -> None:
    """It wins about nine matches out of ten (section 10)."""
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


# -- rollouts -----------------------------------------------------------------------------------------------------


def endgame(seed: int, left: int) -> State:
    """Return a position of a greedy match with at most `left` dominoes. With odd seeds, yellow has already assigned."""
    state, chance = given(GAME.start(2, {}, Fast(seed))), Fast(seed)
    while sum(map(len, state.cake.values())) > left or (seed % 2 and len(GAME.to_move(state)) == 2):
        state = on(state, chance)
    return state


def on(state: State, chance: Fast) -> State:
    """Return the state after one more greedy move."""
    seat = min(GAME.to_move(state))
    move = GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)
    return GAME.fold(GAME.decide(state, seat, move, chance), state)


def by_the_rules(state: State, chance: Fast) -> float:
    """Play a greedy match to the end with the rules code. Return yellow's result."""
    while GAME.to_move(state):
        state = on(state, chance)
    end = GAME.outcome(state)
    assert end is not None
    return float(0 in end.winners) if end.winners else 0.5


@pytest.mark.parametrize("piece", ["0-6", "3-3", "2-6"])
def test_the_rolls_of_a_group_match_its_odds(piece: Piece) -> None:
    for mice in range(1, 5):
        chances = odds(piece, mice, "exhaust")
        assert len(roll_totals(piece, mice)) == OUTCOMES
        assert sum(total >= PIPS[piece] for total in roll_totals(piece, mice)) == chances.take
        assert roll_totals(piece, mice).count(-1) == chances.tire


def quickly(state: State, chance: Fast) -> float:
    """Play a greedy match to the end with fast rounds. Return yellow's result."""
    rounds = Rollout(state, 0)
    rounds.play_to_end(chance)
    return rounds.win_share()


@pytest.mark.slow
def test_fast_rounds_win_as_often_as_the_rules_code() -> None:
    """Compares 60 matches with 600 fast ones from each of 12 positions, most of them undecided."""
    slow = quick = 0.0
    for seed in range(12):
        state, first, second = endgame(seed, 6), Fast("slow"), Fast("quick")
        assert not state.result
        slow += sum(by_the_rules(state, first) for _ in range(60)) / 60
        quick += sum(quickly(state, second) for _ in range(600)) / 600
    assert quick / 12 == pytest.approx(slow / 12, abs=0.045)


def test_both_seats_steal_in_fast_rounds_as_in_the_rules_code() -> None:
    """Only the 0-0 is left and yellow has 78 of 168 pips, so the first or better steal wins."""
    yellow = ["0-6", "1-6", "2-6", "3-6", "4-6", "5-6", "6-6", "4-5", "1-5"]
    state = given(position(cake=["A3: 0-0"], yellow=yellow))
    assert sum(PIPS[piece] for piece in state.stash.yellow) == 78
    first, second = Fast("slow"), Fast("quick")
    slow = sum(by_the_rules(state, first) for _ in range(400)) / 400
    quick = sum(quickly(state, second) for _ in range(2000)) / 2000
    assert 0.1 < slow < 0.9
    assert quick == pytest.approx(slow, abs=0.07)


def test_a_rollout_plays_to_the_end_in_the_endgame_and_returns_an_estimate_before_it() -> None:
    early = {playout(given(GAME.start(2, {}, Fast(1))), 0, Fast(n)) for n in range(20)}
    late = {playout(endgame(2, 14), 0, Fast(n)) for n in range(20)}
    assert all(found and 0 < found < 1 for found in early)
    assert late == {0.0, 1.0}


def test_rollouts_support_only_the_default_options() -> None:
    boosted = given(position(cake=["A3: 1-2 5-6"], yellow=["1-1"], options={"matches": "boost"}))
    assert playout(boosted, 0, Fast(1)) is None


@pytest.mark.parametrize("seed", range(6))
def test_the_estimate_of_a_rollout_does_not_depend_on_hidden_values(seed: int) -> None:
    """Compares the estimates in four states that yellow can't tell apart."""
    state, facts = midgame(seed, rounds=1 + seed)
    visible = [fact for n, f in enumerate(facts) if (fact := GAME.redact(state, f, n, 0)) is not None]
    estimates = {
        Rollout(GAME.determinize(GAME.view(state, 0), visible, 0, Fast(n)), 0).estimate_win(Fast(1)) for n in range(4)
    }
    assert len(estimates) == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_rollout_uses_the_same_lookahead_as_the_seat(seed: int) -> None:
    """Compares the estimate of a rollout in the first round with the best lead of all spreads."""
    state = given(GAME.start(2, {}, Fast(seed)))
    ahead = look_ahead(GAME.view(state, 0), "yellow", Fast(1))
    lead = max(
        ahead.lead_after(to_allocation(move)) for move in GAME.legal_moves(state, 0) if isinstance(move, AssignMice)
    )
    assert Rollout(state, 0).estimate_win(Fast(1)) == pytest.approx(1 / (1 + exp(-lead)))


# -- lookahead ----------------------------------------------------------------------------------------------------


LAST_DOMINOES = ["A3: 4-6", "B2: 2-3", "C7: 3-3"]
"""A cake with one domino per column, so that little of value is left after the round."""


@pytest.mark.slow
@pytest.mark.parametrize("columns", [Columns(A=4), Columns(A=2, B=2), Columns(B=1, C=3)])
def test_the_outlook_of_the_lookahead_matches_the_rules(columns: Columns) -> None:
    """Compares yellow's mean gain in 3000 rounds against a greedy blue, including contests and exhausted mice."""
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
def test_the_lookahead_is_symmetric(seed: int) -> None:
    """With the cake turned around and the seats swapped, blue's leads equal yellow's earlier ones."""
    state, _ = midgame(seed)
    view = GAME.view(state, 0)
    turned = GAME.view(turned_round(state), 1)
    for move in list(GAME.legal_moves(state, 0))[:20]:
        if isinstance(move, AssignMice):
            there = look_ahead(turned, "blue", Fast(1)).lead_after(to_allocation(move))
            assert look_ahead(view, "yellow", Fast(1)).lead_after(to_allocation(move)) == pytest.approx(there)


def turned_round(state: State) -> State:
    """Return the state with the seats swapped."""
    return replace(
        state,
        cake=ByColumn(*(cells[::-1] for cells in state.cake.values())),
        stash=Both(state.stash.blue, state.stash.yellow),
        resting=Both(state.resting.blue, state.resting.yellow),
        to_assign=tuple(map(opponent_of, state.to_assign)),
    )


BLANK_BEHIND = {"cake": ["A1: 3-4 0-0 1-1 2-2 3-3", "B1: 3-6 5-5 1-3 1-4"], "yellow": ["4-4"]}
"""Yellow can take 9 pips in column B, or 7 in column A, where the 0-0 comes next and blue has a valuable stash."""


def first_candidate(**document: Any) -> AssignMice:
    """Return yellow's best candidate move."""
    state = given(position(**document))
    move = consider(GAME.view(state, 0), 0, GAME.legal_moves(state, 0), Fast(0), 6)[0]
    assert isinstance(move, AssignMice)
    return move


def test_it_prefers_the_blank_where_greedy_prefers_pips() -> None:
    assert choice(**BLANK_BEHIND).columns.B == 4
    assert first_candidate(**BLANK_BEHIND).columns.A >= 2


def test_with_options_unsupported_by_the_lookahead_it_is_greedy() -> None:
    assert first_candidate(**BLANK_BEHIND, options={"matches": "boost"}).columns.B == 4


@pytest.mark.parametrize(("options", "alone"), [({}, False), ({"matches": "boost"}, True)])
def test_before_the_endgame_there_is_one_candidate_with_options_unsupported_by_rollouts(
    options: dict[str, str], alone: bool
) -> None:
    early = given(GAME.start(2, options, Fast(1)))
    moves = consider(GAME.view(early, 0), 0, GAME.legal_moves(early, 0), Fast(1), 6)
    assert (len(moves) == 1) is alone
