"""Views (rules, section 7): each seat sees what it should, and hidden information never leaks."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import assume, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.facts import (
    Fact,
    GameSetUp,
    IngredientPlaced,
    PantryDiscarded,
    PantryStocked,
    PantryTaken,
    SeatResigned,
    SpecialDeckReshuffled,
    SpecialDiscarded,
    SpecialDrawn,
    SpecialKept,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.moves import KeepSpecial, Move
from domain.games.bakers_brawl.rules.parts import sorted_names
from domain.kernel.chance import Chance, Fast, Scripted
from domain.kernel.refusals import IllegalMove
from tests.domain.games.bakers_brawl.builders import (
    ALL_OPTIONS,
    at_random,
    greedily,
    midgame,
    plain,
    play,
    position,
    read,
    resigning,
    seen,
    short,
    start,
)
from tests.domain.games.bakers_brawl.test_matches import every_move

seeds = st.integers(0, 1 << 32)
options = st.sampled_from(ALL_OPTIONS)
tables = st.integers(2, 4)


def encoded(things: Any) -> bytes:
    return msgspec.json.encode(things)


# -- views and facts --------------------------------------------------------------------------------------------------

STATE_KEYS = [
    "players", "options", "board_size", "start_seat", "round", "turn", "phase", "pending_cell", "order_line",
    "order_deck", "boss_pile", "completed", "special_deck", "discard", "pantry", "drawn", "board", "seats",
    "removed_agendas", "result",
]  # fmt: skip
ALWAYS = ["order_deck_count", "special_deck_count", "drawn_count", "to_move", "scores"]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 80))
def test_section_7_fields_of_a_view(seed: int, chosen: dict[str, Any], players: int, moves: int) -> None:
    state, _ = midgame(seed, (greedily,) * players, chosen, moves)
    whole = plain(state)
    assert list(whole) == STATE_KEYS, "5.5"
    over = state.phase == "over"
    for viewer in (*range(players), None):
        view = plain(GAME.view(state, viewer))
        hidden = set() if over else {"order_deck", "special_deck", "removed_agendas"}
        if not over and viewer != state.turn:
            hidden.add("drawn")
        assert set(view) == {*STATE_KEYS, *ALWAYS} - hidden
        counts = [view["order_deck_count"], view["special_deck_count"], view["drawn_count"]]
        assert counts == [len(whole["order_deck"]), len(whole["special_deck"]), len(whole["drawn"])]
        for key in set(STATE_KEYS) - hidden - {"seats"}:
            assert view[key] == whole[key]
        for seat, baker in enumerate(view["seats"]):
            mine = over or seat == viewer
            assert baker.pop("hand_count") == len(whole["seats"][seat]["hand"])
            shown = dict(whole["seats"][seat])
            if not mine:
                shown["agenda"] = None
                del shown["hand"]
            assert baker == shown


def test_every_hidden_field_of_a_fact_is_null_and_keeps_its_key() -> None:
    state = position(3, special_deck=["lemon"], discard=["apple", "nuts"])
    state, facts = play(state, 0, read(type="draw_special"), [0])
    assert [short(fact) for fact in seen(state, facts, 0)] == [
        ["special_drawn", 0, "lemon"],
        ["special_deck_reshuffled", 2, None],
        ["special_drawn", 0, "nuts" if state.drawn[1] == "nuts" else "apple"],
    ]
    for other in (1, 2, None):
        assert [short(fact)[-1] for fact in seen(state, facts, other)] == [None, None, None]
    for fact, shown in zip(facts, seen(state, facts, 1), strict=True):
        assert list(plain(fact)) == list(plain(shown))


def test_everything_is_shown_once_the_game_is_over() -> None:
    state, facts = midgame(8, (greedily,) * 3, {"boss_limit": 1}, 999)
    assert state.phase == "over"
    assert seen(state, facts, None) == facts
    view = plain(GAME.view(state, None))
    assert view["order_deck"] == plain(state.order_deck)
    assert all("hand" in baker and baker["agenda"] for baker in view["seats"])


def test_hands_are_sorted_regardless_of_order_of_arrival() -> None:
    a = position(2, seats=[{"hand": ["lemon", "chocolate"]}, {}])
    b = position(2, seats=[{"hand": ["chocolate", "lemon"]}, {}])
    assert encoded(GAME.view(a, 0)) == encoded(GAME.view(b, 0))


# -- two worlds -------------------------------------------------------------------------------------------------------


def everything_for(state: State, facts: Sequence[Fact], seat: int | None) -> list[bytes]:
    """Return everything a seat can get: view, legal moves, facts, drawings and the answer to every move."""
    view = GAME.view(state, seat)
    sent = [
        encoded(view),
        encoded(seen(state, facts, seat)),
        GAME.svg(view, seat).encode(),
        GAME.text(view, seat).encode(),
    ]
    if seat is None:
        return sent
    return [*sent, encoded(list(GAME.legal_moves(state, seat))), *answers(state, seat)]


def answers(state: State, seat: int) -> Iterator[bytes]:
    """Yield "accepted" or the exact refusal for every move of this seat except `resign`."""
    for move in every_move(state):
        try:
            GAME.decide(state, seat, move, Fast(0))
            yield b"accepted"
        except IllegalMove as refused:
            yield f"{refused.code} {refused.rule} {refused.message}".encode()


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 70))
def test_a_determinized_state_looks_the_same_to_its_seat(
    seed: int, chosen: dict[str, Any], players: int, moves: int
) -> None:
    state, facts = midgame(seed, (resigning(60, greedily),) * players, chosen, moves)
    for seat in range(players):
        guess = GAME.determinize(GAME.view(state, seat), seen(state, facts, seat), seat, Fast(seed))
        assert everything_for(guess, facts, seat) == everything_for(state, facts, seat) or state.phase == "over"
        assert encoded(GAME.view(guess, seat)) == encoded(GAME.view(state, seat))
        if state.phase == "over":
            assert guess == state


class Worlds:
    """Two versions of a match that differ only in information hidden from one seat.

    Every card is tracked from the deck. When the match stops, the cards that this seat has not seen (in rivals' hands,
    drawn by rivals or in the deck) are shuffled among themselves, and so are unseen Orders and agendas. Then the same
    moves are made in the second version. A rival keeps the card from the same place.
    """

    def __init__(self, facts: Sequence[Fact], seat: int, chance: Chance) -> None:
        first = facts[0]
        assert isinstance(first, GameSetUp)
        assert first.special_deck is not None
        self.types: list[Any] = []
        self.hands: list[list[int]] = []
        for hand in first.hands:
            self.hands.append([len(self.types) + n for n in range(len(hand or ()))])
            self.types += hand or ()
        self.deck = list(range(len(self.types), len(self.types) + len(first.special_deck)))
        self.types += first.special_deck
        self.drawn: list[int] = []
        self.seen: set[int] = set(self.hands[seat])
        self.seat = seat
        for fact in facts:
            self.follow(fact)
        self.other = self.shuffled(chance)

    def follow(self, fact: Fact) -> None:
        match fact:
            case SpecialDrawn(drawer):
                self.drawn.append(self.deck.pop(0))
                if drawer == self.seat:
                    self.seen.add(self.drawn[-1])
            case SpecialKept(keeper, card):
                self.hands[keeper].append(self.take(self.drawn, card))
            case PantryStocked(_, card) | SpecialDiscarded(_, card):
                self.seen.add(self.take(self.drawn, card))
            case IngredientPlaced(_, "blind", _):
                self.seen.add(self.deck.pop(0))
            case IngredientPlaced(placer, "hand", card):
                self.reveal(placer, card)
            case PantryTaken(taker, card):
                self.types.append(card)
                self.seen.add(len(self.types) - 1)
                self.hands[taker].append(len(self.types) - 1)
            case SeatResigned(quitter):
                self.seen.update(self.hands[quitter], self.drawn)
                self.hands[quitter], self.drawn = [], []
            case SpecialDeckReshuffled(_, order):
                self.deck = [len(self.types) + n for n in range(len(order or ()))]
                self.types += order or ()
                self.seen.update(self.deck)  # its types are known, so they are not shuffled
            case PantryDiscarded():
                pass

    def reveal(self, placer: int, card: str) -> None:
        """Mark a card played from the hand as seen, choosing one that was seen before if possible."""
        held = sorted(self.hands[placer], key=lambda token: token not in self.seen)
        token = next(token for token in held if self.types[token] == card)
        self.hands[placer].remove(token)
        self.seen.add(token)

    def take(self, tokens: list[int], card: str | None) -> int:
        token = next(token for token in tokens if self.types[token] == card)
        tokens.remove(token)
        return token

    def shuffled(self, chance: Chance) -> list[Any]:
        """Return the types of the cards in the second version."""
        unseen = [token for token in range(len(self.types)) if token not in self.seen]
        other = list(self.types)
        for token, kind in zip(unseen, chance.shuffle(self.types[token] for token in unseen), strict=True):
            other[token] = kind
        return other


def set_up_again(first: GameSetUp, other: list[Any], seat: int, chance: Chance, known_orders: int) -> GameSetUp:
    """Return the set-up of the second version: other cards, with unseen Orders and agendas in a different order."""
    tokens = iter(other)
    hands = tuple(tuple(next(tokens) for _ in hand or ()) for hand in first.hands)
    deck = tuple(next(tokens) for _ in first.special_deck or ())
    orders = first.order_deck or ()
    agendas = chance.shuffle([*(a for n, a in enumerate(first.agendas) if n != seat), *(first.removed_agendas or ())])
    mine = [*agendas[:seat], first.agendas[seat], *agendas[seat : first.players - 1]]
    return replace(
        first,
        hands=tuple(sorted_names(hand) for hand in hands),
        special_deck=deck,
        order_deck=(*orders[:known_orders], *chance.shuffle(orders[known_orders:])),
        agendas=tuple(mine),
        removed_agendas=tuple(agendas[first.players - 1 :]),
    )


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@for_all(seeds, options, tables, st.integers(0, 60), st.integers(0, 3))
def test_matches_that_differ_in_hidden_information_look_the_same_to_a_seat(
    seed: int, chosen: dict[str, Any], players: int, moves: int, viewer: int
) -> None:
    """Given a match, when it is played again with other hidden cards, then the seat gets the same bytes."""
    seat = viewer % players
    state, facts, made = recorded(seed, chosen, players, moves)
    assume(state.phase != "over")
    assert isinstance(facts[0], GameSetUp)
    chance = Fast(f"other {seed}")
    worlds = Worlds(facts, seat, chance)
    known = len(facts[0].order_deck or ()) - len(state.order_deck)
    twin_facts = play_again(facts, set_up_again(facts[0], worlds.other, seat, chance, known), made, worlds)
    twin = GAME.fold(twin_facts)
    assert everything_for(twin, twin_facts, seat) == everything_for(state, facts, seat)


def recorded(
    seed: int, chosen: dict[str, Any], players: int, moves: int
) -> tuple[State, list[Fact], list[tuple[int, Move, list[Fact]]]]:
    """Play a match with alternating greedy and random seats. Return its state, facts and moves."""
    chance = Fast(seed)
    facts = start(players, chance, chosen)
    state, made = GAME.fold(facts), []
    for _ in range(moves):
        if not (waiting := GAME.to_move(state)):
            break
        (seat,) = waiting
        move = (greedily, at_random)[seat % 2](state, seat, chance)
        done = GAME.decide(state, seat, move, chance)
        made.append((seat, move, done))
        facts, state = facts + done, GAME.fold(done, state)
    return state, facts, made


def play_again(
    facts: Sequence[Fact], first: GameSetUp, made: Sequence[tuple[int, Move, list[Fact]]], worlds: Worlds
) -> list[Fact]:
    """Return the facts of the second version, decided by the rules from the same moves."""
    replayed: list[Fact] = [first, facts[1]]
    twin = GAME.fold(replayed)
    for seat, move, before in made:
        if isinstance(move, KeepSpecial) and seat != worlds.seat:
            put_aside = next(fact.card for fact in before if isinstance(fact, PantryStocked | SpecialDiscarded))
            (kept,) = [card for n, card in enumerate(twin.drawn) if n != twin.drawn.index(put_aside)]
            move = KeepSpecial(kept, move.pantry_discard)  # noqa: PLW2901
        chance = Scripted([]) if not reshuffled(before) else Reshuffle(before)
        done = GAME.decide(twin, seat, move, chance)
        replayed, twin = replayed + done, GAME.fold(done, twin)
    return replayed


def reshuffled(facts: Sequence[Fact]) -> bool:
    return any(isinstance(fact, SpecialDeckReshuffled) for fact in facts)


class Reshuffle(Chance):
    """Repeats the order of a reshuffle in the first version."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._orders = [fact.order for fact in facts if isinstance(fact, SpecialDeckReshuffled)]

    def below(self, n: int) -> int:
        raise AssertionError("unexpected draw: only shuffles can happen")

    def shuffle(self, items: Any) -> list[Any]:
        order = list(self._orders.pop() or ())
        assert sorted(items) == sorted(order)
        return order


