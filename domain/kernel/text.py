"""Helpers for sentences."""

from collections.abc import Iterable


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
