"""A fuzzer on replay files: whatever stands in one, the verifiers say what is wrong, and neither fall over nor hang.

Files are spoilt in their bytes, in their lines, and in their values with the chain made whole again, so that every
layer gets to see something hostile. Short in every run. In the soak it goes on for CRUMBTRAIL_FUZZ_MINUTES (60).
"""

import json
import os
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright._impl._driver import compute_driver_executable

from domain.kernel.chance import Fast
from domain.kernel.registry import games
from replays import standalone_verify
from replays.file import MAX_FILE, ReplayError, read_replay
from replays.replay import Replay
from replays.verify import verify
from tests.builders import play_match, replay_file, sit_down, step
from tests.contract.mutants import leaves, with_value_at
from tests.replays.forge import forge_replay, rechain, reseal

MINUTES = float(os.environ.get("CRUMBTRAIL_FUZZ_MINUTES", "60"))
LONGEST = timedelta(seconds=20)
"""For one file, in all verifiers, on a machine that has other things to do."""
MORE_MEMORY = 300 * 2**20
"""Bytes by which the process may grow over all files."""
MOST_TAMPERED = 3


VERIFIER = Path(__file__).parents[2] / "service/web/static/js/verifier.js"
CHECK = """
import { readFileSync } from "fs";
import { verify } from "%s";
for (const path of process.argv.slice(2)) {
  const { ok } = await verify(new Uint8Array(readFileSync(path)));
  console.log(JSON.stringify(ok));
}
"""


@cache
def corpus() -> tuple[bytes, ...]:
    """A short match of every game, whole and as the public part of one that runs."""
    return tuple(raw for slug in games() for raw in files(slug))


def files(slug: str) -> Iterator[bytes]:
    """A match with an early resignation, and one under play."""
    yield replay_file(play_match(games()[slug], resign_in=6, seed=slug))
    table, chance = sit_down(games()[slug], seed=slug), Fast(slug)
    for _ in range(4):
        step(table, chance)
    yield replay_file(table.events)


hostile = st.one_of(
    st.sampled_from(
        (None, True, -1, 0, 1, 2**31, 2**53, 2**53 - 1, 2**64, 10**300, 1e300, 0.5, "", "\0", "x" * 5000, [], {}, [[]])
    ),
    st.integers(),
    st.text(max_size=6),
    st.sampled_from(("1969-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z", "2026-01-01T00:00:00+25:00", "0" * 64)),
)
bytes_put = st.sampled_from(
    (
        *(b"", b"\0", b"\xff\xfe", b"[" * 20_000, b'{"a":' * 9_000, b"1" * 20_000),
        *(b"-", b"1e999", b"NaN", b"\n", b'"', b"\\ud800"),
    )
)


@st.composite
def spoilt_bytes(draw: st.DrawFn, raw: bytes) -> bytes:
    """Bytes cut out and others put in, a few times."""
    for _ in range(draw(st.integers(1, MOST_TAMPERED))):
        at, cut = draw(st.integers(0, len(raw))), draw(st.integers(0, 40))
        raw = raw[:at] + draw(bytes_put | st.binary(max_size=4)) + raw[at + cut :]
    return raw


@st.composite
def spoilt_lines(draw: st.DrawFn, raw: bytes) -> bytes:
    """Lines lost, doubled, swapped, or from another file."""
    lines = raw.splitlines(keepends=True)
    others = draw(st.sampled_from(corpus())).splitlines(keepends=True)
    for _ in range(draw(st.integers(1, MOST_TAMPERED))):
        one, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                lines[one : one + 1] = []
            case 1:
                lines.insert(one, lines[other])
            case 2:
                lines[one], lines[other] = lines[other], lines[one]
            case _:
                lines[one] = draw(st.sampled_from(others))
        lines = lines or others
    return b"".join(lines)


@st.composite
def spoilt_values(draw: st.DrawFn, raw: bytes) -> bytes:
    """Hostile values in events, the frame and the chain made to fit again."""
    seal = draw(st.sampled_from((rechain, reseal)))

    def change(events: list[Any]) -> list[Any]:
        for _ in range(draw(st.integers(1, MOST_TAMPERED))):
            ply = draw(st.integers(0, len(events) - 1))
            path = draw(st.sampled_from([path for path, _ in leaves(events[ply], ())]))
            events[ply] = with_value_at(events[ply], path, draw(hostile))
        return events

    try:
        return forge_replay(raw, change, seal=seal)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return raw[:-1]  # what even the forger cannot make fit


@st.composite
def tampered(draw: st.DrawFn) -> bytes:
    """A file of the corpus, spoilt in one of the three ways."""
    raw = draw(st.sampled_from(corpus()))
    return draw(draw(st.sampled_from((spoilt_bytes, spoilt_lines, spoilt_values, spoilt_values)))(raw))


def survive(raw: bytes) -> None:
    """Give a file to everything that reads files; fails if any of it does anything but its work."""
    report = verify(raw)
    layers, wrong = standalone_verify.verify(raw)
    assert report.verdict in ("verified", "unfinished", "failed")
    assert (report.first is not None) == (report.verdict == "failed")
    assert all("Traceback" not in layer.sentence for layer in report.layers)
    assert all("Traceback" not in sentence for _, _, sentence in layers)
    assert report.first is not None or wrong is None, "the script that knows no rules finds what the engine does not"
    with suppress(ReplayError):
        assert isinstance(read_replay(raw), Replay)


