"""What makes a name valid, reserved, or too similar to another one.

Two names are too similar if they share a skeleton: what remains of a name without case, spaces, accents and invisible
characters, with each character replaced by the one that it looks like (Unicode Technical Standard 39).
"""

import re
import unicodedata
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain

from domain.bots.levels import LEVELS

MAX_NAME_LENGTH = 40
MAX_STACKED_MARKS = 4
"""How many combining marks may follow one letter. Languages need up to three; a tall stack covers the lines above."""
MAX_ROUNDS = 4
"""How many times a skeleton is replaced by its own skeleton. The data of UTS 39 needs two rounds."""

IGNORABLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters with the property Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties.txt) whose category is
letter or mark: fillers, joiners, variation selectors. All other characters with this property are in Cf or Cn."""
DISGUISED_LETTER = re.compile(
    r"(?:LATIN LETTER SMALL CAPITAL|NEGATIVE (?:SQUARED|CIRCLED) LATIN CAPITAL LETTER"
    r"|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])"
)
"""Unicode names of letters that are drawn as another letter, with that letter."""
BLANK_CHARACTERS = frozenset("\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159")
"""Characters whose category is symbol, letter or mark, but which are drawn as blanks."""
ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
"""Marks that readers overlook: accents of Latin, Greek and Cyrillic letters, and optional marks of Hebrew and Arabic.
In other scripts, marks are vowels or change the letter, so they count."""

RESERVED_NAMES = (
    *("admin", "administrator", "arbiter", "arbiters", "auditor", "bot", "clock", "computer", "crumbtrail", "house"),
    *("moderator", "moderators", "mod", "operator", "root", "server", "staff", "support", "system", "the house"),
    *("an erased player", "erased player", "open seat"),
)
"""Names that look like a part of the service or someone with a role in it. The house bots' names are reserved too."""
NUMBERED_ROLES = ("admin", "administrator", "arbiter", "auditor", "crumbtrail", "mod", "moderator", "operator", "staff")
"""Roles that are also reserved with a number after them, such as `Admin 2`."""
RESERVED_PARTS = ("administrator", "crumbtrail", "moderator")
"""Words that no name may contain."""
SPELLINGS = str.maketrans("013456789@$!|\u20ac+", "oieasgtbgasiiet")
"""Digits and symbols that people write for letters, as in `Adm1n`. Only reserved names are compared in this way:
otherwise *Ann1* and *Anni* would be the same name."""
MARK_ENDING = re.compile(r"[(<\[{\u00ab](?:bot|you)\W*$")
"""What the skeleton of a name ends with if it looks like what pages write after names, `(bot)` or `(you)`."""


class InvalidName(ValueError):
    """The name is invalid; the text says why."""


class NameTaken(InvalidName):
    """Another player has this name or one that looks the same. `suggestions` are free names."""

    def __init__(self, name: str, suggestions: tuple[str, ...] = ()) -> None:
        self.name, self.suggestions = name, suggestions
        advice = f" These names are free: {', '.join(suggestions)}." if suggestions else " Choose another name."
        super().__init__(f"The name {name}, or one that looks like it, belongs to another player.{advice}")


