"""The house's bots at work: the turn that one owes, its luck, its move, and what is noted of it.

A worker needs nothing else, be it beside the log or on another machine, behind `/api/v1/house`.
"""

import hmac
import logging
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from redis import Redis

from domain.kernel.game import Seat
from domain.match.commands import Play
from domain.match.state import AnyMatch
from service.bots.decision_log import BotDecision, Budget, record_decision
from service.event_store.errors import REDIS_ERRORS
from service.matches.command_handler import MatchCommandHandler
from service.matches.repository import MatchRepository
from service.matches.results import CommandResult, IdempotencyKey, bot_author
from service.runtime.job_failures import JobFailures

logger = logging.getLogger("crumbtrail.house")


class DecisionNote(msgspec.Struct, frozen=True, kw_only=True):
    """How a bot came to a move: engine, version, budget, and what it made of it."""

    engine: str
    version: int
    budget: Budget | None = None
    iterations: int | None = None


class BotTurn(msgspec.Struct, frozen=True):
    """What a house bot owes: a move behind `head`, at `seat`. `failures` is how often that has gone wrong already."""

    match: AnyMatch
    seat: Seat
    level: str
    seed: str
    """All of the bot's luck: nobody else can foresee it, and a second run has the same."""
    failures: int


class BotTurnDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that a house bot owes, with all that its seat may know, and the seed of the bot's luck."""

    match: str
    ply: int
    game: str
    rules_version: int
    seat: Seat
    level: str
    seed: Annotated[str, Meta(description="All of the bot's luck at this ply: the same for every worker.")]
    failures: Annotated[int, Meta(description="How often this turn has gone wrong already.")]
    view: Any
    facts: Annotated[Any, Meta(description="All that count, as the seat was told them.")]


class HouseBots:
    """The turns of the house's bots."""

    def __init__(
        self,
        redis: Redis,
        repository: MatchRepository,
        commands: MatchCommandHandler,
        failures: JobFailures,
        secret: bytes,
    ) -> None:
        self._redis = redis
        self._repository = repository
        self._commands = commands
        self._failures = failures
        self._secret = secret

    def owed_turn(self, match: str, ply: int) -> BotTurn | None:
        """The turn that a bot owes behind this ply; None when the match has gone on. Raises MatchNotFound."""
        head = self._repository.load(match)
        seat = first_bot_to_move(head)
        if head.ply != ply or seat is None:
            return None
        failures = self._failures.turn_failures(match, ply)
        return BotTurn(
            head, seat, head.seats[seat].acting_bot_level or "random", bot_seed(head, seat, self._secret), failures
        )

    def known_facts(self, turn: BotTurn) -> list[Any]:
        """The facts that count, as the turn's seat was told them."""
        return self._repository.known_facts(turn.match, turn.seat)

    def turn_document(self, turn: BotTurn) -> BotTurnDocument:
        """The turn for a worker elsewhere."""
        head = turn.match
        return BotTurnDocument(
            match=head.id,
            ply=head.ply,
            game=head.game,
            rules_version=head.rules_version,
            seat=turn.seat,
            level=turn.level,
            seed=turn.seed,
            failures=turn.failures,
            view=head.rules.view(head.state, turn.seat),
            facts=self.known_facts(turn),
        )

    def log_decision(self, turn: BotTurn, move: Any, thinking: DecisionNote) -> None:
        """Note what a move (plain JSON) came from. Nobody waits for it: where it fails, a move has no note."""
        noted = BotDecision(
            ply=turn.match.ply + 1,
            seat=turn.seat,
            level=turn.level,
            engine=thinking.engine,
            version=thinking.version,
            budget=thinking.budget,
            iterations=thinking.iterations,
            seed=turn.seed,
        )
        try:
            record_decision(self._redis, turn.match.id, move, noted)
        except REDIS_ERRORS as error:
            kind = type(error).__name__
            logger.warning("The move at ply %d of match %s goes without a note (%s).", noted.ply, turn.match.id, kind)

    def submit(self, match: str, ply: int, seat: Seat, move: Any) -> CommandResult:
        """Play the move (plain JSON) that the bot at this seat owes behind this ply, once, however often it is asked.

        Raises what `Matches.submit` raises: StalePly where the match has gone on, CommandReused where the bot has made
        another move there.
        """
        by = IdempotencyKey(bot_author(match, seat), f"turn-{ply}")
        return self._commands.submit(match, Play(seat, move), by, expected=ply)


def first_bot_to_move(match: AnyMatch) -> Seat | None:
    """The first bot that owes a move."""
    return min((seat for seat in match.to_move if match.seats[seat].acting_bot_level is not None), default=None)


def bot_seed(match: AnyMatch, seat: Seat, secret: bytes) -> str:
    """The seed of the bot's own luck at this ply."""
    return hmac.new(secret, f"bot/v1|{match.id}|{match.ply}|{seat}".encode(), "sha256").hexdigest()
