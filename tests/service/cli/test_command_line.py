"""The command line, as a user uses it."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from redis import Redis

from domain.kernel.registry import find_game
from service.cli.main import main
from service.event_store.embedded import EmbeddedServer
from tests.apart import run_apart
from tests.builders import replay_file, sit_down


def crumbtrail(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, words, input=typed)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return the file of a finished match, played at the terminal by always choosing the first move."""
    file = tmp_path / "match.crumb.ndjson"
    played = crumbtrail("play", "tic_tac_toe", "--seed", "0102", "--save", str(file), typed="1\n" * 9)
    assert played.exit_code == 0, played.output
    return file


def test_a_match_played_at_the_terminal_verifies(saved: Path) -> None:
    verified = crumbtrail("verify", str(saved))
    assert verified.exit_code == 0
    assert "Verified: everything that the file alone can prove is correct" in verified.output


def test_verification_names_the_first_changed_line(saved: Path) -> None:
    # given: a file in which the first mark is in another cell
    lines = saved.read_bytes().split(b"\n")
    number = next(n for n, line in enumerate(lines) if b'"cell_marked"' in line)
    cell = lines[number].index(b'"cell":') + len(b'"cell":')
    lines[number] = (
        lines[number][:cell] + (b"8" if lines[number][cell : cell + 1] != b"8" else b"7") + lines[number][cell + 1 :]
    )
    saved.write_bytes(b"\n".join(lines))
    # when
    verified = crumbtrail("verify", "--json", str(saved))
    # then
    assert verified.exit_code == 1
    report = json.loads(verified.output)["report"]
    divergences = [layer["divergence"] for layer in report["layers"] if layer["divergence"]]
    assert min(found["line"] for found in divergences) == number + 1


MEMORY = 350 * 2**20
"""Maximum memory for a file that is not a replay, in bytes. Without a file, the command uses 100 to 150 MiB."""
COMMAND = "from service.cli.main import main; main()"


@pytest.mark.parametrize("command", [["verify"], ["replay", "show"], ["rules", "try", "tic_tac_toe"]], ids=" ".join)
def test_files_of_any_size_are_read_with_bounded_memory(command: list[str], tmp_path: Path) -> None:
    # given: 1.5 GB without a single line feed
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1_500 * 10**6)
    # when
    exit_code, memory_used, output = run_apart(COMMAND, *command, str(large))
    # then
    assert exit_code == 1
    assert "file.limit" in output or "too large" in output
    assert memory_used < MEMORY


def test_an_endless_file_is_refused(tmp_path: Path) -> None:
    exit_code, memory_used, output = run_apart(COMMAND, "verify", "/dev/zero")
    assert exit_code == 1
    assert "The file is too large for a replay." in output
    assert memory_used < MEMORY


def test_a_missing_file_has_its_own_exit_code(saved: Path, tmp_path: Path) -> None:
    verified = crumbtrail("verify", str(saved), str(tmp_path / "nothing"))
    assert verified.exit_code == 2
    assert "cannot be read" in verified.output
    assert "Traceback" not in verified.output


def test_the_exit_code_reports_the_worst_result(saved: Path, tmp_path: Path) -> None:
    game = find_game("tic_tac_toe")
    running = tmp_path / "running.crumb.ndjson"
    running.write_bytes(replay_file(sit_down(game).events))
    false = tmp_path / "false.crumb.ndjson"
    false.write_bytes(saved.read_bytes().replace(b'"cell":0', b'"cell":8', 1))
    missing = tmp_path / "missing"
    for files, code in (((saved,), 0), ((saved, running), 3), ((running, missing), 2), ((missing, false), 1)):
        assert crumbtrail("verify", *map(str, files)).exit_code == code, files


def test_several_processes_report_files_in_order(saved: Path, tmp_path: Path) -> None:
    # given: thirty files, the twentieth of which was changed
    files = [tmp_path / f"{n:02}.crumb.ndjson" for n in range(30)]
    for file in files:
        file.write_bytes(saved.read_bytes())
    files[19].write_bytes(saved.read_bytes().replace(b'"cell":0', b'"cell":8', 1))
    # when
    checked = crumbtrail("verify", "--json", "--jobs", "2", *map(str, files))
    # then
    found = [json.loads(line) for line in checked.stdout.splitlines()]
    assert [each["file"] for each in found] == list(map(str, files))
    assert [n for n, each in enumerate(found) if not each["ok"]] == [19]
    assert checked.exit_code == 1


