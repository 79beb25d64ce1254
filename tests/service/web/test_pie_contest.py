"""The Pie Contest table: its move form, previews, recap, hidden information and rules page."""

import re
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask

from domain.games.pie_contest import GAME
from domain.games.pie_contest.presentation.rules_page import extras
from domain.games.pie_contest.presentation.table import read_move, turn_key
from domain.games.pie_contest.presentation.table.choices import (
    card_choices,
    dive_obstacle,
    dive_takes,
    open_question,
    trash_list,
    trim_count,
)
from domain.games.pie_contest.presentation.table.recap import build_recap
from domain.games.pie_contest.rules import decider
from domain.kernel.chance import Fast
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.table import BadForm, TableContext
from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from replays.replay import Replay
from service.bootstrap import Services
from service.matches.results import IdempotencyKey, bot_author
from tests.builders import greedy_agent, play_match, random_agent, sit_down
from tests.players import namesake
from tests.service.web.test_pages import TABLE_BYTES, assert_well_formed, page_bytes
from tests.service.web.test_secrets import without_random_parts
from tests.service.web.visitors import Form, Page, Visitor, match_id_of

TABLE: dict[str, Any] = {
    "seats": 3,
    "hands": {"0": [41, 129, 144], "1": [2, 3], "2": [25, 26]},
    "kitchens": {"0": [1, 53, 57, 123], "1": [24, 86, 71], "2": [104]},
    "pies": {"1": [11, 7], "2": [-1]},
    "trash": [63, 130, 10],
    "options": {"pies_for_all": 3},
}


def context_for(document: dict[str, Any], seat: Seat | None = 0) -> TableContext:
    """Return the table's context for a position as a seat sees it."""
    return context_of(sit_down(GAME, seats=document["seats"], position=document).match, seat)


def context_of(match: AnyMatch, seat: Seat | None) -> TableContext:
    """Return the table's context for a match as a seat sees it."""
    return TableContext(match, seat, GAME.view(match.state, seat), (), {})


def seated(services: Services, document: dict[str, Any], *visitors: Visitor) -> str:
    """Return a match from this position with the visitors in the first seats and bots in the others."""
    players = []
    for count, visitor in enumerate(visitors):
        player = namesake(services, f"Guest {count}")
        visitor.sign_in(services, player.id)
        players.append(player.id)
    wishes = [SeatSpec("human", player) for player in players]
    wishes += [SeatSpec("bot", level="greedy")] * (document["seats"] - len(wishes))
    return services.matches.creation.create(players[0], "pie_contest", wishes, {}, position=document).match.id


def bot_moves(services: Services, match: str) -> None:
    """Make the moves of all bots until only people are to move, as the workers would."""
    while True:
        head = services.matches.repository.load(match)
        seat = next((seat for seat in sorted(head.to_move) if head.seats[seat].kind == "bot"), None)
        if seat is None:
            return
        view, legal = GAME.view(head.state, seat), GAME.legal_moves(head.state, seat)
        document = msgspec.to_builtins(GAME.greedy(view, seat, legal, Fast(head.ply)))
        services.matches.commands.submit(
            match, Play(seat, document), IdempotencyKey(bot_author(match, seat), f"bot {head.ply}")
        )


# -- the form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "move"),
    [
        ({"choice": "play:41", "take": ""}, {"type": "play_card", "card": 41}),
        ({"choice": "pass"}, {"type": "pass"}),
        (
            {"choice": "dive", "drop:41": "1", "drop:129": "1", "take": "10"},
            {"type": "dive", "trash": [41, 129], "take": 10},
        ),
        ({"choice": "trim", "drop:2": "1", "drop:3": "1"}, {"type": "trim_hand", "cards": [2, 3]}),
        ({"choice": "trim"}, {"type": "trim_hand", "cards": []}),
        ({"choice": "choose", "pick": "card:7"}, {"type": "choose", "picks": ["card:7"]}),
        ({"choice": "choose", "give": "1", "get": "24"}, {"type": "choose", "picks": ["pair:1/24"]}),
        ({"choice": "choose", "give": "1", "to": "2"}, {"type": "choose", "picks": ["gift:1/2"]}),
        (
            {"choice": "choose", "pick:card:7": "1", "pick:card:9": "1"},
            {"type": "choose", "picks": ["card:7", "card:9"]},
        ),
    ],
)
def test_a_form_is_read_as_a_move(form: dict[str, str], move: dict[str, Any]) -> None:
    assert read_move(form) == move
    GAME.read_move(move)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Choose a move first."),
        ({"choice": "dance"}, "Choose a move first."),
        ({"choice": "play:"}, "Choose a move first."),
        ({"choice": "play:pie"}, "Choose a move first."),
        ({"choice": "dive", "drop:1": "1", "take": "10"}, "To dive, choose exactly two cards"),
        ({"choice": "dive", "drop:1": "1", "drop:2": "1", "take": ""}, "Choose a card to take from the Trash."),
        ({"choice": "choose"}, "Choose one of the options first."),
        ({"choice": "choose", "give": "1"}, "Choose one of the options first."),
    ],
)
def test_an_incomplete_form_is_refused(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadForm, match=re.escape(words)):
        read_move(form)


