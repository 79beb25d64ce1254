"""Ingredients, Orders and Secret Agendas, loaded from `components.json` and checked (rules, section 12)."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from domain.kernel.values import Value

COMPONENTS_FILE = Path(__file__).with_name("components.json")

Basic = Literal["flour", "butter", "milk", "eggs", "sugar"]
Special = Literal["chocolate", "vanilla", "cinnamon", "nuts", "berries", "apple", "lemon", "cream_cheese"]
Ingredient = Literal[Basic, Special]
Category = Literal["cookie", "cake", "bread", "pie", "pastry"]

BASICS: tuple[Basic, ...] = get_args(Basic)
SPECIALS: tuple[Special, ...] = get_args(Special)
INGREDIENTS: tuple[Ingredient, ...] = (*BASICS, *SPECIALS)
"""All types in canonical order, which is the sort order everywhere (2.1)."""
CATEGORIES: tuple[Category, ...] = get_args(Category)
INGREDIENT_RANK: dict[str, int] = {name: n for n, name in enumerate(INGREDIENTS)}

MIN_ORDER_SIZE, MAX_ORDER_SIZE = 3, 6
"""Smallest and largest number of ingredients of an Order."""
MAX_PLAYERS = 4

Text = Annotated[str, Meta(min_length=1)]
Points = Annotated[int, Meta(ge=0, le=99)]
MinPlayers = Annotated[int, Meta(ge=2, le=MAX_PLAYERS)]
One = Literal[1]
TypedT = TypeVar("TypedT", "IngredientCard", "Order", "Agenda")


class ComponentsError(ValueError):
    """Invalid component data. The message names file, card and field."""


class IngredientCard(Value, frozen=True, forbid_unknown_fields=True):
    """A type of Ingredient card. `copies` is per player for a Basic and per deck for a Special."""

    id: Ingredient
    name: Text
    class_: Literal["basic", "special"] = msgspec.field(name="class")
    copies: Annotated[int, Meta(ge=1, le=20)]


class Order(Value, frozen=True, forbid_unknown_fields=True):
    """An Order card: its ingredients, the points for completing it (`top`) and for the majority (`bottom`)."""

    id: Annotated[str, Meta(pattern=r"^O[0-9]{2}$")]
    name: Text
    category: Category
    copies: One
    need: Annotated[tuple[Ingredient, ...], Meta(min_length=MIN_ORDER_SIZE, max_length=MAX_ORDER_SIZE)]
    top: Points
    bottom: Points
    min_players: MinPlayers


class Condition(Value, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The condition for Orders that an agenda counts. Exactly one field is set (12.3)."""

    has_any: Annotated[tuple[Ingredient, ...], Meta(min_length=1)] | None = None
    has_all: Annotated[tuple[Ingredient, ...], Meta(min_length=1)] | None = None
    category_in: Annotated[tuple[Category, ...], Meta(min_length=1)] | None = None
    size_between: tuple[int, int] | None = None


class PerOrder(Value, frozen=True, tag_field="kind", tag="per_order", forbid_unknown_fields=True):
    """`points` for each Order that meets the condition."""

    condition: Condition
    points: Points


class DistinctCategory(
    msgspec.Struct, frozen=True, tag_field="kind", tag="distinct_category", forbid_unknown_fields=True
):
    """Points by the number of different categories, from 0 to 5."""

    table: Annotated[tuple[Points, ...], Meta(min_length=6, max_length=6)]


class Agenda(Value, frozen=True, forbid_unknown_fields=True):
    """A Secret Agenda card."""

    id: Annotated[str, Meta(pattern=r"^A[0-9]{2}$")]
    name: Text
    copies: One
    effect: PerOrder | DistinctCategory
    min_players: MinPlayers


class Components(Value, frozen=True):
    """All component data by id, and the SHA-256 of their file."""

    ingredients: dict[str, IngredientCard]
    orders: dict[str, Order]
    agendas: dict[str, Agenda]
    digest: str


