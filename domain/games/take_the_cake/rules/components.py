"""Board sections, ingredients, recipes, featured items and cards (rules, sections 2 and 12), from `components.json`.

The file is for a designer to edit; what it must hold is checked on load.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from domain.games.take_the_cake.rules.moves import RECIPE_IDS
from domain.games.take_the_cake.rules.parts import HAND_SIZE, INGREDIENTS, MAX_SEATS, Card, Command, Ingredient, Square
from domain.kernel.values import Value

COMPONENTS_FILE = Path(__file__).with_name("components.json")
SECTION_SIZE = 5
TILE_MARKS = set(".#i")
CORNERS = ((0, 0), (0, 4), (4, 4), (4, 0))
ROTATIONS = 4
MIN_FEATURED = 2
"""The active one, and one that replaces it (R43)."""
MIN_CARDS = (MAX_SEATS + 1) * HAND_SIZE + 1
"""Then deck and discard pile are never both empty, even in the middle of a refill (R40)."""
MAX_IF_COMMANDS = 3
"""Most commands on an If card; the longest program (E6) depends on it."""

Tag = Literal["cake", "pie", "bread", "fruit", "chocolate", "nut", "warm", "cold"]
Entry = TypeVar("Entry", bound=msgspec.Struct)


class ComponentsError(ValueError):
    """The component data are wrong; the message names file, card and field."""


class Section(Value, frozen=True, forbid_unknown_fields=True):
    """A board section as printed: `.` blank, `#` wall, `i` ingredient tile."""

    id: str
    name: str
    tiles: tuple[str, ...]


class NamedIngredient(Value, frozen=True, forbid_unknown_fields=True):
    """An ingredient and its name in sentences."""

    id: Ingredient
    name: str


class Recipe(Value, frozen=True, forbid_unknown_fields=True):
    """A recipe; the order of its ingredients matters for S6."""

    id: str
    name: str
    ingredients: tuple[Ingredient, ...]


class Featured(Value, frozen=True, forbid_unknown_fields=True):
    """A featured item with its three tags."""

    id: str
    name: str
    family: Literal["cake", "pie", "bread"]
    flavour: Literal["fruit", "chocolate", "nut"]
    serving: Literal["warm", "cold"]

    @property
    def tags(self) -> tuple[Tag, Tag, Tag]:
        """What If cards ask for."""
        return self.family, self.flavour, self.serving


class CardKind(Value, frozen=True, forbid_unknown_fields=True):
    """A kind of plain card, with a command, or of Repeat card, with a factor."""

    kind: str
    copies: int
    name: str
    command: Command | None = None
    factor: int | None = None


class IfCard(Value, frozen=True, forbid_unknown_fields=True):
    """An If card: its commands run if the featured item bears the tag."""

    id: str
    tag: Tag
    commands: tuple[Command, ...]


class CardFace(Value, frozen=True):
    """What is printed on a player card: commands, a Repeat's factor (0 on others), an If's tag."""

    card: Card
    name: str
    commands: tuple[Command, ...]
    factor: int = 0
    tag: Tag | None = None


class Components(Value, frozen=True):
    """All component data, and the SHA-256 of the file that they came from."""

    sections: dict[str, Section]
    ingredients: dict[Ingredient, str]
    recipes: dict[str, Recipe]
    featured: dict[str, Featured]
    cards: dict[Card, CardFace]
    digest: str


KEYS = ("sections", "ingredients", "recipes", "featured", "kinds", "ifs")


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """The components in this JSON. Raises ComponentsError naming file, entry and field of the first wrong one."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, list[dict[str, Any]]])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != set(KEYS):
        raise ComponentsError(f"{file}: needs exactly {', '.join(KEYS)}; has {', '.join(sorted(document))}")
    sections = read_entries(document["sections"], Section, f"{file}: section", check_section)
    ingredients = read_entries(document["ingredients"], NamedIngredient, f"{file}: ingredient", check_name)
    recipes = read_entries(document["recipes"], Recipe, f"{file}: recipe", check_recipe)
    featured = read_entries(document["featured"], Featured, f"{file}: featured", check_name)
    kinds = read_entries(document["kinds"], CardKind, f"{file}: kind", check_kind)
    ifs = read_entries(document["ifs"], IfCard, f"{file}: if", check_if)
    require(tuple(one.id for one in ingredients) == INGREDIENTS, f"{file}: ingredients: must be {INGREDIENTS}")
    require(tuple(one.id for one in recipes) == RECIPE_IDS, f"{file}: recipes: must be {RECIPE_IDS}, in this order")
    for name, ids in (
        ("sections", [one.id for one in sections]),
        ("featured", [one.id for one in featured]),
        ("kinds", [one.kind for one in kinds]),
        ("ifs", [one.id for one in ifs]),
    ):
        twice = sorted({one for one in ids if ids.count(one) > 1})
        require(not twice, f"{file}: {name}: {', '.join(twice)} stands there twice")
    require(len(sections) >= ROTATIONS, f"{file}: sections: {len(sections)} of them, a board needs {ROTATIONS}")
    require(len(featured) >= MIN_FEATURED, f"{file}: featured: {len(featured)} of them, needs {MIN_FEATURED}")
    cards = sum(kind.copies for kind in kinds) + len(ifs)
    require(cards >= MIN_CARDS, f"{file}: {cards} player cards; four hands and a refill need {MIN_CARDS}")
    tags = [one.tags for one in featured]
    require(len(set(tags)) == len(tags), f"{file}: featured: two items have the same tags")
    return Components(
        sections={one.id: one for one in sections},
        ingredients={one.id: one.name for one in ingredients},
        recipes={one.id: one for one in recipes},
        featured={one.id: one for one in featured},
        cards={face.card: face for face in (*numbered_faces(kinds), *map(if_face, ifs))},
        digest=sha256(raw).hexdigest(),
    )


