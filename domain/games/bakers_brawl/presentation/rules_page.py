"""Pictures and examples for the rules page. The results in the examples are computed by the rules."""

from typing import Any

import msgspec

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.presentation.drawing import id_prefix
from domain.games.bakers_brawl.presentation.narration import agenda_text, ingredient_name
from domain.games.bakers_brawl.presentation.table.pictures import cover, picture, table_card, tile
from domain.games.bakers_brawl.rules.components import AGENDAS, BASICS, INGREDIENT_CARDS, INGREDIENTS, ORDERS, SPECIALS
from domain.games.bakers_brawl.rules.facts import LaborCompared, PointsScored
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.moves import Options, PlayBasic
from domain.games.bakers_brawl.rules.orders import Grid, find_candidates
from domain.games.bakers_brawl.rules.parts import COLOURS, Tile
from domain.kernel.chance import Scripted
from domain.kernel.svg import decoration, element, group

POSITION: dict[str, Any] = {
    "players": 3,
    "round": 6,
    "order_line": ["O09", "O05", "O17", "O27", "O30"],
    "boss_pile": ["O14", "O24"],
    "completed": [{"order_id": "O03", "by": 2, "contributors": [0, 2]}],
    "pantry": ["apple", "vanilla", "berries"],
    "board": {
        "C3": {"ingredient": "chocolate", "owner": 1, "labor": 2},
        "C4": {"ingredient": "nuts", "owner": 1, "labor": 1},
        "D4": {"ingredient": "eggs", "owner": 2, "labor": 1},
        "B2": {"ingredient": "flour", "owner": 0, "labor": 1},
    },
    "seats": [
        {"hand": ["cinnamon", "lemon"], "agenda": "A05", "points": 3},
        {"hand": ["nuts"], "points": 5},
        {"hand": ["apple", "vanilla"], "points": 4},
    ],
}
"""An example position with a full Line, a set that lacks one card and a card that was played blind."""
LAST_CARD = PlayBasic("sugar", "D3")
"""The move with which raspberry completes Walnut Brownies in the example position."""


class ContributorShare(msgspec.Struct, frozen=True):
    """A seat's part in the completed Order and the points it scored."""

    seat: str
    labor: int
    ingredients: int
    specials: int
    points: int


class SetExample(msgspec.Struct, frozen=True):
    """A set of cards on a small board, and whether it completes Berry Pie when the berries are placed last."""

    name: str
    completes: bool
    why: str


SETS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("line", {"A1": "flour", "B1": "berries", "C1": "sugar"}, "Any shape works, such as a line."),
    ("bend", {"A1": "flour", "B1": "berries", "B2": "sugar"}, "Cards connect along their edges, also around a bend."),
    (
        "crowd",
        {"A1": "flour", "B1": "berries", "C1": "sugar", "B2": "milk"},
        "Other cards next to the set don't matter. They stay on the board.",
    ),
    ("corner", {"A1": "flour", "B1": "berries", "C2": "sugar"}, "Corners don't connect cards."),
    (
        "bridge",
        {"A1": "berries", "B1": "milk", "C1": "sugar", "A2": "flour"},
        "Milk isn't part of the Order, so it can't connect the others.",
    ),
)
"""Each example: its name, the cards on a small board, and the explanation. The berries are placed last."""


def pictures() -> dict[str, str]:
    """Return the drawings by name."""
    view = GAME.view(example_position(), 0)
    table = id_prefix(view, 0)
    drawn: dict[str, str] = {kind: picture(kind, table) for kind in INGREDIENTS}
    drawn |= {f"set {name}": small_board(cells) for name, cells, _ in SETS}
    drawn |= {"cover": cover(), "basic card": table_card("flour", table), "special card": table_card("vanilla", table)}
    return {**drawn, "board": GAME.svg(view, 0)}


def example_position() -> State:
    """Return the state of the example position."""
    return GAME.fold(GAME.from_position(3, Options(start_seat=0), POSITION))


def extras() -> dict[str, Any]:
    """Return the template variables of the page, apart from its pictures."""
    facts = GAME.decide(example_position(), 0, LAST_CARD, Scripted([]))
    return {
        "log": GAME.tell(facts),
        "shares": contributor_shares(facts),
        "sets": [SetExample(name, completes_berry_pie(cells), why) for name, cells, why in SETS],
        "kinds": {"Basics": named_counts(BASICS), "Specials": named_counts(SPECIALS)},
        "orders": [(order, [(kind, ingredient_name(kind)) for kind in order.need]) for order in ORDERS.values()],
        "agendas": [(agenda.name, agenda_text(agenda)) for agenda in AGENDAS.values()],
    }


def named_counts(kinds: tuple[str, ...]) -> list[tuple[str, str, int]]:
    """Return each type with its name and number of copies."""
    return [(kind, ingredient_name(kind), INGREDIENT_CARDS[kind].copies) for kind in kinds]


def contributor_shares(facts: list[Any]) -> list[ContributorShare]:
    """Return the share of each seat in the Order that these facts complete."""
    compared = next(fact for fact in facts if isinstance(fact, LaborCompared))
    scored = [fact for fact in facts if isinstance(fact, PointsScored)]
    return [
        ContributorShare(
            COLOURS[entry.seat],
            entry.labor,
            entry.ingredients,
            entry.specials,
            sum(fact.points for fact in scored if fact.seat == entry.seat),
        )
        for entry in compared.tally
    ]


def small_board(cells: dict[str, str]) -> str:
    """Draw a board of three columns and two rows with these cards."""
    fields = (
        group(
            8 + 100 * column,
            8 + 100 * row,
            element("rect", width=92, height=92, rx=10, fill="#fbeed3", stroke="#b9814b"),
        )
        for row in range(2)
        for column in range(3)
    )
    cards = (
        group(
            8 + 100 * (ord(cell[0]) - ord("A")),
            8 + 100 * (int(cell[1]) - 1),
            tile(placed.ingredient, placed.owner, placed.labor),
        )
        for cell, placed in example_tiles(cells).items()
    )
    return decoration(308, 208, *fields, *cards, class_="small-board")


def example_tiles(cells: dict[str, str]) -> dict[str, Tile]:
    """Return tiles for these cards, alternating between two owners."""
    tiles = {}
    for n, (cell, kind) in enumerate(cells.items()):
        tiles[cell] = Tile(kind, n % 2, 2 if kind in SPECIALS else 1)  # type: ignore[arg-type]
    return tiles


def completes_berry_pie(cells: dict[str, str]) -> bool:
    """Return whether the berries, placed last, complete Berry Pie."""
    placed = next(cell for cell, kind in cells.items() if kind == "berries")
    return bool(find_candidates(Grid(example_tiles(cells), 3), ["O27"], placed, strict=False))
