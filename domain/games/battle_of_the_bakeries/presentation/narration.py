"""The log in words (rules, section 13): one line for what is worth telling, as this reader may see it."""

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

NO_MEMORY_NOTE = "The memory aid is off: cards fade from board and log at your next turn. Nothing can forbid notes."


def tell(facts: Sequence[Fact]) -> list[str]:
    """The facts of one event in words. Facts that go without saying have no line."""
    return [said for fact in facts if (said := tell_fact(fact)) is not None]


def tell_fact(fact: Fact) -> str | None:
    """A fact as a sentence, None where it goes without saying."""
    for told in (tell_turn, tell_hire, tell_stock, tell_sale, tell_catch_up, tell_round):
        said = told(fact)
        if said is not None:
            return said
    return None


# -- names --------------------------------------------------------------------------------------------------------


def seat_name(seat: Seat) -> str:
    """What the log calls a seat."""
    return BAKERIES[seat].short


def card_name(card: Card | None) -> str:
    """A Hire a Chef card with its multipliers; one that the reader may not see is just a card."""
    if card is None:
        return "a card"
    known = CHEF_CARDS[card]
    return f"{known.name} ({'/'.join(f'{multiplier}x' for multiplier in known.sets)})"


def cake_name(cake: Cake) -> str:
    """A cake by its name."""
    return CAKE_CARDS[cake].name


def cake_with_price(cake: Cake) -> str:
    """A cake with its price, as one says it."""
    return f"a {cake_name(cake)} (${CAKE_CARDS[cake].price})"


def describe_position(position: int) -> str:
    """A place of the board as people count it."""
    return f"row {position // COLUMNS + 1}, column {position % COLUMNS + 1}"


def dollars(amount: int) -> str:
    """Money with its sign and thousands."""
    return f"${amount:,}"