class NameReserved(NameTaken):
    """The name is reserved for the service. `suggestions` are free names."""

    def __init__(self, name: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(name, suggestions)
        advice = f"These names are free: {', '.join(suggestions)}." if suggestions else "Choose another name."
        self.args = (f"The name {name} is reserved, because it could be mistaken for a part of this server. {advice}",)


def normalize_name(name: str) -> str:
    """Return the name in NFC, with surrounding spaces removed and runs of spaces collapsed. Raises InvalidName.

    A name is invalid if it is empty, too long, starts with a combining mark or contains invisible characters.
    """
    tidy = re.sub(" +", " ", unicodedata.normalize("NFC", name).strip())
    if not 1 <= len(tidy) <= MAX_NAME_LENGTH:
        raise InvalidName(f"A name must have 1 to {MAX_NAME_LENGTH} characters.")
    invisible = next((char for char in tidy if char != " " and is_invisible(char)), None)
    if invisible is not None:
        raise InvalidName(
            f"A name can't contain control characters or invisible characters. Remove U+{ord(invisible):04X}."
        )
    if unicodedata.category(tidy[0]).startswith("M"):
        raise InvalidName("A name must start with a letter, a digit or a symbol, not with a combining accent.")
    marks = "".join("m" if unicodedata.category(char) in ("Mn", "Me") else " " for char in tidy)
    if any(len(stack) > MAX_STACKED_MARKS for stack in marks.split()):
        raise InvalidName(f"A letter can have at most {MAX_STACKED_MARKS} combining accents. Remove some of them.")
    return tidy


def is_invisible(char: str) -> bool:
    """Return whether a character is invisible or drawn as a blank."""
    return (
        unicodedata.category(char).startswith(("C", "Z"))
        or char in BLANK_CHARACTERS
        or IGNORABLE_CHARACTERS.fullmatch(char) is not None
    )


# -- skeletons --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def skeletons(name: str) -> frozenset[str]:
    """Return the skeletons of a name, one or two. Two names that share one can be mistaken for each other.

    One skeleton is computed from the name as written, and one from the name in lower case: `PAUI` looks like `PAUl`,
    but also has the letters of `paui`.
    """
    return frozenset({_settled(_skeleton(name)), _settled(name)})


def _settled(text: str) -> str:
    """Return the skeleton of a text in lower case, without punctuation, which readers overlook next to letters.

    If nothing would remain, the text itself is returned.
    """
    found = text
    for _ in range(MAX_ROUNDS):
        settled = _skeleton(found.casefold()).casefold()
        if settled == found:
            break
        found = settled
    return "".join(char for char in found if not is_punctuation(char)) or found


def is_punctuation(char: str) -> bool:
    """Return whether a character is a punctuation mark, or the backtick, which Unicode calls a symbol."""
    return unicodedata.category(char).startswith("P") or char == "`"


def _skeleton(text: str) -> str:
    """Return a text with each character replaced by its prototype, without accents and invisible characters."""
    found, looks = _visible(text), _prototypes()
    for _ in range(MAX_ROUNDS):
        replaced = _visible(found.translate(looks))
        if replaced == found:
            break
        found = replaced
    return found or text


def _visible(text: str) -> str:
    """Return a text in compatibility decomposition, without accents, spaces and invisible characters."""
    parts = ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return "".join(char for char in parts if not is_invisible(char))


@cache
def _prototypes() -> dict[int, str]:
    """Return the prototype of each character that looks like another one or like several others.

    The library lists each pair of UTS 39 in both directions. A character that is listed with exactly one counterpart is
    replaced by it. If both have only each other, the one with the lower code point is the prototype.
    """
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415 -- takes 0.2 s; only for new names

    replaced: dict[int, str] = {}
    for source, counterparts in confusables_data.items():
        char, target = _without_marks(source), _without_marks(counterparts[0]["c"])
        only_each_other = len(confusables_data[counterparts[0]["c"]]) == 1 and len(target) == 1
        if len(char) == len(counterparts) == 1 and not (only_each_other and char < target):
            replaced[ord(char)] = target
    return replaced | _letters_in_disguise()


def _letters_in_disguise() -> dict[int, str]:
    """Return the letters of small capitals, letters in squares and flags, which the data of UTS 39 doesn't list.

    The five Cyrillic letters look like the small capitals of their capitals, which are listed.
    """
    found = {ord(char): letter for char, letter in zip("\u0432\u043a\u043c\u043d\u0442", "bkmht", strict=True)}
    for code in chain(range(0x250, 0x2B0), range(0x1D00, 0x1D2C), range(0xA730, 0xA800), range(0x1F100, 0x1F200)):
        match = DISGUISED_LETTER.fullmatch(unicodedata.name(chr(code), ""))
        if match is not None:
            found[code] = match[1].lower()
    return found


def _without_marks(text: str) -> str:
    """Return a text without the direction marks that UTS 39 writes around right-to-left characters."""
    return text.replace("\u200e", "").replace("\u200f", "")


def skeleton_version() -> str:
    """Return the version of the skeletons: our own algorithm's and that of the library's data."""
    return f"2/{version('confusable-homoglyphs')}"


# -- reserved names ---------------------------------------------------------------------------------------------------


def is_reserved(name: str) -> bool:
    """Return whether a name is reserved, looks like that of a house bot, or ends with a label such as `(bot)`."""
    if skeletons(name) & _reserved_skeletons() or has_mark(name):
        return True
    spelled, numbered = _spelled_out(name), _spelled_out(re.sub(r"\W*\d+\W*$", "", name))
    return (
        spelled in _spelled_names(_all_reserved())
        or numbered in _spelled_names(NUMBERED_ROLES)
        or any(part in spelled for part in _spelled_names(RESERVED_PARTS))
    )


def _spelled_out(name: str) -> str:
    """Return the skeleton of a name with letters in place of digits and symbols, and with `i` for `l`."""
    return _settled(_visible(name).casefold().translate(SPELLINGS)).replace("l", "i")


@cache
def _spelled_names(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_spelled_out, names))


def has_mark(name: str) -> bool:
    """Return whether a name ends like what pages write after the name of a program, `(bot)`, or the reader, `(you)`."""
    return MARK_ENDING.search(_skeleton(_skeleton(name.casefold()).casefold())) is not None


@cache
def _reserved_skeletons() -> frozenset[str]:
    return frozenset().union(*map(skeletons, _all_reserved()))


def _all_reserved() -> tuple[str, ...]:
    return (*RESERVED_NAMES, *LEVELS, *(f"{level} bot" for level in LEVELS))
