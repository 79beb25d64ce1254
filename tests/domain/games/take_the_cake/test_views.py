"""What each seat may see (rules, section 7): case A21, and that nothing else gets out."""

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
    """The facts so far as this reader may see them now."""
    told = (GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts))
    return [fact for fact in told if fact is not None]


# -- what is shown ------------------------------------------------------------------------------------------------


def drawn_by_seat_1() -> tuple[State, list[Fact]]:
    """Seat 1 swaps two cards while one is left in the deck: draws, reshuffles, draws."""
    opening = given({"acting": 1, "deck": ["jump_4"]})
    state, facts = play(GAME.fold(opening), 1, {"swap": ["fwd_6", "fwd_7"]}, Fast(1))
    return state, opening + facts


def test_A21_drawn_cards_are_their_owners() -> None:
    state, facts = drawn_by_seat_1()
    names = ["cards_drawn", "deck_replenished", "cards_drawn"]
    for reader in (0, None):
        told = [plain(fact) for fact in seen(state, facts, reader) if name_of(fact) in names]
        assert [list(fact) for fact in told] == [
            ["type", "seat", "count"],
            ["type", "count"],
            ["type", "seat", "count"],
        ]
    own = [plain(fact) for fact in seen(state, facts, 1) if name_of(fact) in names]
    assert own[0] == {"type": "cards_drawn", "seat": 1, "count": 1, "cards": ["jump_4"]}
    assert list(own[1]) == ["type", "count"], "nobody knows the new order"
    assert own[2]["cards"] == list(state.hands[1][-1:])


def test_A21_after_the_end_all_fields_are_shown() -> None:
    state, facts = drawn_by_seat_1()
    state, more = play(state, 0, "resign")
    for reader in (0, 1, None):
        assert seen(state, facts + more, reader) == facts + more
        view = GAME.view(state, reader)
        assert view.deck.order == state.deck
        assert view.featured_deck.order == state.featured_deck
        assert [hand.cards for hand in view.hands] == list(state.hands)
        assert plain(view.legal_moves) == {}


def test_5_4_hidden_fields_are_left_out_not_null() -> None:
    state, facts = whole_match(5, moves=20)
    hidden = {"featured_deck_shuffled", "player_deck_shuffled"}
    for fact in seen(state, facts, None):
        assert None not in [value for key, value in plain(fact).items() if key in ("order", "cards")]
        if name_of(fact) in hidden:
            assert list(plain(fact)) == ["type", "count"]
        if name_of(fact) in ("cards_dealt", "cards_drawn"):
            assert list(plain(fact)) == ["type", "seat", "count"]


def test_a_position_shows_hands_to_their_seats_and_decks_to_nobody() -> None:
    facts = given()
    state = GAME.fold(facts)
    for reader, hands in ((0, ["0"]), (1, ["1"]), (None, [])):
        told = plain(seen(state, facts, reader)[0])
        assert list(told["hands"]) == hands
        assert {"deck", "featured_deck"}.isdisjoint(told)
        assert {"discard", "featured", "featured_discard", "bakers"} <= set(told)


def test_open_hands_are_open_in_facts_and_views() -> None:
    chance = Fast(2)
    facts = GAME.start(3, {"open_hands": True}, chance)
    state = GAME.fold(facts)
    assert [fact for fact in seen(state, facts, None) if isinstance(fact, CardsDealt)] == facts[-4:-1]
    assert [hand.cards for hand in GAME.view(state, None).hands] == list(state.hands)
    position = given(open_hands=True)
    told = seen(GAME.fold(position), position, None)[0]
    assert isinstance(told, PositionSet)
    assert plain(told)["hands"] == plain(position[0])["hands"]
    assert "deck" not in plain(told), "the deck stays closed"