def forms(context: TableContext) -> Iterator[dict[str, str]]:
    """Yield every way to fill in the form."""
    question, cards = open_question(context), card_choices(context)
    if question:
        yield from answers(question)
    elif trim_count(context):
        for dropped in combinations(cards, trim_count(context)):
            yield {"choice": "trim", **{f"drop:{choice.card}": "1" for choice in dropped}}
    elif context.view.phase == "main" and context.seat in context.view.to_move:
        yield from ({"choice": f"play:{choice.card}"} for choice in cards if choice.playable)
        yield {"choice": "pass"}
        for pair, heap in product(combinations(cards, 2), dive_takes(context)):
            drops = {f"drop:{choice.card}": "1" for choice in pair}
            paid = {str(choice.card) for choice in pair}
            yield from (
                {"choice": "dive", "take": option.key, **drops}
                for option in heap.cards
                if not heap.title.startswith("One of the two") or option.key in paid
            )


def answers(asked: Any) -> Iterator[dict[str, str]]:
    """Yield every answer to a question."""
    for give, get in product(asked.give, asked.get):
        yield {"choice": "choose", "give": give.key, "get": get.key}
    for give, to in product(asked.give, asked.to):
        yield {"choice": "choose", "give": give.key, "to": to.key}
    for several in combinations(asked.options, asked.count):
        if asked.count == 1:
            yield {"choice": "choose", "pick": several[0].key}
        else:
            yield {"choice": "choose", **{f"pick:{option.key}": "1" for option in several}}


def offered(context: TableContext) -> list[bytes]:
    """Return every move that the form can send."""
    return sorted(canonical_json(GAME.read_move(read_move(form))) for form in forms(context))


@pytest.mark.parametrize(("seats", "options"), [(2, {"closing_round": 10}), (4, {}), (3, {"dive_own": False})])
def test_the_form_offers_exactly_the_legal_moves(seats: int, options: dict[str, Any]) -> None:
    asked: set[str] = set()
    for agent in (greedy_agent, random_agent):
        events = play_match(GAME, seats=seats, options={"closing_round": 10, **options}, agent=agent, seed="offer")
        for match in list(Replay(tuple(events)).matches())[2:]:
            for seat in match.to_move:
                context = context_of(match, seat)
                legal = [canonical_json(move) for move in GAME.legal_moves(match.state, seat)]
                if len(legal) < 4000:
                    assert offered(context) == sorted(legal)
                asked.add(context.view.phase)
                for other in {*range(seats), None} - set(match.to_move):
                    assert offered(context_of(match, other)) == []
    assert {"main", "choice"} <= asked


def test_a_question_can_ask_for_several_cards() -> None:
    """No card of this edition asks for more than one card, but the move format allows it."""
    context = context_for({**TABLE, "hands": {"0": [177], "1": [2, 3], "2": [25, 26, 27]}})
    state = context.match.state
    facts = GAME.decide(state, 0, GAME.read_move({"type": "play_card", "card": 177}), Fast(1))
    state = GAME.fold(facts, state)
    (open_question,) = state.choices
    twice = msgspec.structs.replace(state, choices=(msgspec.structs.replace(open_question, count=2),))
    match = msgspec.structs.replace(context.match, state=twice)
    assert offered(context_of(match, open_question.seat)) == sorted(
        canonical_json(move) for move in GAME.legal_moves(twice, open_question.seat)
    )


def test_cards_show_their_effect_or_why_they_cannot_be_played() -> None:
    hints = {choice.name: (choice.hint, choice.playable) for choice in card_choices(context_for(TABLE))}
    assert hints["Lemon"] == ("Kitchen worth 8 → 11, 14 as a Pie. Each other cream here +1.", True)
    assert hints["Bake"] == ("A Pie worth 8. Stale: Ben's Pie 1 11→7, Ben's Pie 2 7→3, Cleo's Pie 1 −1→−5.", True)
    full = context_for({**TABLE, "kitchens": {"0": [1, 53, 57, 123, 24]}})
    assert card_choices(full)[0].hint == "Your Kitchen is full, so you can't play this."
    assert not card_choices(full)[0].playable


