"""The jobs: a bot's turn, and the audit of a match that is over. Each may run twice, late, or for nothing.

What goes wrong in a job is logged as the kind of error and its place in our code. Its message is not: it might quote
what is hidden, and the queue's server keeps what a job raises.
"""

import hmac
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from traceback import extract_tb
from typing import Any, ParamSpec

import msgspec

from domain.chance import Fast
from domain.court import RecordVerdict
from domain.events import read_event
from domain.game import MatchRefused, Refused, Seat
from domain.match import AnyMatch, Play
from replays.file import write
from replays.report import Report
from replays.verify import audit as verify_running
from replays.verify import verify
from service.audits import has_ended, with_snapshot
from service.log.client import CommandReused, LogUnavailable
from service.matches import AUDITOR, CommandId, NotYourTurn, StalePly, bot_author, game_of
from service.services import Services
from workers.bots.levels import LEVELS, random_move
from workers.process import services

P = ParamSpec("P")

logger = logging.getLogger("workers")


class JobFailed(Exception):
    """A job went wrong; says where, and nothing that could be secret."""


class Verdict(msgspec.Struct, frozen=True):
    """The outcome of an audit."""

    match: str
    audited_at: datetime
    report: Report


def job(function: Callable[P, None]) -> Callable[P, None]:
    """A function that the queue may call: what it raises is told without its message.

    An unreachable log is no failure of the job: what is due stays due, and the reconciler asks again.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except LogUnavailable as error:
            logger.warning("%s %s: %s", function.__name__, args, error)
        except Exception as error:
            logger.error("%s %s failed: %s", function.__name__, args, where(error))
            raise JobFailed(where(error)) from None

    return run


def where(error: BaseException) -> str:
    """The kind of an error and the place in the code where it came up."""
    frames = extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
    return f"{type(error).__name__} at {place}"


# -- a bot's turn -------------------------------------------------------------------------------------------------


@job
def play_bot(match: str, ply: int) -> None:
    """Make the move that a bot owes behind this ply. When the match has gone on, there is nothing to do."""
    head = services().matches.load(match)
    seat = bot_seat(head)
    if head.ply != ply or seat is None:
        return
    try:
        submit(services(), head, seat, choose(head, seat, services().secret))
    except Refused as refusal:
        logger.error("The bot at seat %d of match %s chose what is illegal (%s).", seat, match, refusal.code)
        submit(services(), head, seat, any_move(head, seat, services().secret))


def bot_seat(match: AnyMatch) -> Seat | None:
    """The first bot that owes a move."""
    return min((seat for seat in match.to_move if match.seats[seat].kind == "bot"), default=None)


def choose(match: AnyMatch, seat: Seat, secret: bytes) -> Any:
    """The move of the bot at this seat, always the same for the same ply.

    A strategy that falls over must not hold up the others at the table: then it is any legal move.
    """
    game, level = match.rules, LEVELS[match.seats[seat].level or "random"]
    view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
    try:
        return level.choose(game, view, seat, legal, luck(match, seat, secret))
    except Exception as error:
        logger.error("Level %s fell over at ply %d of match %s: %s.", level.name, match.ply, match.id, where(error))
        return any_move(match, seat, secret)


def any_move(match: AnyMatch, seat: Seat, secret: bytes) -> Any:
    """Any legal move of this seat."""
    game = match.rules
    view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
    return random_move(game, view, seat, legal, luck(match, seat, secret))


def luck(match: AnyMatch, seat: Seat, secret: bytes) -> Fast:
    """The bot's own luck at this ply: nobody else can foresee it, and a second run has the same."""
    return Fast(hmac.digest(secret, f"bot/v1|{match.id}|{match.ply}|{seat}".encode(), "sha256"))


def submit(services: Services, match: AnyMatch, seat: Seat, move: Any) -> None:
    """Play the move, unless somebody was faster. Raises Refused when it is illegal."""
    by = CommandId(bot_author(match.id, seat), f"turn-{match.ply}")
    try:
        services.matches.submit(match.id, Play(seat, msgspec.to_builtins(move)), by, expected=match.ply)
    except (StalePly, NotYourTurn, CommandReused):
        return


# -- audits -------------------------------------------------------------------------------------------------------


@job
def audit(match: str) -> None:
    """Verify a match that is over, from the log's own lines, and keep the verdict."""
    projections = services().projections
    row = projections.row(match)  # a log that somebody has damaged may not even fold
    if row is None or row.status != "over" or projections.verdict(match) is not None:
        return
    record(services(), match, examine_log(services(), match))


def examine_log(services: Services, match: str) -> Report:
    """The report on a match as its log holds it, its snapshot included."""
    lines = services.matches.lines(match)
    raw = replay_of(lines)
    report = verify(raw) if has_ended(lines) else verify_running(raw, services.log.seed(match))
    return with_snapshot(report, lines, services.log.read_snapshot(match))


def record(services: Services, match: str, report: Report) -> None:
    """Keep the verdict on a match that is over; one that failed is told loudly: log, metric, page and event."""
    verdict = Verdict(match, services.clock.now(), report)
    services.projections.record_verdict(match, msgspec.json.encode(verdict), failed=not report.ok)
    if report.ok:
        return
    logger.critical("AUDIT FAILED: match %s. %s", match, report.first.words() if report.first else report.verdict)
    try:
        write_verdict(services, match, None, report, "routine")
    except (Refused, CommandReused, LogUnavailable, ValueError, LookupError, msgspec.MsgspecError) as error:
        logger.critical("The verdict on match %s cannot stand in its log (%s).", match, type(error).__name__)


def write_verdict(services: Services, match: str, dispute: int | None, report: Report, purpose: str) -> None:
    """The verdict as an event: by layer, ply and rule, and nothing else."""
    failed = next((layer for layer in report.layers if layer.divergence and layer.divergence == report.first), None)
    where = (failed.name, report.first.ply, report.first.rule) if failed and report.first else (None, None, None)
    command = RecordVerdict(dispute, report.first is None, *where)
    services.matches.submit(match, command, CommandId(AUDITOR, purpose))


@job
def hear(match: str, dispute: int) -> None:
    """Audit a disputed match, running or over, and write the verdict into its log."""
    head = services().matches.load(match)
    waiting = next((each for each in head.disputes if each.number == dispute), None)
    if waiting is None or waiting.is_heard:
        return
    report = examine_log(services(), match)
    if head.status == "over":
        services().projections.record_verdict(
            match, msgspec.json.encode(Verdict(match, services().clock.now(), report)), failed=not report.ok
        )
    if report.first is not None:
        logger.critical("DISPUTE UPHELD: match %s, dispute %d, rule %s.", match, dispute, report.first.rule)
    try:
        write_verdict(services(), match, dispute, report, f"hear-{dispute}")
    except (MatchRefused, CommandReused):
        return  # another run of this job was faster


def replay_of(lines: Sequence[bytes]) -> bytes:
    """The replay file that holds these lines of the log as they are, byte for byte.

    Lines that cannot be read get no frame, and fail the audit by that.
    """
    body = [line + b"\n" for line in lines]
    try:
        game = game_of(lines)
        header, *_, closing = write([read_event(line, game) for line in lines])
    except Exception:  # damaged lines may make the rules fall over in any way
        return b"".join(body)
    return b"".join([header, *body, closing])
