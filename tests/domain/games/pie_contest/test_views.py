"""Tests of what each seat may see (rules, section 7), and that nothing else leaks."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import pytest
from hypothesis import assume, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.components import PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.facts import CardDrawn, Fact
from domain.games.pie_contest.rules.interpreter import decision_of
from domain.games.pie_contest.rules.model import Commit, State
from domain.games.pie_contest.rules.moves import Choose, Dive, Move, Pass, PlayCard, TrimHand
from domain.kernel.chance import Fast
from domain.kernel.refusals import IllegalMove
from tests.domain.games.pie_contest.builders import (
    ALL_OPTIONS,
    Player,
    at_random,
    greedily,
    listed_facts,
    midgame,
    plain,
    play,
    position,
    resigning,
    seen,
)

seeds = st.integers(0, 1 << 32)
options = st.sampled_from(ALL_OPTIONS)
tables = st.integers(2, 8)
kinds = st.sampled_from(["random", "greedy"])
players_of: dict[str, Player] = {"random": at_random, "greedy": greedily}


def some_moment(seed: int, chosen: dict[str, Any], seats: int, kind: str, moves: int) -> tuple[State, list[Fact]]:
    return midgame(seed, (resigning(80, players_of[kind]),) * seats, chosen, moves)


# -- views ------------------------------------------------------------------------------------------------------

HIDDEN = {"pantry", "pile", "aside"}
DERIVED = {"phase", "to_move", "scores", "pantry_count", "pile_count", "aside_count"}


@settings(max_examples=10, deadline=None)
@for_all(seeds, options, tables, kinds, st.integers(0, 80))
def test_section_7_fields_of_a_view(seed: int, chosen: dict[str, Any], seats: int, kind: str, moves: int) -> None:
    state, _ = some_moment(seed, chosen, seats, kind, moves)
    whole, over = plain(state), state.result is not None
    for viewer in (*range(seats), None):
        view = plain(GAME.view(state, viewer))
        searching = viewer is not None and viewer == state.searcher
        hidden = set() if over else HIDDEN - ({"aside"} if searching else set())
        assert set(view) == {*whole, *DERIVED} - hidden
        for key in set(whole) - hidden - {"seats", "choices", "commits"}:
            assert view[key] == whole[key], key
        assert [view["pantry_count"], view["pile_count"]] == [len(state.pantry), len(state.pile)]
        for seat, baker in enumerate(view["seats"]):
            hand = whole["seats"][seat]["hand"]
            assert baker["hand_count"] == len(hand)
            assert baker.get("hand") == (hand if over or seat == viewer else None)
            assert baker["turned_in_hand"] == [card for card in hand if card in PILE_CARDS]
            assert (baker["kitchen"], baker["pies"]) == (whole["seats"][seat]["kitchen"], whole["seats"][seat]["pies"])
        for question, shown in zip(whole["choices"], view["choices"], strict=True):
            unseen = set() if question["seat"] == viewer else {"options"}
            assert shown == {key: value for key, value in question.items() if key not in unseen}


def test_section_7_only_its_seat_sees_a_commit() -> None:
    state = position(hands={"0": [171, 5, 6], "1": [19], "2": [7, 8]})
    state, _ = play(state, 0, type="play_card", card=171)
    state, _ = play(state, 0, type="choose", picks=["card:6"])
    assert plain(GAME.view(state, 0))["commits"] == [{"seat": 0, "card": 6}, {"seat": 1}]
    assert plain(GAME.view(state, 2))["commits"] == [{"seat": 0}, {"seat": 1}]
    assert plain(GAME.view(state, None))["commits"] == [{"seat": 0}, {"seat": 1}]


def test_hidden_fields_are_left_out_without_changing_the_order() -> None:
    state = position(hands={"0": [180]}, pantry_top=[129, 19], trash=[30])
    moved, facts = play(state, 0, type="play_card", card=180)
    for fact, redacted in zip(facts, seen(moved, facts, 1), strict=True):
        whole, shown = plain(fact), plain(redacted)
        assert list(shown) == [key for key in whole if key in shown]
    state = position(pantry=[], trash=[30, 31, 32])
    moved, facts = play(state, 0, [0, 0], type="pass")
    assert {"pantry_restocked": {}} in listed_facts(seen(moved, facts, 1)), "its order is hidden, its count is not"
    assert plain(seen(moved, facts, 1)[3]) == {"type": "pantry_restocked", "count": 3}
    assert listed_facts(seen(moved, facts, 0))[-1] == {"card_drawn": {"seat": 1, "why": "turn"}}


def test_section_7_only_thief_and_owner_see_a_stolen_card() -> None:
    state = position(hands={"0": [158], "1": [24, 25, 26]})
    moved, facts = play(state, 0, [0, 0], type="play_card", card=158)
    for viewer, cards in ((0, [24, 25]), (1, [24, 25]), (2, [None, None]), (None, [None, None])):
        stolen = [fact["card_stolen"] for fact in listed_facts(seen(moved, facts, viewer)) if "card_stolen" in fact]
        assert [fact.get("card") for fact in stolen] == cards


def test_everything_is_shown_once_the_contest_is_over() -> None:
    state, facts = midgame(8, (greedily,) * 3, {"closing_round": 10}, 999)
    assert state.result
    assert seen(state, facts, None) == facts
    view = GAME.view(state, None)
    assert (view.pantry, view.pile) == (state.pantry, state.pile)
    assert [baker.hand for baker in view.seats] == [baker.hand for baker in state.seats]


# -- two worlds ---------------------------------------------------------------------------------------------------


def other_world(state: State, seat: int, chance: Fast) -> State:
    """Return the same state with all cards shuffled that this seat can't see."""
    others = [n for n in range(len(state.seats)) if n != seat]
    looking = state.aside if state.searcher != seat else ()
    hidden = [card for n in others for card in state.seats[n].hand if card in PANTRY_CARDS]
    deal = iter(chance.shuffle([*hidden, *looking, *state.pantry]))
    bakers = list(state.seats)
    for n in others:
        hand = sorted(next(deal) if card in PANTRY_CARDS else card for card in bakers[n].hand)
        bakers[n] = replace(bakers[n], hand=tuple(hand))
    twin = replace(
        state,
        seats=tuple(bakers),
        aside=tuple(next(deal) for _ in looking) or state.aside,
        pantry=tuple(next(deal) for _ in state.pantry),
        pile=tuple(chance.shuffle(state.pile)),
    )
    commits = tuple(
        commit if commit.seat == seat else Commit(commit.seat, chance.pick(twin.seats[commit.seat].hand))
        for commit in state.commits
    )
    return replace(with_adapted_choices(twin, seat), commits=commits)


