"""Compares our service with boardgame.io's server: 64 parallel matches of tic-tac-toe, every update pushed and counted.

One program (`peers/boardgame_io/play.mjs`) plays against both servers. They take turns, and each has the machine to
itself during its turn. The peer keeps matches in memory or, with FlatFile, in files. Our moves are on disk before
they are answered.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.measure import ROUNDS, Row, at_least, at_most, in_turns, ratio
from bench.record import PROJECT
from bench.site import HOST, Group, Site, program, site, wait_for
from service.cli.listen import free_port

HERE = Path(__file__).parent / "peers" / "boardgame_io"
FETCHED = PROJECT / ".peers" / "boardgame_io"
"""The folder where npm installs the peer. Git ignores it."""
FETCH_SECONDS = 300
LANES = 64
GAMES = 2
"""The number of matches in each lane, one after another."""

MEMORY, FILES, ONE, ALL = (
    "boardgame.io in memory",
    "boardgame.io with FlatFile",
    "ours, one web process",
    "ours as `crumbtrail up` starts it",
)
WHAT = f"{LANES} matches at once"


class Unreachable(Exception):
    """Raised if the peer can't be installed here. The message says why."""


class Play(NamedTuple):
    """The results of one turn: moves per second, ms to the update, processor time per move and the player's (us)."""

    rate: float
    p50: float
    p99: float
    cost: float
    player: float


def rows() -> Iterator[Row]:
    """Return moves per second, ms to the opponent's update, the processor time of each side, and the ratios."""
    try:
        fetch()
    except Unreachable as error:
        for what in ("rate, ours : boardgame.io in memory", "rate, ours : boardgame.io with FlatFile"):
            yield Row(what, missing=str(error))
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-")))
        player = stack.enter_context(playing())
        sides: dict[str, Callable[[], Play]] = {
            MEMORY: peer(stack, player, None),
            FILES: peer(stack, player, folder / "flatfile"),
            ONE: ours(player, stack.enter_context(site(folder / "one", web=1, dispatcher=False))),
            ALL: ours(player, stack.enter_context(site(folder / "all"))),
        }
        plays: dict[str, list[Play]] = {name: [] for name in sides}
        in_turns({name: turn(side, plays[name]) for name, side in sides.items()})
    found = {name: taken[-ROUNDS:] for name, taken in plays.items()}
    yield from told(found)


def told(found: Mapping[str, list[Play]]) -> Iterator[Row]:
    """Yield the rows of all sides, then the ratios with a target."""
    rate, p99 = ({name: [getattr(p, what) for p in taken] for name, taken in found.items()} for what in ("rate", "p99"))
    for name, taken in found.items():
        yield Row(f"{name}: accepted moves, {WHAT}", [play.rate for play in taken], "/s")
        yield Row(f"{name}: move to opponent's update, p50", [play.p50 for play in taken], "ms")
        yield Row(f"{name}: move to opponent's update, p99", [play.p99 for play in taken], "ms")
        yield Row(f"{name}: processor time of a move, all its processes", [play.cost for play in taken], "us")
    yield Row("the player's own processor time of a move, at ours", [play.player for play in found[ALL]], "us")
    for name in (ONE, ALL):
        yield Row(f"rate, {name} : boardgame.io in memory", ratio(rate[name], rate[MEMORY]), target=at_least(2))
        yield Row(f"rate, {name} : boardgame.io with FlatFile", ratio(rate[name], rate[FILES]), target=at_least(4))
        yield Row(f"p99, {name} : boardgame.io in memory", ratio(p99[name], p99[MEMORY]), target=at_most(0.7))
        yield Row(f"p99, {name} : boardgame.io with FlatFile", ratio(p99[name], p99[FILES]), target=at_most(0.7))


def turn(side: Callable[[], Play], taken: list[Play]) -> Callable[[], float]:
    """Run one turn of a side and record its results."""

    def take() -> float:
        taken.append(side())
        return taken[-1].rate

    return take


# -- the peer -----------------------------------------------------------------------------------------------------


def fetch() -> None:
    """Install the locked packages with npm, unless they are there. Raises Unreachable."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise Unreachable("there is no node with npm on this machine")
    done = FETCHED / "done"
    lock = (HERE / "package-lock.json").read_text()
    if done.exists() and done.read_text() == lock:
        return
    FETCHED.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, FETCHED)
    npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        subprocess.run(npm, cwd=FETCHED, check=True, capture_output=True, timeout=FETCH_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise Unreachable("npm could not download boardgame.io") from None
    done.write_text(lock)


def peer(stack: ExitStack, player: "Player", folder: Path | None) -> Callable[[], Play]:
    """Run boardgame.io's server, in memory or with a folder, for one turn."""
    port = free_port(HOST)
    command = ["node", str(HERE / "server.mjs"), str(port), *([str(folder)] if folder else [])]
    served = stack.enter_context(program(command, os.environ | {"NODE_ENV": "production"}, cwd=FETCHED))
    wait_for(f"http://{HOST}:{port}/games")
    return lambda: player.play("boardgame.io", port, [served])


def ours(player: "Player", service: Site) -> Callable[[], Play]:
    """Run a service of ours for one turn."""
    return lambda: player.play("crumbtrail", service.port, [*service.programs.values()])


# -- the player ---------------------------------------------------------------------------------------------------


class Player:
    """The program that plays both sides."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._seed = 0

    def play(self, service: str, port: int, programs: list[Group]) -> Play:
        """Let the program play against the service that these processes belong to."""
        self._seed += 1
        self._say({"service": service, "port": port, "lanes": LANES, "games": GAMES, "seed": self._seed})
        self._hear()
        before = sum(each.processor_seconds() for each in programs)
        self._say({})
        found = json.loads(self._hear())
        spent = sum(each.processor_seconds() for each in programs) - before
        moves, each = found["moves"], 1e6 / found["moves"]
        return Play(moves / found["seconds"], found["p50"], found["p99"], spent * each, found["driver"] * each)

    def _say(self, task: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the player stopped; its reason is printed above")
        return line


@contextmanager
def playing() -> Iterator[Player]:
    """Start the player and stop it at the end."""
    command = ["node", str(HERE / "play.mjs")]
    with subprocess.Popen(command, cwd=FETCHED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Player(process)
        finally:
            process.terminate()
