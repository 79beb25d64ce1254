"""Helpers that start and play matches for the tests of the Battle of the Bakeries."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.moves import DeclareHire, Move, Resign, RollDie
from domain.kernel.chance import Chance, Fast, Scripted

Player = Callable[[State, int, Sequence[Move], Chance], Move]

IDENTITY = list(range(29, 0, -1))
"""The 29 draws of a shuffle that keeps the canonical order."""


@dataclass
class Ply:
    """One accepted move: seat, move, facts, number of earlier facts, and the state before it."""

    seat: int
    move: Move
    facts: list[Any]
    first_fact: int
    before: State


@dataclass
class Played:
    """A match in progress or finished, with its facts, state and plies."""

    facts: list[Any]
    state: State
    plies: list[Ply] = field(default_factory=list)

    def make(self, seat: int, move: Move, chance: Chance) -> list[Any]:
        """Play a move and return its facts."""
        made = GAME.decide(self.state, seat, move, chance)
        self.plies.append(Ply(seat, move, made, len(self.facts), self.state))
        self.facts += made
        self.state = GAME.fold(made, self.state)
        return made

    @property
    def over(self) -> bool:
        """Return whether the match has ended."""
        return GAME.outcome(self.state) is not None


def start(
    options: Mapping[str, Any] | None = None,
    position: Mapping[str, Any] | None = None,
    chance: Chance | None = None,
) -> Played:
    """Return a new match."""
    facts = GAME.start(2, options or {}, chance or Fast("start"), position)
    return Played(facts, GAME.fold(facts))


def draws(names: Iterable[str]) -> list[int]:
    """Return the draws written as `identity`, `dice 6,3` (faces) or `draw 17`."""
    found: list[int] = []
    for word in names:
        kind, _, rest = word.partition(" ")
        if kind == "identity":
            found += IDENTITY
        elif kind == "dice":
            found += [int(face) - 1 for face in rest.split(",")]
        else:
            found.append(int(rest))
    return found


def first_turn(options: Mapping[str, Any] | None = None) -> Played:
    """Return the start B1: canonical layout, roll-off 6,3, seat 0 goes first."""
    played = start(options, chance=Scripted(draws(["identity", "dice 6,3"])))
    played.make(0, GAME.read_move({"type": "choose_turn_order", "go": "first"}), Scripted([]))
    return played


def at_random(state: State, seat: int, legal: Sequence[Move], chance: Chance) -> Move:
    """Return a random legal move."""
    return chance.pick(legal)


def greedily(state: State, seat: int, legal: Sequence[Move], chance: Chance) -> Move:
    """Return the greedy bot's move for its view."""
    return GAME.greedy(GAME.view(state, seat), seat, legal, chance)


def exploring(state: State, seat: int, legal: Sequence[Move], chance: Chance) -> Move:
    """Return a move of the explorer of section 10, who remembers every card and hires the best known set."""
    best = best_known_set(state)
    if state.step == "start":
        return DeclareHire() if best else RollDie()
    if state.phase in ("hire", "last_chance"):
        return explore(state, legal, best, chance)
    if state.phase in ("stock", "sale", "catch_up"):
        return greedily(state, seat, legal, chance)
    return chance.pick(legal)


def explore(state: State, legal: Sequence[Move], best: tuple[int, ...], chance: Chance) -> Move:
    """Return an explorer's move while cards are turned over."""
    flips = {move.position: move for move in legal if hasattr(move, "position")}
    left = [position for position in best if position in flips]
    if (state.step == "attempt" or state.phase == "last_chance") and left:
        return flips[left[0]]
    fresh = [move for position, move in flips.items() if position not in state.shown]
    return chance.pick(fresh or list(flips.values()) or list(legal))


def best_known_set(state: State) -> tuple[int, ...]:
    """Return the positions of the best set turned over so far, chef first, or an empty tuple."""
    assert state.layout is not None
    known: dict[str, int] = {state.layout[p]: p for p in state.shown if p not in state.empty}
    allowed = state.allowed if state.phase == "last_chance" else (5, 4, 6, 3, 2)
    for m in allowed:
        parts = [known[f"{kind}_{m}"] for kind in ("hat", "apron", "oven", "batter") if f"{kind}_{m}" in known]
        wilds = [p for card, p in known.items() if card.startswith("wild") and str(m) in card]
        needed = (parts + wilds[:1])[:4]
        if f"chef_{m}" in known and len(needed) == 4:
            return (known[f"chef_{m}"], *needed)
    return ()


def play_out(
    played: Played,
    seed: object,
    players: tuple[Player, Player] = (at_random, at_random),
    resign_once_in: int = 0,
    watch: Callable[[Played], None] | None = None,
) -> Played:
    """Play to the end. With `resign_once_in` n, one match in n ends with a resignation."""
    chance = Fast(str(seed))
    last = chance.below(300) if resign_once_in and not chance.below(resign_once_in) else None
    while not played.over:
        if watch:
            watch(played)
        (seat,) = GAME.to_move(played.state)
        if last is not None and len(played.plies) >= last:
            played.make(chance.below(2), Resign(), chance)
            continue
        legal = list(GAME.legal_moves(played.state, seat))
        played.make(seat, players[seat](played.state, seat, legal, chance), chance)
    return played


def some_options(chance: Chance) -> dict[str, Any]:
    """Return random options."""
    options: dict[str, Any] = {
        "rounds": chance.below(3) + 1,
        "memory_aid": chance.pick(("on", "off")),
        "last_chance_sets": chance.pick(("book_list", "any_lesser")),
        "round_order": chance.pick(("roll_off", "trailing_chooses")),
        "fresh_first": bool(chance.below(2)),
    }
    if chance.below(2):
        options["hire_turn_limit"] = 10 + chance.below(20)
    return options


def some_sale(chance: Chance) -> dict[str, Any]:
    """Return a position in a sale with chefs or in a catch-up round, which are rare from a normal start."""
    if chance.below(2):
        return {
            "phase": "catch_up",
            "multipliers": (6, 1),
            "actor": 1,
            "sold": ((3, 4, 5, 6, 7, 8, 9), (2, 3, 4, 10, 11, 12)),
            "rounds_won": (1, 0),
            "tries": chance.below(2),
        }
    return {
        "phase": "sale",
        "multipliers": chance.pick(((6, 1), (1, 6), (5, 2), (3, 3), (1, 1))),
        "finder": chance.below(2),
        "actor": chance.below(2),
        "scores": (250 * chance.below(4), 0),
        "rolls": chance.pick((0, 0, 390, 396)),
        "sold": (tuple(range(4, 4 + chance.below(6))), tuple(range(5, 5 + chance.below(6)))),
    }
