"""A stand-in for a game that can't be used: it reads the events of its matches without understanding them.

Players, result and hash chain of a match are known without its rules. Facts and moves stay plain
JSON, byte for byte, and nothing in them is ever shown while the match runs, because only the game knows what is secret.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Never

import msgspec

from domain.kernel.chance import Chance
from domain.kernel.game import AnyGame, Game, Outcome, Seat
from domain.kernel.registry import GameNotInstalled

MAX_SEATS = 64


class _NoOptions(msgspec.Struct, frozen=True):
    """The options of a placeholder; those of the match are kept as they are."""


@cache
def placeholder_game(slug: str, rules_version: int) -> AnyGame:
    """Return the stand-in for a game at a rules version. Nobody can move in it, and it shows nothing."""

    def refuse(*_: Any) -> Never:
        raise GameNotInstalled(slug, rules_version)

    def none_to_move(state: Any) -> frozenset[Seat]:
        return frozenset()

    def no_moves(state: Any, seat: Seat) -> Iterator[Any]:
        return iter(())

    def no_outcome(state: Any) -> Outcome | None:
        return None

    def same_state(state: Any, fact: Any) -> Any:
        return state

    def nothing(*_: Any) -> None:
        return None

    def no_lines(facts: Sequence[Any]) -> list[str]:
        return []

    def no_text(view: Any, seat: Seat | None) -> str:
        return ""

    def no_determinization(view: Any, facts: Sequence[Any], seat: Seat | None, chance: Chance) -> Any:
        return refuse()

    def no_position(seats: int, options: Any, document: Mapping[str, Any]) -> list[Any]:
        return refuse()

    return Game(
        slug=slug,
        title=f"{slug} (game not installed)",
        rules_version=rules_version,
        blurb="This game is not installed on this server.",
        credit="",
        minutes=(1, 1),
        seat_counts=tuple(range(1, MAX_SEATS + 1)),
        seat_names=lambda count: tuple(f"seat {number + 1}" for number in range(count)),
        grammar_rule="",
        state_type=Any,
        move_type=Any,
        fact_type=Any,
        options_type=_NoOptions,
        view_type=Any,
        initial=None,
        setup=refuse,
        from_position=no_position,
        to_move=none_to_move,
        legal_moves=no_moves,
        decide=refuse,
        outcome=no_outcome,
        close=refuse,
        evolve=same_state,
        view=nothing,
        redact=nothing,
        determinize=no_determinization,
        score=refuse,
        audit=refuse,
        tell=no_lines,
        text=no_text,
        svg=no_text,
        greedy=refuse,
    )