def test_keys_are_required_and_an_invalid_key_file_is_refused(saved: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text('{"algorithm":"Ed25519","keys":[]}')
    refused = crumbtrail("verify", "--keys", str(keys), str(saved))
    assert refused.exit_code == 1
    assert "The file is not signed." in refused.output
    keys.write_text("no list")
    assert "not a saved /.well-known/crumbtrail-key" in crumbtrail("verify", "--keys", str(keys), str(saved)).output


def test_keys_are_listed_and_rotated(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url())
    first = crumbtrail("keys", "list").output.split()[0]
    second = crumbtrail("keys", "rotate").output.split()[-1]
    lines = crumbtrail("keys", "list").output.splitlines()
    assert [line.split()[0] for line in lines] == [second, first]
    assert "current" in lines[0]
    assert "until" in lines[1]


def test_a_replay_is_shown_as_a_whole_or_at_one_ply(saved: Path) -> None:
    whole = crumbtrail("replay", "show", str(saved))
    assert "The board is empty. Cross goes first." in whole.output
    one = crumbtrail("replay", "show", str(saved), "--ply", "5")
    assert "marks" in one.output
    assert "to move" in one.output
    view = json.loads(crumbtrail("replay", "show", str(saved), "--ply", "5", "--json").output)
    assert sum(owner is not None for owner in view["cells"]) == 1
    too_far = crumbtrail("replay", "show", str(saved), "--ply", "99")
    assert too_far.exit_code == 2
    assert "This match has plies 1 to" in too_far.output


def test_an_illegal_move_at_the_terminal_is_explained_and_can_be_retried() -> None:
    played = crumbtrail("play", "mice_cake", typed='{"type": "assign_mice", "columns": {"A": 3}}\n99\nresign\n')
    assert played.exit_code == 0
    assert "You must send all your ready mice, exactly 4." in played.output
    assert "(rule P6)" in played.output
    assert "Type a number from 1 to" in played.output
    assert "Blue wins" in played.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("play", "chess"), "there is no game 'chess'"),
        (("play", "mice_cake", "--seats", "5"), "2 players"),
        (("play", "mice_cake", "--option", "speed=1"), "no such option"),
        (("play", "mice_cake", "--seed", "xyz"), "hex"),
        (("play", "mice_cake", "--seat", "7"), "a seat from 0 to 1"),
    ],
)
def test_invalid_match_settings_are_refused_with_an_error_message(words: tuple[str, ...], message: str) -> None:
    refused = crumbtrail(*words)
    assert refused.exit_code != 0
    assert message in refused.output
    assert "Traceback" not in refused.output


def test_the_engine_answers_each_line() -> None:
    requests = [
        '{"op": "start", "game": "mice_cake", "seats": 2, "options": {}, "seed": "00"}',
        '{"op": "to_move"}',
        "nonsense",
    ]
    process = subprocess.run(
        [sys.executable, "-m", "service.cli", "engine"],
        input="\n".join(requests) + "\n",
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    started, owed, refused = map(json.loads, process.stdout.splitlines())
    assert [fact["type"] for fact in started["facts"]] == ["game_started", "cake_laid", "round_started"]
    assert owed == {"to_move": [0, 1]}
    assert refused["error"]["code"] == "bad_json"
    assert process.stderr == ""


def test_doctor_finds_no_fault_in_this_installation() -> None:
    examined = crumbtrail("doctor", "--json")
    assert examined.exit_code == 0, examined.output
    assert {finding["what"] for finding in json.loads(examined.output)} >= {
        "Python",
        "embedded log server",
        "data folder",
    }


def test_doctor_reports_an_unreachable_log_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", "redis://:hunter2@127.0.0.1:1/0")
    examined = crumbtrail("doctor")
    assert examined.exit_code == 1
    assert "FAULT log" in examined.output
    assert "hunter2" not in examined.output


def test_up_refuses_a_taken_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = crumbtrail("up", "--port", str(taken.getsockname()[1]))
    assert refused.exit_code == 1
    assert "is taken" in refused.output


def test_up_refuses_a_log_that_could_lose_moves(monkeypatch: pytest.MonkeyPatch, server: object, redis: object) -> None:
    # given: a server that stores nothing on disk
    redis.config_set("appendonly", "no")  # type: ignore[attr-defined]
    try:
        monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url(0))  # type: ignore[attr-defined]
        refused = crumbtrail("up", "--port", "0")
    finally:
        redis.config_set("appendonly", "yes")  # type: ignore[attr-defined]
    assert refused.exit_code == 1
    assert "appendonly is no but must be yes" in refused.output
