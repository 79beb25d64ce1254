"""Test helpers for Pie Contest: positions, moves, facts and whole matches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

import msgspec

from domain.games.pie_contest import GAME
from domain.games.pie_contest.rules.facts import Fact, StepsQueued, StepStarted
from domain.games.pie_contest.rules.model import State
from domain.games.pie_contest.rules.moves import Dive, Move, Pass, PlayCard, Resign
from domain.kernel.chance import Chance, Fast, Scripted

Player = Callable[[State, int, Chance], Move]

ALL_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"pie_floor": "zero", "tie_break": "next_best"},
    {"pies_for_all": 2, "dive_own": False},
    {"first_seat": 1, "closing_round": 12},
    {"variant": "grand", "closing_round": 40},
    {"pies_for_all": 3, "tie_break": "next_best"},
    {"variant": "grand", "pie_floor": "zero", "tie_break": "next_best", "closing_round": 60},
)
LOOKED_AT = 2000
"""The number of legal moves that test players consider, since dives make for thousands."""


def keeping_order(count: int) -> list[int]:
    """Return the draws of a shuffle of this many cards that changes nothing."""
    return list(range(count - 1, 0, -1))


def position(**document: Any) -> State:
    """Return the state of a position document, by default with four seats."""
    return GAME.fold(set_position(**document))


def set_position(**document: Any) -> list[Fact]:
    """Return the facts of a start from a position document, by default with four seats."""
    return GAME.start(document.get("seats", 4), {}, Scripted([]), document)


def read(**move: Any) -> Move:
    """Return the move with these JSON fields."""
    return GAME.read_move(move)


def play(state: State, seat: int, draws: Sequence[int] = (), **move: Any) -> tuple[State, list[Fact]]:
    """Return the state after a move and its facts. Checks that all draws are used."""
    chance = Scripted(draws)
    facts = GAME.decide(state, seat, read(**move), chance)
    chance.finish()
    return GAME.fold(facts, state), facts


def plain(thing: Any) -> Any:
    """Return a value as plain JSON."""
    return msgspec.json.decode(msgspec.json.encode(thing))


def listed_facts(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """Return facts in the form of the cases, {name: fields}, without what section 15 leaves out."""
    return [case_form(plain(fact)) for fact in facts if not isinstance(fact, StepsQueued | StepStarted)]


def case_form(fact: dict[str, Any]) -> dict[str, Any]:
    name = fact.pop("type")
    if fact.get("commit") is False:
        del fact["commit"]
    if name == "pantry_restocked":
        del fact["count"]
    return {name: fact}


def names_of(facts: Iterable[Fact]) -> list[str]:
    """Return the names of the facts, without those that section 15 leaves out."""
    return [name for fact in listed_facts(facts) for name in fact]


def seen(state: State, facts: Iterable[Fact], seat: int | None) -> list[Fact]:
    """Return the facts as a viewer may see them in this state."""
    shown = (GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts))
    return [fact for fact in shown if fact is not None]


# -- whole matches ------------------------------------------------------------------------------------------------


def at_random(state: State, seat: int, chance: Chance) -> Move:
    """Return a random move: 15 % dives, 3 % passes, otherwise a card to play (section 10)."""
    legal = GAME.legal_moves(state, seat)
    if state.phase != "main":
        return chance.pick(list(islice(legal, LOOKED_AT)))
    plays: list[Move] = list(takewhile(lambda move: isinstance(move, PlayCard), legal))
    draw = chance.below(100)
    if draw < 15:
        dives = [move for move in islice(legal, 300) if isinstance(move, Dive)]
        return chance.pick(dives or plays or [Pass()])
    return chance.pick(plays) if plays and draw >= 18 else Pass()


def flatly(state: State, seat: int, chance: Chance) -> Move:
    """Return a random legal move, each with the same probability."""
    return chance.pick(list(islice(GAME.legal_moves(state, seat), LOOKED_AT)))


def greedily(state: State, seat: int, chance: Chance) -> Move:
    return GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)


def resigning(one_in: int, player: Player) -> Player:
    """Return a player that resigns with this probability per move."""

    def choose(state: State, seat: int, chance: Chance) -> Move:
        return Resign() if chance.below(one_in) == 0 else player(state, seat, chance)

    return choose


def whole_match(
    seed: int | str, players: Sequence[Player] = (at_random,) * 4, options: Mapping[str, Any] | None = None
) -> tuple[State, list[Fact]]:
    """Play a match from set-up to the end, one seat per player. Return the state and all facts."""
    chance = Fast(seed)
    return play_on(GAME.start(len(players), options or {}, chance), players, chance)


def play_on(
    facts: list[Fact], players: Sequence[Player], chance: Chance, stop: Callable[[State], bool] = lambda state: False
) -> tuple[State, list[Fact]]:
    """Play on to the end, or until `stop` is true. If several seats can move, a random one does."""
    facts = list(facts)
    state = GAME.fold(facts)
    while (waiting := sorted(GAME.to_move(state))) and not stop(state):
        seat = chance.pick(waiting)
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
    facts = GAME.start(len(players), options, chance)
    return play_on(facts, players, chance, lambda state: next(left, None) is None)
