"""`crumbtrail acl`: server accounts, each with only the permissions that it needs."""

import os
import secrets
from pathlib import Path

import click

from service.event_store.connect import InvalidLogUrl, require_valid_url
from service.event_store.server_accounts import (
    ACCOUNTS,
    ADMIN_ACCOUNT,
    FAILOVER_ACCOUNT,
    LOG_ACCOUNT,
    QUEUE_ACCOUNT,
    REPLICA_ACCOUNT,
    SEED_ACCOUNT,
    SENTINEL_ACCOUNT,
    Account,
)

USERS_FILE, SERVER_FILE, SERVICE_FILE, OPERATOR_FILE = "users.acl", "server.conf", "crumbtrail.env", "operator.env"
GUARD_FILE = "failover.env"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--server", default="redis://127.0.0.1:6379/0", show_default=True, help="URL of the log server.")
@click.option("--queue-server", default="redis://127.0.0.1:6379/1", show_default=True, help="URL of the queue server.")
def acl(folder: Path, server: str, queue_server: str) -> None:
    """Write Redis accounts with new passwords to FOLDER.

    \b
    users.acl       accounts for the servers' `aclfile`, with password hashes
    server.conf     server settings: the `aclfile`, and the replicas' account
    crumbtrail.env  URLs for the service, with passwords
    failover.env    URL for `crumbtrail failover-guard`, if the log server has sentinels
    operator.env    passwords of the operator and of Sentinel

    Keep FOLDER private.
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
    if server.startswith("sentinel+"):
        guard_url = with_account(server, FAILOVER_ACCOUNT, passwords[FAILOVER_ACCOUNT])
        files[GUARD_FILE] = f"CRUMBTRAIL_LOG_URL={guard_url}\n"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in files.items():
        write_new_file(folder / name, text)
    click.echo(f"Wrote {', '.join(files)} to {folder}.")
    click.echo(
        f"Add `include {folder.absolute() / SERVER_FILE}` to the servers' settings, and start web, dispatcher and"
    )
    click.echo(f"workers with the environment of {SERVICE_FILE}. Mail and webhook workers need no CRUMBTRAIL_SEED_URL.")


def with_account(url: str, account: Account, password: str) -> str:
    """Return the URL with name and password. Raises ClickException for an invalid URL, or one that has credentials."""
    scheme, found, rest = url.partition("://")
    if not found or "@" in rest:
        raise click.ClickException("Give the server as redis://host:6379/0, without user name and password.")
    whole = f"{scheme}://{account.name}:{password}@{rest}"
    try:
        require_valid_url(whole)
    except InvalidLogUrl as error:
        raise click.ClickException(str(error)) from None
    return whole


def write_new_file(path: Path, text: str) -> None:
    """Write a new file that only its owner can read. Raises ClickException if it exists."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise click.ClickException(
            f"{path} already exists and its passwords may be in use. Choose another folder."
        ) from None
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
