"""Cards, cakes, slots and bakeries, loaded from `components.json` and validated (rules, sections 2 and 12)."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS, MAX_STALE, SETS, SLOTS, Cake, Card
from domain.kernel.values import Value

COMPONENTS_FILE = Path(__file__).with_name("components.json")
SECTIONS = ("bakeries", "slots", "sets", "cards", "cakes", "stale")
BAKERY_IDS = ("union", "confederate")
MIN_CAKES = 2 * len(SLOTS)

Positive = Annotated[int, msgspec.Meta(ge=1)]
Words = Annotated[str, msgspec.Meta(pattern=r"\S")]
Effect = Literal["chef", "hat", "apron", "oven", "batter", "wild"]


class ComponentsError(ValueError):
    """Invalid component data. The message names file, card and field."""


class Bakery(Value, frozen=True, forbid_unknown_fields=True):
    """One seat's bakery. The log uses its short name."""

    bakery: Literal["union", "confederate"]
    name: Words
    short: Words


class SlotCard(Value, frozen=True, forbid_unknown_fields=True):
    """A Bakery Case card, the same in both cases: a dice total and its factor."""

    slot: int
    factor: Positive


class ChefSet(Value, frozen=True, forbid_unknown_fields=True):
    """A chef set and its colour."""

    multiplier: int
    colour: Words


class ChefCard(Value, frozen=True, forbid_unknown_fields=True):
    """A Hire a Chef card: the chef or a component of one set, or a wild that serves two."""

    card: Card
    effect: Effect
    sets: tuple[int, ...]
    name: Words


class CakeCard(Value, frozen=True, forbid_unknown_fields=True):
    """A You Take The Cake card: its price in dollars and the number of copies."""

    cake: Cake
    price: Positive
    copies: Positive
    name: Words


class StaleCard(Value, frozen=True, forbid_unknown_fields=True):
    """The Cake Going Stale cards: the percentage one takes off the printed price, and the number of copies."""

    card: Literal["stale_20"]
    percent: Annotated[int, msgspec.Meta(ge=1, lt=100 // MAX_STALE)]
    copies: Positive
    name: Words


class Components(Value, frozen=True):
    """All component data, and the SHA-256 of their file."""

    bakeries: tuple[Bakery, ...]
    slots: tuple[SlotCard, ...]
    sets: tuple[ChefSet, ...]
    cards: tuple[ChefCard, ...]
    cakes: tuple[CakeCard, ...]
    stale: StaleCard
    digest: str


EntryT = TypeVar("EntryT", Bakery, SlotCard, ChefSet, ChefCard, CakeCard, StaleCard)


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """Return the components in this JSON. Raise ComponentsError for the first invalid entry."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != set(SECTIONS):
        raise ComponentsError(f"{file}: needs exactly {', '.join(SECTIONS)}, has {', '.join(sorted(document))}")
    cards = read_list(document["cards"], f"{file}: cards", ChefCard, CARDS, lambda entry: entry.card)
    for entry in cards:
        check_card(entry, file)
    cakes = read_list(document["cakes"], f"{file}: cakes", CakeCard, CAKES, lambda entry: entry.cake)
    if sum(entry.copies for entry in cakes) < MIN_CAKES:
        raise ComponentsError(f"{file}: cakes: copies: fewer than {MIN_CAKES} in all cannot fill both cases")
    return Components(
        bakeries=read_list(document["bakeries"], f"{file}: bakeries", Bakery, BAKERY_IDS, lambda entry: entry.bakery),
        slots=read_list(document["slots"], f"{file}: slots", SlotCard, SLOTS, lambda entry: entry.slot),
        sets=read_list(document["sets"], f"{file}: sets", ChefSet, SETS[::-1], lambda entry: entry.multiplier),
        cards=cards,
        cakes=cakes,
        stale=read_entry(document["stale"], StaleCard, f"{file}: stale"),
        digest=sha256(raw).hexdigest(),
    )


def read_list(
    raw: Any,
    place: str,
    kind: type[EntryT],
    names: Sequence[str | int],
    name: Callable[[EntryT], str | int],
) -> tuple[EntryT, ...]:
    """Return a section with one entry for each of these names, in that order. Raise ComponentsError otherwise."""
    if not isinstance(raw, list) or len(raw) != len(names):
        raise ComponentsError(f"{place}: needs a list of {len(names)} entries")
    entries = []
    for n, (item, expected) in enumerate(zip(raw, names, strict=True), 1):
        line = f"{place} {n} ({expected})"
        entry = read_entry(item, kind, line)
        if name(entry) != expected:
            raise ComponentsError(f"{line}: {kind.__struct_fields__[0]}: is {name(entry)}, expected {expected}")
        entries.append(entry)
    return tuple(entries)


def read_entry(item: Any, kind: type[EntryT], place: str) -> EntryT:
    """Return one entry. Raise ComponentsError with its place and the invalid field."""
    try:
        return msgspec.convert(item, kind)
    except msgspec.ValidationError as error:
        raise ComponentsError(f"{place}: {error}") from None


def check_card(entry: ChefCard, file: str) -> None:
    """Raise ComponentsError if a card's effect or sets contradict its id (12.1)."""
    effect, _, rest = entry.card.partition("_")
    sets = tuple(int(digit) for digit in rest if digit.isdigit())
    if entry.effect != effect:
        raise ComponentsError(f"{file}: card {entry.card}: effect: is {entry.effect}, but its id requires {effect}")
    if entry.sets != sets:
        raise ComponentsError(
            f"{file}: card {entry.card}: sets: are {list(entry.sets)}, but its id requires {list(sets)}"
        )


COMPONENTS = load(COMPONENTS_FILE.read_bytes())
BAKERIES = COMPONENTS.bakeries
CHEF_CARDS: dict[Card, ChefCard] = {entry.card: entry for entry in COMPONENTS.cards}
CAKE_CARDS: dict[Cake, CakeCard] = {entry.cake: entry for entry in COMPONENTS.cakes}
PRICES: dict[Cake, int] = {entry.cake: entry.price for entry in COMPONENTS.cakes}
FACTORS: dict[int, int] = {entry.slot: entry.factor for entry in COMPONENTS.slots}
SET_COLOURS: dict[int, str] = {entry.multiplier: entry.colour for entry in COMPONENTS.sets}
CAKE_INDEX: dict[Cake, int] = {cake: n for n, cake in enumerate(CAKES)}
FULL_STORE: tuple[int, ...] = tuple(entry.copies for entry in COMPONENTS.cakes)
STALE_CARDS = COMPONENTS.stale
