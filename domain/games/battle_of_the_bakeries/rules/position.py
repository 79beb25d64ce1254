"""Position documents (rules, section 15), which start a match from a custom position: defaults and validation."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from domain.games.battle_of_the_bakeries.rules.components import CAKE_CARDS, STALE_CARDS
from domain.games.battle_of_the_bakeries.rules.facts import PositionSet
from domain.games.battle_of_the_bakeries.rules.moves import Options, Slot
from domain.games.battle_of_the_bakeries.rules.moves import Position as BoardPosition
from domain.games.battle_of_the_bakeries.rules.parts import (
    BONUS_STEP,
    CARDS,
    MAX_FLIPS,
    MAX_STALE,
    MAX_TURNS_OWED,
    SALES_TO_WIN,
    SEATS,
    SLOT_KEYS,
    Cake,
    Card,
    Pair,
    Phase,
    SeatNumber,
    SlotKey,
    Step,
    T,
    opponent_of,
)
from domain.games.battle_of_the_bakeries.rules.scoring import HIT_PERCENT, LOSER_PERCENT, sale_amount
from domain.games.battle_of_the_bakeries.rules.sets import allowed_sets_after
from domain.kernel.position import PositionReader, value_or_default

MAX_NUMBER = 1_000_000_000

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]
Flips = Annotated[int, msgspec.Meta(ge=1, le=MAX_FLIPS)]
Multiplier = Annotated[int, msgspec.Meta(ge=1, le=6)]
Positions = tuple[BoardPosition, ...]
Cakes = dict[SlotKey, Cake | None]
StaleCounts = dict[SlotKey, Annotated[int, msgspec.Meta(ge=0, le=MAX_STALE)]]

STEPS: dict[Phase, tuple[Step | None, ...]] = {
    "order": (None,),
    "hire": ("start", "five", "flip", "attempt"),
    "last_chance": (None,),
    "stock": (None,),
    "sale": ("roll", "stale"),
    "catch_up": (None,),
}
"""The phases that a position can have, with their steps, default first (section 4)."""

STANDARD_CASES: Pair[tuple[Cake, ...]] = (
    (
        "lemon_cake", "sheet_cake", "bundt_cake", "cinnamon_coffee_cake", "german_chocolate_cake", "wedding_cake",
        "bundt_cake", "lemon_cake", "black_forest_cake", "pineapple_upside_down_cake", "mississippi_mud_cake",
    ),
    (
        "birthday_cake", "boston_cream_pie", "lemon_cake", "lemon_cake", "sheet_cake", "lemon_cake",
        "sheet_cake", "bundt_cake", "german_chocolate_cake", "wedding_cake", "lemon_cake",
    ),
)  # fmt: skip
"""The standard cases, slots 2 to 12."""


NO_CAKE_MAP: Cakes = {}
NO_STALE_COUNTS: StaleCounts = {}


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a position document. Missing or null fields get their defaults."""

    options: Options | None = None
    round: Annotated[int, msgspec.Meta(ge=1, le=3)] | None = None
    scores: Pair[Count] | None = None
    rounds_won: Pair[Count] | None = None
    phase: Phase | None = None
    step: Step | None = None
    actor: SeatNumber | None = None
    starter: SeatNumber | None = None
    finder: SeatNumber | None = None
    multipliers: Pair[Multiplier] | None = None
    layout: tuple[Card, ...] | None = None
    empty: Positions | None = None
    face_up: Positions | None = None
    shown: Positions | None = None
    open_faces: Pair[Positions] | None = None
    turns_done: Count | None = None
    turn: Count | None = None
    fives: Count | None = None
    skips: Pair[Count] | None = None
    bonus_offer: Count | None = None
    flips_min: Flips | None = None
    flips_max: Flips | None = None
    allowed: tuple[Multiplier, ...] | None = None
    cases: Pair[Cakes] | None = None
    drawn: Cake | None = None
    stale: Pair[StaleCounts] | None = None
    stale_left: Count | None = None
    sold: Pair[tuple[Slot, ...]] | None = None
    tabs: Pair[Count] | None = None
    rolls: Count | None = None
    tries: Count | None = None
    percent: Literal[40, 60, 80] | None = None


POSITION = PositionReader(Document, "the Battle of the Bakeries", rule="15", noun="fields")
bad_position = POSITION.refusal


def read_position(options: Options, raw: Mapping[str, Any]) -> PositionSet:
    """Return the position of a document with all defaults. Raise BadOptions for an invalid one (section 15)."""
    document = POSITION.read(raw)
    chosen = POSITION.merge_options(options, document.options or Options())
    phase = document.phase or "hire"
    if phase not in STEPS:
        raise bad_position(f"A position can't start in phase {phase}. Use one of {', '.join(STEPS)}.")
    step = document.step or STEPS[phase][0]
    if step not in STEPS[phase]:
        raise bad_position(f"Phase {phase} has no step {step}.")
    position = fill_defaults(document, chosen.resolved(), phase, step)
    check(position)
    return position


