"""Position documents (rules, section 15), which describe a start without a deal, and the check of options."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import ACTIONS, FACES, INGREDIENTS, NAMES, PANTRY_CARDS, PILE_CARDS
from domain.games.pie_contest.rules.facts import PositionSet
from domain.games.pie_contest.rules.moves import Options
from domain.games.pie_contest.rules.parts import (
    MAX_GRANTED,
    MAX_SEATS,
    PIES_TO_END,
    ROW_SIZE,
    SEAT_KEYS,
    Card,
    Cards,
    SeatKey,
    Stage,
)
from domain.kernel.position import PositionReader
from domain.kernel.refusals import BadOptions

SmallCount = Annotated[int, Meta(ge=0, le=1_000_000)]
SeatNumber = Annotated[int, Meta(ge=0, lt=MAX_SEATS)]
Value = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
CardKey = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,2}(?!\n)$")]
HandsBySeat = dict[SeatKey, tuple[Card, ...]]


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a position document. Missing fields get their default."""

    seats: Annotated[int, Meta(ge=2, le=MAX_SEATS)] | None = None
    options: Options = Options()
    active: SeatNumber = 0
    turn: Annotated[int, Meta(ge=1, le=1_000_000)] = 10
    stage: Stage = "open"
    plays_left: Annotated[int, Meta(ge=1, le=1 + MAX_GRANTED)] = 1
    acts_made: SmallCount = 0
    granted: Annotated[int, Meta(ge=0, le=MAX_GRANTED)] = 0
    hands: HandsBySeat = {}
    kitchens: HandsBySeat = {}
    pies: dict[SeatKey, tuple[Value, ...]] = {}
    trash: tuple[Card, ...] = ()
    row: Annotated[tuple[Card | None, ...], Meta(max_length=ROW_SIZE)] = ()
    pantry: tuple[Card, ...] | None = None
    pantry_top: tuple[Card, ...] | None = None
    pile: tuple[Card, ...] | None = None
    pile_top: tuple[Card, ...] | None = None
    turned: dict[CardKey, SeatNumber] = {}
    out: tuple[SeatNumber, ...] = ()


POSITION = PositionReader(Document, "Pie Contest", rule="15", noun="fields")
require = POSITION.require


def check_options(seats: int, options: Options) -> None:
    """Check that the first seat exists in this match (S4). Raises BadOptions."""
    if options.first_seat != "random" and options.first_seat >= seats:
        raise BadOptions("S4", f"first_seat is {options.first_seat}. With {seats} seats it must be 0 to {seats - 1}.")


def read_position(seats: int, outside: Options, raw: Mapping[str, Any]) -> PositionSet:
    """Return the position with all defaults filled in. Raises BadOptions for every error of section 15."""
    document = POSITION.read(raw)
    require(document.seats in (None, seats), f"The position is for {document.seats} seats, but the match has {seats}.")
    options = POSITION.merge_options(outside, document.options)
    check_options(seats, options)
    check_seats(document, seats)
    check_turned(document, seats)
    check_zones(document)
    check_pies(document, options.resolved(seats))
    hands = {key: tuple(sorted(document.hands.get(key, ()))) for key in SEAT_KEYS[:seats]}
    kitchens = {key: document.kitchens.get(key, ()) for key in SEAT_KEYS[:seats]}
    placed = placed_cards(document)
    return PositionSet(
        seats=seats,
        options=options.resolved(seats),
        active=document.active,
        turn=document.turn,
        stage=document.stage,
        plays_left=document.plays_left,
        acts_made=document.acts_made,
        granted=document.granted,
        hands={**hands},
        kitchens=kitchens,
        pies={key: document.pies.get(key, ()) for key in SEAT_KEYS[:seats]},
        trash=document.trash,
        row=(*document.row, *(None for _ in range(ROW_SIZE - len(document.row)))),
        pantry=fill_pile(document.pantry, document.pantry_top, PANTRY_CARDS, placed),
        pile=fill_pile(document.pile, document.pile_top, PILE_CARDS, placed),
        turned={key: document.turned[key] for key in sorted(document.turned)},
        out=tuple(sorted(document.out)),
    )


def placed_cards(document: Document) -> list[int]:
    """Return every card that the document places somewhere, including the two face-down piles."""
    zones: list[Iterable[int]] = [*document.hands.values(), *document.kitchens.values(), document.trash]
    zones += [cards or () for cards in (document.pantry, document.pantry_top, document.pile, document.pile_top)]
    zones.append(card for card in document.row if card is not None)
    return [card for zone in zones for card in zone]


