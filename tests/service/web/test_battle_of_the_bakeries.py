"""The Battle of the Bakeries table: its move forms, hidden information and score sheet."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from flask import Flask

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.presentation.table import read_move
from domain.games.battle_of_the_bakeries.presentation.table.score_sheet import ScoreSheetTable, build_sheet
from domain.games.battle_of_the_bakeries.rules.parts import CARDS
from domain.kernel.chance import Fast
from domain.kernel.game import Seat
from domain.kernel.table import BadForm
from domain.match.commands import Play, SeatSpec
from domain.match.history import fold
from replays.redaction import redact_event
from service.bootstrap import Services
from service.matches.results import IdempotencyKey, bot_author
from service.web.game_files import find_table
from tests.builders import greedy_agent, play_match, random_agent
from tests.players import namesake
from tests.service.web.test_pages import TABLE_BYTES, page_bytes
from tests.service.web.visitors import Form, Page, Visitor
from tools.goldens import MATCHES, golden, rare, rare_match

SLUG = "battle_of_the_bakeries"
HELD = {"phase": "hire", "step": "flip", "flips_min": 1, "flips_max": 4}
SELLING = {"phase": "sale", "multipliers": [5, 1], "finder": 0}
STALE = {**SELLING, "step": "stale", "sold": [[], [4, 7]]}
CATCHING_UP = {
    "options": {"rounds": 1},
    "phase": "catch_up",
    "multipliers": [2, 6],
    "finder": 1,
    "sold": [[3, 10, 9, 5, 6, 7], [2, 3, 4, 5, 6, 7, 10]],
}


def seated(app: Flask, services: Services, position: dict[str, Any], **options: Any) -> tuple[str, Visitor]:
    """Return a match from this position with Ann as Union, against a bot that never moves on its own, and Ann."""
    player = namesake(services, "Ann")
    wishes = [SeatSpec("human", player.id), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create(player.id, SLUG, wishes, options, position=position).match.id
    ann = Visitor(app)
    ann.sign_in(services, player.id)
    return match, ann


def moves(page: Page) -> Form:
    return page.form("/moves")


def press(visitor: Visitor, page: Page, move: str, **fields: str) -> Page:
    """Press the button of this move."""
    assert move in moves(page).buttons["move"], moves(page).buttons
    return visitor.send(moves(page), move=move, **fields)


# -- the form -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "move"),
    [
        ({"move": "go_second"}, {"type": "choose_turn_order", "go": "second"}),
        ({"move": "roll_die"}, {"type": "roll_die"}),
        ({"move": "flip_card", "position": "29"}, {"type": "flip_card", "position": 29}),
        ({"move": "place_cake", "place": "1-12"}, {"type": "place_cake", "case": 1, "slot": 12}),
        ({"move": "place_stale", "place": "1-7"}, {"type": "place_stale", "slot": 7}),
        ({"move": "stop_catch_up", "position": "3"}, {"type": "stop_catch_up"}),
    ],
)
def test_forms_are_read(form: dict[str, str], move: dict[str, Any]) -> None:
    assert read_move(form) == move
    GAME.read_move(move)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Press one of the buttons"),
        ({"move": "win"}, "Press one of the buttons"),
        ({"move": "flip_card"}, "Choose a card"),
        ({"move": "flip_card", "position": "3x"}, "Choose a card"),
        ({"move": "flip_card", "position": "-1"}, "Choose a card"),
        ({"move": "flip_card", "position": "٣"}, "Choose a card"),
        ({"move": "place_cake"}, "Choose a slot"),
        ({"move": "place_stale", "place": "0-7-1"}, "Choose a slot"),
    ],
)
def test_invalid_forms_are_refused(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadForm, match=words):
        read_move(form)


def offered(form: Form) -> Iterator[dict[str, Any]]:
    """Yield every move that the form can send."""
    for move in form.buttons["move"]:
        places = {"flip_card": "position", "place_cake": "place", "place_stale": "place"}.get(move)
        for value in form.choices.get(places or "", []) if places else [""]:
            yield read_move({"move": move, places or "none": value})


def test_the_form_offers_exactly_the_legal_moves_in_every_phase(app: Flask, services: Services) -> None:
    """A whole random match without scripts, with both seats played in one browser."""
    match, chance = both_seats(app, services), Fast("forms")
    ann, met = match[1], set()
    page = ann.open(f"/matches/{match[0]}")
    for _ in range(400):
        head = services.matches.repository.load(match[0])
        if head.status == "over":
            break
        seat = next(iter(head.to_move))
        page = ann.open(f"/matches/{match[0]}?seat={seat}")
        assert page.reader.faults == []
        legal = [plain(move) for move in GAME.legal_moves(head.state, seat)]
        found = [move for move in offered(moves(page)) if is_open(page, move)]
        assert sorted(map(repr, found)) == sorted(map(repr, legal))
        move = chance.pick(legal)
        met.add(move["type"])
        page = ann.send(moves(page), **fields_of(move))
        assert page.status == 200
    assert services.matches.repository.load(match[0]).status == "over"
    assert "Final score" in page.text
    assert {"flip_card", "place_cake", "place_stale", "roll_dice", "roll_die", "declare_hire"} <= met


def both_seats(app: Flask, services: Services) -> tuple[str, Visitor]:
    """Return the shortest possible match with Ann in both seats, and Ann."""
    player = namesake(services, "Ann")
    wishes = [SeatSpec("human", player.id), SeatSpec("human", player.id)]
    options = {"rounds": 1, "hire_turn_limit": 10}
    match = services.matches.creation.create(player.id, SLUG, wishes, options, seed=b"bakers").match.id
    ann = Visitor(app)
    ann.sign_in(services, player.id)
    return match, ann


def plain(move: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(move)
    return found


def is_open(page: Page, move: dict[str, Any]) -> bool:
    """Return whether the move's card can be chosen. Cards that are face up are disabled."""
    if move["type"] != "flip_card":
        return True
    field = next(f for f in page.all("input") if f.get("name") == "position" and f["value"] == str(move["position"]))
    return "disabled" not in field


