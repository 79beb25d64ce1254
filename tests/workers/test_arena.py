"""The arena: results determined by the seed, intervals, output files, and results kept after Ctrl-C."""

import gzip
import os
import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import combinations, islice, product
from math import comb
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from replays.bot_check import check_bots
from replays.replay import Replay
from replays.verify import verify
from service.event_store.embedded import EmbeddedServer
from tests.builders import replay_file
from tests.workers.crew import ServiceProcesses
from workers.arena import command
from workers.arena.command import arena
from workers.arena.html_report import render_page
from workers.arena.queued import MatchFailed, play_on_workers
from workers.arena.series import (
    MatchResult,
    RecordedMatch,
    Series,
    options_for,
    play_and_record,
    play_match,
    seating_for,
    seatings,
    seed_for,
)
from workers.arena.standings import (
    compute_standings,
    elo_difference,
    match_lengths,
    standings_by_option,
    wilson_interval,
)
from workers.jobs.queue import JobQueue, connect_queue

QUICK = ("--bots", "greedy,random", "--games", "6", "--seed", "s")


def run(*words: str) -> Result:
    return CliRunner().invoke(arena, [*words])


def played(number: int, bots: tuple[int, ...], shares: tuple[float, ...], **options: Any) -> MatchResult:
    times = (0.5,) * len(bots)
    return MatchResult(number, "00", options, bots, shares, (1,) * len(bots), 10 + number, "score", times, times)


