"""An additional layer of an audit, which repeats the moves of house bots.

Under luck protocol 2, the log contains everything that a decision depends on. Under protocol 1, the recorded decisions
are needed as well.
"""

import msgspec
from msgspec import UNSET

from domain.kernel.event_codec import read_event
from domain.kernel.events import AnyEvent, Moved
from replays.bot_check import LAYER, check_bots
from replays.replay import Replay
from replays.report import Divergence, Layer, Report, shorten, with_layer
from service.bootstrap import Services
from service.bots.decision_log import load_decisions
from service.matches.repository import pinned_game
from workers.bots.explain import CannotExplain, Explanation, explain

RULE = "bots.move"
DIFFERENT_MOVE = "A house bot made a different move from the one its engine makes with the same view, budget and seed."


def audit_bots(services: Services, match: str) -> Report:
    """Return the audit of a match with a layer for its bots. The report on a finished match is stored.

    Raises MatchNotFound, LogUnavailable, redis-py's errors.
    """
    report = services.verification.auditor.audit(match)
    if report.verdict == "failed":
        services.verification.auditor.record(match, report)
        return report
    if report.verdict == "unfinished":
        return with_layer(report, Layer(LAYER, "not_checked", "Bots' decisions are revealed when the match is over."))
    report = with_layer(report, bots_layer(services, match))
    # A different move by a bot concerns only the operator: all moves were legal, and the match stays valid.
    services.verification.auditor.store(match, report)
    return report


def bots_layer(services: Services, match: str) -> Layer:
    """Return the layer: whether each house bot's move in a finished match matches its repeated decision."""
    lines = services.matches.repository.log_lines(match)
    game = pinned_game(lines)
    replay = Replay(tuple(read_event(line, game) for line in lines))
    if replay.created.luck is not UNSET:
        return check_bots(replay, everything=True)
    return recorded_bots_layer(services, match, replay)


def recorded_bots_layer(services: Services, match: str, replay: Replay) -> Layer:
    """Return the layer for a match with luck protocol 1, from the recorded decisions."""
    decisions = {note.ply: note for note in load_decisions(services.runtime.redis, match, replay.events)}
    moved = [event for event in replay.events if isinstance(event, Moved) and is_bot_move(replay, event)]
    again = 0
    for event in moved:
        try:
            explained = explain(replay, decisions[event.ply])
        except (CannotExplain, KeyError):
            continue
        if not explained.is_same:
            return Layer(LAYER, "failed", DIFFERENT_MOVE, bot_divergence(explained))
        again += 1
    if again == len(moved):
        return Layer(LAYER, "ok", f"House bots made {again} moves. Repeating them gave the same moves.")
    missing = f"{len(moved) - again} have no recorded decision, or one of an engine that is not installed here."
    summary = f"Repeating {again} of {len(moved)} moves of house bots gave the same moves"
    return Layer(LAYER, "partly", f"{summary}; {missing}")


def is_bot_move(replay: Replay, event: AnyEvent) -> bool:
    """Return whether a house bot made the move."""
    return event.seat is not None and replay.at(event.ply - 1).seats[event.seat].acting_bot_level is not None


def bot_divergence(explained: Explanation) -> Divergence:
    """Return where a bot played a different move from its repeated choice."""
    return Divergence(
        line=explained.decision.ply + 1,
        ply=explained.decision.ply,
        rule=RULE,
        expected=shorten(msgspec.to_builtins(explained.choice.move)),
        found=shorten(msgspec.to_builtins(explained.played)),
        sentence=DIFFERENT_MOVE,
    )
