"""The greedy bot (rules, section 14). It uses only its current view."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from domain.games.battle_of_the_bakeries.rules.components import FACTORS, PRICES
from domain.games.battle_of_the_bakeries.rules.model import View
from domain.games.battle_of_the_bakeries.rules.moves import (
    DeclareHire,
    FlipCard,
    Move,
    PlaceCake,
    PlaceStale,
    RollDie,
    StopCatchUp,
    StopFlipping,
    TakeBonus,
    TryCatchUp,
)
from domain.games.battle_of_the_bakeries.rules.parts import (
    CARDS,
    POSITIONS,
    SET_SIZE,
    SETS,
    SLOT_KEYS,
    Cake,
    Card,
    opponent_of,
)
from domain.games.battle_of_the_bakeries.rules.scoring import GREAT_CHEF_SHARE, kept_amount
from domain.games.battle_of_the_bakeries.rules.sets import can_become_set, fits_set, is_chef, is_wild
from domain.kernel.chance import Chance
from domain.kernel.game import Seat
from domain.kernel.values import Value

MoveT = TypeVar("MoveT", bound=Move)
OUT_EARN_PERCENT = {5: 79, 4: 74, 6: 73, 3: 70, 2: 58}
"""Percentage of rounds in which the seat that first claims this set earns more than the other seat (12.3)."""
MIN_ATTEMPT_CHANCE = 1 / 3
"""Minimum chance for an attempt with unknown cards, which risks a lost turn."""
MIN_LAST_TURN_CHANCE = 1 / 10
"""Minimum chance in the last turn before the board closes, where failing is free (T2)."""
SALE_PERCENT = {2: 24, 3: 43, 4: 57, 5: 68, 6: 76, 7: 82, 8: 76, 9: 68, 10: 57, 11: 43, 12: 24}
"""Percentage of sales in which a slot is sold before the end (12.3)."""
DICE_WAYS = {slot: 6 - abs(7 - slot) for slot in SALE_PERCENT}
"""Number of ways out of 36 to roll each total."""


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the best move by the heuristics; ties are broken at random."""
    moves = list(legal)
    if len(moves) == 1:
        return moves[0]
    match view.phase:
        case "hire" if view.step == "start":
            return RollDie() if best_attempt(view) is None else DeclareHire()
        case "hire" | "last_chance":
            return choose_flip(view, seat, moves, chance)
        case "stock":
            return best_move(
                [m for m in moves if isinstance(m, PlaceCake)], lambda m: place_weight(view, seat, m), chance
            )
        case "sale":
            return best_move(
                [m for m in moves if isinstance(m, PlaceStale)], lambda m: stale_weight(view, seat, m), chance
            )
        case "catch_up":
            return TryCatchUp() if should_retry(view, seat) else StopCatchUp()
        case _:
            return chance.pick(moves)


def best_move(moves: Sequence[MoveT], weigh: Callable[[MoveT], float], chance: Chance) -> MoveT:
    """Return a move with the highest weight, chosen at random among equals."""
    weighed = [(weigh(move), move) for move in moves]
    top = max(weight for weight, _ in weighed)
    return chance.pick([move for weight, move in weighed if weight == top])


# -- phase one ------------------------------------------------------------------------------------------------------


class Plan(Value, frozen=True):
    """A plan to complete one set: known positions in order, the number of missing cards, and the chance."""

    multiplier: int
    positions: tuple[int, ...]
    missing: int
    chef_known: bool
    chance: float


def make_plan(view: View, multiplier: int, faces: dict[int, Card], pool: Sequence[Card]) -> Plan | None:
    """Return the plan for a set, or None if the face-up cards rule it out.

    `faces` and `pool` are the results of `known_faces` and `unseen_cards` for this view.
    """
    laid = [faces[position] for position in view.face_up or () if position in faces]
    if not can_become_set(laid, multiplier):
        return None
    fitting = [p for p in faces if p not in (view.face_up or ()) and fits_set(faces[p], multiplier)]
    chef = [position for position in fitting if is_chef(faces[position])]
    wilds = [position for position in fitting if is_wild(faces[position])]
    parts = [position for position in fitting if position not in chef and position not in wilds]
    chef_laid, wild_laid = any(map(is_chef, laid)), any(map(is_wild, laid))
    room = SET_SIZE - 1 - (len(laid) - chef_laid)
    chosen = (parts + ([] if wild_laid else wilds[:1]))[:room]
    wild_used = wild_laid or any(position in wilds for position in chosen)
    chef_known = chef_laid or bool(chef)
    missing = room - len(chosen) + (not chef_known)
    likely = chance_to_find(pool, multiplier, missing, chef_known, wild_used)
    return Plan(multiplier, (*chef, *chosen), missing, chef_known, likely)


def chance_to_find(pool: Sequence[Card], multiplier: int, missing: int, chef_known: bool, wild_used: bool) -> float:
    """Return the chance that the next unseen cards all fit, treating every fitting card as interchangeable."""
    if not missing:
        return 1.0
    fits = sum(
        fits_set(card, multiplier) and not (wild_used and is_wild(card)) and not (chef_known and is_chef(card))
        for card in pool
    )
    chance = 1.0
    for drawn in range(missing):
        chance *= max(0, fits - drawn) / max(1, len(pool) - drawn)
    return chance


def known_faces(view: View) -> dict[int, Card]:
    """Return the visible cards by position."""
    return {int(position): card for position, card in (view.faces or {}).items()}


def unseen_cards(view: View) -> list[Card]:
    """Return the cards that can be at unknown positions, without the finder's set (its wild is not excluded)."""
    seen = set((view.faces or {}).values())
    claimed = view.multipliers[view.finder] if view.finder is not None else None
    return [card for card in CARDS if card not in seen and not (claimed and card.endswith(f"_{claimed}"))]


