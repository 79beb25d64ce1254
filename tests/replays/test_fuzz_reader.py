"""A fuzzer for replay files: the verifiers report an error for any content, and do not crash or hang.

Files are corrupted in their bytes, in their lines, or in their values with a recomputed chain, so that every layer
sees hostile input. Short in every run; the soak runs it for CRUMBTRAIL_FUZZ_MINUTES (60).
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
from domain.kernel.registry import find_game, games
from replays import standalone_verify
from replays.file import MAX_FILE, ReplayError, read_replay
from replays.replay import Replay
from replays.verify import verify
from tests.builders import play_match, replay_file, sit_down, step
from tests.contract.mutants import leaves, with_value_at
from tests.replays.forge import forge_replay, rechain, reseal

MINUTES = float(os.environ.get("CRUMBTRAIL_FUZZ_MINUTES", "60"))
LONGEST = timedelta(seconds=20)
"""Maximum time for one file in all verifiers, on a busy machine."""
MORE_MEMORY = 300 * 2**20
"""Maximum growth of the process over all files, in bytes."""
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
    """Return a short finished match and a running match of every game, as files."""
    return tuple(raw for slug in games() for raw in files(slug))


def files(slug: str, version: int | None = None) -> Iterator[bytes]:
    """Yield a match with an early resignation and a running match. Rules version 1 has luck protocol 1."""
    game = find_game(slug, version)
    yield replay_file(play_match(game, resign_in=6, seed=slug))
    table, chance = sit_down(game, seed=slug), Fast(slug)
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
def corrupted_bytes(draw: st.DrawFn, raw: bytes) -> bytes:
    """Remove and insert some bytes, a few times."""
    for _ in range(draw(st.integers(1, MOST_TAMPERED))):
        at, cut = draw(st.integers(0, len(raw))), draw(st.integers(0, 40))
        raw = raw[:at] + draw(bytes_put | st.binary(max_size=4)) + raw[at + cut :]
    return raw


@st.composite
def corrupted_lines(draw: st.DrawFn, raw: bytes) -> bytes:
    """Remove, duplicate, swap or replace some lines."""
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
def corrupted_values(draw: st.DrawFn, raw: bytes) -> bytes:
    """Put hostile values in events, and recompute the frame and the chain."""
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
        return raw[:-1]  # the forger cannot handle these values


@st.composite
def tampered(draw: st.DrawFn) -> bytes:
    """Return a file of the corpus, corrupted in one of the three ways."""
    raw = draw(st.sampled_from(corpus()))
    return draw(draw(st.sampled_from((corrupted_bytes, corrupted_lines, corrupted_values, corrupted_values)))(raw))


def survive(raw: bytes) -> None:
    """Check that everything that reads files handles this file."""
    report = verify(raw)
    layers, wrong = standalone_verify.verify(raw)
    assert report.verdict in ("verified", "unfinished", "failed")
    assert (report.first is not None) == (report.verdict == "failed")
    assert all("Traceback" not in layer.sentence for layer in report.layers)
    assert all("Traceback" not in sentence for _, _, sentence in layers)
    assert report.first is not None or wrong is None, "the standalone script found an error that the engine did not"
    with suppress(ReplayError):
        assert isinstance(read_replay(raw), Replay)


settled = settings(deadline=LONGEST, suppress_health_check=list(HealthCheck), database=None)


def peak() -> int:
    """Return the peak memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_the_corpus_verifies() -> None:
    assert len(corpus()) == 2 * len(games())
    assert [verify(raw).verdict for raw in corpus()] == ["verified", "unfinished"] * len(games())


def test_hostile_files_get_a_report() -> None:
    before = peak()
    settings(settled, max_examples=120)(given(tampered())(survive))()
    assert peak() - before < MORE_MEMORY


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_hostile_files_get_a_report_for_an_hour() -> None:
    until, count, before = time.monotonic() + MINUTES * 60, 0, peak()
    while time.monotonic() < until:
        settings(settled, max_examples=1000)(given(tampered())(survive))()
        count += 1000
    print(f"replay files: {count} files in {MINUTES:g} minutes, {(peak() - before) / 2**20:.0f} MiB more memory")
    assert peak() - before < MORE_MEMORY


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**64, 10**300])
def test_a_number_that_json_readers_read_differently_is_refused_in_any_fact(number: int) -> None:
    """Found by this fuzzer: facts in a public part are not re-executed, so they could contain such a number."""

    def change(events: list[Any]) -> None:
        event = next(event for event in reversed(events) if event["facts"])
        event["facts"][-1]["round"] = number

    for raw in corpus():
        report = verify(forge_replay(raw, change))
        assert report.first is not None
        assert report.first.rule in ("file.canonical", "file.json")
        assert standalone_verify.verify(forge_replay(raw, change))[1] is not None


@pytest.mark.slow
def test_an_empty_client_seed_is_not_read_as_none() -> None:
    """Found by this fuzzer: the engine read an empty client seed as the word `none`, and drew from that."""

    def change(events: list[Any]) -> None:
        taken = next(event for event in events if event["kind"] == "seat_taken")
        taken["client_seed"] = ""
        started = next(event for event in events if event["kind"] == "started")
        started["client_seeds"][taken["seat"]] = ""

    old = [raw for slug in games() for raw in files(slug, 1)]
    drawn = [raw for raw in old if standalone_verify.verify(forge_replay(raw, change, seal=reseal))[1] is not None]
    assert len(drawn) >= len(games()) - 1, "every game except Tic-tac-toe has draws"
    for raw in drawn:
        assert verify(forge_replay(raw, change, seal=reseal)).first is not None


def test_an_empty_board_does_not_crash_the_script() -> None:
    """Found by this fuzzer: dealing things onto a board without sections divided by zero."""

    def change(events: list[Any]) -> None:
        for event in events:
            for fact in event["facts"]:
                if "layout" in fact:
                    fact["layout"] = {}

    for raw in list(files("take_the_cake"))[:1]:
        assert verify(forge_replay(raw, change)).first is not None
        assert standalone_verify.verify(forge_replay(raw, change))[1] is not None


def test_the_browser_verifier_agrees_with_the_script(tmp_path: Path) -> None:
    """Runs the JavaScript verifier in the engine that comes with the test browser."""
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
    """Extreme files that a fuzzer would hardly find: very large, deeply nested, or with very many lines."""
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
