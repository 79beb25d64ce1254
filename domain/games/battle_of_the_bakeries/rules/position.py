"""Position documents (rules, section 15): a match that starts in the middle. Defaults, and what is refused."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import asdict

from domain.games.battle_of_the_bakeries.rules.components import CAKE_CARDS, STALE
from domain.games.battle_of_the_bakeries.rules.model import (
    BONUS_STEP,
    CARDS,
    MOST_FLIPS,
    MOST_OWED,
    SALES_TO_WIN,
    SEATS,
    SLOT_KEYS,
    STALE_MOST,
    Cake,
    Card,
    Options,
    Pair,
    Phase,
    PositionSet,
    SeatNumber,
    Slot,
    SlotKey,
    Step,
    T,
    other,
)
from domain.games.battle_of_the_bakeries.rules.model import Position as BoardPosition
from domain.games.battle_of_the_bakeries.rules.scoring import HIT_PERCENT, LOSER_PERCENT, amount
from domain.games.battle_of_the_bakeries.rules.sets import allowed_after
from domain.kernel.game import BadOptions

RULE = "15"
BIGGEST = 1_000_000_000

Count = Annotated[int, msgspec.Meta(ge=0, le=BIGGEST)]
Flips = Annotated[int, msgspec.Meta(ge=1, le=MOST_FLIPS)]
Multiplier = Annotated[int, msgspec.Meta(ge=1, le=6)]
Positions = tuple[BoardPosition, ...]
Cakes = dict[SlotKey, Cake | None]
StaleCounts = dict[SlotKey, Annotated[int, msgspec.Meta(ge=0, le=STALE_MOST)]]

STEPS: dict[Phase, tuple[Step | None, ...]] = {
    "order": (None,),
    "hire": ("start", "five", "flip", "attempt"),
    "last_chance": (None,),
    "stock": (None,),
    "sale": ("roll", "stale"),
    "catch_up": (None,),
}
"""The phases that a position may have, and their steps, the default first (section 4)."""

STANDARD: Pair[tuple[Cake, ...]] = (
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


NOTHING: Cakes = {}
NO_COUNTS: StaleCounts = {}


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


def read_position(options: Options, raw: Mapping[str, Any]) -> PositionSet:
    """The position of a document, all defaults filled in. Raises BadOptions for every refusal of section 15."""
    document = read_document(raw)
    chosen = merge(options, document.options or Options())
    phase = document.phase or "hire"
    if phase not in STEPS:
        raise refusal(f"A position cannot start in the phase {phase}; it starts in one of {', '.join(STEPS)}.")
    step = document.step or STEPS[phase][0]
    if step not in STEPS[phase]:
        raise refusal(f"The phase {phase} has no step {step}.")
    position = fill(document, chosen.resolved(), phase, step)
    check(position)
    return position


def refusal(message: str) -> BadOptions:
    """A refusal under section 15."""
    return BadOptions(RULE, message)


def read_document(raw: Mapping[str, Any]) -> Document:
    """The document as far as its fields go. Raises BadOptions for unknown fields and impossible values."""
    try:
        return msgspec.convert(raw, Document)
    except msgspec.ValidationError as error:
        known = ", ".join(Document.__struct_fields__)
        raise refusal(
            f"This is not a position of the Battle of the Bakeries: {error}. Its fields are {known}."
        ) from None


def merge(outside: Options, inside: Options) -> Options:
    """The options given beside the document and in it. Raises BadOptions where they contradict each other."""
    default, given, chosen = asdict(Options()), asdict(outside), asdict(inside)
    for name, value in given.items():
        if chosen[name] == default[name]:
            chosen[name] = value
        elif value not in (default[name], chosen[name]):
            raise refusal(f"Option {name} is {value} beside the position and {chosen[name]} in it; give one.")
    return Options(**chosen)


# -- defaults -----------------------------------------------------------------------------------------------------


def fill(document: Document, options: Options, phase: Phase, step: Step | None) -> PositionSet:
    """The document with the defaults of section 15; what belongs to other phases and steps is null."""
    turns_done = document.turns_done or 0
    fives = given(document.fives, int(step == "five"))
    face_up = document.face_up or ()
    empty = ascending(document.empty or ())
    shown = ascending(given(document.shown, face_up))
    on_board = tuple(position for position in shown if position not in empty)
    first_open, second_open = given(document.open_faces, (on_board, on_board))
    multipliers = document.multipliers or (1, 1)
    bounds = {"five": (2, 2), "flip": (1, 4)}.get(step or "", (None, None))
    selling = phase in ("sale", "catch_up")
    cases = read_cases(document, phase)
    stale = every_slot(document.stale or (NO_COUNTS, NO_COUNTS), 0) if selling or document.stale else None
    sold = given(document.sold, ((), ()) if selling else None)
    return PositionSet(
        options=options,
        round=given(document.round, 1),
        scores=document.scores or (0, 0),
        rounds_won=document.rounds_won or (0, 0),
        phase=phase,
        step=step,
        actor=given(document.actor, 0),
        starter=given(document.starter, None if phase == "order" else 0),
        finder=document.finder,
        multipliers=multipliers,
        layout=given(document.layout, CARDS),
        empty=empty,
        face_up=face_up,
        shown=shown,
        open_faces=(ascending(first_open), ascending(second_open)),
        turns_done=turns_done,
        turn=given(document.turn, 0 if phase == "order" else turns_done + 1),
        fives=fives,
        skips=document.skips or (0, 0),
        bonus_offer=given(document.bonus_offer, BONUS_STEP * (fives + 1) if step == "five" else None),
        flips_min=given(document.flips_min, bounds[0]),
        flips_max=given(document.flips_max, bounds[1]),
        allowed=given(document.allowed, default_allowed(document, options, phase)),
        cases=cases,
        drawn=document.drawn,
        stale=stale,
        stale_left=given(document.stale_left, deck_after(stale) if selling else None),
        sold=sold,
        tabs=given(document.tabs, default_tabs(multipliers, cases, stale, sold) if selling else None),
        rolls=given(document.rolls, 0 if selling else None),
        tries=given(document.tries, 0 if phase == "catch_up" else None),
        percent=given(document.percent, default_percent(document) if phase == "catch_up" else None),
    )


def given(value: Any, default: Any) -> Any:
    """The value, or its default where the document leaves it out."""
    return default if value is None else value


def ascending(positions: tuple[int, ...]) -> tuple[int, ...]:
    """The positions in ascending order, each once."""
    return tuple(sorted(set(positions)))


def default_allowed(document: Document, options: Options, phase: Phase) -> tuple[int, ...] | None:
    """L1 by the finder's multiplier, in the last chance only."""
    if phase != "last_chance" or document.finder is None:
        return None
    return allowed_after((document.multipliers or (1, 1))[document.finder], options)