def test_the_reason_why_a_dive_is_impossible_is_shown() -> None:
    assert dive_obstacle(context_for(TABLE)) == ""
    assert dive_obstacle(context_for({**TABLE, "stage": "acted", "acts_made": 1})).startswith(
        "You can only dive as the first thing"
    )
    assert dive_obstacle(context_for({**TABLE, "hands": {"0": [41]}})).startswith("You need two cards")
    nothing = {**TABLE, "trash": [], "options": {"dive_own": False}}
    assert dive_obstacle(context_for(nothing)).startswith("There is nothing in the Trash")


def test_the_trash_is_listed_newest_first_with_filters() -> None:
    listed = trash_list(context_for(TABLE, None))
    assert [(card.name, card.filters) for card in listed] == [
        ("Sea Salt", "salt ingredient"),
        ("Bake", "bake"),
        ("Spoiled Milk", "ingredient"),
    ]
    assert [heap.title for heap in dive_takes(context_for(TABLE))][:3] == ["Salt", "Cards that Bake", "Ingredients"]


def test_each_act_has_its_own_turn_key() -> None:
    first = context_for(TABLE)
    state = GAME.fold(
        GAME.decide(first.match.state, 0, GAME.read_move({"type": "play_card", "card": 144}), Fast(1)),
        first.match.state,
    )
    assert turn_key(first) != turn_key(TableContext(first.match, 0, GAME.view(state, 0), (), {}))


# -- moves without JavaScript -------------------------------------------------------------------------------------


def send(visitor: Visitor, match: str, **fields: str) -> Page:
    """Submit the move form."""
    return visitor.send(visitor.open(f"/matches/{match}").form("/moves"), **fields)


def test_after_a_card_is_played_it_is_the_next_bakers_turn(services: Services, ann: Visitor, bob: Visitor) -> None:
    match = seated(services, TABLE, ann, bob)
    form = bob.open(f"/matches/{match}").forms("/moves")
    assert [one.fields.get("do") for one in form] == ["resign"], "players can only resign while it is not their turn"
    page = send(ann, match, choice="play:41")
    assert page.status == 200
    assert "Ana plays Lemon (1)." in page.text
    assert bob.open(f"/matches/{match}").title.startswith("● Your turn")


def test_a_swap_asks_a_question_and_takes_the_answer(services: Services, ann: Visitor) -> None:
    match = seated(services, TABLE, ann)
    page = send(ann, match, choice="play:144")
    assert "Choose two Ingredients to swap" in page.text
    assert "Effect of Swap" in page.text
    form = page.form("/moves")
    assert form.choices == {"give": ["1", "53", "57", "123"], "get": ["24", "71", "104"]}, "Walnut is protected"
    page = ann.send(form, give="123", get="104")
    assert "Ana swaps Graham Crumbs for Cleo's Beef." in page.text


def test_a_dive_can_be_made_with_the_form(services: Services, ann: Visitor) -> None:
    match = seated(services, TABLE, ann)
    fields = {"choice": "dive", "drop:144": "1", "drop:41": "1", "take": "130"}
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), **fields)
    assert "Ana dives, trashing Lemon and Swap, and takes Bake." in page.text


def test_a_hand_is_trimmed_with_the_form(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "hands": {"0": list(range(2, 11))}, "trash": []}, ann)
    page = send(ann, match, choice="pass")
    assert "Trash 2 cards" in page.text
    form = page.form("/moves")
    short = ann.send(form, **{"drop:2": "1"})
    assert (short.status, "Trash exactly as many cards" in short.text) == (422, True)
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), **{"drop:2": "1", "drop:10": "1"})
    assert "Ana trashes Table Salt and Sea Salt to get down to seven cards." in page.text


def test_a_pie_is_chosen_and_a_gift_is_given(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "hands": {"0": [172]}}, ann)
    form = send(ann, match, choice="play:172").form("/moves")
    assert form.choices == {"pick": ["pie:1.1", "pie:1.2", "pie:2.1"]}
    assert "Food Critic: Ben's Pie 1 11→8." in ann.send(form, pick="pie:1.1").text
    match = seated(services, {**TABLE, "hands": {"0": [178]}}, ann)
    form = send(ann, match, choice="play:178").form("/moves")
    assert form.choices == {"give": ["1", "53", "57", "123"], "to": ["1", "2"]}
    assert "Ana gives Meringue to Cleo." in ann.send(form, give="57", to="2").text


