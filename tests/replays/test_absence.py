"""Verification of matches that end early and of seats handed over before a first move (rule `clocks.absence`)."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from domain.kernel.events import TimeControl
from domain.kernel.registry import find_game
from domain.match.absence import FIRST_MOVE_SECONDS
from domain.match.commands import Abort, ClaimLoss, Create, LeaveSeat, Play, Propose, RemovePlayer, SeatSpec, TakeSeat
from domain.match.durations import DAY
from domain.match.lobby import create
from replays.file import encode_replay
from replays.standalone_verify import main
from replays.standalone_verify import verify as verify_alone
from replays.verify import verify
from tests.builders import EPOCH, Table, secrets_of, sit_down
from tests.domain.match.test_clock import GAME, hours, mark
from tests.replays.forge import Entries, Entry, forge_replay

LIMIT = hours(FIRST_MOVE_SECONDS / 3600)
LONG_BANK = TimeControl(kind="bank", seconds=30 * DAY)


def raw_file(table: Table) -> bytes:
    """Return the replay file of a match."""
    return b"".join(encode_replay(table.events))


def ended_for_absence() -> Table:
    """Return a match that the second player ended because the first one never moved."""
    table = sit_down(GAME)
    table.take_command(Abort(1), EPOCH + LIMIT)
    return table


def aborted() -> Table:
    """Return a match that the second player aborted after the first one had moved."""
    table = sit_down(GAME)
    table.take_command(mark(0, 4))
    table.take_command(Abort(1))
    return table


def claimed() -> Table:
    """Return a rated match in which the second player claimed the loss of the first one."""
    table = sit_down(GAME, rated=True, clock=LONG_BANK, shares=(True, True))
    since = table.match.waiting_since
    assert since is not None
    table.take_command(ClaimLoss(1, 0), since + LIMIT)
    return table


def replaced() -> Table:
    """Return a match in which a bot replaced a player who never moved."""
    table = sit_down(GAME)
    table.take_command(Propose(seat=1, what="hand_over", of=0, level="greedy"), EPOCH + LIMIT)
    table.take_command(Play(1, {"type": "resign"}), EPOCH + 2 * LIMIT)
    return table


def removed() -> Table:
    """Return a match from which the creator removed a player before the start."""
    luck = secrets_of(GAME, "removed", match="m01")
    seats = (SeatSpec("human", player="ann"), SeatSpec("open"), SeatSpec("open"))
    made = create(Create(match="m01", game="pie_contest", creator="ann", options={}, seats=seats), EPOCH, luck)
    table = Table(luck, made.match, list(made.events))
    for command in (TakeSeat(1, "bob"), RemovePlayer("ann", 1, keep=True), TakeSeat(1, "ann"), LeaveSeat(1)):
        table.take_command(command)
    for seat, player in ((1, "cid"), (2, "dora")):
        table.take_command(TakeSeat(seat, player))
    for seat in (0, 1):
        table.take_command(Play(seat, {"type": "resign"}))
    return table


def old_protocol() -> Table:
    """Return a match with luck protocol 1 that ended because of an absent player."""
    table = sit_down(find_game("tic_tac_toe", 1))
    table.take_command(Abort(1), EPOCH + LIMIT)
    return table


@pytest.mark.parametrize(
    ("build", "change"),
    [(ended_for_absence, "a_second_earlier"), (aborted, "by_a_player_who_moved"), (claimed, "claimed_a_day_early"),
     (ended_for_absence, "by_the_absent_player")],
)  # fmt: skip
def test_the_script_says_that_it_does_not_check_early_ends(
    build: Any, change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given a forged early end that only the rules can refute, then the engine refuses the file, and the script says
    that early ends are not checked."""
    raw = forge_replay(raw_file(build()), globals()[change])
    assert not verify(raw).ok
    file = tmp_path / "forged"
    file.write_bytes(raw)
    assert main([str(file)]) == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines[1:]] == ["file", "chain", "seed", "draws", "rules"]
    assert lines[-1][1].startswith("not checked  moves, scores, deadlines and early ends need the rules")


@pytest.mark.parametrize("build", [ended_for_absence, aborted, claimed, replaced, removed, old_protocol])
def test_an_honest_file_verifies_in_the_engine_and_the_script(build: Any) -> None:
    raw = raw_file(build())
    report = verify(raw)
    assert report.ok, report.as_text()
    assert verify_alone(raw)[1] is None


