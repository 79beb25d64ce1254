"""The table as text and picture (section 13), the narration, and the words of score sheet and options."""

import re
from itertools import product
from typing import Any
from xml.etree import ElementTree

import pytest

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.presentation import pictures
from domain.games.battle_of_the_bakeries.rules.moves import DeclareHire, FlipCard, PlaceStale, Resign, RollDice, RollDie
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS
from domain.kernel.chance import Fast, Scripted
from domain.kernel.game import ScoreLine
from tests.domain.games.colour_contrast import contrast

from .builders import Played, draws, exploring, first_turn, greedily, play_out, start

DOCUMENTS: dict[str, dict[str, Any]] = {
    "order": {"phase": "order"},
    "hire": {"step": "flip", "face_up": [3], "shown": [3, 8, 29], "empty": [0]},
    "five": {"step": "five"},
    "fresh first": {"step": "flip", "shown": [3, 8], "options": {"fresh_first": True}},
    "fresh second": {"step": "flip", "shown": [3, 8], "face_up": [8], "options": {"fresh_first": True}},
    "attempt": {"step": "attempt", "actor": 1},
    "last chance": {"phase": "last_chance", "finder": 0, "multipliers": [6, 1], "actor": 1},
    "stock": {"phase": "stock", "drawn": "wedding_cake", "cases": [{"7": "lemon_cake"}, {}]},
    "sale": {"phase": "sale", "sold": [[7], [2, 3]], "stale": [{"2": 3}, {}]},
    "stale": {"phase": "sale", "step": "stale", "sold": [[], [7]]},
    "catch-up": {"phase": "catch_up", "actor": 1, "tries": 1, "tabs": [0, 8000]},
}

HIRE_TEXT = """\
Round 1 of 3: Union: turn over up to 3 more cards, or stop.
> Union Yummies                   $0  chef 1x  rounds won 0
  Confederate Concoctions         $0  chef 1x  rounds won 0

turn 1, fives rolled: 0, cards in [brackets] are face up
 0              1 ?            2 ?            3 [chef_5]     4 ?
 5 ?            6 ?            7 ?            8 hat_5        9 ?
10 ?           11 ?           12 ?           13 ?           14 ?
15 ?           16 ?           17 ?           18 ?           19 ?
20 ?           21 ?           22 ?           23 ?           24 ?
25 ?           26 ?           27 ?           28 ?           29 wild_45_b
"""

SALE_TEXT = """\
Round 1 of 3: Union: roll the dice.
  Confederate Concoctions         $0  chef 1x  rounds won 0  tab $9,300
> Union Yummies                   $0  chef 1x  rounds won 0  tab $500

slot      Union Yummies                          Confederate Concoctions
   2  x13 Lemon Cake $50 stale 3                 Birthday Cake $500 SOLD
   3   x8 Sheet Cake $75                         Boston Cream Pie $350 SOLD
   4   x5 Bundt Cake $75                         Lemon Cake $50
   5   x3 Cinnamon Coffee Cake $125              Lemon Cake $50
   6   x2 German Chocolate Cake $125             Sheet Cake $75
   7   x1 Wedding Cake $500 SOLD                 Lemon Cake $50
   8   x2 Bundt Cake $75                         Sheet Cake $75
   9   x3 Lemon Cake $50                         Bundt Cake $75
  10   x5 Black Forest Cake $200                 German Chocolate Cake $125
  11   x8 Pineapple Upside Down Cake $200        Wedding Cake $500
  12  x13 Mississippi Mud Cake $350              Lemon Cake $50
rolls: 0, stale cards left: 27
"""


def drawn(name: str, seat: int | None) -> tuple[str, str]:
    view = GAME.view(start(position=DOCUMENTS[name]).state, seat)
    return GAME.text(view, seat), GAME.svg(view, seat)


@pytest.mark.parametrize(("name", "seat", "text"), [("hire", 1, HIRE_TEXT), ("sale", 0, SALE_TEXT)])
def test_text(name: str, seat: int, text: str) -> None:
    assert drawn(name, seat)[0] == text