# -- defaults -----------------------------------------------------------------------------------------------------


def fill_defaults(document: Document, options: Options, phase: Phase, step: Step | None) -> PositionSet:
    """Return the document with the defaults of section 15. Fields of other phases and steps are null."""
    turns_done = document.turns_done or 0
    fives = value_or_default(document.fives, int(step == "five"))
    face_up = document.face_up or ()
    empty = sorted_unique(document.empty or ())
    shown = sorted_unique(value_or_default(document.shown, face_up))
    on_board = tuple(position for position in shown if position not in empty)
    first_open, second_open = value_or_default(document.open_faces, (on_board, on_board))
    multipliers = document.multipliers or (1, 1)
    bounds = {"five": (2, 2), "flip": (1, 4)}.get(step or "", (None, None))
    selling = phase in ("sale", "catch_up")
    cases = read_cases(document, phase)
    stale = fill_slots(document.stale or (NO_STALE_COUNTS, NO_STALE_COUNTS), 0) if selling or document.stale else None
    sold = value_or_default(document.sold, ((), ()) if selling else None)
    return PositionSet(
        options=options,
        round=value_or_default(document.round, 1),
        scores=document.scores or (0, 0),
        rounds_won=document.rounds_won or (0, 0),
        phase=phase,
        step=step,
        actor=value_or_default(document.actor, 0),
        starter=value_or_default(document.starter, None if phase == "order" else 0),
        finder=document.finder,
        multipliers=multipliers,
        layout=value_or_default(document.layout, CARDS),
        empty=empty,
        face_up=face_up,
        shown=shown,
        open_faces=(sorted_unique(first_open), sorted_unique(second_open)),
        turns_done=turns_done,
        turn=value_or_default(document.turn, 0 if phase == "order" else turns_done + 1),
        fives=fives,
        skips=document.skips or (0, 0),
        bonus_offer=value_or_default(document.bonus_offer, BONUS_STEP * (fives + 1) if step == "five" else None),
        flips_min=value_or_default(document.flips_min, bounds[0]),
        flips_max=value_or_default(document.flips_max, bounds[1]),
        allowed=value_or_default(document.allowed, default_allowed(document, options, phase)),
        cases=cases,
        drawn=document.drawn,
        stale=stale,
        stale_left=value_or_default(document.stale_left, stale_cards_left(stale) if selling else None),
        sold=sold,
        tabs=value_or_default(document.tabs, default_tabs(multipliers, cases, stale, sold) if selling else None),
        rolls=value_or_default(document.rolls, 0 if selling else None),
        tries=value_or_default(document.tries, 0 if phase == "catch_up" else None),
        percent=value_or_default(document.percent, default_percent(document) if phase == "catch_up" else None),
    )


def sorted_unique(positions: tuple[int, ...]) -> tuple[int, ...]:
    """Return the distinct positions in ascending order."""
    return tuple(sorted(set(positions)))


def default_allowed(document: Document, options: Options, phase: Phase) -> tuple[int, ...] | None:
    """Return the sets allowed by the finder's multiplier (L1), or None outside the last chance."""
    if phase != "last_chance" or document.finder is None:
        return None
    return allowed_sets_after((document.multipliers or (1, 1))[document.finder], options)


def read_cases(document: Document, phase: Phase) -> Pair[dict[SlotKey, Cake | None]] | None:
    """Return both cases with all slots. The default is empty cases in `stock`, the standard ones in a sale."""
    if document.cases is not None:
        return fill_slots(document.cases, None)
    if phase == "stock":
        return fill_slots((NO_CAKE_MAP, NO_CAKE_MAP), None)
    if phase not in ("sale", "catch_up"):
        return None
    first, second = (dict[SlotKey, Cake | None](zip(SLOT_KEYS, cakes, strict=True)) for cakes in STANDARD_CASES)
    return first, second


def fill_slots(maps: Pair[dict[SlotKey, T]], missing: T) -> Pair[dict[SlotKey, T]]:
    """Return two maps with all eleven slots, ascending."""
    first, second = ({key: by_slot.get(key, missing) for key in SLOT_KEYS} for by_slot in maps)
    return first, second


def stale_cards_left(stale: Pair[dict[SlotKey, int]] | None) -> int:
    """Return the number of stale cards that are not on cakes."""
    return STALE_CARDS.copies - sum(sum(by_slot.values()) for by_slot in stale or ())


def default_tabs(
    multipliers: Pair[int],
    cases: Pair[dict[SlotKey, Cake | None]] | None,
    stale: Pair[dict[SlotKey, int]] | None,
    sold: Pair[tuple[int, ...]] | None,
) -> Pair[int]:
    """Return the tabs for the cakes sold, using the given stale cards (section 8)."""
    if cases is None or stale is None or sold is None:
        return 0, 0
    first, second = (
        sum(
            sale_amount(multipliers[seat], slot, cake, stale[seat][SLOT_KEYS[slot - 2]])
            for slot in sold[seat]
            if (cake := cases[seat][SLOT_KEYS[slot - 2]])
        )
        for seat in SEATS
    )
    return first, second