def fields_of(move: dict[str, Any]) -> dict[str, str]:
    """Return the form fields for this move."""
    match move:
        case {"type": "choose_turn_order", "go": go}:
            return {"move": f"go_{go}"}
        case {"type": "flip_card", "position": position}:
            return {"move": "flip_card", "position": str(position)}
        case {"type": "place_cake", "case": case, "slot": slot}:
            return {"move": "place_cake", "place": f"{case}-{slot}"}
        case {"type": "place_stale", "slot": slot}:
            return {"move": "place_stale", "place": f"1-{slot}"}
        case _:
            return {"move": move["type"]}


@pytest.mark.full
def test_a_whole_match_against_the_bot_by_forms(app: Flask, services: Services) -> None:
    """Ann makes the first move offered by each form; the bot plays from its own view."""
    match, ann, chance = *seated(app, services, {"options": {"rounds": 1, "hire_turn_limit": 10}}), Fast("bot")
    page = ann.open(f"/matches/{match}")
    while (head := services.matches.repository.load(match)).status == "playing":
        if 0 in head.to_move:
            page = ann.open(f"/matches/{match}")
            page = ann.send(moves(page), **fields_of(next(m for m in offered(moves(page)) if is_open(page, m))))
            assert page.status == 200, page.text
            assert page_bytes(page, SLUG) < TABLE_BYTES
        else:
            bot_moves(services, match, chance)
    page = ann.open(f"/matches/{match}")
    assert "Final score" in page.text
    assert "Replay" in page.text


def bot_moves(services: Services, match: str, chance: Fast) -> None:
    """Make the bot's move."""
    head = services.matches.repository.load(match)
    move = GAME.greedy(GAME.view(head.state, 1), 1, GAME.legal_moves(head.state, 1), chance)
    services.matches.commands.submit(
        match, Play(1, plain(move)), IdempotencyKey(bot_author(match, 1), f"at {head.ply}")
    )


# -- each step of a match --------------------------------------------------------------------------------


def test_a_five_offers_money_or_cards(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, {"phase": "hire", "step": "five", "fives": 2})
    page = ann.open(f"/matches/{match}")
    assert "Take $750, or turn over 2 cards" in page.text
    assert "you give up the money" in page.text
    page = press(ann, page, "take_bonus")
    assert "Union takes $750." in page.text
    assert "A five" not in page.text
    assert "Fives $750 –" in page.text
    assert "The next 5 rolled is worth $1,000." in page.text


def test_a_six_may_be_stopped_after_the_first_card(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, HELD)
    page = ann.open(f"/matches/{match}")
    assert moves(page).buttons["move"] == ["flip_card"]
    page = press(ann, page, "flip_card", position="12")
    assert "Union turns over row 3, column 3: Gingham Apron (4x)." in page.text
    assert moves(page).buttons["move"] == ["flip_card", "stop_flipping"]
    assert "Turn 2: Confederate." in press(ann, page, "stop_flipping").text


