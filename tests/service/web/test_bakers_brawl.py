"""The Baker's Brawl table: its move form, previews, recap, hidden information and rules page."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.presentation.rules_page import (
    LAST_CARD,
    SETS,
    completes_berry_pie,
    example_position,
    extras,
)
from domain.games.bakers_brawl.presentation.table import read_move, template_data, turn_key
from domain.games.bakers_brawl.presentation.table.choices import (
    choice_groups,
    empty_cells,
    pantry_discards,
    pending_completions,
    possible_completions,
)
from domain.games.bakers_brawl.presentation.table.progress import order_progress
from domain.games.bakers_brawl.presentation.table.recap import build_recap
from domain.games.bakers_brawl.rules import decider
from domain.games.bakers_brawl.rules.facts import PointsScored
from domain.kernel.chance import Fast
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.table import BadForm, TableContext
from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from replays.replay import Replay
from service.bootstrap import Services
from service.matches.results import IdempotencyKey, bot_author
from tests.builders import greedy_agent, play_match, sit_down
from tests.players import namesake
from tests.service.web.test_pages import TABLE_BYTES, assert_well_formed, page_bytes
from tests.service.web.test_secrets import without_random_parts
from tests.service.web.visitors import Page, Visitor, match_id_of

CHOICE = {
    "players": 3,
    "order_line": ["O27", "O34", "O26"],
    "board": {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "D2": {"ingredient": "flour", "owner": 2, "labor": 1},
        "C3": {"ingredient": "sugar", "owner": 1, "labor": 1},
        "E2": {"ingredient": "milk", "owner": 2, "labor": 1},
    },
    "seats": [{"hand": ["berries", "nuts"]}, {}, {}],
}
"""Berries on C2 complete Berry Pie in two ways (acceptance case AC10)."""
FULL_PANTRY = {
    "players": 2,
    "pantry": ["apple", "berries", "apple", "vanilla", "nuts"],
    "special_top": ["lemon", "nuts"],
}


def context_for(document: dict[str, Any], seat: Seat | None = 0, **options: Any) -> TableContext:
    """Return the table's context for a position as a seat sees it."""
    made = sit_down(GAME, seats=document["players"], position=document, options=options).match
    return TableContext(made, seat, GAME.view(made.state, seat), (), {})


def context_of(match: AnyMatch, seat: Seat | None) -> TableContext:
    """Return the table's context for a match as a seat sees it."""
    return TableContext(match, seat, GAME.view(match.state, seat), (), {})


def seated(services: Services, document: dict[str, Any], *visitors: Visitor, **options: Any) -> str:
    """Return a match from this position with the visitors in the first seats and bots in the others."""
    players = []
    for number, visitor in enumerate(visitors):
        player = namesake(services, f"Baker {number}")
        visitor.sign_in(services, player.id)
        players.append(player.id)
    wishes = [SeatSpec("human", player) for player in players]
    wishes += [SeatSpec("bot", level="greedy")] * (document["players"] - len(wishes))
    return services.matches.creation.create(players[0], "bakers_brawl", wishes, options, position=document).match.id


def bot_moves(services: Services, match: str) -> None:
    """Make the moves of all bots until it is a person's turn, as the workers would."""
    while True:
        head = services.matches.repository.load(match)
        seat = next((seat for seat in head.to_move if head.seats[seat].kind == "bot"), None)
        if seat is None:
            return
        view, legal = GAME.view(head.state, seat), GAME.legal_moves(head.state, seat)
        move = GAME.greedy(view, seat, legal, Fast(head.ply))
        document = msgspec.to_builtins(move)
        services.matches.commands.submit(
            match, Play(seat, document), IdempotencyKey(bot_author(match, seat), f"bot {head.ply}")
        )


