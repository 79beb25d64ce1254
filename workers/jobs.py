"""The jobs: a bot's turn, an expiry, standing orders, an audit. Each may run twice, late, or for nothing.

What goes wrong in a job is logged as the kind of error and its place in our code. Its message is not: it might quote
what is hidden, and the queue's server keeps what a job raises.
"""

import hmac
import logging
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from traceback import extract_tb
from typing import Any, ParamSpec

import msgspec

from domain.game import MatchRefused, Refused, Seat
from domain.match import AnyMatch, Play
from service.audits import examine_log, keep, record, replay_of, write_verdict
from service.bot_moves import BotMove, note
from service.log.client import CommandReused, LogUnavailable
from service.log.errors import REDIS_ERRORS
from service.matches import CommandId, NotYourTurn, StalePly, bot_author
from service.services import Services
from workers.bots.levels import LEVELS, Choice, Sight, budget_of, random_move
from workers.process import services

P = ParamSpec("P")

__all__ = ["audit", "expire", "follow_orders", "hear", "play_bot", "replay_of"]

logger = logging.getLogger("workers")


class JobFailed(Exception):
    """A job went wrong; says where, and nothing that could be secret."""


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
    choice = choose(head, seat, services().secret, lambda: services().matches.known(head, seat))
    take_note(services(), head, seat, choice)
    try:
        submit(services(), head, seat, choice.move)
    except Refused as refusal:
        logger.error("The bot at seat %d of match %s chose what is illegal (%s).", seat, match, refusal.code)
        submit(services(), head, seat, any_move(head, seat, services().secret).move)


@job
def expire(match: str, ply: int) -> None:
    """Append what follows from a deadline that has passed. When the match has gone on, there is nothing to do."""
    head = services().matches.load(match)
    if head.ply == ply:
        services().matches.expire(head)
        services().matches.close_if_abandoned(head)


@job
def follow_orders(match: str, ply: int) -> None:
    """Do what seats have ordered for the turn behind this ply. When the match has gone on, there is nothing to do."""
    services().standing.follow(match, ply)


def bot_seat(match: AnyMatch) -> Seat | None:
    """The first bot that owes a move."""
    return min((seat for seat in match.to_move if match.seats[seat].plays is not None), default=None)


def choose(match: AnyMatch, seat: Seat, secret: bytes, facts: Callable[[], Sequence[Any]]) -> Choice:
    """The move of the bot at this seat, always the same for the same ply.

    A strategy that falls over must not hold up the others at the table: then it is any legal move.
    """
    level = LEVELS[match.seats[seat].plays or "random"]
    try:
        return level.choose(sight(match, seat, secret, facts), budget_of(level, match.rules), None)
    except Exception as error:
        logger.error("Level %s fell over at ply %d of match %s: %s.", level.name, match.ply, match.id, where(error))
        return any_move(match, seat, secret)


def any_move(match: AnyMatch, seat: Seat, secret: bytes) -> Choice:
    """Any legal move of this seat."""
    return random_move(sight(match, seat, secret, list))


def sight(match: AnyMatch, seat: Seat, secret: bytes, facts: Callable[[], Sequence[Any]]) -> Sight:
    """What the bot at this seat is shown."""
    game = match.rules
    return Sight(
        game=game,
        view=game.view(match.state, seat),
        seat=seat,
        legal=game.legal_moves(match.state, seat),
        facts=facts,
        seed=luck(match, seat, secret),
    )


def take_note(services: Services, match: AnyMatch, seat: Seat, choice: Choice) -> None:
    """Note what the choice came from. Nobody waits for it: where it fails, a move has no note."""
    level = LEVELS[match.seats[seat].plays or "random"]
    noted = BotMove(
        ply=match.ply + 1,
        seat=seat,
        level=level.name,
        engine=level.engine,
        version=level.version,
        budget=budget_of(level, match.rules),
        iterations=choice.thought.iterations if choice.thought else None,
        seed=luck(match, seat, services.secret),
    )
    try:
        note(services.redis, match.id, choice.move, noted)
    except REDIS_ERRORS as error:
        logger.warning("The move at ply %d of match %s goes without a note (%s).", noted.ply, match.id, where(error))


def luck(match: AnyMatch, seat: Seat, secret: bytes) -> str:
    """The seed of the bot's own luck at this ply: nobody else can foresee it, and a second run has the same."""
    return hmac.new(secret, f"bot/v1|{match.id}|{match.ply}|{seat}".encode(), "sha256").hexdigest()


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


@job
def hear(match: str, dispute: int) -> None:
    """Audit a disputed match, running or over, and write the verdict into its log."""
    head = services().matches.load(match)
    waiting = next((each for each in head.disputes if each.number == dispute), None)
    if waiting is None or waiting.is_heard:
        return
    report = examine_log(services(), match)
    if head.status == "over":
        keep(services(), match, report)
    if report.first is not None:
        logger.critical("DISPUTE UPHELD: match %s, dispute %d, rule %s.", match, dispute, report.first.rule)
    try:
        write_verdict(services(), match, dispute, report, f"hear-{dispute}")
    except (MatchRefused, CommandReused):
        return  # another run of this job was faster
