"""The composition root: every part of the service, put together once for a process."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from redis import Redis

from service.accounts.arbiters import Arbiters
from service.accounts.magic_links import MagicLinks
from service.accounts.players import Players
from service.accounts.sessions import Sessions
from service.bots.house_bots import HouseBots
from service.disputes.signing_keys import SigningKeys
from service.disputes.statements import DisputeStatements
from service.event_store.connect import connect
from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.log import MatchLog
from service.matches.command_handler import MatchCommandHandler
from service.matches.invitations import Invitations
from service.matches.rematches import Rematches
from service.matches.standing_orders import StandingOrderExecutor, StandingOrders
from service.notifications.one_off_tasks import OneOffTask, OneOffTasks
from service.notifications.outbox import Outbox
from service.notifications.preferences import NotificationPreferences
from service.read_models.projections import Projections
from service.read_models.ratings import Ratings
from service.runtime.clock import Clock, FileClock, SystemClock
from service.runtime.durability_status import DurabilityStatus
from service.runtime.heartbeat import DispatcherHeartbeat
from service.runtime.job_failures import JobFailures
from service.runtime.rate_limits import RateLimiter
from service.runtime.settings import Settings
from service.streaming.match_subscriptions import MatchSubscriptions
from service.streaming.turn_subscriptions import TurnSubscriptions
from service.verification.imported_matches import ImportedMatches

WEBHOOK_TEST_LIFETIME = timedelta(minutes=10)
"""How long a test of a webhook makes sense."""


@dataclass(frozen=True)
class Services:
    """What the edge and the workers work with."""

    settings: Settings
    clock: Clock
    redis: Redis
    log: MatchLog
    matches: MatchCommandHandler
    players: Players
    sessions: Sessions
    projections: Projections
    ratings: Ratings
    invitations: Invitations
    match_subscriptions: MatchSubscriptions
    turn_subscriptions: TurnSubscriptions
    signing_keys: SigningKeys
    arbiters: Arbiters
    dispute_statements: DisputeStatements
    rematches: Rematches
    imported_matches: ImportedMatches
    outbox: Outbox
    preferences: NotificationPreferences
    one_off_tasks: OneOffTasks
    magic_links: MagicLinks
    job_failures: JobFailures
    heartbeat: DispatcherHeartbeat
    house_bots: HouseBots
    rate_limiter: RateLimiter
    standing_orders: StandingOrders
    order_executor: StandingOrderExecutor
    durability_status: DurabilityStatus
    secret: bytes

    def erase_player(self, player: str) -> None:
        """Forget a player: name, tokens, sessions, address, wishes, webhook, orders.

        It may break off anywhere, and is then done again from the start. What acts for the player goes before the
        record, so that nothing does once that is gone; sessions go last, since one tells who asks again.
        """
        self._revoke_access(player)
        self.players.erase(player)
        self._revoke_access(player)  # another browser could make and order things until then
        self.sessions.end_all(player)

    def _revoke_access(self, player: str) -> None:
        """Forget what acts for a player, tells them something, or lets somebody in as them, but for sessions."""
        address = self.preferences.get(player).address
        self.magic_links.forget(player, address.text if address else None)
        self.preferences.erase(player)
        self.players.revoke_all(player)
        self.standing_orders.erase_player(player)

    def enqueue_webhook_test(self, player: str) -> bool:
        """Have a player's webhook called once, to see how it goes; False when there is none. Raises TooMany."""
        if self.preferences.get(player).webhook is None:
            return False
        self.rate_limiter.count_webhook_test_of(player)
        until = self.clock.now() + WEBHOOK_TEST_LIFETIME
        self.one_off_tasks.enqueue(OneOffTask(id=secrets.token_hex(16), what="test", until=until, player=player))
        return True


def build_services(settings: Settings, clock: Clock | None = None) -> Services:
    """The services of this process. Raises LogUnavailable when the log cannot be reached."""
    if settings.log_url is None:
        raise ValueError("no log: set CRUMBTRAIL_LOG_URL, or let `crumbtrail up` start the embedded server")
    clock = clock or (FileClock(settings.clock_file) if settings.clock_file else SystemClock())
    redis = cast(Redis, connect(settings.log_url))  # the client of a cluster has the same methods
    log = MatchLog(redis, settings.replicas, connect(settings.seed_url) if settings.seed_url else None)
    log.ping()
    with redis_errors_as_unavailable():
        secret = load_shared_secret(redis)
    arbiters, archive, failures = Arbiters(redis), ImportedMatches(redis, log), JobFailures(redis)
    projections = Projections(redis)
    limits = RateLimiter(redis, clock, settings.limits, projections.count_open_matches)
    matches = MatchCommandHandler(log, clock, secret, arbiters.is_arbiter, archive.contains, limits.count_new_match_of)
    players = Players(redis, clock, settings.replicas)
    orders, errands = StandingOrders(redis), OneOffTasks(redis, clock)
    return Services(
        settings=settings,
        clock=clock,
        redis=redis,
        log=log,
        matches=matches,
        players=players,
        sessions=Sessions(redis, clock),
        projections=projections,
        ratings=Ratings(redis),
        invitations=Invitations(secret, redis),
        match_subscriptions=MatchSubscriptions(log, matches, players),
        turn_subscriptions=TurnSubscriptions(log, projections),
        signing_keys=SigningKeys(redis, clock),
        arbiters=arbiters,
        dispute_statements=DisputeStatements(redis),
        rematches=Rematches(redis),
        imported_matches=archive,
        outbox=Outbox(redis),
        preferences=NotificationPreferences(redis, clock, secret),
        one_off_tasks=errands,
        magic_links=MagicLinks(redis, clock, secret, errands),
        job_failures=failures,
        heartbeat=DispatcherHeartbeat(redis),
        house_bots=HouseBots(redis, matches, failures, secret),
        rate_limiter=limits,
        standing_orders=orders,
        order_executor=StandingOrderExecutor(orders, matches),
        durability_status=DurabilityStatus(redis, settings.replicas),
        secret=secret,
    )


def load_shared_secret(redis: Redis) -> bytes:
    """The secret that all processes share, for sessions, invitations, ids of matches and more; made on first use."""
    redis.set("ct:secret", secrets.token_bytes(32), nx=True)
    return cast(bytes, redis.get("ct:secret"))
