"""Drawings of a view as text and as SVG (rules, section 13)."""

from xml.etree import ElementTree

import pytest

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import Resign
from domain.games.mice_cake.rules.parts import COLUMNS, PIECES, SEATS
from tests.domain.games.colour_contrast import contrast
from tests.domain.games.mice_cake.builders import ALL_OPTIONS, deal, given, midgame, play, position, send

SVG = "{http://www.w3.org/2000/svg}"


def scene() -> State:
    """Return a position with a contest, a race, a steal, a long column, resting mice and a pending assignment."""
    state = given(
        position(
            round=9,
            quiet=12,
            cake=["A3: 0-0 (2-4) 1-3", "B7: 4-6", "C3: 5-5 6-6", "D2: 1-1 (3-3) (2-5) 0-6"],
            yellow=["1-2", "5-6", "4-5", "4-4"],
            resting={
                "blue": [{"column": "A", "count": 1}, {"column": "C", "count": 2}],
                "yellow": [{"column": "D", "count": 1}],
            },
        )
    )
    return play(state, "yellow", send(A=2, B=1, steal="2-6"))[0]


def drawn(state: State, seat: int | None) -> ElementTree.Element:
    return ElementTree.fromstring(GAME.svg(GAME.view(state, seat), seat))


def having(root: ElementTree.Element, **attributes: str) -> list[ElementTree.Element]:
    """Return the elements with these attributes. Use `data_column` for `data-column`."""
    expected = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    return [item for item in root.iter() if all(item.get(name) == value for name, value in expected.items())]


YELLOWS_TABLE = """\
Round 9, 10 pieces left. No piece taken for 12 rounds (the match ends at 20). Waiting for blue.

blue: 74 pips, 14 pieces; mice: 1 ready, 3 resting, back in round 10
  stash: 0-1 0-2 0-3 0-4 2-2 0-5 1-4 2-3 1-5 1-6 3-4 2-6 3-5 3-6

       D      C      B      A
  7    .      .    [4-6]    .
  6    .      .      .      .
  5   0-6     .      .     1-3
  4  (   )   6-6     .    (   )
  3  (   )  [5-5]    .    [0-0]
  2  [1-1]    .      .      .
  1    .      .      .      .
       D      C      B      A

yellow: 31 pips, 4 pieces; mice: 3 ready, 1 resting, back in round 10, sent
  stash: 1-2 4-4 4-5 5-6

Face down: 2-4 2-5 3-3
"""


def test_the_table_as_text() -> None:
    """Yellow's side is at the bottom, and its columns run from D to A."""
    state = scene()
    assert GAME.text(GAME.view(state, 0), 0) == YELLOWS_TABLE


def test_blue_and_spectators_see_the_table_from_the_other_side() -> None:
    blue = GAME.text(GAME.view(scene(), 1), 1).splitlines()
    assert blue[5].split() == list(COLUMNS)
    assert [line.split()[0] for line in blue[6:13]] == list("1234567")
    spectator = GAME.text(GAME.view(scene(), None), None)
    assert "[" not in spectator
    assert spectator.index("yellow:") < spectator.index("blue:")


def test_a_finished_table_shows_the_face_down_dominoes() -> None:
    state, _ = play(given(deal()), "yellow", Resign())
    text = GAME.text(GAME.view(state, 0), 0)
    assert "(2-3)" in text
    assert "Blue wins by resignation" in text


# -- SVG --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("rounds", [1, 6, 12, 99])
def test_the_picture_is_well_formed_and_has_a_title(seat: int | None, rounds: int) -> None:
    for options in ALL_OPTIONS[::3]:
        root = drawn(midgame(rounds, options, rounds)[0], seat)
        names = root.get("aria-labelledby", "").split()
        assert root.get("role") == "img"
        assert [item.tag for item in root.iter() if item.get("id") in names] == [f"{SVG}title", f"{SVG}desc"]
        assert all((root.find(f"{SVG}{tag}").text or "") for tag in ("title", "desc"))  # type: ignore[union-attr]


def test_every_column_can_be_clicked() -> None:
    root = drawn(scene(), 0)
    hits = having(root, class_="column-hit")
    assert [hit.get("data-column") for hit in hits] == ["D", "C", "B", "A"]
    assert all(hit.get("fill-opacity") == "0" for hit in hits)


