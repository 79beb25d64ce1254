"""The evaluation of moves (rules, section 14): one move ahead, in Pie points, from the seat's own view."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from domain.games.pie_contest.rules.achievements import is_fulfilled
from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE, Call
from domain.games.pie_contest.rules.components import FACES, INGREDIENTS, SALT, Action, matches_filter
from domain.games.pie_contest.rules.model import Baker, SeenQuestion, State, View
from domain.games.pie_contest.rules.moves import Dive, Move, Pass, PlayCard
from domain.games.pie_contest.rules.option_keys import Numbers, key_numbers
from domain.games.pie_contest.rules.parts import (
    GRAND_PIES_TO_END,
    MIN_TO_BAKE,
    PIES_TO_END,
    STALE_LOSS,
    Cards,
    visible_cards,
)
from domain.games.pie_contest.rules.pie_values import can_bake, count_salts, freshness, pie_value
from domain.kernel.chance import Chance
from domain.kernel.game import Seat
from domain.kernel.values import Value

NO_PIE = -1000
WIN_VALUE, LOSS_VALUE = 50.0, -50.0
"""The value of a Bake that ends the contest with a win or a loss."""
STOPPED_BAKE_WEIGHT = 2.5
"""The value of keeping a rival from Baking by trashing its only Salt or giving it a second one."""
KEPT_WEIGHT, TRASHED_WEIGHT = 1.3, 0.3
SHAKE_UP_WEIGHT = 0.2
MIN_CARD_VALUE = 0.2
"""The minimum value of a card in the hand."""


class Weights(Value, frozen=True):
    """The weights of a player, in Pie points. The defaults are those of the greedy player."""

    good: tuple[int, ...] = (9, 9, 9)
    """The lowest value of a Pie worth baking as the first, second, and third or later Pie."""
    full: tuple[int, ...] = (9, 9, 9)
    """The same with a full Kitchen."""
    bake: float = 2.0
    """The value of baking a Pie that is just good enough. A play that adds more is preferred."""
    bake_card: float = 8.0
    spare_bake: float = 1.5
    """The value of the only Bake card in the hand, and of any other one."""
    first_salt: float = 4.0
    ready_salt: float = 2.0
    second_salt: float = -8.0
    """The value of Salt in the Kitchen: the first, the bonus with two other Ingredients, and each additional one."""
    last_slot: float = -50.0
    """The value of filling the last place of a Kitchen that has no Salt, which is hard to undo."""
    achieved: float = 2.5
    drawn: float = 1.0
    rival: float = 0.4
    """The share of a rival's gain that counts as a loss. Its Salt is left out of the gain, because bots that take each
    other's Salt in every swap hardly ever get to Bake."""
    more_plays: float = 1.2
    stolen: float = 1.0
    salvaged: float = 1.0
    in_hand: float = 0.7
    """The value of a card in the hand relative to the same card played."""


