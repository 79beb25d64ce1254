"""The jobs: a bot's turn, an expiry, standing orders, an audit. Each may run twice, late, or for nothing.

Matches of the arena, which concern nobody, stand beside them.

What goes wrong in a job is logged as the kind of error and its place in our code. Its message is not: it might quote
what is hidden, and the queue's server keeps what a job raises.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec

import msgspec
from redis.exceptions import RedisClusterException, RedisError
from rq import get_current_job
from rq.timeouts import JobTimeoutException

from domain.kernel.refusals import MatchRefused, Refused
from domain.kernel.registry import UnknownGame
from service.event_store.errors import REDIS_ERRORS, CommandReused, LogUnavailable
from service.runtime.logs import error_location as where
from service.runtime.logs import log_context
from workers.arena.series import Series, play_and_record
from workers.bootstrap import get_services, get_turn_source, safe_message
from workers.bots.levels import LEVELS, BotChoice, budget_of, random_move
from workers.bots.turn_source import ApiUnavailable, BotTask, TokenRefused

P = ParamSpec("P")

__all__ = ["arena_match", "audit", "expire", "follow_orders", "hear", "play_bot"]

logger = logging.getLogger("workers")
access = logging.getLogger("crumbtrail.access")


class JobFailed(Exception):
    """A job went wrong; says where, and nothing that could be secret."""


def job(function: Callable[P, None]) -> Callable[P, None]:
    """A function that the queue may call: what it raises is told without its message.

    An unreachable log or interface is no failure of the job, however it shows: what is due stays due, and the
    reconciler asks again. So it is with a game that is not installed here: another worker may have it.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        present = get_current_job()
        with log_context(match=str(args[0]), job=present.id if present else None):
            begun = time.perf_counter()
            do(*args, **kwargs)
            fields = {"ms": round(1000 * (time.perf_counter() - begun), 1)}
            access.info("done", extra={"fields": fields})

    def do(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except UnknownGame as error:
            logger.warning("%s %s: %s", function.__name__, args, error)
        except (LogUnavailable, ApiUnavailable, RedisError, RedisClusterException) as error:
            logger.warning("%s %s: %s", function.__name__, args, safe_message(error))
        except TokenRefused:
            raise
        except Exception as error:
            logger.error("%s %s failed: %s", function.__name__, args, where(error))
            count_failure(function.__name__, args, hung=isinstance(error, JobTimeoutException))
            raise JobFailed(where(error)) from None

    return run


def count_failure(name: str, arguments: Sequence[Any], *, hung: bool = False) -> None:
    """Count a job that went wrong, for the operator; and its turn, so that it is tried in another way.

    An audit that was not done in its time (`hung`) is counted too, so that it does not hold up all others for ever.
    """
    if name == play_bot.__name__:
        match, ply = arguments
        get_turn_source().report_failure(match, ply)
    elif name != arena_match.__name__:
        with suppress(*REDIS_ERRORS):
            get_services().runtime.job_failures.record_failure(name)
            if hung and name in (audit.__name__, hear.__name__):
                count_slow_audit(str(arguments[0]))


def count_slow_audit(match: str) -> None:
    """Count an audit that was not done in its time; tell of a match whose audits rest from now on."""
    failures = get_services().runtime.job_failures
    failures.record_slow_audit(match)
    if failures.are_audits_suspended(match):
        logger.critical("Match %s takes too long to audit: no verdict. Run `crumbtrail audit %s`.", match, match)


# -- a bot's turn -------------------------------------------------------------------------------------------------

MAX_LEVEL_TRIES = 1
"""How often a bot's level is tried at one turn. What failed so often is any legal move."""
MAX_TRIES = 3
"""How often a turn is tried at all. What failed so often is resigned: nobody shall wait for ever."""


@job
def play_bot(match: str, ply: int) -> None:
    """Make the move that a bot owes behind this ply. When the match has gone on, there is nothing to do."""
    task = get_turn_source().owed_turn(match, ply)
    if task is None:
        return
    choice = choose_move(task)
    try:
        get_turn_source().play(task, choice)
    except Refused as refusal:
        logger.error("The bot at seat %d of match %s chose what is illegal (%s).", task.seat, match, refusal.code)
        get_turn_source().play(task, fallback_move(task))


def choose_move(task: BotTask) -> BotChoice:
    """The move of the bot whose turn it is, always the same for the same ply.

    A strategy that falls over must not hold up the others at the table: then it is any legal move. Where even that has
    not worked the bot resigns.
    """
    if task.failures >= MAX_TRIES:
        logger.error("The bot at seat %d of match %s resigns: no move of its works.", task.seat, task.match)
        return BotChoice(task.game.read_move({"type": "resign"}), is_fallback=True)
    if task.failures >= MAX_LEVEL_TRIES:
        return fallback_move(task)
    level = LEVELS[task.level]
    try:
        return level.choose(task.build_input(), budget_of(level, task.game), None)
    except LogUnavailable:
        raise  # the facts could not be read: no fault of the strategy's
    except Exception as error:
        logger.error("Level %s fell over at ply %d of match %s: %s.", level.name, task.ply, task.match, where(error))
        get_turn_source().report_failure(task.match, task.ply)
        return fallback_move(task)


def fallback_move(task: BotTask) -> BotChoice:
    """Any legal move of this seat, in place of its level's own."""
    return BotChoice(random_move(task.build_input()).move, is_fallback=True)


# -- deadlines ----------------------------------------------------------------------------------------------------


@job
def expire(match: str, ply: int) -> None:
    """Append what follows from a deadline that has passed. When the match has gone on, there is nothing to do."""
    head = get_services().matches.repository.load(match)
    if head.ply == ply:
        get_services().matches.commands.expire_overdue(head)
        get_services().matches.commands.close_if_abandoned(head)


@job
def follow_orders(match: str, ply: int) -> None:
    """Do what seats have ordered for the turn behind this ply. When the match has gone on, there is nothing to do."""
    get_services().matches.order_executor.execute(match, ply)


# -- audits -------------------------------------------------------------------------------------------------------


@job
def audit(match: str) -> None:
    """Verify a match that is over, from the log's own lines, and keep the verdict."""
    read_models = get_services().read_models
    row = read_models.lists.find_match(match)  # a log that somebody has damaged may not even fold
    if row is None or row.status != "over" or read_models.verdicts.find(match) is not None:
        return
    if get_services().runtime.job_failures.are_audits_suspended(match):
        return
    get_services().verification.auditor.record(match, get_services().verification.auditor.audit(match))


@job
def hear(match: str, dispute: int) -> None:
    """Audit a disputed match, running or over, and write the verdict into its log."""
    head = get_services().matches.repository.load(match)
    waiting = next((each for each in head.disputes if each.number == dispute), None)
    if waiting is None or waiting.has_verdict or get_services().runtime.job_failures.are_audits_suspended(match):
        return
    report = get_services().verification.auditor.audit(match)
    if head.status == "over":
        get_services().verification.auditor.store(match, report)
    if report.first is not None:
        logger.critical("DISPUTE UPHELD: match %s, dispute %d, rule %s.", match, dispute, report.first.rule)
    try:
        get_services().verification.auditor.append_verdict(match, dispute, report, f"hear-{dispute}")
    except (MatchRefused, CommandReused):
        return  # another run of this job was faster


# -- the arena ----------------------------------------------------------------------------------------------------


def arena_match(series: str, number: int) -> str:
    """Play a match of the arena; gives it as JSON. Nothing in it is hidden from anybody."""
    return msgspec.json.encode(play_and_record(msgspec.json.decode(series, type=Series), number)).decode()
