"""Hidden information (rules, section 7): case A21 and tests for leaks."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import pytest
from hypothesis import assume, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.components import CARDS, FEATURED
from domain.games.take_the_cake.rules.facts import (
    CardsDealt,
    CardsDrawn,
    CardsSwapped,
    DeckReplenished,
    Fact,
    FeaturedDeckReplenished,
    FeaturedDeckShuffled,
    FeaturedItemDrawn,
    PlayerDeckShuffled,
    PositionSet,
    ProgramLaid,
    SeatResigned,
)
from domain.games.take_the_cake.rules.model import State
from domain.kernel.chance import Chance, Fast
from domain.kernel.refusals import IllegalMove
from tests.domain.games.take_the_cake.builders import (
    P0,
    VARIANTS,
    Player,
    at_random,
    given,
    greedily,
    name_of,
    plain,
    play,
    play_on,
    resigning,
    state_of,
    whole_match,
)

seeds = st.integers(0, 1 << 32)
options = st.sampled_from(VARIANTS)
tables = st.integers(2, 4)


def encoded(things: Any) -> bytes:
    return msgspec.json.encode(things)


def seen(state: State, facts: Sequence[Fact], seat: int | None) -> list[Fact]:
    """Return the facts as this reader can see them now."""
    redacted = (GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts))
    return [fact for fact in redacted if fact is not None]


# -- what is shown ------------------------------------------------------------------------------------------------


def drawn_by_seat_1() -> tuple[State, list[Fact]]:
    """Let seat 1 swap two cards with one card left in the deck, which causes a reshuffle between two draws."""
    opening = given({"acting": 1, "deck": ["jump_4"]})
    state, facts = play(GAME.fold(opening), 1, {"swap": ["fwd_6", "fwd_7"]}, Fast(1))
    return state, opening + facts


def test_A21_drawn_cards_are_visible_only_to_their_owner() -> None:
    state, facts = drawn_by_seat_1()
    names = ["cards_drawn", "deck_replenished", "cards_drawn"]
    for reader in (0, None):
        shown = [plain(fact) for fact in seen(state, facts, reader) if name_of(fact) in names]
        assert [list(fact) for fact in shown] == [
            ["type", "seat", "count"],
            ["type", "count"],
            ["type", "seat", "count"],
        ]
    own = [plain(fact) for fact in seen(state, facts, 1) if name_of(fact) in names]
    assert own[0] == {"type": "cards_drawn", "seat": 1, "count": 1, "cards": ["jump_4"]}
    assert list(own[1]) == ["type", "count"], "the new order is hidden from everyone"
    assert own[2]["cards"] == list(state.hands[1][-1:])


def test_A21_all_fields_are_visible_after_the_end() -> None:
    state, facts = drawn_by_seat_1()
    state, more = play(state, 0, "resign")
    for reader in (0, 1, None):
        assert seen(state, facts + more, reader) == facts + more
        view = GAME.view(state, reader)
        assert view.deck.order == state.deck
        assert view.featured_deck.order == state.featured_deck
        assert [hand.cards for hand in view.hands] == list(state.hands)
        assert plain(view.legal_moves) == {}


def test_5_4_hidden_fields_are_omitted() -> None:
    state, facts = whole_match(5, moves=20)
    hidden = {"featured_deck_shuffled", "player_deck_shuffled"}
    for fact in seen(state, facts, None):
        assert None not in [value for key, value in plain(fact).items() if key in ("order", "cards")]
        if name_of(fact) in hidden:
            assert list(plain(fact)) == ["type", "count"]
        if name_of(fact) in ("cards_dealt", "cards_drawn"):
            assert list(plain(fact)) == ["type", "seat", "count"]


def test_a_position_shows_hands_only_to_their_seats_and_no_decks() -> None:
    facts = given()
    state = GAME.fold(facts)
    for reader, hands in ((0, ["0"]), (1, ["1"]), (None, [])):
        shown = plain(seen(state, facts, reader)[0])
        assert list(shown["hands"]) == hands
        assert {"deck", "featured_deck"}.isdisjoint(shown)
        assert {"discard", "featured", "featured_discard", "bakers"} <= set(shown)


def test_open_hands_are_visible_in_facts_and_views() -> None:
    chance = Fast(2)
    facts = GAME.start(3, {"open_hands": True}, chance)
    state = GAME.fold(facts)
    assert [fact for fact in seen(state, facts, None) if isinstance(fact, CardsDealt)] == facts[-4:-1]
    assert [hand.cards for hand in GAME.view(state, None).hands] == list(state.hands)
    position = given(open_hands=True)
    shown = seen(GAME.fold(position), position, None)[0]
    assert isinstance(shown, PositionSet)
    assert plain(shown)["hands"] == plain(position[0])["hands"]
    assert "deck" not in plain(shown), "the deck stays hidden"


def test_5_5_the_summary_of_legal_moves() -> None:
    state = state_of({"seats": 3, "out": [2], "hands": {"0": ["rep2_1", "rep2_2", "rep2_3", "rep3_1", "rep3_2"]}})
    assert plain(GAME.view(state, 0).legal_moves) == {
        "run_program": False, "swap_cards": {"min": 0, "max": 3}, "resign": True
    }  # fmt: skip
    assert plain(GAME.view(state, 1).legal_moves) == {"resign": True}, "leak a"
    assert plain(GAME.view(state, 2).legal_moves) == {}
    assert plain(GAME.view(state, None).legal_moves) == {}
    negotiation = GAME.fold(GAME.start(2, {"placement": "agreed", "first_player": 0}, Fast(0)))
    assert plain(GAME.view(negotiation, 0).legal_moves) == {
        "accept_placement": True, "propose_placement": True, "reject_placement": False, "resign": True
    }  # fmt: skip


def test_7_the_fields_of_a_view() -> None:
    view = plain(GAME.view(state_of(), 0))
    assert list(view) == [
        "phase", "round", "turn", "options", "seats", "first", "acting", "layout", "recipe", "tokens", "talks",
        "bakers", "out", "hands", "laid", "deck", "discard", "featured", "featured_deck", "featured_discard",
        "legal_moves", "result", "to_move", "scores",
    ]  # fmt: skip
    assert view["hands"] == [{"count": 5, "cards": ["fwd_1", "fwd_2", "fwd_3", "fwd_4", "fwd_5"]}, {"count": 5}]
    assert view["deck"] == {"count": 42}
    assert view["featured_deck"] == {"count": 17}
    assert view["tokens"] == P0["tokens"]


# -- leaks -------------------------------------------------------------------------------------------------------


def everything_for(state: State, facts: Sequence[Fact], seat: int | None) -> list[bytes]:
    """Return everything a seat can see: view, facts, narration, drawings, legal moves and responses to moves."""
    view, shown = GAME.view(state, seat), seen(state, facts, seat)
    sent = [encoded(view), encoded(shown), encoded(GAME.tell(shown))]
    sent += [GAME.svg(view, seat).encode(), GAME.text(view, seat).encode()]
    if seat is None:
        return sent
    return [*sent, encoded(list(islice(GAME.legal_moves(state, seat), 400))), *answers(state, seat)]


def answers(state: State, seat: int) -> Iterator[bytes]:
    """Yield the responses (accepted or the full refusal) to swaps and programs with every card, and to other moves."""
    attempts: list[dict[str, Any]] = [{"type": kind} for kind in ("accept_placement", "reject_placement")]
    attempts += [{"type": "propose_placement", "tokens": {"eggs": [0, 0]}}]
    for card in (*CARDS, "nonsense"):
        attempts += [
            {"type": "swap_cards", "cards": [card]},
            {"type": "run_program", "steps": [{"card": card}]},
            {"type": "run_program", "steps": [{"card": card, "span": 1, "decline": True}, {"card": "fwd_1"}]},
        ]
    for document in attempts:
        try:
            GAME.decide(state, seat, GAME.read_move(document), Fast(0))
            yield b"accepted"
        except IllegalMove as refused:
            yield f"{refused.code} {refused.rule} {refused.message}".encode()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 40))
def test_a_determinized_state_looks_the_same_to_its_seat(
    seed: int, chosen: dict[str, Any], players: int, moves: int
) -> None:
    state, facts = whole_match(seed, (resigning(60, greedily), *(greedily,) * (players - 1)), chosen, moves)
    for seat in range(players):
        guess = GAME.determinize(GAME.view(state, seat), seen(state, facts, seat), seat, Fast(seed))
        assert everything_for(guess, facts, seat) == everything_for(state, facts, seat)
        held = [card for hand in guess.hands for card in hand]
        assert state.phase == "placement" or sorted([*held, *guess.deck, *guess.discard]) == sorted(CARDS)
        if state.phase == "finished":
            assert guess == state


class TwoVersions:
    """Creates a second version of a match that differs only in what one seat can't know.

    Every card is a token with a face, tracked through the match. In the second version, the tokens that this seat has
    not seen (in opponents' hands and in the deck) exchange their faces. The cards of a reshuffled pile are known, so
    those tokens exchange faces only among themselves. The same applies to featured items.
    """

    def __init__(self, facts: Sequence[Fact], seat: int) -> None:
        self.facts, self.seat = facts, seat
        self.faces: list[str] = []
        self.heap: list[int] = []
        self.seen: set[int] = set()
        self.deck: list[int] = []
        self.items: list[int] = []
        self.hands: dict[int, list[int]] = {}
        self.places: dict[tuple[int, str], list[int]] = {}
        for index, fact in enumerate(facts):
            self.follow(index, fact)

    def shuffled_in(self, index: int, field: str, faces: Sequence[str]) -> list[int]:
        """Create tokens in this order, as a new heap."""
        tokens = [len(self.faces) + n for n in range(len(faces))]
        self.faces += faces
        self.heap += [index] * len(faces)
        self.places[index, field] = list(tokens)
        return tokens

    def follow(self, index: int, fact: Fact) -> None:
        match fact:
            case PlayerDeckShuffled(order=tuple() as order) | DeckReplenished(order=tuple() as order):
                self.deck = self.shuffled_in(index, "order", order)
            case FeaturedDeckShuffled(order=tuple() as order) | FeaturedDeckReplenished(order=tuple() as order):
                self.items = self.shuffled_in(index, "order", order)
            case FeaturedItemDrawn(card):
                token = next(token for token in self.items if self.faces[token] == card)
                self.items.remove(token)
                self.show(index, "card", [token])
            case CardsDealt(owner, _, tuple() as cards) | CardsDrawn(owner, _, tuple() as cards):
                tokens = [next(token for token in self.deck if self.faces[token] == card) for card in cards]
                self.deck = [token for token in self.deck if token not in tokens]
                self.hands[owner] = self.hands.get(owner, []) + tokens
                self.places[index, "cards"] = tokens
                if owner == self.seat:
                    self.seen.update(tokens)
            case CardsSwapped(owner, cards) | SeatResigned(owner, cards):
                self.show(index, "cards", self.taken(owner, cards))
            case ProgramLaid(owner, steps):
                self.show(index, "steps", self.taken(owner, [step.card for step in steps]))
            case _:
                pass

    def taken(self, owner: int, cards: Sequence[str]) -> list[int]:
        held = self.hands.get(owner, [])
        tokens = [next(token for token in held if self.faces[token] == card) for card in cards]
        self.hands[owner] = [token for token in held if token not in tokens]
        return tokens

    def show(self, index: int, field: str, tokens: list[int]) -> None:
        self.places[index, field] = tokens
        self.seen.update(tokens)

    def other(self, chance: Chance) -> list[Fact]:
        """Return the facts of the second version."""
        faces = list(self.faces)
        for heap in set(self.heap):
            unseen = [n for n, one in enumerate(self.heap) if one == heap and n not in self.seen]
            for token, face in zip(unseen, chance.shuffle(self.faces[n] for n in unseen), strict=True):
                faces[token] = face
        # A later heap keeps the faces of its cards, because every card in it was discarded face up.
        return [self.retold(index, fact, faces) for index, fact in enumerate(self.facts)]

    def retold(self, index: int, fact: Fact, faces: list[str]) -> Fact:
        for field in ("order", "cards"):
            if (index, field) in self.places:
                fact = replace(fact, **{field: tuple(faces[token] for token in self.places[index, field])})
        return fact


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 60), st.integers(0, 3))
def test_hidden_cards_change_nothing_that_a_seat_can_see(
    seed: int, chosen: dict[str, Any], players: int, moves: int, viewer: int
) -> None:
    """The seat and spectators get the same bytes from two versions of a match with different hidden cards."""
    if chosen.get("open_hands"):
        chosen = {**chosen, "open_hands": False}
    seat = viewer % players
    kinds: tuple[Player, ...] = (at_random, greedily, at_random, greedily)
    state, facts = whole_match(seed, kinds[:players], chosen, moves)
    assume(state.phase == "turn")
    twin_facts = TwoVersions(facts, seat).other(Fast(f"other {seed}"))
    twin = GAME.fold(twin_facts)
    assert encoded(twin) != encoded(state)
    assert everything_for(twin, twin_facts, seat) == everything_for(state, facts, seat)
    assert everything_for(twin, twin_facts, None) == everything_for(state, facts, None)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@for_all(seeds, tables, st.integers(0, 30))
def test_hidden_cards_do_not_affect_a_move_before_the_draw(seed: int, players: int, moves: int) -> None:
    """Neither the facts of a move before the draw nor the bot's choice depend on hidden cards."""
    state, facts = whole_match(seed, (greedily,) * players, {}, moves)
    assume(state.phase == "turn")
    (seat,) = GAME.to_move(state)
    twin = GAME.fold(TwoVersions(facts, seat).other(Fast(f"other {seed}")))
    move = greedily(state, seat, Fast(seed))
    assert greedily(twin, seat, Fast(seed)) == move
    made = [GAME.decide(version, seat, move, Fast(0)) for version in (state, twin)]
    known = [[fact for fact in facts if not isinstance(fact, CardsDrawn | DeckReplenished)] for facts in made]
    until = [
        next(n for n, fact in enumerate(facts) if name_of(fact) in ("turn_ended", "game_ended")) for facts in known
    ]
    assert known[0][: until[0]] == known[1][: until[1]]


def test_the_two_versions_really_differ() -> None:
    """Hidden hands and decks differ, so a view that leaked them would be caught."""
    state, facts = whole_match(11, (greedily,) * 3, {}, 12)
    twins = [GAME.fold(TwoVersions(facts, 0).other(Fast(n))) for n in range(5)]
    assert len({twin.deck[0] for twin in twins}) > 1
    assert len({twin.hands[1] for twin in twins}) > 1
    assert len({twin.featured_deck[0] for twin in twins}) > 1
    assert {twin.hands[0] for twin in twins} == {state.hands[0]}


def test_7_determinization_covers_exactly_the_unseen_cards() -> None:
    """Hidden cards are all except the seat's hand and the discard pile, and each can be in the opponent's hand."""
    state, facts = whole_match(7, (greedily,) * 2, {}, 9)
    view = GAME.view(state, 0)
    hidden = set(CARDS) - set(state.hands[0]) - set(state.discard)
    guesses = [GAME.determinize(view, seen(state, facts, 0), 0, Fast(n)) for n in range(200)]
    assert {card for guess in guesses for card in guess.hands[1]} == hidden
    coming = set(FEATURED) - {state.featured, *state.featured_discard}
    assert {guess.featured_deck[0] for guess in guesses} == coming


@pytest.mark.parametrize("reader", [0, 1, None])
def test_views_and_facts_hold_no_hidden_card(reader: int | None) -> None:
    """Nothing sent to a reader contains a card of the deck or of another hand."""
    state, facts = play_on(given(), (greedily, greedily), Fast(4), 6)
    view = GAME.view(state, reader)
    sent = encoded([view, seen(state, facts, reader)]) + GAME.svg(view, reader).encode()
    sent += "".join(GAME.tell(seen(state, facts, reader))).encode()
    played = {card for fact in facts if isinstance(fact, ProgramLaid) for card in (s.card for s in fact.steps)}
    known = played | set(state.discard) | set(() if reader is None else state.hands[reader])
    for card in set(CARDS) - known:
        assert f'"{card}"'.encode() not in sent, card