class MoveEvaluator:
    """Evaluates the moves of one seat from its view."""

    def __init__(self, view: View, seat: Seat, weights: Weights) -> None:
        self.view = view
        self.seat = seat
        self.weights = weights
        self.me = view.seats[seat]
        self.hand = visible_cards(self.me.hand)
        self.kitchen = self.me.kitchen
        self.rivals = [n for n, baker in enumerate(view.seats) if n != seat and not baker.out]

    # -- moves ----------------------------------------------------------------------------------------------------

    def moves_to_weigh(self, legal: Iterable[Move], chance: Chance) -> Iterator[Move]:
        """Yield every play, a dive for a missing card if possible, and passing."""
        for move in legal:
            if isinstance(move, PlayCard):
                yield move
            else:
                if isinstance(move, Dive):
                    yield from self.dives(chance)
                break
        yield Pass()

    def dives(self, chance: Chance) -> Iterator[Dive]:
        """Yield a dive that pays with the least useful cards for a missing Bake or Salt, if it is in the Trash."""
        missing = [card for card in self.view.trash if self.is_missing(card)]
        if missing:
            best = max(missing, key=lambda card: (self.take_worth(card), -card))
            yield Dive(tuple(sorted(self.least_useful(2, chance))), best)

    def weigh(self, move: Move) -> float:
        """Return the value of a move."""
        match move:
            case PlayCard(card):
                return self.play_worth(card)
            case Dive(trash, take):
                return self.take_worth(take) - sum(self.keep_worth(card) for card in trash)
            case _:
                return 0.0

    def play_worth(self, card: int) -> float:
        """Return the value of playing an Ingredient (Kitchen, Achievements, effects) or an Action (effects)."""
        face = FACES[card]
        if isinstance(face, Action):
            return self.effects_worth(face.do, card)
        achieved = self.weights.achieved * self.count_new_achievements((*self.kitchen, card))
        return self.arrival_worth(card) + achieved + self.effects_worth(face.on_play, card)

    # -- the Kitchen ----------------------------------------------------------------------------------------------

    def kitchen_potential(self, kitchen: Cards) -> float:
        """Return the value of a Kitchen: its value as a Pie, plus that of its Salt."""
        count = count_salts(kitchen)
        if count == 0:
            return float(pie_value(kitchen))
        ready = self.weights.ready_salt if can_bake(kitchen) else 0.0
        return pie_value(kitchen) + self.weights.first_salt + ready + self.weights.second_salt * (count - 1)

    def kitchen_gain(self, before: Cards, after: Cards) -> float:
        """Return the value of a Kitchen change to its owner."""
        return self.kitchen_potential(after) - self.kitchen_potential(before)

    def arrival_worth(self, card: int) -> float:
        """Return the value of adding an Ingredient to the seat's Kitchen. The last place is kept for Salt."""
        after = (*self.kitchen, card)
        last = self.weights.last_slot if len(after) == KITCHEN_SIZE and not count_salts(after) else 0.0
        return self.kitchen_gain(self.kitchen, after) + last

    def count_new_achievements(self, kitchen: Cards) -> int:
        """Return the number of Achievements fulfilled with this Kitchen."""
        hand = (0,) * (len(self.hand) - 1)
        table = State(seats=(Baker(hand, kitchen, self.me.pies),), row=self.view.row, locked=self.view.locked)
        return sum(is_fulfilled(table, 0, slot) for slot in range(len(self.view.row)))

    def rival_kitchen(self, card: int) -> Cards:
        """Return the Kitchen that holds a card, empty if there is none."""
        return next((baker.kitchen for baker in self.view.seats if card in baker.kitchen), ())

    # -- baking ---------------------------------------------------------------------------------------------------

    @cached_property
    def bake_worth(self) -> float:
        """Return the value of Baking now (B1 to B6): a win, a loss, or a Pie. If too early, it wastes the Bake card."""
        if not can_bake(self.kitchen):
            return -self.weights.bake_card
        value = pie_value(self.kitchen)
        if self.ends_with_my_bake:
            return (
                WIN_VALUE
                if self.best_pie_after(value) >= max(map(self.rival_best_pie_after, self.rivals))
                else LOSS_VALUE
            )
        return value - self.min_good_pie + self.weights.bake if value >= self.min_good_pie else -self.weights.bake_card

    @property
    def min_good_pie(self) -> int:
        """Return the lowest value at which the Kitchen is worth baking."""
        values = self.weights.full if len(self.kitchen) == KITCHEN_SIZE else self.weights.good
        return values[min(len(self.me.pies), len(values) - 1)]

    def best_pie_after(self, value: int) -> int:
        """Return the seat's best Pie after baking one of this value. The Grand Contest uses it too, so that it ends."""
        return max(value, *(pie.value for pie in self.me.pies), NO_PIE)

    def rival_best_pie_after(self, seat: Seat) -> int:
        """Return a rival's best Pie after the seat's Bake, or NO_PIE if it has none."""
        baker = self.view.seats[seat]
        loss = max(0, STALE_LOSS - freshness(baker.kitchen))
        return max((pie.value - loss for pie in baker.pies), default=NO_PIE)

    @cached_property
    def ends_with_my_bake(self) -> bool:
        """Return whether a Bake by this seat would end the contest (V1, V2)."""
        baked = [len(self.me.pies) + 1, *(len(self.view.seats[seat].pies) for seat in self.rivals)]
        if self.view.options.variant == "grand":
            return min(baked) >= GRAND_PIES_TO_END
        return baked[0] >= PIES_TO_END or min(baked) >= (self.view.options.pies_for_all or 1)

    # -- effects --------------------------------------------------------------------------------------------------

    def effects_worth(self, steps: tuple[Call, ...], card: int) -> float:
        """Return the total value of a card's steps."""
        return sum(self.effect_worth(call, card) for call in steps)

    def effect_worth(self, call: Call, card: int) -> float:  # noqa: PLR0912 -- one case per op
        """Return the value of one step."""
        match call.name, call.args:
            case "bake", ("all",):
                return self.bake_worth - sum(self.weights.rival * STALE_LOSS for n in self.rivals if self.is_ready(n))
            case "bake", ("may",):
                return max(0.0, self.bake_worth)
            case "bake", _:
                return self.bake_worth
            case "draw", (_, int(n)):
                return self.weights.drawn * n
            case "extra_play", (int(n),):
                return self.weights.more_plays * min(n, self.count_good_plays(card))
            case "swap", _:
                return max(map(self.swap_worth, self.swaps), default=0.0)
            case "steal_ing", (str(filter_name),) if len(self.kitchen) < KITCHEN_SIZE:
                return max(map(self.steal_worth, self.open_rival_cards(filter_name)), default=0.0)
            case "trash_ing", ("others", str(filter_name)):
                return max(map(self.raid_worth, self.open_rival_cards(filter_name)), default=0.0)
            case "trash_ing", (_, str(filter_name)):
                return max(
                    (self.drop_worth(own) for own in self.kitchen if matches_filter(own, filter_name)), default=0.0
                )
            case "give_ing", (str(filter_name),):
                return max((self.gift_worth(own, n) for own, n in self.gifts(filter_name)), default=0.0)
            case "salvage", (str(filter_name),):
                return max((self.salvage_worth(other) for other in self.matching_trash(filter_name)), default=0.0)
            case "stock", (str(filter_name),) if len(self.kitchen) < KITCHEN_SIZE:
                return max(map(self.arrival_worth, self.matching_trash(filter_name)), default=0.0)
            case "search", _:
                return KEPT_WEIGHT
            case "steal_card", (int(n),):
                return self.weights.stolen * n
            case "trash_hand", (_, int(n)):
                return TRASHED_WEIGHT * n * len(self.rivals)
            case "pie", (str(whose), int(k)):
                return self.pie_worth(whose, k)
            case _:
                return SHAKE_UP_WEIGHT

    def matching_trash(self, filter_name: str) -> list[int]:
        """Return the matching cards in the Trash."""
        return [card for card in self.view.trash if matches_filter(card, filter_name)]

    def salvage_worth(self, card: int) -> float:
        """Return the value of salvaging a card. Actions have a fixed value to avoid endless recursion."""
        return (
            self.weights.salvaged
            if isinstance(FACES[card], Action) and not is_bake_card(card)
            else self.take_worth(card)
        )

    def count_good_plays(self, besides: int) -> int:
        """Return how many other Ingredients in the hand would improve the Kitchen."""
        room = KITCHEN_SIZE - len(self.kitchen)
        others = (card for card in self.hand if card != besides and card in INGREDIENTS)
        return min(room, sum(self.arrival_worth(card) > 1 for card in others))

    def is_ready(self, seat: Seat) -> bool:
        """Return whether a seat's Kitchen can be Baked."""
        return can_bake(self.view.seats[seat].kitchen)

    def pie_worth(self, whose: str, k: int) -> float:
        """Return the value of changing the seat's best Pie, a rival's Pie, or all rivals' Pies."""
        if whose == "self":
            return self.weights.in_hand * k if self.me.pies else -MIN_CARD_VALUE
        if whose == "other":
            return -self.weights.rival * k if any(self.view.seats[n].pies for n in self.rivals) else -MIN_CARD_VALUE
        return -self.weights.rival * k * sum(bool(self.view.seats[n].pies) for n in self.rivals)

    # -- other Kitchens ------------------------------------------------------------------------------------------

    def open_rival_cards(self, filter_name: str) -> list[int]:
        """Return the rivals' matching unguarded Ingredients."""
        cards = (card for n in self.rivals for card in self.view.seats[n].kitchen)
        return [card for card in cards if matches_filter(card, filter_name) and not INGREDIENTS[card].guard]

    @property
    def swaps(self) -> list[Numbers]:
        """Return all possible swaps."""
        return [(mine, other) for mine in self.kitchen for other in self.open_rival_cards("any")]

    def swap_worth(self, pair: Numbers) -> float:
        """Return the value of a swap."""
        mine, other = pair
        theirs = self.rival_kitchen(other)
        own = self.kitchen_gain(self.kitchen, exchange_card(self.kitchen, mine, other))
        return own - self.weights.rival * value_gain(theirs, exchange_card(theirs, other, mine))

    def steal_worth(self, card: int) -> float:
        """Return the value of stealing an Ingredient."""
        theirs = self.rival_kitchen(card)
        return self.arrival_worth(card) - self.weights.rival * value_gain(theirs, remove_card(theirs, card))

    def raid_worth(self, card: int) -> float:
        """Return the value of trashing a rival's Ingredient."""
        theirs = self.rival_kitchen(card)
        return self.rival_loss(theirs, remove_card(theirs, card))

    def drop_worth(self, card: int) -> float:
        """Return the value of trashing one of the seat's Ingredients."""
        return self.kitchen_gain(self.kitchen, remove_card(self.kitchen, card))

    def gifts(self, filter_name: str) -> list[Numbers]:
        """Return all possible gifts: the seat's matching Ingredients, each with every rival that has room."""
        receivers = [n for n in self.rivals if len(self.view.seats[n].kitchen) < KITCHEN_SIZE]
        return [(card, n) for card in self.kitchen if matches_filter(card, filter_name) for n in receivers]

    def gift_worth(self, card: int, seat: Seat) -> float:
        """Return the value of giving an Ingredient to a rival."""
        theirs = self.view.seats[seat].kitchen
        return self.drop_worth(card) + self.rival_loss(theirs, (*theirs, card))

    # -- cards in the hand ----------------------------------------------------------------------------------------

    def take_worth(self, card: int) -> float:
        """Return the value of a card in the hand. A missing Bake or Salt is worth most."""
        face = FACES[card]
        if is_bake_card(card):
            return self.weights.bake_card if self.is_missing(card) else self.weights.spare_bake
        if isinstance(face, Action):
            return self.weights.in_hand * max(self.effects_worth(face.do, card), MIN_CARD_VALUE)
        if matches_filter(card, SALT):
            return self.weights.first_salt + self.weights.ready_salt if self.is_missing(card) else MIN_CARD_VALUE
        if len(self.kitchen) == KITCHEN_SIZE:
            return max(MIN_CARD_VALUE, self.weights.in_hand * face.worth / 2)
        return max(MIN_CARD_VALUE, self.weights.in_hand * self.arrival_worth(card))

    def keep_worth(self, card: int) -> float:
        """Return the cost of losing a card from the hand."""
        return self.take_worth(card)

    def is_missing(self, card: int) -> bool:
        """Return whether a card is the only Bake, or the only Salt in Kitchen and hand."""
        if is_bake_card(card):
            return not self.has_other_in_hand(card, "bake")
        return matches_filter(card, SALT) and not count_salts(self.kitchen) and not self.has_other_in_hand(card, SALT)

    def has_other_in_hand(self, card: int, what: str) -> bool:
        """Return whether the hand has another Bake or another Salt."""
        others = (other for other in self.hand if other != card)
        return any(is_bake_card(other) if what == "bake" else matches_filter(other, what) for other in others)

    def least_useful(self, count: int, chance: Chance) -> list[int]:
        """Return this many of the least useful cards in the hand."""
        return sorted(chance.shuffle(self.hand), key=self.keep_worth)[:count]

    # -- choices --------------------------------------------------------------------------------------------------

    def picks(self, question: SeenQuestion, chance: Chance) -> tuple[str, ...]:
        """Return the best options of a choice, in their original order."""
        options = question.options if isinstance(question.options, tuple) else ()
        ranked = sorted(chance.shuffle(options), key=lambda key: -self.option_worth(question, key))
        chosen = ranked[: question.count]
        return tuple(option for option in options if option in chosen)

    def option_worth(self, question: SeenQuestion, key: str) -> float:  # noqa: PLR0912 -- one case per kind
        """Return the value of an option."""
        numbers = key_numbers(key)
        match question.kind:
            case "may_bake":
                return self.bake_worth if key == "yes" else 0.0
            case "swap":
                return self.swap_worth(numbers)
            case "steal_ing":
                return self.steal_worth(numbers[0])
            case "trash_ing" if numbers[0] in self.kitchen:
                return self.drop_worth(numbers[0])
            case "trash_ing":
                return self.raid_worth(numbers[0])
            case "give_ing":
                return self.gift_worth(*numbers)
            case "stock":
                return self.arrival_worth(numbers[0])
            case "take_back":
                return self.drop_worth(numbers[0]) + self.take_worth(numbers[0])
            case "salvage" | "search_keep":
                return self.take_worth(numbers[0])
            case "trash_hand" | "pass_hand":
                return -self.keep_worth(numbers[0])
            case "steal_card":
                return float(self.view.seats[numbers[0]].hand_count)
            case "pie":
                return self.target_worth(*numbers)
            case _:
                return 0.0

    def target_worth(self, seat: Seat, number: int) -> float:
        """Return the current value of a Pie, since the best Pie is the best target."""
        return float(self.view.seats[seat].pies[number - 1].value)

    # -- damage to rivals -----------------------------------------------------------------------------------------

    def rival_loss(self, before: Cards, after: Cards) -> float:
        """Return the value of damage to a rival's Kitchen, with a bonus if it can no longer Bake."""
        return (STOPPED_BAKE_WEIGHT if stops_bake(before, after) else 0.0) - self.weights.rival * value_gain(
            before, after
        )


def is_bake_card(card: int) -> bool:
    """Return whether playing a card leads to a Bake."""
    face = FACES[card]
    return any(call.name == "bake" for call in (face.do if isinstance(face, Action) else face.on_play))


def exchange_card(kitchen: Cards, leaves: int, comes: int) -> Cards:
    """Return a Kitchen with one card replaced by another."""
    return tuple(comes if card == leaves else card for card in kitchen)


def remove_card(kitchen: Cards, gone: int) -> Cards:
    """Return a Kitchen without a card."""
    return tuple(card for card in kitchen if card != gone)


def value_gain(before: Cards, after: Cards) -> int:
    """Return how much a change adds to a Kitchen's value as a Pie."""
    return pie_value(after) - pie_value(before)


def stops_bake(before: Cards, after: Cards) -> bool:
    """Return whether a Kitchen large enough to Bake loses its only Salt or gets a second one (B1)."""
    big = max(len(before), len(after)) >= MIN_TO_BAKE
    return big and count_salts(before) == 1 != count_salts(after)
