"""The standalone verifier agrees with the engine on test vectors, honest files and forged files."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game
from replays import standalone_verify
from replays.file import encode_replay
from replays.standalone_verify import (
    HEADER,
    Streams,
    canonical,
    check_shares,
    commitment_of,
    draws,
    hmac_sha256,
    luck_key,
    match_key,
    seal_of,
    shuffled,
    stream_block,
    table_hash,
    verify,
)
from replays.verify import verify as verify_by_engine
from tests.apart import run_apart
from tests.builders import play_match, replay_file, sit_down
from tests.replays.forge import Entries, forge_replay, of_kind
from tests.replays.test_signature import SIGNER
from tests.replays.test_tampering import GAMES, every_game, file_of, flips

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "replays/standalone_verify.py"
VECTORS: dict[str, Any] = json.loads((ROOT / "docs/test-vectors.json").read_text())


def statuses(raw: bytes) -> dict[str, str]:
    return {name: status for name, status, _ in verify(raw)[0]}


# -- the script itself --------------------------------------------------------------------------------------------


def test_it_imports_only_the_standard_library() -> None:
    tree = ast.parse(SCRIPT.read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))
    assert names <= sys.stdlib_module_names


def test_its_syntax_works_on_old_python_versions() -> None:
    ast.parse(SCRIPT.read_text(), feature_version=(3, 8))


def test_it_runs_alone_and_prints_its_findings(tmp_path: Path) -> None:
    script, good, bad = tmp_path / SCRIPT.name, tmp_path / "good", tmp_path / "bad"
    script.write_bytes(SCRIPT.read_bytes())
    good.write_bytes(file_of("tic_tac_toe"))
    bad.write_bytes(file_of("tic_tac_toe").replace(b'"cell":4', b'"cell":5', 1))

    def run(*files: Path) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-I", str(script), *map(str, files)]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60, cwd=tmp_path)

    assert run(good).returncode == 0
    assert "no errors" in run(good).stdout
    both = run(good, bad)
    assert both.returncode == 1
    assert "the event was changed after it was sealed" in both.stdout
    assert run(tmp_path / "nowhere").returncode == 2
    assert run().returncode == 2


# -- vectors ------------------------------------------------------------------------------------------------------


def test_it_agrees_with_the_published_vectors() -> None:
    for v in VECTORS["keys"]:
        created = {"match": v["match"], "given": v["given"]}
        assert match_key(bytes.fromhex(v["seed"]), created, v["client_seeds"]).hex() == v["key"]
    for v in VECTORS["seats"]:
        created = {"match": v["match"], "seating": "chance"}
        started = {"order": v["order"], "client_seeds": [v["client_seeds"][seat] for seat in v["order"]]}
        check_shares(1, created, started, v["client_seeds"], bytes.fromhex(v["seed"]))
    for v in VECTORS["salts"]:
        assert hmac_sha256(bytes.fromhex(v["seed"]), b"salt/v1|%d" % v["ply"]).hex() == v["salt"]
    for v in VECTORS["draws"]:
        below = draws(bytes.fromhex(v["key"]), v["n"])
        assert [below(k) for k in v["below"]] == v["results"]
    for v in VECTORS["shuffles"]:
        below = draws(bytes.fromhex(v["key"]), v["n"])
        assert shuffled(below, range(v["items"])) == v["order"]
    for v in VECTORS["chain"]:
        assert canonical(json.loads(v["entry"])).decode() == v["entry"]


def test_it_agrees_with_the_published_vectors_of_luck_protocol_2() -> None:
    vectors = VECTORS["crumbtrail/luck/2"]
    for v in vectors["commitments"]:
        assert commitment_of(v["match"], v["seed"]) == v["commitment"]
    for v in vectors["seals"]:
        assert seal_of(v["match"], v["seat"], v["commitment"], v["share"]) == v["seal"]
    for v in vectors["tables"]:
        assert table_hash(v["match"], v["commitment"], v["seals"]) == v["table"]
    for v in vectors["keys"]:
        assert luck_key(bytes.fromhex(v["seed"]), v, v["shares"]).hex() == v["key"]
    for v in vectors["salts"]:
        assert hmac_sha256(bytes.fromhex(v["salts"]), b"salt/2|%d" % v["ply"]).hex() == v["salt"]
    for v in vectors["blocks"]:
        assert stream_block(bytes.fromhex(v["key"]), v["purpose"], v["use"], v["block"]).hex() == v["hex"]
    for v in vectors["draws"]:
        below = Streams(bytes.fromhex(v["key"]), {v["purpose"]: v["use"]}).draws(v["purpose"])
        assert [below(k) for k in v["below"]] == v["results"]
    for v in vectors["shuffles"]:
        streams = Streams(bytes.fromhex(v["key"]), {v["purpose"]: v["use"]})
        assert shuffled(streams.draws(v["purpose"]), range(v["items"])) == v["order"]
        assert streams.used.get(v["purpose"], 0) == v["uses"]


# -- honest files -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@every_game
def test_honest_files_verify_signed_or_not(game: AnyGame) -> None:
    for n in range(4):
        events = play_match(game, seed=n, moves=n, given=n == 3, shares=(True, False) if n == 2 else ())
        for raw in (replay_file(events), b"".join(encode_replay(events, SIGNER))):
            layers, wrong = verify(raw)
            assert wrong is None, layers
            assert statuses(raw) == {"file": "ok", "chain": "ok", "seed": "ok", "draws": "ok"}


@every_game
def test_the_public_part_of_a_running_match_verifies(game: AnyGame) -> None:
    found = statuses(replay_file(sit_down(game).events))
    assert found == {"file": "ok", "chain": "partly", "seed": "partly", "draws": "not checked"}


def test_the_seed_of_a_running_match_of_luck_protocol_1_is_not_checked() -> None:
    found = statuses(replay_file(sit_down(find_game("tic_tac_toe", 1)).events))
    assert found == {"file": "ok", "chain": "partly", "seed": "not checked", "draws": "not checked"}


def test_an_unknown_game_is_not_reported_as_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(standalone_verify.DRAWS, "tic_tac_toe")
    assert statuses(file_of("tic_tac_toe")) == {"file": "ok", "chain": "ok", "seed": "ok", "draws": "not checked"}


def counted_twice(events: Entries) -> None:
    """Anyone who could choose the number of a game event could choose its dice."""
    moved = of_kind(events, "moved")
    moved[1]["draw"] = moved[0]["draw"]


def not_counted(events: Entries) -> None:
    """Anyone who could omit the number could choose the dice."""
    of_kind(events, "moved")[1]["draw"] = None


def facts_at_the_end(events: Entries) -> None:
    """Anyone who could put facts where nothing is drawn could choose the dice."""
    of_kind(events, "ended")[0]["facts"] = of_kind(events, "moved")[1]["facts"]


@pytest.mark.parametrize(
    ("change", "words"),
    [(counted_twice, "ply 6: the number of the game event must be 2, the file says 1"),
     (not_counted, "ply 6: the number of the game event must be 2, the file says null"),
     (facts_at_the_end, "the event decides nothing, but it has facts")],
)  # fmt: skip
def test_a_forger_cannot_choose_the_draws(change: Any, words: str) -> None:
    raw = forge_replay(file_of("tic_tac_toe"), change)
    assert statuses(raw) == {"file": "ok", "chain": "ok", "seed": "ok", "draws": "failed"}
    assert words in str(verify(raw)[1])


# -- changed files ------------------------------------------------------------------------------------------------


def check_flips(slug: str, times: int) -> None:
    for changed, line, name in flips(slug, times):
        wrong = verify(changed)[1]
        assert wrong is not None, name
        assert wrong.line <= line, f"{name} in line {line}: line {wrong.line}: {wrong}"


@pytest.mark.slow
@every_game
def test_a_changed_byte_is_found_at_or_before_its_line(game: AnyGame) -> None:
    check_flips(game.slug, 200 // len(GAMES))


@pytest.mark.full
@every_game
def test_a_thousand_changed_bytes_are_found(game: AnyGame) -> None:
    check_flips(game.slug, 1_000)


@pytest.mark.slow
def test_a_changed_byte_of_a_signed_closing_line_is_found_except_in_the_digits() -> None:
    raw = b"".join(encode_replay(play_match(find_game("tic_tac_toe")), SIGNER))
    start = raw.rindex(b"\n", 0, -1) + 1
    digits = raw.index(b'"key":"') + 7, raw.index(b'"value":"') + 9
    for at in range(start, len(raw)):
        inside = any(first <= at < first + size for first, size in zip(digits, (64, 128), strict=True))
        for byte in {raw[at] ^ 1, ord("z"), ord('"')} - {raw[at]}:
            if inside and chr(byte) in "0123456789abcdef":
                continue
            assert verify(raw[:at] + bytes([byte]) + raw[at + 1 :])[1] is not None, (at, byte)


def test_a_truth_value_is_not_a_seat_to_deal_from() -> None:
    """Given a set-up whose start seat is `false`, when it deals the hands, then it is refused: false is not seat 0."""

    def change(events: Entries) -> None:
        for event in events:
            for fact in event["facts"]:
                if fact["type"] == "game_set_up":
                    fact["start_seat"] = bool(fact["start_seat"])

    wrong = verify(forge_replay(file_of("bakers_brawl"), change))[1]
    assert wrong is not None
    assert "game_set_up" in str(wrong)


def under_other_names(game: AnyGame) -> bytes:
    """Return a file whose facts with random outcomes have unknown names."""
    drawn = standalone_verify.DRAWS[game.slug][str(game.rules_version)]["facts"]

    def change(events: Entries) -> None:
        for event in events:
            for fact in event["facts"]:
                if fact["type"] in drawn or game.slug == "tic_tac_toe":
                    fact["type"] += "_"

    return forge_replay(file_of(game.slug), change)


@every_game
def test_an_unknown_fact_cannot_hide_a_draw(game: AnyGame) -> None:
    layers, wrong = verify(under_other_names(game))
    assert wrong is not None, layers
    first = next(n for n, line in enumerate(file_of(game.slug).splitlines(), 1) if b'"facts":[{' in line)
    assert (wrong.line, wrong.layer) == (first, "draws")
    assert "the game has no such fact" in str(wrong)


NO_TIMES = [
    "finished", "", "2026-41-01T12:00:00Z", "2026-02-30T12:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T12:00:60Z",
    "0000-01-01T12:00:00Z", "2026-01-01T12:00:00+00:00", "2026-01-01T12:00:00.5Z", "2026-01-01T12:00:00.000000Z",
    "2026-01-01T12:00:00Z\n", "２026-01-01T12:00:00Z", 5, None,
]  # fmt: skip


def at_another_time(time: Any) -> bytes:
    """Return a file whose fourth event has this time, with a recomputed chain."""

    def change(events: Entries) -> None:
        events[3]["at"] = time

    return forge_replay(file_of("tic_tac_toe"), change)


@pytest.mark.parametrize("time", NO_TIMES)
def test_an_invalid_time_is_found_where_the_engine_finds_it(time: Any) -> None:
    raw = at_another_time(time)
    wrong, first = verify(raw)[1], verify_by_engine(raw).first
    assert wrong is not None
    assert first is not None
    assert (wrong.line, wrong.layer, first.line) == (5, "file", 5)


@pytest.mark.parametrize("time", ["2026-01-01T12:00:00.000001Z", "9999-12-31T23:59:59.999999Z", "2028-02-29T00:00:00Z"])
def test_any_time_in_utc_is_accepted(time: str) -> None:
    assert statuses(at_another_time(time))["file"] == "ok"


def test_a_changed_seed_is_found_though_the_chain_is_intact() -> None:
    def other(events: Entries) -> None:
        events[-1]["seed"] = "ab" * 32

    assert statuses(forge_replay(file_of("tic_tac_toe"), other))["seed"] == "failed"


JUNK = [
    b"", b"\n\n\n", b"null\nnull\nnull\n", b"[]\n[]\n[]\n", b"{}\n{}\n{}\n", b"\xff\n" * 3, b"[" * 70_000 + b"\n\n\n",
    b'{"a":1e5}\n{}\n{}\n', b'{"a":NaN}\n{}\n{}\n', b'"\\ud800"\n{}\n{}\n', b"9" * 5_000 + b"\n{}\n{}\n",
    b"x" * (standalone_verify.MAX_LINE + 1) + b"\n", bytes(standalone_verify.MAX_FILE + 1),
    b"\n" * (standalone_verify.MAX_EVENTS + 3), b"\n" * (standalone_verify.MAX_FILE + 1),
    b"{}\n{}\n{}", b'{"a":9007199254740992}\n{}\n{}\n', b'{"a":-0}\n{}\n{}\n', b'{"a":1,"a":1}\n{}\n{}\n',
]  # fmt: skip


@pytest.mark.parametrize("raw", JUNK, ids=range(len(JUNK)))
def test_junk_is_refused_at_the_line_that_the_engine_names(raw: bytes) -> None:
    wrong, first = verify(raw)[1], verify_by_engine(raw).first
    assert wrong is not None
    assert first is not None
    assert wrong.line == first.line


some_games = pytest.mark.parametrize(
    "game",
    [
        pytest.param(
            game, id=game.slug, marks=() if game.slug in ("tic_tac_toe", "take_the_cake") else pytest.mark.full
        )
        for game in GAMES
    ],
)
"""Two games, and all of them at full counts."""


@pytest.mark.slow
@some_games
def test_any_value_in_any_field_gets_an_answer(game: AnyGame) -> None:
    lines = file_of(game.slug, 2).splitlines()
    for number in (0, 1, 2, len(lines) // 2, len(lines) - 1):
        for name in json.loads(lines[number]):
            for value in (None, 0, -1, "", "x", [], {}, [[]], [{}], True):
                line = canonical({**json.loads(lines[number]), name: value})
                if line == lines[number]:
                    continue
                changed = b"\n".join([*lines[:number], line, *lines[number + 1 :]]) + b"\n"
                assert verify(changed)[1] is not None, (number, name, value)


@pytest.mark.full
@pytest.mark.parametrize("fact", ["[[[[[]]]]]", "{}", '{"type":""}'])
def test_the_largest_file_takes_bounded_memory(fact: str, tmp_path: Path) -> None:
    # given: lines within the limits, full of very small values
    facts = ",".join([fact] * ((2**20 - 100) // (len(fact) + 1)))
    large = tmp_path / "large"
    large.write_text("{}\n" + f'{{"facts":[{facts}]}}\n' * 15)
    assert large.stat().st_size > 15 * 10**6
    # when
    exit_code, bytes_taken, _ = run_apart(f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')", str(large))
    # then
    assert exit_code == 1
    assert bytes_taken < 200 * 2**20


def test_its_header_fields_are_those_of_the_format() -> None:
    from replays.frame import Header

    assert set(Header.__struct_fields__) == HEADER["replay/v2"]
