"""The scores of a finished match after each of its plies."""

from collections.abc import Iterator

from cachetools import LRUCache

from domain.kernel.event_codec import read_event
from domain.match.state import AnyMatch
from replays.replay import Replay
from service.app_context import services
from service.web.sparkline import PlyScores

SCORE_CACHE: LRUCache[tuple[str, int], tuple[PlyScores, ...]] = LRUCache(256)
"""Scores over time by match and last ply. They never change."""


def scores_of(head: AnyMatch, whole: Replay | None = None) -> tuple[PlyScores, ...]:
    """Return the scores of all seats after every ply of a finished match. `whole` saves reading the log again."""
    if (head.id, head.ply) not in SCORE_CACHE:
        SCORE_CACHE[head.id, head.ply] = tuple(score_history(whole or read_match(head)))
    return SCORE_CACHE[head.id, head.ply]


def read_match(head: AnyMatch) -> Replay:
    """Return the whole match, read from the log."""
    lines = services().matches.repository.log_lines(head.id)[: head.ply]
    return Replay(tuple(read_event(line, head.rules) for line in lines))


def score_history(whole: Replay) -> Iterator[PlyScores]:
    """Yield the scores of all seats after every ply, as if the match ended there."""
    for match in whole.matches():
        try:
            has_begun = match.draw_count and match.status not in ("open", "opening")
            yield whole.game.score(match.state).totals if has_begun else None
        except Exception:  # a game need not support scoring in mid-match
            yield None
