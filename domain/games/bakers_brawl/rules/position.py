"""Custom starting positions (rules, 15.1) and checks of the options (S1)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from domain.games.bakers_brawl.rules.components import (
    AGENDAS,
    BASICS,
    ORDERS,
    Basic,
    Ingredient,
    Special,
    agendas_in_play,
    orders_in_play,
    special_cards,
)
from domain.games.bakers_brawl.rules.facts import PositionSet
from domain.games.bakers_brawl.rules.moves import Options
from domain.games.bakers_brawl.rules.parts import (
    CUBES_PER_BAKER,
    FIRST_ORDERS,
    HAND_LIMIT,
    LINE_LIMIT,
    MAX_BOARD_SIZE,
    MIN_BOARD_SIZE,
    PANTRY_LIMIT,
    Cell,
    Completed,
    ShownBaker,
    Tile,
    cell_key,
    cells_of,
    sorted_names,
)
from domain.kernel.position import PositionReader, value_or_default
from domain.kernel.refusals import BadOptions

T = TypeVar("T")
SmallCount = Annotated[int, Meta(ge=0, le=1_000_000)]
Supply = Annotated[int, Meta(ge=0, le=CUBES_PER_BAKER)]
Pile = Annotated[tuple[Special, ...], Meta(max_length=2 * len(special_cards()))]
"""A pile of Specials. It need not match the real card counts, but every draw copies it, so its length is limited."""
SeatNumber = Annotated[int, Meta(ge=0, le=3)]


class TileDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card on the board."""

    ingredient: Ingredient
    owner: SeatNumber
    labor: Annotated[int, Meta(ge=1, le=CUBES_PER_BAKER)]


class CompletedDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A completed Order."""

    order_id: str
    by: SeatNumber
    contributors: tuple[SeatNumber, ...]


class BakerDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat, with the fields that differ from the defaults."""

    hand: tuple[Special, ...] = ()
    basics: tuple[Basic, ...] | None = None
    cubes: Supply | None = None
    points: SmallCount = 0
    agenda: str | None = None
    active: bool = True


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position document. Only `players` is required; null fields are filled in."""

    players: Annotated[int, Meta(ge=2, le=4)]
    options: Options = Options()
    board_size: Annotated[int, Meta(ge=MIN_BOARD_SIZE, le=MAX_BOARD_SIZE)] | None = None
    start_seat: SeatNumber | None = None
    round: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    turn: SeatNumber | None = None
    phase: Literal["act", "keep", "complete"] = "act"
    pending_cell: Cell | None = None
    order_line: tuple[str, ...] = tuple(list(ORDERS)[:FIRST_ORDERS])
    order_deck: tuple[str, ...] | None = None
    order_top: tuple[str, ...] | None = None
    boss_pile: tuple[str, ...] = ()
    completed: tuple[CompletedDocument, ...] = ()
    special_deck: Pile | None = None
    special_top: Pile | None = None
    discard: Pile = ()
    pantry: tuple[Special, ...] = ()
    drawn: tuple[Special, ...] = ()
    board: dict[Cell, TileDocument] = {}
    seats: tuple[BakerDocument, ...] | None = None
    removed_agendas: tuple[str, ...] | None = None
    result: None = None


POSITION = PositionReader(Document, "Baker's Brawl", rule="15.1")
require = POSITION.require


def check_options(seats: int, options: Options) -> None:
    """Raise BadOptions unless the start seat exists (S3)."""
    if options.start_seat != "random" and options.start_seat >= seats:
        raise BadOptions("S3", f"start_seat is {options.start_seat}. With {seats} players it must be 0 to {seats - 1}.")


def board_side(seats: int, options: Options) -> int:
    """Return the number of cells per side (S2)."""
    return options.board_size or seats + 3


def read_position(seats: int, outside: Options, raw: Mapping[str, Any]) -> PositionSet:
    """Return the position with all defaults filled in. Raises BadOptions for an invalid position (15.1).

    The caller checks that the pending cell has a candidate.
    """
    document = POSITION.read(raw)
    require(
        document.players == seats, f"The position is for {document.players} players, but the match has {seats} seats."
    )
    options = POSITION.merge_options(outside, document.options)
    check_options(seats, options)
    size = document.board_size or board_side(seats, options)
    start = value_or_default(document.start_seat, 0 if options.start_seat == "random" else options.start_seat)
    turn = value_or_default(document.turn, start)
    bakers = read_bakers(document)
    check_seats(document, (start, turn), bakers)
    check_limits(document, bakers)
    check_phase(document)
    order_deck = read_order_deck(document)
    check_orders(document, order_deck, options)
    check_board(document.board, size)
    board = {cell: document.board[cell] for cell in sorted(document.board, key=cell_key)}
    return PositionSet(
        players=seats,
        options=options,
        board_size=size,
        start_seat=start,
        round=document.round,
        turn=turn,
        phase=document.phase,
        pending_cell=document.pending_cell,
        order_line=document.order_line,
        order_deck=order_deck,
        boss_pile=document.boss_pile,
        completed=tuple(Completed(c.order_id, c.by, tuple(sorted(set(c.contributors)))) for c in document.completed),
        special_deck=read_special_deck(document, bakers),
        discard=sorted_names(document.discard),
        pantry=document.pantry,
        drawn=document.drawn,
        board={cell: Tile(tile.ingredient, tile.owner, tile.labor) for cell, tile in board.items()},
        seats=bakers,
        removed_agendas=read_removed_agendas(document, bakers),
        result=None,
    )


# -- defaults -----------------------------------------------------------------------------------------------------


def read_bakers(document: Document) -> tuple[ShownBaker, ...]:
    """Return all seats. Raises BadOptions unless there is one entry per seat."""
    given = document.seats if document.seats is not None else (BakerDocument(),) * document.players
    require(
        len(given) == document.players, f"seats has {len(given)} entries. Give one for each player, or leave it out."
    )
    return tuple(read_baker(document, seat, baker) for seat, baker in enumerate(given))


def read_baker(document: Document, seat: int, given: BakerDocument) -> ShownBaker:
    """Return a seat. By default it has its unused Basics and cubes, and the agenda of its seat number."""
    own = [tile for tile in document.board.values() if tile.owner == seat]
    used = sum(tile.labor for tile in own) + sum(seat in done.contributors for done in document.completed)
    cubes = value_or_default(given.cubes, CUBES_PER_BAKER - used)
    require(
        cubes >= 0,
        f"seats[{seat}]: {used} cubes are on the board and Orders, more than {CUBES_PER_BAKER}. Set `cubes`.",
    )
    free = tuple(name for name in BASICS if all(tile.ingredient != name for tile in own))
    basics = value_or_default(given.basics, free)
    agenda = value_or_default(given.agenda, list(AGENDAS)[seat])
    require(agenda in AGENDAS, f"seats[{seat}]: unknown agenda {agenda}.")
    held = tuple(name for name in BASICS if name in basics)
    return ShownBaker(sorted_names(given.hand), held, cubes, given.points, agenda, given.active)


def read_order_deck(document: Document) -> tuple[str, ...]:
    """Return the Orders deck: as given, or the top cards and then all other Orders in play, by id."""
    if document.order_deck is not None:
        require(document.order_top is None, "Give order_deck or order_top, not both.")
        return document.order_deck
    top = document.order_top or ()
    elsewhere = {*top, *document.order_line, *document.boss_pile, *(done.order_id for done in document.completed)}
    return (*top, *(order_id for order_id in orders_in_play(document.players) if order_id not in elsewhere))


def read_special_deck(document: Document, bakers: Sequence[ShownBaker]) -> tuple[Special, ...]:
    """Return the Special deck: as given, or the top cards and then all other Specials, in order."""
    if document.special_deck is not None:
        require(document.special_top is None, "Give special_deck or special_top, not both.")
        return document.special_deck
    top = document.special_top or ()
    placed: Counter[str] = Counter([*top, *document.discard, *document.pantry, *document.drawn])
    placed.update(tile.ingredient for tile in document.board.values())
    for baker in bakers:
        placed.update(baker.hand or ())
    return (*top, *remaining_cards(special_cards(), placed))


def remaining_cards(cards: Iterable[T], taken: "Counter[T] | Counter[str]") -> list[T]:
    """Return the cards without those taken, one for one."""
    used = Counter[Any](taken)
    rest = []
    for card in cards:
        if used[card] > 0:
            used[card] -= 1
        else:
            rest.append(card)
    return rest


def read_removed_agendas(document: Document, bakers: Sequence[ShownBaker]) -> tuple[str, ...]:
    """Return the removed agendas: as given, or those in play that no seat has."""
    held = {baker.agenda for baker in bakers}
    rest = tuple(agenda_id for agenda_id in agendas_in_play(document.players) if agenda_id not in held)
    removed = value_or_default(document.removed_agendas, rest)
    for agenda_id in removed:
        require(agenda_id in AGENDAS, f"removed_agendas: unknown agenda {agenda_id}.")
    return removed


# -- checks -------------------------------------------------------------------------------------------------------


def check_seats(document: Document, named: tuple[int, int], bakers: Sequence[ShownBaker]) -> None:
    """Require existing seat numbers, at least two active seats, and an active seat to act."""
    players = document.players
    numbers = {*named, *(tile.owner for tile in document.board.values())}
    for done in document.completed:
        numbers |= {done.by, *done.contributors}
    wrong = sorted(number for number in numbers if number >= players)
    require(not wrong, f"There is no seat {wrong[0] if wrong else None}. Seats are 0 to {players - 1}.")
    require(sum(baker.active for baker in bakers) >= 2, "At least two seats must be active.")
    require(bakers[named[1]].active, f"Seat {named[1]} is to act, but it is not active.")


def check_limits(document: Document, bakers: Sequence[ShownBaker]) -> None:
    """Require hands, Pantry and Line within their limits."""
    for seat, baker in enumerate(bakers):
        count = len(baker.hand or ())
        require(count <= HAND_LIMIT, f"seats[{seat}]: a hand holds at most {HAND_LIMIT} Specials, not {count}.")
    count = len(document.pantry)
    require(count <= PANTRY_LIMIT, f"The Pantry holds at most {PANTRY_LIMIT} cards, not {count}.")
    count = len(document.order_line)
    require(count <= LINE_LIMIT, f"The Line holds at most {LINE_LIMIT} Orders, not {count}.")


def check_phase(document: Document) -> None:
    """Require drawn cards only in phase `keep` and a pending cell only in phase `complete`."""
    expected = 2 if document.phase == "keep" else 0
    require(len(document.drawn) == expected, f"Phase `{document.phase}` needs {expected} drawn cards.")
    if document.phase != "complete":
        require(document.pending_cell is None, "Only phase `complete` can have a pending_cell.")
        return
    require(document.pending_cell in document.board, "Phase `complete` needs a pending_cell with a card on it.")


def check_orders(document: Document, order_deck: Sequence[str], options: Options) -> None:
    """Require known Orders, each in one place, and a boss pile below its limit."""
    made = (done.order_id for done in document.completed)
    everywhere = [*document.order_line, *order_deck, *document.boss_pile, *made]
    for order_id, count in Counter(everywhere).items():
        require(order_id in ORDERS, f"Unknown Order {order_id}.")
        require(count == 1, f"Order {order_id} is in {count} places. It can be in only one.")
    limit = options.boss_limit
    require(
        len(document.boss_pile) < limit, f"The boss pile has reached boss_limit {limit}, so this game is already over."
    )


def check_board(board: Mapping[str, TileDocument], size: int) -> None:
    """Require all cells to be on the board."""
    off = sorted(set(board) - set(cells_of(size)), key=cell_key)
    require(not off, f"Cells off the {size} by {size} board: {', '.join(off)}.")
