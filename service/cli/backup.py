"""`crumbtrail backup`: a copy of the log while it is being written, which another server can start from.

The append-only file consists of a base, which never changes, and of what was added since. Copied in that order while no
rewrite is allowed, they are the log as it was at a moment: a script's writes stand in the file as one transaction, and
a server drops a transaction that was copied in part.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from redis import Redis, RedisCluster

from service.log.client import LogUnavailable, connect
from service.log.embedded import EmbeddedServer
from service.log.errors import in_words
from service.settings import from_environment

REWRITE = "auto-aof-rewrite-percentage"
REWRITE_SECONDS = 600.0
"""How long a rewrite that has begun may take."""


class BackupFailed(Exception):
    """There is no copy; the message says why."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--server", help="The server, if it is not that of CRUMBTRAIL_LOG_URL: one primary of a cluster, say.")
def backup(folder: Path, server: str | None) -> None:
    """Copy the log into the new FOLDER, on the machine of its server, while it is in use.

    To restore: `crumbtrail up --data FOLDER`, or have a server of your own begin with its `appendonlydir`.
    """
    settings = from_environment()
    url = server or settings.log_url or EmbeddedServer(settings.data).url()
    try:
        copied = back_up(connect(url), folder)
    except (LogUnavailable, BackupFailed) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{copied / 2**20:.1f} MiB are in {folder}.")


def back_up(redis: "Redis | RedisCluster", folder: Path) -> int:
    """Copy the server's append-only files into a new folder; gives their bytes. Raises BackupFailed, LogUnavailable."""
    if isinstance(redis, RedisCluster):
        raise BackupFailed("A cluster is copied primary by primary: name one with --server redis://host:port.")
    if folder.exists():
        raise BackupFailed(f"{folder} is there already; a copy goes into a new folder.")
    with in_words(), without_rewrites(redis):
        source = files_of(redis)
        unfinished = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700, parents=True)
        copied = copy(source, unfinished / source.name)
    unfinished.rename(folder)
    return copied


@contextmanager
def without_rewrites(redis: Any) -> Iterator[None]:
    """No rewrite goes on, and none begins by itself. Raises BackupFailed."""
    before = redis.config_get(REWRITE)[REWRITE]
    redis.config_set(REWRITE, 0)
    try:
        until = time.monotonic() + REWRITE_SECONDS
        while redis.info("persistence")["aof_rewrite_in_progress"]:
            if time.monotonic() > until:
                raise BackupFailed("The server is rewriting its file and does not come to an end.")
            time.sleep(0.1)
        yield
    finally:
        redis.config_set(REWRITE, before)


def files_of(redis: Any) -> Path:
    """The folder of the append-only files. Raises BackupFailed."""
    found = {name: redis.config_get(name).get(name) for name in ("dir", "appenddirname", "appendonly")}
    if found["appendonly"] != "yes" or not found["appenddirname"]:
        raise BackupFailed("The server keeps no append-only files, as Redis and Valkey do from version 7 on.")
    folder: Path = Path(found["dir"]) / found["appenddirname"]
    if not os.access(folder, os.R_OK):
        raise BackupFailed(f"{folder} cannot be read here. Run this on the server's machine, as its user.")
    return folder


def copy(source: Path, target: Path) -> int:
    """Copy what the manifest lists, in its order, and the manifest itself; gives the bytes. Raises BackupFailed."""
    target.mkdir(mode=0o700)
    (manifest,) = source.glob("*.manifest")
    listed = manifest.read_bytes()
    for line in listed.decode().splitlines():
        name = line.split(" ")[1]
        shutil.copyfile(source / name, target / name)
    if manifest.read_bytes() != listed:
        raise BackupFailed("Somebody has the server rewrite its file just now. Try again.")
    (target / manifest.name).write_bytes(listed)
    files = [*target.iterdir()]
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    return sum(path.stat().st_size for path in files)
