"""Board sections, ingredients, recipes, featured items and cards, loaded from `components.json` and validated.

See sections 2 and 12 of the rules.
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
"""The active item and a different one to replace it (R43)."""
MIN_CARDS = (MAX_SEATS + 1) * HAND_SIZE + 1
"""With this many, deck and discard pile are never both empty, even during a refill (R40)."""
MAX_IF_COMMANDS = 3
"""Maximum number of commands on an If card; it limits the longest program (E6)."""

Tag = Literal["cake", "pie", "bread", "fruit", "chocolate", "nut", "warm", "cold"]
Entry = TypeVar("Entry", bound=msgspec.Struct)


class ComponentsError(ValueError):
    """Invalid component data. The message names file, card and field."""


class Section(Value, frozen=True, forbid_unknown_fields=True):
    """A board section as printed: `.` blank, `#` wall, `i` ingredient tile."""

    id: str
    name: str
    tiles: tuple[str, ...]


class NamedIngredient(Value, frozen=True, forbid_unknown_fields=True):
    """An ingredient and its display name."""

    id: Ingredient
    name: str


class Recipe(Value, frozen=True, forbid_unknown_fields=True):
    """A recipe. The order of its ingredients matters for S6."""

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
        """The tags that If cards check."""
        return self.family, self.flavour, self.serving


class CardKind(Value, frozen=True, forbid_unknown_fields=True):
    """A kind of plain card (with a command) or Repeat card (with a factor)."""

    kind: str
    copies: int
    name: str
    command: Command | None = None
    factor: int | None = None


class IfCard(Value, frozen=True, forbid_unknown_fields=True):
    """An If card. Its commands run if the featured item has the tag."""

    id: str
    tag: Tag
    commands: tuple[Command, ...]


class CardFace(Value, frozen=True):
    """The face of a player card: commands, a Repeat's factor (0 on other cards) and an If's tag."""

    card: Card
    name: str
    commands: tuple[Command, ...]
    factor: int = 0
    tag: Tag | None = None


class Components(Value, frozen=True):
    """All component data, and the SHA-256 of their file."""

    sections: dict[str, Section]
    ingredients: dict[Ingredient, str]
    recipes: dict[str, Recipe]
    featured: dict[str, Featured]
    cards: dict[Card, CardFace]
    digest: str


KEYS = ("sections", "ingredients", "recipes", "featured", "kinds", "ifs")


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """Return the components in this JSON. Raise ComponentsError for the first invalid entry."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, list[dict[str, Any]]])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != set(KEYS):
        raise ComponentsError(f"{file}: needs exactly {', '.join(KEYS)}, but has {', '.join(sorted(document))}")
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
        require(not twice, f"{file}: {name}: {', '.join(twice)} is listed twice")
    require(len(sections) >= ROTATIONS, f"{file}: sections: {len(sections)} listed, but a board needs {ROTATIONS}")
    require(
        len(featured) >= MIN_FEATURED,
        f"{file}: featured: {len(featured)} listed, but at least {MIN_FEATURED} are needed",
    )
    cards = sum(kind.copies for kind in kinds) + len(ifs)
    require(cards >= MIN_CARDS, f"{file}: {cards} player cards, but four hands and a refill need {MIN_CARDS}")
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
    """Return the entries, converted and checked. Raise ComponentsError for an invalid one."""
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
    """Raise ComponentsError with this message unless the condition holds."""
    if not holds:
        raise ComponentsError(message)


def check_name(entry: NamedIngredient | Featured, where: str) -> None:
    """Raise ComponentsError if the entry has no name."""
    require(bool(entry.name.strip()), f"{where}: name: is empty")


def check_recipe(recipe: Recipe, where: str) -> None:
    """Raise ComponentsError if the recipe has no name, no ingredients or one of them twice."""
    require(bool(recipe.name.strip()), f"{where}: name: is empty")
    count = len(recipe.ingredients)
    require(1 <= count <= len(INGREDIENTS), f"{where}: ingredients: has {count} of them")
    require(len(set(recipe.ingredients)) == count, f"{where}: ingredients: one is listed twice")


def check_kind(kind: CardKind, where: str) -> None:
    """Raise ComponentsError unless the kind has copies, a name and either a command or a factor of 2 or more."""
    require(kind.copies >= 1, f"{where}: copies: is {kind.copies}")
    require(bool(kind.name.strip()), f"{where}: name: is empty")
    require((kind.command is None) != (kind.factor is None), f"{where}: needs either a command or a factor")
    require(kind.factor is None or kind.factor >= 2, f"{where}: factor: is {kind.factor}")


def check_if(card: IfCard, where: str) -> None:
    """Raise ComponentsError unless the If card has one to three commands."""
    require(1 <= len(card.commands) <= MAX_IF_COMMANDS, f"{where}: commands: has {len(card.commands)} of them")


# -- checks on a section (12.1) ---------------------------------------------------------------------------------------


def check_section(section: Section, where: str) -> None:
    """Raise ComponentsError unless the section guarantees connected boards without cut tiles (12.1)."""
    tiles = section.tiles
    require(
        len(tiles) == SECTION_SIZE and all(len(row) == SECTION_SIZE and set(row) <= TILE_MARKS for row in tiles),
        f"{where}: tiles: must be five rows of five characters, each `.`, `#` or `i`",
    )
    require(all(tiles[r][c] == "." for r, c in CORNERS), f"{where}: tiles: the four corners must be blank")
    open_tiles = {(r, c) for r, c in product(range(SECTION_SIZE), repeat=2) if tiles[r][c] != "#"}
    near = {(r, c) for corner in CORNERS for r, c in neighbours(corner)}
    require(near <= open_tiles, f"{where}: tiles: the tiles next to the corners must be open")
    for gone in sorted(open_tiles):
        require(
            are_connected(open_tiles - {gone}),
            f"{where}: tiles: a baker on {list(gone)} would cut the section in two",
        )
    items = [(r, c) for r, c in open_tiles if tiles[r][c] == "i"]
    require(len(items) == 3, f"{where}: tiles: has {len(items)} ingredient tiles, but needs 3")
    for r, c in items:
        across = {(r, c - 1), (r, c + 1)} <= open_tiles or {(r - 1, c), (r + 1, c)} <= open_tiles
        require(across, f"{where}: tiles: ingredient tile {[r, c]} can't be jumped over")


def neighbours(tile: Square) -> list[Square]:
    """Return the tiles next to a tile within a section."""
    r, c = tile
    around = ((r - 1, c), (r, c + 1), (r + 1, c), (r, c - 1))
    return [(y, x) for y, x in around if 0 <= y < SECTION_SIZE and 0 <= x < SECTION_SIZE]


def are_connected(tiles: set[Square]) -> bool:
    """Return whether every tile can be reached from every other."""
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
    """Return the plain cards and Repeats, numbered from 1 within each kind."""
    return [
        CardFace(f"{kind.kind}_{n}", kind.name, (kind.command,) if kind.command else (), kind.factor or 0)
        for kind in kinds
        for n in range(1, kind.copies + 1)
    ]


def if_face(card: IfCard) -> CardFace:
    """Return an If card, named after its condition and commands."""
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
    """Return commands as a phrase: `forward 3` or `turn left, forward 2`."""
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
