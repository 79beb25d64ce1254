"""Position documents (rules, section 15): a match that starts in the middle. Defaults, and what is refused."""

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
"""The phases that a position may have, and their steps, the default first (section 4)."""

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
    """The fields of a position document. One that is left out, or null, gets its default."""

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
    """The position of a document, all defaults filled in. Raises BadOptions for every refusal of section 15."""
    document = POSITION.read(raw)
    chosen = POSITION.merge_options(options, document.options or Options())
    phase = document.phase or "hire"
    if phase not in STEPS:
        raise bad_position(f"A position cannot start in the phase {phase}; it starts in one of {', '.join(STEPS)}.")
    step = document.step or STEPS[phase][0]
    if step not in STEPS[phase]:
        raise bad_position(f"The phase {phase} has no step {step}.")
    position = fill_defaults(document, chosen.resolved(), phase, step)
    check(position)
    return position


# -- defaults -----------------------------------------------------------------------------------------------------


def fill_defaults(document: Document, options: Options, phase: Phase, step: Step | None) -> PositionSet:
    """The document with the defaults of section 15; what belongs to other phases and steps is null."""
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
    """The positions in ascending order, each once."""
    return tuple(sorted(set(positions)))


def default_allowed(document: Document, options: Options, phase: Phase) -> tuple[int, ...] | None:
    """L1 by the finder's multiplier, in the last chance only."""
    if phase != "last_chance" or document.finder is None:
        return None
    return allowed_sets_after((document.multipliers or (1, 1))[document.finder], options)


def read_cases(document: Document, phase: Phase) -> Pair[dict[SlotKey, Cake | None]] | None:
    """The cases with all their slots: empty while they are stocked, the standard ones in a sale."""
    if document.cases is not None:
        return fill_slots(document.cases, None)
    if phase == "stock":
        return fill_slots((NO_CAKE_MAP, NO_CAKE_MAP), None)
    if phase not in ("sale", "catch_up"):
        return None
    first, second = (dict[SlotKey, Cake | None](zip(SLOT_KEYS, cakes, strict=True)) for cakes in STANDARD_CASES)
    return first, second


def fill_slots(maps: Pair[dict[SlotKey, T]], missing: T) -> Pair[dict[SlotKey, T]]:
    """Two maps by slot with all eleven slots, ascending."""
    first, second = ({key: by_slot.get(key, missing) for key in SLOT_KEYS} for by_slot in maps)
    return first, second


def stale_cards_left(stale: Pair[dict[SlotKey, int]] | None) -> int:
    """30 stale cards less those on cakes."""
    return STALE_CARDS.copies - sum(sum(by_slot.values()) for by_slot in stale or ())


def default_tabs(
    multipliers: Pair[int],
    cases: Pair[dict[SlotKey, Cake | None]] | None,
    stale: Pair[dict[SlotKey, int]] | None,
    sold: Pair[tuple[int, ...]] | None,
) -> Pair[int]:
    """The amounts of section 8 for what is sold, with the stale cards as given."""
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
    """40, or 60 after a try: had that missed, the round would be over (U2)."""
    return HIT_PERCENT[1] if document.tries else LOSER_PERCENT


# -- refusals -----------------------------------------------------------------------------------------------------


def check(position: PositionSet) -> None:
    """What section 15 refuses beyond single fields. Raises BadOptions."""
    if position.round > position.options.rounds:
        raise bad_position(f"Round {position.round} is beyond the {position.options.rounds} of this game.")
    check_board(position)
    check_turns(position)
    check_cakes(position)
    if position.phase == "stock":
        check_stock(position)
    if position.phase in ("sale", "catch_up"):
        check_sale(position)
    if (position.tries or 0) > 1:
        raise bad_position("tries is 0 or 1: after the second try the catch-up round is over.")


def check_board(position: PositionSet) -> None:
    """The layout, the cards face up, and the finder of a last chance. Raises BadOptions."""
    if Counter(position.layout) != Counter(CARDS):
        raise bad_position("layout must list each of the 30 Hire a Chef cards once.")
    if len(set(position.face_up)) != len(position.face_up):
        raise bad_position("face_up lists a position twice.")
    if gone := sorted(set(position.face_up) & set(position.empty)):
        raise bad_position(f"face_up lists positions that are empty: {', '.join(map(str, gone))}.")
    if position.phase != "last_chance":
        return
    if position.finder is None or position.multipliers[position.finder] < 3:
        raise bad_position("A last chance needs a finder with a multiplier of 3 to 6.")


def check_turns(position: PositionSet) -> None:
    """The turns to sit out, which end of turn pays one by one, and the sets to look for. Raises BadOptions."""
    for seat, owed in enumerate(position.skips):
        if owed > MAX_TURNS_OWED:
            raise bad_position(
                f"skips says that seat {seat} owes {owed} turns; it is 0 or {MAX_TURNS_OWED}, "
                "since who has failed a hire "
                "loses a turn before it can fail another (H10)."
            )
    if len(set(position.allowed or ())) != len(position.allowed or ()):
        raise bad_position("allowed lists a multiplier twice.")


def check_cakes(position: PositionSet) -> None:
    """No more of a cake than there are. Raises BadOptions."""
    laid = Counter(cake for by_slot in position.cases or () for cake in by_slot.values() if cake)
    if position.drawn:
        laid[position.drawn] += 1
    for cake, count in laid.items():
        if count > CAKE_CARDS[cake].copies:
            raise bad_position(f"{count} of {cake} are laid or drawn; there are {CAKE_CARDS[cake].copies}.")


def check_stock(position: PositionSet) -> None:
    """A drawn cake, and room for it. Raises BadOptions."""
    if position.drawn is None:
        raise bad_position("In the phase stock `drawn` names the cake to place.")
    if all(cake for by_slot in position.cases or () for cake in by_slot.values()):
        raise bad_position("All 22 cakes are laid: the phase stock is over then.")


def check_sale(position: PositionSet) -> None:
    """Full cases, stale cards, cakes sold. Raises BadOptions."""
    assert position.sold is not None
    for seat, by_slot in enumerate(position.cases or ()):
        if missing := [key for key, cake in by_slot.items() if cake is None]:
            raise bad_position(f"Case {seat} has no cake in slot {', '.join(missing)}; in a sale every slot holds one.")
    if (position.stale_left or 0) < 0:
        raise bad_position(f"More stale cards lie on cakes than the {STALE_CARDS.copies} that there are.")
    winner = opponent_of(position.actor) if position.phase == "catch_up" else None
    for seat, slots in enumerate(position.sold):
        most = SALES_TO_WIN if seat == winner else SALES_TO_WIN - 1
        if len(set(slots)) != len(slots):
            raise bad_position(f"sold lists a slot of seat {seat} twice.")
        if len(slots) > most:
            raise bad_position(f"Seat {seat} has sold {len(slots)} cakes; here it can have sold {most} at most.")
    if position.step == "stale":
        check_stale_step(position)


def check_stale_step(position: PositionSet) -> None:
    """A stale card to place, and a cake that can bear it. Raises BadOptions."""
    assert position.sold is not None
    assert position.stale is not None
    against = opponent_of(position.actor)
    if not position.stale_left:
        raise bad_position("The step stale needs a stale card: stale_left is 0.")
    counts = position.stale[against]
    if not any(counts[key] < MAX_STALE and slot not in position.sold[against] for slot, key in enumerate(SLOT_KEYS, 2)):
        raise bad_position(f"The step stale needs an unsold cake of seat {against} with fewer than four stale cards.")
