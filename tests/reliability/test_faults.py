"""Under faults, the whole service loses nothing, duplicates nothing and is never late, as a checker verifies.

A short run is the default. `make soak` runs for SOAK_MINUTES with seeds from SOAK_SEED, and with every planted bug; it
prints the figures in `docs/reliability.md`. If SOAK_KEEP names a folder, the raw records are stored there.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service.event_store.log import MatchLog
from tests.reliability.faults import checker, history, mutants, report
from tests.reliability.faults.history import ClockChange, Fault, History, Request
from tests.reliability.faults.nemesis import FAULT_KINDS
from tests.reliability.faults.oracle import time_reached
from tests.reliability.faults.planted import PLANTS
from tests.reliability.faults.run import run_faults
from tests.reliability.faults.servers import (
    COMPILER,
    TORN_WRITE,
    end_of_last_command,
    stored_commands,
    torn_append,
)
from tests.reliability.log_servers import LogServer, embedded_binary
from tests.service.event_store.builders import append_texts

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
MINUTES = float(os.environ.get("SOAK_MINUTES", "5"))
SEED = int(os.environ.get("SOAK_SEED", "1"))
PAGE = Path(__file__).parents[2] / "docs/reliability.md"
KEEP = os.environ.get("SOAK_KEEP")
ALONE_SECONDS = 9.0
MOST_SHORT_RUNS = 3
"""Usually one run is enough; another is needed if it lacks the events for some mutant."""
ENOUGH = (80, 4)
"""Moves and finished matches needed to trigger bugs that act only sometimes."""
ROUND_SECONDS = 90.0
"""Duration of one service under faults; then its log is checked and the next one starts."""
SHORT = (
    *("kill one web process", "kill dispatcher", "kill bot worker", "kill log", "power cut", "torn append"),
    *("lose replies", "cut", "pause log", "flush queue", "clock forward", "clock back"),
)


@pytest.mark.full
@on_linux
def test_a_short_run_breaks_no_promise_and_every_mutant_of_its_record_is_caught(short_dir: Path) -> None:
    left = set(mutants.RECORDED)
    for again in range(MOST_SHORT_RUNS):
        # given: clients that play all games while processes are killed, replies lost, the power cut and clocks set,
        # and then all processes renewed
        folder, seed = short_dir / str(again), SEED + again
        found = run_faults(
            folder, seed=seed, seconds=11, harms=SHORT, most_moves=5, least=(40, 1), finally_=checker.RENEWAL
        )
        # then: the checker finds no violations ...
        assert checker.check(found) == []
        assert Counter(harm.name for harm in found.harms).total() > 3
        assert found.harms[-1].name == checker.RENEWAL
        # ... and it catches every mutant of the record by its own rule
        catches = mutants.rules_that_catch(found)
        missed = {name: rules for name, rules in catches.items() if mutants.RECORDED[name][1] not in rules}
        assert missed == {}
        # ... and any log line that is lost, duplicated, swapped or altered by one digit
        luck = Random(seed)
        corrupted = (mutants.corrupt_line(found, luck) for _ in range(40))
        assert [how for how, other in corrupted if not checker.check(other)] == []
        left -= catches.keys()
        if not left:
            break
    assert left == set(), "no record was suitable for these mutants"


# -- helpers of the checker -------------------------------------------------------------------------------------------


def test_outages_are_counted_once_and_other_faults_not_at_all() -> None:
    harms = [Fault("a", 10, 14, True), Fault("b", 12, 16, True), Fault("c", 17, 19, False), Fault("d", 30, 40, True)]
    assert checker.outage_within(harms, 0, 20) == 6
    assert checker.outage_within(harms, 13, 15) == 2
    assert checker.outage_within(harms, 16, 29) == 0
    assert checker.outage_within(harms, 35, 50) == 5


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ([(0, 100)], 50),  # the clock runs normally
        ([(0, 100), (10, 1000)], 10),  # it jumps past the deadline
        ([(0, 100), (60, 40)], None),  # it reaches the deadline and is set back for good
        ([(0, 100), (60, 40), (70, 200)], 70),  # ... and is set forward again
        ([(0, 20)], None),  # the run ends before the deadline
        ([(0, 160)], 5),  # the deadline had passed when the turn began
    ],
)
def test_a_deadline_passes_when_the_clock_reaches_it_for_good(
    sets: list[tuple[float, float]], expected: float | None
) -> None:
    assert time_reached([ClockChange(*each) for each in sets], 150, 5, 100) == expected


def test_a_torn_append_is_the_beginning_of_the_next_append_of_the_match_played_last(short_dir: Path) -> None:
    """Given two matches in the file of a real server, then the torn append continues the newer one, and never ends."""
    server = LogServer(embedded_binary(), short_dir / "server")
    server.start()
    with server.client() as client:
        log = MatchLog(client)
        append_texts(log, "00aaaaaaaaaaaaaaaa", 0, "created")
        append_texts(log, "00bbbbbbbbbbbbbbbb", 0, "created", "joined")
    server.kill()
    raw = server.file.read_bytes()
    assert end_of_last_command(raw) == len(raw)
    torn = {torn_append(raw, Random(seed)) for seed in range(300)}
    assert len(torn) > 100, "it ends anywhere"
    for each in torn:
        assert end_of_last_command(raw + each) == len(raw)
        commands = [found.words for found in stored_commands(each)]
        assert commands[0] == [b"MULTI"]
        assert [b"EXEC"] not in commands
        events = [found[1:3] for found in commands if found[0] == b"XADD" and b":log:" in found[1]]
        assert events == [[b"{ct:00}:log:00bbbbbbbbbbbbbbbb", b"%d-0" % ply] for ply in (3, 4)][: len(events)]
    most = max(torn, key=len)
    assert [b"XADD", b"{ct:00}:feed", b"3-0"] in [found.words[:3] for found in stored_commands(most)]
    # when: the file has no append, for instance after a rewrite, then: the torn one is about no match at all
    assert torn_append(b"", Random(0)) == TORN_WRITE


@pytest.mark.parametrize(
    ("op", "violations"),
    [
        ({"began": 12, "ended": 13}, []),  # answered at once
        ({"began": 12, "ended": 13, "tries": 2}, ["renewed"]),  # an error first
        ({"began": 12, "ended": 25, "status": None}, ["renewed"]),  # no answer
        ({"began": 12, "ended": 13, "strange": (502,)}, ["renewed"]),
        ({"began": 9, "ended": 13, "tries": 2}, []),  # it began before the renewal
        ({"began": 19, "ended": 31, "tries": 2}, []),  # another fault began before its answer
        ({"began": 12, "ended": 13, "tries": 2, "kind": "look"}, []),  # only moves are promised
    ],
)
def test_a_renewal_may_not_make_a_move_fail(op: dict[str, Any], violations: list[str]) -> None:
    harms = (Fault(checker.RENEWAL, 10, 20, False), Fault("kill web", 30, 31, False))
    assert [each.rule for each in checker.renewed(record_of(harms, op))] == violations


@pytest.mark.parametrize(
    ("op", "violations"),
    [
        ({"began": 5, "ended": 19.9}, []),  # it waited since the loss, not since its request
        ({"began": 5, "ended": 20.1}, ["went on"]),
        ({"began": 21, "ended": 31.5}, ["went on"]),  # the server is still away
        ({"began": 21, "ended": 31.5, "status": None}, ["went on"]),
        ({"began": 23, "ended": 40}, []),  # the server had returned
    ],
)
def test_moves_continue_after_the_loss_of_a_server(op: dict[str, Any], violations: list[str]) -> None:
    harms = (Fault("lose primary", 10, 22, True),)
    assert [each.rule for each in checker.went_on(record_of(harms, op))] == violations


@pytest.mark.parametrize(
    ("made", "since"),
    [
        ([], 0),
        ([(1, 30), (2, 60), (3, 90)], 90),  # the worker made older deliveries one after another
        ([(1, 30), (6, 60), (7, 90)], 30),  # newer ones overtook it
        ([(1, 130)], 0),  # the older one was made later
    ],
)
def test_only_older_notices_excuse_a_late_delivery(made: list[tuple[float, float]], since: float) -> None:
    """Given a notice that came up at 5 and was delivered at 100, then it waited at most since the last older one."""
    assert checker.worked_off(made, 5, 100) == since


def record_of(harms: tuple[Fault, ...], op: dict[str, Any]) -> History:
    """Return the record of a run with one request, a move by default."""
    request = Request(**{"client": "c", "author": "c", "kind": "move", "match": "m", "status": 201, **op})
    return History(
        **{"seed": 1, "began": 0, "ended": 60, "ops": (request,), "harms": harms, "clock": (), "matches": ()},
        **{"feed": (), "witnessed": (), "checkpoints": {}, "projected": {}, "derived": {}, "readers": ()},
        **{"taken": (), "complaints": ()},
    )


# -- the soak -------------------------------------------------------------------------------------------------------


@on_linux
@pytest.mark.soak
@pytest.mark.timeout(int(MINUTES * 60 * 3 + 600))
def test_nothing_is_lost_while_everything_breaks(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    histories: list[History] = []
    violations = []
    while sum(each.ended - each.began for each in histories) < MINUTES * 60:
        seed = SEED + len(histories)
        found = run_faults(
            tmp_path_factory.mktemp("soak"),
            seed=seed,
            seconds=min(ROUND_SECONDS, MINUTES * 60),
            harms=tuple(FAULT_KINDS),
        )
        keep(found, f"soak-{seed}")
        histories.append(found)
        violations += checker.check(found)
    catches: dict[str, list[str]] = {}
    for each in histories if not violations else ():
        catches = mutants.rules_that_catch(each) | catches
        if catches.keys() == mutants.RECORDED.keys():
            break
    with capsys.disabled():
        print(f"\n\n{report.figures(histories, violations)}\n\n{report.recoveries(histories)}")
        print(f"\nmutants of the record and the rules that caught each\n{report.mutants_table(catches)}")
        if not COMPILER:
            print("\nWithout a C compiler there were no power cuts and no slow disk.")
    assert violations == []
    assert catches.keys() == mutants.RECORDED.keys()
    assert all(mutants.RECORDED[name][1] in rules for name, rules in catches.items())


def test_every_plant_has_its_rules() -> None:
    assert mutants.PLANTED.keys() == PLANTS.keys()
    assert len(PLANTS) >= 12


def test_every_plant_fits_the_current_service() -> None:
    """A plant that changes nothing could not be caught."""
    plant_all = "from tests.reliability.faults.planted import PLANTS\nfor plant in PLANTS.values(): plant()"
    subprocess.run([sys.executable, "-c", plant_all], check=True, timeout=60)


def test_the_page_on_reliability_names_every_fault_and_every_mutant() -> None:
    text = PAGE.read_text()
    assert [name for name in FAULT_KINDS if f"| {name} |" not in text] == []
    assert [name for name in (*PLANTS, *mutants.RECORDED) if f"| `{name}` |" not in text] == []


@on_linux
@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_recovery_time_of_each_fault(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each fault alone, with time to recover before the next one."""
    found = run_faults(
        tmp_path_factory.mktemp("alone"),
        seed=SEED,
        seconds=(ALONE_SECONDS + 3) * len(FAULT_KINDS),
        harms=tuple(FAULT_KINDS),
        between=(ALONE_SECONDS, ALONE_SECONDS),
    )
    keep(found, "alone")
    with capsys.disabled():
        print(f"\n\n{report.recoveries([found])}")
    assert checker.check(found) == []