@pytest.mark.slow
def test_the_compared_matches_differ() -> None:
    """The comparison above needs matches with different hidden information."""
    differing = 0
    for seed in range(10):
        state, facts, made = recorded(seed, {}, 3, 25)
        assert isinstance(facts[0], GameSetUp)
        chance = Fast(seed)
        worlds = Worlds(facts, 0, chance)
        twin = GAME.fold(play_again(facts, set_up_again(facts[0], worlds.other, 0, chance, 99), made, worlds))
        differing += [baker.hand for baker in twin.seats] != [baker.hand for baker in state.seats]
        assert twin.special_deck != state.special_deck
    assert differing >= 5


def test_a_leak_in_a_view_is_detected() -> None:
    """Given a view that reveals the top card, when both matches are compared, then it differs."""
    state, facts, made = recorded(3, {}, 3, 20)
    assert isinstance(facts[0], GameSetUp)
    chance = Fast(3)
    worlds = Worlds(facts, 0, chance)
    twin = GAME.fold(play_again(facts, set_up_again(facts[0], worlds.other, 0, chance, 99), made, worlds))
    leaky = [encoded((GAME.view(world, 0), world.special_deck)) for world in (state, twin)]
    assert leaky[0] != leaky[1]


# -- determinize ------------------------------------------------------------------------------------------------------


