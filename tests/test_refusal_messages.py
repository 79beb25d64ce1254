"""The messages of refusals, which pages show to players."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
REFUSALS = {"MatchRefused", "IllegalMove", "BadForm", "BadOptions", "BadRequest", "NotFound", "Forbidden"}
"""The errors whose messages a page can show."""
SOURCES = ("domain", "service/matches", "service/web", "service/disputes", "service/accounts")


def refusal_texts() -> Iterator[tuple[str, str]]:
    """Yield the place and each literal text of every refusal in the source."""
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REFUSALS:
                    literals = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
                    yield from ((f"{path}:{node.lineno}", text) for text in literals if isinstance(text, str))


def test_players_read_of_moves_and_not_of_plies() -> None:
    texts = list(refusal_texts())
    assert len(texts) > 300
    assert [place for place, text in texts if re.search(r"\bpl(y|ies)\b", text)] == []