def describe_sets(multipliers: Sequence[int]) -> str:
    """Sets by their multipliers: 5x, 3x or 2x."""
    names = [f"{multiplier}x" for multiplier in multipliers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


# -- phase one ----------------------------------------------------------------------------------------------------


def tell_turn(fact: Fact) -> str | None:
    """Turns of phase one."""
    match fact:
        case TurnOrderChosen(seat, starter):
            return f"{seat_name(seat)} chooses: {seat_name(starter)} begins."
        case TurnBegan(seat, turn):
            return f"Turn {turn}: {seat_name(seat)}."
        case DieRolled(seat, 5, bonus_offer):
            return f"{seat_name(seat)} rolls a 5: {dollars(bonus_offer)}, or two cards."
        case DieRolled(seat, value, _):
            return f"{seat_name(seat)} rolls a {value}."
        case BonusTaken(seat, amount):
            return f"{seat_name(seat)} takes {dollars(amount)}."
        case CardFlipped(seat, position, card):
            return f"{seat_name(seat)} turns over {describe_position(position)}: {card_name(card)}."
        case TurnLost(seat):
            return f"{seat_name(seat)} loses this turn."
        case _:
            return None


def tell_hire(fact: Fact) -> str | None:
    """Attempts, the last chance, the end of phase one."""
    match fact:
        case HireDeclared(seat):
            return f"{seat_name(seat)} tries to hire a chef ..."
        case HireFailed(seat):
            return f"That is no set. {seat_name(seat)} will lose a turn."
        case ChefHired(seat, multiplier, _, cards):
            chef = next(CHEF_CARDS[card].name for card in cards if CHEF_CARDS[card].effect == "chef")
            return f"... and {seat_name(seat)} hires {chef} ({multiplier}x)!"
        case LastChanceOpened(seat, allowed):
            return f"{seat_name(seat)} has one last chance: the {describe_sets(allowed)} set."
        case LastChanceDenied(seat):
            return f"No lesser set is left for {seat_name(seat)}."
        case LastChanceFailed(seat, True):
            return f"{seat_name(seat)} gives the last chance up."
        case LastChanceFailed(seat, False):
            return f"That is no set. {seat_name(seat)}'s last chance is gone."
        case HiringClosed(_, multipliers, None):
            return "The board closes and nobody has hired a chef: 1x for both."
        case HiringClosed(_, multipliers, _):
            chefs = ", ".join(f"{seat_name(seat)} {multiplier}x" for seat, multiplier in enumerate(multipliers))
            return f"The board closes: {chefs}."
        case _:
            return None


# -- phases two and three -----------------------------------------------------------------------------------------


def tell_stock(fact: Fact) -> str | None:
    """Cakes from the store."""
    match fact:
        case CakeDrawn(seat, cake, left):
            return f"{seat_name(seat)} draws {cake_with_price(cake)}; {left} cakes are left in the store."
        case CakePlaced(seat, case, slot, cake) if case == seat:
            return f"{seat_name(seat)} puts {cake_with_price(cake)} under its own {slot}."
        case CakePlaced(seat, case, slot, cake):
            return (
                f"You Take the Cake! {seat_name(seat)} puts {cake_with_price(cake)} under {seat_name(case)}'s {slot}."
            )
        case SaleOpened(seat):
            return f"Both cases are full: the sale begins. {seat_name(seat)} rolls first."
        case _:
            return None


def tell_sale(fact: Fact) -> str | None:
    """Rolls, sales and stale cards."""
    match fact:
        case DiceRolled(seat, dice, total):
            return f"{seat_name(seat)} rolls {dice[0]} + {dice[1]} = {total}."
        case CakeSold():
            return describe_sale(fact)
        case StaleDue(seat, against, _):
            return f"{seat_name(against)} has sold that one already: {seat_name(seat)} makes a cake go stale."
        case StaleWaived(seat, "deck_empty"):
            return f"{seat_name(seat)} has sold that one already, but no stale card is left."
        case StaleWaived(seat, "no_target"):
            return f"{seat_name(seat)} has sold that one already, but no cake can go any staler."
        case StalePlaced(seat, case, slot, stale, left):
            return f"{seat_name(seat)} puts a stale card on {seat_name(case)}'s {slot}: {stale} there now, {left} left."
        case SaleClosed(None, _):
            return "Closing time: nobody has sold seven cakes."
        case SaleClosed(int(seat), tabs):
            return f"{seat_name(seat)} has sold seven cakes! Tabs: {both_amounts(tabs)}."
        case GreatChefAwarded(seat, amount):
            return f"Great Chef Bonus for {seat_name(seat)}: {dollars(amount)}."
        case _:
            return None


def describe_sale(fact: CakeSold) -> str:
    """A sale with its sum: chef x slot x price."""
    price = current_price(fact.cake, fact.stale)
    chef = fact.amount // (FACTORS[fact.slot] * price)
    sum_ = f"{chef} x {FACTORS[fact.slot]} x {dollars(price)} = {dollars(fact.amount)}"
    stale = f", {fact.stale} times stale," if fact.stale else ""
    return f"{seat_name(fact.seat)} sells a {cake_name(fact.cake)}{stale} for {sum_} (cake {fact.count} of 7)."


def tell_catch_up(fact: Fact) -> str | None:
    """The catch-up round."""
    match fact:
        case CatchUpOpened(seat, tab):
            return f"Catch-up sale: {seat_name(seat)} may keep more than 40% of {dollars(tab)}."
        case CatchUpTried(seat, number, dice, total, hit, percent):
            result = "a hit" if hit else "missed"
            return (
                f"{seat_name(seat)} needs a {number} and rolls {dice[0]} + {dice[1]} = {total}: {result}, {percent}%."
            )
        case CatchUpStopped(seat, percent):
            return f"{seat_name(seat)} stops and keeps {percent}%."
        case _:
            return None


# -- rounds -------------------------------------------------------------------------------------------------------


def tell_round(fact: Fact) -> str | None:
    """Beginnings and ends."""
    match fact:
        case GameCreated(options) if options.memory_aid == "off":
            return NO_MEMORY_NOTE
        case PositionSet():
            return f"The match starts from a set position in round {fact.round}."
        case RoundBegan(number):
            return f"Round {number} begins."
        case ChefsLaidOut():
            return "The thirty chef cards are shuffled and laid out face down."
        case OrderRolledOff(rolls, chooser):
            thrown = ", ".join(f"{first} against {second}" for first, second in rolls)
            because = f"The roll-off: {thrown}." if rolls else f"{seat_name(chooser)} is behind."
            return f"{because} {seat_name(chooser)} chooses who begins."
        case RoundScored():
            lines = [f"{seat_name(seat)} keeps {fact.percents[seat]}%, {dollars(fact.kept[seat])}" for seat in (0, 1)]
            return f"Round {fact.round}: {'; '.join(lines)}. Score: {both_amounts(fact.scores)}."
        case SeatResigned(seat):
            return f"{seat_name(seat)} resigns."
        case GameEnded():
            return describe_winner(fact)
        case _:
            return None


def both_amounts(amounts: tuple[int, int]) -> str:
    """Money of both bakeries."""
    return ", ".join(f"{seat_name(seat)} {dollars(amount)}" for seat, amount in enumerate(amounts))


def describe_winner(fact: GameEnded) -> str:
    """Who won, and by what."""
    if fact.winner is None:
        return f"The game ends in a draw: {both_amounts(fact.scores)}."
    why = {"tiebreak": " on rounds won", "resignation": " by resignation"}.get(fact.reason, "")
    return f"{seat_name(fact.winner)} wins the Battle of the Bakeries{why}: {both_amounts(fact.scores)}."