def read_entries(
    entries: list[dict[str, Any]], kind: type[Entry], place: str, check: Callable[[Entry, str], None]
) -> list[Entry]:
    """Entries as typed data, each checked. Raises ComponentsError."""
    found = []
    for n, entry in enumerate(entries, 1):
        where = f"{place} {n} ({entry.get('id', entry.get('kind', 'unnamed'))})"
        try:
            one = msgspec.convert(entry, kind)
        except msgspec.ValidationError as error:
            raise ComponentsError(f"{where}: {error}") from None
        check(one, where)
        found.append(one)
    return found


def require(holds: bool, message: str) -> None:
    """Raise ComponentsError unless it holds."""
    if not holds:
        raise ComponentsError(message)


def check_name(entry: NamedIngredient | Featured, where: str) -> None:
    """The log needs a name."""
    require(bool(entry.name.strip()), f"{where}: name: is empty")


def check_recipe(recipe: Recipe, where: str) -> None:
    """A recipe names its ingredients once each; with `dealt` there is a tile for each (three in each quadrant)."""
    require(bool(recipe.name.strip()), f"{where}: name: is empty")
    count = len(recipe.ingredients)
    require(1 <= count <= len(INGREDIENTS), f"{where}: ingredients: {count} of them")
    require(len(set(recipe.ingredients)) == count, f"{where}: ingredients: one stands there twice")


def check_kind(kind: CardKind, where: str) -> None:
    """A plain card has a command, a Repeat a factor of two or more."""
    require(kind.copies >= 1, f"{where}: copies: is {kind.copies}")
    require(bool(kind.name.strip()), f"{where}: name: is empty")
    require((kind.command is None) != (kind.factor is None), f"{where}: needs either a command or a factor")
    require(kind.factor is None or kind.factor >= 2, f"{where}: factor: is {kind.factor}")


def check_if(card: IfCard, where: str) -> None:
    """An If has one to three commands."""
    require(1 <= len(card.commands) <= MAX_IF_COMMANDS, f"{where}: commands: {len(card.commands)} of them")


