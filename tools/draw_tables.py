"""Writes the draw tables that the independent verifiers use: `python -m tools.draw_tables`.

Each game's `rules/draw_table.py` describes which facts draw what. From these tables, this script writes
`docs/draws.json`, the end of `replays/standalone_verify.py` and `service/web/static/js/draws.js`. A test compares all
three with the games.
"""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec

from domain.kernel.game import AnyGame
from domain.kernel.registry import all_versions

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "docs/draws.json"
SCRIPT = ROOT / "replays/standalone_verify.py"
MODULE = ROOT / "service/web/static/js/draws.js"
WIDTH = 118
FIRST, LAST = '\nDRAWS = json.loads("""\n', '\n""")\n'
HEAD = """// The draw tables of each game by rules version. `python -m tools.draw_tables` writes them from the games'
// `rules/draw_table.py`; docs/draws.md explains them.

export const DRAWS = """


def tables() -> dict[str, Any]:
    """Return the draw tables of all registered games by slug and rules version, as plain JSON."""
    found: dict[str, Any] = {}
    for game in all_versions():
        if game.draws is not None:
            found.setdefault(game.slug, {})[str(game.rules_version)] = plain(game)
    return found


def plain(game: AnyGame) -> Any:
    """Return a game's table as JSON, with the names of the facts that involve no draw.

    Tables of protocol 1 have no field `protocol`.
    """
    table = game.draws
    assert table is not None, f"{game.slug} has no draw table (docs/draws.md)"
    protocol = {} if table.protocol == 1 else {"protocol": table.protocol}
    lists = {name: items if isinstance(items, dict) else list(items) for name, items in table.lists.items()}
    others = sorted(kinds_of(game) - set(table.facts))
    return json.loads(msgspec.json.encode({**protocol, "lists": lists, "facts": table.facts, "others": others}))


def kinds_of(game: AnyGame) -> set[str]:
    """Return the `type` of every fact of the game."""
    kinds = get_args(game.fact_type) or (game.fact_type,)
    return {str(kind.__struct_config__.tag) for kind in kinds}


def pretty() -> str:
    """Return the tables as readable JSON. No string contains a space, so lines can break at any space."""
    return "\n".join(lines(tables(), ""))


def lines(value: Any, indent: str, key: str = "", after: str = "") -> Iterator[str]:
    """Format a value of the tables: on one line if it fits, otherwise lists are wrapped and objects opened."""
    text = indent + key + json.dumps(value) + after
    if len(text) <= WIDTH:
        yield text
    elif isinstance(value, list):
        yield from textwrap.wrap(
            text, WIDTH, subsequent_indent=indent + "  ", break_long_words=False, break_on_hyphens=False
        )
    else:
        yield indent + key + "{"
        for n, (name, item) in enumerate(value.items(), 1):
            yield from lines(item, indent + "  ", json.dumps(name) + ": ", "," if n < len(value) else "")
        yield indent + "}" + after


def files() -> Iterator[tuple[Path, str]]:
    """Yield the three files with the content that they should have."""
    script = SCRIPT.read_text()
    start = script.index(FIRST) + len(FIRST)
    yield PUBLISHED, pretty() + "\n"
    yield SCRIPT, script[:start] + pretty() + script[script.index(LAST, start) :]
    yield MODULE, HEAD + pretty() + ";\n"


def main() -> None:
    """Write the files that have changed, and print their names."""
    for path, text in files():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
