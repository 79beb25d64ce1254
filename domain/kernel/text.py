"""Helpers for sentences."""

from collections.abc import Iterable, Mapping
from typing import Any


def capital(sentence: str) -> str:
    """Return the sentence with its first letter in upper case and the rest unchanged."""
    return sentence[:1].upper() + sentence[1:]


def join_and(parts: Iterable[str]) -> str:
    """Return `red`, `red and blue` or `red, blue and green`; an empty string for no parts."""
    words = list(parts)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def pluralize(count: int, noun: str) -> str:
    """Return `1 card` or `2 cards`, for nouns with a regular plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def wrap_words(text: str, width: int) -> list[str]:
    """Return the words in lines of at most `width` characters; a longer word has a line of its own."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def describe_fields(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the name and fields of a move (plain JSON) as text, for a game without words for its moves."""
    given = ((name, value) for name, value in fields.items() if value not in (None, {}, [], ()))
    parts = [kind.replace("_", " "), *(f"{name.replace('_', ' ')} {format_value(value)}" for name, value in given)]
    return capital(", ".join(parts))


def format_value(value: Any) -> str:
    """Return a JSON value as text without brackets and quotes."""
    if isinstance(value, Mapping):
        return " ".join(f"{name} {format_value(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(format_value, value))
    return str(value)
