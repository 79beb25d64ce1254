"""Narration of the log (rules, section 13): one sentence per notable fact, with hidden cards left unnamed."""

from collections.abc import Sequence

from domain.games.battle_of_the_bakeries.rules.components import BAKERIES, CAKE_CARDS, CHEF_CARDS, FACTORS
from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CakeDrawn,
    CakePlaced,
    CakeSold,
    CardFlipped,
    CatchUpOpened,
    CatchUpStopped,
    CatchUpTried,
    ChefHired,
    ChefsLaidOut,
    DiceRolled,
    DieRolled,
    Fact,
    GameCreated,
    GameEnded,
    GreatChefAwarded,
    HireDeclared,
    HireFailed,
    HiringClosed,
    LastChanceDenied,
    LastChanceFailed,
    LastChanceOpened,
    OrderRolledOff,
    PositionSet,
    RoundBegan,
    RoundScored,
    SaleClosed,
    SaleOpened,
    SeatResigned,
    StaleDue,
    StalePlaced,
    StaleWaived,
    TurnBegan,
    TurnLost,
    TurnOrderChosen,
)
from domain.games.battle_of_the_bakeries.rules.parts import COLUMNS, Cake, Card
from domain.games.battle_of_the_bakeries.rules.scoring import current_price
from domain.kernel.game import Seat

NO_MEMORY_NOTE = (
    "The memory aid is off. When you roll or try to hire, the cards seen before disappear from the board and the log. "
    "The server can't stop anyone from taking notes."
)


def tell(facts: Sequence[Fact]) -> list[str]:
    """Return the sentences for the facts of one event. Facts that need no explanation have none."""
    return [sentence for fact in facts if (sentence := tell_fact(fact)) is not None]


def tell_fact(fact: Fact) -> str | None:
    """Return the sentence for a fact, or None if it needs none."""
    for narrate in (tell_turn, tell_hire, tell_stock, tell_sale, tell_catch_up, tell_round):
        sentence = narrate(fact)
        if sentence is not None:
            return sentence
    return None


# -- names --------------------------------------------------------------------------------------------------------


def seat_name(seat: Seat) -> str:
    """Return the short name of a seat's bakery."""
    return BAKERIES[seat].short


def card_name(card: Card | None) -> str:
    """Return the name of a Hire a Chef card with its multipliers, without details for a hidden card."""
    if card is None:
        return "a card that is no longer shown"
    known = CHEF_CARDS[card]
    return f"{known.name} ({'/'.join(f'{multiplier}x' for multiplier in known.sets)})"


def cake_name(cake: Cake) -> str:
    """Return the name of a cake."""
    return CAKE_CARDS[cake].name


def cake_with_price(cake: Cake) -> str:
    """Return a cake with its article and price: a Lemon Cake ($50)."""
    return f"a {cake_name(cake)} (${CAKE_CARDS[cake].price})"


def describe_position(position: int) -> str:
    """Return row and column of a board position, counted from 1."""
    return f"row {position // COLUMNS + 1}, column {position % COLUMNS + 1}"


def dollars(amount: int) -> str:
    """Return an amount with dollar sign and thousands separators."""
    return f"${amount:,}"


