"""Helpers for position documents: JSON that describes the table a match starts from, instead of a deal."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import asdict

from domain.kernel.refusals import BadOptions

DocumentT = TypeVar("DocumentT", bound=msgspec.Struct)
OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)
T = TypeVar("T")


class PositionReader(Generic[DocumentT]):
    """Reads the position documents of one game. Invalid ones are refused under one rule of its specification.

    `title` is the game's name within a sentence, `noun` what error messages call the members of a document.
    """

    def __init__(self, document_type: type[DocumentT], title: str, rule: str, noun: str = "keys") -> None:
        self._document_type = document_type
        self._title = title
        self._rule = rule
        self._noun = noun

    def read(self, raw: Mapping[str, Any]) -> DocumentT:
        """Return the document with its defaults. Raise BadOptions for unknown members or invalid values."""
        try:
            return msgspec.convert(raw, self._document_type)
        except msgspec.ValidationError as error:
            known = ", ".join(self._document_type.__struct_fields__)
            sentence = f"This is not a position of {self._title}: {error}. Valid {self._noun}: {known}."
            raise self.refusal(sentence) from None

    def refusal(self, message: str) -> BadOptions:
        """Return the error for a wrong document."""
        return BadOptions(self._rule, message)

    def require(self, holds: object, message: str) -> None:
        """Raise BadOptions with this message unless `holds` is true."""
        if not holds:
            raise self.refusal(message)

    def merge_options(self, outside: OptionsT, inside: OptionsT) -> OptionsT:
        """Return the options given next to the document and in it. Raise BadOptions if they conflict."""
        options_type = type(outside)
        default, given, chosen = asdict(options_type()), asdict(outside), asdict(inside)
        for name, value in given.items():
            if chosen[name] == default[name]:
                chosen[name] = value
            elif value not in (default[name], chosen[name]):
                raise self.refusal(
                    f"Option {name} is {value}, but the position says {chosen[name]}. Give it only once."
                )
        return options_type(**chosen)


def value_or_default(value: T | None, default: T) -> T:
    """Return the value, or the default if it is None."""
    return default if value is None else value
