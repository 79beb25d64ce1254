"""T3 to T7 compared with the table of chances in the rules (section 14), and the lemma of section 8."""

from itertools import product

import pytest

from domain.games.mice_cake.bot.column_weights import tires
from domain.games.mice_cake.rules.attempts import count_matching_dice, judge_alone
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.facts import DiceRolled
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import OUTCOMES, odds
from domain.games.mice_cake.rules.parts import BLANK, PIECES, Piece

TABLE = """
0-1             | 5/1 25/11 125/91 625/671
0-2             | 4/1 25/11 125/91 625/671
0-3             | 3/1 24/11 125/91 625/671
0-4             | 2/1 22/11 124/91 625/671
0-5             | 1/1 19/11 121/91 624/671
0-6             | 0/1 15/11 115/91 620/671
1-1             | 5/0 35/1 200/16 1125/171
2-2             | 3/0 32/1 199/16 1125/171
3-3             | 1/0 25/1 190/16 1120/171
4-4             | 0/0 14/1 165/16 1090/171
5-5             | 0/0 5/1 119/16 999/171
6-6             | 0/0 0/1 65/16 815/171
1-2             | 4/0 33/2 186/30 994/302
1-3             | 3/0 31/2 185/30 994/302
1-4 2-3         | 2/0 28/2 182/30 993/302
1-5 2-4         | 1/0 24/2 176/30 989/302
1-6 2-5 3-4     | 0/0 19/2 166/30 979/302
2-6 3-5         | 0/0 13/2 151/30 959/302
3-6 4-5         | 0/0 8/2 130/30 924/302
4-6             | 0/0 4/2 105/30 868/302
5-6             | 0/0 1/2 78/30 788/302
"""
"""Sufficient / exhausting outcomes for 1, 2, 3 and 4 mice, out of 6, 36, 216 and 1296."""


def rows() -> list[tuple[Piece, int, int, int]]:
    """Return (domino, mice, sufficient, exhausting) for every entry of the table."""
    found = []
    for line in TABLE.strip().splitlines():
        names, numbers = line.split("|")
        for piece in names.split():
            for mice, entry in enumerate(numbers.split(), 1):
                sufficient, exhausting = map(int, entry.split("/"))
                found.append((piece, mice, sufficient, exhausting))
    return found  # type: ignore[return-value]


def rolled(piece: Piece, dice: tuple[int, ...]) -> DiceRolled:
    """Return a roll of these dice against a domino."""
    return DiceRolled(
        "yellow", "A", 1, "A1", piece, None, PIPS[piece], dice, sum(dice), count_matching_dice(piece, dice)
    )


def test_the_table_covers_every_domino_except_the_blank() -> None:
    assert {piece for piece, *_ in rows()} == set(PIECES) - {BLANK}


@pytest.mark.parametrize(("piece", "mice", "sufficient", "exhausting"), rows())
def test_t3_to_t7_every_roll(piece: Piece, mice: int, sufficient: int, exhausting: int) -> None:
    """Counts all rolls of this many dice with the functions that resolve attempts."""
    results = [judge_alone(rolled(piece, dice), Options()) for dice in product(range(1, 7), repeat=mice)]
    assert (results.count("taken"), results.count("exhausted")) == (sufficient, exhausting)


@pytest.mark.parametrize(("piece", "mice", "sufficient", "exhausting"), rows())
def test_the_bot_uses_the_exact_chances(piece: Piece, mice: int, sufficient: int, exhausting: int) -> None:
    chances = odds(piece, mice, "exhaust")
    scale = OUTCOMES // 6**mice
    assert (chances.take, chances.tire) == (sufficient * scale, exhausting * scale)


def test_lemma_matching_dice_alone_are_always_sufficient() -> None:
    for piece in PIECES:
        for dice in product(range(1, 7), repeat=3):
            if count_matching_dice(piece, dice):
                assert sum(dice) >= PIPS[piece], "T5 and T6 never both apply"


def test_t4_at_most_two_dice_match_and_one_on_a_half_blank() -> None:
    for piece in PIECES[1:]:
        found = {count_matching_dice(piece, dice) for dice in product(range(1, 7), repeat=4)}
        assert found == {0, tires(piece)}
    assert count_matching_dice(BLANK, (1, 2, 3, 4)) == 0