def test_table_json_and_page_show_the_same_results(tmp_path: Path) -> None:
    files = {"--json": tmp_path / "a.json", "--html": tmp_path / "a.html", "--replays": tmp_path / "replays"}
    result = run("mice_cake", *QUICK, *(str(word) for pair in files.items() for word in pair))
    assert result.exit_code == 0, result.output
    results = msgspec.json.decode(files["--json"].read_bytes())
    greedy, other = results["standings"]
    assert greedy["share"] + other["share"] == pytest.approx(1)
    assert f"{greedy['share']:.1%}" in result.output
    text = files["--html"].read_text()
    assert f"{greedy['low']:.1%} to {greedy['high']:.1%}" in text
    without_replays = re.sub(r'href="data:[^"]*"', "", text).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(src|href)=|https?:|@import|url\(", without_replays), "the page is self-contained"
    saved = re.findall(r'download="([^"]+)" href="data:application/gzip;base64,([^"]+)"', text)
    written = sorted(files["--replays"].iterdir())
    assert [match["number"] for match in results["matches"]] == list(range(6)) == list(range(len(written)))
    assert all(verify(file.read_bytes()).ok for file in written)
    assert [name for name, _ in saved] == [f"{file.name}.gz" for file in written]
    assert [gzip.decompress(b64decode(packed)) for _, packed in saved] == [file.read_bytes() for file in written]


def test_the_printed_command_repeats_the_series_with_any_number_of_processes(tmp_path: Path) -> None:
    first = run("tic_tac_toe", *QUICK, "--json", str(tmp_path / "1"))
    again = re.search(r"again: crumbtrail arena (.*)", first.output)
    assert again
    second = run(*again[1].split(), "--jobs", "2", "--json", str(tmp_path / "2"))
    assert second.exit_code == 0, second.output

    def matches(name: str) -> list[Any]:
        found = msgspec.json.decode((tmp_path / name).read_bytes())["matches"]
        return [{k: v for k, v in match.items() if k not in ("slowest", "thinking")} for match in found]

    assert matches("1") == matches("2")


def test_ctrl_c_keeps_finished_matches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(series: Series, number: int) -> RecordedMatch:
        if number == 4:
            raise KeyboardInterrupt
        return play_and_record(series, number)

    monkeypatch.setattr(command, "play_and_record", interrupted)
    result = run("tic_tac_toe", *QUICK, "--json", str(tmp_path / "a"))
    assert result.exit_code == 0, result.output
    assert "Stopped after 4 of 6 matches." in result.output
    assert len(msgspec.json.decode((tmp_path / "a").read_bytes())["matches"]) == 4


def test_an_option_with_several_values_is_varied(tmp_path: Path) -> None:
    """Given two values of an option, then each pair of matches uses one, and the table has a line for each."""
    words = ("--option", "matches=exhaust", "--option", "matches=boost", "--option", "start_face=up")
    result = run("mice_cake", *QUICK, *words, "--json", str(tmp_path / "a"), "--html", str(tmp_path / "page"))
    assert result.exit_code == 0, result.output
    results = msgspec.json.decode((tmp_path / "a").read_bytes())
    assert [match["options"]["matches"] for match in results["matches"]] == [*["exhaust"] * 2, *["boost"] * 2] + [
        "exhaust"
    ] * 2
    assert {match["options"]["start_face"] for match in results["matches"]} == {"up"}
    lines = [(line["option"], line["value"], line["matches"]) for line in results["by_option"]]
    assert lines == [("matches", "exhaust", 4), ("matches", "boost", 2)]
    assert 'matches="boost"' in result.output
    assert "By option" in (tmp_path / "page").read_text()
    assert results["again"] in result.output


# -- on workers ---------------------------------------------------------------------------------------------------


def queued(*words: str) -> Result:
    return run("tic_tac_toe", *QUICK, "--queue", *words)


def same(first: Path, second: Path) -> bool:
    """Return whether two result files have the same matches, apart from their times."""
    both = [msgspec.json.decode(file.read_bytes())["matches"] for file in (first, second)]
    for match in (*both[0], *both[1]):
        del match["slowest"], match["thinking"]
    return both[0] == both[1]


@pytest.fixture
def arena_worker(crew: ServiceProcesses, monkeypatch: pytest.MonkeyPatch) -> ServiceProcesses:
    """Return a worker of the arena that knows only the queue."""
    monkeypatch.setenv("CRUMBTRAIL_QUEUE_URL", crew.queue.url())
    known = {name: value for name, value in os.environ.items() if name != "CRUMBTRAIL_LOG_URL"}
    crew.start("workers.processes.worker", "--queues", "arena", environment=known)
    crew.wait_until_started(1)
    return crew


def test_workers_play_the_same_series(arena_worker: ServiceProcesses, tmp_path: Path) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    by_workers = queued("--json", str(far), "--replays", str(tmp_path / "replays"))
    assert by_workers.exit_code == 0, by_workers.output
    assert run("tic_tac_toe", *QUICK, "--json", str(near)).exit_code == 0
    assert same(near, far)
    assert all(verify(file.read_bytes()).ok for file in (tmp_path / "replays").iterdir())
    assert "Started as process" in arena_worker.output()
    assert "not done" not in arena_worker.output()


def test_ctrl_c_keeps_matches_finished_by_workers_and_dequeues_the_rest(
    arena_worker: ServiceProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(series: Series, count: int, jobs: JobQueue) -> Iterator[RecordedMatch]:
        coming = play_on_workers(series, count, jobs)
        try:
            yield from islice(coming, 3)
            raise KeyboardInterrupt
        finally:
            coming.close()

    monkeypatch.setattr(command, "play_on_workers", interrupted)
    result = run("mice_cake", "--bots", "greedy,random", "--games", "60", "--queue")
    assert "Stopped after 3 of 60 matches." in result.output
    assert result.exit_code == 0
    queue = connect_queue(arena_worker.queue.url())
    assert queue.llen("rq:queue:arena") == 0


def test_a_match_that_cannot_be_played_ends_the_series_with_an_error(arena_worker: ServiceProcesses) -> None:
    jobs = JobQueue(connect_queue(arena_worker.queue.url()))
    nonsense = Series("tic_tac_toe", ("greedy", "random"), "s", {"no": "such option"}, 2)
    with pytest.raises(MatchFailed, match="match 0 failed on its worker"):
        list(play_on_workers(nonsense, 1, jobs))


def test_without_a_queue_or_worker_the_command_names_what_to_start(
    own_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CRUMBTRAIL_QUEUE_URL", "CRUMBTRAIL_LOG_URL"):
        monkeypatch.delenv(name, raising=False)
    missing = queued()
    assert (missing.exit_code, "CRUMBTRAIL_QUEUE_URL" in missing.output) == (1, True)
    monkeypatch.setenv("CRUMBTRAIL_QUEUE_URL", own_server.url())
    monkeypatch.setattr(command, "play_on_workers", lambda *arguments: iter_closed())
    assert "crumbtrail worker --queues arena" in queued().output
    both = run("tic_tac_toe", *QUICK, "--queue", "--jobs", "2")
    assert both.exit_code == 2


def iter_closed() -> Iterator[RecordedMatch]:
    """Yield no matches."""
    yield from ()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("chess",), "there is no game 'chess'"),
        (("mice_cake", "--bots", "greedy,deep"), "there is no level 'deep'. Choose from random, easy, greedy, strong"),
        (("mice_cake", "--seats", "3"), "Mice Cake can be played with 2 seats"),
        (("mice_cake", "--seats", "0"), "0 is not in the range"),
        (("mice_cake", "--cap", "-1"), "give a number of seconds above 0"),
        (("mice_cake", "--cap", "0"), "give a number of seconds above 0"),
        (("mice_cake", "--cap", "nan"), "give a number of seconds above 0"),
        (("mice_cake", "--cap", "inf"), "give a number of seconds above 0"),
        (("mice_cake", "--bots", ",".join(["greedy"] * 200)), "Choose fewer bots"),
        (("mice_cake", "--option", "matches=no"), "matches: exhaust, boost"),
    ],
)
def test_invalid_arguments_are_refused(words: tuple[str, ...], message: str) -> None:
    result = run(*words)
    assert result.exit_code != 0
    assert message in result.output


