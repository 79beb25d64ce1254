"""Views and redaction (rules, section 7), and full states that are consistent with a view."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.games.bakers_brawl.rules.components import (
    ORDERS,
    SPECIALS,
    Special,
    agendas_in_play,
    orders_in_play,
    special_cards,
)
from domain.games.bakers_brawl.rules.decider import to_move
from domain.games.bakers_brawl.rules.facts import (
    Fact,
    GameSetUp,
    IngredientPlaced,
    PantryTaken,
    PositionSet,
    SeatResigned,
    SpecialDeckReshuffled,
    SpecialDrawn,
    SpecialKept,
)
from domain.games.bakers_brawl.rules.model import SeenBaker, State, View
from domain.games.bakers_brawl.rules.parts import Baker, ShownBaker, sorted_names
from domain.games.bakers_brawl.rules.position import remaining_cards
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """Return what this seat, or a spectator, can see."""
    over = state.phase == "over"
    points = tuple(baker.points for baker in state.seats)
    return View(
        players=state.players,
        options=state.options,
        board_size=state.board_size,
        start_seat=state.start_seat,
        round=state.round,
        turn=state.turn,
        phase=state.phase,
        to_move=tuple(to_move(state)),
        pending_cell=state.pending_cell,
        order_line=state.order_line,
        order_deck=state.order_deck if over else UNSET,
        order_deck_count=len(state.order_deck),
        boss_pile=state.boss_pile,
        completed=state.completed,
        special_deck=state.special_deck if over else UNSET,
        special_deck_count=len(state.special_deck),
        discard=state.discard,
        pantry=state.pantry,
        drawn=state.drawn if over or seat == state.turn else UNSET,
        drawn_count=len(state.drawn),
        board=state.board,
        seats=tuple(seen_baker(baker, over or seat == number) for number, baker in enumerate(state.seats)),
        removed_agendas=state.removed_agendas if over else UNSET,
        result=state.result,
        scores=state.result.totals if state.result else points,
    )


def seen_baker(baker: Baker, own: bool) -> SeenBaker:
    """Return a seat's entry in a view. Hand and agenda are shown only if `own` is true."""
    return SeenBaker(
        hand=baker.hand if own else UNSET,
        hand_count=len(baker.hand),
        basics=baker.basics,
        cubes=baker.cubes,
        points=baker.points,
        agenda=baker.agenda if own else None,
        active=baker.active,
    )


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """Return the fact as this seat can see it now. Everything is visible once the game is over."""
    if state.phase == "over":
        return fact
    match fact:
        case SpecialDrawn(drawer) | SpecialKept(drawer) if drawer != seat:
            return replace(fact, card=None)
        case SpecialDeckReshuffled():
            return replace(fact, order=None)
        case GameSetUp():
            return replace(
                fact,
                order_deck=None,
                special_deck=None,
                hands=tuple(hand if seat == n else None for n, hand in enumerate(fact.hands)),
                agendas=tuple(agenda if seat == n else None for n, agenda in enumerate(fact.agendas)),
                removed_agendas=None,
            )
        case PositionSet():
            return replace(
                fact,
                order_deck=None,
                special_deck=None,
                drawn=fact.drawn if seat == fact.turn else None,
                seats=tuple(baker if seat == n else hide_secrets(baker) for n, baker in enumerate(fact.seats)),
                removed_agendas=None,
            )
        case _:
            return fact


def hide_secrets(baker: ShownBaker) -> ShownBaker:
    """Return a baker as other seats see it."""
    return replace(baker, hand=None, agenda=None)


