"""Runs the examples in the documentation."""

import doctest
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Chance
from domain.kernel.events import Ended
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import find_game
from tests.builders import play_match, random_agent

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/add-a-game.md", "docs/reinforcement-learning.md")


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_as_printed(page: str) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_bot_of_the_documentation_beats_a_random_one() -> None:
    """It wins four matches of five, so fewer than 22 of 40 has a chance of 1 in 30,000."""
    [_, block] = (ROOT / "docs/write-a-bot.md").read_text().split("```python\n")
    names: dict[str, Any] = {}
    exec(block.split("```")[0], names)
    game = find_game("mice_cake")

    def agent(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
        if seat == 1:
            return random_agent(game, view, seat, legal, chance)
        plain = [msgspec.json.decode(canonical_json(thing)) for thing in (view, list(legal))]
        return game.read_move(names["choose"](*plain, Random(chance.below(1000))))

    ends = [play_match(game, agent=agent, seed=n, moves=n)[-2] for n in range(40)]
    assert sum(end.outcome.winners == (0,) for end in ends if isinstance(end, Ended)) >= 22


@pytest.mark.parametrize("page", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")))
def test_links_between_pages_have_a_target(page: str) -> None:
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"


def test_no_file_names_a_package_index() -> None:
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        assert "://" not in text
        assert "--index" not in text
        assert "--hash=sha256:" in text


SELECTION = re.compile(r'pytest (tests/[\w/.]+)[^`\n]*? -k (?:"([^"]+)"|(\w+))')


def selections() -> list[tuple[str, str]]:
    """Return the path and the words of every `pytest PATH -k WORDS` in the documentation."""
    text = "\n".join(path.read_text() for path in sorted((ROOT / "docs").rglob("*.md")))
    return [(path, word) for path, *words in SELECTION.findall(text) for word in re.split(r" or | ", "".join(words))]


@pytest.mark.parametrize(("path", "word"), [each for each in selections() if each[1] not in ("not", "and")])
def test_a_command_of_the_documentation_selects_a_test(path: str, word: str) -> None:
    """Given `pytest PATH -k WORD` on a page, when the tests under the path are listed, then one has the word."""
    files = [ROOT / path] if path.endswith(".py") else sorted((ROOT / path).rglob("test_*.py"))
    names = [name for file in files for name in re.findall(r"def (test_\w+)", file.read_text())]
    assert any(word in name for name in names)
