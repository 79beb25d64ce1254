"""Disputes on which no arbiter rules: the server follows the audit's verdict after 14 days, and verifiers check it."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest

from domain.kernel.chance import Fast
from domain.kernel.events import Resolved, final_outcome
from domain.kernel.game import Outcome
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.commands import CloseDispute, RecordVerdict, ResolveDispute
from domain.match.disputes import RULING_PERIOD, RULINGS_AFTER_END, RULINGS_DURING_PLAY, next_ruling_at
from replays import standalone_verify
from replays.verify import verify
from tests.builders import EPOCH, PACE, Table, greedy_agent, play_on, replay_file, sit_down, step
from tests.domain.match.test_disputes import raise_heard_dispute, refusal, submit
from tests.replays.forge import Entries, of_kind
from tests.replays.test_court import reframed

GAME = find_game("tic_tac_toe")
MINUTE = timedelta(minutes=1)


def finished_table() -> Table:
    table = sit_down(GAME)
    play_on(table, Fast("end"), greedy_agent)
    return table


def running_table() -> Table:
    table, chance = sit_down(GAME), Fast("run")
    for _ in range(3):
        step(table, chance, greedy_agent)
    return table


def due_at(table: Table, number: int) -> datetime:
    """Return when the arbiters' time to rule on a dispute ends."""
    return table.events[number - 1].at + RULING_PERIOD


def close(table: Table, number: int, now: datetime) -> Resolved[Any, Any]:
    """Let the server rule, and return its event."""
    (event,) = table.take_command(CloseDispute(number), now)
    assert isinstance(event, Resolved)
    return event


# -- when and how the server rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("holds", "ruling"), [(True, "stands"), (False, "annulled")])
def test_a_finished_match_is_ruled_by_the_verdict_after_14_days(holds: bool, ruling: str) -> None:
    # given: a finished match with a dispute and its verdict
    table = finished_table()
    number = raise_heard_dispute(table, 6, holds=holds)
    due, outcome = due_at(table, number), table.match.outcome
    assert next_ruling_at(table.match) == due
    # when: a moment before the 14 days are over, then after them
    with pytest.raises(MatchRefused, match="Arbiters have until") as early:
        table.take_command(CloseDispute(number), due - MINUTE)
    event = close(table, number, due)
    # then
    assert early.value.code == "not_due"
    assert (event.ruling, event.arbiter, event.cause, event.to_ply) == (ruling, None, "no_ruling", None)
    assert table.match.outcome == (outcome if holds else None) == final_outcome(table.events)
    assert next_ruling_at(table.match) is None
    with pytest.raises(MatchRefused):
        close(table, number, due)  # once


def test_a_running_match_without_a_fault_continues() -> None:
    table = running_table()
    number = raise_heard_dispute(table, 5)
    assert close(table, number, due_at(table, number)).ruling == "goes_on"
    assert table.match.status == "playing"


def test_a_running_match_with_a_fault_waits_for_an_arbiter_and_is_annulled_when_it_is_over() -> None:
    # given: a running match with a fault
    table = running_table()
    number = raise_heard_dispute(table, 5, holds=False)
    assert next_ruling_at(table.match) is None
    with pytest.raises(MatchRefused, match="can't rule"):
        close(table, number, due_at(table, number) + MINUTE)
    # when: it ends
    play_on(table, Fast("end"), greedy_agent)
    # then
    assert close(table, number, due_at(table, number)).ruling == "annulled"


def test_a_later_failed_audit_counts_for_an_earlier_dispute() -> None:
    table = finished_table()
    number = raise_heard_dispute(table, 6)
    submit(table, RecordVerdict(None, False, "score", 6, "T1"))
    assert close(table, number, due_at(table, number)).ruling == "annulled"


def test_without_a_verdict_the_server_waits_for_it() -> None:
    table = finished_table()
    number = raise_heard_dispute(table, 6)
    unheard = sit_down(GAME)
    unheard.take(table.events[len(unheard.events) : number])
    with pytest.raises(MatchRefused, match="can't rule"):
        close(unheard, number, due_at(table, number))


def test_an_arbiter_can_still_rule_after_the_14_days_until_the_server_has() -> None:
    table = finished_table()
    number = raise_heard_dispute(table, 6)
    table.take_command(ResolveDispute(number, "annulled", "judge"), due_at(table, number) + MINUTE)
    assert table.match.disputes[0].resolved_by == "judge"
    assert next_ruling_at(table.match) is None