def test_determinize_remembers_cards_taken_from_the_pantry() -> None:
    state = position(2, turn=1, pantry=["cream_cheese"])
    facts: list[Fact] = [*GAME.start(2, {}, Scripted([]), {"players": 2, "turn": 1, "pantry": ["cream_cheese"]})]
    state, done = play(state, 1, read(type="take_from_pantry", card="cream_cheese"))
    facts += done
    for seed in range(20):
        guess = GAME.determinize(GAME.view(state, 0), seen(state, facts, 0), 0, Fast(seed))
        assert guess.seats[1].hand == ("cream_cheese",)


def test_determinize_deals_different_states() -> None:
    state, facts = midgame(2, (greedily,) * 4, {}, 30)
    shown = seen(state, facts, 1)
    guesses = [GAME.determinize(GAME.view(state, 1), shown, 1, Fast(seed)) for seed in range(8)]
    assert len({guess.special_deck for guess in guesses}) == 8
    assert len({tuple(baker.agenda for baker in guess.seats) for guess in guesses}) > 3


@pytest.mark.parametrize("deck", [[], ["nuts"], ["nuts"] * 60])
def test_determinize_works_from_positions_that_do_not_conserve_cards(deck: list[str]) -> None:
    document = {"players": 2, "special_deck": deck, "order_deck": ["O40", "O39"], "seats": [{}, {"hand": ["nuts"]}]}
    facts = GAME.start(2, {}, Scripted([]), document)
    state = GAME.fold(facts)
    guess = GAME.determinize(GAME.view(state, 0), seen(state, facts, 0), 0, Fast(1))
    assert encoded(GAME.view(guess, 0)) == encoded(GAME.view(state, 0))
