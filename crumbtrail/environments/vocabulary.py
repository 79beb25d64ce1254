"""What the numbers of actions mean: one vocabulary for each game, the same in every match of a rules version."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET

from domain.kernel.game import AnyGame, Part

MAX_ACTIONS = 512
"""Actions of a game."""
END, ABSENT, NULL, FALSE, TRUE, OBJECT, LIST, TEXT, NUMERAL = range(9)
"""The marks: a list or a text ends here, a field is left out, null, false, true, and what begins here: an object, a
list, a text that is spelt, a number that is spelt."""
MARKS = ("end", "absent", "null", "false", "true", "object", "list", "text", "numeral")
CHARACTERS = "".join(map(chr, range(0x20, 0x7F)))
NUMBERS = 256
FIRST_CHARACTER = len(MARKS)
FIRST_NUMBER = FIRST_CHARACTER + len(CHARACTERS)
FIRST_WORD = FIRST_NUMBER + NUMBERS
PIECES = re.compile(r"[0-9]+|[^0-9]+")


class Spelling(tuple[int, ...]):
    """A text or a number that has no action of its own: the actions that spell it, without the end."""

    __slots__ = ()


class Vocabulary:
    """The actions of a game: marks, printable ASCII characters, the numbers 0 to 255, and words.

    Words are what the types of its moves list (their `type` first), then `game.names`, as many as there is room for.
    What is no word is spelt: by characters, and by numbers where digits stand in it.
    """

    def __init__(self, game: AnyGame) -> None:
        words = dict.fromkeys([*schema_words(msgspec.json.schema(game.move_type)), *game.names])
        self.words: tuple[str, ...] = tuple(words)[: MAX_ACTIONS - FIRST_WORD]
        self._of: Mapping[str, int] = {word: FIRST_WORD + n for n, word in enumerate(self.words)}
        self._spelt: dict[str, Spelling] = {}

    def __len__(self) -> int:
        return FIRST_WORD + len(self.words)

    def of(self, value: Any) -> "int | Spelling":
        """The action for a scalar, or those that spell it."""
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
        """The actions that spell a text."""
        known = self._spelt.get(text)
        if known is None:
            known = self._spelt[text] = Spelling(spelling_actions(json.dumps(text)[1:-1]))
        return known

    def path(self, part: Part) -> tuple[int, ...]:
        """The actions, one after the other, for a part that a game offers by itself."""
        found = self.of(part)
        if isinstance(found, int):
            return (found,)
        return (TEXT if isinstance(part, str) else NUMERAL, *found, END)

    def meaning(self, action: int) -> str | int:
        """What an action says: a number, or a word, a character in quotes, or a mark in angle brackets."""
        if action < FIRST_CHARACTER:
            return f"<{MARKS[action]}>"
        if action < FIRST_NUMBER:
            return repr(CHARACTERS[action - FIRST_CHARACTER])
        if action < FIRST_WORD:
            return action - FIRST_NUMBER
        return self.words[action - FIRST_WORD]


@cache
def vocabulary_of(game: AnyGame) -> Vocabulary:
    """The vocabulary of a game."""
    return Vocabulary(game)


def spelling_actions(text: str) -> Iterator[int]:
    """The actions for a text of printable ASCII; numbers up to 255 are one action each, others digit by digit."""
    for piece in PIECES.findall(text):
        if piece.isdigit() and (piece == "0" or piece[0] != "0") and int(piece) < NUMBERS:
            yield FIRST_NUMBER + int(piece)
        else:
            yield from (FIRST_CHARACTER + ord(one) - 0x20 for one in piece)


def schema_words(schema: Mapping[str, Any]) -> Iterator[str]:
    """The words that the schema of a union of moves lists: the types first, then values of fields."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    tags: Sequence[str] = tuple(schema.get("discriminator", {}).get("mapping", {}))
    yield from tags
    yield from enum_words([schema, *definitions.values()])


def enum_words(nodes: Iterable[Any]) -> Iterator[str]:
    """The words in `enum` and `const`, wherever they stand in a schema."""
    for node in nodes:
        if isinstance(node, list):
            yield from enum_words(node)
        if not isinstance(node, Mapping):
            continue
        yield from (word for word in (*node.get("enum", ()), node.get("const")) if isinstance(word, str))
        yield from enum_words(node.values())
