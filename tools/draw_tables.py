"""Writes what the outside verifiers know of the games: `python -m tools.draw_tables`.

Each game says in its room `draws.py` how chance shows in its facts. From these tables are made `docs/draws.json`, the
end of `replays/standalone_verify.py` and `service/web/static/js/draws.js`. A test holds all three to the games.
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
HEAD = """// How chance shows in the facts of each game, by rules version. Made from the games' own rooms `draws.py` by
// `python -m tools.draw_tables`; docs/draws.md explains it.

export const DRAWS = """


def tables() -> dict[str, Any]:
    """The tables of all games of the house that have one, by slug and rules version, as plain JSON."""
    found: dict[str, Any] = {}
    for game in all_versions():
        if game.draws is not None:
            found.setdefault(game.slug, {})[str(game.rules_version)] = plain(game)
    return found


def plain(game: AnyGame) -> Any:
    """A game's table as JSON has it, with the names of the facts that have to do with no draw."""
    table = game.draws
    assert table is not None, f"{game.slug} does not say how chance shows in its facts (docs/draws.md)"
    lists = {name: items if isinstance(items, dict) else list(items) for name, items in table.lists.items()}
    others = sorted(kinds_of(game) - set(table.facts))
    return json.loads(msgspec.json.encode({"lists": lists, "facts": table.facts, "others": others}))


def kinds_of(game: AnyGame) -> set[str]:
    """The `type` of every fact of the game."""
    kinds = get_args(game.fact_type) or (game.fact_type,)
    return {str(kind.__struct_config__.tag) for kind in kinds}


def pretty() -> str:
    """The tables as JSON in lines for people; no string in them holds a space, so a line may end at any."""
    return "\n".join(lines(tables(), ""))


def lines(value: Any, indent: str, key: str = "", after: str = "") -> Iterator[str]:
    """A value of the tables: what fits on a line stands on one, lists are wrapped, objects opened."""
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
    """The three files as they should be."""
    script = SCRIPT.read_text()
    start = script.index(FIRST) + len(FIRST)
    yield PUBLISHED, pretty() + "\n"
    yield SCRIPT, script[:start] + pretty() + script[script.index(LAST, start) :]
    yield MODULE, HEAD + pretty() + ";\n"


def main() -> None:
    """Write what is different, and say so."""
    for path, text in files():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
