"""Builders for tests of Baker's Brawl: positions, moves and matches in the notation of the rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.facts import Fact
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.moves import Move, Resign
from domain.kernel.chance import Chance, Fast, Scripted

Player = Callable[[State, int, Chance], Move]

ALL_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"final_tie": "ladder"},
    {"strict_clusters": True},
    {"may_decline": True},
    {"voluntary_pass": True, "final_tie": "ladder"},
    {"board_size": 4, "boss_limit": 3},
    {"board_size": 9, "may_decline": True, "strict_clusters": True},
    {"boss_limit": 8, "start_seat": 1},
    {"boss_limit": 1, "board_size": 4, "voluntary_pass": True, "may_decline": True, "final_tie": "ladder"},
)


def shuffled_to(items: Iterable[Any], expected: Iterable[Any]) -> list[int]:
    """Return the draws that shuffle these items into this order."""
    deck, order, draws = list(items), list(expected), []
    for i in range(len(deck) - 1, 0, -1):
        j = max(n for n in range(i + 1) if deck[n] == order[i])
        draws.append(j)
        deck[i], deck[j] = deck[j], deck[i]
    return draws


def beginning_with(first: Sequence[Any], items: Sequence[Any]) -> list[Any]:
    """Return the items in their order, with these moved to the front."""
    rest = list(items)
    for item in first:
        rest.remove(item)
    return [*first, *rest]


def position(players: int = 2, **document: Any) -> State:
    """Return the state of a match that starts from a position document."""
    return GAME.fold(GAME.start(players, {}, Scripted([]), {"players": players, **document}))


def read(**move: Any) -> Move:
    """Return a move from its fields in the API."""
    return GAME.read_move(move)


def play(state: State, seat: int, move: Move, draws: Sequence[int] = ()) -> tuple[State, list[Fact]]:
    """Return the state after a move, and the facts. All draws must be used."""
    chance = Scripted(draws)
    facts = GAME.decide(state, seat, move, chance)
    chance.finish()
    return GAME.fold(facts, state), facts


def plain(thing: Any) -> Any:
    """Return a value as plain JSON values."""
    return msgspec.json.decode(msgspec.json.encode(thing))


def short(fact: Fact) -> list[Any]:
    """Return a fact in the notation of the cases: its name, then its fields, nested objects as lists."""
    return [plain(fact)["type"], *map(flat, list(plain(fact).values())[1:])]


def flat(value: Any) -> Any:
    """Return a value with objects turned into lists of their values."""
    if isinstance(value, dict):
        return [flat(inner) for inner in value.values()]
    return [flat(inner) for inner in value] if isinstance(value, list) else value


def seen(state: State, facts: Iterable[Fact], seat: int | None) -> list[Fact]:
    """Return all facts so far as a reader can see them now."""
    redacted = (GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts))
    return [fact for fact in redacted if fact is not None]


# -- whole matches ------------------------------------------------------------------------------------------------


def at_random(state: State, seat: int, chance: Chance) -> Move:
    """Pick a kind of move, then a move of that kind (section 12.5)."""
    kinds = [list(moves) for _, moves in groupby(GAME.legal_moves(state, seat), type)]
    return chance.pick(chance.pick(kinds))


def flatly(state: State, seat: int, chance: Chance) -> Move:
    """Pick uniformly among all legal moves (section 12.5)."""
    return chance.pick(list(GAME.legal_moves(state, seat)))


def greedily(state: State, seat: int, chance: Chance) -> Move:
    return GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)


def resigning(one_in: int, player: Player) -> Player:
    """Return a player that resigns once in about `one_in` moves."""

    def choose(state: State, seat: int, chance: Chance) -> Move:
        return Resign() if chance.below(one_in) == 0 else player(state, seat, chance)

    return choose


def start(players: int, chance: Chance, options: Mapping[str, Any] | None = None) -> list[Fact]:
    """Return the facts of a set-up."""
    return GAME.start(players, options or {}, chance)


def whole_match(
    seed: int | str, players: Sequence[Player] = (at_random, at_random), options: Mapping[str, Any] | None = None
) -> tuple[State, list[Fact]]:
    """Play a match from set-up to the end, with one seat per player."""
    chance = Fast(seed)
    return play_on(start(len(players), chance, options), players, chance)


def play_on(
    facts: list[Fact], players: Sequence[Player], chance: Chance, stop: Callable[[State], bool] = lambda state: False
) -> tuple[State, list[Fact]]:
    """Play a match on to the end, or until `stop`."""
    facts = list(facts)
    state = GAME.fold(facts)
    while (waiting := GAME.to_move(state)) and not stop(state):
        (seat,) = waiting
        made = GAME.decide(state, seat, players[seat](state, seat, chance), chance)
        state = GAME.fold(made, state)
        facts += made
    return state, facts


def midgame(
    seed: int | str, players: Sequence[Player], options: Mapping[str, Any], moves: int
) -> tuple[State, list[Fact]]:
    """Return a match after this many moves, or at its end."""
    chance = Fast(seed)
    left = iter(range(moves))
    return play_on(start(len(players), chance, options), players, chance, lambda state: next(left, None) is None)
