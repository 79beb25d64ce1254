"""All cards, loaded from `components.json` and checked (rules, sections 2 and 12).

A line of the file is one card with its copies. The first copy has the id of the line, the others the ids after it. To
add a card, add a line or a copy, then adjust all later ids and the counts. `card_language.py` defines the effects.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from domain.games.pie_contest.rules.card_language import (
    CONDITIONS,
    OPS,
    TERMS,
    Call,
    FilterWords,
    VocabularyError,
    read_call,
    read_calls,
)
from domain.kernel.values import Value

COMPONENTS_FILE = Path(__file__).with_name("components.json")
SECTIONS = ("flavours", "subflavours", "counts", "ingredients", "actions", "achievements")
SALT = "salt"
RESERVED_WORDS = ("card", "action", "any", "ingredient")
MAX_STEPS = 2
"""The maximum number of steps of one effect (section 10)."""

Text = Annotated[str, Meta(pattern=r"\S")]
Positive = Annotated[int, Meta(ge=1)]
Texts = tuple[Text, ...]
Steps = Annotated[tuple[Text, ...], Meta(max_length=MAX_STEPS)]
Flag = Annotated[str, Meta(pattern=r"^(guard|fresh:[1-9])(?!\n)$")]


class ComponentsError(ValueError):
    """Raised for invalid component data. The message names file, card and field."""


# -- the lines of the file ----------------------------------------------------------------------------------------


class Counts(Value, frozen=True, forbid_unknown_fields=True):
    """The number of cards of each type, copies included."""

    ingredients: Positive
    actions: Positive
    achievements: Positive


class IngredientLine(Value, frozen=True, forbid_unknown_fields=True):
    """An Ingredient card in the file."""

    id: int
    copies: Positive
    name: Text
    flavour: Text
    worth: int
    sub: Text | None = None
    always: Texts = ()
    baked: Texts = ()
    on_play: Steps = ()
    on_bake: Steps = ()
    flags: tuple[Flag, ...] = ()


class ActionLine(Value, frozen=True, forbid_unknown_fields=True):
    """An Action card in the file."""

    id: int
    copies: Positive
    name: Text
    do: Annotated[Steps, Meta(min_length=1)]


class Becomes(Value, frozen=True, forbid_unknown_fields=True):
    """What an Achievement turns into: an Action with `do`, or an Ingredient without abilities."""

    do: Steps = ()
    flavour: Text | None = None
    sub: Text | None = None
    worth: int | None = None


class AchievementLine(Value, frozen=True, forbid_unknown_fields=True):
    """An Achievement card in the file: a condition, and either a reward or what it turns into."""

    id: int
    name: Text
    condition: Text
    reward: Steps = ()
    becomes: Becomes | None = None

    @property
    def copies(self) -> int:
        """Return the number of copies, always 1."""
        return 1


Line = IngredientLine | ActionLine | AchievementLine
LineT = TypeVar("LineT", IngredientLine, ActionLine, AchievementLine)


# -- the cards ----------------------------------------------------------------------------------------------------


class Ingredient(Value, frozen=True):
    """The face of an Ingredient. `tags` are the filters that it matches, except those with `!`."""

    flavour: str
    sub: str | None
    worth: int
    tags: frozenset[str]
    always: tuple[Call, ...] = ()
    baked: tuple[Call, ...] = ()
    on_play: tuple[Call, ...] = ()
    on_bake: tuple[Call, ...] = ()
    guard: bool = False
    fresh: int = 0


class Action(Value, frozen=True):
    """The face of an Action."""

    do: tuple[Call, ...]
    tags: frozenset[str] = frozenset({"card", "action"})


class Achievement(Value, frozen=True):
    """The face of an Achievement. `becomes` is its face once completed, if it turns (H7)."""

    condition: Call
    reward: tuple[Call, ...]
    becomes: Ingredient | Action | None


class Components(Value, frozen=True):
    """All cards by id. `faces` holds Ingredients and Actions, including turned Achievements."""

    flavours: tuple[str, ...]
    counts: Counts
    names: dict[int, str]
    faces: dict[int, Ingredient | Action]
    achievements: dict[int, Achievement]
    digest: str


# -- loading ------------------------------------------------------------------------------------------------------


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """Return the components in this JSON. Raises ComponentsError with file, card and field of the first error."""
    document = decode_sections(raw, file)
    filters = read_words(document, file)
    counts: Counts = convert(document["counts"], Counts, f"{file}: counts")
    ingredients = read_lines(document["ingredients"], IngredientLine, f"{file}: ingredients")
    actions = read_lines(document["actions"], ActionLine, f"{file}: actions")
    achievements = read_lines(document["achievements"], AchievementLine, f"{file}: achievements")
    check_count(ingredients, counts.ingredients, f"{file}: ingredients")
    check_count(actions, counts.actions, f"{file}: actions")
    check_count(achievements, counts.achievements, f"{file}: achievements")
    lines: list[Line] = [*ingredients, *actions, *achievements]
    check_ids_and_names(lines, file)
    faces: dict[int, Ingredient | Action] = {}
    for ingredient in ingredients:
        faces |= dict.fromkeys(
            card_ids(ingredient), read_ingredient(ingredient, filters, describe_line(file, ingredient))
        )
    for action in actions:
        do = read_effects(action.do, filters, describe_line(file, action), "do")
        faces |= dict.fromkeys(card_ids(action), Action(do))
    cards = {line.id: read_achievement(line, filters, describe_line(file, line)) for line in achievements}
    faces |= {card: achievement.becomes for card, achievement in cards.items() if achievement.becomes}
    names = {card: line.name for line in lines for card in card_ids(line)}
    return Components(filters.flavours, counts, names, faces, cards, sha256(raw).hexdigest())


def decode_sections(raw: bytes, file: str) -> dict[str, Any]:
    """Return the sections of the file. Raises ComponentsError."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != set(SECTIONS):
        has = ", ".join(sorted(document)) or "nothing"
        raise ComponentsError(f"{file}: must have exactly {', '.join(SECTIONS)}, but has {has}")
    return document


