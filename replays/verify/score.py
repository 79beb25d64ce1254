"""The layer `score`: an independent scorer confirms the engine's score and the published result from the facts."""

from typing import Any

from domain.kernel.events import Ended, without_retracted
from domain.kernel.game import ScoreSheet
from replays.report import Layer
from replays.verify.case import LIFECYCLE_FAILED, Case, number, points_text


def check_score(case: Case) -> list[Layer]:
    """Compare the scorer's count with the engine's score line by line, and with the published result."""
    if "lifecycle" in case.failed:
        return [Layer("score", "not_checked", LIFECYCLE_FAILED)]
    if not case.file.header.complete:
        return [Layer("score", "not_checked", "The match is not over.")]
    ended = next((event for event in case.events if isinstance(event, Ended)), None)
    if ended is None:
        return [Layer("score", "ok", "The match was cancelled; there is no score.")]
    case.current = ended
    facts = [fact for event in without_retracted(case.events) for fact in event.facts]
    counted, scored = case.game.audit(facts), case.game.score(case.game.fold(facts))
    if found := scored.differences(counted):
        sentence = "The engine's score and the independent scorer's count differ."
        raise case.diverged(ended, "score.lines", "identical score sheets", found[0], sentence)
    check_result(case, ended, counted)
    return [
        Layer("score", "ok", f"{number(len(counted.lines), 'line')} recounted. Totals: {points_text(counted.totals)}.")
    ]


def check_result(case: Case, ended: Ended[Any, Any], counted: ScoreSheet) -> None:
    """Check that the published scores and winners are those that the scorer counted."""
    for name, expected, found in (
        ("scores", counted.totals, ended.outcome.scores),
        ("winners", counted.winners, ended.outcome.winners),
    ):
        case.require(ended, "score.result", expected, found, f"The published {name} are not those that the facts give.")
