"""The 28 dominoes and their flavours (rules, sections 2 and 12), from `components.json`: checked on load."""

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
    """The component data are wrong; the message names file, piece and field."""


class Flavour(Value, frozen=True, forbid_unknown_fields=True):
    """What a half with this number of pips tastes of; for the log and tooltips only."""

    number: int
    name: str


class Domino(Value, frozen=True, forbid_unknown_fields=True):
    """A domino: its kind decides how it exhausts mice (T4), its pips what it takes and what it is worth."""

    piece: Piece
    kind: Kind
    pips: int
    words: str

    @property
    def low(self) -> int:
        """The lower half."""
        return int(self.piece[0])

    @property
    def high(self) -> int:
        """The higher half."""
        return int(self.piece[2])


class Components(Value, frozen=True):
    """All component data, and the SHA-256 of the file that they came from."""

    dominoes: dict[Piece, Domino]
    flavours: tuple[str, ...]
    digest: str


def load(raw: bytes, file: str = COMPONENTS_FILE.name) -> Components:
    """The components in this JSON. Raises ComponentsError naming file, piece and field of the first wrong entry."""
    try:
        document = msgspec.json.decode(raw, type=dict[str, list[dict[str, Any]]])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ComponentsError(f"{file}: {error}") from None
    if set(document) != {"flavours", "dominoes"}:
        raise ComponentsError(f"{file}: needs exactly `flavours` and `dominoes`, has {', '.join(sorted(document))}")
    dominoes = [read_domino(entry, n, file) for n, entry in enumerate(document["dominoes"])]
    if len(dominoes) != len(PIECES):
        raise ComponentsError(f"{file}: dominoes: {len(dominoes)} of them, a double-six set has {len(PIECES)}")
    return Components(
        dominoes={domino.piece: domino for domino in dominoes},
        flavours=read_flavours(document["flavours"], file),
        digest=sha256(raw).hexdigest(),
    )


def read_domino(entry: dict[str, Any], n: int, file: str) -> Domino:
    """The n-th domino, checked against what its name says."""
    place = f"{file}: domino {n + 1} ({entry.get('piece', 'unnamed')})"
    try:
        domino = msgspec.convert(entry, Domino)
    except msgspec.ValidationError as error:
        raise ComponentsError(f"{place}: {error}") from None
    if n >= len(PIECES) or domino.piece != PIECES[n]:
        wanted = PIECES[n] if n < len(PIECES) else "nothing more"
        raise ComponentsError(f"{place}: piece: table order has {wanted} here")
    if domino.kind != kind_of(domino):
        raise ComponentsError(f"{place}: kind: is {domino.kind}, its halves make it {kind_of(domino)}")
    if domino.pips != domino.low + domino.high:
        raise ComponentsError(f"{place}: pips: is {domino.pips}, its halves add up to {domino.low + domino.high}")
    if not domino.words.strip():
        raise ComponentsError(f"{place}: words: is empty, the log needs a name for it")
    return domino


def kind_of(domino: Domino) -> Kind:
    """The kind that the halves make (rules, section 2)."""
    match domino.low, domino.high:
        case 0, 0:
            return "blank"
        case 0, _:
            return "half"
        case low, high:
            return "double" if low == high else "mixed"


def read_flavours(entries: list[dict[str, Any]], file: str) -> tuple[str, ...]:
    """The names of the flavours 0 to 6."""
    names = []
    for number, entry in enumerate(entries):
        place = f"{file}: flavour {number}"
        try:
            flavour = msgspec.convert(entry, Flavour)
        except msgspec.ValidationError as error:
            raise ComponentsError(f"{place}: {error}") from None
        if flavour.number != number:
            raise ComponentsError(f"{place}: number: is {flavour.number}")
        if not flavour.name.strip():
            raise ComponentsError(f"{place}: name: is empty")
        names.append(flavour.name)
    if len(names) != FLAVOUR_COUNT:
        raise ComponentsError(f"{file}: flavours: {len(names)} of them, the halves need {FLAVOUR_COUNT}")
    return tuple(names)


COMPONENTS = load(COMPONENTS_FILE.read_bytes())
DOMINOES = COMPONENTS.dominoes
FLAVOURS = COMPONENTS.flavours
PIPS: dict[Piece, int] = {piece: domino.pips for piece, domino in DOMINOES.items()}
TABLE_ORDER: dict[Piece, int] = {piece: n for n, piece in enumerate(PIECES)}
