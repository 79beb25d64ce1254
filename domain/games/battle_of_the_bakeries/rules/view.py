"""Views and redaction (rules, section 7), and determinization for bots."""

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
    """Return the view of this seat, or of a spectator for None (7.3)."""
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
    """Return the view of phase one, with the cards this viewer can see (7.1)."""
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
    """Return the view of phase three and the catch-up round."""
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
    """Return two rows of eleven slots as maps by slot, ascending."""
    first, second = (dict(zip(SLOT_KEYS, row, strict=True)) for row in rows)
    return first, second


# -- phase one: who sees which face (7.1) -------------------------------------------------------------------------


def open_positions(state: State, seat: Seat | None) -> tuple[int, ...]:
    """Return the positions of visible cards, ascending; with the memory aid on, all that were turned over."""
    if state.options.memory_aid == "on":
        return tuple(position for position in state.shown if position not in state.empty)
    first, second = state.open_faces
    if seat is not None:
        return state.open_faces[seat]
    return tuple(position for position in first if position in second)


def visible_faces(state: State, seat: Seat | None) -> dict[str, Card]:
    """Return the cards that this viewer can see, by position."""
    if state.layout is None:
        return {}
    return {str(position): state.layout[position] for position in open_positions(state, seat)}


def memory_horizon(state: State, seat: Seat | None) -> int:
    """Return the number of the first fact whose card the viewer can still see; for a spectator, the later of both."""
    return max(state.horizons) if seat is None else state.horizons[seat]


def redact(state: State, fact: Fact, index: int, seat: Seat | None) -> Fact | None:
    """Return the fact as this viewer may see it now, without the layout and, with the memory aid off, old flips.

    `hiring_closed` or the end of the match reveals everything about the round.
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
    """Return whether the layout of this round is still hidden."""
    if state.phase == "over":
        return False
    return number > state.round or (number == state.round and state.phase in HIDDEN_PHASES)


def is_served(state: State, fact: CardFlipped, index: int, seat: Seat | None) -> bool:
    """Return whether the viewer may see the card of this flip (7.1)."""
    if state.options.memory_aid == "on" or state.phase not in HIDDEN_PHASES or index < state.round_at:
        return True
    # Stricter than 7.1: the viewer's board must show the card, or a claim must have named it. This way nothing
    # leaks even if facts are numbered differently elsewhere.
    known = fact.position in state.empty or fact.position in open_positions(state, seat)
    return known and index >= memory_horizon(state, seat)


# -- determinization ----------------------------------------------------------------------------------------------


def determinize(view: View, facts: Sequence[Fact], seat: Seat | None, chance: Chance) -> State:
    """Return a full state consistent with this view, with the unseen cards dealt at random to unseen positions.

    Everything else is public and comes from folding the facts of the round. Earlier score lines are left out.
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
    """Return the number of the fact that began the current round, or 0 if there is none."""
    starts = (n for n in reversed(range(len(facts))) if isinstance(facts[n], RoundBegan | PositionSet))
    return next(starts, 0)