def read_cases(document: Document, phase: Phase) -> Pair[dict[SlotKey, Cake | None]] | None:
    """The cases with all their slots: empty while they are stocked, the standard ones in a sale."""
    if document.cases is not None:
        return every_slot(document.cases, None)
    if phase == "stock":
        return every_slot((NOTHING, NOTHING), None)
    if phase not in ("sale", "catch_up"):
        return None
    first, second = (dict[SlotKey, Cake | None](zip(SLOT_KEYS, cakes, strict=True)) for cakes in STANDARD)
    return first, second


def every_slot(maps: Pair[dict[SlotKey, T]], missing: T) -> Pair[dict[SlotKey, T]]:
    """Two maps by slot with all eleven slots, ascending."""
    first, second = ({key: by_slot.get(key, missing) for key in SLOT_KEYS} for by_slot in maps)
    return first, second


def deck_after(stale: Pair[dict[SlotKey, int]] | None) -> int:
    """30 stale cards less those on cakes."""
    return STALE.copies - sum(sum(by_slot.values()) for by_slot in stale or ())


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
            amount(multipliers[seat], slot, cake, stale[seat][SLOT_KEYS[slot - 2]])
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
        raise refusal(f"Round {position.round} is beyond the {position.options.rounds} of this game.")
    check_board(position)
    check_turns(position)
    check_cakes(position)
    if position.phase == "stock":
        check_stock(position)
    if position.phase in ("sale", "catch_up"):
        check_sale(position)
    if (position.tries or 0) > 1:
        raise refusal("tries is 0 or 1: after the second try the catch-up round is over.")


