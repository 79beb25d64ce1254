"""The contract of the list of legal moves: exactly the moves that are accepted, always in the same order."""

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, MoveGrammar, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove
from tests.contract.cases import every_grammar, every_table, positions, sample_matches, seatings
from tests.contract.mutants import leaves, mutated_moves

ALL = 200
"""Up to this many legal moves are all tried. If there are more, a sample of this size is tried."""
WIDEST = 100_000
COMPARED = 3_000
"""Up to this many legal moves are compared with other positions and with the moves offered part by part."""


def legal(game: AnyGame, state: Any, seat: Seat) -> list[Any]:
    return list(islice(game.legal_moves(state, seat), WIDEST))


def sample(moves: list[Any], chance: Chance, count: int = ALL) -> list[Any]:
    return moves if len(moves) <= count else chance.shuffle(moves)[:count]


@every_table
def test_every_legal_move_is_accepted(game: AnyGame, seats: int) -> None:
    chance = Fast("accepted")
    for match in positions(game, seats, 12):
        for seat in match.to_move:
            moves = legal(game, match.state, seat)
            assert moves, "a seat that owes a move has a legal move"
            before = canonical_json(match.state)
            for move in sample(moves, chance):
                facts = game.decide(match.state, seat, move, chance)
                assert facts
                game.fold(facts, match.state)
            assert canonical_json(match.state) == before