def test_an_attempt_shows_what_is_missing(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, {"phase": "hire", "step": "attempt", "face_up": [3, 28]})
    page = ann.open(f"/matches/{match}")
    assert "Turn over the rest of the set" in page.text
    assert "For the 5x you still need 3 of hat, apron, oven, batter." in page.text
    page = press(ann, page, "flip_card", position="0")
    assert "The cards don't make a set. Union loses its next turn." in page.text
    assert page.text.count("Union loses its next turn.") == 3  # log, recap and note


def test_the_last_chance_to_complete_a_set(app: Flask, services: Services) -> None:
    position = {"phase": "last_chance", "finder": 1, "multipliers": [1, 4], "empty": [2, 7, 12, 17, 22]}
    match, ann = seated(app, services, position)
    page = ann.open(f"/matches/{match}")
    assert "Your last chance: hire the 3x or 2x chef" in page.text
    for card in (1, 6, 11, 16):
        page = press(ann, page, "flip_card", position=str(card))
    assert "For the 3x you still need batter or a wild." in page.text
    page = press(ann, page, "flip_card", position="21")
    assert "Union hires Percy Plumcrumb (3x)!" in page.text
    assert "Chef 3x (purple) 4x (blue)" in page.text


def test_a_last_chance_can_be_declined(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, {"phase": "last_chance", "finder": 1, "multipliers": [1, 4]})
    page = press(ann, ann.open(f"/matches/{match}"), "decline_last_chance")
    assert "Union declines the last chance." in page.text


def test_every_place_for_a_cake_shows_its_value(app: Flask, services: Services) -> None:
    position = {"phase": "stock", "drawn": "wedding_cake", "multipliers": [3, 1], "finder": 0}
    match, ann = seated(app, services, position)
    page = ann.open(f"/matches/{match}")
    words = [field["data-words"] for field in page.all("input") if field.get("name") == "place"]
    assert words[0] == "Put it in your slot 2 ($19,500)"
    assert words[-1] == "Put it in Confederate's slot 12 ($6,500)"
    assert "Choose a slot first." in press(ann, page, "place_cake").text
    page = press(ann, page, "place_cake", place="1-7")
    assert "You Take the Cake! Union puts a Wedding Cake ($500) in Confederate's slot 7." in page.text


def test_a_stale_card_shows_its_cost(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, STALE)
    page = ann.open(f"/matches/{match}")
    fields = {f["value"]: f["data-words"] for f in page.all("input") if f.get("name") == "place"}
    assert fields["1-2"] == "Make the Birthday Cake in slot 2 stale ($6,500 → $5,200)"
    assert not fields.keys() & {"1-4", "1-7", "0-2"}
    page = press(ann, page, "place_stale", place="1-2")
    assert "stale card on Confederate's slot 2 (1 on this cake, 29 left" in page.text


def test_the_catch_up_shows_its_stakes(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, CATCHING_UP)
    page = ann.open(f"/matches/{match}")
    assert "Round 1: Confederate sold seven cakes first" in page.text
    assert "Try for 60% ($3,450)" in page.text
    assert "If you miss, you keep 40% ($2,300)." in page.text
    assert moves(page).buttons["move"] == ["try_catch_up"]
    hit, ann = seated(app, services, {**CATCHING_UP, "tries": 1})
    page = ann.open(f"/matches/{hit}")
    assert "Try for 80% ($4,600)" in page.text
    page = press(ann, page, "stop_catch_up")
    assert "Kept 60% of the tab $3,450" in page.text


def test_a_refused_move_links_to_its_rule_and_keeps_the_input(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, {**HELD, "face_up": [3]})
    page = ann.send(moves(ann.open(f"/matches/{match}")), move="flip_card", position="3")
    assert page.status == 422
    assert "That card is already face up" in page.text
    assert f"/rules/{SLUG}#H5" in page.reader.links
    page = ann.send(moves(ann.open(f"/matches/{match}")), move="roll_dice")
    assert (page.status, "You can't make this move now" in page.text) == (422, True)
    page = ann.send(moves(ann.open(f"/matches/{match}")), move="place_cake", position="4")
    assert page.status == 422
    assert any(f.get("value") == "4" and "checked" in f for f in page.all("input") if f.get("name") == "position")


def test_an_outdated_form_is_refused(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, HELD)
    old = moves(ann.open(f"/matches/{match}"))
    ann.send(old, move="flip_card", position="3")
    old.fields["key"] = "0" * 32
    page = ann.send(old, move="flip_card", position="4")
    assert (page.status, "changed in the meantime" in page.text) == (409, True)


