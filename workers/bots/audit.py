"""The moves of house bots, run again from what was noted beside them: one more layer of an audit."""

import msgspec

from domain.kernel.event_codec import read_event
from domain.kernel.events import AnyEvent, Moved
from replays.replay import Replay
from replays.report import Divergence, Layer, Report, shorten, with_layer
from service.bootstrap import Services
from service.bots.decision_log import load_decisions
from service.matches.repository import pinned_game
from workers.bots.explain import CannotExplain, Explanation, explain

LAYER = "bots"
RULE = "bots.move"
DIFFERENT_MOVE = "A house bot made another move than its engine makes of the same view, budget and luck."


def audit_bots(services: Services, match: str) -> Report:
    """The audit of a match with a layer for its bots; the report on one that is over is kept.

    Raises MatchNotFound, LogUnavailable, redis-py's errors.
    """
    report = services.verification.auditor.audit(match)
    if report.verdict == "failed":
        services.verification.auditor.record(match, report)
        return report
    if report.verdict == "unfinished":
        return with_layer(report, Layer(LAYER, "not_checked", "How bots think is told when the match is over."))
    report = with_layer(report, bots_layer(services, match))
    # A bot that moved otherwise is the operator's matter: the moves were legal, and the match holds.
    services.verification.auditor.store(match, report)
    return report


def bots_layer(services: Services, match: str) -> Layer:
    """The layer: whether every move of a house bot in a match that is over is what its note gives again."""
    lines = services.matches.repository.log_lines(match)
    game = pinned_game(lines)
    replay = Replay(tuple(read_event(line, game) for line in lines))
    noted = {note.ply: note for note in load_decisions(services.runtime.redis, match, replay.events)}
    moved = [event for event in replay.events if isinstance(event, Moved) and is_bot_move(replay, event)]
    again = 0
    for event in moved:
        try:
            explained = explain(replay, noted[event.ply])
        except (CannotExplain, KeyError):
            continue
        if not explained.is_same:
            return Layer(LAYER, "failed", DIFFERENT_MOVE, bot_divergence(explained))
        again += 1
    if again == len(moved):
        return Layer(LAYER, "ok", f"House bots made {again} moves; run again, they are the same.")
    left = f"{len(moved) - again} have no note, or one of an engine that is not at hand."
    return Layer(LAYER, "partly", f"Of {len(moved)} moves of house bots {again}, run again, are the same; {left}")


def is_bot_move(replay: Replay, event: AnyEvent) -> bool:
    """Whether a move was made by a house bot."""
    return event.seat is not None and replay.at(event.ply - 1).seats[event.seat].acting_bot_level is not None


def bot_divergence(explained: Explanation) -> Divergence:
    """Where a bot did not play what it would have played."""
    return Divergence(
        line=explained.noted.ply + 1,
        ply=explained.noted.ply,
        rule=RULE,
        expected=shorten(msgspec.to_builtins(explained.choice.move)),
        found=shorten(msgspec.to_builtins(explained.played)),
        sentence=DIFFERENT_MOVE,
    )
