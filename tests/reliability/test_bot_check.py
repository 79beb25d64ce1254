"""The conformance check passes the example bot and finds the faults of unsound bots."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.reliability.stack import Stack, running_stack
from workers.bots.commands import bot
from workers.bots.conformance.proxy import MISHAPS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
EXAMPLE = Path(__file__).parents[2] / "examples/bot.py"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("check")
    with running_stack(folder / "var", folder / "output") as running:
        yield running


def check(stack: Stack, program: Path, game: str, seconds: int) -> Result:
    """Run the check of a program in one game."""
    words = ["check", "--url", stack.url, "--game", game, "--seconds", str(seconds), "--"]
    return CliRunner().invoke(bot, [*words, sys.executable, str(program), "{url}", "{token}"])


def altered(folder: Path, before: str, after: str) -> Path:
    """Write the example bot with one replacement and return its path."""
    text = EXAMPLE.read_text()
    assert before in text
    program = folder / "bot.py"
    program.write_text(text.replace(before, after))
    return program


@pytest.mark.full
def test_the_example_is_sound(stack: Stack) -> None:
    result = check(stack, EXAMPLE, "mice_cake", 120)
    assert result.exit_code == 0, result.output
    assert "SOUND: every match" in result.output
    assert "kinds of moves made: assign_mice" in result.output
    assert "not made" not in result.output
    opened = re.search(r"turn streams opened: (\d+)", result.output)
    assert opened
    assert int(opened[1]) > 3, "the bot should have had to reconnect"
    assert all(f"fault caused: {mishap}, 0 times" not in result.output for mishap in MISHAPS), (
        "every fault should have occurred"
    )


@pytest.mark.full
@pytest.mark.timeout(1300)
def test_the_example_makes_every_kind_of_move_in_every_game(stack: Stack) -> None:
    words = ["check", "--url", stack.url, "--seconds", "1200", "--", sys.executable, str(EXAMPLE), "{url}", "{token}"]
    result = CliRunner().invoke(bot, words)
    assert result.exit_code == 0, result.output
    assert "not made" not in result.output


def test_a_bot_that_gives_up_is_not_sound(stack: Stack, tmp_path: Path) -> None:
    result = check(stack, altered(tmp_path, "        time.sleep(1)", "        sys.exit(3)"), "mice_cake", 60)
    assert result.exit_code == 1
    assert "FAULT: the program ended on its own, with exit code 3" in result.output
    assert "FAULT: a match was not finished: mice_cake" in result.output


def test_a_bot_that_guesses_moves_is_not_sound(stack: Stack, tmp_path: Path) -> None:
    result = check(stack, altered(tmp_path, "return luck.choice(moves)", 'return {"type": "pass"}'), "mice_cake", 8)
    assert result.exit_code == 1
    assert "refused as illegal" in result.output
    assert "refused: 422 bad_move" in result.output


def test_an_unreachable_service_is_reported() -> None:
    result = CliRunner().invoke(bot, ["check", "--url", "http://127.0.0.1:9", "--", "true"])
    assert result.exit_code == 1
    assert "is unavailable" in result.output