def possible_plans(view: View) -> list[Plan]:
    """Return the plans for all sets that are allowed and still possible."""
    tried = view.allowed if view.phase == "last_chance" and view.allowed else SETS
    faces, pool = known_faces(view), unseen_cards(view)
    return [made for multiplier in tried if (made := make_plan(view, multiplier, faces, pool)) is not None]


def best_attempt(view: View) -> Plan | None:
    """Return the attempt to make now: the best fully known set, else a good gamble, else None."""
    choices = possible_plans(view)
    complete = [choice for choice in choices if not choice.missing]
    if complete:
        return max(complete, key=lambda choice: OUT_EARN_PERCENT[choice.multiplier])
    last_turn = (view.turns_done or 0) + 1 >= view.options.turn_limit
    worth = MIN_LAST_TURN_CHANCE if last_turn else MIN_ATTEMPT_CHANCE
    gambles = [choice for choice in choices if choice.chance >= worth]
    return max(gambles, key=lambda choice: choice.chance * OUT_EARN_PERCENT[choice.multiplier], default=None)


def choose_flip(view: View, seat: Seat, moves: list[Move], chance: Chance) -> Move:
    """Return the move for turning over cards: take money or stop if possible, else flip a card."""
    for move in moves:
        if isinstance(move, TakeBonus | StopFlipping):
            return move
    flips = {move.position: move for move in moves if isinstance(move, FlipCard)}
    if view.phase == "last_chance":
        return flip_for_plan(view, likeliest_plan(view), flips, chance)
    if view.step == "attempt":
        return flip_for_plan(view, best_attempt(view) or likeliest_plan(view), flips, chance)
    return flip_new_card(view, seat, flips, chance)


def likeliest_plan(view: View) -> Plan | None:
    """Return the plan with the highest chance, for the better set if several are equal. Known sets have chance 1."""
    return max(
        possible_plans(view), key=lambda choice: (choice.chance, OUT_EARN_PERCENT[choice.multiplier]), default=None
    )


def flip_for_plan(view: View, chosen: Plan | None, flips: dict[int, FlipCard], chance: Chance) -> Move:
    """Flip the chef, then uncertain cards, then known ones, so that a failure reveals least."""
    if chosen is None:
        return chance.pick(list(flips.values()))
    first_is_chef = bool(chosen.positions) and is_chef(known_faces(view)[chosen.positions[0]])
    if chosen.positions and (first_is_chef or not chosen.missing):
        return flips[chosen.positions[0]]
    return chance.pick(informative_flips(view, flips) or list(flips.values()))


def flip_new_card(view: View, seat: Seat, flips: dict[int, FlipCard], chance: Chance) -> Move:
    """Flip a new card, unless it could complete a set for the opponent, who moves next."""
    new, faces = informative_flips(view, flips), known_faces(view)
    old = [flip for position, flip in flips.items() if position in faces]
    if old and is_dangerous(view, seat):
        return chance.pick(old)
    return chance.pick(new or list(flips.values()))


def is_dangerous(view: View, seat: Seat) -> bool:
    """Return whether one more card can complete a set for an opponent who doesn't lose the next turn."""
    if view.skips and view.skips[opponent_of(seat)]:
        return False
    everything = msgspec.structs.replace(view, face_up=())
    return any(choice.missing == 1 and choice.chance > 0 for choice in possible_plans(everything))


def informative_flips(view: View, flips: dict[int, FlipCard]) -> list[FlipCard]:
    """Return flips of cards never turned over this round, or else of cards no longer visible."""
    shown, faces = view.shown or (), known_faces(view)
    fresh = [flips[position] for position in POSITIONS if position in flips and position not in shown]
    return fresh or [flip for position, flip in flips.items() if position not in faces]


# -- phases two and three -------------------------------------------------------------------------------------------


def place_weight(view: View, seat: Seat, move: PlaceCake) -> float:
    """Return the value of the cake in that slot above the average cake left, negative in the opponent's case."""
    store = view.store or {}
    left = sum(store.values())
    average = sum(PRICES[cake] * count for cake, count in store.items()) / left if left else 0
    price = PRICES[view.drawn] if view.drawn else 0
    worth = view.multipliers[move.case] * SALE_PERCENT[move.slot] * FACTORS[move.slot] * (price - average)
    return worth if move.case == seat else -worth


def stale_weight(view: View, seat: Seat, move: PlaceStale) -> float:
    """Return the expected loss to the opponent from a stale card there, up to a constant."""
    cake = view.cases[opponent_of(seat)][SLOT_KEYS[move.slot - 2]] if view.cases else None
    return FACTORS[move.slot] * DICE_WAYS[move.slot] * (PRICES[cake] if cake else 0)


def should_retry(view: View, seat: Seat) -> bool:
    """Return whether to try to keep more: always once, and again only in the last round if 80% wins and 60% doesn't."""
    if view.round < view.options.rounds or view.tabs is None:
        return not view.tries
    if not view.tries:
        return True
    against = view.scores[opponent_of(seat)] + view.tabs[opponent_of(seat)] + winner_bonus(view, opponent_of(seat))
    now, then = (view.scores[seat] + kept_amount(view.tabs[seat], percent) for percent in (60, 80))
    return now <= against < then


def winner_bonus(view: View, winner: Seat) -> int:
    """Return the Great Chef Bonus of the round's winner (R51, R52)."""
    if view.sold is None or view.cases is None or view.tabs is None:
        return 0
    names: set[Cake | None] = {view.cases[winner][SLOT_KEYS[slot - 2]] for slot in view.sold[winner]}
    return view.tabs[winner] // GREAT_CHEF_SHARE if len(names) == len(view.sold[winner]) == 7 else 0