@on_linux
@pytest.mark.soak
@pytest.mark.timeout(900)
def test_one_of_three_log_servers_is_lost_again_and_again(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """The primary and replicas are lost and all processes renewed. Moves continue within ten seconds, and none is
    lost."""
    found = run_faults(
        tmp_path_factory.mktemp("three"),
        seed=SEED,
        seconds=MINUTES * 60,
        harms=(*checker.LOSSES, checker.RENEWAL),
        three_servers=True,
    )
    keep(found, "three")
    with capsys.disabled():
        print(f"\n\n{report.recoveries([found])}")
    assert {harm.name for harm in found.harms} >= set(checker.LOSSES)
    assert checker.check(found) == []
    assert "went on" in mutants.rules_that_catch(found)["waited_for_a_failover"]


@on_linux
@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", mutants.PLANTED)
def test_a_planted_fault_is_caught(
    name: str, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    plant = mutants.PLANTED[name]
    if "power cut" in plant.harms and not COMPILER:
        pytest.skip("power cuts need a C compiler")
    folder = tmp_path_factory.mktemp("plant")
    found = run_faults(
        folder,
        seed=SEED,
        seconds=plant.seconds,
        harms=plant.harms,
        plant=name,
        promised=plant.promised,
        most_moves=6,
        least=ENOUGH,
    )
    keep(found, name)
    caught = Counter(violation.rule for violation in checker.check(found, plant.promised))
    with capsys.disabled():
        words = (PLANTS[name].__doc__ or "").strip()
        print(f"\n{name:<30} {words:<84} {', '.join(sorted(caught)) or 'NOT CAUGHT'}")
    assert plant.rules & caught.keys()


@on_linux
@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name, plant in mutants.PLANTED.items() if "in time" in plant.rules])
def test_without_the_planted_fault_nothing_is_late(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Without the planted fault there is no delay. Otherwise the injected faults could be its cause."""
    plant, folder = mutants.PLANTED[name], tmp_path_factory.mktemp("control")
    found = run_faults(
        folder, seed=SEED, seconds=plant.seconds, harms=plant.harms, promised=plant.promised, most_moves=6
    )
    assert checker.check(found, plant.promised) == []


def keep(found: History, name: str) -> None:
    """Store the raw record if SOAK_KEEP is set."""
    if KEEP:
        Path(KEEP).mkdir(parents=True, exist_ok=True)
        history.write(found, Path(KEEP) / f"{name}.json")
