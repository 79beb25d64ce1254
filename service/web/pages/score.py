"""The score sheet: every line of the final score, counted twice, with the facts that made it. Printable."""

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
"""So many facts of a line are listed; the rest are counted."""


class FactSource(msgspec.Struct, frozen=True):
    """A fact behind a line: where it happened, and what it was."""

    ply: int
    kind: str


class ComparedLine(msgspec.Struct, frozen=True):
    """A line of the sheet: the engine's and the scorer's, which ought to be the same, and the facts behind it."""

    engine: ScoreLine | None
    scorer: ScoreLine | None
    sources: tuple[FactSource, ...]
    omitted: int

    @property
    def agrees(self) -> bool:
        """Whether both have counted the same."""
        return (
            self.engine is not None and self.scorer is not None and comparable(self.engine) == comparable(self.scorer)
        )


def comparable(line: ScoreLine) -> tuple[Any, ...]:
    """What two lines must agree in."""
    return (line.seat, line.rule, line.item, line.points)


@web.get("/matches/<match>/score")
def score(match: str) -> str:
    """The score sheet of a match that was played to its end."""
    head = services().matches.repository.load(match)
    if head.status != "over" or not head.draw_count:
        raise NotFound("There is a score sheet when the match is over.")
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
    """Whether the published result is the counted one; a ruling may have changed it."""
    return head.outcome is not None and head.outcome.reason != "ruling"


def pair_lines(engine: ScoreSheet, scorer: ScoreSheet, sources: list[FactSource]) -> list[ComparedLine]:
    """Both sheets, line beside line."""
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
    """A fact's kind in words."""
    return str(type(fact).__struct_config__.tag).replace("_", " ")