def with_adapted_choices(twin: State, seat: int) -> State:
    """Return the state with other seats' open choices adapted to their cards in this world."""
    questions = []
    for question in twin.choices:
        asked = decision_of(twin, question.seat)
        own = question.seat == seat or question.kind == "order_achievement" or asked is None
        questions.append(question if own else replace(question, options=asked.options))  # type: ignore[union-attr]
    return replace(twin, choices=tuple(questions))


def everything_for(state: State, facts: Sequence[Fact], seat: int) -> list[bytes]:
    """Return everything a seat can observe: view, facts, narration, picture, text, legal moves and refusals."""
    view = GAME.view(state, seat)
    shown_facts = seen(state, facts, seat)
    return [
        msgspec.json.encode(view),
        msgspec.json.encode(shown_facts),
        "\n".join(GAME.tell(shown_facts)).encode(),
        GAME.svg(view, seat).encode(),
        GAME.text(view, seat).encode(),
        msgspec.json.encode(list(islice(GAME.legal_moves(state, seat), 2000))),
        *answers(state, seat),
    ]


def answers(state: State, seat: int) -> Iterator[bytes]:
    """Yield the result of moves with every card: accepted, or the exact refusal."""
    for move in curious_moves(state, seat):
        try:
            GAME.decide(state, seat, move, Fast(0))
            yield b"accepted"
        except IllegalMove as refused:
            yield f"{refused.code} {refused.rule} {refused.message}".encode()