settled = settings(deadline=LONGEST, suppress_health_check=list(HealthCheck), database=None)


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_the_corpus_is_sound() -> None:
    assert len(corpus()) == 2 * len(games())
    assert [verify(raw).verdict for raw in corpus()] == ["verified", "unfinished"] * len(games())


def test_hostile_files_are_read_to_their_first_fault() -> None:
    before = peak()
    settings(settled, max_examples=120)(given(tampered())(survive))()
    assert peak() - before < MORE_MEMORY


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_hostile_files_are_read_to_their_first_fault_for_an_hour() -> None:
    until, count, before = time.monotonic() + MINUTES * 60, 0, peak()
    while time.monotonic() < until:
        settings(settled, max_examples=1000)(given(tampered())(survive))()
        count += 1000
    print(f"replay files: {count} files in {MINUTES:g} minutes, {(peak() - before) / 2**20:.0f} MiB more memory")
    assert peak() - before < MORE_MEMORY


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**64, 10**300])
def test_a_number_that_not_every_reader_takes_for_the_same_is_refused_wherever_it_stands(number: int) -> None:
    """Found by this fuzzer: in a sealed part nobody decides the facts again, so one could stand there."""

    def change(events: list[Any]) -> None:
        event = next(event for event in reversed(events) if event["facts"])
        event["facts"][-1]["round"] = number

    for raw in corpus():
        report = verify(forge_replay(raw, change))
        assert report.first is not None
        assert report.first.rule in ("file.canonical", "file.json")
        assert standalone_verify.verify(forge_replay(raw, change))[1] is not None


@pytest.mark.slow
def test_an_empty_share_of_the_luck_is_not_read_as_none() -> None:
    """Found by this fuzzer: the engine took the empty one for the word `none`, with which the draws were made."""

    def change(events: list[Any]) -> None:
        taken = next(event for event in events if event["kind"] == "seat_taken")
        taken["client_seed"] = ""
        started = next(event for event in events if event["kind"] == "started")
        started["client_seeds"][taken["seat"]] = ""

    drawn = [raw for raw in corpus() if standalone_verify.verify(forge_replay(raw, change, seal=reseal))[1] is not None]
    assert len(drawn) >= len(games()) - 1, "every game but Tic-tac-toe draws"
    for raw in drawn:
        assert verify(forge_replay(raw, change, seal=reseal)).first is not None


def test_a_fact_that_says_nothing_of_the_board_does_not_end_the_script() -> None:
    """Found by this fuzzer: things were dealt onto a board without sections, and it was divided by nought."""

    def change(events: list[Any]) -> None:
        for event in events:
            for fact in event["facts"]:
                if "layout" in fact:
                    fact["layout"] = {}

    for raw in list(files("take_the_cake"))[:1]:
        assert verify(forge_replay(raw, change)).first is not None
        assert standalone_verify.verify(forge_replay(raw, change))[1] is not None


def test_the_verifier_of_the_pages_says_no_to_them_as_well(tmp_path: Path) -> None:
    """Its own code, in the JavaScript engine that comes with the browser of the tests."""
    kept: list[bytes] = []

    def keep(raw: bytes) -> None:
        kept.append(raw)

    settings(settled, max_examples=60)(given(tampered())(keep))()
    paths = [tmp_path / str(n) for n in range(len(kept))]
    for path, raw in zip(paths, kept, strict=True):
        path.write_bytes(raw)
    (tmp_path / "check.mjs").write_text(CHECK % VERIFIER.as_uri())
    command = [compute_driver_executable()[0], str(tmp_path / "check.mjs"), *map(str, paths)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(found) == len(kept)
    for raw, ok in zip(kept, found, strict=True):
        assert ok == (standalone_verify.verify(raw)[1] is None), raw[:300]


@pytest.mark.slow
def test_files_of_any_size_take_little_memory_and_time() -> None:
    """The bombs that a fuzzer would not find in a lifetime: as large, as deep and as many as can be."""
    header, first, *_ = corpus()[0].splitlines(keepends=True)
    fact = json.dumps({"type": "x"}).encode()
    bombs = [
        b"\n" * (MAX_FILE + 1),
        b"\n" * 1_000_000,
        b"[" * 2**20 + b"\n",
        header * 100_000,
        header + first * 20_000,
        header + first + b'{"facts":[' + fact * 10_000 + b"]}\n" + b"{}\n",
        header + first.replace(b'"options":{}', b'"options":{"a":' + b"9" * 500_000 + b"}") + b"{}\n",
        b'{"crumbtrail":"replay/v2","events":' + b"9" * 100_000 + b"}\n{}\n{}\n",
    ]
    before, began = peak(), time.process_time()
    for raw in bombs:
        survive(raw)
        assert not verify(raw).ok
    assert peak() - before < MORE_MEMORY
    assert time.process_time() - began < 30