def test_everyone_can_answer_potluck_in_any_order(services: Services, ann: Visitor, bob: Visitor) -> None:
    match = seated(services, {**TABLE, "hands": {"0": [171, 5, 6], "1": [7, 8], "2": [9]}}, ann, bob)
    mine = send(ann, match, choice="play:171")
    assert mine.form("/moves").choices == {"pick": ["card:5", "card:6"]}
    page = send(bob, match, pick="card:8")
    assert "Ben chooses a card to pass on." in page.text
    assert "Cards move to the left" not in page.text
    page = send(ann, match, pick="card:6")
    assert "Ana passes Table Salt to Cleo" in page.text


@pytest.mark.parametrize(
    ("fields", "rule", "words"),
    [
        ({"choice": "play:2"}, "T2", "You can only use cards from your hand."),
        (
            {"choice": "dive", "drop:41": "1", "drop:144": "1", "take": "24"},
            "T5",
            "You can't take that card from the Trash.",
        ),
        ({"choice": "trim"}, "T7", "You can't make this move now."),
        ({"choice": "choose", "pick": "yes"}, "Q1", "There is nothing for you to choose right now."),
        ({"choice": "play:999"}, "5", "not a well-formed move"),
    ],
)
def test_a_refused_move_links_to_its_rule_and_keeps_the_input(
    services: Services, ann: Visitor, fields: dict[str, str], rule: str, words: str
) -> None:
    match = seated(services, TABLE, ann)
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), **fields)
    assert page.status == 422
    assert words in page.text
    assert f'href="/rules/pie_contest#{rule}"' in page.html
    assert page.form("/moves").fields.get("drop:41") == fields.get("drop:41")


def test_a_full_kitchen_is_refused_with_a_link_to_its_rule(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "kitchens": {"0": [1, 53, 57, 123, 24]}}, ann)
    page = send(ann, match, choice="play:41")
    assert page.status == 422
    assert "Your Kitchen already holds five Ingredients." in page.text
    assert 'href="/rules/pie_contest#T4"' in page.html


def test_a_seat_without_a_pie_has_no_score(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "turn": 240, "pies": {"1": [-20]}}, ann)
    page = send(ann, match, choice="pass")
    assert page.text.count("no Pie") == 2
    assert "no score" not in page.text
    assert "−20" in page.text


@pytest.mark.parametrize("seats", [2, *(pytest.param(seats, marks=pytest.mark.full) for seats in (3, 8))])
def test_a_whole_match_with_forms_against_the_bot(services: Services, ann: Visitor, seats: int) -> None:
    page = ann.new_match(
        "pie_contest",
        seats=str(seats),
        seed="c0ffee",
        closing_round="10",
        **{f"seat{n}": "bot:greedy" for n in range(1, seats)},
    )
    match, chance, moves = match_id_of(page), Fast(f"forms {seats}"), 0
    for _ in range(120):
        bot_moves(services, match)
        page = ann.open(f"/matches/{match}")
        if "move-form" not in page.html:
            break
        assert_well_formed(page)
        form = page.form("/moves")
        assert ann.send(form, **filled_in(form, page, chance)).status == 200
        moves += 1
    assert moves >= 8
    assert services.matches.repository.load(match).status == "over"
    assert "the contest is over" in page.text
    assert page_bytes(page, "pie_contest") < TABLE_BYTES


def filled_in(form: Form, page: Page, chance: Fast) -> dict[str, str]:
    """Return a random choice offered by the form, except a dive."""
    if form.fields.get("choice") == "trim":
        drops = sorted(name for name in form.choices if name.startswith("drop:"))
        count = int(re.findall(r'data-drops="(\d+)"', page.html)[0])
        return dict.fromkeys(chance.shuffle(drops)[:count], "1")
    if form.fields.get("choice") == "choose":
        return {name: chance.pick(values) for name, values in form.choices.items()}
    blocked = set(re.findall(r'value="(play:\d+|dive)"[^>]* disabled', page.html))
    return {"choice": chance.pick([value for value in form.choices["choice"] if value not in {*blocked, "dive"}])}


# -- recap ------------------------------------------------------------------------------------------------


def test_the_recap_begins_after_your_last_move(services: Services, ann: Visitor) -> None:
    match = seated(services, TABLE, ann)
    send(ann, match, choice="play:41")
    bot_moves(services, match)
    page = ann.open(f"/matches/{match}")
    recap = re.search(r'<section class="recap.*?</section>', page.html, re.S)
    assert recap
    assert "Since your last move" in recap[0]
    assert "Ana plays Lemon" not in recap[0]
    assert "Ben" in recap[0]


