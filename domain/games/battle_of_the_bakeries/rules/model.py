"""The state of a match, and the view that a seat or a spectator gets."""

from domain.games.battle_of_the_bakeries.rules.moves import Options
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, SLOTS, Cake, Card, Pair, Phase, Reason, SlotKey, Step
from domain.kernel.game import ScoreLine
from domain.kernel.values import Value

Case = tuple[Cake | None, ...]
"""The eleven slots of a bakery case, 2 to 12."""
NO_CAKES: Case = (None,) * len(SLOTS)
NO_STALE = (0,) * len(SLOTS)
HIDDEN_PHASES: tuple[Phase, ...] = ("order", "hire", "last_chance")
"""The phases in which the layout of the current round is hidden (7)."""


class State(Value, frozen=True, kw_only=True):
    """The full state (5.2). Fields of other phases keep their last values.

    `empty`, `shown` and `open_faces` hold positions in ascending order, `face_up` in the order they were turned over,
    `sold` slots in the order of sale. `store` counts the cakes left in canonical order, without the drawn one.

    For redaction (7.1), `folded` counts the facts and `round_at` is the number of the round's first fact. `horizons`
    has the number of each seat's latest roll, declared hire or first last-chance flip (0 if none). `ledger` is the
    score sheet.
    """

    options: Options = Options()
    round: int = 0
    phase: Phase = "order"
    step: Step | None = None
    actor: int | None = None
    scores: Pair[int] = (0, 0)
    rounds_won: Pair[int] = (0, 0)
    starter: int | None = None
    finder: int | None = None
    multipliers: Pair[int] = (1, 1)

    layout: tuple[Card, ...] | None = None
    empty: tuple[int, ...] = ()
    face_up: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    open_faces: Pair[tuple[int, ...]] = ((), ())
    turn: int = 0
    turns_done: int = 0
    fives: int = 0
    skips: Pair[int] = (0, 0)
    bonus_offer: int = 0
    flips_min: int = 0
    flips_max: int = 0
    allowed: tuple[int, ...] = ()

    store: tuple[int, ...] = (0,) * len(CAKES)
    drawn: Cake | None = None
    cases: Pair[Case] = (NO_CAKES, NO_CAKES)

    stale: Pair[tuple[int, ...]] = (NO_STALE, NO_STALE)
    stale_left: int = 0
    sold: Pair[tuple[int, ...]] = ((), ())
    tabs: Pair[int] = (0, 0)
    rolls: int = 0
    percent: int = 0
    tries: int = 0

    winner: int | None = None
    reason: Reason | None = None

    folded: int = 0
    round_at: int = 0
    horizons: Pair[int] = (0, 0)
    ledger: tuple[ScoreLine, ...] = ()


class View(Value, frozen=True, kw_only=True):
    """The state as a seat or spectator sees it (7.3). Fields of other phases and steps are null."""

    options: Options
    round: int
    phase: Phase
    step: Step | None
    actor: int | None
    to_move: tuple[int, ...]
    scores: Pair[int]
    rounds_won: Pair[int]
    starter: int | None
    finder: int | None
    multipliers: Pair[int]

    turn: int | None = None
    turns_done: int | None = None
    fives: int | None = None
    skips: Pair[int] | None = None
    face_up: tuple[int, ...] | None = None
    shown: tuple[int, ...] | None = None
    empty: tuple[int, ...] | None = None
    faces: dict[str, Card] | None = None
    bonus_offer: int | None = None
    flips_min: int | None = None
    flips_max: int | None = None
    allowed: tuple[int, ...] | None = None

    store: dict[Cake, int] | None = None
    drawn: Cake | None = None
    cases: Pair[dict[SlotKey, Cake | None]] | None = None

    stale: Pair[dict[SlotKey, int]] | None = None
    sold: Pair[tuple[int, ...]] | None = None
    stale_left: int | None = None
    rolls: int | None = None
    tabs: Pair[int] | None = None
    percent: int | None = None
    tries: int | None = None

    winner: int | None = None
    reason: Reason | None = None
