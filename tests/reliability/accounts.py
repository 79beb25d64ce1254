"""Accounts with minimal permissions for test servers, created by `crumbtrail acl`."""

from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from service.cli.main import main
from tests.reliability.servers import Login

LOG_SERVER, QUEUE_SERVER = "log.internal:6379", "queue.internal:6379"
"""The server addresses given to `crumbtrail acl`. Tests replace them, as they learn the ports later."""


class Accounts(NamedTuple):
    """The accounts of one service."""

    settings: tuple[str, ...]
    """Command-line settings of a server."""
    urls: dict[str, str]
    admin: Login
    sentinel: Login
    guard_url: str
    """The log server's URL for failover guards, or nothing without sentinels."""

    def urls_at(self, log: str, queue: str) -> dict[str, str]:
        """Return the service's environment variables for servers at these addresses."""
        return {name: url.replace(LOG_SERVER, log).replace(QUEUE_SERVER, queue) for name, url in self.urls.items()}

    def passwords(self) -> list[str]:
        """Return the passwords of the service's accounts."""
        return [url.split(":")[2].split("@")[0] for url in self.urls.values()]


def create_accounts(folder: Path, scheme: str = "redis") -> Accounts:
    """Create accounts in a folder, for a log with this URL scheme."""
    rest = {"redis": "/0", "sentinel+redis": "/crumbs"}.get(scheme, "")
    servers = (f"{scheme}://{LOG_SERVER}{rest}", f"redis://{QUEUE_SERVER}/1")
    made = CliRunner().invoke(main, ["acl", str(folder), "--server", servers[0], "--queue-server", servers[1]])
    assert made.exit_code == 0, made.output
    settings = read_pairs(folder / "server.conf", " ")
    operator = read_pairs(folder / "operator.env", "=")
    return Accounts(
        tuple(word for name, value in settings.items() for word in (f"--{name}", value)),
        read_pairs(folder / "crumbtrail.env", "="),
        Login("crumbtrail-admin", operator["crumbtrail-admin"]),
        Login("crumbtrail-sentinel", operator["crumbtrail-sentinel"]),
        read_pairs(guard, "=")["CRUMBTRAIL_LOG_URL"] if (guard := folder / "failover.env").exists() else "",
    )


def read_pairs(path: Path, between: str) -> dict[str, str]:
    """Return names and values from a file with one pair per line."""
    return dict(line.split(between, 1) for line in path.read_text().splitlines())
