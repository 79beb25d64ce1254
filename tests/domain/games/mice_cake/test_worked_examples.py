"""The worked examples W1 to W11 of the rules (section 8), recomputed."""

import pytest

from domain.games.mice_cake.rules.attempts import Group, count_matching_dice, judge_alone, roll_group
from domain.games.mice_cake.rules.decider import make_game_ended
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.parts import BLANK, PIECES, Both, Cell, Piece
from domain.kernel.chance import Scripted
from tests.domain.games.mice_cake.builders import deal, given, name_of, play, send


def attempt(piece: Piece, *dice: int) -> tuple[int, int, int, str]:
    """Return total, needed, matched and result of an uncontested attempt on this domino."""
    rolled = roll_group(Group("yellow", len(dice), None), "A", 1, Cell("A1", piece, True), Scripted.dice(*dice))
    return rolled.total, rolled.needed, rolled.matched, judge_alone(rolled, Options())


@pytest.mark.parametrize(
    ("case", "piece", "dice", "result"),
    [
        ("W1", "5-6", (5, 5, 5, 6), (21, 11, 2, "exhausted")),
        ("W2", "0-3", (3, 3), (6, 3, 1, "exhausted")),
        ("W3", "4-4", (4,), (4, 8, 0, "low")),
        ("W4", "0-6", (6, 5, 4, 4), (19, 6, 1, "exhausted")),
        ("W5 B", "4-4", (2, 4), (6, 8, 0, "low")),
        ("W5 D", "2-5", (3, 4), (7, 7, 0, "taken")),
        ("W6 A", "1-2", (4,), (4, 3, 0, "taken")),
        ("W6 C", "5-6", (6, 6, 5), (17, 11, 2, "exhausted")),
    ],
)
def test_w1_to_w6_attempts(case: str, piece: Piece, dice: tuple[int, ...], result: tuple[int, int, int, str]) -> None:
    assert attempt(piece, *dice) == result


def test_w5_w6_the_next_round_has_two_yellow_and_four_blue_mice() -> None:
    state = given(deal())
    state, _ = play(state, "blue", send(B=2, D=2))
    state, facts = play(state, "yellow", send(A=1, C=3), 4, 2, 4, 6, 6, 5, 3, 4)
    assert facts[-1].ready == Both(2, 4)  # type: ignore[union-attr]
    assert [name_of(fact) for fact in facts].count("piece_turned_up") == 2


def end_of(yellow: str, blue: str | None = None, left: str = "") -> State:
    """Return a final state with these stashes. By default, blue has all other dominoes."""
    mine, rest = tuple(yellow.split()), tuple(left.split())
    theirs = tuple(blue.split()) if blue else tuple(piece for piece in PIECES if piece not in (*mine, *rest))
    return State(stash=Both(mine, theirs))  # type: ignore[arg-type]


def test_w7_more_pips_win() -> None:
    result = make_game_ended(end_of("0-5 0-6 1-4 1-5 1-6 2-2 2-6 3-5 4-5 5-5 5-6 6-6"), "cake_gone")
    assert (result.pips, result.count, result.winner, result.by) == (Both(91, 77), Both(12, 16), "yellow", "pips")


def test_w8_equal_pips_more_dominoes_win() -> None:
    result = make_game_ended(end_of("0-0 0-2 0-3 0-5 0-6 1-3 1-4 2-2 2-3 2-4 2-5 3-4 3-6 4-5 6-6"), "cake_gone")
    assert (result.pips, result.count, result.winner, result.by) == (Both(84, 84), Both(15, 13), "yellow", "count")


def test_w9_equal_pips_and_dominoes_the_owner_of_six_six_wins() -> None:
    blue = "0-0 0-1 0-6 1-2 1-3 1-6 2-2 2-5 3-3 3-4 3-5 3-6 4-6 6-6"
    yellow = " ".join(piece for piece in PIECES if piece not in blue.split())
    result = make_game_ended(end_of(yellow, blue), "cake_gone")
    assert (result.pips, result.count, result.winner, result.by) == (Both(84, 84), Both(14, 14), "blue", "double_six")


def test_w10_a_tie_without_an_owner_of_six_six_is_a_draw() -> None:
    yellow = "0-1 1-1 1-4 1-5 1-6 2-3 2-4 2-5 2-6 3-3 3-5 3-6 4-4"
    result = make_game_ended(end_of(yellow, left="0-0 6-6"), "stalled")
    assert (result.pips, result.count, result.winner, result.by) == (Both(78, 78), Both(13, 13), None, "draw")


def test_w11_two_mice_can_never_steal_six_six() -> None:
    rolled = roll_group(Group("yellow", 2, "6-6"), "A", 1, Cell("A1", BLANK, True), Scripted.dice(6, 6))
    assert (rolled.total, rolled.needed, rolled.matched) == (12, 12, 2)
    assert judge_alone(rolled, Options()) == "exhausted"
    pairs = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    assert not any(sum(pair) >= 12 and not count_matching_dice("6-6", pair) for pair in pairs)
