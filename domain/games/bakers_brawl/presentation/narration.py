"""The narration of a match (rules, section 13) and the text of agenda cards."""

from collections.abc import Iterable, Iterator, Sequence

from domain.games.bakers_brawl.rules.components import AGENDAS, INGREDIENT_CARDS, ORDERS, Agenda, Condition, PerOrder
from domain.games.bakers_brawl.rules.facts import (
    AgendaScored,
    CompletionDeclined,
    CompletionOpened,
    Fact,
    GameEnded,
    GameSetUp,
    HelpBonusScored,
    IngredientPlaced,
    LaborCompared,
    OrderArrived,
    OrderClaimed,
    OrderCompleted,
    OrderTakenByBoss,
    PantryDiscarded,
    PantryStocked,
    PantryTaken,
    PositionSet,
    ResultDeclared,
    SeatResigned,
    SpecialDeckReshuffled,
    SpecialDiscarded,
    SpecialDrawn,
    SpecialKept,
    TurnPassed,
)
from domain.games.bakers_brawl.rules.parts import COLOURS, Reason, Tally
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
END_SENTENCES: dict[Reason, str] = {
    "boss_limit": "Fired! The head of the bakery has made {orders}.",
    "orders_exhausted": "No Orders are left. The bakers have made it through the day.",
    "last_baker": "Only one baker is left.",
}


def tell(facts: Sequence[Fact]) -> list[str]:
    """Return sentences for the facts of one event. Turns, rounds and bookkeeping are left out."""
    lines: list[str] = []
    for n, fact in enumerate(facts):
        lines += tell_fact(fact, facts[:n], facts[n + 1 :])
    return lines


def tell_fact(fact: Fact, before: Sequence[Fact], after: Sequence[Fact]) -> Iterator[str]:  # noqa: PLR0912
    """Yield the sentences for a fact, given the facts before and after it in the event."""
    match fact:
        case GameSetUp() | PositionSet():
            yield tell_opening(fact)
        case SpecialDrawn(seat) if not any(isinstance(other, SpecialDrawn) for other in before):
            yield tell_draw(seat, [fact, *(other for other in after if isinstance(other, SpecialDrawn))])
        case SpecialKept(seat, card) if not any(isinstance(other, SpecialDrawn) for other in before):
            yield f"{seat_name(seat)} keeps {ingredient_name(card) if card else 'one'}{tell_rest_of_draw(after)}."
        case SpecialDeckReshuffled(count):
            yield f"The discard pile is shuffled into a new deck ({pluralize(count, 'card')})."
        case PantryTaken(seat, card):
            yield f"{seat_name(seat)} takes {ingredient_name(card)} from the Pantry."
        case IngredientPlaced(seat, "blind", placed, cell):
            yield f"{seat_name(seat)} plays blind on {cell}: {ingredient_name(placed)}."
        case IngredientPlaced(seat, _, placed, cell, labor):
            yield f"{seat_name(seat)} places {ingredient_name(placed)} on {cell} ({labor} labor)."
        case CompletionOpened(seat, cell, order_ids):
            yield f"{seat_name(seat)} can complete {' or '.join(map(order_title, order_ids))} with the card on {cell}."
        case CompletionDeclined(seat):
            yield f"{seat_name(seat)} chooses not to complete an Order."
        case OrderCompleted():
            yield tell_completion(fact)
        case LaborCompared(order_id, tally, winners):
            yield tell_majority(order_id, tally, winners)
        case OrderClaimed(_, contributors):
            yield f"Contributors: {', '.join(map(seat_name, contributors))}."
        case TurnPassed(seat):
            yield f"{seat_name(seat)} passes."
        case SeatResigned(seat, discarded):
            yield f"{seat_name(seat)} resigns.{tell_discarded_hand(discarded)}"
        case OrderArrived(order_id):
            yield f"A new Order arrives: {order_title(order_id)}."
        case OrderTakenByBoss(order_id, boss_total):
            made = pluralize(boss_total, "Order")
            yield f"The head of the bakery makes {order_title(order_id)} himself ({made} so far)."
        case GameEnded(reason):
            yield END_SENTENCES[reason].format(orders=describe_boss_total(before))
        case AgendaScored(seat, agenda_id, order_ids, points):
            counted = f" ({order_titles(order_ids)})" if order_ids else ""
            yield f"{seat_name(seat)}'s agenda is {AGENDAS[agenda_id].name}: {pluralize(points, 'point')}{counted}."
        case HelpBonusScored(seat, helped, points):
            yield f"{seat_name(seat)} gets {pluralize(points, 'point')} for helping with {pluralize(helped, 'Order')}."
        case ResultDeclared(totals, _, winners):
            scores = ", ".join(f"{seat_name(seat)} {total}" for seat, total in enumerate(totals))
            verb = "wins" if len(winners) == 1 else "share the victory"
            yield f"{join_and(map(seat_name, winners))} {verb}. Final scores: {scores}."
        case _:
            pass


def tell_opening(fact: GameSetUp | PositionSet) -> str:
    """Return the sentences for the start of a match."""
    orders = list_orders(fact.order_line)
    if isinstance(fact, PositionSet):
        return f"The match starts from a custom position. It is {seat_name(fact.turn)}'s turn. {orders}"
    return f"{fact.players} bakers start work. {seat_name(fact.start_seat)} goes first. {orders}"


# -- sentences that need more than one fact -----------------------------------------------------------------------


