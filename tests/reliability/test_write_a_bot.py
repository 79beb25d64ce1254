"""Follows the commands in `docs/write-a-bot.md` from a token to the first win."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import plain_http
from tests.reliability.stack import Stack, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/write-a-bot.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
CHOOSE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
UNTIL_OVER = """sleep 3; for n in $(seq 300); do
  curl -s "$api/api/v1/matches?game=mice_cake&limit=1" | grep -q '"outcome":{' && break; sleep 0.5; done"""
"""Waits until the newest match is over, as a reader would by checking again."""
MOST_MATCHES = 8
"""The bot wins four of five matches, so it loses eight in a row once in 400,000 times."""


def shell(stack: Stack, folder: Path, *blocks: str) -> str:
    """Run these commands in a folder and return their output."""
    script = "\n".join([f"api={stack.url}", *blocks, "kill $! 2>/dev/null || true"])
    command = ["bash", "-e", "-c", script]
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True, timeout=300).stdout


def my_bot(folder: Path) -> None:
    """Write the example bot with the `choose` function from the docs."""
    text = (ROOT / "examples/bot.py").read_text()
    own = re.sub(r"def choose\(.*?\n\n\n", lambda _: f"{CHOOSE.strip()}\n\n\n", text, count=1, flags=re.DOTALL)
    assert own != text
    (folder / "my_bot.py").write_text(own)


def winners(stack: Stack) -> list[int]:
    """Return the winners of the newest match."""
    [row] = plain_http.get(f"{stack.url}/api/v1/matches?game=mice_cake&limit=1").json()["matches"]
    found: list[int] = row["outcome"]["winners"]
    return found


@pytest.mark.full
def test_the_docs_lead_to_the_first_win(tmp_path: Path) -> None:
    register, first, result, second, offer, check = SHELL
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    my_bot(tmp_path)
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        output = shell(stack, tmp_path, register, first, UNTIL_OVER, result)
        assert re.search(r"'winners': \[\d?\]", output)
        assert f"{stack.url}/matches/" in output
        assert plain_http.get(output.split()[-1]).status_code == 200
        for _ in range(MOST_MATCHES):
            shell(stack, tmp_path, register, "sleep 60 &", second, UNTIL_OVER)
            if winners(stack) == [0]:
                break
        else:
            raise AssertionError("no match was won")
        shell(stack, tmp_path, register, offer)
        rows = plain_http.get(f"{stack.url}/api/v1/matches?status=open").json()["matches"]
        assert [seat["kind"] for seat in rows[0]["seats"]] == ["human", "open"]
    assert check.startswith("crumbtrail bot check")
