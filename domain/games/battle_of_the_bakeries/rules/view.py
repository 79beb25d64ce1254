"""What a seat or a spectator may see (rules, section 7), and a full state that fits what a seat sees."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.games.battle_of_the_bakeries.rules.decider import to_move
from domain.games.battle_of_the_bakeries.rules.facts import (
    CardFlipped,
    ChefHired,
    ChefsLaidOut,
    Fact,
    PositionSet,
    RoundBegan,
)
from domain.games.battle_of_the_bakeries.rules.model import HIDDEN_PHASES, State, View
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, CARDS, POSITIONS, SLOT_KEYS, Card, Pair, SlotKey, T
from domain.games.battle_of_the_bakeries.rules.reducer import fold
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def view(state: State, seat: Seat | None) -> View:
    """What this seat sees, or a spectator (7.3)."""
    common = View(
        options=state.options,
        round=state.round,
        phase=state.phase,
        step=state.step,
        actor=state.actor,
        to_move=tuple(sorted(to_move(state))),
        scores=state.scores,
        rounds_won=state.rounds_won,
        starter=state.starter,
        finder=state.finder,
        multipliers=state.multipliers,
    )
    match state.phase:
        case "hire" | "last_chance":
            return board_view(common, state, seat)
        case "stock":
            store = dict(zip(CAKES, state.store, strict=True))
            return replace(common, store=store, drawn=state.drawn, cases=rows_to_maps(state.cases))
        case "sale" | "catch_up":
            return sale_view(common, state)
        case "over":
            return replace(common, winner=state.winner, reason=state.reason)
        case "order":
            return common


def board_view(common: View, state: State, seat: Seat | None) -> View:
    """Phase one, as far as this seat's faces go (7.1)."""
    five, flipping = state.step == "five", state.step in ("five", "flip")
    return replace(
        common,
        turn=state.turn,
        turns_done=state.turns_done,
        fives=state.fives,
        skips=state.skips,
        face_up=state.face_up,
        shown=state.shown,
        empty=state.empty,
        faces=visible_faces(state, seat),
        bonus_offer=state.bonus_offer if five else None,
        flips_min=state.flips_min if flipping else None,
        flips_max=state.flips_max if flipping else None,
        allowed=state.allowed if state.phase == "last_chance" else None,
    )


def sale_view(common: View, state: State) -> View:
    """Phase three and the catch-up round."""
    catching_up = state.phase == "catch_up"
    return replace(
        common,
        cases=rows_to_maps(state.cases),
        stale=rows_to_maps(state.stale),
        sold=state.sold,
        stale_left=state.stale_left,
        rolls=state.rolls,
        tabs=state.tabs,
        percent=state.percent if catching_up else None,
        tries=state.tries if catching_up else None,
    )


def rows_to_maps(rows: Pair[tuple[T, ...]]) -> Pair[dict[SlotKey, T]]:
    """Rows of eleven slots as maps by slot, ascending."""
    first, second = (dict(zip(SLOT_KEYS, row, strict=True)) for row in rows)
    return first, second


# -- phase one: who sees which face (7.1) -------------------------------------------------------------------------


def open_positions(state: State, seat: Seat | None) -> tuple[int, ...]:
    """The positions whose faces this viewer is shown, ascending: with the aid on, all that were ever turned over."""
    if state.options.memory_aid == "on":
        return tuple(position for position in state.shown if position not in state.empty)
    first, second = state.open_faces
    if seat is not None:
        return state.open_faces[seat]
    return tuple(position for position in first if position in second)


def visible_faces(state: State, seat: Seat | None) -> dict[str, Card]:
    """The cards that this viewer is shown, by position."""
    if state.layout is None:
        return {}
    return {str(position): state.layout[position] for position in open_positions(state, seat)}


def memory_horizon(state: State, seat: Seat | None) -> int:
    """The number of the first fact of this round whose card the viewer is still served; a spectator's is the later."""
    return max(state.horizons) if seat is None else state.horizons[seat]


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """The fact as this viewer may see it now: the layout and, with the aid off, old faces of this round are hidden.

    `hiring_closed` opens them for good, and so does the end of the game.
    """
    match fact:
        case ChefsLaidOut(number, _) if is_hidden(state, number):
            return replace(fact, layout=None)
        case PositionSet() if is_hidden(state, fact.round):
            return replace(fact, layout=None)
        case CardFlipped() if not is_served(state, fact, index, seat):
            return replace(fact, card=None)
        case _:
            return fact


def is_hidden(state: State, number: int) -> bool:
    """Whether the layout of this round is still hidden."""
    if state.phase == "over":
        return False
    return number > state.round or (number == state.round and state.phase in HIDDEN_PHASES)


def is_served(state: State, fact: CardFlipped, index: int, seat: Seat | None) -> bool:
    """Whether the face of this flip is served to the viewer (7.1)."""
    if state.options.memory_aid == "on" or state.phase not in HIDDEN_PHASES or index < state.round_at:
        return True
    # Beyond the letter of 7.1 the card must be one that the viewer's board shows, or one that a claim has named:
    # should facts ever be numbered differently here and there, nothing can leak.
    known = fact.position in state.empty or fact.position in open_positions(state, seat)
    return known and index >= memory_horizon(state, seat)


# -- a state that fits a view -------------------------------------------------------------------------------------


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """A full state that this seat cannot tell from the real one: the unseen cards dealt to the unseen positions.

    All else is public, so the facts of the round fold to it. The score sheet of earlier rounds is left out.
    """
    start = round_start(facts)
    before = State(options=view.options, folded=start)
    state = replace(fold(before, facts[start:]), scores=view.scores, rounds_won=view.rounds_won)
    if state.layout is not None:
        return state
    known = {int(position): card for position, card in (view.faces or {}).items()}
    for fact in facts[start:]:
        if isinstance(fact, ChefHired):
            known |= zip(fact.positions, fact.cards, strict=True)
    unseen = iter(chance.shuffle([card for card in CARDS if card not in known.values()]))
    layout = tuple(known[position] if position in known else next(unseen) for position in POSITIONS)
    return replace(state, layout=layout)


def round_start(facts: Sequence[Fact]) -> int:
    """The number of the fact that began the present round, 0 where none did."""
    starts = (n for n in reversed(range(len(facts))) if isinstance(facts[n], RoundBegan | PositionSet))
    return next(starts, 0)
