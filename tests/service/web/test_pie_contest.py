"""The Pie Contest table: its form offers what is legal, tells what it would do, and keeps what is hidden hidden."""

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
    """The table in this position, as a seat sees it."""
    return looking(sit_down(GAME, seats=document["seats"], position=document).match, seat)


def looking(match: AnyMatch, seat: Seat | None) -> TableContext:
    """Any match, as a seat sees it."""
    return TableContext(match, seat, GAME.view(match.state, seat), (), {})


def seated(services: Services, document: dict[str, Any], *visitors: Visitor) -> str:
    """A match from this position: these visitors sit at it, the seats behind them are left to bots."""
    players = []
    for count, visitor in enumerate(visitors):
        player = services.accounts.players.register(f"Guest {count}")[0]
        visitor.sign_in(services, player.id)
        players.append(player.id)
    wishes = [SeatSpec("human", player) for player in players]
    wishes += [SeatSpec("bot", level="greedy")] * (document["seats"] - len(wishes))
    return services.matches.creation.create(players[0], "pie_contest", wishes, {}, position=document).match.id


def bot_moves(services: Services, match: str) -> None:
    """Every bot that owes a move makes it, as the workers would have it."""
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
def test_a_form_is_read_as_the_move_it_means(form: dict[str, str], move: dict[str, Any]) -> None:
    assert read_move(form) == move
    GAME.read_move(move)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Choose first what you want to do."),
        ({"choice": "dance"}, "Choose first what you want to do."),
        ({"choice": "play:"}, "Choose first what you want to do."),
        ({"choice": "play:pie"}, "Choose first what you want to do."),
        ({"choice": "dive", "drop:1": "1", "take": "10"}, "A dive is paid with two cards of your hand"),
        ({"choice": "dive", "drop:1": "1", "drop:2": "1", "take": ""}, "Choose the card that you take"),
        ({"choice": "choose"}, "Choose one of the options first."),
        ({"choice": "choose", "give": "1"}, "Choose one of the options first."),
    ],
)
def test_a_form_that_says_too_little_is_refused_in_words(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadForm, match=re.escape(words)):
        read_move(form)


def forms(here: TableContext) -> Iterator[dict[str, str]]:
    """Every way to fill in the form."""
    asked, cards = open_question(here), card_choices(here)
    if asked:
        yield from answers(asked)
    elif trim_count(here):
        for dropped in combinations(cards, trim_count(here)):
            yield {"choice": "trim", **{f"drop:{choice.card}": "1" for choice in dropped}}
    elif here.view.phase == "main" and here.seat in here.view.to_move:
        yield from ({"choice": f"play:{choice.card}"} for choice in cards if choice.playable)
        yield {"choice": "pass"}
        for pair, heap in product(combinations(cards, 2), dive_takes(here)):
            drops = {f"drop:{choice.card}": "1" for choice in pair}
            paid = {str(choice.card) for choice in pair}
            yield from (
                {"choice": "dive", "take": option.key, **drops}
                for option in heap.cards
                if not heap.title.startswith("One of the two") or option.key in paid
            )


def answers(asked: Any) -> Iterator[dict[str, str]]:
    """Every answer to a question."""
    for give, get in product(asked.give, asked.get):
        yield {"choice": "choose", "give": give.key, "get": get.key}
    for give, to in product(asked.give, asked.to):
        yield {"choice": "choose", "give": give.key, "to": to.key}
    for several in combinations(asked.options, asked.count):
        if asked.count == 1:
            yield {"choice": "choose", "pick": several[0].key}
        else:
            yield {"choice": "choose", **{f"pick:{option.key}": "1" for option in several}}


def offered(here: TableContext) -> list[bytes]:
    """Every move that the form can send."""
    return sorted(canonical_json(GAME.read_move(read_move(form))) for form in forms(here))


@pytest.mark.parametrize(("seats", "options"), [(2, {"closing_round": 10}), (4, {}), (3, {"dive_own": False})])
def test_the_form_offers_exactly_the_legal_moves(seats: int, options: dict[str, Any]) -> None:
    asked: set[str] = set()
    for agent in (greedy_agent, random_agent):
        events = play_match(GAME, seats=seats, options={"closing_round": 10, **options}, agent=agent, seed="offer")
        for match in list(Replay(tuple(events)).matches())[2:]:
            for seat in match.to_move:
                here = looking(match, seat)
                legal = [canonical_json(move) for move in GAME.legal_moves(match.state, seat)]
                if len(legal) < 4000:
                    assert offered(here) == sorted(legal)
                asked.add(here.view.phase)
                for other in {*range(seats), None} - set(match.to_move):
                    assert offered(looking(match, other)) == []
    assert {"main", "choice"} <= asked


def test_a_question_about_several_cards() -> None:
    """No card of the edition asks for more than one card, but the vocabulary does."""
    here = context_for({**TABLE, "hands": {"0": [177], "1": [2, 3], "2": [25, 26, 27]}})
    state = here.match.state
    facts = GAME.decide(state, 0, GAME.read_move({"type": "play_card", "card": 177}), Fast(1))
    state = GAME.fold(facts, state)
    (open_question,) = state.choices
    twice = msgspec.structs.replace(state, choices=(msgspec.structs.replace(open_question, count=2),))
    match = msgspec.structs.replace(here.match, state=twice)
    assert offered(looking(match, open_question.seat)) == sorted(
        canonical_json(move) for move in GAME.legal_moves(twice, open_question.seat)
    )