@every_table
def test_an_illegal_move_is_refused_and_changes_nothing(game: AnyGame, seats: int) -> None:
    chance, refused = Fast("refused"), 0
    for match in positions(game, seats, 16):
        for seat in match.to_move:
            moves = legal(game, match.state, seat)
            allowed = {canonical_json(move) for move in moves}
            plain = [msgspec.to_builtins(move) for move in sample(moves, chance, 30)]
            words = sorted({leaf for one in plain for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
            for document in (bad for one in plain for bad in mutated_moves(one, words, chance, 6)):
                refused += is_refused(game, match.state, seat, document, allowed)
    assert refused > 50


def is_refused(game: AnyGame, state: Any, seat: Seat, document: Any, allowed: set[bytes]) -> bool:
    """Return whether the move is refused. Fail if it should be but is not."""
    before = canonical_json(state)
    error, facts = answer(game, state, seat, document, allowed)
    assert facts is None, f"{document} is not in the list of legal moves, but leads to {facts}"
    if error is None:
        return False
    assert error.code
    assert error.rule
    assert error.message.endswith((".", "!"))
    assert canonical_json(state) == before
    return True


def answer(
    game: AnyGame, state: Any, seat: Seat, document: Any, allowed: set[bytes]
) -> tuple[IllegalMove | None, list[Any] | None]:
    """Return the refusal of a move, or the facts it wrongly leads to; neither for a move that is legal after all."""
    try:
        move = game.read_move(document)
        if canonical_json(move) in allowed or document == {"type": "resign"}:
            return None, None
        return None, game.decide(state, seat, move, Fast("refused"))
    except IllegalMove as error:
        return error, None


@every_table
def test_a_seat_that_owes_no_move_has_no_legal_moves(game: AnyGame, seats: int) -> None:
    for match in positions(game, seats, 12):
        offered = [move for seat in match.to_move for move in sample(legal(game, match.state, seat), Fast("turn"), 5)]
        for seat in set(range(seats)) - match.to_move:
            assert legal(game, match.state, seat) == []
            for move in offered:
                with pytest.raises(IllegalMove):
                    game.decide(match.state, seat, move, Fast("turn"))


@every_table
def test_there_are_no_legal_moves_at_the_end(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        state = replay.last.state
        moves = [event.move for event in replay.events if event.move is not None]
        assert game.outcome(state) is not None
        assert game.to_move(state) == frozenset()
        for seat in range(seats):
            assert legal(game, state, seat) == []
            for move in (moves[0], moves[-1], game.read_move({"type": "resign"})):
                with pytest.raises(IllegalMove):
                    game.decide(state, seat, move, Fast("end"))


@every_table
def test_every_seat_can_resign_once_while_the_match_runs(game: AnyGame, seats: int) -> None:
    resign, chance = game.read_move({"type": "resign"}), Fast("resign")
    for replay in sample_matches(game, seats):
        out: set[Seat] = set()
        for event, match in zip(replay.events, replay.matches(), strict=True):
            gone = event.move == resign
            out |= {event.seat} if gone else set()
            if match.to_move and (gone or event.draw == 0 or not chance.below(20)):
                can_resign(game, match.state, seats, out)


def can_resign(game: AnyGame, state: Any, seats: int, out: set[Seat]) -> None:
    """Check that every seat except those in `out` can resign, and does not win by it."""
    assert game.outcome(state) is None
    resign = game.read_move({"type": "resign"})
    for seat in out:
        with pytest.raises(IllegalMove):
            game.decide(state, seat, resign, Fast("resign"))
    for seat in set(range(seats)) - out:
        outcome = game.outcome(game.fold(game.decide(state, seat, resign, Fast("resign")), state))
        assert outcome is None or seat not in outcome.winners
        assert outcome is not None or seats - len(out) > 2, "a match of two ends when one resigns"


@every_table
def test_legal_moves_have_a_fixed_order_without_resign(game: AnyGame, seats: int) -> None:
    for match in positions(game, seats, 12):
        again = msgspec.json.decode(msgspec.json.encode(match.state), type=game.state_type)
        for seat in match.to_move:
            moves = [canonical_json(move) for move in islice(game.legal_moves(match.state, seat), WIDEST)]
            assert moves == [canonical_json(move) for move in islice(game.legal_moves(again, seat), WIDEST)]
            assert len(set(moves)) == len(moves)
            assert b'{"type":"resign"}' not in moves


@every_table
def test_two_moves_have_the_same_order_in_every_position(game: AnyGame, seats: int) -> None:
    """So the rules define the order, not the position, a set or a dictionary."""
    lists = [
        [canonical_json(move) for move in islice(game.legal_moves(match.state, seat), COMPARED)]
        for match in positions(game, seats, 12)
        for seat in match.to_move
    ]
    for one, other in combinations(lists, 2):
        both = {*one} & {*other}
        assert [move for move in one if move in both] == [move for move in other if move in both]


@every_table
def test_legal_moves_can_be_sent_by_a_client(game: AnyGame, seats: int) -> None:
    for match in positions(game, seats, 6):
        for seat in match.to_move:
            for move in sample(legal(game, match.state, seat), Fast("sent"), 40):
                assert game.read_move(msgspec.json.decode(canonical_json(move))) == move


@every_table
def test_the_first_legal_move_is_found_without_the_others(game: AnyGame, seats: int) -> None:
    for match in positions(game, seats, 6):
        for seat in match.to_move:
            moves = game.legal_moves(match.state, seat)
            assert next(moves) == legal(game, match.state, seat)[0]


@pytest.mark.slow
@every_grammar
def test_a_grammar_matches_every_legal_move_and_names_all_refusals(game: AnyGame, seats: int) -> None:
    chance = Fast("grammar")
    for match in positions(game, seats, 12):
        for seat in match.to_move:
            forms = grammar(game, match.state, seat)
            plain = [wire(move) for move in sample(legal(game, match.state, seat), chance)]
            for document in plain:
                assert len(matching(forms, document)) == 1, document
            words = sorted({leaf for one in plain for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
            for document in (bad for one in plain for bad in mutated_moves(one, words, chance, 6)):
                error, _ = answer(game, match.state, seat, document, set())
                named = {rule.code for form in matching(forms, document) for rule in form.beyond}
                assert error is None or not matching(forms, document) or error.code in named, (document, error)


def wire(move: Any) -> Any:
    """Return a move as JSON."""
    return msgspec.json.decode(msgspec.json.encode(move))


def grammar(game: AnyGame, state: Any, seat: Seat) -> list[tuple[MoveGrammar, Draft202012Validator]]:
    assert game.grammar is not None
    return [(form, Draft202012Validator(form.schema)) for form in game.grammar(game.view(state, seat), seat)]


def matching(forms: list[tuple[MoveGrammar, Draft202012Validator]], document: Any) -> list[MoveGrammar]:
    return [form for form, schema in forms if schema.is_valid(document)]


# -- moves offered part by part ---------------------------------------------------------------------------------------

WALKS = 50
"""The number of random walks through the parts if there are more moves than `COMPARED`."""
offering = [table for table in seatings() if table.values[0].branches is not None]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), offering)
def test_the_moves_offered_part_by_part_are_the_legal_moves(game: AnyGame, seats: int) -> None:
    chance = Fast("part by part")
    for match in positions(game, seats, 16):
        for seat in range(seats):
            offered = game.branches(match.state, seat)
            if seat not in match.to_move:
                assert offered == []
                continue
            moves = [canonical_json(move) for move in islice(game.legal_moves(match.state, seat), COMPARED + 1)]
            if len(moves) <= COMPARED:
                assert sorted(map(canonical_json, all_offered(offered))) == sorted(moves)
                continue
            for _ in range(WALKS):
                assert game.decide(match.state, seat, walk(offered, chance), chance)


def all_offered(branches: Any) -> Iterator[Any]:
    """Yield every move that the branches lead to. Fail if two have the same part, or one has no moves."""
    if not isinstance(branches, list):
        yield branches
        return
    assert branches
    assert len({canonical_json(part) for part, _ in branches}) == len(branches)
    for _, then in branches:
        yield from all_offered(then())


def walk(branches: Any, chance: Chance) -> Any:
    """Return a random move that the branches lead to."""
    while isinstance(branches, list):
        _, then = chance.pick(branches)
        branches = then()
    return branches
