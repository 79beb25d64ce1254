"""What a seat can know about a move: what it is certain to do, and whether anyone has learned anything from it.

A move is decided in several worlds that its seat cannot tell apart. The seat could foresee the effects that are the
same in all of them. If there are no others, the seat has learned nothing. The others have learned nothing if every
other move of the seat would have looked the same to them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any

from domain.kernel.chance import Chance, Fast
from domain.kernel.events import AnyEvent, Moved
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.table import Foreseen
from domain.match.state import AnyMatch

RANDOM_WORLD_COUNT = 6
MAX_EXTREME_DRAWS = 1000
MAX_ALTERNATIVES = 60
"""The most other moves to compare: up to this many from the start of the list, and as many at regular intervals."""
MAX_SCANNED_MOVES = 5000


class ExtremeChance(Chance):
    """Always draws the lowest number, or always the highest. The two worlds differ wherever chance matters.

    After `MAX_EXTREME_DRAWS` it turns random, so that rules that redraw until they get a certain number still end.
    """

    def __init__(self, highest: bool) -> None:
        self._highest = highest
        self._draws_left = MAX_EXTREME_DRAWS
        self._random = Fast("one-sided")

    def below(self, n: int) -> int:  # noqa: D102
        self._draws_left -= 1
        if self._draws_left < 0:
            return self._random.below(n)
        return n - 1 if self._highest else 0


def determinized(match: AnyMatch, seat: Seat | None, known: Sequence[Any], seed: str) -> Any:
    """Return a state that the seat can't tell from the real one. `known` are the facts in effect as the seat sees them.

    It depends on nothing but what the seat sees, and on `seed`.
    """
    return match.rules.determinize(match.rules.view(match.state, seat), known, seat, Fast(seed))


def predict_move(match: AnyMatch, seat: Seat, move: Any, known: Sequence[Any], seed: str = "") -> Foreseen:
    """Return what a legal move is certain to do. `known` are the facts in effect as the seat sees them.

    Two worlds draw the extremes of every draw and hidden choice, the others are random, from `seed`.
    """
    game = match.rules
    seen_by = game.view(match.state, seat)
    outcomes = []
    for chance in world_chances(seed):
        state = game.determinize(seen_by, known, seat, chance)
        decision = game.decided(state, seat, move, chance)
        after = decision.state
        outcomes.append([game.redact(after, fact, match.fact_count + n, seat) for n, fact in enumerate(decision)])
    agreed = [
        facts[0]
        for facts in takewhile(lambda column: all(x == column[0] for x in column), zip(*outcomes, strict=False))
    ]
    complete = all(len(outcome) == len(agreed) for outcome in outcomes)
    return Foreseen(tuple(fact for fact in agreed if fact is not None), complete)


def world_chances(seed: str = "") -> Iterator[Chance]:
    """Return the sources of chance for the worlds in which a move is tried."""
    yield ExtremeChance(highest=False)
    yield ExtremeChance(highest=True)
    for world in range(RANDOM_WORLD_COUNT):
        yield Fast(f"dry run {seed}{world}")


def forced_move(match: AnyMatch, seat: Seat, public: Sequence[Any]) -> Any | None:
    """Return the one move that public knowledge leaves to a seat that owes one; None if there may be others.

    `public` are the facts in effect as a spectator sees them. The move must be the only legal one in every world that
    a spectator cannot tell from the real one. Then playing it automatically reveals nothing.
    """
    game = match.rules
    legal = list(islice(game.legal_moves(match.state, seat), 2))
    if seat not in game.to_move(match.state) or len(legal) != 1:
        return None
    seen_by = game.view(match.state, None)
    for chance in world_chances():
        state = game.determinize(seen_by, public, None, chance)
        if list(islice(game.legal_moves(state, seat), 2)) != legal:
            return None
    return legal[0]


def reveals_nothing(then: AnyMatch, moved: Moved[Any, Any], known: Sequence[Any]) -> bool:
    """Return whether no seat, including the mover's, has learned more from a move than that it was made.

    If it is the `only_move_by` after `then`, it may be taken back without asking. `then` is the match before the move,
    `known` the facts in effect then, as the mover saw them.
    """
    game, seat = then.rules, moved.seat
    if game.to_move(then.state) - {seat} != game.to_move(game.fold(moved.facts, then.state)) - {seat}:
        return False  # the move has started or ended another seat's turn
    expected = predict_move(then, seat, moved.move, known)
    if not expected.complete or expected.facts != facts_and_view_for(then, moved.facts, seat)[0]:
        return False
    readers = [reader for reader in (None, *range(len(then.seats))) if reader != seat]
    shown = [canonical_json(facts_and_view_for(then, moved.facts, reader)) for reader in readers]
    for other in alternative_moves(then, seat):
        facts = game.decide(then.state, seat, other, Fast("another choice"))
        if [canonical_json(facts_and_view_for(then, facts, reader)) for reader in readers] != shown:
            return False
    return True


def facts_and_view_for(then: AnyMatch, facts: Sequence[Any], reader: Seat | None) -> tuple[tuple[Any, ...], Any]:
    """Return facts that follow `then`, and the view after them, as a reader sees them."""
    game = then.rules
    after = game.fold(facts, then.state)
    shown = (game.redact(after, fact, then.fact_count + n, reader) for n, fact in enumerate(facts))
    return tuple(fact for fact in shown if fact is not None), game.view(after, reader)


def alternative_moves(then: AnyMatch, seat: Seat) -> list[Any]:
    """Return moves that the seat could have made: all of them, or a sample of the list."""
    legal = list(islice(then.rules.legal_moves(then.state, seat), MAX_SCANNED_MOVES))
    return [*legal[:MAX_ALTERNATIVES], *legal[MAX_ALTERNATIVES :: max(1, len(legal) // MAX_ALTERNATIVES)]]


def only_move_by(events: Iterable[AnyEvent], seat: Seat) -> Moved[Any, Any] | None:
    """Return the only game event among these events if it is a move of this seat, otherwise None.

    `events` are all events after some ply. Moves that were taken back count, because others have seen them.
    """
    moves = [event for event in events if event.draw is not None]
    only = moves[0] if len(moves) == 1 else None
    return only if isinstance(only, Moved) and only.seat == seat else None