def read_words(document: dict[str, Any], file: str) -> FilterWords:
    """Return flavours and subflavours, all different, with `salt` as a flavour (B1). Raises ComponentsError."""
    flavours: Texts = convert(document["flavours"], Texts, f"{file}: flavours")
    subflavours: Texts = convert(document["subflavours"], Texts, f"{file}: subflavours")
    taken = [*RESERVED_WORDS, *flavours, *subflavours]
    if twice := sorted({word for word in taken if taken.count(word) > 1}):
        raise ComponentsError(f"{file}: flavours, subflavours: {', '.join(twice)} is used twice")
    if SALT not in flavours:
        raise ComponentsError(f"{file}: flavours: {SALT} is missing. No Pie can be baked without it")
    return FilterWords(flavours, subflavours)


T = TypeVar("T")


def convert(item: Any, kind: type[T] | Any, where: str) -> T:
    """Return a part of the file as a value of this type. Raises ComponentsError with place and field."""
    try:
        found: T = msgspec.convert(item, kind)
    except msgspec.ValidationError as error:
        raise ComponentsError(f"{where}: {error}") from None
    return found


def read_lines(items: Any, kind: type[LineT], where: str) -> list[LineT]:
    """Return the lines of one section. Raises ComponentsError."""
    if not isinstance(items, list):
        raise ComponentsError(f"{where}: must be a list of cards")
    lines = []
    for number, item in enumerate(items, 1):
        name = item.get("name", "no name") if isinstance(item, dict) else "not a card"
        line: LineT = convert(item, kind, f"{where}: {number} ({name})")
        lines.append(line)
    return lines


def describe_line(file: str, line: Line) -> str:
    """Return file, id and name of a line, for error messages."""
    return f"{file}: card {line.id} ({line.name})"


def card_ids(line: Line) -> range:
    """Return the ids of a line's copies."""
    return range(line.id, line.id + line.copies)


def check_count(lines: Sequence[Line], expected: int, where: str) -> None:
    """Check the number of cards in a section. Raises ComponentsError."""
    found = sum(line.copies for line in lines)
    if found != expected:
        raise ComponentsError(f"{where}: copies: add up to {found}, but counts has {expected}")


def check_ids_and_names(lines: Sequence[Line], file: str) -> None:
    """Check that ids run from 1 without gaps and names are unique. Raises ComponentsError."""
    following, names = 1, set[str]()
    for line in lines:
        if line.id != following:
            raise ComponentsError(
                f"{describe_line(file, line)}: id: must be {following}, after the copies of the lines before"
            )
        if line.name in names:
            raise ComponentsError(f"{describe_line(file, line)}: name: is used twice. Increase copies instead")
        following += line.copies
        names.add(line.name)