# -- what arbiters read -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [running_table(), finished_table()], ids=["running", "over"])
@pytest.mark.parametrize("to_ply", [None, 4])
@pytest.mark.parametrize("ruling", sorted(RULINGS_AFTER_END | RULINGS_DURING_PLAY))
def test_refused_rulings_are_explained_without_codes(table: Table, ruling: Any, to_ply: int | None) -> None:
    before = Table(table.luck, table.match, list(table.events))
    number = raise_heard_dispute(before, 6)
    command = ResolveDispute(number, ruling, "judge", to_ply)
    with suppress(MatchRefused):
        submit(before, command)
    # when: the same ruling is given again, which is refused even if the first one was not
    with pytest.raises(MatchRefused) as refused:
        submit(before, command)
    # then
    assert "_" not in refused.value.message, refused.value.message


def test_a_ruling_without_its_move_says_what_to_enter() -> None:
    over, running = finished_table(), running_table()
    for table, ruling, words in (
        (over, "result_of", "Enter the number of the earlier move that has the score that counts."),
        (running, "rolled_back", "Enter the number of the earlier move that the match goes back to."),
    ):
        number = raise_heard_dispute(table, 6)
        with pytest.raises(MatchRefused) as refused:
            submit(table, ResolveDispute(number, ruling, "judge"))  # type: ignore[arg-type]
        assert (refused.value.code, refused.value.message) == ("bad_ruling", words)
        assert refusal(table, ResolveDispute(number, "goes_on" if table is over else "stands", "judge")) == "bad_ruling"


# -- verifiers --------------------------------------------------------------------------------------------------------


def ruled_by_server(holds: bool = True) -> bytes:
    """Return the file of a match on which the server ruled."""
    table = finished_table()
    number = raise_heard_dispute(table, 6, holds=holds)
    close(table, number, due_at(table, number) + MINUTE)
    return replay_file(table.events)


@pytest.mark.parametrize("holds", [True, False])
def test_a_file_with_a_ruling_by_the_server_verifies_with_and_without_our_code(holds: bool) -> None:
    raw = ruled_by_server(holds)
    report = verify(raw)
    assert report.ok, report.as_text()
    layers, wrong = standalone_verify.verify(raw)
    assert wrong is None, layers


def too_early(events: Entries) -> None:
    of_kind(events, "resolved")[0]["at"] = of_kind(events, "audited")[0]["at"]


def against_the_verdict(events: Entries) -> None:
    of_kind(events, "resolved")[0]["ruling"] = "annulled"


def with_an_arbiter_too(events: Entries) -> None:
    of_kind(events, "resolved")[0]["arbiter"] = "judge"


def without_a_cause(events: Entries) -> None:
    del of_kind(events, "resolved")[0]["cause"]


def with_an_odd_cause(events: Entries) -> None:
    of_kind(events, "resolved")[0]["cause"] = "mood"


@pytest.mark.parametrize("change", [too_early, against_the_verdict, with_an_arbiter_too, without_a_cause])
def test_a_forged_ruling_by_the_server_is_found(change: Callable[[Entries], None]) -> None:
    report = verify(reframed(ruled_by_server(), change))
    assert report.first is not None
    assert report.first.rule == "lifecycle.court", report.as_text()


@pytest.mark.parametrize(("field", "value"), [("cause", "mood"), ("cause", {}), ("arbiter", 7)])
def test_a_malformed_ruling_is_refused_by_both_verifiers(field: str, value: Any) -> None:
    def change(events: Entries) -> None:
        of_kind(events, "resolved")[0][field] = value

    raw = reframed(ruled_by_server(), change)
    report, (_, wrong) = verify(raw), standalone_verify.verify(raw)
    assert report.first is not None
    assert wrong is not None
    assert wrong.rule == "file.json"


def test_the_given_outcome_is_not_touched_by_a_ruling_that_it_stands() -> None:
    table = finished_table()
    outcome = table.match.outcome
    assert isinstance(outcome, Outcome)
    number = raise_heard_dispute(table, 6)
    close(table, number, EPOCH + PACE * table.match.ply + RULING_PERIOD)
    assert table.match.outcome == outcome
