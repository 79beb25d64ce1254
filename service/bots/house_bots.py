"""Turns of house bots: the pending turn, its random seed, its move and the record of the decision.

Workers use this directly if they can reach the log, and through `/api/v1/house` if they run elsewhere.
"""

import hmac
import logging
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta
from redis import Redis

from domain.bots.search import Budget
from domain.kernel.game import Seat
from domain.match.bots import bot_decision
from domain.match.commands import Play
from domain.match.state import AnyMatch
from service.bots.decision_log import BotDecision, record_decision
from service.event_store.errors import REDIS_ERRORS
from service.matches.command_handler import MatchCommandHandler
from service.matches.repository import MatchRepository
from service.matches.results import CommandResult, IdempotencyKey, bot_author
from service.runtime.job_failures import JobFailures

logger = logging.getLogger("crumbtrail.house")


class DecisionNote(msgspec.Struct, frozen=True, kw_only=True):
    """How a bot chose a move: engine, version, budget, and the iterations completed."""

    engine: str
    version: int
    budget: Budget | None = None
    iterations: int | None = None


class BotTurn(msgspec.Struct, frozen=True):
    """The pending move of a house bot: at `seat`, after the match's last ply. `failures` counts failed attempts."""

    match: AnyMatch
    seat: Seat
    level: str
    seed: str
    """The seed of all the bot's random choices: unpredictable for others, and the same in every attempt."""
    failures: int

    @property
    def bot(self) -> str | None:
        """The recorded version of the bot's strategy; None under luck protocol 1."""
        return self.match.seats[self.seat].acting_bot_version


class BotTurnDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The pending turn of a house bot: everything its seat may know, and the seed of the bot's randomness."""

    match: str
    ply: int
    game: str
    rules_version: int
    seat: Seat
    level: str
    seed: Annotated[
        str, Meta(description="The seed of all the bot's random choices in this turn; the same for every worker.")
    ]
    bot: Annotated[
        str | None, Meta(description="The recorded version of the bot's strategy. Null under luck protocol 1.")
    ] = None
    failures: Annotated[int, Meta(description="Failed attempts at this turn.")]
    view: Any
    facts: Annotated[Any, Meta(description="All facts of the match that were not taken back, as the seat saw them.")]


class HouseBots:
    """The turns of the house bots."""

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
        """Return the pending bot turn after this ply, or None if there is none, nobody can move, or it is outdated.

        Raises MatchNotFound.
        """
        head = self._repository.load(match)
        seat = first_bot_to_move(head)
        if head.ply != ply or seat is None or head.has_changed_components:
            return None
        failures = self._failures.turn_failures(match, ply)
        return BotTurn(head, seat, head.seats[seat].acting_bot_level or "random", self._turn_seed(head, seat), failures)

    def _turn_seed(self, match: AnyMatch, seat: Seat) -> str:
        """Return the seed of the bot's randomness: from the match's secrets, or the service's under protocol 1."""
        return bot_decision(match, seat, self._repository.secrets(match)) or bot_seed(match, seat, self._secret)

    def known_facts(self, turn: BotTurn) -> list[Any]:
        """Return the facts that were not taken back, as the turn's seat saw them."""
        return self._repository.known_facts(turn.match, turn.seat)

    def turn_document(self, turn: BotTurn) -> BotTurnDocument:
        """Return the turn as a document for a remote worker."""
        head = turn.match
        return BotTurnDocument(
            match=head.id,
            ply=head.ply,
            game=head.game,
            rules_version=head.rules_version,
            seat=turn.seat,
            level=turn.level,
            seed=turn.seed,
            bot=turn.bot,
            failures=turn.failures,
            view=head.rules.view(head.state, turn.seat),
            facts=self.known_facts(turn),
        )

    def log_decision(self, turn: BotTurn, move: Any, thinking: DecisionNote) -> None:
        """Record how a bot chose a move (plain JSON). A failure is only logged; the move then has no record."""
        decision = BotDecision(
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
            record_decision(self._redis, turn.match.id, move, decision)
        except REDIS_ERRORS as error:
            kind = type(error).__name__
            logger.warning(
                "The bot's decision at ply %d of match %s was not recorded (%s).", decision.ply, turn.match.id, kind
            )

    def submit(self, match: str, ply: int, seat: Seat, move: Any, *, is_fallback: bool = False) -> CommandResult:
        """Play the bot's move (plain JSON) at this seat after this ply. Repeated calls have no further effect.

        `is_fallback` says that another move was chosen because the bot's strategy failed or is not installed.
        Raises what `MatchCommandHandler.submit` raises: StalePly if the match has moved on, CommandReused if the bot
        has made a different move there.
        """
        by = IdempotencyKey(bot_author(match, seat), f"turn-{ply}")
        command = Play(seat, move, seen=ply, fallback=True if is_fallback else UNSET)
        return self._commands.submit(match, command, by, expected=ply)


def first_bot_to_move(match: AnyMatch) -> Seat | None:
    """Return the lowest seat at which a bot has to move, or None."""
    return min((seat for seat in match.to_move if match.seats[seat].acting_bot_level is not None), default=None)


def bot_seed(match: AnyMatch, seat: Seat, secret: bytes) -> str:
    """Return the seed of the bot's own randomness at this ply, in a match with luck protocol 1."""
    return hmac.new(secret, f"bot/v1|{match.id}|{match.ply}|{seat}".encode(), "sha256").hexdigest()