def curious_moves(state: State, seat: int) -> Iterator[Move]:
    hand = state.seats[seat].hand
    yield from map(PlayCard, (*PANTRY_CARDS, *PILE_CARDS))
    yield Pass()
    yield from (Choose((f"card:{card}",)) for card in PANTRY_CARDS)
    yield from (Choose((key,)) for key in ("yes", "seat:1", "pie:1.1", "nonsense"))
    yield from (TrimHand((card,)) for card in PANTRY_CARDS)
    if len(hand) > 1:
        yield from (Dive(hand[:2], card) for card in PANTRY_CARDS)
        yield from (Dive((hand[0], card), hand[0]) for card in PANTRY_CARDS)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@for_all(seeds, options, tables, kinds, st.integers(0, 90), st.integers(0, 7))
def test_two_worlds_that_differ_in_hidden_things_are_the_same_to_a_seat(
    seed: int, chosen: dict[str, Any], seats: int, kind: str, moves: int, viewer: int
) -> None:
    state, facts = some_moment(seed, chosen, seats, kind, moves)
    assume(state.result is None)
    seat = viewer % seats
    twin = other_world(state, seat, Fast(seed))
    assert everything_for(twin, facts, seat) == everything_for(state, facts, seat)


@settings(max_examples=15, deadline=None)
@for_all(seeds, options, tables, kinds, st.integers(0, 60))
def test_a_pass_looks_the_same_to_a_third_seat_in_both_worlds(
    seed: int, chosen: dict[str, Any], seats: int, kind: str, moves: int
) -> None:
    """When the active seat passes in both worlds, a third seat sees the same facts."""
    state, _ = some_moment(seed, chosen, seats, kind, moves)
    assume(state.result is None and state.phase == "main")
    viewer = next(seat for seat in range(seats) if seat != state.active)
    twin = other_world(state, viewer, Fast(seed))
    shown_facts = []
    for world in (state, twin):
        made = GAME.decide(world, world.active, Pass(), Fast(seed))
        after = GAME.fold(made, world)
        assume(not any(isinstance(fact, CardDrawn) and fact.seat == viewer for fact in made))
        shown_facts.append(msgspec.json.encode(seen(after, made, viewer)))
    revealed = [b"achievement_revealed" in facts or b"card_foraged" in facts for facts in shown_facts]
    assume(not any(revealed))
    assert shown_facts[0] == shown_facts[1]


def test_the_two_worlds_differ() -> None:
    """The comparison above only means something if hidden cards differ."""
    state, facts = midgame(3, (greedily,) * 4, {}, 30)
    twin = other_world(state, 0, Fast(1))
    assert [baker.hand for baker in twin.seats[1:]] != [baker.hand for baker in state.seats[1:]]
    assert (twin.pantry, twin.pile) != (state.pantry, state.pile)
    assert everything_for(twin, facts, 1) != everything_for(state, facts, 1)


# -- determinize --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@for_all(seeds, options, tables, kinds, st.integers(0, 120))
def test_a_determinized_world_is_the_same_to_its_seat(
    seed: int, chosen: dict[str, Any], seats: int, kind: str, moves: int
) -> None:
    state, facts = some_moment(seed, chosen, seats, kind, moves)
    for seat in range(min(seats, 3)):
        guess = GAME.determinize(GAME.view(state, seat), seen(state, facts, seat), seat, Fast(seed))
        assert everything_for(guess, facts, seat) == everything_for(state, facts, seat)
        cards = [*guess.pantry, *guess.trash, *guess.pile, *guess.aside, *guess.turning]
        cards += [card for baker in guess.seats for card in (*baker.hand, *baker.kitchen)]
        cards += [slot.card for slot in guess.row if slot.card is not None]
        assert sorted(cards) == [*PANTRY_CARDS, *PILE_CARDS], "every card must be in exactly one zone"


