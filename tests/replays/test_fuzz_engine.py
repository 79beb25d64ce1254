"""A fuzzer for the engine protocol: every request gets one answer line, without internal errors and in time.

Normal runs are short. The soak runs it for CRUMBTRAIL_FUZZ_MINUTES (60).
"""

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.kernel.registry import games
from replays.engine_protocol import MAX_MOVES_LISTED, MAX_REQUEST, OPS, Engine
from tools.goldens import HERE

MINUTES = float(os.environ.get("CRUMBTRAIL_FUZZ_MINUTES", "60"))
LONGEST = timedelta(seconds=20)
"""Maximum time for a session of hostile requests, on a busy machine."""
MOST_MEMORY = 400 * 2**20
"""Maximum memory of an engine process with all games loaded, in bytes."""
CORPUS = [json.loads(line) for path in sorted(HERE.glob("*/*.ndjson")) for line in path.read_text().splitlines()[1:40]]
MOVES = [line["move"] for line in CORPUS if line.get("move")][:400]
DOCUMENTS = [line["position"] for line in CORPUS if line.get("position")]

hostile = st.one_of(
    st.sampled_from(
        (None, True, -1, 0, 2**31, 2**53, 2**64, -(2**63), 10**300, 1e300, 0.5, "", "\0", "\ud800", "x" * 5000, [], {})
    ),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
trees = st.recursive(
    hostile,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def moves(draw: st.DrawFn) -> Any:
    """Return a move of a golden match, unchanged or with some hostile values."""
    move = dict(draw(st.sampled_from(MOVES)))
    for name in list(move):
        if draw(st.integers(0, 3)) == 0:
            move[name] = draw(trees)
    return move


requests = st.fixed_dictionaries(
    {"op": st.sampled_from(OPS)},
    optional={
        "game": st.sampled_from([*games(), "go"]) | hostile,
        "seats": st.integers(0, 6) | hostile,
        "seat": st.integers(-1, 4) | st.none() | hostile,
        "seed": st.sampled_from(["00", "c0ffee", "zz"]) | hostile,
        "draws": st.lists(st.integers(0, 60), max_size=90) | hostile,
        "options": st.dictionaries(st.text(max_size=4), hostile, max_size=2) | hostile,
        "document": (st.sampled_from(DOCUMENTS) if DOCUMENTS else st.just({})) | trees,
        "move": moves() | trees,
        "rules_version": st.integers(-1, 3) | hostile,
    },
)
valid_requests = st.one_of(
    st.builds(
        lambda game, seats, seed: {"op": "start", "game": game, "seats": seats, "seed": seed},
        *(st.sampled_from(list(games())), st.integers(2, 4), st.sampled_from(["00", "07", "c0ffee"])),
    ),
    st.builds(lambda seat, move: {"op": "play", "seat": seat, "move": move}, st.integers(0, 3), moves()),
    st.builds(
        lambda op, seat: {"op": op, "seat": seat},
        st.sampled_from(["legal", "view", "facts", "text"]),
        st.integers(0, 3),
    ),
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Return a request line: valid, with hostile values, or with corrupted bytes."""
    raw = json.dumps(draw(st.one_of(valid_requests, valid_requests, requests))).encode()
    if draw(st.integers(0, 5)):
        return raw
    at = draw(st.integers(0, len(raw)))
    cut = draw(st.integers(0, 9))
    put = draw(
        st.sampled_from([b"", b"\0", b"\xff", b"[" * 9000, b'{"a":' * 3000, b"1" * 9000, b"1e999", b"NaN", b'"'])
    )
    return raw[:at] + put + raw[at + cut :]


def session(requested: list[bytes]) -> None:
    """Send all requests to one engine and check that each gets one answer that is not an internal error."""
    engine = Engine()
    for line in requested:
        answer = engine.answer(line.replace(b"\n", b" "))
        assert b"\n" not in answer
        read = json.loads(answer)
        assert read.get("error", {}).get("code") != "engine_failed", (line, answer)
        assert b"Traceback" not in answer


settled = settings(deadline=LONGEST, suppress_health_check=list(HealthCheck), database=None)


@pytest.mark.slow
def test_hostile_sessions_are_answered() -> None:
    settings(settled, max_examples=150)(given(st.lists(lines(), max_size=12))(session))()


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_hostile_sessions_are_answered_for_an_hour() -> None:
    until, count = time.monotonic() + MINUTES * 60, 0
    while time.monotonic() < until:
        settings(settled, max_examples=1000)(given(st.lists(lines(), max_size=20))(session))()
        count += 1000
    print(f"engine protocol: {count} sessions in {MINUTES:g} minutes")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads memory in /proc")
def test_an_engine_process_survives_and_stays_small() -> None:
    chunk = b"x" * 2**20
    with subprocess.Popen(
        [sys.executable, "-m", "service.cli", "engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout

        def ask(*parts: bytes) -> Any:
            assert process.stdin
            assert process.stdout
            for part in parts:
                process.stdin.write(part)
            process.stdin.write(b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        # a line of 300 MB, one of exactly the maximum length, and one byte more
        assert ask(*[chunk] * 300)["error"]["code"] == "too_long"
        assert ask(b" " * (MAX_REQUEST - 2) + b"{}")["error"]["code"] == "unknown_op"
        assert ask(b" " * (MAX_REQUEST - 1) + b"{}")["error"]["code"] == "too_long"
        # positions with many legal moves
        for game in games():
            assert "facts" in ask(json.dumps({"op": "start", "game": game, "seats": 2, "seed": "01"}).encode())
            for _ in range(4):
                seats = ask(b'{"op":"to_move"}')["to_move"]
                listed = ask(json.dumps({"op": "legal", "seat": seats[0]}).encode())
                assert 0 < len(listed["moves"]) <= MAX_MOVES_LISTED
                move = listed["moves"][-1]
                assert "facts" in ask(json.dumps({"op": "play", "seat": seats[0], "move": move}).encode())
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
        process.stdin.close()
        assert process.stderr
        assert process.stderr.read() == b""
        assert process.wait(20) == 0
    print(f"peak memory of the engine process: {peak / 2**20:.0f} MiB")
    assert peak < MOST_MEMORY
