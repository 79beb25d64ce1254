"""The jobs of matches: bot turns, expiries, standing orders, audits, and arena matches.

Each may run twice, late, or with nothing to do. A failed job logs the type of the error and its location in our code.
The message is left out because it might quote hidden facts, and the queue's server stores the errors of a job.
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

from domain.bots.levels import LEVELS, BotChoice, budget_of, random_move
from domain.kernel.refusals import MatchRefused, Refused
from domain.kernel.registry import UnknownGame
from service.event_store.errors import REDIS_ERRORS, CommandReused, LogUnavailable
from service.matches.errors import PositionLost
from service.runtime.error_hook import report_error
from service.runtime.logs import error_location as where
from service.runtime.logs import log_context, present_context
from workers.arena.series import Series, play_and_record
from workers.bootstrap import get_services, get_turn_source, safe_message
from workers.bots.turn_source import ApiUnavailable, BotTask, TokenRefused

P = ParamSpec("P")

__all__ = ["arena_match", "audit", "expire", "follow_orders", "hear", "play_bot"]

logger = logging.getLogger("workers")
access = logging.getLogger("crumbtrail.access")


class JobFailed(Exception):
    """Raised for a failed job. The message is the location in our code, without secrets."""


def job(function: Callable[P, None]) -> Callable[P, None]:
    """Decorate a function that the queue may call: log its errors without their messages.

    An unreachable log or API does not count as a failure. The work stays due and the reconciler retries it. The same
    goes for a game that is not installed here, or has other component data: another worker may have it.
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
        except (UnknownGame, PositionLost) as error:
            logger.warning("%s %s: %s", function.__name__, args, error)
        except (LogUnavailable, ApiUnavailable, RedisError, RedisClusterException) as error:
            logger.warning("%s %s: %s", function.__name__, args, safe_message(error))
        except TokenRefused:
            raise
        except Exception as error:
            logger.error("%s %s failed: %s", function.__name__, args, where(error))
            report_error(error, function.__name__, present_context())
            count_failure(function.__name__, args, hung=isinstance(error, JobTimeoutException))
            raise JobFailed(where(error)) from None

    return run


def count_failure(name: str, arguments: Sequence[Any], *, hung: bool = False) -> None:
    """Count a failed job for the operator. For a bot's turn, report the failure so that the next try is simpler.

    An audit that exceeded its time limit (`hung`) is also counted per match, so it can't block other audits forever.
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
    """Count an audit that exceeded its time limit, and log when the match's audits are suspended."""
    failures = get_services().runtime.job_failures
    failures.record_slow_audit(match)
    if failures.are_audits_suspended(match):
        logger.critical("Match %s takes too long to audit. Run `crumbtrail audit %s` for a verdict.", match, match)


# -- a bot's turn -------------------------------------------------------------------------------------------------

MAX_LEVEL_TRIES = 1
"""After this many failures in a turn, the bot makes a random legal move instead of its level's choice."""
MAX_TRIES = 3
"""After this many failures in a turn, the bot resigns, so that opponents don't wait forever."""


@job
def play_bot(match: str, ply: int) -> None:
    """Play a bot's turn after this ply. Does nothing if the match has advanced."""
    task = get_turn_source().owed_turn(match, ply)
    if task is None:
        return
    choice = choose_move(task)
    try:
        get_turn_source().play(task, choice)
    except Refused as refusal:
        logger.error("The bot in seat %d of match %s chose an illegal move (%s).", task.seat, match, refusal.code)
        get_turn_source().play(task, fallback_move(task))


def choose_move(task: BotTask) -> BotChoice:
    """Return the bot's move. It is always the same for the same ply.

    If the level fails, the bot makes a random legal move so that the other players can continue. If that fails too, it
    resigns.
    """
    if task.failures >= MAX_TRIES:
        logger.error("The bot in seat %d of match %s resigns: all its moves failed.", task.seat, task.match)
        return BotChoice(task.game.read_move({"type": "resign"}), is_fallback=True)
    if task.failures >= MAX_LEVEL_TRIES:
        return fallback_move(task)
    if task.is_outdated:
        logger.warning("The bot %s of match %s is not installed; another version moves.", task.bot, task.match)
    level = LEVELS[task.level]
    try:
        bot_input = task.build_input()
        return level.choose(bot_input, budget_of(level, task.game, bot_input.view), None)
    except LogUnavailable:
        raise  # the log is unreachable, so the level is not at fault
    except Exception as error:
        logger.error("Level %s failed at ply %d of match %s: %s.", level.name, task.ply, task.match, where(error))
        get_turn_source().report_failure(task.match, task.ply)
        return fallback_move(task)


def fallback_move(task: BotTask) -> BotChoice:
    """Return a random legal move for the seat."""
    return BotChoice(random_move(task.build_input()).move, is_fallback=True)


# -- deadlines ----------------------------------------------------------------------------------------------------


@job
def expire(match: str, ply: int) -> None:
    """Append the events of an expired deadline, and take banned players out of a match that has not started.

    Does nothing if the match has advanced.
    """
    head = get_services().matches.repository.load(match)
    if head.ply == ply:
        get_services().matches.commands.expire_overdue(head)
        get_services().matches.commands.close_if_abandoned(head)
        get_services().matches.commands.remove_banned(head)
        get_services().matches.commands.close_unresolved_disputes(head)


@job
def follow_orders(match: str, ply: int) -> None:
    """Execute the standing orders for the current turn, even if the match has advanced since this ply."""
    get_services().matches.order_executor.execute(match, ply)


# -- audits -------------------------------------------------------------------------------------------------------


@job
def audit(match: str) -> None:
    """Audit a finished match from the lines of the log and store the verdict."""
    read_models = get_services().read_models
    row = read_models.lists.find_match(match)  # not from the log: a damaged one may not fold
    if row is None or row.status != "over" or read_models.verdicts.find(match) is not None:
        return
    if get_services().runtime.job_failures.are_audits_suspended(match):
        return
    get_services().verification.auditor.record(match, get_services().verification.auditor.audit(match))


@job
def hear(match: str, dispute: int) -> None:
    """Audit a disputed match, running or finished, and append the verdict to its log."""
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
    """Play an arena match and return its record as JSON. It contains no hidden information."""
    return msgspec.json.encode(play_and_record(msgspec.json.decode(series, type=Series), number)).decode()