def test_a_spectator_gets_a_recap_of_the_last_round() -> None:
    replay = Replay(tuple(play_match(GAME, seats=3, agent=greedy_agent, seed="recap")))
    match = [match for match in replay.matches() if match.to_move][12]
    seen = tuple(replay.visible_event(ply, None) for ply in range(1, match.ply + 1))
    found = build_recap(TableContext(match, None, GAME.view(match.state, None), seen, {}))
    assert found is not None
    assert found.title == "Latest moves"
    assert [one.ply for one in found.deeds] == [match.ply - 2, match.ply - 1, match.ply]


# -- secrets ------------------------------------------------------------------------------------------------------

HIDDEN = ({"1": [2, 3, 24, 25], "2": [26, 27]}, {"1": [4, 30, 31, 32], "2": [33, 34]})


def worlds(services: Services, app: Flask, *, searching: bool = False) -> list[tuple[str, Visitor, Visitor]]:
    """Return two matches that differ in the hands of Ben and Cleo and in the decks, but look the same to Ana."""
    made = []
    tops: tuple[list[int], ...] = ([112, 113, 114, 115], [60, 61, 62, 48])
    for hands, top, pile in zip(HIDDEN, tops, ([203, 204], [190, 191]), strict=True):
        ann, bob = Visitor(app), Visitor(app)
        ben = [*hands["1"][:3], 180] if searching else hands["1"]
        document = {
            **TABLE,
            "kitchens": {"0": [1, 53, 57, 123], "1": [86, 71], "2": [104]},
            "hands": {"0": [41, 129, 144], "1": ben, "2": hands["2"]},
            "active": 1 if searching else 0,
            "pantry_top": top,
            "pile_top": pile,
            "row": [209, 201, 216],
        }
        match = seated(services, document, ann, bob)
        if searching:
            assert send(bob, match, choice="play:180").status == 200
        made.append((match, ann, bob))
    return made


@pytest.mark.parametrize("path", ["", "/replay", "/replay?ply=4", "/replay?as=spectator"])
@pytest.mark.parametrize("searching", [False, True])
@pytest.mark.parametrize("reader", ["rival", "stranger"])
def test_pages_do_not_depend_on_hidden_cards(
    app: Flask, services: Services, path: str, searching: bool, reader: str
) -> None:
    """Pages look the same before Ana's move, and while Ben looks at four cards."""
    seen = []
    for match, ann, _ in worlds(services, app, searching=searching):
        page = (ann if reader == "rival" else Visitor(app)).open(f"/matches/{match}{path}")
        assert page.status == 200
        seen.append(without_random_parts(page.html))
    assert seen[0] == seen[1]


def test_refusals_do_not_depend_on_hidden_cards(app: Flask, services: Services) -> None:
    seen = [
        without_random_parts(send(ann, match, choice=choice).html)
        for match, ann, _ in worlds(services, app)
        for choice in ("play:2", "play:4", "play:112", "play:203")
    ]
    assert seen[:4] == seen[4:]


def test_the_comparison_detects_a_leak(app: Flask, services: Services) -> None:
    for searching in (False, True):
        first, second = (
            without_random_parts(bob.open(f"/matches/{match}").html)
            for match, _, bob in worlds(services, app, searching=searching)
        )
        assert first != second


def test_searched_cards_are_shown_only_to_the_searching_player(app: Flask, services: Services) -> None:
    match, ann, bob = worlds(services, app, searching=True)[0]
    mine, other = bob.open(f"/matches/{match}"), ann.open(f"/matches/{match}")
    assert 'data-zone="aside"' in mine.html
    assert 'data-zone="aside"' not in other.html
    assert "Ben looks at the top 4 cards of the Pantry." in other.text
    assert "Ben to choose which card to keep" in other.html
    assert "Effect of Recipe Search" in other.html


# -- rules --------------------------------------------------------------------------------------------------------


def test_every_rule_named_in_a_refusal_has_an_anchor_on_the_rules_page(ann: Visitor) -> None:
    source = Path(decider.__file__).read_text(encoding="utf-8")
    named = set(re.findall(r'refuse\("\w+", "([^"]+)"\)', source)) | {GAME.grammar_rule, "R8"}
    assert len(named) > 9
    assert named <= set(re.findall(r' id="([A-Z0-9.]+)"', ann.open("/rules/pie_contest").html))


def test_the_rules_page_lists_every_card(ann: Visitor) -> None:
    page = ann.open("/rules/pie_contest")
    for name in ("Oven-Ready Crust", "Potluck", "Custard&#39;s Last Stand", "Busy Baker"):
        assert name in page.html
    assert "CC BY-SA 4.0" in page.text
    assert (extras()["example_shown"], extras()["example_baked"]) == ("11", "14"), "8.3, example 1"
