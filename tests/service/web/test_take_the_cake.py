"""The Take the Cake table without scripts: its move form, trial moves, recap, hidden information and rules page."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from flask import Flask

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.presentation.rules_page import EXAMPLES, POSITION, extras
from domain.games.take_the_cake.presentation.table import read_move
from domain.games.take_the_cake.presentation.table.path_preview import draw_path
from domain.games.take_the_cake.presentation.table.recap import build_recap, make_turn
from domain.games.take_the_cake.rules.components import CARDS
from domain.games.take_the_cake.rules.facts import BakerMoved, ProgramLaid
from domain.kernel.chance import Fast
from domain.kernel.events import Moved
from domain.kernel.table import BadForm, TableContext
from domain.match.commands import Play, SeatSpec
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from tests.builders import greedy_agent, play_match, sit_down
from tests.players import namesake
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

HAND = ["rep2_1", "fwd_1", "right_1", "if_05", "if_07"]
GIVEN = {**POSITION, "bakers": {"0": {"at": [0, 0], "facing": "E"}}, "hands": {"0": HAND}, "round": 1, "turn": 1}
"""P0 of the rules: red in its corner, with a cake as today's special."""


PASSING = re.compile(
    r'p_[0-9a-f]{16}|[0-9a-f]{32,64}|name="csrf_token" value="[^"]+"|datetime="[^"]+"|title="[^"]+UTC"'
)
"""Matches the parts that differ between any two pages: players, keys and times."""


def seated(app: Flask, services: Services, document: Mapping[str, Any] = GIVEN, **options: Any) -> tuple[str, Visitor]:
    """Return a match from a position between a visitor (red) and a bot that is not running, and the visitor."""
    visitor, player = Visitor(app), namesake(services, "Ann")
    wishes = [SeatSpec("human", player.id), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create(player.id, GAME.slug, wishes, options, position=document).match.id
    visitor.sign_in(services, player.id)
    return match, visitor


def answer(services: Services, match: str, move: dict[str, Any], seat: int = 1) -> None:
    """Make a move for the bot."""
    author = f"bot:{match}:{seat}"
    services.matches.commands.submit(
        match, Play(seat, move), IdempotencyKey(author, f"{services.matches.repository.load(match).ply}")
    )


def context_for(document: Mapping[str, Any] = GIVEN, seat: int = 0) -> TableContext:
    match = sit_down(GAME, position=document).match
    return TableContext(match, seat, GAME.view(match.state, seat), (), {})


# -- reading the form ---------------------------------------------------------------------------------------------


def step(card: str, span: int | None = None, decline: bool = False) -> dict[str, Any]:
    return {"card": card, "span": span, "decline": decline}


REPEATED = {"step1": "rep2_1", "span1": "2", "step2": "fwd_1", "step4": "if_05", "decline4": "1", "swap_fwd_1": "1"}


@pytest.mark.parametrize(
    ("form", "kind", "fields"),
    [
        (
            {"act": "run", **REPEATED},
            "run_program",
            {"steps": [step("rep2_1", 2), step("fwd_1"), step("if_05", decline=True)]},
        ),
        ({"do": "try", "step1": "fwd_1"}, "run_program", {"steps": [step("fwd_1")]}),
        ({"act": "run"}, "run_program", {"steps": []}),
        ({"act": "swap", "swap_fwd_1": "1", "step1": "if_07"}, "swap_cards", {"cards": ["fwd_1"]}),
        ({"act": "keep", "swap_fwd_1": "1"}, "swap_cards", {"cards": []}),
        ({"act": "accept"}, "accept_placement", {}),
        ({"act": "reject"}, "reject_placement", {}),
        ({"act": "propose", "token_eggs": "1,2"}, "propose_placement", {"tokens": {"eggs": [1, 2]}}),
    ],
)
def test_a_form_is_read_as_a_move(form: dict[str, str], kind: str, fields: dict[str, Any]) -> None:
    assert read_move(form) == {"type": kind, **fields}
    GAME.read_move(read_move(form))


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"act": "fly"}, "Press one of the buttons"),
        ({"step1": "rep2_1", "span1": "x"}, "1 to 4"),
        ({"step1": "rep2_1", "span1": "22"}, "1 to 4"),
        ({"step1": "rep2_1", "span1": "²"}, "1 to 4"),
        ({"act": "propose", "token_eggs": "12"}, "row and column"),
        ({"act": "propose", "token_eggs": "1,-2"}, "row and column"),
        ({"act": "propose", "token_eggs": ""}, "row and column"),
    ],
)
def test_invalid_forms_are_refused(form: dict[str, str], words: str) -> None:
    with pytest.raises(BadForm, match=words):
        read_move(form)