def default_percent(document: Document) -> int:
    """Return 40, or 60 after a try, which must have been a hit (U2)."""
    return HIT_PERCENT[1] if document.tries else LOSER_PERCENT


# -- validation ---------------------------------------------------------------------------------------------------


def check(position: PositionSet) -> None:
    """Raise BadOptions for fields that don't fit together (section 15)."""
    if position.round > position.options.rounds:
        raise bad_position(f"The position is in round {position.round}, but rounds is {position.options.rounds}.")
    check_board(position)
    check_turns(position)
    check_cakes(position)
    if position.phase == "stock":
        check_stock(position)
    if position.phase in ("sale", "catch_up"):
        check_sale(position)
    if (position.tries or 0) > 1:
        raise bad_position("tries must be 0 or 1, because the second try ends the catch-up round.")


def check_board(position: PositionSet) -> None:
    """Check the layout, the face-up cards and the finder of a last chance. Raise BadOptions."""
    if Counter(position.layout) != Counter(CARDS):
        raise bad_position("layout must list each of the 30 Hire a Chef cards exactly once.")
    if len(set(position.face_up)) != len(position.face_up):
        raise bad_position("face_up lists a position twice.")
    if gone := sorted(set(position.face_up) & set(position.empty)):
        raise bad_position(f"face_up lists positions that are empty: {', '.join(map(str, gone))}.")
    if position.phase != "last_chance":
        return
    if position.finder is None or position.multipliers[position.finder] < 3:
        raise bad_position("A last chance needs a finder with a multiplier of 3 to 6.")


def check_turns(position: PositionSet) -> None:
    """Check the lost turns and the allowed sets. Raise BadOptions."""
    for seat, owed in enumerate(position.skips):
        if owed > MAX_TURNS_OWED:
            raise bad_position(
                f"skips is {owed} for seat {seat}. It must be 0 or {MAX_TURNS_OWED}, "
                "because a seat loses its turn for a failed hire before it can fail again."
            )
    if len(set(position.allowed or ())) != len(position.allowed or ()):
        raise bad_position("allowed lists a multiplier twice.")


def check_cakes(position: PositionSet) -> None:
    """Check that no cake is used more often than it exists. Raise BadOptions."""
    laid = Counter(cake for by_slot in position.cases or () for cake in by_slot.values() if cake)
    if position.drawn:
        laid[position.drawn] += 1
    for cake, count in laid.items():
        if count > CAKE_CARDS[cake].copies:
            raise bad_position(f"The position uses {count} of {cake}, but there are only {CAKE_CARDS[cake].copies}.")


def check_stock(position: PositionSet) -> None:
    """Check that there is a drawn cake and an empty slot. Raise BadOptions."""
    if position.drawn is None:
        raise bad_position("Phase stock needs a value for drawn, the cake to place.")
    if all(cake for by_slot in position.cases or () for cake in by_slot.values()):
        raise bad_position("All 22 slots hold a cake, so phase stock is over.")


def check_sale(position: PositionSet) -> None:
    """Check the cases, the stale cards and the cakes sold. Raise BadOptions."""
    assert position.sold is not None
    for seat, by_slot in enumerate(position.cases or ()):
        if missing := [key for key, cake in by_slot.items() if cake is None]:
            raise bad_position(f"Case {seat} has no cake in slot {', '.join(missing)}. In a sale every slot needs one.")
    if (position.stale_left or 0) < 0:
        raise bad_position(f"More stale cards are on cakes than the {STALE_CARDS.copies} in the game.")
    winner = opponent_of(position.actor) if position.phase == "catch_up" else None
    for seat, slots in enumerate(position.sold):
        most = SALES_TO_WIN if seat == winner else SALES_TO_WIN - 1
        if len(set(slots)) != len(slots):
            raise bad_position(f"sold lists a slot of seat {seat} twice.")
        if len(slots) > most:
            raise bad_position(f"Seat {seat} has sold {len(slots)} cakes. In this position the maximum is {most}.")
    if position.step == "stale":
        check_stale_step(position)


def check_stale_step(position: PositionSet) -> None:
    """Check that there is a stale card to place and a cake that can take it. Raise BadOptions."""
    assert position.sold is not None
    assert position.stale is not None
    against = opponent_of(position.actor)
    if not position.stale_left:
        raise bad_position("Step stale needs a stale card, but stale_left is 0.")
    counts = position.stale[against]
    if not any(counts[key] < MAX_STALE and slot not in position.sold[against] for slot, key in enumerate(SLOT_KEYS, 2)):
        raise bad_position(f"Step stale needs an unsold cake of seat {against} with fewer than four stale cards.")