def describe_sets(multipliers: Sequence[int]) -> str:
    """Return sets by their multipliers: 5x, 3x or 2x."""
    names = [f"{multiplier}x" for multiplier in multipliers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


# -- phase one ----------------------------------------------------------------------------------------------------


def tell_turn(fact: Fact) -> str | None:
    """Narrate the turns of phase one."""
    match fact:
        case TurnOrderChosen(seat, starter):
            return f"{seat_name(seat)} chooses to go {'first' if seat == starter else 'second'}."
        case TurnBegan(seat, turn):
            return f"Turn {turn}: {seat_name(seat)}."
        case DieRolled(seat, 5, bonus_offer):
            return f"{seat_name(seat)} rolls a 5: take {dollars(bonus_offer)} or turn over two cards."
        case DieRolled(seat, value, _):
            return f"{seat_name(seat)} rolls a {value}."
        case BonusTaken(seat, amount):
            return f"{seat_name(seat)} takes {dollars(amount)}."
        case CardFlipped(seat, position, card):
            return f"{seat_name(seat)} turns over {describe_position(position)}: {card_name(card)}."
        case TurnLost(seat):
            return f"{seat_name(seat)} misses a turn."
        case _:
            return None


def tell_hire(fact: Fact) -> str | None:
    """Narrate attempts, the last chance and the end of phase one."""
    match fact:
        case HireDeclared(seat):
            return f"{seat_name(seat)} tries to hire a chef."
        case HireFailed(seat):
            return f"The cards don't make a set. {seat_name(seat)} loses its next turn."
        case ChefHired(seat, multiplier, _, cards):
            chef = next(CHEF_CARDS[card].name for card in cards if CHEF_CARDS[card].effect == "chef")
            return f"{seat_name(seat)} hires {chef} ({multiplier}x)!"
        case LastChanceOpened(seat, allowed):
            return f"{seat_name(seat)} gets one last chance to hire the {describe_sets(allowed)} chef."
        case LastChanceDenied(seat):
            return f"There is no lower set, so {seat_name(seat)} gets no last chance."
        case LastChanceFailed(seat, True):
            return f"{seat_name(seat)} declines the last chance."
        case LastChanceFailed(seat, False):
            return f"The cards don't make a set. {seat_name(seat)} loses its last chance."
        case HiringClosed(_, multipliers, None):
            return "The board closes. Neither bakery has a chef, so both sell at 1x."
        case HiringClosed(_, multipliers, _):
            chefs = ", ".join(f"{seat_name(seat)} {multiplier}x" for seat, multiplier in enumerate(multipliers))
            return f"The board closes. Multipliers: {chefs}."
        case _:
            return None


# -- phases two and three -----------------------------------------------------------------------------------------


def tell_stock(fact: Fact) -> str | None:
    """Narrate the stocking of the cases."""
    match fact:
        case CakeDrawn(seat, cake, left):
            return f"{seat_name(seat)} draws {cake_with_price(cake)}. {left} cakes are left in the store."
        case CakePlaced(seat, case, slot, cake) if case == seat:
            return f"{seat_name(seat)} puts {cake_with_price(cake)} in its own slot {slot}."
        case CakePlaced(seat, case, slot, cake):
            cake_words, slot_words = cake_with_price(cake), f"{seat_name(case)}'s slot {slot}"
            return f"You Take the Cake! {seat_name(seat)} puts {cake_words} in {slot_words}."
        case SaleOpened(seat):
            return f"Both cases are full, so the sale begins. {seat_name(seat)} rolls first."
        case _:
            return None


def tell_sale(fact: Fact) -> str | None:
    """Narrate rolls, sales and stale cards."""
    match fact:
        case DiceRolled(seat, dice, total):
            return f"{seat_name(seat)} rolls {dice[0]} + {dice[1]} = {total}."
        case CakeSold():
            return describe_sale(fact)
        case StaleDue(seat, against, _):
            return (
                f"{seat_name(against)}'s cake for that number is already sold. "
                f"{seat_name(seat)} must put a stale card on one of {seat_name(against)}'s cakes."
            )
        case StaleWaived(seat, "deck_empty"):
            return f"{seat_name(seat)}'s cake for that number is already sold, but no stale cards are left."
        case StaleWaived(seat, "no_target"):
            return (
                f"{seat_name(seat)}'s cake for that number is already sold, "
                "but no unsold cake can take another stale card."
            )
        case StalePlaced(seat, case, slot, stale, left):
            on_cake = f"{stale} on this cake, {left} left in the deck"
            return f"{seat_name(seat)} puts a stale card on {seat_name(case)}'s slot {slot} ({on_cake})."
        case SaleClosed(None, _):
            return "The sale closes at the roll limit before either bakery sells seven cakes."
        case SaleClosed(int(seat), tabs):
            return f"{seat_name(seat)} sells its seventh cake and wins the round! Tabs: {both_amounts(tabs)}."
        case GreatChefAwarded(seat, amount):
            return f"{seat_name(seat)} earns the Great Chef Bonus: {dollars(amount)}."
        case _:
            return None


def describe_sale(fact: CakeSold) -> str:
    """Return a sale with its calculation: chef x slot x price."""
    price = current_price(fact.cake, fact.stale)
    chef = fact.amount // (FACTORS[fact.slot] * price)
    sum_ = f"{chef} x {FACTORS[fact.slot]} x {dollars(price)} = {dollars(fact.amount)}"
    stale = f" with {fact.stale} stale card{'s' if fact.stale > 1 else ''}" if fact.stale else ""
    return f"{seat_name(fact.seat)} sells a {cake_name(fact.cake)}{stale} for {sum_} (cake {fact.count} of 7)."


def tell_catch_up(fact: Fact) -> str | None:
    """Narrate the catch-up round."""
    match fact:
        case CatchUpOpened(seat, tab):
            return f"Catch-up round: {seat_name(seat)} can try to keep more than 40% of its {dollars(tab)} tab."
        case CatchUpTried(seat, number, dice, total, hit, percent):
            result = "a hit" if hit else "a miss"
            return (
                f"{seat_name(seat)} draws the number {number} and rolls {dice[0]} + {dice[1]} = {total}: "
                f"{result} ({percent}% of the tab)."
            )
        case CatchUpStopped(seat, percent):
            return f"{seat_name(seat)} stops and keeps {percent}% of its tab."
        case _:
            return None


# -- rounds -------------------------------------------------------------------------------------------------------


def tell_round(fact: Fact) -> str | None:
    """Narrate how matches and rounds begin and end."""
    match fact:
        case GameCreated(options) if options.memory_aid == "off":
            return NO_MEMORY_NOTE
        case PositionSet():
            return f"The match starts from a custom position in round {fact.round}."
        case RoundBegan(number):
            return f"Round {number} begins."
        case ChefsLaidOut():
            return "The thirty chef cards are shuffled and laid out face down."
        case OrderRolledOff(rolls, chooser):
            dice = ", ".join(f"{first} to {second}" for first, second in rolls)
            name = seat_name(chooser)
            reason = f"Roll-off: {dice}. {name}" if rolls else f"{name} has the lower score and"
            return f"{reason} chooses who goes first."
        case RoundScored():
            lines = [f"{seat_name(seat)} keeps {dollars(fact.kept[seat])} ({fact.percents[seat]}%)" for seat in (0, 1)]
            return f"Round {fact.round}: {', '.join(lines)}. Score: {both_amounts(fact.scores)}."
        case SeatResigned(seat):
            return f"{seat_name(seat)} resigns."
        case GameEnded():
            return describe_winner(fact)
        case _:
            return None


def both_amounts(amounts: tuple[int, int]) -> str:
    """Return the amounts of both bakeries with their names."""
    return ", ".join(f"{seat_name(seat)} {dollars(amount)}" for seat, amount in enumerate(amounts))


def describe_winner(fact: GameEnded) -> str:
    """Return who wins and how."""
    if fact.winner is None:
        return f"The match is a draw: {both_amounts(fact.scores)}."
    why = {"tiebreak": " on rounds won", "resignation": " by resignation"}.get(fact.reason, "")
    return f"{seat_name(fact.winner)} wins the Battle of the Bakeries{why}: {both_amounts(fact.scores)}."