def test_every_rule_named_in_a_refusal_has_an_anchor_on_the_rules_page(ann: Visitor) -> None:
    page = ann.open(f"/rules/{SLUG}")
    assert page.reader.faults == []
    ids = {attributes["id"] for _, attributes in page.reader.tags if "id" in attributes}
    named = {"S5", "H1", "H2", "H5", "H12", "L1", "K3", "M1", "M3", "M4", "U1", "U2", "E3"}
    assert named <= ids
    assert len(ids) == sum(1 for _, attributes in page.reader.tags if "id" in attributes)
    for words in ("5 x 2 x $75", "$750", "2 x 13 x $10", "$260", "6 x 13 x $500", "$39,000", "hired, 5x"):
        assert words in page.text, words


# -- the score sheet ------------------------------------------------------------------------------------------------


def finished() -> Iterator[list[Any]]:
    """Yield golden matches of every kind."""
    yield from (golden(GAME, n) for n in range(MATCHES))
    yield from (rare_match(GAME, MATCHES + n, match) for n, match in enumerate(rare(GAME)))


def test_the_sheet_agrees_with_the_engine_line_by_line() -> None:
    met = set()
    for events in finished():
        engine = GAME.score(fold(events).state)
        sheet = build_sheet(events)
        assert sheet.totals == engine.totals
        for seat in (0, 1):
            lines = [line for line in engine.lines if line.seat == seat]
            met |= {line.rule for line in lines}
            assert sorted(x.points for x in lines if x.rule in ("M2", "M4")) == sorted(sold(sheet, seat))
            assert [x.points for x in lines if x.rule == "H3"] == [
                five.amount for played in sheet.rounds for five in played.columns[seat].fives
            ]
            assert [x.points for x in lines if x.rule == "R51"] == [
                c.columns[seat].great_chef.amount for c in sheet.rounds if c.columns[seat].great_chef
            ]
    assert {"M2", "M4", "H3", "R51", "E1", "T3"} <= met


def sold(sheet: ScoreSheetTable, seat: Seat) -> list[int]:
    """Return the amounts of a bakery's sales, checking that each is chef x factor x price."""
    sales = [sale for played in sheet.rounds for sale in played.columns[seat].sales]
    assert all(sale.amount == sale.chef * sale.factor * sale.price for sale in sales)
    return [sale.amount for sale in sales]


def test_the_sheet_is_correct_at_every_ply_and_the_same_for_all_readers() -> None:
    events = play_match(GAME, agent=greedy_agent, options={"memory_aid": "off", "rounds": 2}, seed="sheet")
    for ply in range(4, len(events) + 1, 7):
        match = fold(events[:ply])
        sheets = [build_sheet(redact_event(event, match, reader) for event in events[:ply]) for reader in (0, 1, None)]
        assert sheets[0].totals == match.state.scores
        assert sheets[0] == sheets[1] == sheets[2]


def test_every_amount_links_to_its_ply() -> None:
    events = play_match(GAME, agent=random_agent, options={"rounds": 1}, seed="plies")
    sheet = build_sheet(events)
    for column in sheet.rounds[0].columns:
        for sale in column.sales:
            assert f"for {sale.chef} x {sale.factor}" in " ".join(GAME.tell(events[sale.ply - 1].facts))
        assert column.kept
        assert "Round 1:" in " ".join(GAME.tell(events[column.kept.ply - 1].facts))


def test_an_unscored_tab_is_marked(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, {**SELLING, "sold": [[7], [4]]})
    page = ann.send(moves(ann.open(f"/matches/{match}")), do="resign")
    assert "Tab $2,500, not scored $250, not scored" in page.text
    assert "Final score Union $0 Confederate $0" in page.text


def test_spectators_see_the_sheet_without_forms(app: Flask, services: Services) -> None:
    match, _ = seated(app, services, SELLING)
    page = Visitor(app).open(f"/matches/{match}")
    assert page.forms("/moves") == []
    assert "Score sheet" in page.text
    assert "Chef 5x (red) none (1x)" in page.text


# -- memory ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def worlds(app: Flask, services: Services) -> list[tuple[str, Visitor, Visitor]]:
    """Two matches without the memory aid in which cards 3 and 20 are swapped. Ann has turned over card 3."""
    made = []
    for first, second in ((3, 20), (20, 3)):
        layout = list(CARDS)
        layout[3], layout[20] = CARDS[first], CARDS[second]
        people = {name: namesake(services, name) for name in ("Ann", "Bob")}
        wishes = [SeatSpec("human", player.id) for player in people.values()]
        position = {**HELD, "flips_max": 1, "layout": layout}
        match = services.matches.creation.create(
            people["Ann"].id, SLUG, wishes, {"memory_aid": "off"}, seed=b"memory", position=position
        ).match.id
        visitors = []
        for player in people.values():
            visitor = Visitor(app)
            visitor.sign_in(services, player.id)
            visitors.append(visitor)
        ann, bob = visitors
        press(ann, ann.open(f"/matches/{match}"), "flip_card", position="3")
        made.append((match, ann, bob))
    return made