@pytest.mark.parametrize(("name", "seat"), list(product(DOCUMENTS, (0, 1, None))))
def test_pictures_are_well_formed_and_have_a_title(name: str, seat: int | None) -> None:
    picture = ElementTree.fromstring(drawn(name, seat)[1])
    title = picture.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert (title.text or "").startswith("Battle of the Bakeries, round 1 of 3")
    width, height = (float(side) for side in picture.attrib["viewBox"].split()[2:])
    assert width == 720
    assert 400 < height < 900


@pytest.mark.parametrize("name", DOCUMENTS)
def test_playable_places_match_the_legal_moves(name: str) -> None:
    """A place is marked playable for a seat if and only if a legal move of that seat uses it."""
    state = start(position=DOCUMENTS[name]).state
    for seat in (0, 1):
        picture = ElementTree.fromstring(GAME.svg(GAME.view(state, seat), seat))
        marked = [mark.attrib for mark in picture.iter() if "playable" in mark.attrib.get("class", "")]
        positions = {int(mark["data-position"]) for mark in marked if "data-position" in mark}
        slots = {(int(mark["data-case"]), int(mark["data-slot"])) for mark in marked if "data-slot" in mark}
        legal: list[Any] = list(GAME.legal_moves(state, seat))
        assert positions == {move.position for move in legal if isinstance(move, FlipCard)}
        stale = {(1 - seat, move.slot) for move in legal if isinstance(move, PlaceStale)}
        assert slots == stale | {(move.case, move.slot) for move in legal if hasattr(move, "case")}
        assert (RollDice() in legal) == any(mark.get("data-move") == "roll_dice" for mark in marked)


def test_every_card_and_cake_has_its_own_picture() -> None:
    faces = {pictures.card_face(card, lying) for card in CARDS for lying in (True, False)}
    assert len(faces) == 2 * (25 + 2)  # wilds of one kind look the same
    assert len({pictures.cake_icon(cake) for cake in CAKES}) == len(CAKES)


def test_the_picture_does_not_reveal_face_down_cards() -> None:
    """Different layouts give the same picture."""
    other = [*CARDS[::-1]]
    for seat in (0, 1, None):
        views = [GAME.view(start(position={"layout": layout}).state, seat) for layout in (list(CARDS), other)]
        assert GAME.svg(views[0], seat) == GAME.svg(views[1], seat)


TEXT_COLOURS = [
    (pictures.INK, pictures.PAPER), (pictures.INK, pictures.CREAM), (pictures.INK, pictures.SHELF),
    (pictures.MINT, pictures.SHELF), (pictures.MINT, pictures.CREAM), (pictures.MUTED, pictures.SHELF),
    (pictures.CHERRY, pictures.CREAM), (pictures.CHERRY, "#ffffff"), (pictures.CREAM, pictures.INK),
    ("#ffffff", pictures.MINT), ("#ffffff", pictures.CHERRY), ("#ffffff", pictures.WOOD),
    *((ink, paper) for paper, ink in pictures.SET_COLOURS.values()),
    *((pictures.INK, tint) for tint in pictures.TINTS.values()),
]  # fmt: skip


@pytest.mark.parametrize(("ink", "paper"), TEXT_COLOURS)
def test_text_has_aa_contrast(ink: str, paper: str) -> None:
    assert contrast(ink, paper) >= 4.5


# -- narration -----------------------------------------------------------------------------------------------------


def narration(played: Played, seat: int | None = None) -> list[str]:
    """Return the narration of the last event for a viewer."""
    ply = played.plies[-1]
    seen = [GAME.redact(played.state, fact, ply.first_fact + n, seat) for n, fact in enumerate(ply.facts)]
    return GAME.tell([fact for fact in seen if fact is not None])


