"""`docs/write-a-bot.md`, followed to the letter from a token to the first win, by its own commands."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.reliability.stack import Stack, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/write-a-bot.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
CHOOSE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
UNTIL_OVER = """sleep 3; for n in $(seq 300); do
  curl -s "$api/api/v1/matches?game=mice_cake&limit=1" | grep -q '"outcome":{' && break; sleep 0.5; done"""
"""What a newcomer does by looking again: the newest match is over."""
MOST_MATCHES = 8
"""Four of five are won, so that eight in a row are lost once in 400,000 times."""


def shell(stack: Stack, folder: Path, *blocks: str) -> str:
    """What these commands print, in the folder of a newcomer."""
    script = "\n".join([f"api={stack.url}", *blocks, "kill $! 2>/dev/null || true"])
    command = ["bash", "-e", "-c", script]
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True, timeout=300).stdout


def my_bot(folder: Path) -> None:
    """The example with the page's own `choose`."""
    text = (ROOT / "examples/bot.py").read_text()
    own = re.sub(r"def choose\(.*?\n\n\n", lambda _: f"{CHOOSE.strip()}\n\n\n", text, count=1, flags=re.DOTALL)
    assert own != text
    (folder / "my_bot.py").write_text(own)


def winners(stack: Stack) -> list[int]:
    """The winners of the newest match."""
    [row] = httpx.get(f"{stack.url}/api/v1/matches?game=mice_cake&limit=1").json()["matches"]
    found: list[int] = row["outcome"]["winners"]
    return found


@pytest.mark.full
def test_the_page_leads_from_nothing_to_the_first_win(tmp_path: Path) -> None:
    register, first, result, second, offer, check = SHELL
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    my_bot(tmp_path)
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        told = shell(stack, tmp_path, register, first, UNTIL_OVER, result)
        assert re.search(r"'winners': \[\d?\]", told)
        assert f"{stack.url}/matches/" in told
        assert httpx.get(told.split()[-1]).status_code == 200
        for _ in range(MOST_MATCHES):
            shell(stack, tmp_path, register, "sleep 60 &", second, UNTIL_OVER)
            if winners(stack) == [0]:
                break
        else:
            raise AssertionError("no match was won")
        shell(stack, tmp_path, register, offer)
        rows = httpx.get(f"{stack.url}/api/v1/matches?status=open").json()["matches"]
        assert [seat["kind"] for seat in rows[0]["seats"]] == ["human", "open"]
    assert check.startswith("crumbtrail bot check")
