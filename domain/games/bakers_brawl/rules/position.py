"""Position documents (rules, 15.1): a start from a given table instead of a deal. And the check of options (S1)."""

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
"""Specials: a fixture need not conserve them, but every draw copies the pile, so it cannot be of any length."""
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
    """What differs at a seat from the default."""

    hand: tuple[Special, ...] = ()
    basics: tuple[Basic, ...] | None = None
    cubes: Supply | None = None
    points: SmallCount = 0
    agenda: str | None = None
    active: bool = True


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a position document; only `players` is required. What is null is filled in."""

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
    """S3 The start seat is one of the match's. Raises BadOptions."""
    if options.start_seat != "random" and options.start_seat >= seats:
        raise BadOptions("S3", f"start_seat is {options.start_seat}; with {seats} players it is 0 to {seats - 1}.")


def board_side(seats: int, options: Options) -> int:
    """S2"""
    return options.board_size or seats + 3


def read_position(seats: int, outside: Options, raw: Mapping[str, Any]) -> PositionSet:
    """The position with all defaults filled in. Raises BadOptions for every refusal of 15.1 but one.

    Whether something can be completed at the pending cell is left to the rules.
    """
    document = POSITION.read(raw)
    require(document.players == seats, f"The position is for {document.players} players, the match has {seats} seats.")
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
    """What each seat has. Raises BadOptions unless there is one entry for each."""
    given = document.seats if document.seats is not None else (BakerDocument(),) * document.players
    require(len(given) == document.players, f"seats has {len(given)} entries; it needs one for each player, or none.")
    return tuple(read_baker(document, seat, baker) for seat, baker in enumerate(given))


def read_baker(document: Document, seat: int, given: BakerDocument) -> ShownBaker:
    """What a seat has: Basics that do not lie on the board, cubes that lie nowhere else, agenda by seat number."""
    own = [tile for tile in document.board.values() if tile.owner == seat]
    laid = sum(tile.labor for tile in own) + sum(seat in done.contributors for done in document.completed)
    cubes = value_or_default(given.cubes, CUBES_PER_BAKER - laid)
    require(
        cubes >= 0,
        f"seats[{seat}]: {laid} cubes lie on board and Orders, {CUBES_PER_BAKER} is all there are; state `cubes`.",
    )
    free = tuple(name for name in BASICS if all(tile.ingredient != name for tile in own))
    basics = value_or_default(given.basics, free)
    agenda = value_or_default(given.agenda, list(AGENDAS)[seat])
    require(agenda in AGENDAS, f"seats[{seat}]: there is no agenda {agenda}.")
    held = tuple(name for name in BASICS if name in basics)
    return ShownBaker(sorted_names(given.hand), held, cubes, given.points, agenda, given.active)


def read_order_deck(document: Document) -> tuple[str, ...]:
    """The Orders deck: as stated, or the top cards and then all Orders in play that lie nowhere else, by id."""
    if document.order_deck is not None:
        require(document.order_top is None, "Give order_deck or order_top, not both.")
        return document.order_deck
    top = document.order_top or ()
    elsewhere = {*top, *document.order_line, *document.boss_pile, *(done.order_id for done in document.completed)}
    return (*top, *(order_id for order_id in orders_in_play(document.players) if order_id not in elsewhere))


def read_special_deck(document: Document, bakers: Sequence[ShownBaker]) -> tuple[Special, ...]:
    """The Special deck: as stated, or the top cards and then all Specials that lie nowhere else, in order."""
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
    """The cards without those taken, one for one."""
    used = Counter[Any](taken)
    rest = []
    for card in cards:
        if used[card] > 0:
            used[card] -= 1
        else:
            rest.append(card)
    return rest


def read_removed_agendas(document: Document, bakers: Sequence[ShownBaker]) -> tuple[str, ...]:
    """The removed agendas: as stated, or those in play that no seat has."""
    held = {baker.agenda for baker in bakers}
    rest = tuple(agenda_id for agenda_id in agendas_in_play(document.players) if agenda_id not in held)
    removed = value_or_default(document.removed_agendas, rest)
    for agenda_id in removed:
        require(agenda_id in AGENDAS, f"removed_agendas: there is no agenda {agenda_id}.")
    return removed


# -- checks -------------------------------------------------------------------------------------------------------


def check_seats(document: Document, named: tuple[int, int], bakers: Sequence[ShownBaker]) -> None:
    """Seat numbers are the match's, two seats at least are active, and so is the one to act."""
    players = document.players
    numbers = {*named, *(tile.owner for tile in document.board.values())}
    for done in document.completed:
        numbers |= {done.by, *done.contributors}
    wrong = sorted(number for number in numbers if number >= players)
    require(not wrong, f"Seat {wrong[0] if wrong else None} is none of this match's: they are 0 to {players - 1}.")
    require(sum(baker.active for baker in bakers) >= 2, "At least two seats must be active.")
    require(bakers[named[1]].active, f"Seat {named[1]} is to act, but is not active.")


def check_limits(document: Document, bakers: Sequence[ShownBaker]) -> None:
    """Hands, Pantry and Line are within their limits."""
    for seat, baker in enumerate(bakers):
        count = len(baker.hand or ())
        require(count <= HAND_LIMIT, f"seats[{seat}]: a hand holds at most {HAND_LIMIT} Specials, not {count}.")
    count = len(document.pantry)
    require(count <= PANTRY_LIMIT, f"The Pantry holds at most {PANTRY_LIMIT} cards, not {count}.")
    count = len(document.order_line)
    require(count <= LINE_LIMIT, f"The Line holds at most {LINE_LIMIT} Orders, not {count}.")


def check_phase(document: Document) -> None:
    """Drawn cards belong to `keep`, a pending cell with a card on it to `complete`."""
    wanted = 2 if document.phase == "keep" else 0
    require(len(document.drawn) == wanted, f"In phase {document.phase} there are {wanted} drawn cards.")
    if document.phase != "complete":
        require(document.pending_cell is None, "Only phase `complete` has a pending_cell.")
        return
    require(document.pending_cell in document.board, "Phase `complete` needs a pending_cell with a card on it.")


def check_orders(document: Document, order_deck: Sequence[str], options: Options) -> None:
    """Each Order is known and in one place, and the boss has not made too many."""
    made = (done.order_id for done in document.completed)
    everywhere = [*document.order_line, *order_deck, *document.boss_pile, *made]
    for order_id, count in Counter(everywhere).items():
        require(order_id in ORDERS, f"There is no Order {order_id}.")
        require(count == 1, f"Order {order_id} is in {count} places; it can be in one only.")
    limit = options.boss_limit
    require(len(document.boss_pile) < limit, f"The boss pile has reached boss_limit {limit}: this game is over.")


def check_board(board: Mapping[str, TileDocument], size: int) -> None:
    """Every card lies on the board."""
    off = sorted(set(board) - set(cells_of(size)), key=cell_key)
    require(not off, f"Off the board, which has {size} columns and rows: {', '.join(off)}.")