def check_board(position: PositionSet) -> None:
    """The layout, the cards face up, and the finder of a last chance. Raises BadOptions."""
    if Counter(position.layout) != Counter(CARDS):
        raise refusal("layout must list each of the 30 Hire a Chef cards once.")
    if len(set(position.face_up)) != len(position.face_up):
        raise refusal("face_up lists a position twice.")
    if gone := sorted(set(position.face_up) & set(position.empty)):
        raise refusal(f"face_up lists positions that are empty: {', '.join(map(str, gone))}.")
    if position.phase != "last_chance":
        return
    if position.finder is None or position.multipliers[position.finder] < 3:
        raise refusal("A last chance needs a finder with a multiplier of 3 to 6.")


def check_turns(position: PositionSet) -> None:
    """The turns to sit out, which end of turn pays one by one, and the sets to look for. Raises BadOptions."""
    for seat, owed in enumerate(position.skips):
        if owed > MOST_OWED:
            raise refusal(
                f"skips says that seat {seat} owes {owed} turns; it is 0 or {MOST_OWED}, since who has failed a hire "
                "loses a turn before it can fail another (H10)."
            )
    if len(set(position.allowed or ())) != len(position.allowed or ()):
        raise refusal("allowed lists a multiplier twice.")


def check_cakes(position: PositionSet) -> None:
    """No more of a cake than there are. Raises BadOptions."""
    laid = Counter(cake for by_slot in position.cases or () for cake in by_slot.values() if cake)
    if position.drawn:
        laid[position.drawn] += 1
    for cake, count in laid.items():
        if count > CAKE_CARDS[cake].copies:
            raise refusal(f"{count} of {cake} are laid or drawn; there are {CAKE_CARDS[cake].copies}.")


def check_stock(position: PositionSet) -> None:
    """A drawn cake, and room for it. Raises BadOptions."""
    if position.drawn is None:
        raise refusal("In the phase stock `drawn` names the cake to place.")
    if all(cake for by_slot in position.cases or () for cake in by_slot.values()):
        raise refusal("All 22 cakes are laid: the phase stock is over then.")


def check_sale(position: PositionSet) -> None:
    """Full cases, stale cards, cakes sold. Raises BadOptions."""
    assert position.sold is not None
    for seat, by_slot in enumerate(position.cases or ()):
        if missing := [key for key, cake in by_slot.items() if cake is None]:
            raise refusal(f"Case {seat} has no cake in slot {', '.join(missing)}; in a sale every slot holds one.")
    if (position.stale_left or 0) < 0:
        raise refusal(f"More stale cards lie on cakes than the {STALE.copies} that there are.")
    winner = other(position.actor) if position.phase == "catch_up" else None
    for seat, slots in enumerate(position.sold):
        most = SALES_TO_WIN if seat == winner else SALES_TO_WIN - 1
        if len(set(slots)) != len(slots):
            raise refusal(f"sold lists a slot of seat {seat} twice.")
        if len(slots) > most:
            raise refusal(f"Seat {seat} has sold {len(slots)} cakes; here it can have sold {most} at most.")
    if position.step == "stale":
        check_stale_step(position)


def check_stale_step(position: PositionSet) -> None:
    """A stale card to place, and a cake that can bear it. Raises BadOptions."""
    assert position.sold is not None
    assert position.stale is not None
    against = other(position.actor)
    if not position.stale_left:
        raise refusal("The step stale needs a stale card: stale_left is 0.")
    counts = position.stale[against]
    if not any(
        counts[key] < STALE_MOST and slot not in position.sold[against] for slot, key in enumerate(SLOT_KEYS, 2)
    ):
        raise refusal(f"The step stale needs an unsold cake of seat {against} with fewer than four stale cards.")