# -- the form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "move"),
    [
        ({"choice": "draw"}, {"type": "draw_special"}),
        ({"choice": "pass", "cell": "A1"}, {"type": "pass"}),
        ({"choice": "decline"}, {"type": "decline_order"}),
        ({"choice": "pantry:lemon"}, {"type": "take_from_pantry", "card": "lemon"}),
        ({"choice": "basic:milk", "cell": "B2"}, {"type": "play_basic", "ingredient": "milk", "cell": "B2"}),
        ({"choice": "hand:nuts", "cell": "B2"}, {"type": "play_special", "ingredient": "nuts", "cell": "B2"}),
        ({"choice": "blind", "cell": "E5"}, {"type": "play_blind", "cell": "E5"}),
        ({"choice": "keep:nuts", "out": ""}, {"type": "keep_special", "keep": "nuts", "pantry_discard": None}),
        ({"choice": "keep:nuts", "out": "apple"}, {"type": "keep_special", "keep": "nuts", "pantry_discard": "apple"}),
        (
            {"choice": "complete:O27:B2 C2 C3"},
            {"type": "complete_order", "order_id": "O27", "cells": ["B2", "C2", "C3"]},
        ),
    ],
)
def test_a_form_is_read_as_a_move(form: dict[str, str], move: dict[str, Any]) -> None:
    assert read_move(form) == move
    GAME.read_move(move)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Choose what you want to do, then submit again."),
        ({"cell": "A1"}, "Choose what you want to do, then submit again."),
        ({"choice": "dance"}, "Choose what you want to do, then submit again."),
        ({"choice": "basic:milk", "cell": ""}, "Choose an empty cell for the card, then submit again."),
        ({"choice": "blind"}, "Choose an empty cell for the card, then submit again."),
    ],
)
def test_an_incomplete_form_is_refused(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadForm, match=re.escape(words)):
        read_move(form)


def offered(context: TableContext) -> set[bytes]:
    """Return every move that the form can send."""
    actions = [choice for group in choice_groups(context) for choice in group.choices]
    forms: Iterator[dict[str, str]] = (
        {"choice": choice.action, "cell": cell, "out": out}
        for choice in actions
        for cell, out in product(
            empty_cells(context) if choice.places else [""], ["", *(kind for kind, _ in pantry_discards(context))]
        )
        if not out or choice.action.startswith("keep")
    )
    documents = [
        *map(read_move, forms),
        *(read_move({"choice": found.action}) for found in pending_completions(context)),
    ]
    return {canonical_json(GAME.read_move(document)) for document in documents}


@pytest.mark.parametrize(
    ("seats", "options"),
    [(2, {}), (3, {"may_decline": True, "voluntary_pass": True}), (4, {"board_size": 4, "boss_limit": 8})],
)
def test_the_form_offers_exactly_the_legal_moves(seats: int, options: dict[str, Any]) -> None:
    replay = Replay(tuple(play_match(GAME, seats=seats, options=options, agent=greedy_agent, seed=f"form {seats}")))
    phases = set()
    for match in replay.matches():
        for seat in match.to_move:
            phases.add(match.state.phase)
            assert offered(context_of(match, seat)) == {
                canonical_json(move) for move in GAME.legal_moves(match.state, seat)
            }
            for other in {*range(seats), None} - {seat}:
                assert offered(context_of(match, other)) == set()
    assert {"act", "keep"} <= phases


def test_unavailable_actions_are_explained() -> None:
    full = context_for({"players": 2, "seats": [{"hand": ["apple", "apple", "lemon"], "cubes": 1}, {}]})
    assert template_data(full)["reasons"] == [
        "You hold 3 Specials. Place one before you get more.",
        "Your other cubes come back when Orders are completed.",
    ]
    empty = context_for({"players": 2, "special_deck": []})
    assert template_data(empty)["reasons"] == ["The Special deck and the discard pile are empty."]


def test_each_step_of_a_turn_has_its_own_key() -> None:
    first = context_for(FULL_PANTRY)
    drawn = GAME.fold(
        GAME.decide(first.match.state, 0, GAME.read_move({"type": "draw_special"}), Fast(1)), first.match.state
    )
    second = TableContext(first.match, 0, GAME.view(drawn, 0), (), {})
    assert turn_key(first) != turn_key(second)