def test_narration_of_phase_one() -> None:
    played = first_turn({"memory_aid": "off"})
    played.make(0, RollDie(), Scripted.dice(1))
    assert narration(played) == ["Union rolls a 1."]
    played.make(0, FlipCard(6), Scripted([]))
    assert narration(played) == ["Union turns over row 2, column 2: Plum Toque (3x).", "Turn 2: Confederate."]
    flip = played.plies[-1]
    played.make(1, DeclareHire(), Scripted([]))
    gone = GAME.redact(played.state, flip.facts[0], flip.first_fact, 1)
    assert gone is not None
    assert GAME.tell([gone]) == ["Union turns over row 2, column 2: a card that is no longer shown."]
    played.make(1, FlipCard(25), Scripted([]))
    assert narration(played)[1:] == [
        "The cards don't make a set. Confederate loses its next turn.",
        "Turn 3: Union.",
    ]


def test_narration_of_a_sale() -> None:
    played = start(position={"phase": "sale", "multipliers": [5, 1], "finder": 0})
    played.make(0, RollDice(), Scripted(draws(["dice 5,3"])))
    assert narration(played) == [
        "Union rolls 5 + 3 = 8.",
        "Union sells a Bundt Cake for 5 x 2 x $75 = $750 (cake 1 of 7).",
    ]
    played.make(1, RollDice(), Scripted(draws(["dice 6,6"])))
    played.make(0, RollDice(), Scripted(draws(["dice 4,4"])))
    assert narration(played)[1] == (
        "Union's cake for that number is already sold. Confederate must put a stale card on one of Union's cakes."
    )
    played.make(1, PlaceStale(12), Scripted([]))
    assert narration(played) == [
        "Confederate puts a stale card on Union's slot 12 (1 on this cake, 29 left in the deck)."
    ]


def test_narration_of_a_resignation() -> None:
    played = start(position={"phase": "sale", "scores": [1500, 0]})
    played.make(0, Resign(), Scripted([]))
    assert narration(played) == [
        "Union resigns.",
        "Confederate wins the Battle of the Bakeries by resignation: Union $1,500, Confederate $0.",
    ]


def test_without_the_memory_aid_the_narration_mentions_notes() -> None:
    assert "notes" in GAME.tell(start({"memory_aid": "off"}).facts)[0]
    assert "notes" not in " ".join(GAME.tell(start().facts))


def test_only_two_facts_have_no_narration() -> None:
    silent: set[str] = set()
    narrated: set[str] = set()
    for seed in range(12):
        document = {"phase": "catch_up", "actor": 1} if seed % 3 == 0 else None
        played = play_out(start(position=document, chance=Fast(seed)), seed, (greedily, exploring))
        for fact in played.facts:
            (narrated if GAME.tell([fact]) else silent).add(fact.__struct_config__.tag)
            assert not re.search(r"[a-z]_[a-z]|None|\{", " ".join(GAME.tell([fact])))
    assert silent - narrated == {"game_created", "turn_ended"}


# -- the score sheet and the options --------------------------------------------------------------------------------


def test_the_score_sheet_is_in_plain_words() -> None:
    items = (
        "round 1: bundt_cake in slot 8",
        "round 2: wedding_cake in slot 12, 1 stale",
        "round 2: sheet_cake in slot 7, 3 stale",
        "round 3: keeps 40% of the tab",
        "score at the start",
    )
    assert [GAME.describe_item(ScoreLine(0, "M2", item, 0)) for item in items] == [
        "Round 1: Bundt Cake in slot 8",
        "Round 2: Wedding Cake in slot 12 with 1 stale card",
        "Round 2: Sheet Cake in slot 7 with 3 stale cards",
        "Round 3: keeps 40% of the tab",
        "Score at the start",
    ]


def test_options_have_labels() -> None:
    labels = {option.name: [option.label(value) for value in option.values] for option in GAME.option_help}
    assert labels["rounds"] == ["Three rounds", "One round", "Two rounds"]
    assert labels["fresh_first"] == ["Any card", "A new card"]
    assert labels["hire_turn_limit"][:2] == ["Depends on the memory aid", "10 turns"]
