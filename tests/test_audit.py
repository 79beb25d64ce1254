"""The audit of the locked packages passes without advisories and fails if the database is unreachable."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from service.cli.listen import free_port

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
HOLE = {
    "id": "GHSA-test-hole-0000",
    "modified": "2026-01-01T00:00:00Z",
    "published": "2026-01-01T00:00:00Z",
    "summary": "A hole.",
    "details": "A hole.",
    "affected": [],
}


@contextmanager
def database(holes: dict[str, dict[str, object]]) -> Iterator[str]:
    """Serve a database with these advisories, by package, on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            hole = holes.get(asked["package"]["name"])
            raw = json.dumps({"vulns": [hole]} if hole else {}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/query"
    finally:
        server.shutdown()
        server.server_close()


def audit(url: str) -> "subprocess.CompletedProcess[str]":
    """Run the audit with the database at this URL."""
    command = [sys.executable, str(ROOT / "requirements/audit.py"), "--vulnerability-service", "osv", "--osv-url", url]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_packages_without_advisories_pass() -> None:
    with database({}) as url:
        ran = audit(url)
    assert ran.returncode == 0, ran.stderr
    assert [line.split(", ")[1] for line in ran.stdout.splitlines()] == ["0 advisories"] * len(LOCKS)


def test_an_advisory_is_named_and_fails() -> None:
    with database({"flask": HOLE}) as url:
        ran = audit(url)
    assert ran.returncode == 1
    assert "GHSA-test-hole-0000" in ran.stdout


def test_an_unreachable_database_fails_the_audit_with_a_message() -> None:
    ran = audit(f"http://127.0.0.1:{free_port('127.0.0.1')}/query")
    assert ran.returncode == 2
    assert "could not be audited" in ran.stderr
    assert "This is a failure" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_make_audit_runs_it() -> None:
    target = (ROOT / "Makefile").read_text().partition("\naudit:")[2].partition("\n\n")[0]
    assert "requirements/audit.py" in target
    assert "-" not in target.strip().split()[1][:1], "a failure must fail the target"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_locked_package_has_a_version_and_a_hash(lock: Path) -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"^\s*#.*\n", "", lock.read_text(), flags=re.M))
    assert len(entries) > 30
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^ ]+ ", entry), entry[:80]
        hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)
        assert hashes, entry[:80]
        assert len(hashes) == entry.count("--hash=")


def test_every_declared_dependency_is_locked() -> None:
    names = {re.split(r"[<>=;\[ ]", line)[0] for line in declared()}
    locked = {line.split("==")[0] for lock in LOCKS for line in lock.read_text().splitlines() if "==" in line}
    assert names <= locked | {"crumbtrail"}


def declared() -> list[str]:
    """Return the dependencies of the project, with all extras."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
