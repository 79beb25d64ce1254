"""The meaning of action numbers: one vocabulary per game, the same in every match of a rules version."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET

from domain.kernel.game import AnyGame, Part

MAX_ACTIONS = 512
"""The most actions that a game can have."""
END, ABSENT, NULL, FALSE, TRUE, OBJECT, LIST, TEXT, NUMERAL = range(9)
"""The marks: the end of a list or text, an absent field, null, false, true, and the start of an object, a list, a
spelled text or a spelled number."""
MARKS = ("end", "absent", "null", "false", "true", "object", "list", "text", "numeral")
CHARACTERS = "".join(map(chr, range(0x20, 0x7F)))
NUMBERS = 256
FIRST_CHARACTER = len(MARKS)
FIRST_NUMBER = FIRST_CHARACTER + len(CHARACTERS)
FIRST_WORD = FIRST_NUMBER + NUMBERS
PIECES = re.compile(r"[0-9]+|[^0-9]+")


class Spelling(tuple[int, ...]):
    """The actions that spell a text or number without an action of its own. Does not include the end mark."""

    __slots__ = ()


class Vocabulary:
    """The actions of a game: marks, printable ASCII characters, the numbers 0 to 255, and words.

    The words are those listed in the types of the game's moves (their `type` first), then `game.names`, up to the
    maximum number of actions. Any other text is spelled with characters, and with numbers for its digits.
    """

    def __init__(self, game: AnyGame) -> None:
        words = dict.fromkeys([*schema_words(msgspec.json.schema(game.move_type)), *game.names])
        self.words: tuple[str, ...] = tuple(words)[: MAX_ACTIONS - FIRST_WORD]
        self._of: Mapping[str, int] = {word: FIRST_WORD + n for n, word in enumerate(self.words)}
        self._spelt: dict[str, Spelling] = {}

    def __len__(self) -> int:
        return FIRST_WORD + len(self.words)

    def of(self, value: Any) -> "int | Spelling":
        """Return the action for a scalar, or the actions that spell it."""
        match value:
            case None:
                return NULL
            case bool():
                return TRUE if value else FALSE
            case int() if 0 <= value < NUMBERS:
                return FIRST_NUMBER + value
            case str():
                known = self._of.get(value)
                return self.spelling(value) if known is None else known
            case _ if value is UNSET:
                return ABSENT
            case _:
                return Spelling(FIRST_CHARACTER + ord(one) - 0x20 for one in json.dumps(value))

    def spelling(self, text: str) -> Spelling:
        """Return the actions that spell a text."""
        known = self._spelt.get(text)
        if known is None:
            known = self._spelt[text] = Spelling(spelling_actions(json.dumps(text)[1:-1]))
        return known

    def path(self, part: Part) -> tuple[int, ...]:
        """Return the actions, in order, for a part that a game offers in its branches."""
        found = self.of(part)
        if isinstance(found, int):
            return (found,)
        return (TEXT if isinstance(part, str) else NUMERAL, *found, END)

    def meaning(self, action: int) -> str | int:
        """Return what an action means: a number, a word, a character in quotes, or a mark in angle brackets."""
        if action < FIRST_CHARACTER:
            return f"<{MARKS[action]}>"
        if action < FIRST_NUMBER:
            return repr(CHARACTERS[action - FIRST_CHARACTER])
        if action < FIRST_WORD:
            return action - FIRST_NUMBER
        return self.words[action - FIRST_WORD]


@cache
def vocabulary_of(game: AnyGame) -> Vocabulary:
    """Return the vocabulary of a game."""
    return Vocabulary(game)


def spelling_actions(text: str) -> Iterator[int]:
    """Yield the actions for a text of printable ASCII. Numbers up to 255 are one action, others several."""
    for piece in PIECES.findall(text):
        if piece.isdigit() and (piece == "0" or piece[0] != "0") and int(piece) < NUMBERS:
            yield FIRST_NUMBER + int(piece)
        else:
            yield from (FIRST_CHARACTER + ord(one) - 0x20 for one in piece)


def schema_words(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words listed in the schema of a union of moves: the types first, then the values of fields."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    tags: Sequence[str] = tuple(schema.get("discriminator", {}).get("mapping", {}))
    yield from tags
    yield from enum_words([schema, *definitions.values()])


def enum_words(nodes: Iterable[Any]) -> Iterator[str]:
    """Yield the words in `enum` and `const`, anywhere in a schema."""
    for node in nodes:
        if isinstance(node, list):
            yield from enum_words(node)
        if not isinstance(node, Mapping):
            continue
        yield from (word for word in (*node.get("enum", ()), node.get("const")) if isinstance(word, str))
        yield from enum_words(node.values())
