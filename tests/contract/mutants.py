"""Slightly wrong moves, as a buggy client or a curious player might send."""

from collections.abc import Iterator
from typing import Any

from domain.kernel.chance import Chance

NUMBERS = (-1, 1, 7, -3, 10**6, 2**60)
Path = tuple[str | int, ...]


def mutated_moves(document: Any, words: list[str], chance: Chance, count: int) -> Iterator[Any]:
    """Yield `count` copies of a move document with one change; `words` are strings from other moves."""
    places = list(leaves(document, ()))
    for _ in range(count):
        match chance.below(6):
            case 0:
                yield {**document, "extra": 1}
            case 1:
                key = chance.pick(sorted(document))
                yield {other: value for other, value in document.items() if other != key}
            case _:
                path, leaf = chance.pick(places)
                yield with_value_at(document, path, replacement_leaf(leaf, words, chance))


def leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield every scalar and every list of a document, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
        return
    if isinstance(value, list):
        for n, inner in enumerate(value):
            yield from leaves(inner, (*path, n))
    yield path, value


def replacement_leaf(leaf: Any, words: list[str], chance: Chance) -> Any:
    """Return a value that is wrong there, or that belongs to another move."""
    choices: list[Any] = [None, True, "nonsense", "", {}, [leaf], 0, chance.pick(words)]
    if isinstance(leaf, int):
        choices += [leaf + n for n in NUMBERS] + [leaf + 0.5, str(leaf)]
    if isinstance(leaf, list):
        choices += [leaf[1:], leaf + leaf[:1], leaf[::-1]]
    if isinstance(leaf, str):
        choices += [chance.pick(words) for _ in range(6)]
    return chance.pick(choices)


def with_value_at(document: Any, path: Path, value: Any) -> Any:
    """Return a copy with a different value at one path."""
    if not path:
        return value
    first, *rest = path
    if isinstance(document, dict):
        return {k: with_value_at(v, tuple(rest), value) if k == first else v for k, v in document.items()}
    return [with_value_at(v, tuple(rest), value) if n == first else v for n, v in enumerate(document)]