def test_the_opponents_dominoes_can_be_targeted() -> None:
    state = scene()
    for seat, rival in ((0, "blue"), (1, "yellow")):
        targets = {item.get("data-target") for item in drawn(state, seat).iter() if item.get("data-target")}
        assert targets == set(state.stash.of(rival))  # type: ignore[arg-type]
    assert not any(item.get("data-target") for item in drawn(state, None).iter())


def test_fronts_and_badges() -> None:
    root = drawn(scene(), 0)
    assert {item.get("data-piece") for item in having(root, class_="slice front")} == {"0-0", "4-6", "5-5", "1-1"}
    words = [item.text for item in root.iter(f"{SVG}text")]
    assert [words.count(badge) for badge in ("contest", "race", "steal", "closed")] == [1, 1, 1, 0]


def test_a_closed_crumb_has_a_closed_badge() -> None:
    root = drawn(given(position(cake=["A3: 0-0 (2-4) 1-3"], rest="yellow")), 0)
    assert "closed" in [item.text for item in root.iter(f"{SVG}text")]


def test_sent_and_resting_mice_are_drawn_at_their_columns() -> None:
    root = drawn(scene(), 0)
    assert len(having(root, class_="mouse sent", data_column="A", data_seat="yellow")) == 2
    assert len(having(root, class_="mouse resting", data_column="C", data_seat="blue")) == 2
    assert len(having(root, class_="mouse ready", data_seat="blue")) == 1
    assert having(drawn(scene(), 1), class_="mouse sent") == [], "blue may not see where they are"
    assert len(having(drawn(scene(), 1), class_="sent-sign")) == 1


def test_face_down_dominoes_are_not_in_any_picture() -> None:
    state = given(deal())
    for seat in (0, 1, None):
        slices = [item for item in drawn(state, seat).iter() if (item.get("class") or "").startswith("slice")]
        assert sum(item.get("data-piece") is None for item in slices) == 12
        shown = {item.get("data-piece") for item in slices} - {None}
        assert shown.isdisjoint(GAME.view(state, seat).unseen)


def test_the_largest_stash_stays_inside_its_panel() -> None:
    root = drawn(given(position(cake=["A3: 0-0"], rest="blue")), 0)
    places = [item.get("transform", "") for item in having(root, class_="stash-piece")]
    assert len(places) == 27
    assert max(float(place.split()[0].removeprefix("translate(")) for place in places) + 44 < 708
    rows = {float(place.split()[1].removesuffix(")")) for place in places}
    assert max(rows) - min(rows) + 22 <= 74


def test_the_tooltip_of_a_front_shows_the_chances() -> None:
    root = drawn(scene(), 0)
    titles = {hit.get("data-column"): hit[0].text for hit in having(root, class_="column-hit")}
    assert titles["C"] == (
        "Column C: 5-5, double cherry slice (10). Exhausting roll: cherry shown twice. 1 mouse: 0% to take it; "
        "2 mice: 14% to take it, 3% to be exhausted; 3 mice: 55% to take it, 7% to be exhausted; "
        "4 mice: 77% to take it, 13% to be exhausted."
    )
    assert titles["A"] == "Column A: the crumb. Mice sent here try to steal a piece from blue."


def test_contrast_of_text() -> None:
    """WCAG AA: every text has a contrast of at least 4.5 to 1 with its background."""
    from domain.games.mice_cake.presentation.pictures import FUR
    from domain.kernel.svg import CREAM, INK

    pairs = [(INK, "#efd8b1"), (INK, CREAM), *((INK, FUR[name][1]) for name in SEATS), ("#7d211b", "#efd8b1")]
    pairs += [("#ffffff", pill) for pill in ("#8c2f39", "#6b4500", "#38562b", "#574b43", "#2f6b3a")]
    assert all(contrast(*pair) >= 4.5 for pair in pairs)


def test_all_dominoes_can_be_drawn() -> None:
    root = drawn(given(deal(start_face="up")), None)
    assert {item.get("data-piece") for item in root.iter() if item.get("data-piece")} == set(PIECES)
