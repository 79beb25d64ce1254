"""The printable score sheet: each line of the final score, from two independent counts, with its facts."""

from typing import Any

import msgspec
from flask import render_template
from werkzeug.exceptions import NotFound

from domain.kernel.event_codec import read_event
from domain.kernel.events import without_retracted
from domain.kernel.game import ScoreLine, ScoreSheet
from domain.match.state import AnyMatch
from service.app_context import services
from service.web.blueprint import web
from service.web.seating import describe_turn, seat_infos
from service.web.visitor import current_player_id

MAX_LISTED_FACTS = 12
"""Maximum number of facts listed for a line. Any others are only counted."""


class FactSource(msgspec.Struct, frozen=True):
    """A fact that contributed to a line: its ply and kind."""

    ply: int
    kind: str


class ComparedLine(msgspec.Struct, frozen=True):
    """A line of the score sheet as counted by the engine and by the independent scorer, and its facts."""

    engine: ScoreLine | None
    scorer: ScoreLine | None
    sources: tuple[FactSource, ...]
    omitted: int

    @property
    def agrees(self) -> bool:
        """Return whether both counts are equal."""
        return (
            self.engine is not None and self.scorer is not None and comparable(self.engine) == comparable(self.scorer)
        )


def comparable(line: ScoreLine) -> tuple[Any, ...]:
    """Return the parts of a line that must be equal in both counts."""
    return (line.seat, line.rule, line.item, line.points)


@web.get("/matches/<match>/score")
def score(match: str) -> str:
    """Show the score sheet of a finished match. Raises NotFound."""
    head = services().matches.repository.load(match)
    if head.status != "over" or not head.draw_count:
        raise NotFound("The score sheet is available once the match is over.")
    events = [read_event(line, head.rules) for line in services().matches.repository.log_lines(match)]
    placed = [(event.ply, fact) for event in without_retracted(events) for fact in event.facts]
    engine, scorer = head.rules.score(head.state), head.rules.audit(fact for _, fact in placed)
    table = seat_infos(head, current_player_id())
    return render_template(
        "templates/score.html",
        match=head,
        game=head.rules,
        table=table,
        result=describe_turn(head, table),
        lines=pair_lines(engine, scorer, [FactSource(ply, fact_kind(fact)) for ply, fact in placed]),
        engine=engine,
        scorer=scorer,
        differences=engine.differences(scorer),
        ended=is_counted_result(head),
    )


def is_counted_result(head: AnyMatch) -> bool:
    """Return whether the published result is the counted score, not one set by a ruling."""
    return head.outcome is not None and head.outcome.reason != "ruling"


def pair_lines(engine: ScoreSheet, scorer: ScoreSheet, sources: list[FactSource]) -> list[ComparedLine]:
    """Return the lines of both sheets side by side."""
    longest = max(len(engine.lines), len(scorer.lines))
    lines = []
    for n in range(longest):
        mine = engine.lines[n] if n < len(engine.lines) else None
        theirs = scorer.lines[n] if n < len(scorer.lines) else None
        numbers = sorted({*(mine.facts if mine else ()), *(theirs.facts if theirs else ())})
        found = [sources[number] for number in numbers if 0 <= number < len(sources)]
        lines.append(ComparedLine(mine, theirs, tuple(found[:MAX_LISTED_FACTS]), max(0, len(found) - MAX_LISTED_FACTS)))
    return lines


def fact_kind(fact: Any) -> str:
    """Return the kind of a fact as text."""
    return str(type(fact).__struct_config__.tag).replace("_", " ")