# -- states consistent with a view --------------------------------------------------------------------------------


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """Return a random full state that is consistent with what this seat knows.

    Rivals hold what they took from the Pantry and have not played. All other unseen Specials are dealt at random to
    their hands, their drawn cards and the deck. So are unseen agendas and Orders (section 14).
    """
    known = known_hands(view, facts, seat)
    unseen = CardDealer(chance.shuffle(unseen_specials(view, known)), chance)
    agendas = CardDealer(chance.shuffle(unseen_agendas(view)), chance)
    bakers = tuple(
        Baker(
            hand=sorted_names([*known[n], *unseen.take(baker.hand_count - len(known[n]))])
            if isinstance(baker.hand, UnsetType)
            else baker.hand,
            basics=baker.basics,
            cubes=baker.cubes,
            points=baker.points,
            agenda=baker.agenda or agendas.take(1)[0],
            active=baker.active,
        )
        for n, baker in enumerate(view.seats)
    )
    drawn = unseen.take(view.drawn_count) if isinstance(view.drawn, UnsetType) else view.drawn
    deck = unseen.take(view.special_deck_count) if isinstance(view.special_deck, UnsetType) else view.special_deck
    removed = agendas.rest() if isinstance(view.removed_agendas, UnsetType) else view.removed_agendas
    return State(
        players=view.players,
        options=view.options,
        board_size=view.board_size,
        start_seat=view.start_seat,
        round=view.round,
        turn=view.turn,
        phase=view.phase,
        pending_cell=view.pending_cell,
        order_line=view.order_line,
        order_deck=deal_orders(view, chance),
        boss_pile=view.boss_pile,
        completed=view.completed,
        special_deck=tuple(deck),
        discard=view.discard,
        pantry=view.pantry,
        drawn=tuple(drawn),
        board=view.board,
        seats=bakers,
        removed_agendas=tuple(removed),
        result=view.result,
    )


def or_empty(items: tuple[Any, ...] | UnsetType) -> tuple[Any, ...]:
    """Return the items, or an empty tuple if the view leaves them out."""
    return () if isinstance(items, UnsetType) else items


class CardDealer:
    """Deals shuffled cards, then random ones, because a custom position can use more cards than exist."""

    def __init__(self, cards: list[Any], chance: Chance) -> None:
        self._cards = cards
        self._chance = chance

    def take(self, count: int) -> list[Any]:
        """Return the next cards."""
        while len(self._cards) < count:
            self._cards.append(self._chance.pick(SPECIALS))
        taken, self._cards = self._cards[:count], self._cards[count:]
        return taken

    def rest(self) -> list[Any]:
        """Return all remaining cards."""
        return self.take(len(self._cards))


def known_hands(view: View, facts: Sequence[Fact], seat: Seat | None) -> list[list[Special]]:
    """Return, by seat, the cards that rivals took from the Pantry and have not played since."""
    known: list[list[Special]] = [[] for _ in view.seats]
    for fact in facts:
        match fact:
            case PantryTaken(rival, card) if rival != seat:
                known[rival].append(card)
            case IngredientPlaced(rival, "hand", ingredient) if ingredient in known[rival]:
                known[rival].remove(ingredient)
            case SeatResigned(rival):
                known[rival].clear()
    return known


def unseen_specials(view: View, known: list[list[Special]]) -> list[Special]:
    """Return the Specials whose location the seat doesn't know."""
    seen: Counter[str] = Counter([*view.discard, *view.pantry, *or_empty(view.drawn)])
    seen.update(tile.ingredient for tile in view.board.values())
    for baker, held in zip(view.seats, known, strict=True):
        seen.update(or_empty(baker.hand) or held)
    return remaining_cards(special_cards(), seen)


def unseen_agendas(view: View) -> list[str]:
    """Return the agendas whose location the seat doesn't know."""
    shown = {baker.agenda for baker in view.seats}
    return [agenda_id for agenda_id in agendas_in_play(view.players) if agenda_id not in shown]


def deal_orders(view: View, chance: Chance) -> tuple[str, ...]:
    """Return a random Orders deck of unseen Orders in play, or others if a custom position needs more."""
    if not isinstance(view.order_deck, UnsetType):
        return view.order_deck
    seen = {*view.order_line, *view.boss_pile, *(done.order_id for done in view.completed)}
    in_play = orders_in_play(view.players)
    likely = chance.shuffle(order_id for order_id in in_play if order_id not in seen)
    others = chance.shuffle(order_id for order_id in ORDERS if order_id not in seen and order_id not in in_play)
    return tuple([*likely, *others][: view.order_deck_count])
