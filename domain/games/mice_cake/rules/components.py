"""The 28 dominoes and their flavours (rules, sections 2 and 12), loaded from `components.json` and validated."""

from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec

from domain.games.mice_cake.rules.parts import PIECES, Piece
from domain.kernel.values import Value

COMPONENTS_FILE = Path(__file__).with_name("components.json")
FLAVOUR_COUNT = 7

Kind = Literal["blank", "half", "double", "mixed"]


class ComponentsError(ValueError):
    """Raised for invalid component data. The message names the file, the piece and the field."""


class Flavour(Value, frozen=True, forbid_unknown_fields=True):
    """The flavour of a half with this number of pips, used only in the log and in tooltips."""

    number: int
    name: str


class Domino(Value, frozen=True, forbid_unknown_fields=True):
    """A domino. Its kind determines which dice exhaust mice (T4), its pips the total needed and the score."""

    piece: Piece
    kind: Kind
    pips: int
    words: str

    @property
    def low(self) -> int:
        """The pips of the lower half."""
        return int(self.piece[0])

    @property
    def high(self) -> int:
        """The pips of the higher half."""
        return int(self.piece[2])


class Components(Value, frozen=True):
    """All component data, with the SHA-256 of their file."""

    dominoes: dict[Piece, Domino]
    flavours: tuple[str, ...]
    digest: str


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """Return the components in this JSON. Raise ComponentsError for the first invalid entry."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, list[dict[str, Any]]])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != {"flavours", "dominoes"}:
        raise ComponentsError(
            f"{file}: expected the keys `flavours` and `dominoes`, found {', '.join(sorted(document))}"
        )
    dominoes = [read_domino(entry, n, file) for n, entry in enumerate(document["dominoes"])]
    if len(dominoes) != len(PIECES):
        raise ComponentsError(f"{file}: dominoes: expected {len(PIECES)}, found {len(dominoes)}")
    return Components(
        dominoes={domino.piece: domino for domino in dominoes},
        flavours=read_flavours(document["flavours"], file),
        digest=sha256(raw).hexdigest(),
    )


def read_domino(entry: dict[str, Any], n: int, file: str) -> Domino:
    """Return the n-th domino. Raise ComponentsError if a field does not match its name."""
    place = f"{file}: domino {n + 1} ({entry.get('piece', 'unnamed')})"
    try:
        domino = msgspec.convert(entry, Domino)
    except msgspec.ValidationError as error:
        raise ComponentsError(f"{place}: {error}") from None
    if n >= len(PIECES) or domino.piece != PIECES[n]:
        expected = PIECES[n] if n < len(PIECES) else "no more dominoes"
        raise ComponentsError(f"{place}: piece: expected {expected}")
    if domino.kind != kind_of(domino):
        raise ComponentsError(f"{place}: kind: expected {kind_of(domino)}, found {domino.kind}")
    if domino.pips != domino.low + domino.high:
        raise ComponentsError(f"{place}: pips: expected {domino.low + domino.high}, found {domino.pips}")
    if not domino.words.strip():
        raise ComponentsError(f"{place}: words: must not be empty")
    return domino


def kind_of(domino: Domino) -> Kind:
    """Return the kind of a domino according to its halves (rules, section 2)."""
    match domino.low, domino.high:
        case 0, 0:
            return "blank"
        case 0, _:
            return "half"
        case low, high:
            return "double" if low == high else "mixed"


def read_flavours(entries: list[dict[str, Any]], file: str) -> tuple[str, ...]:
    """Return the names of the flavours 0 to 6. Raise ComponentsError for an invalid entry."""
    names = []
    for number, entry in enumerate(entries):
        place = f"{file}: flavour {number}"
        try:
            flavour = msgspec.convert(entry, Flavour)
        except msgspec.ValidationError as error:
            raise ComponentsError(f"{place}: {error}") from None
        if flavour.number != number:
            raise ComponentsError(f"{place}: number: expected {number}, found {flavour.number}")
        if not flavour.name.strip():
            raise ComponentsError(f"{place}: name: must not be empty")
        names.append(flavour.name)
    if len(names) != FLAVOUR_COUNT:
        raise ComponentsError(f"{file}: flavours: expected {FLAVOUR_COUNT}, found {len(names)}")
    return tuple(names)


COMPONENTS = load(COMPONENTS_FILE.read_bytes())
DOMINOES = COMPONENTS.dominoes
FLAVOURS = COMPONENTS.flavours
PIPS: dict[Piece, int] = {piece: domino.pips for piece, domino in DOMINOES.items()}
TABLE_ORDER: dict[Piece, int] = {piece: n for n, piece in enumerate(PIECES)}