# -- what section 12.1 promises of a section --------------------------------------------------------------------------


def check_section(section: Section, where: str) -> None:
    """Everything from which follows that every board is connected and has no cut tile (12.1)."""
    tiles = section.tiles
    require(
        len(tiles) == SECTION_SIZE and all(len(row) == SECTION_SIZE and set(row) <= TILE_MARKS for row in tiles),
        f"{where}: tiles: needs five rows of five, `.`, `#` or `i`",
    )
    require(all(tiles[r][c] == "." for r, c in CORNERS), f"{where}: tiles: the four corners must be blank")
    open_tiles = {(r, c) for r, c in product(range(SECTION_SIZE), repeat=2) if tiles[r][c] != "#"}
    near = {(r, c) for corner in CORNERS for r, c in neighbours(corner)}
    require(near <= open_tiles, f"{where}: tiles: the neighbours of the corners must be open")
    for gone in sorted(open_tiles):
        require(
            are_connected(open_tiles - {gone}),
            f"{where}: tiles: falls apart without {list(gone)}, a baker there cuts it",
        )
    items = [(r, c) for r, c in open_tiles if tiles[r][c] == "i"]
    require(len(items) == 3, f"{where}: tiles: {len(items)} ingredient tiles, needs 3")
    for r, c in items:
        across = {(r, c - 1), (r, c + 1)} <= open_tiles or {(r - 1, c), (r + 1, c)} <= open_tiles
        require(across, f"{where}: tiles: ingredient tile {[r, c]} cannot be jumped")


def neighbours(tile: Square) -> list[Square]:
    """The tiles beside one, inside a section."""
    r, c = tile
    around = ((r - 1, c), (r, c + 1), (r + 1, c), (r, c - 1))
    return [(y, x) for y, x in around if 0 <= y < SECTION_SIZE and 0 <= x < SECTION_SIZE]


def are_connected(tiles: set[Square]) -> bool:
    """Whether one can walk from any of these tiles to any other."""
    left, edge = set(tiles), [min(tiles)]
    left.discard(edge[0])
    while edge:
        for tile in neighbours(edge.pop()):
            if tile in left:
                left.remove(tile)
                edge.append(tile)
    return not left


# -- cards ------------------------------------------------------------------------------------------------------------


def numbered_faces(kinds: list[CardKind]) -> list[CardFace]:
    """The plain cards and the Repeats, numbered from 1 in each kind."""
    return [
        CardFace(f"{kind.kind}_{n}", kind.name, (kind.command,) if kind.command else (), kind.factor or 0)
        for kind in kinds
        for n in range(1, kind.copies + 1)
    ]


def if_face(card: IfCard) -> CardFace:
    """An If card, named for its condition and what it does."""
    return CardFace(card.id, f"If {card.tag} ({describe_commands(card.commands)})", card.commands, tag=card.tag)


COMMAND_WORDS: dict[Command, str] = {
    "forward": "forward",
    "backward": "backward",
    "left": "turn left",
    "right": "turn right",
    "around": "turn around",
    "jump": "jump",
}


def describe_commands(commands: tuple[Command, ...]) -> str:
    """Commands as a phrase: `forward 3`, `turn left, forward 2`."""
    runs: list[tuple[str, int]] = []
    for command in commands:
        if runs and runs[-1][0] == COMMAND_WORDS[command]:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((COMMAND_WORDS[command], 1))
    return ", ".join(f"{word} {count}" if count > 1 else word for word, count in runs)


COMPONENTS = load(COMPONENTS_FILE.read_bytes())
SECTIONS = COMPONENTS.sections
INGREDIENT_NAMES = COMPONENTS.ingredients
RECIPES = COMPONENTS.recipes
FEATURED = COMPONENTS.featured
CARDS = COMPONENTS.cards
"""All player cards in canonical order."""
CARD_ORDER: dict[Card, int] = {card: n for n, card in enumerate(CARDS)}
FEATURED_ORDER: dict[str, int] = {card: n for n, card in enumerate(FEATURED)}