def test_5_5_the_summary_of_legal_moves() -> None:
    state = state_of({"seats": 3, "out": [2], "hands": {"0": ["rep2_1", "rep2_2", "rep2_3", "rep3_1", "rep3_2"]}})
    assert plain(GAME.view(state, 0).legal_moves) == {
        "run_program": False, "swap_cards": {"min": 0, "max": 3}, "resign": True
    }  # fmt: skip
    assert plain(GAME.view(state, 1).legal_moves) == {"resign": True}, "leak a"
    assert plain(GAME.view(state, 2).legal_moves) == {}
    assert plain(GAME.view(state, None).legal_moves) == {}
    talking = GAME.fold(GAME.start(2, {"placement": "agreed", "first_player": 0}, Fast(0)))
    assert plain(GAME.view(talking, 0).legal_moves) == {
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


# -- two worlds ---------------------------------------------------------------------------------------------------


def everything_for(state: State, facts: Sequence[Fact], seat: int | None) -> list[bytes]:
    """All that reaches a seat: view, facts, words, drawings, legal moves, and the answer to whatever it might ask."""
    view, told = GAME.view(state, seat), seen(state, facts, seat)
    sent = [encoded(view), encoded(told), encoded(GAME.tell(told))]
    sent += [GAME.svg(view, seat).encode(), GAME.text(view, seat).encode()]
    if seat is None:
        return sent
    return [*sent, encoded(list(islice(GAME.legal_moves(state, seat), 400))), *answers(state, seat)]


def answers(state: State, seat: int) -> Iterator[bytes]:
    """Accepted, or the refusal to the letter, of swaps and programs of every card there is, and of other moves."""
    asked: list[dict[str, Any]] = [{"type": kind} for kind in ("accept_placement", "reject_placement")]
    asked += [{"type": "propose_placement", "tokens": {"eggs": [0, 0]}}]
    for card in (*CARDS, "nonsense"):
        asked += [
            {"type": "swap_cards", "cards": [card]},
            {"type": "run_program", "steps": [{"card": card}]},
            {"type": "run_program", "steps": [{"card": card, "span": 1, "decline": True}, {"card": "fwd_1"}]},
        ]
    for document in asked:
        try:
            GAME.decide(state, seat, GAME.read_move(document), Fast(0))
            yield b"accepted"
        except IllegalMove as refused:
            yield f"{refused.code} {refused.rule} {refused.message}".encode()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 40))
