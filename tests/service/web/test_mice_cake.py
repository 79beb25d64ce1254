"""The Mice Cake table shows columns, chances and rounds as the rules define them."""

import pytest
from flask import Flask

from domain.games.mice_cake import GAME
from domain.games.mice_cake.presentation.rules_page import POSITION, extras
from domain.games.mice_cake.presentation.table.choices import attempt_chances, column_choice, describe_tiring_pattern
from domain.games.mice_cake.presentation.table.recap import make_round
from domain.games.mice_cake.rules.decider import legal_moves
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.parts import Piece
from domain.kernel.chance import Scripted
from domain.kernel.table import TableContext
from domain.match.commands import SeatSpec
from service.bootstrap import Services
from tests.builders import sit_down
from tests.players import namesake
from tests.service.web.visitors import Visitor, match_id_of


def context_for(document: dict[str, object], seat: int = 0, **options: str) -> TableContext:
    """Return the table's context for a position as a seat sees it."""
    match = sit_down(GAME, position=document, options=options).match
    return TableContext(match, seat, GAME.view(match.state, seat), (), {})


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("0-1", ((83, 17), (69, 31), (58, 42), (48, 52))),
        ("4-4", ((0, 0), (39, 3), (76, 7), (84, 13))),
        ("5-6", ((0, 0), (3, 6), (36, 14), (61, 23))),
    ],
)
def test_chances_match_the_rules(piece: Piece, expected: tuple[tuple[int, int], ...]) -> None:
    assert attempt_chances(piece, Options()) == expected


@pytest.mark.parametrize(
    ("piece", "options", "words"),
    [
        ("0-3", Options(), "A 3 (carrot) exhausts 1 mouse."),
        ("4-4", Options(), "Two 4s (walnut) exhaust 2 mice."),
        ("2-5", Options(), "A 2 and a 5 (honey, cherry) exhaust 2 mice."),
        ("2-5", Options(matches="boost"), "A 2 and a 5 (honey, cherry) boost 2 mice."),
    ],
)
def test_tiring_patterns_are_described(piece: Piece, options: Options, words: str) -> None:
    assert describe_tiring_pattern(piece, options) == words


def test_column_states_and_notes() -> None:
    document = {"cake": ["A3: 0-0 (2-4) 1-3", "B7: 4-6"], "yellow": ["6-6"], "rest": "blue"}
    context = context_for(document)
    found = {column: column_choice(context, "yellow", column) for column in ("A", "B", "C")}
    assert {column: one.state for column, one in found.items()} == {"A": "crumb", "B": "front", "C": "gone"}
    assert found["B"].note == "Last piece: if blue goes for it too, the higher roll takes it."
    closed = context_for({"cake": ["A3: 0-0 (2-4) 1-3", "B7: 4-6"], "blue": [], "rest": "yellow"})
    assert column_choice(closed, "yellow", "A").state == "closed"
    down = context_for({"cake": ["A1: (0-0) (2-4) 1-3", "B7: 4-6"], "rest": "blue"}, start_face="down")
    assert column_choice(down, "yellow", "A").state == "hidden"


def test_the_form_offers_every_legal_assignment_and_only_open_columns(ann: Visitor, services: Services) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    match = services.matches.repository.load(match_id_of(table))
    offered = {c: set(map(int, v)) for c, v in table.form("/moves").choices.items() if c in "ABCD"}
    for move in legal_moves(match.state, 0):
        for column, count in zip("ABCD", move.columns.counts(), strict=True):
            assert count == 0 or count in offered[column]
    assert offered.keys() == set(GAME.view(match.state, 0).open.yellow)


def test_the_last_round_names_players_and_what_came_of_each_roll() -> None:
    """Acceptance case of a steal: both seats at columns A and B, and a line for each group in the order of play."""
    document = {"cake": ["A3: 0-0 (2-4) 1-3", "B7: 4-6"], "rest": "blue"}
    state = GAME.fold(GAME.from_position(2, Options(), document))
    state = GAME.fold(GAME.decide(state, 0, GAME.read_move(move({"A": 3, "B": 1}, "5-5")), Scripted([])), state)
    dice = Scripted.dice(6, 2, 3, 1, 1, 6, 6, 6)
    facts = GAME.decide(state, 1, GAME.read_move(move({"A": 2, "B": 2})), dice)
    shown = make_round(7, facts[1:], ("You", "Nutty Bagel"))
    assert [(line.column, line.dice, line.words, line.gain) for line in shown.lines] == [
        ("A", (6, 2, 3), "You rolled 11 and stole 5-5", 10),
        ("A", (1, 1), "Nutty Bagel rolled 2, needed 4", 0),
        ("B", (6,), "You rolled 6, needed 10", 0),
        ("B", (6, 6), "Nutty Bagel rolled 12 and took 4-6", 10),
    ]
    assert not any(line.is_tired for line in shown.lines)


def move(columns: dict[str, int], steal: str | None = None) -> dict[str, object]:
    return {"type": "assign_mice", "columns": columns, "steal_target": steal}


def test_the_examples_on_the_rules_page_follow_the_rules() -> None:
    examples = {(example.piece, example.dice): example for example in extras()["examples"]}
    assert examples["2-5", (3, 4)].stamp == "taken"
    assert examples["4-4", (2, 4)].stamp == "not enough"
    assert (examples["5-6", (6, 6, 5)].stamp, examples["5-6", (6, 6, 5)].tired) == ("exhausted", "2 mice")
    assert (examples["0-3", (3, 3)].stamp, examples["0-3", (3, 3)].tired) == ("exhausted", "1 mouse")


def test_the_position_on_the_rules_page_matches_its_caption() -> None:
    context = context_for(POSITION)
    notes = {column: column_choice(context, "yellow", column) for column in ("A", "B", "C", "D")}
    assert notes["A"].note == ""
    assert notes["B"].note.startswith("Two pieces left")
    assert notes["C"].state == "crumb"
    assert notes["D"].note.startswith("Last piece")
    assert context.view.ready.yellow == 3


def test_a_steal_can_be_made_on_the_page(app: Flask, ann: Visitor, services: Services) -> None:
    """From a position that only the API can set up."""
    player = namesake(services, "Ann")
    document = {"cake": ["A3: 0-0 (2-4) 1-3", "B7: 4-6"], "rest": "blue"}
    wishes = [SeatSpec("human", player.id), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create(player.id, "mice_cake", wishes, {}, position=document).match.id
    ann.sign_in(services, player.id)
    page = ann.open(f"/matches/{match}")
    form = page.form("/moves")
    assert len(form.choices["steal"]) == 1 + 24
    missing = ann.send(form, A="4")
    assert missing.status == 422
    assert "Choose a piece to steal from blue" in missing.text
    assert "A 4, to steal 5-5" in ann.send(missing.form("/moves"), steal="5-5").text