def test_cards_tell_what_they_would_do_and_why_they_cannot_be_played() -> None:
    hints = {choice.name: (choice.hint, choice.playable) for choice in card_choices(context_for(TABLE))}
    assert hints["Lemon"] == ("Kitchen worth 8 → 11, as a Pie 14. Each other cream here +1.", True)
    assert hints["Bake"] == ("A Pie of 8. Stale: Ben's Pie 1 11→7, Ben's Pie 2 7→3, Cleo's Pie 1 −1→−5.", True)
    full = context_for({**TABLE, "kitchens": {"0": [1, 53, 57, 123, 24]}})
    assert card_choices(full)[0].hint == "Your Kitchen is full: there is no room for it."
    assert not card_choices(full)[0].playable


def test_why_one_cannot_dive_is_told() -> None:
    assert dive_obstacle(context_for(TABLE)) == ""
    assert dive_obstacle(context_for({**TABLE, "stage": "acted", "acts_made": 1})).startswith(
        "A dive can only be the first"
    )
    assert dive_obstacle(context_for({**TABLE, "hands": {"0": [41]}})).startswith("A dive is paid with two")
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


def test_each_act_is_a_turn_of_its_own() -> None:
    first = context_for(TABLE)
    state = GAME.fold(
        GAME.decide(first.match.state, 0, GAME.read_move({"type": "play_card", "card": 144}), Fast(1)),
        first.match.state,
    )
    assert turn_key(first) != turn_key(TableContext(first.match, 0, GAME.view(state, 0), (), {}))


# -- moves without JavaScript -------------------------------------------------------------------------------------


def send(visitor: Visitor, match: str, **fields: str) -> Page:
    """Send the form of the table."""
    return visitor.send(visitor.open(f"/matches/{match}").form("/moves"), **fields)


def test_a_card_is_played_and_the_next_baker_is_on_turn(services: Services, ann: Visitor, bob: Visitor) -> None:
    match = seated(services, TABLE, ann, bob)
    form = bob.open(f"/matches/{match}").forms("/moves")
    assert [one.fields.get("do") for one in form] == ["resign"], "who is not on turn can resign and nothing else"
    page = send(ann, match, choice="play:41")
    assert page.status == 200
    assert "Ana played Lemon (1)." in page.text
    assert bob.open(f"/matches/{match}").title.startswith("● Your turn")


def test_a_swap_is_asked_about_and_answered(services: Services, ann: Visitor) -> None:
    match = seated(services, TABLE, ann)
    page = send(ann, match, choice="play:144")
    assert "Swap an Ingredient: which for which?" in page.text
    assert "Swap asks." in page.text
    form = page.form("/moves")
    assert form.choices == {"give": ["1", "53", "57", "123"], "get": ["24", "71", "104"]}, "Walnut is guarded"
    page = ann.send(form, give="123", get="104")
    assert "Ana swapped Graham Crumbs for Cleo's Beef." in page.text


def test_a_dive_by_the_form(services: Services, ann: Visitor) -> None:
    match = seated(services, TABLE, ann)
    fields = {"choice": "dive", "drop:144": "1", "drop:41": "1", "take": "130"}
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), **fields)
    assert "Ana dived: trashed Lemon and Swap, took Bake." in page.text


def test_a_hand_is_trimmed_by_the_form(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "hands": {"0": list(range(2, 11))}, "trash": []}, ann)
    page = send(ann, match, choice="pass")
    assert "Trash 2 cards" in page.text
    form = page.form("/moves")
    short = ann.send(form, **{"drop:2": "1"})
    assert (short.status, "Trash exactly as many different cards" in short.text) == (422, True)
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), **{"drop:2": "1", "drop:10": "1"})
    assert "Ana trashed Table Salt and Sea Salt down to seven cards." in page.text


def test_a_pie_is_chosen_and_a_gift_is_given(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "hands": {"0": [172]}}, ann)
    form = send(ann, match, choice="play:172").form("/moves")
    assert form.choices == {"pick": ["pie:1.1", "pie:1.2", "pie:2.1"]}
    assert "Food Critic: Ben's Pie 1 11→8." in ann.send(form, pick="pie:1.1").text
    match = seated(services, {**TABLE, "hands": {"0": [178]}}, ann)
    form = send(ann, match, choice="play:178").form("/moves")
    assert form.choices == {"give": ["1", "53", "57", "123"], "to": ["1", "2"]}
    assert "Ana gave Meringue to Cleo." in ann.send(form, give="57", to="2").text