def fill_pile(exactly: Cards | None, top: Cards | None, cards: range, placed: list[int]) -> Cards:
    """Return a face-down pile: exactly these cards, or the top cards followed by all unplaced cards, ascending."""
    if exactly is not None:
        return exactly
    return (*(top or ()), *(card for card in cards if card not in placed))


# -- checks -------------------------------------------------------------------------------------------------------


def check_seats(document: Document, seats: int) -> None:
    """Check that all seats exist, two of them are live, and the active one is live. Raises BadOptions."""
    named = {*document.hands, *document.kitchens, *document.pies} - set(SEAT_KEYS[:seats])
    require(not named, f"Unknown seats: {', '.join(sorted(named))}. Seats must be 0 to {seats - 1}.")
    numbers = {document.active, *document.out, *document.turned.values()}
    require(max(numbers) < seats, f"Seats must be 0 to {seats - 1} in this match.")
    require(len(set(document.out)) == len(document.out), "out lists a seat twice.")
    require(seats - len(document.out) >= 2, "At least two seats must not have resigned.")
    require(document.active not in document.out, f"Seat {document.active} has resigned, so it can't be active.")
    for seat in document.out:
        key = SEAT_KEYS[seat]
        require(
            not document.hands.get(key) and not document.kitchens.get(key),
            f"Seat {seat} has resigned, so it can't have cards.",
        )


def check_zones(document: Document) -> None:
    """Check that each card is placed once, in a zone that can hold it. Raises BadOptions."""
    require(document.pantry is None or document.pantry_top is None, "Give pantry or pantry_top, not both.")
    require(document.pile is None or document.pile_top is None, "Give pile or pile_top, not both.")
    twice = sorted(card for card, times in Counter(placed_cards(document)).items() if times > 1)
    require(not twice, f"These cards are in two places: {', '.join(map(card_name, twice))}.")
    pantry = (*document.trash, *(document.pantry or ()), *(document.pantry_top or ()))
    check_cards("the Pantry and the Trash", pantry, PANTRY_CARDS)
    pile = (*(document.pile or ()), *(document.pile_top or ()), *(card for card in document.row if card))
    check_cards("the Achievement pile and the row", pile, PILE_CARDS)
    for key, kitchen in document.kitchens.items():
        require(len(kitchen) <= KITCHEN_SIZE, f"The Kitchen of seat {key} holds more than {KITCHEN_SIZE} Ingredients.")
        check_cards(f"the Kitchen of seat {key}", kitchen, INGREDIENTS)
    for key, hand in document.hands.items():
        check_cards(f"the hand of seat {key}", hand, {*ACTIONS, *INGREDIENTS})
        for card in hand:
            mine = card in PANTRY_CARDS or document.turned.get(str(card)) == int(key)
            require(mine, f"{card_name(card)} can only be in the hand of the seat that completed it (see turned).")


def check_pies(document: Document, options: Options) -> None:
    """Check that no seat has enough Pies to have ended the contest (V1, V4). Raises BadOptions."""
    grand = options.variant == "grand"
    most = (options.closing_round or 0) if grand else PIES_TO_END - 1
    why = "one for each round until closing time (V4)" if grand else f"Pie {PIES_TO_END} ends the contest (V1)"
    for key, pies in document.pies.items():
        require(len(pies) <= most, f"Seat {key} has {len(pies)} Pies, but the maximum is {most}: {why}.")


def check_cards(where: str, cards: Iterable[int], fitting: Iterable[int]) -> None:
    """Check that a zone holds only these cards. Raises BadOptions."""
    wrong = sorted(set(cards) - set(fitting))
    require(not wrong, f"These cards can't be in {where}: {', '.join(map(card_name, wrong))}.")


def check_turned(document: Document, seats: int) -> None:
    """Check that `turned` lists exactly the Achievements in hands and Kitchens. Raises BadOptions."""
    held: set[int] = set()
    for cards in (*document.hands.values(), *document.kitchens.values()):
        held |= {card for card in cards if card in PILE_CARDS}
    turned = {int(key) for key in document.turned}
    never = sorted(card for card in held | turned if card not in FACES or card not in PILE_CARDS)
    require(not never, f"These cards don't turn into anything: {', '.join(map(card_name, never))}.")
    require(
        not held - turned, f"turned does not name who completed {', '.join(map(card_name, sorted(held - turned)))}."
    )
    require(
        not turned - held,
        f"Turned, but in no hand or Kitchen: {', '.join(map(card_name, sorted(turned - held)))}.",
    )


def card_name(card: int) -> str:
    """Return the id and name of a card, for error messages."""
    return f"{card} ({NAMES[card]})" if card in NAMES else str(card)