# -- a turn without scripts ---------------------------------------------------------------------------------------


def test_the_form_offers_exactly_the_hand(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    page = ann.open(f"/matches/{match}")
    form = page.form("/moves")
    for n in range(1, 6):
        assert form.choices[f"step{n}"] == ["", *HAND]
        assert form.choices[f"span{n}"] == ["", "1", "2", "3", "4"]
    assert {name for name in form.choices if name.startswith("swap_")} == {f"swap_{card}" for card in HAND}
    assert form.buttons == {"act": ["run", "swap", "keep"], "do": ["try"]}
    assert page.reader.faults == []
    assert page.text.count("does nothing today") == 1, "if_07 asks for a pie"


def plain_form(page: Page, **fields: str) -> dict[str, str]:
    """Return the fields as a browser sends them, without unticked checkboxes."""
    form = page.form("/moves")
    kept = {name: value for name, value in form.fields.items() if not name.startswith(("swap_", "decline"))}
    return {**kept, **fields}


def press(visitor: Visitor, page: Page, name: str, value: str, **fields: str) -> Page:
    """Submit the move form with a button, as a browser does."""
    data = {**plain_form(page, **fields), name: value}
    answered = visitor.client.post(page.form("/moves").action, data=data, follow_redirects=True)
    return Page(answered)


def test_a_program_can_be_tried_without_running_it(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    page = ann.open(f"/matches/{match}")
    chosen = {"step1": "rep2_1", "span1": "2", "step2": "fwd_1", "step3": "right_1"}
    tried = press(ann, page, "do", "try", **chosen)
    assert tried.status == 200
    assert "Moves to (0,1), turns south, bumps into a wall, turns west. Ends on (0,1) facing west." in tried.text
    assert 'class="ghost"' in tried.html
    assert 'class="ghost"' not in page.html
    assert services.matches.repository.load(match).ply == 4, "nothing has happened"
    form = tried.form("/moves")
    assert {name: form.fields[name] for name in chosen} == chosen, "the program is still there"
    done = press(ann, tried, "act", "run", **chosen)
    assert "Red runs Repeat x2 [Forward, Turn right]: moves to (0,1), turns south" in done.text
    assert services.matches.repository.load(match).state.bakers[0].at == (0, 1)


def test_trying_a_program_reveals_no_future_cards(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    page = ann.open(f"/matches/{match}")
    tried = press(ann, page, "do", "try", step1="fwd_1")
    for card in services.matches.repository.load(match).state.deck:
        assert card not in tried.html


def test_a_refused_trial_shows_the_reason_and_rule(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    page = ann.open(f"/matches/{match}")
    refused = press(ann, page, "do", "try", step1="fwd_1", step2="rep2_1", span2="1")
    assert refused.status == 422
    assert "A Repeat can't be the last card" in refused.text
    assert "/rules/take_the_cake#P2" in refused.html
    assert refused.form("/moves").fields["step2"] == "rep2_1"


def test_players_cannot_try_a_move_for_another_seat(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    form = plain_form(ann.open(f"/matches/{match}"), do="try", step1="fwd_1")
    stranger = Visitor(app)
    token = stranger.open("/new/take_the_cake").form("/new").fields["csrf_token"]
    answered = stranger.client.post(f"/matches/{match}/moves", data={**form, "csrf_token": token})
    assert answered.status_code == 403
    assert ann.client.post(f"/matches/{match}/moves", data={**form, "seat": "1"}).status_code == 403


def test_a_refused_program_keeps_the_input(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    page = ann.open(f"/matches/{match}")
    refused = press(ann, page, "act", "run", step1="fwd_1", step2="fwd_1")
    assert refused.status == 422
    assert "(Forward) is used twice" in refused.text
    assert "rule P1" in refused.text
    assert refused.form("/moves").fields["step2"] == "fwd_1"


def test_cards_can_be_swapped_or_kept(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    page = ann.open(f"/matches/{match}")
    assert (
        press(ann, page, "act", "swap", swap_rep2_1="1", swap_fwd_1="1", swap_if_05="1", swap_if_07="1").status == 422
    )
    swapped = press(ann, page, "act", "swap", swap_if_07="1", swap_rep2_1="1")
    assert "Red swaps 2 cards." in swapped.text
    answer(services, match, {"type": "swap_cards", "cards": []})
    kept = press(ann, ann.open(f"/matches/{match}"), "act", "keep")
    assert "Red keeps its hand." in kept.text
    assert services.matches.repository.load(match).state.hands[0][:3] == ("fwd_1", "right_1", "if_05")


def test_your_hand_stays_visible_while_others_move_and_at_the_end(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    waiting = press(ann, ann.open(f"/matches/{match}"), "act", "swap", swap_if_07="1")
    assert "move-form" not in waiting.html
    held = waiting.text.partition("Your hand")[2]
    assert all(name in held for name in ("Repeat x2", "Forward", "Turn right", "If cake (forward 3)"))
    answer(services, match, {"type": "resign"})
    assert "Your hand" in ann.open(f"/matches/{match}").text


def test_keeping_and_declining_are_offered_only_if_allowed(app: Flask, services: Services) -> None:
    match, ann = seated(app, services, allow_keep=False, may_decline_if=False)
    form = ann.open(f"/matches/{match}").form("/moves")
    assert form.buttons["act"] == ["run", "swap"]
    assert not any(name.startswith("decline") for name in form.fields)


def test_five_repeats_can_only_be_swapped(app: Flask, services: Services) -> None:
    hand = ["rep2_1", "rep2_2", "rep2_3", "rep3_1", "rep3_2"]
    match, ann = seated(app, services, {**GIVEN, "hands": {"0": hand}})
    assert "You have only Repeats" in ann.open(f"/matches/{match}").text


# -- placement ------------------------------------------------------------------------------------------------


def test_a_placement_can_be_proposed_and_rejected(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="take_the_cake", placement="agreed", first_player="0", recipe="rec_02")
    page = ann.open(f"/matches/{match}")
    form = page.form("/moves")
    tokens = {name: form.fields[name] for name in ("token_eggs", "token_sugar", "token_cream", "token_berries")}
    tiles = form.choices["token_eggs"]
    assert len(tiles) == 12
    assert "was dealt at random" in page.text
    clash = press(ann, page, "act", "propose", **{**tokens, "token_eggs": tokens["token_sugar"]})
    assert clash.status == 422
    assert "each on its own ingredient tile" in clash.text
    free = next(tile for tile in tiles if tile not in tokens.values())
    ann_proposed = press(ann, page, "act", "propose", **{**tokens, "token_eggs": free})
    assert f"eggs ({free})" in ann_proposed.text
    theirs = bob.open(f"/matches/{match}")
    assert "was proposed by red" in theirs.text
    bob_proposed = press(bob, theirs, "act", "propose", **tokens)
    assert bob_proposed.status == 200
    last = ann.open(f"/matches/{match}")
    assert last.form("/moves").buttons == {"act": ["accept", "reject"]}
    placed = press(ann, last, "act", "reject")
    assert "No agreement, so the dealt arrangement is used" in placed.text
    assert "Program your baker" in placed.text


def test_an_accepted_placement_starts_the_match(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="take_the_cake", placement="agreed", first_player="0")
    press(ann, ann.open(f"/matches/{match}"), "act", "accept")
    begun = press(bob, bob.open(f"/matches/{match}"), "act", "accept")
    assert "Everyone agrees on the arrangement" in begun.text


# -- recap ----------------------------------------------------------------------------------------------


def test_the_last_turns_are_shown_step_by_step(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    press(ann, ann.open(f"/matches/{match}"), "act", "run", step1="rep2_1", span1="2", step2="fwd_1", step3="right_1")
    answer(services, match, {"type": "run_program", "steps": [{"card": "fwd_2"}]})
    page = ann.open(f"/matches/{match}")
    frames = [tag for tag in page.all("data") if tag.get("class") == "frame"]
    assert [(tag["data-tick"], tag["data-step"], tag["data-kind"]) for tag in frames] == [
        ("1", "1", "forward"), ("2", "2", "turn"), ("3", "1", "bump"), ("4", "2", "turn"), ("1", "0", "forward")
    ]  # fmt: skip
    cards = [tag for tag in page.all("li") if tag.get("class", "").startswith("turn-card")]
    assert (cards[0]["data-seat"], cards[0]["data-x"], cards[0]["data-turned"]) == ("0", "89.0", "90")


def test_frames_connect_the_positions_before_and_after_a_program() -> None:
    """For every program of a match, the first and last frames match the positions before and after it."""
    events = play_match(GAME, agent=greedy_agent, seed="frames")
    state, programs = GAME.initial, 0
    for event in events:
        after = GAME.fold(event.facts, state)
        if isinstance(event, Moved) and any(isinstance(fact, ProgramLaid) for fact in event.facts):
            shown, seat = make_turn(event), event.seat or 0
            assert shown.start
            places = [frame for frame in (shown.start, *shown.frames) if frame.x]
            facings = [frame for frame in (shown.start, *shown.frames) if frame.turned]
            for frames, baker in (
                (places[:1] + facings[:1], state.bakers[seat]),
                (places[-1:] + facings[-1:], after.bakers[seat]),
            ):
                row, col = baker.at or (0, 0)
                assert {frame.x for frame in frames if frame.x} <= {str(58 + 62 * col + 31.0)}
                assert {frame.y for frame in frames if frame.x} <= {str(158 + 62 * row + 31.0)}
                assert {frame.turned for frame in frames if frame.turned} <= {
                    str("NESW".index(baker.facing or "N") * 90)
                }
            programs += 1
        state = after
    assert programs > 8


def test_the_recap_shows_one_turn_per_seat() -> None:
    match = sit_down(GAME, seats=3).match
    events = tuple(play_match(GAME, seats=3, agent=greedy_agent))
    shown = build_recap(TableContext(match, 0, GAME.view(match.state, 0), events, {}))
    assert len(shown) == 3
    assert [turn.ply for turn in shown] == sorted(turn.ply for turn in shown)


def test_the_path_is_drawn_from_the_facts() -> None:
    view = context_for().view
    move = GAME.read_move(
        {"type": "run_program", "steps": [{"card": "rep2_1", "span": 2}, {"card": "fwd_1"}, {"card": "right_1"}]}
    )
    facts = GAME.decide(context_for().match.state, 0, move, Fast(0))
    drawn = draw_path(view, 0, facts)
    assert drawn.count('class="bump"') == 1
    assert drawn.count('class="end"') == 1
    assert sum(isinstance(fact, BakerMoved) for fact in facts) == 1
    assert re.findall(r">([\d,+]+)</text>", drawn) == ["1"]
    assert 'class="end"' not in draw_path(view, 0, []), "no ghost without movement"


# -- secrets ------------------------------------------------------------------------------------------------------


def test_hands_are_shown_only_to_their_owner_and_decks_to_no_one(app: Flask, services: Services) -> None:
    match, ann = seated(app, services)
    press(ann, ann.open(f"/matches/{match}"), "act", "run", step1="fwd_1")
    state = services.matches.repository.load(match).state
    known = set(state.discard)
    for reader, own in ((Visitor(app), set()), (ann, set(state.hands[0]))):
        page = reader.open(f"/matches/{match}")
        assert page.status == 200
        for card in set(CARDS) - known - own:
            assert card not in page.html, card
    assert "Your hand" not in Visitor(app).open(f"/matches/{match}").text


def test_a_page_does_not_depend_on_hidden_cards(app: Flask, services: Services) -> None:
    """Two matches differ only in the opponent's hand and both decks. The pages are equal except for names and keys."""
    other = {
        **GIVEN,
        "hands": {"0": HAND, "1": ["if_16", "if_15", "jump_4", "left_3", "back_4"]},
        "featured_deck": ["feat_18", *(f"feat_{n:02}" for n in range(2, 18))],
    }
    pages = []
    for document in (GIVEN, other):
        match, ann = seated(app, services, document)
        html = ann.open(f"/matches/{match}").html.replace(match, "MATCH")
        pages.append(PASSING.sub("", html))
    assert pages[0] == pages[1]


# -- the rules page -----------------------------------------------------------------------------------------------


def test_the_rules_page_shows_every_card_recipe_and_special(ann: Visitor) -> None:
    page = ann.open("/rules/take_the_cake")
    assert page.status == 200
    assert page.reader.faults == []
    shown = extras()
    assert len(shown["kinds"]) + len(shown["ifs"]) == 8 + 16
    assert (len(shown["recipes"]), len(shown["items"])) == (12, 18)
    for name, _ in shown["items"]:
        assert name in page.text


def test_every_rule_named_in_a_refusal_has_an_anchor_on_the_rules_page(ann: Visitor) -> None:
    page = ann.open("/rules/take_the_cake")
    anchors = {tag.get("id") for _, tag in page.reader.tags}
    assert {"P1", "P2", "P3", "P6", "W1", "T1", "S1", "S6", "S9", "E1", "E2", "E3", "E4", "E5", "5.5"} <= anchors


def test_the_examples_on_the_rules_page_follow_the_rules() -> None:
    words = [example.words for example in extras()["examples"]]
    assert len(words) == len(EXAMPLES)
    assert words[0] == "Moves to (0,1), turns south, bumps into a wall, turns west and moves to (0,0)."
    assert words[1] == "Moves to (0,6) in 6 steps."
    assert words[2] == "Jumps over (1,2) to (2,2) and collects eggs while passing over (1,2)."
    assert words[3] == "Bumps into a wall, turns north and moves to (2,4)."


# -- a whole match ------------------------------------------------------------------------------------------------


def test_a_whole_match_by_forms_against_the_greedy_bot(app: Flask, services: Services) -> None:
    """Ten rounds without scripts. The test makes the bot's moves as its worker would."""
    match, ann = seated(app, services, {**GIVEN, "hands": {}}, round_limit=10)
    while (head := services.matches.repository.load(match)).status == "playing":
        page = ann.open(f"/matches/{match}")
        hand = head.state.hands[0]
        plain = [card for card in hand if not card.startswith("rep")]
        fields = {f"step{n}": card for n, card in enumerate(plain, 1)}
        page = press(ann, page, "act", "run", **fields) if plain else press(ann, page, "act", "keep")
        assert page.status == 200
        head = services.matches.repository.load(match)
        if head.status == "playing":
            view = GAME.view(head.state, 1)
            move = GAME.greedy(view, 1, GAME.legal_moves(head.state, 1), Fast(head.ply))
            answer(services, match, msgspec.to_builtins(move))
    page = ann.open(f"/matches/{match}")
    assert "The match is over." in page.text
    assert match_id_of(page) == match
