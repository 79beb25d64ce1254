"""`crumbtrail backup`: a copy of the log while it is being written, which another server can start from.

The append-only file consists of a base, which never changes, and of what was added since; a manifest lists the files.
Copied in its order they are the log as it was at a moment: a script's writes stand in the file as one transaction, and
a server drops a transaction that was copied in part. A rewrite that begins meanwhile adds to other files and deletes
these, which lose nothing as long as they are open here. So no setting of the server is touched: whoever is killed in
the middle leaves nothing to put right but a folder.
"""

import os
import shutil
import time
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import click
from redis import Redis, RedisCluster

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogUnavailable, redis_errors_as_unavailable
from service.runtime.settings import from_environment

REWRITE_SECONDS = 600.0
"""How long a rewrite that has begun may take."""
MAX_TRIES = 10
"""How often the files are opened anew when a rewrite begins or ends just then."""
PAUSE = 0.1


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
        copied = copy_log(connect(url), folder)
    except (LogUnavailable, BackupFailed) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{copied / 2**20:.1f} MiB are in {folder}.")


def copy_log(redis: "Redis | RedisCluster", folder: Path) -> int:
    """Copy the server's append-only files into a new folder; gives their bytes. Raises BackupFailed, LogUnavailable."""
    if isinstance(redis, RedisCluster):
        raise BackupFailed("A cluster is copied primary by primary: name one with --server redis://host:port.")
    if folder.exists():
        raise BackupFailed(f"{folder} is there already; a copy goes into a new folder.")
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
    """Wait until no rewrite goes on: without the first one the files are not whole. Raises BackupFailed."""
    until = time.monotonic() + REWRITE_SECONDS
    while (info := redis.info("persistence"))["aof_rewrite_in_progress"] or info["aof_rewrite_scheduled"]:
        if time.monotonic() > until:
            raise BackupFailed("The server is rewriting its file and does not come to an end.")
        time.sleep(PAUSE)


def find_manifest(redis: Any) -> Path:
    """What lists the append-only files, in their folder. Raises BackupFailed."""
    names = ("dir", "appenddirname", "appendfilename", "appendonly")
    found = {name: redis.config_get(name).get(name) for name in names}
    if found["appendonly"] != "yes" or not found["appenddirname"]:
        raise BackupFailed("The server keeps no append-only files, as Redis and Valkey do from version 7 on.")
    folder: Path = Path(found["dir"]) / found["appenddirname"]
    if not os.access(folder, os.R_OK):
        raise BackupFailed(f"{folder} cannot be read here. Run this on the server's machine, as its user.")
    return folder / f"{found['appendfilename']}.manifest"


def open_listed_files(manifest: Path, stack: ExitStack) -> dict[str, BinaryIO]:
    """What the manifest lists, in its order, and the manifest, all as they belong together. Raises BackupFailed."""
    for _ in range(MAX_TRIES):
        listed = manifest.read_bytes()
        names = [line.split(" ")[1] for line in listed.decode().splitlines()]
        with suppress(FileNotFoundError):
            files = {name: stack.enter_context((manifest.parent / name).open("rb")) for name in names}
            if manifest.read_bytes() == listed:
                return files | {manifest.name: BytesIO(listed)}
        time.sleep(PAUSE)
    raise BackupFailed("The server rewrites its file again and again. Try again.")


def copy_files(files: dict[str, BinaryIO], target: Path) -> int:
    """Copy the files into a new folder; gives their bytes."""
    target.mkdir(mode=0o700)
    for name, source in files.items():
        with (target / name).open("wb") as file:
            shutil.copyfileobj(source, file)
            file.flush()
            os.fsync(file.fileno())
    return sum(path.stat().st_size for path in target.iterdir())
