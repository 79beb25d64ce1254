"""Helpers for the tests of Mice Cake: cakes, positions, moves and matches in the notation of the acceptance cases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.facts import Fact
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice, Move, Resign
from domain.games.mice_cake.rules.parts import COLUMNS, PIECES, SEATS, SeatName
from domain.kernel.chance import Chance, Fast, Scripted

BOOK_LAYOUT = (
    "1-2 3-4 5-6 0-3 2-3 0-2 0-5 1-4 0-0 1-3 5-5 2-6 1-6 2-2 3-3 3-5 0-4 1-5 0-6 2-4 4-5 4-6 6-6 1-1 0-1 4-4 3-6 2-5"
)
"""The example layout of the rulebook, with the unknown places filled in (rules, section 12)."""

Player = Callable[[State, int, Chance], Move]


def seat_of(name: str) -> int:
    return ("yellow", "blue").index(name)


def shuffled_to(order: str) -> Scripted:
    """Return the draws that shuffle the dominoes from table order into this order."""
    deck: list[str] = list(PIECES)
    target, draws = order.split(), []
    for i in range(len(deck) - 1, 0, -1):
        j = deck.index(target[i])
        draws.append(j)
        deck[i], deck[j] = deck[j], deck[i]
    return Scripted(draws)


def deal(order: str = BOOK_LAYOUT, **options: str) -> list[Fact]:
    """Return the facts of a set-up with this layout."""
    draws = shuffled_to(order)
    facts = GAME.start(2, options, draws)
    draws.finish()
    return facts


def position(**document: Any) -> list[Fact]:
    """Return the facts of a start from a position document. Blue gets the dominoes that it doesn't name."""
    return GAME.start(2, {}, Scripted([]), {"rest": "blue", **document})


def given(facts: Iterable[Fact]) -> State:
    return GAME.fold(facts)


def move_of(document: Any) -> dict[str, Any]:
    """Return the JSON of a move in a case: `{A: 2, steal: 5-5}`, `resign` or `{resign: true}`."""
    if document in ("resign", {"resign": True}):
        return {"type": "resign"}
    columns = {key: value for key, value in document.items() if key != "steal"}
    return {"type": "assign_mice", "columns": columns, "steal_target": document.get("steal")}


def send(steal: str | None = None, **columns: int) -> Move:
    """Return an assignment: `send(A=3, B=1, steal="5-5")`."""
    return GAME.read_move(move_of({**columns, "steal": steal}))


def play(state: State, name: SeatName, move: Move, *dice: int) -> tuple[State, list[Fact]]:
    """Return the state after a move, and its facts. All dice must be used."""
    chance = Scripted.dice(*dice)
    facts = GAME.decide(state, seat_of(name), move, chance)
    chance.finish()
    return GAME.fold(facts, state), facts


def plain(thing: Any) -> Any:
    """Return a value as plain JSON values."""
    return msgspec.json.decode(msgspec.json.encode(thing))


def name_of(fact: Fact) -> str:
    tag = type(fact).__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def cake_lines(state: State) -> list[str]:
    """Return the cake in the notation of the cases."""
    lines = []
    for cells in state.cake.values():
        if cells:
            pieces = " ".join(str(cell.piece) if cell.up else f"({cell.piece})" for cell in cells)
            lines.append(f"{cells[0].at}: {pieces}")
    return lines


# -- whole matches --------------------------------------------------------------------------------------------------


def at_random(state: State, seat: int, chance: Chance) -> Move:
    """Choose any legal assignment with equal probability."""
    return chance.pick(list(GAME.legal_moves(state, seat)))


def greedily(state: State, seat: int, chance: Chance) -> Move:
    return GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)


def resigning(one_in: int, player: Player) -> Player:
    """Return a player that resigns in one of `one_in` moves on average."""

    def choose(state: State, seat: int, chance: Chance) -> Move:
        return Resign() if chance.below(one_in) == 0 else player(state, seat, chance)

    return choose


def whole_match(
    seed: int, players: Sequence[Player] = (at_random, at_random), options: Mapping[str, str] | None = None
) -> tuple[State, list[Fact]]:
    """Play a match from the set-up to the end. Return the final state and all facts."""
    chance = Fast(seed)
    facts = GAME.start(2, options or {}, chance)
    return play_on(facts, players, chance)


def play_on(
    facts: list[Fact], players: Sequence[Player], chance: Chance, stop: Callable[[State], bool] = lambda state: False
) -> tuple[State, list[Fact]]:
    """Play on to the end, or until `stop`. If both seats are to move, the order is random."""
    state = GAME.fold(facts)
    while (waiting := sorted(GAME.to_move(state))) and not stop(state):
        seat = chance.pick(waiting)
        made = GAME.decide(state, seat, players[seat](state, seat, chance), chance)
        state = GAME.fold(made, state)
        facts = facts + made
    return state, facts


def midgame(seed: int, options: Mapping[str, str] | None = None, rounds: int = 6) -> tuple[State, list[Fact]]:
    """Play this many rounds with random moves."""
    chance = Fast(seed)
    facts = GAME.start(2, options or {}, chance)
    return play_on(facts, (at_random, at_random), chance, lambda state: state.round > rounds)


ALL_OPTIONS: tuple[dict[str, str], ...] = tuple(
    {"start_face": face, "matches": matches, "contest_floor": floor}
    for face in ("alternate", "up", "down")
    for matches in ("exhaust", "boost")
    for floor in ("pips", "none")
)

__all__ = [
    "ALL_OPTIONS", "BOOK_LAYOUT", "COLUMNS", "SEATS", "AssignMice", "at_random", "cake_lines", "deal", "given",
    "greedily", "midgame", "move_of", "name_of", "plain", "play", "play_on", "position", "resigning", "seat_of",
    "send", "whole_match",
]  # fmt: skip