# -- loading ------------------------------------------------------------------------------------------------------


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """Return the components in this JSON. Raises ComponentsError for the first invalid entry."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, list[dict[str, Any]]])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != {"ingredients", "orders", "agendas"}:
        wrong = ", ".join(sorted(document)) or "nothing"
        raise ComponentsError(f"{file}: needs exactly `ingredients`, `orders` and `agendas`, but has {wrong}")
    ingredients = read_cards(document["ingredients"], IngredientCard, f"{file}: ingredient")
    orders = read_cards(document["orders"], Order, f"{file}: order")
    agendas = read_cards(document["agendas"], Agenda, f"{file}: agenda")
    check_ingredients(ingredients, file)
    check_orders(orders, file)
    check_agendas(agendas, file)
    return Components(ingredients, orders, agendas, sha256(raw).hexdigest())


def read_cards(entries: list[dict[str, Any]], kind: type[TypedT], what: str) -> dict[str, TypedT]:
    """Return the cards of one kind by id. Raises ComponentsError for an invalid card or a repeated id."""
    cards: dict[str, TypedT] = {}
    for number, entry in enumerate(entries, 1):
        place = f"{what} {number} ({entry.get('id', 'without id')})"
        try:
            card = msgspec.convert(entry, kind)
        except msgspec.ValidationError as error:
            raise ComponentsError(f"{place}: {error}") from None
        if card.id in cards:
            raise ComponentsError(f"{place}: id: is used twice")
        cards[card.id] = card
    return cards


def check_ingredients(cards: dict[str, IngredientCard], file: str) -> None:
    """Raise ComponentsError unless all types are in canonical order with the right class and copies (12.1)."""
    if tuple(cards) != INGREDIENTS:
        raise ComponentsError(f"{file}: ingredients: id: must be, in this order, {', '.join(INGREDIENTS)}")
    for card in cards.values():
        place = f"{file}: ingredient {card.id}"
        expected = "basic" if card.id in BASICS else "special"
        if card.class_ != expected:
            raise ComponentsError(f"{place}: class: is {card.class_}, but must be {expected}")
        if expected == "basic" and card.copies != 1:
            raise ComponentsError(
                f"{place}: copies: is {card.copies}, but each player has one card of each Basic (R18)"
            )


def check_orders(orders: dict[str, Order], file: str) -> None:
    """Raise ComponentsError unless ids are in sequence and each Order has its own valid set of ingredients (12.2)."""
    check_sequence(orders, "O", f"{file}: orders")
    seen: dict[tuple[Ingredient, ...], str] = {}
    for order in orders.values():
        place = f"{file}: order {order.id}: need"
        if order.need != tuple(sorted(set(order.need), key=INGREDIENT_RANK.__getitem__)):
            raise ComponentsError(f"{place}: name each ingredient once, in the order {', '.join(INGREDIENTS)}")
        basics = sum(name in BASICS for name in order.need)
        if basics < 2 or basics == len(order.need):
            raise ComponentsError(f"{place}: an Order needs at least two Basics and one Special")
        if order.need in seen:
            raise ComponentsError(f"{place}: is the same as that of {seen[order.need]}")
        seen[order.need] = order.id
    if sum(order.min_players == 2 for order in orders.values()) < MIN_ORDER_SIZE:
        raise ComponentsError(f"{file}: orders: min_players: two players need at least three Orders to start (S7)")


def check_agendas(agendas: dict[str, Agenda], file: str) -> None:
    """Raise ComponentsError unless ids are in sequence, conditions are valid and there are enough agendas (12.3)."""
    check_sequence(agendas, "A", f"{file}: agendas")
    for players in range(2, MAX_PLAYERS + 1):
        if sum(agenda.min_players <= players for agenda in agendas.values()) < players:
            raise ComponentsError(f"{file}: agendas: min_players: too few agendas for {players} players (S10)")
    for agenda in agendas.values():
        if isinstance(agenda.effect, PerOrder):
            check_condition(agenda.effect.condition, f"{file}: agenda {agenda.id}: effect.condition")


def check_condition(condition: Condition, place: str) -> None:
    """Raise ComponentsError unless exactly one field is set and sizes are in range."""
    given = [name for name in condition.__struct_fields__ if getattr(condition, name) is not None]
    if len(given) != 1:
        raise ComponentsError(f"{place}: needs exactly one of {', '.join(condition.__struct_fields__)}")
    if (
        condition.size_between
        and not MIN_ORDER_SIZE <= condition.size_between[0] <= condition.size_between[1] <= MAX_ORDER_SIZE
    ):
        raise ComponentsError(
            f"{place}.size_between: two sizes from {MIN_ORDER_SIZE} to {MAX_ORDER_SIZE}, the smaller first"
        )


def check_sequence(ids: Iterable[str], letter: str, place: str) -> None:
    """Raise ComponentsError unless ids count up from 01. Decks are listed by id before a shuffle (S4, S6)."""
    for number, found in zip(count(1), ids):
        if found != f"{letter}{number:02d}":
            raise ComponentsError(f"{place}: id: expected {letter}{number:02d}, found {found}")


COMPONENTS = load(COMPONENTS_FILE.read_bytes())
INGREDIENT_CARDS = COMPONENTS.ingredients
ORDERS = COMPONENTS.orders
AGENDAS = COMPONENTS.agendas


def special_cards() -> list[Special]:
    """Return every Special card, by type in canonical order (S5)."""
    return [name for name in SPECIALS for _ in range(INGREDIENT_CARDS[name].copies)]


def orders_in_play(players: int) -> list[str]:
    """Return the ids of the Orders used with this many players, in ascending order (S4)."""
    return [order.id for order in ORDERS.values() if order.min_players <= players]


def agendas_in_play(players: int) -> list[str]:
    """Return the ids of the agendas used with this many players, in ascending order (S6)."""
    return [agenda.id for agenda in AGENDAS.values() if agenda.min_players <= players]


NEEDS: dict[str, frozenset[str]] = {order.id: frozenset(order.need) for order in ORDERS.values()}
