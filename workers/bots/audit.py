"""The moves of house bots, run again from what was noted beside them: one more layer of an audit."""

import msgspec

from domain.kernel.events import AnyEvent, Moved, read_event
from replays.replay import Replay
from replays.report import Divergence, Layer, Report, short, with_layer
from service.bootstrap import Services
from service.bots.decision_log import notes
from service.matches.command_handler import game_of
from service.verification.audits import examine_log, keep, record
from workers.bots.explain import CannotExplain, Explained, explain

LAYER = "bots"
RULE = "bots.move"
DIFFERS = "A house bot made another move than its engine makes of the same view, budget and luck."


def audit_bots(services: Services, match: str) -> Report:
    """The audit of a match with a layer for its bots; the report on one that is over is kept.

    Raises MatchNotFound, LogUnavailable, redis-py's errors.
    """
    report = examine_log(services, match)
    if report.verdict == "failed":
        record(services, match, report)
        return report
    if report.verdict == "unfinished":
        return with_layer(report, Layer(LAYER, "not_checked", "How bots think is told when the match is over."))
    report = with_layer(report, bots_layer(services, match))
    # A bot that moved otherwise is the operator's matter: the moves were legal, and the match holds.
    keep(services, match, report)
    return report


def bots_layer(services: Services, match: str) -> Layer:
    """The layer: whether every move of a house bot in a match that is over is what its note gives again."""
    lines = services.matches.lines(match)
    game = game_of(lines)
    replay = Replay(tuple(read_event(line, game) for line in lines))
    noted = {note.ply: note for note in notes(services.redis, match, replay.events)}
    moved = [event for event in replay.events if isinstance(event, Moved) and made_by_bot(replay, event)]
    again = 0
    for event in moved:
        try:
            explained = explain(replay, noted[event.ply])
        except (CannotExplain, KeyError):
            continue
        if not explained.same:
            return Layer(LAYER, "failed", DIFFERS, differs(explained))
        again += 1
    if again == len(moved):
        return Layer(LAYER, "ok", f"House bots made {again} moves; run again, they are the same.")
    left = f"{len(moved) - again} have no note, or one of an engine that is not at hand."
    return Layer(LAYER, "partly", f"Of {len(moved)} moves of house bots {again}, run again, are the same; {left}")


def made_by_bot(replay: Replay, event: AnyEvent) -> bool:
    """Whether a move was made by a house bot."""
    return event.seat is not None and replay.at(event.ply - 1).seats[event.seat].plays is not None


def differs(explained: Explained) -> Divergence:
    """Where a bot did not play what it would have played."""
    return Divergence(
        line=explained.noted.ply + 1,
        ply=explained.noted.ply,
        rule=RULE,
        expected=short(msgspec.to_builtins(explained.choice.move)),
        found=short(msgspec.to_builtins(explained.played)),
        sentence=DIFFERS,
    )
