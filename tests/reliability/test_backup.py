"""Backups of the log: made during writes, restored on another server, verified, and played on."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from redis.exceptions import ResponseError

from domain.match.commands import Play
from domain.match.state import AnyMatch
from service.bootstrap import Services, build_services
from service.cli.backup import copy_files, copy_log, find_manifest, open_listed_files
from service.cli.main import main
from service.event_store.durability import check_durability
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import BACKUPS_KEY, SHARDS
from service.matches.results import IdempotencyKey
from service.read_models.summary import summarize_match
from service.runtime.settings import Settings
from tests.reliability.players import running_in_background
from tests.waiting import wait_until
from tests.workers.crew import BOTS, SEATS, first_legal_move
from workers.jobs.allowed_job import QUEUES
from workers.projection.projector import Projector

ROOT = Path(__file__).parents[2]


def move(services: Services, match: AnyMatch) -> AnyMatch:
    """Make the next move, as Ann or as the bot."""
    (seat, *_) = sorted(match.to_move)
    player, document = match.seats[seat].player, msgspec.to_builtins(first_legal_move(match, seat))
    command = Play(seat, document) if player else Play(seat, document, seen=match.ply, fallback=True)
    by = IdempotencyKey(player or f"bot:{match.id}:{seat}", f"move {match.ply}")
    return services.matches.commands.submit(match.id, command, by).match


def begin(services: Services, moves: int) -> AnyMatch:
    match = services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    for _ in range(moves):
        if match.status == "playing":
            match = move(services, match)
    return match


class BusyPlayer:
    """Plays matches and records what was acknowledged."""

    def __init__(self, services: Services) -> None:
        self.acknowledged: dict[str, int] = {}
        self._services = services

    def play(self, over: threading.Event) -> None:
        """Play one match after another until the event is set."""
        while not over.is_set():
            match = self._services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
            while match.status == "playing":
                self.acknowledged[match.id] = match.ply
                match = move(self._services, match)
            self.acknowledged[match.id] = match.ply


@pytest.fixture
def services(own_server: EmbeddedServer) -> Iterator[Services]:
    built = build_services(Settings(log_url=own_server.url()))
    yield built
    built.runtime.redis.close()


def assert_sound(services: Services, before: dict[str, int]) -> None:
    """Check that every match verifies, feeds match events, and everything acknowledged before the copy exists."""
    announced: dict[str, int] = {}
    for shard in range(SHARDS):
        items = services.log.feed(shard, 0, count=1_000_000)
        assert [item.position for item in items] == list(range(1, len(items) + 1))
        for item in items:
            assert item.first == announced.get(item.match, 0) + 1
            announced[item.match] = item.last
    for match, ply in announced.items():
        assert len(services.log.lines(match)) == ply
        assert services.verification.auditor.audit(match).first is None
    assert all(announced.get(match, 0) >= ply for match, ply in before.items())


def test_a_copy_made_during_play_is_a_consistent_log(services: Services, short_dir: Path) -> None:
    resting, running = begin(services, 9), begin(services, 3)
    assert (resting.status, running.status) == ("over", "playing")
    # when: the log is copied during play
    busy = BusyPlayer(services)
    with running_in_background([busy.play]):
        wait_until(lambda: len(busy.acknowledged) >= 3, 60)
        before = dict(busy.acknowledged)
        made = CliRunner().invoke(
            main, ["backup", str(short_dir / "copy")], env={"CRUMBTRAIL_LOG_URL": services.runtime.settings.log_url}
        )
        assert made.exit_code == 0, made.output
    # then: another server starts from the copy, and all matches in it verify
    with EmbeddedServer(short_dir / "copy") as server:
        restored = build_services(Settings(log_url=server.url()))
        assert check_durability(restored.runtime.redis).mode == "durable"
        assert_sound(restored, before | {resting.id: resting.ply, running.id: running.ply})
        # then: the lists are rebuilt, and the match can be played to its end
        Projector(restored.log, restored.read_models.writer, restored.read_models.progress).rebuild()
        assert restored.read_models.lists.find_match(running.id) == summarize_match(running)
        match = restored.matches.repository.load(running.id)
        while match.status == "playing":
            match = move(restored, match)
        assert restored.verification.auditor.audit(match.id).first is None
        restored.runtime.redis.close()


def test_a_rewrite_during_the_copy_loses_nothing(services: Services, short_dir: Path) -> None:
    """If the server rewrites and deletes files that are open for copying, the copy has the log from before."""
    busy, target = BusyPlayer(services), short_dir / "copy"
    with running_in_background([busy.play]), ExitStack() as stack:
        wait_until(lambda: len(busy.acknowledged) >= 3, 60)
        before = dict(busy.acknowledged)
        manifest = find_manifest(services.runtime.redis)
        files = open_listed_files(manifest, stack)
        services.runtime.redis.bgrewriteaof()
        wait_until(lambda: not all((manifest.parent / name).exists() for name in files), 60)
        target.mkdir()
        copy_files(files, target / manifest.parent.name)
    with EmbeddedServer(target) as server:
        restored = build_services(Settings(log_url=server.url()))
        assert_sound(restored, before)
        restored.runtime.redis.close()


def test_copies_made_during_repeated_rewrites_are_sound(services: Services, short_dir: Path) -> None:
    def rewrite(over: threading.Event) -> None:
        while not over.wait(0.05):
            with suppress(ResponseError):  # a rewrite is already running
                services.runtime.redis.bgrewriteaof()

    busy = BusyPlayer(services)
    for number in range(3):
        with running_in_background([busy.play, rewrite]):
            wait_until(lambda: len(busy.acknowledged) >= 3, 60)
            before = dict(busy.acknowledged)
            copy_log(services.runtime.redis, short_dir / f"copy{number}")
        with EmbeddedServer(short_dir / f"copy{number}") as server:
            restored = build_services(Settings(log_url=server.url()))
            assert_sound(restored, before)
            restored.runtime.redis.close()


def test_a_copy_changes_nothing_on_the_server(services: Services, short_dir: Path) -> None:
    """So a backup that is killed needs no cleanup on the server. The only write is the time of the finished backup."""
    services.runtime.redis.bgrewriteaof()
    before = values(services)
    services.runtime.redis.config_resetstat()
    url = {"CRUMBTRAIL_LOG_URL": services.runtime.settings.log_url}
    assert CliRunner().invoke(main, ["backup", str(short_dir / "copy")], env=url).exit_code == 0
    sent = {name.removeprefix("cmdstat_") for name in services.runtime.redis.info("commandstats")}
    reads = {"config|get", "config|resetstat", "info", "client|setinfo", "client|setname", "hello", "select"}
    assert sent - reads == {"hset"}
    after = values(services)
    assert {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)} == {BACKUPS_KEY.encode()}
    again = CliRunner().invoke(main, ["backup", str(short_dir / "copy")], env=url)
    assert (again.exit_code, "already exists" in again.output) == (1, True)
    services.runtime.redis.config_set("appendonly", "no")
    none = CliRunner().invoke(main, ["backup", str(short_dir / "other")], env=url)
    assert (none.exit_code, "has no append-only files" in none.output) == (1, True)
    assert not (short_dir / "other").exists()


def values(services: Services) -> dict[bytes, bytes | None]:
    """Return all keys of the server with their serialized values."""
    redis = services.runtime.redis
    return {key: redis.dump(key) for key in redis.scan_iter(count=1000)}


def blocks(heading: str) -> str:
    """Return the commands under a heading of docs/operations.md."""
    page = (ROOT / "docs" / "operations.md").read_text()
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return "".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))


def test_the_docs_name_every_queue() -> None:
    page = (ROOT / "docs" / "operations.md").read_text()
    assert [queue for queue in QUEUES if f"`{queue}`" not in page and f"--queues {queue}`" not in page] == []


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("One machine", "ok    Python"),
        ("Two machines", "users.acl"),
        ("Backup and restore", "Matches audited: 3"),
        ("Rebuilding what is derived", "Matches audited: 3"),
    ],
)
def test_the_documented_commands_work(heading: str, expected: str, services: Services, short_dir: Path) -> None:
    """With a log that has matches, the commands in the docs succeed one after another."""
    begin(services, 9), begin(services, 2)
    bots = services.matches.creation.create("p_ann", "tic_tac_toe", BOTS, {}).match
    assert bots.status == "playing"
    commands = short_dir / "bin"
    commands.mkdir()
    (commands / "crumbtrail").write_text(f'#!/bin/sh\nexec {sys.executable} -m service.cli "$@"\n')
    (commands / "crumbtrail").chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
    environment |= {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "CRUMBTRAIL_DATA": services.runtime.redis.config_get("dir")["dir"],
        "backups": str(short_dir / "backups"),
        "restored": str(short_dir / "restored"),
        "accounts": str(short_dir / "accounts"),
        "port": "0",
    }
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", blocks(heading)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert expected in ran.stdout, ran.stdout
