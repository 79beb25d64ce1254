"""Asks a database of advisories about every locked package. Exit code 0: no advisory; 1: some; 2: not known.

A package about which nothing could be asked is a failure as well: silence is no good news.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOCKS = sorted(Path(__file__).parent.glob("*.txt"))
FOUND, UNKNOWN = 1, 2
SECONDS = 15
"""The longest wait for one answer of the database."""


class CannotAudit(Exception):
    """Nothing is known; the text says why."""


def main(arguments: list[str]) -> int:
    """Audit all lock files; further arguments are given to pip-audit, such as `--osv-url`."""
    code = 0
    for lock in LOCKS:
        try:
            packages = audited(lock, arguments)
        except CannotAudit as error:
            print(f"{lock.name}: could not be audited: {error}", file=sys.stderr)
            print("This is a failure: whether the locked packages have known holes is not known.", file=sys.stderr)
            return UNKNOWN
        advisories = [(package, each) for package in packages for each in package["vulns"]]
        for package, each in advisories:
            fixed = ", ".join(each["fix_versions"]) or "no version yet"
            print(f"{lock.name}: {package['name']} {package['version']}: {each['id']}, fixed in {fixed}")
        print(f"{lock.name}: {len(packages)} packages, {len(advisories)} advisories")
        code = max(code, FOUND if advisories else 0)
    return code


def audited(lock: Path, arguments: list[str]) -> list[dict[str, Any]]:
    """Every package of a lock file with its advisories. Raises CannotAudit."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "audit.json"
        command = [
            *(sys.executable, "-m", "pip_audit", "--strict", "--no-deps", "--disable-pip", "--require-hashes"),
            *("--progress-spinner", "off", "--timeout", str(SECONDS), "--cache-dir", folder),
            *("--format", "json", "--output", str(out), "--requirement", str(lock), *arguments),
        ]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if not out.exists() or ran.returncode not in (0, FOUND):
            raise CannotAudit(last_line(ran.stderr))
        packages: list[dict[str, Any]] = json.loads(out.read_text())["dependencies"]
    unknown = [f"{each['name']} ({each['skip_reason']})" for each in packages if "skip_reason" in each]
    if unknown or not packages:
        raise CannotAudit(f"nothing is known of {', '.join(unknown) or 'any package'}")
    return packages


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no answer")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
