"""Moves made by standing orders: forced moves, who can see the cause, and how it is verified."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec import UNSET, structs

from domain.kernel.chance import Fast
from domain.kernel.events import Cause, Moved, without_retracted
from domain.kernel.game import AnyGame
from domain.kernel.refusals import IllegalMove
from domain.kernel.registry import find_game
from domain.match.commands import HandOver, Play
from domain.match.information import forced_move
from replays import standalone_verify
from replays.file import encode_replay, read_replay
from replays.redaction import redact_events
from replays.verify import verify
from tests.builders import Table, play_on, replay_file, sit_down, step
from tests.contract.cases import every_table, positions_with_facts
from tests.replays.forge import Entries, forge_replay, of_kind

GAME = find_game("tic_tac_toe")
BAKERIES = find_game("battle_of_the_bakeries")
ORDER = Cause(order="0123456789ab", kind="move")
FORCED = Cause(order="ba9876543210", kind="forced")
CELLS_WITHOUT_A_LINE = (0, 1, 2, 4, 3, 5, 7, 6)
"""Cells that fill the board except for one cell, without a line."""


def table_with_one_free_cell(cause: Cause = ORDER) -> Table:
    """Return a match with one free cell, whose fourth move was made by an order."""
    table = sit_down(GAME)
    for number, cell in enumerate(CELLS_WITHOUT_A_LINE):
        move = {"type": "mark", "cell": cell}
        table.take_command(Play(number % 2, move, cause if number == 3 else UNSET))
    return table


def public_facts(table: Table) -> list[Any]:
    shown = redact_events(table.events, table.match, None, table.past)
    return [fact for event in without_retracted(shown) for fact in event.facts]


# -- forced moves -------------------------------------------------------------------------------------------------


def test_only_the_last_cell_is_forced() -> None:
    table = sit_down(GAME)
    for number, cell in enumerate(CELLS_WITHOUT_A_LINE):
        assert forced_move(table.match, number % 2, public_facts(table)) is None
        table.play(number % 2, {"type": "mark", "cell": cell})
    assert forced_move(table.match, 0, public_facts(table)) == GAME.read_move({"type": "mark", "cell": 8})
    assert forced_move(table.match, 1, public_facts(table)) is None, "it is not this seat's turn"


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, pytest.param(48, marks=pytest.mark.full)])
@every_table
def test_a_forced_move_is_the_only_legal_one_and_public_knowledge(game: AnyGame, seats: int, count: int) -> None:
    """The answer is the same in every world that a spectator cannot tell from the real one.

    So a move that is played automatically reveals nothing that was not public.
    """
    for number, (match, facts) in enumerate(positions_with_facts(game, seats, count)):
        known = [fact for n, f in enumerate(facts) if (fact := game.redact(match.state, f, n, None)) is not None]
        for seat in match.to_move:
            found = forced_move(match, seat, known)
            if found is not None:
                assert list(game.legal_moves(match.state, seat)) == [found]
            other = game.determinize(game.view(match.state, None), known, None, Fast(f"elsewhere {number}"))
            if seat in game.to_move(other):
                assert forced_move(with_state(match, other), seat, known) == found


def with_state(match: Any, state: Any) -> Any:
    return structs.replace(match, state=state)


def test_a_move_is_not_forced_if_only_the_seat_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the number of legal moves differs between worlds, no move is forced, even if the seat has only one."""
    table = table_with_one_free_cell()
    secretive = replace(GAME, determinize=lambda view, facts, seat, chance: sit_down(GAME).match.state)
    monkeypatch.setattr(type(table.match), "rules", secretive)
    assert forced_move(table.match, 0, public_facts(table)) is None


@pytest.mark.slow
def test_a_built_in_game_has_forced_moves_during_a_match() -> None:
    found = 0
    table, chance = sit_down(BAKERIES), Fast("forced")
    while table.match.status == "playing":
        (seat,) = sorted(table.match.to_move)[:1]
        found += forced_move(table.match, seat, public_facts(table)) is not None
        step(table, chance)
    assert found > 0


# -- who sees the cause -------------------------------------------------------------------------------------------


def test_a_cause_is_visible_to_its_seat_and_after_the_end_to_everyone() -> None:
    table = table_with_one_free_cell()

    def causes_seen_by(seat: int | None) -> list[Any]:
        events = redact_events(table.events, table.match, seat, table.past)
        return [event.cause for event in events if isinstance(event, Moved) and event.cause is not UNSET]

    assert (causes_seen_by(1), causes_seen_by(0), causes_seen_by(None)) == ([ORDER], [], [])
    assert b"cause" not in replay_file(table.events)
    play_on(table, Fast("end"))
    assert (causes_seen_by(0), causes_seen_by(None)) == ([ORDER], [ORDER])
    assert list(read_replay(replay_file(table.events)).events) == table.events


def test_a_move_by_hand_has_no_cause() -> None:
    table = sit_down(GAME)
    table.play(0, {"type": "mark", "cell": 0})
    assert b"cause" not in b"".join(encode_replay(play_on(table, Fast("by hand"))))


def test_a_move_by_an_order_must_follow_the_rules() -> None:
    table = sit_down(GAME)
    table.play(0, {"type": "mark", "cell": 0})
    with pytest.raises(IllegalMove):
        table.take_command(Play(1, {"type": "mark", "cell": 0}, ORDER))


# -- forgeries ----------------------------------------------------------------------------------------------------


def replay_with_orders() -> bytes:
    """Return a replay with an order at the fourth move, and a forced last move."""
    table = table_with_one_free_cell()
    table.take_command(Play(0, {"type": "mark", "cell": 8}, FORCED))
    return replay_file(table.events)


def moves_with_cause(events: Entries) -> Entries:
    return [event for event in of_kind(events, "moved") if "cause" in event]


def claim_forced(events: Entries) -> None:
    moves_with_cause(events)[0]["cause"]["kind"] = "forced"


def repeat_order(events: Entries) -> None:
    of_kind(events, "moved")[5]["cause"] = dict(moves_with_cause(events)[0]["cause"])


def malform_order_id(events: Entries) -> None:
    moves_with_cause(events)[0]["cause"]["order"] = "../../etc"


def unknown_cause_kind(events: Entries) -> None:
    moves_with_cause(events)[0]["cause"]["kind"] = "whim"


@pytest.mark.parametrize(
    ("change", "rule"),
    [(claim_forced, "fold.forced"), (repeat_order, "authorship.order"), (malform_order_id, "authorship.order"),
     (unknown_cause_kind, "file.json")],
)  # fmt: skip
def test_a_false_cause_is_found_even_if_the_chain_holds(change: Any, rule: str) -> None:
    raw = replay_with_orders()
    assert verify(raw).ok, verify(raw).as_text()
    report = verify(forge_replay(raw, change))
    assert report.first is not None
    assert report.first.rule == rule, report.as_text()


def test_the_standalone_verifier_accepts_causes() -> None:
    layers, wrong = standalone_verify.verify(replay_with_orders())
    assert wrong is None, layers


def test_an_order_from_a_bots_seat_is_found() -> None:
    table = sit_down(GAME)
    table.take_command(HandOver(0, "random"))
    table.take_command(Play(0, {"type": "mark", "cell": 0}, ORDER))
    table.play(1, {"type": "resign"})
    report = verify(replay_file(table.events))
    assert report.first is not None
    assert report.first.rule == "authorship.order"