def test_all_kinds_of_early_ends_are_in_these_files() -> None:
    """Given these matches, then they have every new field and reason, so the test above covers them."""
    events = [event for build in (ended_for_absence, aborted, claimed, removed) for event in build().events]
    assert {getattr(event, "reason", UNSET) for event in events} >= {"absent", "aborted"}
    assert {getattr(event, "by", UNSET) for event in events} >= {1}
    assert {getattr(event, "removed", UNSET) for event in events} >= {True}


def first(events: Entries, kind: str) -> Entry:
    """Return the first event of a kind."""
    return next(event for event in events if event["kind"] == kind)


# -- forged files -------------------------------------------------------------------------------------------------


def a_second_earlier(events: Entries) -> None:
    """Move the end of the match to a second before the time is over."""
    for event in events[-2:]:
        event["at"] = "2026-01-04T11:59:59Z"


def by_the_absent_player(events: Entries) -> None:
    """Let the absent player end the match."""
    first(events, "cancelled")["seat"] = 0


def without_a_seat(events: Entries) -> None:
    """Leave out who ended the match."""
    first(events, "cancelled")["seat"] = None


def of_the_other_seat(events: Entries) -> None:
    """Name the wrong seat as absent."""
    first(events, "cancelled")["seats"] = [1]


def by_the_creator(events: Entries) -> None:
    """Cancel a match that is being played, as if it were open."""
    cancelled = first(events, "cancelled")
    cancelled["seat"] = None
    del cancelled["reason"]


def by_a_player_who_moved(events: Entries) -> None:
    """Let the player who has moved abort the match."""
    first(events, "cancelled")["seat"] = 0


def called_rated(events: Entries) -> None:
    """Claim that the match was rated."""
    events[0]["rated"] = True


def claimed_a_day_early(events: Entries) -> None:
    """Claim the loss before the time is over, with the deadline that it had."""
    for event in events[events.index(first(events, "expired")) :]:
        event["at"] = "2026-01-03T12:00:00Z"


def claimed_by_the_same_seat(events: Entries) -> None:
    """Let a seat claim its own loss."""
    first(events, "expired")["by"] = 0


def claimed_with_another_deadline(events: Entries) -> None:
    """Change the deadline of a claim."""
    first(events, "expired")["deadline"] = "2026-01-04T12:00:00Z"


def asked_a_second_earlier(events: Entries) -> None:
    """Ask for the seat a second before the time is over."""
    for kind in ("proposed", "handed_over"):
        first(events, kind)["at"] = "2026-01-04T11:59:59Z"


def kept_without_removal(events: Entries) -> None:
    """Keep a seat whose player was not removed."""
    del first(events, "seat_left")["removed"]


def removed_is_false(events: Entries) -> None:
    """Write the default value of a field."""
    first(events, "seat_left")["removed"] = False


@pytest.mark.parametrize(
    ("build", "change", "rule"),
    [
        (ended_for_absence, a_second_earlier, "clocks.absence"),
        (ended_for_absence, by_the_absent_player, "clocks.absence"),
        (ended_for_absence, without_a_seat, "lifecycle.shape"),
        (ended_for_absence, of_the_other_seat, "clocks.absence"),
        (ended_for_absence, called_rated, "lifecycle.order"),
        (old_protocol, a_second_earlier, "clocks.absence"),
        (old_protocol, called_rated, "lifecycle.order"),
        (aborted, by_the_creator, "lifecycle.order"),
        (aborted, by_a_player_who_moved, "clocks.absence"),
        (claimed, claimed_a_day_early, "clocks.absence"),
        (claimed, claimed_by_the_same_seat, "clocks.absence"),
        (claimed, claimed_with_another_deadline, "clocks.absence"),
        (replaced, asked_a_second_earlier, "lifecycle.consent"),
        (removed, kept_without_removal, "lifecycle.shape"),
        (removed, removed_is_false, "lifecycle.shape"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_false_early_end_is_found_even_if_the_chain_holds(build: Any, change: Any, rule: str) -> None:
    report = verify(forge_replay(raw_file(build()), change))
    failed = {layer.divergence.rule for layer in report.layers if layer.divergence}
    assert rule in failed, report.as_text()