def test_a_determinized_world_is_the_same_to_its_seat(
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


class Worlds:
    """One match told twice: in the second world what a seat may not know is different.

    Every card that is dealt or lies in a deck is a token with a face, and is followed through the match. When the match
    stops, the tokens whose faces this seat has not seen (in rivals' hands and in the deck) change faces among each
    other; a deck made of a known pile is known as a heap, so its tokens change faces among themselves only. The same
    holds for featured items.
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
        """New tokens in this order, a heap of their own."""
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
        """The facts of the second world."""
        faces = list(self.faces)
        for heap in set(self.heap):
            unseen = [n for n, one in enumerate(self.heap) if one == heap and n not in self.seen]
            for token, face in zip(unseen, chance.shuffle(self.faces[n] for n in unseen), strict=True):
                faces[token] = face
        # A heap that is made of an earlier one holds the same faces, wherever they were: a face that went back unseen
        # cannot exist, since every discarded card was seen. So later heaps keep theirs.
        return [self.retold(index, fact, faces) for index, fact in enumerate(self.facts)]

    def retold(self, index: int, fact: Fact, faces: list[str]) -> Fact:
        for field in ("order", "cards"):
            if (index, field) in self.places:
                fact = replace(fact, **{field: tuple(faces[token] for token in self.places[index, field])})
        return fact


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 60), st.integers(0, 3))
def test_two_worlds_that_differ_in_hidden_things_are_the_same_to_a_seat(
    seed: int, chosen: dict[str, Any], players: int, moves: int, viewer: int
) -> None:
    """Given a match, when it is told again with other hidden cards, then the seat and spectators get the same bytes."""
    if chosen.get("open_hands"):
        chosen = {**chosen, "open_hands": False}
    seat = viewer % players
    kinds: tuple[Player, ...] = (at_random, greedily, at_random, greedily)
    state, facts = whole_match(seed, kinds[:players], chosen, moves)
    assume(state.phase == "turn")
    twin_facts = Worlds(facts, seat).other(Fast(f"other {seed}"))
    twin = GAME.fold(twin_facts)
    assert encoded(twin) != encoded(state)
    assert everything_for(twin, twin_facts, seat) == everything_for(state, facts, seat)
    assert everything_for(twin, twin_facts, None) == everything_for(state, facts, None)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@for_all(seeds, tables, st.integers(0, 30))
def test_a_move_does_the_same_in_both_worlds_up_to_the_first_card_drawn(seed: int, players: int, moves: int) -> None:
    """What a seat is told of its own move before it draws does not hang on hidden things; nor does what a bot does."""
    state, facts = whole_match(seed, (greedily,) * players, {}, moves)
    assume(state.phase == "turn")
    (seat,) = GAME.to_move(state)
    twin = GAME.fold(Worlds(facts, seat).other(Fast(f"other {seed}")))
    move = greedily(state, seat, Fast(seed))
    assert greedily(twin, seat, Fast(seed)) == move
    made = [GAME.decide(world, seat, move, Fast(0)) for world in (state, twin)]
    known = [[fact for fact in facts if not isinstance(fact, CardsDrawn | DeckReplenished)] for facts in made]
    until = [
        next(n for n, fact in enumerate(facts) if name_of(fact) in ("turn_ended", "game_ended")) for facts in known
    ]
    assert known[0][: until[0]] == known[1][: until[1]]


def test_worlds_have_teeth() -> None:
    """A view that sorted a rival's hand, or told a deck's top card, would differ between the worlds."""
    state, facts = whole_match(11, (greedily,) * 3, {}, 12)
    twins = [GAME.fold(Worlds(facts, 0).other(Fast(n))) for n in range(5)]
    assert len({twin.deck[0] for twin in twins}) > 1
    assert len({twin.hands[1] for twin in twins}) > 1
    assert len({twin.featured_deck[0] for twin in twins}) > 1
    assert {twin.hands[0] for twin in twins} == {state.hands[0]}


def test_7_what_can_be_deduced_is_exactly_what_is_unseen() -> None:
    """Deck and rivals' hands together: 52 minus the own hand minus the discard pile; every split of them comes up."""
    state, facts = whole_match(7, (greedily,) * 2, {}, 9)
    view = GAME.view(state, 0)
    hidden = set(CARDS) - set(state.hands[0]) - set(state.discard)
    guesses = [GAME.determinize(view, seen(state, facts, 0), 0, Fast(n)) for n in range(200)]
    assert {card for guess in guesses for card in guess.hands[1]} == hidden
    coming = set(FEATURED) - {state.featured, *state.featured_discard}
    assert {guess.featured_deck[0] for guess in guesses} == coming


@pytest.mark.parametrize("reader", [0, 1, None])
def test_views_and_facts_hold_no_hidden_card(reader: int | None) -> None:
    """A card of the deck or of another hand stands nowhere in what a reader is sent."""
    state, facts = play_on(given(), (greedily, greedily), Fast(4), 6)
    view = GAME.view(state, reader)
    sent = encoded([view, seen(state, facts, reader)]) + GAME.svg(view, reader).encode()
    sent += "".join(GAME.tell(seen(state, facts, reader))).encode()
    played = {card for fact in facts if isinstance(fact, ProgramLaid) for card in (s.card for s in fact.steps)}
    known = played | set(state.discard) | set(() if reader is None else state.hands[reader])
    for card in set(CARDS) - known:
        assert f'"{card}"'.encode() not in sent, card
