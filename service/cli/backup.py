"""`crumbtrail backup`: copy the log while it is in use, in a form that another server can start from.

The append-only file consists of a base, which never changes, and increments; a manifest lists these files. Copied in
the manifest's order, they are the log at one point in time. The writes of a script form one transaction in the file,
and a server drops an incomplete transaction at the end. A rewrite during the copy writes to new files and deletes the
old ones, which stay readable while they are open here. No setting of the server is changed, so an interrupted copy
leaves only a folder to delete.
"""

import os
import shutil
import time
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, cast

import click
from redis import Redis, RedisCluster

from service.event_store.backup_times import record_backup
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogUnavailable, redis_errors_as_unavailable
from service.event_store.private_files import open_private
from service.runtime.settings import from_environment

REWRITE_SECONDS = 600.0
"""Maximum duration of a rewrite in progress, in seconds."""
MAX_TRIES = 10
"""Number of attempts to open the files, since a rewrite may start or end at the same time."""
PAUSE = 0.1


class BackupFailed(Exception):
    """The copy failed; the message says why."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--server", help="URL of the server, such as one primary of a cluster.  [default: CRUMBTRAIL_LOG_URL]")
def backup(folder: Path, server: str | None) -> None:
    """Copy the log to the new FOLDER while the service is running.

    Run this on the machine of the log server. To restore the copy, run `crumbtrail up --data FOLDER`, or start your
    own server with the `appendonlydir` in FOLDER.
    """
    settings = from_environment()
    url = server or settings.log_url or EmbeddedServer(settings.data).url()
    began = time.time()
    try:
        redis = cast(Redis, connect(url))  # `copy_log` refuses a cluster
        copied = copy_log(redis, folder)
    except (LogUnavailable, BackupFailed) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Copied {copied / 2**20:.1f} MiB to {folder}.")
    try:
        record_backup(connect(settings.log_url) if settings.log_url else redis, redis, began)
    except LogUnavailable as error:
        click.echo(f"The backup is complete, but the metrics won't show its time: {error}", err=True)


def copy_log(redis: "Redis | RedisCluster", folder: Path) -> int:
    """Copy the append-only files to a new folder and return their size. Raises BackupFailed, LogUnavailable."""
    if isinstance(redis, RedisCluster):
        raise BackupFailed("A cluster is copied one primary at a time. Choose one with --server redis://host:port.")
    if folder.exists():
        raise BackupFailed(f"{folder} already exists. Choose a new folder.")
    with redis_errors_as_unavailable():
        manifest = find_manifest(redis)
        await_rewrite(redis)
    unfinished = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700, parents=True)
    with ExitStack() as stack:
        copied = copy_files(open_listed_files(manifest, stack), unfinished / manifest.parent.name)
    unfinished.rename(folder)
    return copied


def await_rewrite(redis: Any) -> None:
    """Wait until no rewrite is in progress; files are incomplete until the first one ends. Raises BackupFailed."""
    until = time.monotonic() + REWRITE_SECONDS
    while (info := redis.info("persistence"))["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"]:
        if time.monotonic() > until:
            raise BackupFailed("The server has been rewriting its file for too long. Try again later.")
        time.sleep(PAUSE)


def find_manifest(redis: Any) -> Path:
    """Return the path of the manifest, which is in the folder of the append-only files. Raises BackupFailed."""
    names = ("dir", "appenddirname", "appendfilename", "appendonly")
    found = {name: redis.config_get(name).get(name) for name in names}
    if found["appendonly"] != "yes" or not found["appenddirname"]:
        raise BackupFailed("The server has no append-only files. Use Redis or Valkey 7 or later with `appendonly yes`.")
    folder: Path = Path(found["dir"]) / found["appenddirname"]
    if not os.access(folder, os.R_OK):
        raise BackupFailed(f"{folder} can't be read. Run this on the log server's machine, as the server's user.")
    return folder / f"{found['appendfilename']}.manifest"


def open_listed_files(manifest: Path, stack: ExitStack) -> dict[str, BinaryIO]:
    """Open the files in the manifest, in order, and a consistent copy of the manifest. Raises BackupFailed."""
    for _ in range(MAX_TRIES):
        listed = manifest.read_bytes()
        names = [line.split(" ")[1] for line in listed.decode().splitlines()]
        with suppress(FileNotFoundError):
            files = {name: stack.enter_context((manifest.parent / name).open("rb")) for name in names}
            if manifest.read_bytes() == listed:
                return files | {manifest.name: BytesIO(listed)}
        time.sleep(PAUSE)
    raise BackupFailed("The server keeps rewriting its file. Try again later.")


def copy_files(files: dict[str, BinaryIO], target: Path) -> int:
    """Copy the files to a new folder and return their size in bytes."""
    target.mkdir(mode=0o700)
    for name, source in files.items():
        with open_private(target / name, "wb") as file:
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
    return sum(path.stat().st_size for path in target.iterdir())
