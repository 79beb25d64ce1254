"""The command line, as a user types it."""

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
    """The file of a finished match, played at the terminal by always taking the first move."""
    file = tmp_path / "match.crumb.ndjson"
    played = crumbtrail("play", "tic_tac_toe", "--seed", "0102", "--save", str(file), typed="1\n" * 9)
    assert played.exit_code == 0, played.output
    return file


def test_a_match_played_at_the_terminal_verifies(saved: Path) -> None:
    verified = crumbtrail("verify", str(saved))
    assert verified.exit_code == 0
    assert "Verified: all that a file can prove by itself holds" in verified.output


def test_a_changed_file_does_not_verify_and_the_line_is_named(saved: Path) -> None:
    # given: the first mark moved to another cell
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
COMMAND = "from service.cli.main import main; main()"
"""Bytes that the command may take for a file that is no replay; without a file it takes 100 to 150 MiB."""


@pytest.mark.parametrize("command", [["verify"], ["replay", "show"], ["rules", "try", "tic_tac_toe"]], ids=" ".join)
def test_a_file_of_any_size_takes_no_more_memory_than_a_fixed_bound(command: list[str], tmp_path: Path) -> None:
    # given: 1.5 GB without a single line feed
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1_500 * 10**6)
    # when
    exit_code, bytes_taken, said = run_apart(COMMAND, *command, str(large))
    # then
    assert exit_code == 1
    assert "file.limit" in said or "too large" in said
    assert bytes_taken < MEMORY


def test_a_file_without_an_end_comes_to_one(tmp_path: Path) -> None:
    exit_code, bytes_taken, said = run_apart(COMMAND, "verify", "/dev/zero")
    assert exit_code == 1
    assert "The file is too large for a replay." in said
    assert bytes_taken < MEMORY


def test_a_file_that_is_not_there_is_told_from_one_that_fails(saved: Path, tmp_path: Path) -> None:
    verified = crumbtrail("verify", str(saved), str(tmp_path / "nothing"))
    assert verified.exit_code == 2
    assert "cannot be read" in verified.output
    assert "Traceback" not in verified.output


def test_exit_codes_tell_the_worst_that_was_found(saved: Path, tmp_path: Path) -> None:
    game = find_game("tic_tac_toe")
    running = tmp_path / "running.crumb.ndjson"
    running.write_bytes(replay_file(sit_down(game).events))
    false = tmp_path / "false.crumb.ndjson"
    false.write_bytes(saved.read_bytes().replace(b'"cell":0', b'"cell":8', 1))
    missing = tmp_path / "missing"
    for files, code in (((saved,), 0), ((saved, running), 3), ((running, missing), 2), ((missing, false), 1)):
        assert crumbtrail("verify", *map(str, files)).exit_code == code, files


def test_many_files_are_checked_by_several_processes_in_their_order(saved: Path, tmp_path: Path) -> None:
    # given: thirty files, the twentieth of them false
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


def test_trusted_keys_are_asked_for_and_a_wrong_list_is_explained(saved: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text('{"algorithm":"Ed25519","keys":[]}')
    refused = crumbtrail("verify", "--keys", str(keys), str(saved))
    assert refused.exit_code == 1
    assert "The file is not signed." in refused.output
    keys.write_text("no list")
    assert "not a list of keys" in crumbtrail("verify", "--keys", str(keys), str(saved)).output


def test_keys_are_listed_and_rotated(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url())
    first = crumbtrail("keys", "list").output.split()[0]
    second = crumbtrail("keys", "rotate").output.split()[-1]
    lines = crumbtrail("keys", "list").output.splitlines()
    assert [line.split()[0] for line in lines] == [second, first]
    assert "still signs" in lines[0]
    assert "until" in lines[1]


def test_a_replay_is_shown_in_words_and_behind_one_ply(saved: Path) -> None:
    whole = crumbtrail("replay", "show", str(saved))
    assert "The board is empty. Cross begins." in whole.output
    one = crumbtrail("replay", "show", str(saved), "--ply", "5")
    assert "marks" in one.output
    assert "to move" in one.output
    view = json.loads(crumbtrail("replay", "show", str(saved), "--ply", "5", "--json").output)
    assert sum(owner is not None for owner in view["cells"]) == 1
    beyond = crumbtrail("replay", "show", str(saved), "--ply", "99")
    assert beyond.exit_code == 2
    assert "this match ends at ply" in beyond.output


def test_an_illegal_move_at_the_terminal_is_explained_and_asked_again() -> None:
    played = crumbtrail("play", "mice_cake", typed='{"type": "assign_mice", "columns": {"A": 3}}\n99\nresign\n')
    assert played.exit_code == 0
    assert "all 4 ready mice must be sent" in played.output
    assert "(rule P6)" in played.output
    assert "Type a number from 1 to" in played.output
    assert "Blue wins" in played.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("play", "chess"), "there is no game 'chess'"),
        (("play", "mice_cake", "--seats", "5"), "2 seats"),
        (("play", "mice_cake", "--option", "speed=1"), "no such option"),
        (("play", "mice_cake", "--seed", "xyz"), "hex"),
        (("play", "mice_cake", "--seat", "7"), "seats 0 to 1"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(words: tuple[str, ...], told: str) -> None:
    refused = crumbtrail(*words)
    assert refused.exit_code != 0
    assert told in refused.output
    assert "Traceback" not in refused.output


def test_the_engine_answers_line_by_line() -> None:
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


def test_doctor_finds_this_installation_well() -> None:
    examined = crumbtrail("doctor", "--json")
    assert examined.exit_code == 0, examined.output
    assert {finding["what"] for finding in json.loads(examined.output)} >= {
        "Python",
        "embedded log server",
        "data folder",
    }


def test_doctor_names_a_log_that_does_not_answer_and_keeps_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", "redis://:hunter2@127.0.0.1:1/0")
    examined = crumbtrail("doctor")
    assert examined.exit_code == 1
    assert "FAULT log" in examined.output
    assert "hunter2" not in examined.output


def test_up_refuses_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = crumbtrail("up", "--port", str(taken.getsockname()[1]))
    assert refused.exit_code == 1
    assert "is taken" in refused.output


def test_up_refuses_a_log_that_could_lose_moves(monkeypatch: pytest.MonkeyPatch, server: object, redis: object) -> None:
    # given: a server that keeps nothing on disk
    redis.config_set("appendonly", "no")  # type: ignore[attr-defined]
    try:
        monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url(0))  # type: ignore[attr-defined]
        refused = crumbtrail("up", "--port", "0")
    finally:
        redis.config_set("appendonly", "yes")  # type: ignore[attr-defined]
    assert refused.exit_code == 1
    assert "appendonly is no and must be yes" in refused.output