# -- previews of moves -----------------------------------------------------------------------------------------


def test_previews_show_completions_and_their_rewards() -> None:
    everywhere = possible_completions(context_for(CHOICE))
    assert {(one.action, one.cell) for one in everywhere} == {("hand:berries", cell) for cell in ("B3", "C2", "D3")}
    found = [one for one in everywhere if one.cell == "C2"]
    assert {(one.action, one.cell, one.order, one.cells) for one in found} == {
        ("hand:berries", "C2", "O27", ("B2", "C2", "C3")),
        ("hand:berries", "C2", "O27", ("C2", "D2", "C3")),
    }
    rewards = [{reward.seat: (reward.points, reward.why) for reward in one.rewards} for one in found]
    assert rewards == [
        {"raspberry": (3, "for completing it"), "blueberry": (2, "for the majority")},
        {
            "raspberry": (5, "3 for completing it + 2 for the majority"),
            "blueberry": (0, "helped"),
            "pistachio": (0, "helped"),
        },
    ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_previewed_rewards_match_the_actual_ones(seats: int) -> None:
    replay = Replay(tuple(play_match(GAME, seats=seats, agent=greedy_agent, seed="foretold")))
    checked = 0
    for match in replay.matches():
        for seat in match.to_move:
            found = possible_completions(context_of(match, seat))
            for one in found:
                facts = GAME.decide(
                    match.state, seat, GAME.read_move(read_move({"choice": one.action, "cell": one.cell})), Fast(1)
                )
                alone = [other for other in found if (other.action, other.cell) == (one.action, one.cell)] == [one]
                if not alone:
                    after = GAME.fold(facts, match.state)
                    choice = read_move({"choice": f"complete:{one.order}:{' '.join(one.cells)}"})
                    facts = GAME.decide(after, seat, GAME.read_move(choice), Fast(1))
                scored = {r.seat: r.points for r in one.rewards if r.points}
                earned: dict[str, int] = {}
                for fact in facts:
                    if isinstance(fact, PointsScored):
                        name = GAME.seat_names(seats)[fact.seat]
                        earned[name] = earned.get(name, 0) + fact.points
                assert scored == earned
                checked += 1
    assert checked > 3


def test_order_progress_shows_cells_and_missing_ingredients() -> None:
    berry_pie, pain, tart = order_progress(context_for(CHOICE))
    assert (berry_pie.name, berry_pie.cells) == ("Berry Pie", ("B2",))
    assert [(need.kind, need.cell, need.mine) for need in berry_pie.needs] == [
        ("flour", "B2", True),
        ("sugar", "", True),
        ("berries", "", True),
    ]
    assert pain.cells == tart.cells == ("E2",)
    assert not any(need.mine for one in order_progress(context_for(CHOICE, None)) for need in one.needs)


def test_only_the_oldest_order_of_a_full_line_has_its_last_chance() -> None:
    line = ["O09", "O14", "O24", "O40", "O33"]
    assert [one.last_chance for one in order_progress(context_for({"players": 3, "order_line": line}))] == [
        True,
        *[False] * 4,
    ]
    assert not any(one.last_chance for one in order_progress(context_for({"players": 3, "order_line": line[:4]})))


# -- recap ------------------------------------------------------------------------------------------------


def test_the_recap_begins_after_your_last_turn(services: Services, ann: Visitor) -> None:
    match = seated(services, {"players": 3}, ann)
    submit_move(ann, match, "basic:flour", "A1")
    bot_moves(services, match)
    page = ann.open(f"/matches/{match}")
    recap = section(page, "recap")
    assert "Since your last move" in recap
    assert "Raspberry places Flour" not in recap
    assert "Blueberry" in recap
    assert "Pistachio" in recap
    ann.send(page.form("/moves"), choice="draw")
    assert section(ann.open(f"/matches/{match}"), "recap") == recap, "the turn is only half over"


def section(page: Page, name: str) -> str:
    """Return the HTML of a section of the page."""
    found = re.search(rf'<section[^>]* id="{name}".*?</section>', page.html, re.S)
    assert found, name
    return found[0]


def submit_move(visitor: Visitor, match: str, choice: str, cell: str = "", **more: str) -> Page:
    """Submit the move form."""
    return visitor.send(visitor.open(f"/matches/{match}").form("/moves"), choice=choice, cell=cell, **more)


def test_readers_without_a_move_get_a_recap_of_the_last_round() -> None:
    replay = Replay(tuple(play_match(GAME, seats=3, agent=greedy_agent, seed="recap")))
    match = [match for match in replay.matches() if match.to_move][12]
    seen = tuple(replay.visible_event(ply, None) for ply in range(1, match.ply + 1))
    found = build_recap(TableContext(match, None, GAME.view(match.state, None), seen, {}))
    assert found is not None
    assert found.title == "Latest moves"
    assert [one.ply for one in found.deeds] == [match.ply - 2, match.ply - 1, match.ply]


# -- moves without JavaScript -------------------------------------------------------------------------------------


def test_after_a_card_is_played_it_is_the_next_bakers_turn(services: Services, ann: Visitor, bob: Visitor) -> None:
    match = seated(services, {"players": 2}, ann, bob)
    form = bob.open(f"/matches/{match}").forms("/moves")
    assert [one.fields.get("do") for one in form] == ["resign"], "players can only resign while it is not their turn"
    page = submit_move(ann, match, "basic:flour", "C3")
    assert page.status == 200
    assert "Raspberry places Flour on C3 (1 labor)." in page.text
    assert bob.open(f"/matches/{match}").title.startswith("● Your turn")


def test_keeping_a_drawn_card_can_discard_from_a_full_pantry(services: Services, ann: Visitor) -> None:
    match = seated(services, FULL_PANTRY, ann)
    page = submit_move(ann, match, "draw")
    assert "Keep one of the two cards" in page.text
    form = page.form("/moves")
    assert form.choices == {"choice": ["keep:nuts", "keep:lemon"], "out": ["", "apple", "berries", "vanilla", "nuts"]}
    page = ann.send(form, choice="keep:lemon", out="apple")
    assert "Raspberry keeps Lemon, discards Apple to make room and puts Nuts in the Pantry." in page.text


def test_the_chosen_one_of_two_sets_is_completed(services: Services, ann: Visitor) -> None:
    match = seated(services, CHOICE, ann)
    page = submit_move(ann, match, "hand:berries", "C2")
    assert "Which Order do you want to complete?" in page.text
    form = page.form("/moves")
    assert form.choices["choice"] == ["complete:O27:B2 C2 C3", "complete:O27:C2 D2 C3"]
    page = ann.send(form, choice="complete:O27:C2 D2 C3")
    assert "Raspberry completes Berry Pie (C2, D2, C3) for 3 points." in page.text


def test_a_completion_can_be_declined_if_the_options_allow_it(services: Services, ann: Visitor) -> None:
    match = seated(services, CHOICE, ann, may_decline=True)
    form = submit_move(ann, match, "hand:berries", "C2").form("/moves")
    assert "Raspberry chooses not to complete an Order." in ann.send(form, choice="decline").text


def test_a_player_without_actions_can_only_pass(services: Services, ann: Visitor) -> None:
    broke = {"hand": ["nuts", "nuts", "lemon"], "cubes": 0}
    match = seated(services, {"players": 2, "seats": [broke, {}]}, ann)
    form = ann.open(f"/matches/{match}").form("/moves")
    assert form.choices == {"choice": ["pass"]}
    assert "Raspberry passes." in ann.send(form, choice="pass").text


@pytest.mark.parametrize(
    ("fields", "rule", "words"),
    [
        ({"choice": "basic:flour", "cell": "B2"}, "R17", "There is already a card on B2. Choose an empty cell."),
        ({"choice": "basic:milk", "cell": "Z9"}, "R16", "Z9 is not on this board"),
        ({"choice": "pantry:apple"}, "M3", "There is no Apple in the Pantry"),
        ({"choice": "keep:apple"}, "T2", "You can't make this move now. Take an action."),
        ({"choice": "basic:gold", "cell": "A1"}, "5.1", "not a well-formed move"),
    ],
)
def test_a_refused_move_links_to_its_rule_and_keeps_the_input(
    services: Services, ann: Visitor, fields: dict[str, str], rule: str, words: str
) -> None:
    match = seated(services, CHOICE, ann)
    page = submit_move(ann, match, **fields)
    assert page.status == 422
    assert words in page.text
    assert f'href="/rules/bakers_brawl#{rule}"' in page.html
    anchors = re.findall(r' id="([A-Z0-9.]+)"', ann.open("/rules/bakers_brawl").html)
    assert rule in anchors
    kept = page.form("/moves").fields.get("choice")
    assert kept == (fields["choice"] if fields["choice"] in page.form("/moves").choices["choice"] else None)


def test_an_incomplete_form_keeps_the_input(services: Services, ann: Visitor) -> None:
    match = seated(services, {"players": 2}, ann)
    page = submit_move(ann, match, "basic:milk")
    assert page.status == 422
    assert "Choose an empty cell for the card, then submit again." in page.text
    assert page.form("/moves").fields["choice"] == "basic:milk"
    assert ann.send(page.form("/moves"), cell="A1").status == 200


def test_a_resigned_player_cannot_move_or_resign_again(services: Services, ann: Visitor) -> None:
    match = seated(services, {"players": 3}, ann)
    page = ann.send(ann.open(f"/matches/{match}").forms("/moves")[-1], do="resign")
    assert "Raspberry resigns" in page.text
    assert "Waiting for Greedy bot" in page.text
    assert page.forms("/moves") == []


@pytest.mark.parametrize("seats", [2, *(pytest.param(seats, marks=pytest.mark.full) for seats in (3, 4))])
def test_a_whole_match_by_forms_against_the_bot(services: Services, ann: Visitor, seats: int) -> None:
    page = ann.new_match(
        "bakers_brawl", seats=str(seats), seed="c0ffee", **{f"seat{n}": "bot:greedy" for n in range(1, seats)}
    )
    match, chance, moves_made = match_id_of(page), Fast(f"forms {seats}"), 0
    for _ in range(400):
        bot_moves(services, match)
        page = ann.open(f"/matches/{match}")
        if "move-form" not in page.html:
            break
        assert page_bytes(page, "bakers_brawl") < TABLE_BYTES
        assert_well_formed(page)
        form = page.form("/moves")
        choice = chance.pick(form.choices["choice"])
        cell = chance.pick(form.choices["cell"][1:]) if form.choices.get("cell", [""])[1:] else ""
        assert ann.send(form, choice=choice, cell=cell).status == 200
        moves_made += 1
    assert moves_made >= 7
    assert services.matches.repository.load(match).status == "over"
    assert "Final scores:" in page.text
    assert page.text.count("'s agenda is ") >= seats
    assert page_bytes(page, "bakers_brawl") < TABLE_BYTES


# -- secrets ------------------------------------------------------------------------------------------------------

HIDDEN = (
    {"hand": ["lemon", "nuts"], "agenda": "A03"},
    {"hand": ["apple", "vanilla"], "agenda": "A09"},
)


def worlds(services: Services, app: Flask, *, drawn: bool = False) -> list[tuple[str, Visitor, Visitor]]:
    """Return two matches that differ in blueberry's hand, its agenda and the decks, but look the same to raspberry."""
    made = []
    tops = ["chocolate", "cinnamon"], ["berries", "cream_cheese"]
    for hidden, special_top, order_top in zip(HIDDEN, tops, (["O30", "O20"], ["O10", "O36"]), strict=True):
        ann, bob = Visitor(app), Visitor(app)
        document = {**CHOICE, "players": 3, "special_top": special_top, "order_top": order_top}
        document["seats"] = [{"hand": ["berries"], "agenda": "A01"}, hidden, {"agenda": "A02"}]
        document["turn"] = 1 if drawn else 0
        document["discard"] = []
        match = seated(services, document, ann, bob)
        if drawn:
            assert submit_move(bob, match, "draw").status == 200
        made.append((match, ann, bob))
    return made


@pytest.mark.parametrize("path", ["", "/replay", "/replay?ply=4", "/replay?as=spectator"])
@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("reader", ["rival", "stranger"])
def test_pages_do_not_depend_on_hidden_cards(
    app: Flask, services: Services, path: str, drawn: bool, reader: str
) -> None:
    """Compares the pages before raspberry's move, which may be a blind play, and while blueberry looks at two drawn
    cards."""
    seen = []
    for match, ann, _ in worlds(services, app, drawn=drawn):
        page = (ann if reader == "rival" else Visitor(app)).open(f"/matches/{match}{path}")
        assert page.status == 200
        seen.append(without_random_parts(page.html))
    assert seen[0] == seen[1]
    if path == "" and reader == "rival" and not drawn:
        assert 'value="blind"' in seen[0]


def test_refusals_do_not_depend_on_hidden_cards(app: Flask, services: Services) -> None:
    seen = [
        without_random_parts(submit_move(ann, match, choice, "B2").html)
        for match, ann, _ in worlds(services, app)
        for choice in ("blind", "basic:flour", "hand:lemon")
    ]
    assert seen[:3] == seen[3:]


def test_the_comparison_detects_a_leak(app: Flask, services: Services) -> None:
    for drawn in (False, True):
        first, second = (
            without_random_parts(bob.open(f"/matches/{match}").html)
            for match, _, bob in worlds(services, app, drawn=drawn)
        )
        assert first != second


def test_private_information_is_shown_only_to_its_owner(app: Flask, services: Services) -> None:
    match, ann, bob = worlds(services, app, drawn=True)[0]
    mine, other = bob.open(f"/matches/{match}"), ann.open(f"/matches/{match}")
    assert "Nutcracker" in mine.html
    assert "Nutcracker" not in other.html
    assert 'data-zone="drawn"' in mine.html
    assert 'data-zone="drawn"' not in other.html
    assert "Blueberry draws two Specials." in other.text
    assert "Blueberry draws Chocolate and Cinnamon." in mine.text


# -- rules --------------------------------------------------------------------------------------------------------


def test_every_rule_named_in_a_refusal_has_an_anchor_on_the_rules_page(ann: Visitor) -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in Path(decider.__file__).parent.glob("*.py"))
    named = set(re.findall(r'IllegalMove\(\s*"\w+",\s*"([^"]+)"', source)) | {GAME.grammar_rule}
    assert len(named) > 12
    assert named <= set(re.findall(r' id="([A-Z0-9.]+)"', ann.open("/rules/bakers_brawl").html))


def test_the_sets_on_the_rules_page_follow_the_rules() -> None:
    assert {name: completes_berry_pie(cells) for name, cells, _ in SETS} == {
        "line": True,
        "bend": True,
        "crowd": True,
        "corner": False,
        "bridge": False,
    }


def test_the_example_on_the_rules_page_matches_the_specification() -> None:
    """Section 8.4, example 2: labor 1 / 3 / 1, so blueberry gets the 4."""
    found = {share.seat: (share.labor, share.points) for share in extras()["shares"]}
    assert found == {"raspberry": (1, 3), "blueberry": (3, 4), "pistachio": (1, 0)}
    assert example_position().turn == 0
    assert canonical_json(LAST_CARD) in {canonical_json(move) for move in GAME.legal_moves(example_position(), 0)}
