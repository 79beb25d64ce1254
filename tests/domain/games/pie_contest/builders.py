"""Given, when, then for Pie Contest: positions, moves and matches as the cases of the rules write them."""

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
"""How many moves a flat player looks at: a dive has thousands."""


def keeping_order(count: int) -> list[int]:
    """The draws of a shuffle of so many cards that changes nothing."""
    return list(range(count - 1, 0, -1))


def position(**document: Any) -> State:
    """The state of a start from a position document; four seats unless it says otherwise."""
    return GAME.fold(set_position(**document))


def set_position(**document: Any) -> list[Fact]:
    """The facts of such a start."""
    return GAME.start(document.get("seats", 4), {}, Scripted([]), document)


def read(**move: Any) -> Move:
    """A move as it comes over the wire."""
    return GAME.read_move(move)


def play(state: State, seat: int, draws: Sequence[int] = (), **move: Any) -> tuple[State, list[Fact]]:
    """The state after a move and its facts; the draws must be used up."""
    chance = Scripted(draws)
    facts = GAME.decide(state, seat, read(**move), chance)
    chance.finish()
    return GAME.fold(facts, state), facts


def plain(thing: Any) -> Any:
    """As plain JSON values."""
    return msgspec.json.decode(msgspec.json.encode(thing))


def told_facts(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """Facts as the cases write them: {name: fields}, without what section 15 leaves out."""
    return [told(plain(fact)) for fact in facts if not isinstance(fact, StepsQueued | StepStarted)]


def told(fact: dict[str, Any]) -> dict[str, Any]:
    name = fact.pop("type")
    if fact.get("commit") is False:
        del fact["commit"]
    if name == "pantry_restocked":
        del fact["count"]
    return {name: fact}


def names_of(facts: Iterable[Fact]) -> list[str]:
    """The names of the facts that section 15 lists."""
    return [name for fact in told_facts(facts) for name in fact]


def seen(state: State, facts: Iterable[Fact], seat: int | None) -> list[Fact]:
    """All facts so far as a reader may see them now."""
    shown = (GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts))
    return [fact for fact in shown if fact is not None]


# -- whole matches ------------------------------------------------------------------------------------------------


def at_random(state: State, seat: int, chance: Chance) -> Move:
    """Section 10: in its turn a random card, 15 % dives and 3 % passes; otherwise anything."""
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
    """Picks among the first legal moves alike."""
    return chance.pick(list(islice(GAME.legal_moves(state, seat), LOOKED_AT)))


def greedily(state: State, seat: int, chance: Chance) -> Move:
    return GAME.greedy(GAME.view(state, seat), seat, GAME.legal_moves(state, seat), chance)


def resigning(one_in: int, player: Player) -> Player:
    """A player that leaves now and then."""

    def choose(state: State, seat: int, chance: Chance) -> Move:
        return Resign() if chance.below(one_in) == 0 else player(state, seat, chance)

    return choose


def whole_match(
    seed: int | str, players: Sequence[Player] = (at_random,) * 4, options: Mapping[str, Any] | None = None
) -> tuple[State, list[Fact]]:
    """A match from set-up to the end, one seat for each player."""
    chance = Fast(seed)
    return play_on(GAME.start(len(players), options or {}, chance), players, chance)


def play_on(
    facts: list[Fact], players: Sequence[Player], chance: Chance, stop: Callable[[State], bool] = lambda state: False
) -> tuple[State, list[Fact]]:
    """A match from here to the end, or until `stop`. Of several seats that owe a move any may be first."""
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
    """A match after this many moves, or at its end."""
    chance = Fast(seed)
    left = iter(range(moves))
    facts = GAME.start(len(players), options, chance)
    return play_on(facts, players, chance, lambda state: next(left, None) is None)
