"""Noninterference: what a seat gets depends on what it may know, and on nothing else.

Two worlds: the real one, and one that the game makes up from what a seat has seen (`determinize`). The seat must not
be able to tell them apart by anything that it is ever given.
"""

from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.chance import Fast
from domain.events import canonical
from domain.game import AnyGame, IllegalMove, Seat
from tests.builders import LOOKED_AT
from tests.contract.cases import every_table, matches, moments, readers
from tests.contract.mutants import leaves, spoilt

WORLDS = 3


def seen(game: AnyGame, state: Any, facts: list[Any], reader: Seat | None) -> list[Any]:
    redacted = (game.redact(state, fact, n, reader) for n, fact in enumerate(facts))
    return [fact for fact in redacted if fact is not None]


def given_to(game: AnyGame, state: Any, facts: list[Any], seat: Seat) -> dict[str, bytes]:
    """All that a seat is given at a moment, as bytes."""
    legal = list(islice(game.legal_moves(state, seat), LOOKED_AT))
    return {
        "view": canonical(game.view(state, seat)),
        "text": game.text(game.view(state, seat), seat).encode(),
        "picture": game.svg(game.view(state, seat), seat).encode(),
        "legal moves": canonical(legal),
        "to move": canonical(sorted(game.to_move(state))),
        "facts": canonical(seen(game, state, facts, seat)),
        "refusals": canonical(refusals(game, state, seat, legal)),
        "outcome": canonical(game.outcome(state)),
        "spectator's view": canonical(game.view(state, None)),
        "spectator's facts": canonical(seen(game, state, facts, None)),
    }


def refusals(game: AnyGame, state: Any, seat: Seat, legal: list[Any]) -> list[Any]:
    """The answers to moves that are wrong in many ways; None for those that are accepted."""
    chance = Fast("refusals")
    plain = [msgspec.to_builtins(move) for move in legal[:3] + legal[-3:]]
    words = sorted({leaf for one in plain for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
    return [answer(game, state, seat, bad) for one in plain for bad in spoilt(one, words, chance, 8)]


def answer(game: AnyGame, state: Any, seat: Seat, document: Any) -> list[str] | None:
    try:
        game.decide(state, seat, game.read_move(document), Fast("answer"))
    except IllegalMove as error:
        return [error.code, error.rule, error.message]
    return None


@every_table
def test_a_seat_cannot_tell_two_worlds_apart(game: AnyGame, seats: int) -> None:
    for number, (match, facts) in enumerate(moments(game, seats, 24)):
        for seat in range(seats):
            real = given_to(game, match.state, facts, seat)
            known = seen(game, match.state, facts, seat)
            for n in range(WORLDS):
                chance = Fast(f"world {number} {n}")
                other = game.determinize(game.view(match.state, seat), known, seat, chance)
                assert isinstance(other, game.state_type)
                assert given_to(game, other, facts, seat) == real


@every_table
def test_where_something_is_hidden_worlds_differ(game: AnyGame, seats: int) -> None:
    """Without this the test above could pass because `determinize` peeps, or because nothing is ever different."""
    hidden, worlds_differ = False, False
    for match, facts in moments(game, seats, 24):
        for seat in range(seats):
            known = seen(game, match.state, facts, seat)
            hidden |= known != facts
            view = game.view(match.state, seat)
            worlds = {canonical(game.determinize(view, known, seat, Fast(f"differ {n}"))) for n in range(8)}
            worlds_differ |= len(worlds) > 1
    assert worlds_differ == hidden


@every_table
def test_a_made_up_world_can_be_played_on(game: AnyGame, seats: int) -> None:
    chance = Fast("played on")
    for match, facts in moments(game, seats, 12):
        seat = chance.below(seats)
        known = seen(game, match.state, facts, seat)
        state = game.determinize(game.view(match.state, seat), known, seat, chance)
        for _ in range(30):
            if not (owing := sorted(game.to_move(state))):
                break
            mover = chance.pick(owing)
            move = chance.pick(list(islice(game.legal_moves(state, mover), LOOKED_AT)))
            state = game.fold(game.decide(state, mover, move, chance), state)


@every_table
def test_a_greedy_seat_plays_alike_in_both_worlds(game: AnyGame, seats: int) -> None:
    for match, facts in moments(game, seats, 12):
        for seat in match.to_move:
            view = game.view(match.state, seat)
            other = game.determinize(view, seen(game, match.state, facts, seat), seat, Fast("greedy world"))
            moves = [
                game.greedy(game.view(state, seat), seat, game.legal_moves(state, seat), Fast("greedy"))
                for state in (match.state, other)
            ]
            assert moves[0] == moves[1]
            assert moves[0] in list(game.legal_moves(match.state, seat))


@every_table
def test_what_is_shown_of_a_fact_is_a_fact(game: AnyGame, seats: int) -> None:
    for match, facts in moments(game, seats, 12):
        for reader in readers(seats):
            shown = seen(game, match.state, facts, reader)
            assert game.read_facts(canonical(shown)) == shown
            game.tell(shown)


@every_table
def test_a_spectator_sees_nothing_that_some_seat_does_not(game: AnyGame, seats: int) -> None:
    """A fact that a spectator sees whole, every seat sees whole."""
    for match, facts in moments(game, seats, 12):
        for n, fact in enumerate(facts):
            if game.redact(match.state, fact, n, None) == fact:
                assert all(game.redact(match.state, fact, n, seat) == fact for seat in range(seats))


@every_table
def test_at_the_end_nothing_is_hidden(game: AnyGame, seats: int) -> None:
    for replay in matches(game, seats):
        facts = [fact for event in replay.events for fact in event.facts]
        for reader in readers(seats):
            assert seen(game, replay.last.state, facts, reader) == facts


def test_the_test_has_teeth() -> None:
    """A game whose view gives a hidden thing away is found out."""
    from dataclasses import replace

    from tests.contract.cases import GAMES

    secretive = [game for game in GAMES if game.slug == "mice_cake"]
    if not secretive:
        pytest.skip("Mice Cake is not installed")
    leaky = replace(secretive[0], text=lambda view, seat: str(peeped["state"]))
    peeped: dict[str, Any] = {}
    match, facts = next(iter(moments(secretive[0], 2, 1)))

    def given(state: Any) -> dict[str, bytes]:
        peeped["state"] = state
        return given_to(leaky, state, facts, 0)

    other = leaky.determinize(leaky.view(match.state, 0), seen(leaky, match.state, facts, 0), 0, Fast("teeth"))
    assert given(match.state)["text"] != given(other)["text"]