def tell_draw(seat: Seat, drawn: Sequence[SpecialDrawn]) -> str:
    """Return the sentence for a draw. It names the cards if the reader can see them."""
    shown = [ingredient_name(fact.card) for fact in drawn if fact.card]
    if len(drawn) == 1:
        return f"{seat_name(seat)} draws the last Special in the deck{f': {shown[0]}' if shown else ''}."
    return f"{seat_name(seat)} draws {join_and(shown) if shown else 'two Specials'}."


def tell_rest_of_draw(after: Sequence[Fact]) -> str:
    """Return the part of the sentence about the card that was not kept."""
    parts = []
    for fact in after:
        match fact:
            case PantryDiscarded(_, card):
                parts.append(f", discards {ingredient_name(card)} to make room")
            case PantryStocked(_, card):
                parts.append(f" and puts {ingredient_name(card)} in the Pantry")
            case SpecialDiscarded(_, card):
                parts.append(f" and discards {ingredient_name(card)}")
            case _:
                pass
    return "".join(parts)


def tell_discarded_hand(discarded: Sequence[str]) -> str:
    """Return the sentence about a discarded hand, with a leading space, or an empty string."""
    if not discarded:
        return ""
    verb = "goes" if len(discarded) == 1 else "go"
    return f" {join_and(map(ingredient_name, discarded))} {verb} to the discard pile."


def tell_completion(fact: OrderCompleted) -> str:
    """Return the sentence for a completed Order and its points."""
    points = ORDERS[fact.order_id].top
    order = f"{order_title(fact.order_id)} ({', '.join(fact.cells)})"
    return f"{seat_name(fact.seat)} completes {order} for {pluralize(points, 'point')}."


def tell_majority(order_id: str, tally: Sequence[Tally], winners: Sequence[Seat]) -> str:
    """Return the sentence that says who scored the bottom number of an Order, and why."""
    points = pluralize(ORDERS[order_id].bottom, "point")
    if len(winners) > 1:
        return f"{join_and(map(seat_name, winners))} tie for the majority: {points} each."
    return f"{seat_name(winners[0])} wins the majority for {points} ({describe_margin(tally, winners[0])})."


def describe_margin(tally: Sequence[Tally], winner: Seat) -> str:
    """Return the number that decided a majority, compared with the runner-up."""
    own = next(entry for entry in tally if entry.seat == winner)
    others = [entry for entry in tally if entry.seat != winner]
    if not others:
        return "unopposed"
    best = max(others, key=lambda entry: (entry.labor, entry.ingredients, entry.specials))
    if own.labor != best.labor:
        return f"{own.labor} labor to {best.labor}"
    if own.ingredients != best.ingredients:
        return f"{pluralize(own.ingredients, 'ingredient')} to {best.ingredients} with equal labor"
    return f"{pluralize(own.specials, 'Special')} to {best.specials} with equal labor and ingredients"


def describe_boss_total(facts: Iterable[Fact]) -> str:
    """Return how many Orders the head of the bakery has made, such as "five Orders"."""
    total = max((fact.boss_total for fact in facts if isinstance(fact, OrderTakenByBoss)), default=0)
    number = NUMBERS[total] if total < len(NUMBERS) else str(total)
    return f"{number} {'Order' if total == 1 else 'Orders'}"


# -- names --------------------------------------------------------------------------------------------------------


def seat_name(seat: Seat) -> str:
    """Return the name of a seat, capitalised."""
    return COLOURS[seat].capitalize()


def ingredient_name(kind: str) -> str:
    """Return the name of an ingredient."""
    return INGREDIENT_CARDS[kind].name


def order_title(order_id: str) -> str:
    """Return the name of an Order."""
    return ORDERS[order_id].name


def order_titles(order_ids: Iterable[str]) -> str:
    """Return the names of Orders, or "none"."""
    return ", ".join(map(order_title, order_ids)) or "none"


def list_orders(order_ids: Iterable[str]) -> str:
    """Return a sentence that lists the Orders in the Line."""
    return f"Orders: {order_titles(order_ids)}."


# -- agenda cards -------------------------------------------------------------------------------------------------


def agenda_text(agenda: Agenda) -> str:
    """Return the text of an agenda card (12.3)."""
    match agenda.effect:
        case PerOrder(condition, points):
            return f"{pluralize(points, 'point')} for each {describe_condition(condition)} you helped to complete"
        case effect:
            steps = [(count, points) for count, points in enumerate(effect.table) if count]
            scale = " / ".join(str(points) for _, points in steps)
            counts = " / ".join(str(count) for count, _ in steps)
            return f"{scale} points for helping with {counts} different categories"


def describe_condition(condition: Condition) -> str:
    """Return a description of the Orders that a condition counts."""
    if condition.has_any is not None:
        return f"Order with {' or '.join(ingredient_name(kind).lower() for kind in condition.has_any)}"
    if condition.has_all is not None:
        joined = join_and(ingredient_name(kind).lower() for kind in condition.has_all)
        return f"Order with {'both ' if len(condition.has_all) == 2 else ''}{joined}"
    if condition.category_in is not None:
        return f"{' or '.join(condition.category_in)} Order"
    low, high = condition.size_between or (0, 0)
    sizes = [NUMBERS[size] for size in range(low, high + 1)]
    return f"Order with {'exactly ' if low == high else ''}{' or '.join(sizes)} ingredients"