@pytest.mark.parametrize("option", ["--json", "--html", "--replays"])
def test_unwritable_outputs_are_reported_before_the_first_match(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(series: Series, number: int) -> RecordedMatch:
        raise AssertionError("a match was played")

    monkeypatch.setattr(command, "play_and_record", never)
    (tmp_path / "plain").write_text("")
    for place in ("plain/x", "plain/x/y") + (("none/x",) if option != "--replays" else ()):
        result = run("tic_tac_toe", *QUICK, option, str(tmp_path / place))
        assert isinstance(result.exception, SystemExit), result.exception
        assert (result.exit_code, "Invalid value" in result.output) == (2, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_full_disk_at_the_end_is_reported_after_the_table(option: str) -> None:
    result = run("tic_tac_toe", *QUICK, option, "/dev/full")
    assert (result.exit_code, "95 % interval" in result.output) == (1, True)
    assert "Could not write /dev/full: No space left on device" in result.output
    assert isinstance(result.exception, SystemExit), result.exception


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_between_matches_keeps_finished_matches(tmp_path: Path) -> None:
    (tmp_path / "tic_tac_toe-0003.crumb.ndjson").symlink_to("/dev/full")
    result = run("tic_tac_toe", *QUICK, "--replays", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "Stopped after 4 of 6 matches: " in result.output
    assert "No space left on device" in result.output
    assert "4 matches of " in result.output


@pytest.mark.parametrize(
    ("limit", "message", "left"),
    [("FSIZE, (4096, 4096)", "File too large", None), ("NOFILE, (0, 0)", "Too many open files", b"before")],
)
def test_partial_files_are_removed_and_unopened_files_stay(
    tmp_path: Path, limit: str, message: str, left: bytes | None
) -> None:
    """With a limit on the file size, as on a nearly full disk, or with no file descriptors left."""
    file = tmp_path / "results"
    file.write_bytes(b"before")
    program = (
        "import click, resource, signal, sys; from pathlib import Path; from service.cli.files import write_file\n"
        f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_{limit})\n"
        "try: write_file(Path(sys.argv[1]), bytes(10_000))\n"
        "except click.ClickException as error: print(error.message)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True)
    assert f"results: {message}" in done.stdout
    assert (file.read_bytes() if file.exists() else None) == left


# -- seatings -----------------------------------------------------------------------------------------------


def test_two_bots_take_turns_in_two_seats_with_each_set_up() -> None:
    """Published results must stay repeatable: number, seed and seats of a match must not change."""
    series = Series("tic_tac_toe", ("greedy", "random"), "strength-1", {}, 2)
    for number in range(6):
        match, events = play_match(series, number)
        assert match.bots == (number % 2, 1 - number % 2)
        assert match.seed == sha256(f"strength-1|{number // 2}".encode()).hexdigest()
        assert check_bots(Replay(tuple(events)), everything=True).status == "ok"
        assert verify(replay_file(events)).ok


@pytest.mark.parametrize(("bots", "seats"), [(3, 2), (4, 2), (5, 2), (3, 3), (4, 3), (5, 3)])
def test_all_bots_meet_equally_often_in_every_seat(bots: int, seats: int) -> None:
    """Given more bots than seats, then every combination plays in every rotation, and whenever the series stops, no bot
    has played more than one match more than another."""
    every = seatings(bots, seats)
    assert len(set(every)) == len(every) == comb(bots, seats) * seats
    played, sat = Counter(dict.fromkeys(range(bots), 0)), Counter(dict.fromkeys(product(range(seats), range(bots)), 0))
    met = Counter(dict.fromkeys(combinations(range(bots), 2), 0))
    for seating in every:
        assert len(set(seating)) == seats
        played.update(seating), sat.update(enumerate(seating)), met.update(combinations(sorted(seating), 2))
        assert spread(played) <= 1
        assert spread(met) <= seats - 1
    assert spread(sat) == spread(played) == spread(met) == 0


def spread(counted: "Counter[Any]") -> int:
    return max(counted.values()) - min(counted.values())


def test_a_set_up_is_played_from_every_seating() -> None:
    series = Series("tic_tac_toe", ("greedy", "random", "easy"), "s", {"a": 1}, 2, variants=({"b": 1}, {"b": 2}))
    for cycle in range(3):
        numbers = range(6 * cycle, 6 * cycle + 6)
        assert len({seating_for(series, number) for number in numbers}) == 6
        assert len({seed_for(series, number) for number in numbers}) == 1
        assert {options_for(series, number)["b"] for number in numbers} == {cycle % 2 + 1}
    assert seed_for(series, 5) != seed_for(series, 6)


def test_a_repeated_level_has_two_bars(tmp_path: Path) -> None:
    words = ("--bots", "greedy,greedy", "--games", "4", "--html", str(tmp_path / "page"))
    assert run("tic_tac_toe", *words).exit_code == 0
    text = (tmp_path / "page").read_text()
    by_seat = text[text.index("<h2>By seat</h2>") : text.index("<h2>Length")]
    assert 'class="series serie-1' in by_seat


def test_shares_intervals_and_ratings() -> None:
    matches = [played(0, (0, 1), (1.0, 0.0)), played(1, (1, 0), (0.5, 0.5)), played(2, (0, 1), (1.0, 0.0))]
    mine, theirs = compute_standings(("a", "b"), matches)
    assert (mine.share, theirs.share) == (0.8333, 0.1667)
    assert mine.by_seat == (1.0, 0.5)
    assert mine.rating == -theirs.rating > 0
    assert (match_lengths(matches).least, match_lengths(matches).most) == (10, 12)
    # Wilson's interval for 60 of 100 from published tables
    assert wilson_interval([1.0] * 60 + [0.0] * 40) == pytest.approx((0.6, 0.5020, 0.6906), abs=1e-4)
    assert wilson_interval([]) == (0.0, 0.0, 1.0)
    assert elo_difference(10 / 11) == pytest.approx(400)


def test_with_three_seats_and_two_bots_the_expected_share_counts_seats() -> None:
    matches = [played(n, ((n) % 2, (n + 1) % 2, n % 2), (1 / 3, 1 / 3, 1 / 3)) for n in range(4)]
    assert [one.rating for one in compute_standings(("a", "b"), matches)] == [0.0, 0.0]


def test_the_page_escapes_its_input() -> None:
    series = Series("<b>", ("<i>",), "s", {}, 1)
    match = RecordedMatch(played(0, (0,), (1.0,), rule="<u>"), b"")
    text = render_page(series, compute_standings(series.bots, [match.played]), [], match_lengths([]), [match], "a < b")
    for mark in ("<b>", "<i>", "<u>"):
        assert mark not in text
    assert "a &lt; b" in text


def test_shares_by_option_use_only_its_matches() -> None:
    matches = [played(n, (0, 1), (1.0, 0.0), dice="one" if n < 2 else "two") for n in range(3)]
    one, two = standings_by_option(("a", "b"), ({"dice": "one"}, {"dice": "two"}), matches)
    assert (one.value, one.matches, one.shares[0][0]) == ("one", 2, 1.0)
    assert (two.value, two.matches, two.shares[1][0]) == ("two", 1, 0.0)