def pages(services: Services, match: str, visitor: Visitor) -> list[str]:
    """Return all pages of the match, without the parts that differ between any two matches."""
    last = services.matches.repository.load(match).ply
    places = [f"/replay?ply={ply}{more}" for ply in range(1, last + 1) for more in ("", "&fact=1", "&as=spectator")]
    return [shape(visitor.open(f"/matches/{match}{place}").html) for place in ("", *places)]


def shape(html: str) -> str:
    ids = (r"p_[0-9a-f]{16}", r"[0-9a-f]{64}", r"[0-6][0-9][a-z2-7]{16}")
    for pattern in (r'value="[^"]{20,}"', *ids, r"<time[^>]*>[^<]*</time>"):
        html = re.sub(pattern, "…", html)
    return re.sub(r"(?<=\bYou play as </span>)[^<]*", "…", html)


def test_no_page_reveals_a_card_after_it_is_hidden_again(
    app: Flask, services: Services, worlds: list[tuple[str, Visitor, Visitor]]
) -> None:
    stranger = Visitor(app)
    for name in ("ann", "bob", "stranger"):
        seen = [
            pages(services, match, {"ann": ann, "bob": bob, "stranger": stranger}[name]) for match, ann, bob in worlds
        ]
        assert seen[0] != seen[1], f"{name} should still see the card"
    for match, _, bob in worlds:
        assert "can't stop anyone from taking notes" in press(bob, bob.open(f"/matches/{match}"), "roll_die").text
    for name in ("bob", "stranger"):
        seen = [pages(services, match, bob if name == "bob" else stranger) for match, _, bob in worlds]
        assert seen[0] == seen[1], f"the pages reveal the card to {name}"
        assert any("something that is now hidden again" in page for page in seen[0])
    seen = [pages(services, match, ann) for match, ann, _ in worlds]
    assert seen[0] != seen[1], "Ann has not started another turn"


def test_a_card_is_hidden_from_its_player_after_their_next_roll(
    services: Services, worlds: list[tuple[str, Visitor, Visitor]]
) -> None:
    for match, ann, bob in worlds:
        press(bob, bob.open(f"/matches/{match}"), "declare_hire")
        press(bob, bob.open(f"/matches/{match}"), "flip_card", position="9")  # no chef: the attempt fails
        page = press(ann, ann.open(f"/matches/{match}"), "roll_die")
        assert "Confederate turns over row 2, column 5: a card that is no longer shown." in page.text
    assert pages(services, worlds[0][0], worlds[0][1]) == pages(services, worlds[1][0], worlds[1][1])


def test_refusals_do_not_reveal_a_hidden_card(worlds: list[tuple[str, Visitor, Visitor]]) -> None:
    seen = []
    for match, _, bob in worlds:
        page = press(bob, bob.open(f"/matches/{match}"), "roll_die")
        seen.append(shape(bob.send(moves(page), move="place_cake", position="3").html))
    assert seen[0] == seen[1]


def test_the_replay_of_a_finished_match_shows_everything(
    services: Services, worlds: list[tuple[str, Visitor, Visitor]]
) -> None:
    match, _, bob = worlds[0]
    page = press(bob, bob.open(f"/matches/{match}"), "roll_die")
    flipped = services.matches.repository.load(match).ply - 1
    bob.send(moves(page), do="resign")
    for look in ("everything", "0", "1", "spectator"):
        page = bob.open(f"/matches/{match}/replay?ply={flipped}&as={look}")
        assert "Union turns over row 1, column 4: Rufus Redvelvet (5x)." in page.text
        assert "hidden again" not in page.text


def test_with_the_memory_aid_the_board_shows_seen_cards(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, {**HELD, "shown": [3], "actor": 0})
    page = ann.open(f"/matches/{match}")
    assert "row 1, column 4, Rufus Redvelvet (5x)" in page.text
    assert "can't stop anyone from taking notes" not in page.text


def test_the_table_has_a_cover_picture() -> None:
    cover = find_table(SLUG).cover_svg
    assert cover
    assert 'aria-hidden="true"' in cover()
