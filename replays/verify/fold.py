"""The layer `fold`: counters, outcome, rulings, free takebacks and forced moves, from the facts alone."""

from itertools import islice

from msgspec import UNSET

from domain.kernel.events import AnyEvent, Ended, Moved, Resolved, TakenBack, rollback_ply, without_retracted
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import MatchRefused
from domain.match.disputes import adjudicated_outcome
from domain.match.evolve import evolve, from_created
from domain.match.information import only_move_by, reveals_nothing
from domain.match.state import AnyMatch
from replays.redaction import redact_events
from replays.report import Layer
from replays.verify.case import LIFECYCLE_FAILED, SEALED, Case, number, points_text


def check_fold(case: Case) -> list[Layer]:
    """Fold the match from its facts, and compare counters and outcome with those in the file."""
    if "lifecycle" in case.failed:
        return [Layer("fold", "not_checked", LIFECYCLE_FAILED)]
    if not case.complete:
        return [check_counters(case)]
    match = from_created(case.created)
    draws, facts = match.draw_count, 0
    for event in case.each_event():
        counted = 0 if event is case.created else match.fact_count
        case.require(
            event, "fold.facts", counted, event.first_fact, "The count of the facts before this event is wrong."
        )
        draws = count_draw(case, event, draws)
        facts += len(event.facts)
        check_ruling(case, event)
        check_free_takeback(case, event)
        check_forced_move(case, match, event)
        if isinstance(event, Moved):
            case.to_move[event.ply] = match.to_move
        if isinstance(event, Ended):
            folded = case.game.outcome(match.state)
            case.require(event, "fold.outcome", folded, event.outcome, "The game did not end with this outcome.")
        if event is not case.created:
            match = evolve(match, event, case.match_after)
    if not case.file.header.complete:
        return [Layer("fold", "partly", f"{number(facts, 'fact')} folded; the match is not over.")]
    return [Layer("fold", "ok", f"{number(facts, 'fact')} folded to the published {result_text(match)}.")]


def check_ruling(case: Case, event: AnyEvent) -> None:
    """Check that a ruling `result_of` has the score at its ply, and that other rulings have none."""
    if not isinstance(event, Resolved):
        return
    wanted = None
    if event.ruling == "result_of" and event.to_ply is not None:
        try:
            wanted = adjudicated_outcome(case.match_after(event.to_ply))
        except MatchRefused as refused:
            due = "a ply whose score counts"
            raise case.diverged(event, "fold.ruling", due, event.to_ply, refused.message) from None
    case.require(event, "fold.ruling", wanted, event.outcome, "This is not the score at that ply.")


def check_free_takeback(case: Case, event: AnyEvent) -> None:
    """Check that a move that was taken back without asking had revealed nothing to anyone."""
    if not isinstance(event, TakenBack) or event.proposal is not None or event.seat is None:
        return
    before, since = case.match_after(event.to_ply), case.events[event.to_ply : event.ply - 1]
    shown = redact_events(case.events[: event.to_ply], before, event.seat, case.match_after)
    known = [fact for each in without_retracted(shown) for fact in each.facts]
    moved = only_move_by(since, event.seat)
    free = moved is not None and reveals_nothing(before, moved, known)
    wanted = "a move that revealed nothing"
    found = wanted if free else "a move that revealed something"
    sentence = "The move had revealed something, so it could not be taken back without asking."
    case.require(event, "fold.takeback", wanted, found, sentence)


def check_forced_move(case: Case, before: AnyMatch, event: AnyEvent) -> None:
    """Check that a forced move, which the server made, was the seat's only legal move.

    This does not check whether everyone could know that. It would not affect the match, and the answer depends on
    sampled worlds, which a later version of the game may sample better.
    """
    if not isinstance(event, Moved) or event.cause is UNSET or event.cause.kind != "forced" or event.seat is None:
        return
    legal = list(islice(case.game.legal_moves(before.state, event.seat), 2))
    if legal != [event.move]:
        found, sentence = canonical_json(event.move).decode(), "The seat had other moves, so this one was not forced."
        raise case.diverged(event, "fold.forced", "the only legal move", found, sentence)


def check_counters(case: Case) -> Layer:
    """Check the counters as far as the public part allows: an event cannot count fewer facts than are shown."""
    draws, facts = case.new_lifecycle().draw_count, 0
    facts_after: list[int] = []
    for event in case.each_event():
        draws = count_draw(case, event, draws)
        if event.first_fact < facts:
            sentence = "More facts are shown before this event than its count allows."
            raise case.diverged(event, "fold.facts", f"at least {facts}", event.first_fact, sentence)
        facts = event.first_fact + len(event.facts)
        if back_to := rollback_ply(event):
            facts = facts_after[back_to - 1]
        facts_after.append(facts)
    return Layer("fold", "partly", f"{number(draws, 'game event')} counted correctly; {SEALED}.")


def count_draw(case: Case, event: AnyEvent, draws: int) -> int:
    """Return the number of game events up to and including this one. Checks the event's own number."""
    if event.draw is None:
        return draws
    case.require(event, "fold.draws", draws, event.draw, "The count of the game events before this one is wrong.")
    return draws + 1


def result_text(match: AnyMatch) -> str:
    """Return the outcome of the match, for the report."""
    if match.outcome is None:
        return f"end: {'annulled' if match.annulled else 'cancelled'}, no result"
    return f"result: {points_text(match.outcome.scores)}"
