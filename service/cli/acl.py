"""`crumbtrail acl`: accounts for the servers, with no more rights than each needs."""

import os
import secrets
from pathlib import Path

import click

from service.event_store.connect import InvalidLogUrl, require_valid_url
from service.event_store.server_accounts import (
    ACCOUNTS,
    ADMIN_ACCOUNT,
    LOG_ACCOUNT,
    QUEUE_ACCOUNT,
    REPLICA_ACCOUNT,
    SEED_ACCOUNT,
    SENTINEL_ACCOUNT,
    Account,
)

USERS_FILE, SERVER_FILE, SERVICE_FILE, OPERATOR_FILE = "users.acl", "server.conf", "crumbtrail.env", "operator.env"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--server", default="redis://127.0.0.1:6379/0", show_default=True, help="The log's server.")
@click.option("--queue-server", default="redis://127.0.0.1:6379/1", show_default=True, help="The queue's server.")
def acl(folder: Path, server: str, queue_server: str) -> None:
    """Write accounts with new passwords into FOLDER, which is to be closed to others.

    users.acl is the servers' `aclfile` and holds digests alone; server.conf names it, and the account of replicas;
    crumbtrail.env has the URLs for the service; operator.env the passwords of operator and Sentinel.
    """
    passwords = {account: secrets.token_hex(32) for account in ACCOUNTS}
    files = {
        USERS_FILE: "".join(
            f"{line}\n" for line in ["user default off", *(a.acl_line(p) for a, p in passwords.items())]
        ),
        SERVER_FILE: f"aclfile {folder.absolute() / USERS_FILE}\n"
        f"masteruser {REPLICA_ACCOUNT.name}\nmasterauth {passwords[REPLICA_ACCOUNT]}\n",
        SERVICE_FILE: "".join(
            f"{name}={with_account(url, account, passwords[account])}\n"
            for name, url, account in (
                ("CRUMBTRAIL_LOG_URL", server, LOG_ACCOUNT),
                ("CRUMBTRAIL_SEED_URL", server, SEED_ACCOUNT),
                ("CRUMBTRAIL_QUEUE_URL", queue_server, QUEUE_ACCOUNT),
            )
        ),
        OPERATOR_FILE: "".join(
            f"{account.name}={passwords[account]}\n" for account in (ADMIN_ACCOUNT, SENTINEL_ACCOUNT)
        ),
    }
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in files.items():
        write_new_file(folder / name, text)
    click.echo(f"Written to {folder}: {', '.join(files)}.")
    click.echo(
        f"Start the servers with `include {folder.absolute() / SERVER_FILE}` in their settings, and web, dispatcher"
    )
    click.echo(f"and workers with {SERVICE_FILE} as their environment. Mail and webhooks need no CRUMBTRAIL_SEED_URL.")


def with_account(url: str, account: Account, password: str) -> str:
    """The URL with name and password. Raises ClickException for one that cannot be, or that has them already."""
    scheme, found, rest = url.partition("://")
    if not found or "@" in rest:
        raise click.ClickException("a server is named as redis://host:6379/0, without name and password")
    whole = f"{scheme}://{account.name}:{password}@{rest}"
    try:
        require_valid_url(whole)
    except InvalidLogUrl as error:
        raise click.ClickException(str(error)) from None
    return whole


def write_new_file(path: Path, text: str) -> None:
    """A new file for its owner alone. Raises ClickException when there is one: its passwords may be in use."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise click.ClickException(f"{path} is there already; its passwords may be in use") from None
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