def test_potluck_is_answered_by_everybody_in_any_order(services: Services, ann: Visitor, bob: Visitor) -> None:
    match = seated(services, {**TABLE, "hands": {"0": [171, 5, 6], "1": [7, 8], "2": [9]}}, ann, bob)
    mine = send(ann, match, choice="play:171")
    assert mine.form("/moves").choices == {"pick": ["card:5", "card:6"]}
    page = send(bob, match, pick="card:8")
    assert "Ben has chosen a card to pass on." in page.text
    assert "Everyone passed a card to the left" not in page.text
    page = send(ann, match, pick="card:6")
    assert "Ana Table Salt to Cleo" in page.text


@pytest.mark.parametrize(
    ("fields", "rule", "words"),
    [
        ({"choice": "play:2"}, "T2", "You can only use cards that are in your hand."),
        ({"choice": "dive", "drop:41": "1", "drop:144": "1", "take": "24"}, "T5", "A dive takes a card that lies"),
        ({"choice": "trim"}, "T7", "This move is not for now"),
        ({"choice": "choose", "pick": "yes"}, "Q1", "Nothing is asked of you"),
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


def test_a_full_kitchen_is_refused_with_its_rule(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "kitchens": {"0": [1, 53, 57, 123, 24]}}, ann)
    page = send(ann, match, choice="play:41")
    assert page.status == 422
    assert "there is no room for another one" in page.text
    assert 'href="/rules/pie_contest#T4"' in page.html


def test_a_seat_without_a_pie_has_no_score(services: Services, ann: Visitor) -> None:
    match = seated(services, {**TABLE, "turn": 240, "pies": {"1": [-20]}}, ann)
    page = send(ann, match, choice="pass")
    assert page.text.count("no score") == 2
    assert "−20" in page.text


@pytest.mark.parametrize("seats", [2, 3, 8])
def test_a_whole_match_by_forms_against_the_bot(services: Services, ann: Visitor, seats: int) -> None:
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
    """Something that the form offers, without dives."""
    if form.fields.get("choice") == "trim":
        drops = sorted(name for name in form.choices if name.startswith("drop:"))
        count = int(re.findall(r'data-drops="(\d+)"', page.html)[0])
        return dict.fromkeys(chance.shuffle(drops)[:count], "1")
    if form.fields.get("choice") == "choose":
        return {name: chance.pick(values) for name, values in form.choices.items()}
    blocked = set(re.findall(r'value="(play:\d+|dive)"[^>]* disabled', page.html))
    return {"choice": chance.pick([value for value in form.choices["choice"] if value not in {*blocked, "dive"}])}


# -- what happened ------------------------------------------------------------------------------------------------


def test_the_recap_begins_behind_the_own_last_move(services: Services, ann: Visitor) -> None:
    match = seated(services, TABLE, ann)
    send(ann, match, choice="play:41")
    bot_moves(services, match)
    page = ann.open(f"/matches/{match}")
    told = re.search(r'<section class="recap.*?</section>', page.html, re.S)
    assert told
    assert "Since your last move" in told[0]
    assert "Ana played Lemon" not in told[0]
    assert "Ben" in told[0]


def test_a_spectator_is_told_the_last_round() -> None:
    replay = Replay(tuple(play_match(GAME, seats=3, agent=greedy_agent, seed="recap")))
    match = [match for match in replay.matches() if match.to_move][12]
    seen = tuple(replay.visible_event(ply, None) for ply in range(1, match.ply + 1))
    found = build_recap(TableContext(match, None, GAME.view(match.state, None), seen, {}))
    assert found is not None
    assert found.title == "The last moves"
    assert [one.ply for one in found.deeds] == [match.ply - 2, match.ply - 1, match.ply]


# -- secrets ------------------------------------------------------------------------------------------------------

HIDDEN = ({"1": [2, 3, 24, 25], "2": [26, 27]}, {"1": [4, 30, 31, 32], "2": [33, 34]})


def worlds(services: Services, app: Flask, *, searching: bool = False) -> list[tuple[str, Visitor, Visitor]]:
    """Two matches that differ in the hands of Ben and Cleo, in the Pantry and in the pile, as far as Ana can see."""
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
def test_worlds_that_differ_in_hidden_cards_look_the_same(
    app: Flask, services: Services, path: str, searching: bool, reader: str
) -> None:
    """Before Ana's move, and while Ben looks at four cards."""
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


def test_the_comparison_would_see_a_leak(app: Flask, services: Services) -> None:
    for searching in (False, True):
        first, second = (
            without_random_parts(bob.open(f"/matches/{match}").html)
            for match, _, bob in worlds(services, app, searching=searching)
        )
        assert first != second


def test_what_is_looked_at_is_shown_to_the_one_who_looks(app: Flask, services: Services) -> None:
    match, ann, bob = worlds(services, app, searching=True)[0]
    mine, other = bob.open(f"/matches/{match}"), ann.open(f"/matches/{match}")
    assert 'data-zone="aside"' in mine.html
    assert 'data-zone="aside"' not in other.html
    assert "Ben looked at the top 4 cards of the Pantry." in other.text
    assert "Ben to choose which card to keep" in other.html
    assert "Recipe Search asks" in other.html


# -- rules --------------------------------------------------------------------------------------------------------


def test_every_rule_that_a_refusal_names_has_its_place_on_the_page_of_rules(ann: Visitor) -> None:
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
