"""Commands on the log (arbiters, audits, imports, rules) and on files (show and compare)."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from redis import Redis

from domain.kernel.event_codec import read_event
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.commands import Play, RaiseDispute, SeatSpec
from replays.file import encode_replay
from replays.verify import verify
from service.bootstrap import Services, build_services
from service.cli import audit as audit_command
from service.cli.main import main
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import log_key, new_match_id
from service.matches.imported_matches import ImportedMatches
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from tests.builders import greedy_agent, play_match, replay_file, sit_down
from tests.replays.test_signature import SIGNER
from workers.projection.projector import Projector


def crumbtrail(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture
def services(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Services:
    """Return the services that the commands use."""
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url())
    audit_command.process_services.cache_clear()
    return build_services(Settings(log_url=server.url()))


def save_replay(folder: Path, n: int = 0, game: str = "tic_tac_toe", match: str | None = None) -> Path:
    """Save the replay of a finished match and return the file."""
    file = folder / f"{n}.crumb.ndjson"
    events = play_match(find_game(game), seed=n, moves=n, match=match or new_match_id(), agent=greedy_agent)
    file.write_bytes(replay_file(events))
    return file


# -- arbiters -----------------------------------------------------------------------------------------------------


def test_arbiters_are_added_and_removed_by_player_id(services: Services) -> None:
    player, _ = services.accounts.players.register("Judith")
    assert "There is no player" in crumbtrail("arbiters", "add", "p_nobody").output
    assert crumbtrail("arbiters", "add", player.id).exit_code == 0
    assert services.accounts.arbiters.is_arbiter(player.id)
    assert f"{player.id}  Judith" in crumbtrail("arbiters", "list").output
    crumbtrail("arbiters", "remove", player.id)
    assert crumbtrail("arbiters", "list").output == ""


# -- texts of disputes --------------------------------------------------------------------------------------------


def test_the_text_of_a_dispute_can_be_erased_and_the_dispute_remains(services: Services) -> None:
    # given: a disputed match
    seats = (SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_ann"))
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match.id
    claim = services.disputes.statements.store(match, "The centre was mine.")
    done = services.matches.commands.submit(
        match, RaiseDispute(0, 4, "move", claim), IdempotencyKey("p_ann", "dispute")
    )
    number = done.match.ply
    # when
    erased = crumbtrail("disputes", "erase", match, str(number))
    # then
    assert erased.exit_code == 0, erased.output
    assert services.disputes.statements.texts(match, [claim]) == {claim: None}
    assert services.matches.repository.load(match).disputes[0].claim_digest == claim
    for wrong in ((match, "1"), (new_match_id(), str(number))):
        refused = crumbtrail("disputes", "erase", *wrong)
        assert refused.exit_code == 1
        assert "Traceback" not in refused.output


# -- import -------------------------------------------------------------------------------------------------------


def test_a_file_is_imported_as_a_read_only_match(services: Services, tmp_path: Path) -> None:
    file = save_replay(tmp_path, game="mice_cake")
    taken = crumbtrail("import", str(file))
    assert taken.exit_code == 0, taken.output
    match = taken.output.split()[-1]
    # The log has the same bytes and serves the same file.
    assert services.matches.repository.log_lines(match) == file.read_bytes().splitlines()[1:-1]
    head = services.matches.repository.load(match)
    assert (head.status, services.matches.imported.contains(match)) == ("over", True)
    with pytest.raises(MatchRefused, match="imported from a file"):
        services.matches.commands.submit(match, Play(0, {"type": "resign"}), IdempotencyKey("p0", "x"))
    # It can be imported again, listed and audited.
    assert crumbtrail("import", str(file)).exit_code == 0
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    assert [row.id for row in services.read_models.lists.list_matches().rows] == [match]
    assert crumbtrail("audit", match).exit_code == 0


def test_an_invalid_file_is_refused_and_leaves_nothing(services: Services, tmp_path: Path, redis: Redis) -> None:
    file = save_replay(tmp_path)
    false = tmp_path / "false"
    false.write_bytes(file.read_bytes().replace(b'"cell":4', b'"cell":5', 1))
    running = tmp_path / "running"
    running.write_bytes(replay_file(sit_down(find_game("tic_tac_toe"), match=new_match_id()).events))
    foreign = save_replay(tmp_path, 2, match="m00noserver")
    wrongly_signed = tmp_path / "wrongly_signed"
    wrongly_signed.write_bytes(with_other_signature(find_game("tic_tac_toe")))
    for bad, words in (
        (wrongly_signed, "The signature is not valid for this key"),
        (false, "changed after it was sealed"),
        (running, "not over"),
        (foreign, "no server creates"),
    ):
        refused = crumbtrail("import", str(bad))
        assert refused.exit_code == 1
        assert words in refused.output
        assert "Traceback" not in refused.output
    assert redis.keys("{ct:*") == []
    # Another history with the same id is refused.
    match = new_match_id()
    assert crumbtrail("import", str(save_replay(tmp_path, 3, match=match))).exit_code == 0
    refused = crumbtrail("import", str(save_replay(tmp_path, 4, match=match)))
    assert "a different history" in refused.output


def test_a_match_played_here_is_not_imported(services: Services, tmp_path: Path, redis: Redis) -> None:
    # given: the unchanged file of a finished match of this server
    seats = (SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_ann"))
    match = services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}).match.id
    services.matches.commands.submit(match, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "resign"))
    file = tmp_path / "own"
    file.write_bytes(
        replay_file(services.matches.repository.visible_events(services.matches.repository.load(match), None))
    )
    assert verify(file.read_bytes()).ok
    before = {key: redis.dump(key) for key in redis.keys("*")}
    # when
    refused = crumbtrail("import", str(file))
    # then: it is refused, and nothing was written
    assert refused.exit_code == 1
    assert "was played on this server with the same history" in refused.output
    assert {key: redis.dump(key) for key in redis.keys("*")} == before
    assert not services.matches.imported.contains(match)
    services.matches.commands.submit(match, RaiseDispute(0, 4, "move", "ab" * 32), IdempotencyKey("p_ann", "dispute"))


def test_an_interrupted_import_leaves_nothing(services: Services, tmp_path: Path, redis: Redis) -> None:
    """The append itself marks a match as archived."""
    file = save_replay(tmp_path)
    appended: list[list[bytes]] = []

    def cut_off(*_: Any, **__: Any) -> None:
        appended.append(redis.keys("{ct:*"))
        raise KeyboardInterrupt

    archive = ImportedMatches(redis, services.log)
    with pytest.MonkeyPatch.context() as process:
        process.setattr(services.log, "append", cut_off)
        with pytest.raises(KeyboardInterrupt):
            archive.import_file(file.read_bytes())
    assert appended == [[]]
    assert archive.contains(archive.import_file(file.read_bytes()))


def with_other_signature(game: AnyGame) -> bytes:
    """Return a replay with the signature of another one."""
    mine, other = (b"".join(encode_replay(play_match(game, match=new_match_id()), SIGNER)) for _ in range(2))
    *lines, last = mine.splitlines()
    closing = json.loads(last) | {"signature": json.loads(other.splitlines()[-1])["signature"]}
    return b"\n".join([*lines, canonical_json(closing), b""])


def test_a_fork_is_verified_against_its_parents_file(services: Services, tmp_path: Path) -> None:
    parent = save_replay(tmp_path)
    match = crumbtrail("import", str(parent)).output.split()[-1]
    bots = [SeatSpec("human", player="p_ann")] * 2
    made = services.matches.creation.fork(match, 6, "p_ann", bots, same_luck=True).match
    services.matches.commands.submit(made.id, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "resign"))
    fork = tmp_path / "fork"
    lines = services.matches.repository.log_lines(made.id)
    fork.write_bytes(replay_file([read_event(line, made.rules) for line in lines]))
    checked = crumbtrail("verify", "--parent", str(parent), str(fork))
    assert checked.exit_code == 0, checked.output
    assert "those of the match that the fork comes from" in checked.output
    other = crumbtrail("verify", "--parent", str(save_replay(tmp_path, 7)), str(fork))
    assert other.exit_code == 1
    assert "The fork comes from a different match." in other.output
    audited = crumbtrail("audit", made.id)
    assert audited.exit_code == 0, audited.output


# -- audit --------------------------------------------------------------------------------------------------------


def test_an_audit_of_all_matches_finds_a_changed_log(services: Services, tmp_path: Path, redis: Redis) -> None:
    # given: twelve finished matches and a running one
    matches = [crumbtrail("import", str(save_replay(tmp_path, n))).output.split()[-1] for n in range(12)]
    services.matches.creation.create("p_ann", "tic_tac_toe", bot_seats(), {})
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    audited = crumbtrail("audit", "--all", "--jobs", "2")
    assert audited.exit_code == 0, audited.output
    assert "Matches audited: 13. Verdicts: 12 verified, 1 unfinished." in audited.output
    assert services.read_models.verdicts.find(matches[0]) is not None
    # when: a line of one log is changed
    key, lines = log_key(matches[3]), services.log.lines(matches[3])
    redis.delete(key)
    for ply, line in enumerate(lines, 1):
        redis.xadd(key, {"e": line.replace(b'"seat":1', b'"seat":0')}, id=f"{ply}-0")
    # then
    audited = crumbtrail("audit", "--all", "--json", "--jobs", "1")
    assert audited.exit_code == 1
    found = [json.loads(line) for line in audited.stdout.splitlines()]
    assert [each["match"] for each in found if each["fails"]] == [matches[3]]
    assert services.read_models.verdicts.failed_matches() == [matches[3]]


def bot_seats() -> list[SeatSpec]:
    return [SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob")]


def test_auditing_a_missing_match_fails(services: Services) -> None:
    assert crumbtrail("audit").exit_code == 2
    missing = crumbtrail("audit", "00aaaaaaaaaaaaaaaa")
    assert missing.exit_code == 1
    assert "CANNOT BE READ" in missing.output


# -- rules, diff, show --------------------------------------------------------------------------------------------


def test_stored_matches_agree_with_the_installed_rules(services: Services, tmp_path: Path) -> None:
    files = [save_replay(tmp_path, n) for n in range(3)]
    crumbtrail("import", *map(str, files))
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    words = "Rules version 2 of tic_tac_toe: 3 of 3 matches agree, 0 do not."
    for more in ([], list(map(str, files))):
        tried = crumbtrail("rules", "try", "tic_tac_toe", *more)
        assert (tried.exit_code, words in tried.output) == (0, True), tried.output
    assert "no game" in crumbtrail("rules", "try", "go").output
    unknown = crumbtrail("rules", "try", "tic_tac_toe", "--version", "9").output
    assert "rules version 9; available rules versions: 1, 2" in unknown


def test_comparing_two_different_matches_says_so(tmp_path: Path) -> None:
    one, other = save_replay(tmp_path, 0, match="m0"), save_replay(tmp_path, 1, match="m1")
    parted = crumbtrail("replay", "diff", str(one), str(other))
    assert parted.exit_code == 1
    assert "These are replays of two different matches. `match`: m0 versus m1." in parted.output


def test_comparing_two_files_shows_the_first_difference(tmp_path: Path) -> None:
    one, other = save_replay(tmp_path, 0, match="m0"), save_replay(tmp_path, 5, match="m0")
    same = crumbtrail("replay", "diff", str(one), str(one))
    assert (same.exit_code, "the same" in same.output) == (0, True)
    parted = crumbtrail("replay", "diff", str(one), str(other))
    assert parted.exit_code == 1
    assert "First difference: ply 1" in parted.output
    assert crumbtrail("replay", "diff", str(one), "--rules", "1").exit_code == 0
    assert "no game" in crumbtrail("replay", "diff", str(one), "--rules", "9").output
    assert crumbtrail("replay", "diff", str(one)).exit_code == 2
    parting = json.loads(crumbtrail("replay", "diff", "--json", str(one), str(other)).output)
    assert parting["ply"] == 1


def test_a_replay_is_shown_by_fact_as_text_json_and_picture(tmp_path: Path) -> None:
    file = save_replay(tmp_path, game="mice_cake")
    texts = {crumbtrail("replay", "show", str(file), "--ply", "6", "--fact", str(n)).output for n in range(4)}
    assert len(texts) > 1
    assert crumbtrail("replay", "show", str(file), "--ply", "6", "--svg").output.startswith("<svg")
    state = crumbtrail("replay", "show", str(file), "--everything", "--json").output
    assert json.loads(state)
    assert crumbtrail("replay", "show", str(file), "--ply", "6", "--fact", "999").exit_code == 2
    assert crumbtrail("replay", "show", str(file), "--fact", "1").exit_code == 2
    running = tmp_path / "running"
    running.write_bytes(replay_file(sit_down(find_game("tic_tac_toe")).events))
    assert crumbtrail("replay", "show", str(running)).exit_code == 0
    assert "still running" in crumbtrail("replay", "show", str(running), "--json").output