def read_effects(texts: Texts, filters: FilterWords, where: str, field: str) -> tuple[Call, ...]:
    """Return the effects in a field. Raises ComponentsError."""
    try:
        return read_calls(texts, TERMS if field in ("always", "baked") else OPS, filters)
    except VocabularyError as error:
        raise ComponentsError(f"{where}: {field}: {error}") from None


def read_ingredient(line: IngredientLine, filters: FilterWords, where: str) -> Ingredient:
    """Return the face of the card on this line. Raises ComponentsError."""
    fresh = [flag for flag in line.flags if flag != "guard"]
    if len(set(line.flags)) != len(line.flags) or len(fresh) > 1:
        raise ComponentsError(f"{where}: flags: has the same flag twice")
    return Ingredient(
        flavour=line.flavour,
        sub=line.sub,
        worth=line.worth,
        tags=read_tags(line.flavour, line.sub, filters, where),
        always=read_effects(line.always, filters, where, "always"),
        baked=read_effects(line.baked, filters, where, "baked"),
        on_play=read_effects(line.on_play, filters, where, "on_play"),
        on_bake=read_effects(line.on_bake, filters, where, "on_bake"),
        guard="guard" in line.flags,
        fresh=int(fresh[0].removeprefix("fresh:")) if fresh else 0,
    )


def read_tags(flavour: str, sub: str | None, filters: FilterWords, where: str) -> frozenset[str]:
    """Return the filters that an Ingredient of this flavour matches. Raises ComponentsError."""
    if flavour not in filters.flavours:
        raise ComponentsError(f"{where}: flavour: there is no {flavour}. Use one of {', '.join(filters.flavours)}")
    if sub is not None and sub not in filters.subflavours:
        raise ComponentsError(f"{where}: sub: there is no {sub}. Use one of {', '.join(filters.subflavours)}")
    return frozenset({"card", "any", "ingredient", flavour, *([sub] if sub else [])})


def read_achievement(line: AchievementLine, filters: FilterWords, where: str) -> Achievement:
    """Return the face of the card on this line. Raises ComponentsError."""
    try:
        condition = read_call(line.condition, CONDITIONS, filters)
    except VocabularyError as error:
        raise ComponentsError(f"{where}: condition: {error}") from None
    if bool(line.reward) == bool(line.becomes):
        raise ComponentsError(f"{where}: reward: must have either reward or becomes, not both")
    becomes = read_becomes(line.becomes, filters, f"{where}: becomes") if line.becomes else None
    return Achievement(condition, read_effects(line.reward, filters, where, "reward"), becomes)


def read_becomes(line: Becomes, filters: FilterWords, where: str) -> Ingredient | Action:
    """Return what an Achievement turns into. Raises ComponentsError."""
    if line.do:
        if line.flavour is not None or line.sub is not None or line.worth is not None:
            raise ComponentsError(f"{where}: do: an Action has no flavour, sub or worth")
        return Action(read_effects(line.do, filters, where, "do"))
    if line.flavour is None or line.worth is None:
        raise ComponentsError(f"{where}: an Ingredient needs flavour and worth, an Action needs do")
    return Ingredient(line.flavour, line.sub, line.worth, read_tags(line.flavour, line.sub, filters, where))


# -- the edition -------------------------------------------------------------------------------------------------

COMPONENTS = load(COMPONENTS_FILE.read_bytes())
NAMES = COMPONENTS.names
FACES = COMPONENTS.faces
ACHIEVEMENTS = COMPONENTS.achievements
INGREDIENTS: dict[int, Ingredient] = {card: face for card, face in FACES.items() if isinstance(face, Ingredient)}
ACTIONS: dict[int, Action] = {card: face for card, face in FACES.items() if isinstance(face, Action)}
PANTRY_CARDS = range(1, min(ACHIEVEMENTS))
"""The ids of the cards that start in the Pantry (S2)."""
PILE_CARDS = range(min(ACHIEVEMENTS), max(ACHIEVEMENTS) + 1)
"""The ids of the Achievements (S3)."""
LAST_CARD = PILE_CARDS[-1]

CardType = Literal["ingredient", "action", "achievement"]


@cache
def matches_filter(card: int, filter_name: str) -> bool:
    """Return whether a card matches a filter as an Ingredient or an Action, which a turned Achievement is too."""
    face = FACES.get(card)
    if face is None:
        return False
    if filter_name.startswith("!"):
        return isinstance(face, Ingredient) and filter_name[1:] not in face.tags
    return filter_name in face.tags