def guesses(state: State, facts: Sequence[Fact], seat: int, count: int = 12) -> list[State]:
    shown_facts = seen(state, facts, seat)
    return [GAME.determinize(GAME.view(state, seat), shown_facts, seat, Fast(n)) for n in range(count)]


def follow(moves: Sequence[tuple[int, dict[str, Any]]], **document: Any) -> tuple[State, list[Fact]]:
    """Play moves from a position. Return the state and all facts."""
    facts = GAME.start(4, {}, Fast(0), document)
    state = GAME.fold(facts)
    for seat, move in moves:
        made = GAME.decide(state, seat, GAME.read_move(move), Fast(1))
        facts, state = facts + made, GAME.fold(made, state)
    return state, facts


def test_14_a_card_taken_in_a_dive_is_known_to_be_in_that_hand() -> None:
    state, facts = follow([(0, {"type": "dive", "trash": [24, 25], "take": 7})], hands={"0": [24, 25, 26]}, trash=[7])
    assert all(7 in guess.seats[0].hand for guess in guesses(state, facts, 1))
    assert any(26 not in guess.seats[0].hand for guess in guesses(state, facts, 1))


def test_14_the_owner_knows_where_stolen_cards_are() -> None:
    state, facts = follow(
        [
            (0, {"type": "play_card", "card": 158}),
            (0, {"type": "choose", "picks": ["seat:1"]}),
        ],
        hands={"0": [158, 30], "1": [24, 25], "2": [26]},
    )
    assert {24, 25} <= set(state.seats[0].hand)
    assert all({24, 25} <= set(guess.seats[0].hand) for guess in guesses(state, facts, 1))
    assert not all({24, 25} <= set(guess.seats[0].hand) for guess in guesses(state, facts, 3))


def test_14_a_hand_is_uncertain_after_an_unseen_theft() -> None:
    state, facts = follow(
        [
            (0, {"type": "dive", "trash": [24, 25], "take": 7}),
            (1, {"type": "play_card", "card": 158}),
            (1, {"type": "choose", "picks": ["seat:0"]}),
        ],
        hands={"0": [24, 25, 26, 27, 28], "1": [158], "2": [31]},
        trash=[7],
    )
    assert not all(7 in guess.seats[0].hand for guess in guesses(state, facts, 3))


def test_14_after_a_restock_the_set_of_pantry_cards_is_known() -> None:
    """The Pantry holds the restocked cards, except those drawn since."""
    trash = [130, 131, 132, 133]
    state, facts = follow([(0, {"type": "pass"})], pantry=[], trash=trash, hands={"2": [24, 25, 26]})
    for guess in guesses(state, facts, 3):
        assert set(guess.pantry) < set(trash)
        assert len(guess.pantry) == 3


def test_14_the_bottom_of_the_pile_is_known() -> None:
    state, facts = follow(
        [(0, {"type": "play_card", "card": 24})], hands={"0": [24]}, kitchens={"0": [19, 20]}, row=[182]
    )
    assert state.pile[-1] == 182
    assert all(guess.pile[-1] == 182 for guess in guesses(state, facts, 1))
    assert len({guess.pile[0] for guess in guesses(state, facts, 1)}) > 1


@pytest.mark.parametrize("seat", range(4))
def test_a_determinized_question_can_be_answered(seat: int) -> None:
    state, facts = follow(
        [(0, {"type": "play_card", "card": 171}), (2, {"type": "choose", "picks": ["card:7"]})],
        hands={"0": [171, 5, 6], "1": [19, 20], "2": [7, 8], "3": [24, 25, 26]},
    )
    for guess in guesses(state, facts, seat):
        while guess.choices:
            move = next(iter(GAME.legal_moves(guess, guess.choices[0].seat)))
            guess = GAME.fold(GAME.decide(guess, guess.choices[0].seat, move, Fast(0)), guess)  # noqa: PLW2901
        assert guess.turn == state.turn + 1
