"""Test helpers for Take the Cake: positions, programs and matches in the notation of the rules (section 15)."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from domain.games.take_the_cake import GAME
from domain.games.take_the_cake.rules.facts import Fact
from domain.games.take_the_cake.rules.model import State
from domain.games.take_the_cake.rules.moves import Move, Resign, RunProgram, Step, SwapCards
from domain.games.take_the_cake.rules.programs import all_spans, is_repeat
from domain.kernel.chance import Chance, Fast

P0: dict[str, Any] = {
    "seats": 2,
    "layout": [["Q1", 0], ["Q2", 0], ["Q7", 0], ["Q3", 0]],
    "recipe": "rec_02",
    "tokens": {"eggs": [1, 2], "sugar": [0, 8], "cream": [7, 7], "berries": [6, 1]},
    "featured": "feat_01",
}
"""The starting position of most cases in section 15."""
STEP = re.compile(r"(?P<card>\w+)(?:\((?P<span>\d+)\))?(?P<decline>!)?")

Player = Callable[[State, int, Chance], Move]


class Zeros(Chance):
    """Random source that always draws 0, as in case A1."""

    def below(self, n: int) -> int:
        assert n >= 1
        return 0


class NoChance(Chance):
    """Random source that must not be used."""

    def below(self, n: int) -> int:
        raise AssertionError(f"unexpected draw: below({n})")


def given(document: Mapping[str, Any] | None = None, **options: Any) -> list[Fact]:
    """Return the facts of a start from P0 with these changes."""
    position = {**P0, **(document or {})}
    return GAME.start(position["seats"], options, NoChance(), position)


def state_of(document: Mapping[str, Any] | None = None, **options: Any) -> State:
    return GAME.fold(given(document, **options))


def program(text: str) -> dict[str, Any]:
    """Return the JSON move for a text such as `rep2_1(2) fwd_1 if_11!`, without default fields."""
    steps = []
    for word in text.split():
        found = STEP.fullmatch(word)
        assert found, word
        step: dict[str, Any] = {"card": found["card"]}
        if found["span"]:
            step["span"] = int(found["span"])
        if found["decline"]:
            step["decline"] = True
        steps.append(step)
    return {"type": "run_program", "steps": steps}


def move_of(document: Any) -> Any:
    """Return the JSON move for a case: `{run: ...}`, `{swap: [...]}`, `{propose: {...}}`, a name or a full move."""
    match document:
        case {"run": text}:
            return program(text)
        case {"swap": cards}:
            return {"type": "swap_cards", "cards": cards}
        case {"propose": tokens}:
            return {"type": "propose_placement", "tokens": tokens}
        case "accept":
            return {"type": "accept_placement"}
        case "reject":
            return {"type": "reject_placement"}
        case "resign":
            return {"type": "resign"}
        case _:
            return document


def play(state: State, seat: int, document: Any, chance: Chance | None = None) -> tuple[State, list[Fact]]:
    """Return the state after a move and its facts. Without a random source, the move must not draw."""
    facts = GAME.decide(state, seat, GAME.read_move(move_of(document)), chance or NoChance())
    return GAME.fold(facts, state), facts


def plain(thing: Any) -> Any:
    """Return a value as plain JSON data."""
    return msgspec.json.decode(msgspec.json.encode(thing))


def name_of(fact: Fact) -> str:
    tag = type(fact).__struct_config__.tag
    assert isinstance(tag, str)
    return tag


# -- whole matches --------------------------------------------------------------------------------------------------


def at_random(state: State, seat: int, chance: Chance) -> Move:
    """Return one of the first 2,000 legal moves at random."""
    return chance.pick(list(islice(GAME.legal_moves(state, seat), 2000)))


def loosely(state: State, seat: int, chance: Chance) -> Move:
    """Return a move of the random player of section 10: a swap or a random program, without listing all moves."""
    if state.phase == "placement":
        return chance.pick(list(islice(GAME.legal_moves(state, seat), 20)))
    hand = chance.shuffle(state.hands[seat])
    swap = SwapCards(tuple(hand[: max(chance.below(4), 0 if state.options.allow_keep else 1)]))
    if chance.below(6) == 0:
        return swap
    for _ in range(20):
        cards = hand[: 1 + chance.below(5)]
        spans = all_spans(tuple(map(is_repeat, cards)), state.options.nested_repeats)
        if spans:
            return RunProgram(tuple(map(Step, cards, chance.pick(spans))))
        hand = chance.shuffle(hand)
    return swap


def greedily(state: State, seat: int, chance: Chance) -> Move:
    return GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)


def resigning(one_in: int, player: Player) -> Player:
    """Return a player that resigns once in `one_in` moves on average."""

    def choose(state: State, seat: int, chance: Chance) -> Move:
        return Resign() if chance.below(one_in) == 0 else player(state, seat, chance)

    return choose


def play_on(
    facts: list[Fact], players: Sequence[Player], chance: Chance, moves: int = 100_000
) -> tuple[State, list[Fact]]:
    """Play a match from these facts to the end, or for this many moves."""
    state = GAME.fold(facts)
    while (waiting := sorted(GAME.to_move(state))) and moves:
        made = GAME.decide(state, waiting[0], players[waiting[0]](state, waiting[0], chance), chance)
        state = GAME.fold(made, state)
        facts = facts + made
        moves -= 1
    return state, facts


def whole_match(
    seed: int,
    players: Sequence[Player] = (at_random, at_random),
    options: Mapping[str, Any] | None = None,
    moves: int = 100_000,
) -> tuple[State, list[Fact]]:
    """Play a match from the set-up to the end, or for this many moves."""
    chance = Fast(seed)
    return play_on(GAME.start(len(players), options or {}, chance), players, chance, moves)


VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"jump_touches": False},
    {"nested_repeats": False, "may_decline_if": False},
    {"allow_keep": False, "open_hands": True},
    {"round_limit": 10, "closing": "no_winner", "first_player": 1},
    {"round_limit": 12, "recipe": "rec_01"},
    {"placement": "agreed", "recipe": "rec_02", "round_limit": 15},
)
"""Options for matches; every option has a value other than its default at least once."""
