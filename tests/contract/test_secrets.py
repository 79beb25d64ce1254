"""Noninterference: what a reader receives depends only on what they may know.

There are two ways to build a second world that a reader must not be able to tell from the real one:

* a *made-up* world: the game's own `determinize`, applied to what the seat has seen;
* a *twin*: the same match with one draw of its set-up, or one move of a seat, changed. As long as a reader's view of
  both is the same, everything else that the reader receives must be the same too. (Facts may reveal more than a view,
  so they are compared only where a game must hide: after set-up, and while others still owe the changed move.)
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Chance, Fast
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove
from replays.re_execution import TracedChance
from tests.builders import LOOKED_AT
from tests.contract.cases import SEATED, all_readers, every_table, moves_made, positions_with_facts, sample_matches
from tests.contract.mutants import leaves, mutated_moves

WORLDS = 2
TWINS = 6
"""Changed set-ups per match."""
FULL_TWINS = 24
"""The same at full counts."""
SIBLINGS = 4
"""Changed moves per ply."""
LOOKS = 24
"""How often some seat looks at a match. With more seats, fewer moments are checked."""
FULL_LOOKS = 96
"""The same at full counts."""
STRANGE = 16
"""How many moves from other moments are tried at each moment."""


def looks(seats: int, count: int = LOOKS) -> int:
    """Return how many moments of the matches every seat looks at."""
    return count // seats


def seen(game: AnyGame, state: Any, facts: list[Any], reader: Seat | None) -> list[Any]:
    redacted = (game.redact(state, fact, n, reader) for n, fact in enumerate(facts))
    return [fact for fact in redacted if fact is not None]


def shown_to(game: AnyGame, state: Any, facts: list[Any], reader: Seat | None) -> dict[str, bytes]:
    """Return everything that a reader receives at a moment, as bytes, including the picture."""
    picture = game.svg(game.view(state, reader), reader).encode()
    return given_to(game, state, facts, reader) | {"picture": picture}


def given_to(game: AnyGame, state: Any, facts: list[Any], reader: Seat | None) -> dict[str, bytes]:
    """Return everything that a reader receives at a moment, as bytes, except the picture, which takes long to draw."""
    given = {
        "view": canonical_json(game.view(state, reader)),
        "text": game.text(game.view(state, reader), reader).encode(),
        "to move": canonical_json(sorted(game.to_move(state))),
        "facts": canonical_json(seen(game, state, facts, reader)),
        "words": canonical_json(game.tell(seen(game, state, facts, reader))),
        "outcome": canonical_json(game.outcome(state)),
    }
    if reader is None:
        return given
    legal = list(islice(game.legal_moves(state, reader), LOOKED_AT))
    return given | {
        "legal moves": canonical_json(legal),
        "refusals": canonical_json(refusals(game, state, reader, legal)),
    }


def refusals(game: AnyGame, state: Any, seat: Seat, legal: list[Any]) -> list[Any]:
    """Return the answers to many kinds of wrong moves and to moves from other moments; None for accepted ones."""
    if not legal:
        return []
    chance = Fast("refusals")
    plain = [msgspec.to_builtins(move) for move in legal[:3] + legal[-3:]]
    words = sorted({leaf for one in plain for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
    tried = [bad for one in plain for bad in mutated_moves(one, words, chance, 8)]
    tried += chance.shuffle(moves_made(game))[:STRANGE]
    return [answer(game, state, seat, document) for document in tried]


def answer(game: AnyGame, state: Any, seat: Seat, document: Any) -> list[str] | None:
    try:
        game.decide(state, seat, game.read_move(document), Fast("answer"))
    except IllegalMove as error:
        return [error.code, error.rule, error.message]
    return None


# -- made-up worlds -----------------------------------------------------------------------------------------------


def check_made_up_worlds(game: AnyGame, seats: int, count: int = LOOKS) -> int:
    """Return the number of worlds compared. Fail if a seat could tell one from the real world."""
    compared = 0
    for number, (match, facts) in enumerate(positions_with_facts(game, seats, looks(seats, count))):
        spectator = given_to(game, match.state, facts, None)
        for seat in range(seats):
            real = shown_to(game, match.state, facts, seat)
            known = seen(game, match.state, facts, seat)
            for n in range(WORLDS):
                other = game.determinize(game.view(match.state, seat), known, seat, Fast(f"world {number} {n}"))
                assert isinstance(other, game.state_type)
                given = shown_to if n == 0 else given_to
                assert given(game, other, facts, seat).items() <= real.items()
                assert given_to(game, other, facts, None) == spectator
                compared += 1
    return compared


@pytest.mark.slow
@every_table
def test_a_seat_cannot_identify_a_made_up_world(game: AnyGame, seats: int) -> None:
    assert check_made_up_worlds(game, seats) >= 12


@pytest.mark.slow
@every_table
def test_a_spectator_cannot_identify_a_made_up_world(game: AnyGame, seats: int) -> None:
    """Public knowledge is defined as what all these worlds have in common."""
    for number, (match, facts) in enumerate(positions_with_facts(game, seats, looks(seats))):
        known = seen(game, match.state, facts, None)
        other = game.determinize(game.view(match.state, None), known, None, Fast(f"public {number}"))
        assert isinstance(other, game.state_type)
        assert shown_to(game, other, facts, None) == shown_to(game, match.state, facts, None)


@pytest.mark.slow
@every_table
def test_made_up_worlds_differ_if_something_is_hidden(game: AnyGame, seats: int) -> None:
    """If they were equal, `determinize` would use the real state, or the tests above would compare nothing."""
    hidden, worlds_differ = False, False
    for match, facts in positions_with_facts(game, seats, looks(seats)):
        for seat in range(seats):
            known = seen(game, match.state, facts, seat)
            hidden |= known != facts
            view = game.view(match.state, seat)
            worlds = {canonical_json(game.determinize(view, known, seat, Fast(f"differ {n}"))) for n in range(8)}
            worlds_differ |= len(worlds) > 1
    assert worlds_differ == hidden


@every_table
def test_a_made_up_world_can_be_played_on(game: AnyGame, seats: int) -> None:
    chance = Fast("played on")
    for match, facts in positions_with_facts(game, seats, 12):
        seat = chance.below(seats)
        known = seen(game, match.state, facts, seat)
        state = game.determinize(game.view(match.state, seat), known, seat, chance)
        for _ in range(30):
            if not (owing := sorted(game.to_move(state))):
                break
            mover = chance.pick(owing)
            move = chance.pick(list(islice(game.legal_moves(state, mover), LOOKED_AT)))
            state = game.fold(game.decide(state, mover, move, chance), state)


@pytest.mark.slow
@every_table
def test_a_greedy_seat_plays_the_same_in_both_worlds(game: AnyGame, seats: int) -> None:
    for match, facts in positions_with_facts(game, seats, 12):
        for seat in match.to_move:
            view = game.view(match.state, seat)
            other = game.determinize(view, seen(game, match.state, facts, seat), seat, Fast("greedy world"))
            moves = [
                game.greedy(game.view(state, seat), seat, game.legal_moves(state, seat), Fast("greedy"))
                for state in (match.state, other)
            ]
            assert moves[0] == moves[1]
            assert moves[0] in list(game.legal_moves(match.state, seat))


# -- twins --------------------------------------------------------------------------------------------------------


def check_twins(game: AnyGame, seats: int, twins: int = TWINS, count: int = LOOKS) -> int:
    """Return the number of different twins that look the same. Fail if anything else differs for equal views.

    Pictures are left out: they are drawn from the view, and those of equal views are compared above.
    """
    pairs = (*other_set_ups(game, seats, twins), *other_moves(game, seats, count))
    return sum(compare(game, seats, *pair) for pair in pairs)


World = tuple[Any, list[Any]]
"""A state and all facts that led to it."""


def compare(game: AnyGame, seats: int, one: World, other: World) -> int:
    """Return how many readers see the same in two different worlds. Fail if anything else differs for them.

    Equal states count as one world, even if they came about differently (a roll-off with a tie and one without).
    """
    if canonical_json(one[0]) == canonical_json(other[0]):
        return 0
    alike = 0
    for reader in all_readers(seats):
        if canonical_json(game.view(one[0], reader)) == canonical_json(game.view(other[0], reader)):
            assert given_to(game, *other, reader) == given_to(game, *one, reader)
            alike += 1
    return alike


def other_set_ups(game: AnyGame, seats: int, twins: int) -> Iterator[tuple[World, World]]:
    """Yield each match paired with one from another set-up: the same moves and draws, as far as possible."""
    for number, replay in enumerate(sample_matches(game, seats)):
        options, started = replay.created.options, next(event for event in replay.events if event.draw == 0)
        draws = TracedChance(Fast(number), [])
        game.start(seats, options, draws)
        chance = Fast(f"twins {number}")
        for _ in range(twins if draws.draws else 0):
            swapped = chance.below(len(draws.draws))
            twin = game.start(
                seats, options, TracedChance(Fast(number), [], swapped, chance.below(draws.draws[swapped].below))
            )
            real = game.start(seats, options, Fast(number))
            yield from side_by_side(game, real, twin, replay.events[started.ply :])


def side_by_side(game: AnyGame, real: list[Any], twin: list[Any], events: tuple[AnyEvent, ...]) -> Iterator[Any]:
    """Yield both worlds and their set-up facts, after set-up and then after each further move that both allow."""
    one, other = game.fold(real), game.fold(twin)
    yield (one, real), (other, twin)
    for event in events[:4]:
        if event.move is None or event.seat is None:
            return
        alike = canonical_json(game.view(one, event.seat)) == canonical_json(game.view(other, event.seat))
        made = [decided(game, state, event.seat, event.move, Fast(event.ply)) for state in (one, other)]
        if alike:
            assert (made[0] is None) == (made[1] is None), "legal in one world but not in the other"
        if made[0] is None or made[1] is None:
            return
        one, other = game.fold(made[0], one), game.fold(made[1], other)
        yield (one, real), (other, twin)


def other_moves(game: AnyGame, seats: int, count: int) -> Iterator[tuple[World, World]]:
    """Yield sampled positions after one move of a seat, paired with those after its other moves."""
    chance = Fast("siblings")
    for match, facts in positions_with_facts(game, seats, looks(seats, count)):
        for seat in match.to_move:
            worlds: list[World] = []
            for move in chance.shuffle(islice(game.legal_moves(match.state, seat), 200))[:SIBLINGS]:
                made = game.decide(match.state, seat, move, Fast("same draws"))
                state = game.fold(made, match.state)
                secret = game.to_move(state) == match.to_move - {seat} != frozenset()
                worlds.append((state, facts + made if secret else facts))
            yield from ((worlds[0], world) for world in worlds[1:])


def decided(game: AnyGame, state: Any, seat: Seat, move: Any, chance: Chance) -> list[Any] | None:
    """Return the facts of a move; None if it is refused."""
    try:
        return game.decide(state, seat, move, chance)
    except IllegalMove:
        return None


@pytest.mark.slow
@every_table
def test_a_reader_cannot_tell_apart_twins_that_look_the_same(game: AnyGame, seats: int) -> None:
    hides = any(
        seen(game, match.state, facts, 0) != facts for match, facts in positions_with_facts(game, seats, looks(seats))
    )
    assert (check_twins(game, seats) > 0) == hides


@pytest.mark.full
@every_table
def test_nobody_can_tell_many_worlds_apart(game: AnyGame, seats: int) -> None:
    check_made_up_worlds(game, seats, FULL_LOOKS)
    check_twins(game, seats, FULL_TWINS, FULL_LOOKS)


# -- facts --------------------------------------------------------------------------------------------------------


@every_table
def test_a_redacted_fact_is_a_fact(game: AnyGame, seats: int) -> None:
    for match, facts in positions_with_facts(game, seats, 12):
        for reader in all_readers(seats):
            shown = seen(game, match.state, facts, reader)
            assert game.read_facts(canonical_json(shown)) == shown
            game.tell(shown)


@every_table
def test_every_seat_sees_what_a_spectator_sees(game: AnyGame, seats: int) -> None:
    for match, facts in positions_with_facts(game, seats, 12):
        for n, fact in enumerate(facts):
            if game.redact(match.state, fact, n, None) == fact:
                assert all(game.redact(match.state, fact, n, seat) == fact for seat in range(seats))


@every_table
def test_at_the_end_nothing_is_hidden(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        facts = [fact for event in replay.events for fact in event.facts]
        for reader in all_readers(seats):
            assert seen(game, replay.last.state, facts, reader) == facts


# -- planted leaks ------------------------------------------------------------------------------------------------


def secretive() -> tuple[AnyGame, int]:
    """Return a game that hides something, with its number of seats."""
    for game, seats in SEATED:
        if any(seen(game, match.state, facts, 0) != facts for match, facts in positions_with_facts(game, seats, 8)):
            return game, seats
    pytest.skip("no registered game hides anything")


def chatty(game: AnyGame) -> AnyGame:
    """Return the game with refusals that reveal the whole state."""

    def decide(state: Any, seat: Seat, move: Any, chance: Chance) -> Any:
        try:
            return game.decide(state, seat, move, chance)
        except IllegalMove as error:
            raise IllegalMove(error.code, error.rule, f"{error.message} {canonical_json(state)!r}") from None

    return replace(game, decide=decide)


def shuffling(game: AnyGame) -> AnyGame:
    """Return the game with legal moves in an order that depends on the whole state."""

    def legal_moves(state: Any, seat: Seat) -> Iterator[Any]:
        return iter(Fast(canonical_json(state)).shuffle(game.legal_moves(state, seat)))

    return replace(game, legal_moves=legal_moves)


def gossiping(game: AnyGame) -> AnyGame:
    """Return the game showing every fact to everyone."""
    return replace(game, redact=lambda state, fact, index, seat: fact)


def telling(game: AnyGame) -> AnyGame:
    """Return the game hiding facts from seats but not from spectators."""

    def redact(state: Any, fact: Any, index: int, seat: Seat | None) -> Any:
        return fact if seat is None else game.redact(state, fact, index, seat)

    return replace(game, redact=redact)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("leak", "check"),
    [(chatty, check_made_up_worlds), (shuffling, check_made_up_worlds), (chatty, check_twins),
     (gossiping, check_twins), (telling, check_twins)],
)  # fmt: skip
def test_a_leak_is_found(leak: Callable[[AnyGame], AnyGame], check: Callable[[AnyGame, int], int]) -> None:
    game, seats = secretive()
    with pytest.raises(AssertionError):
        check(leak(game), seats)
