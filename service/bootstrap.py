"""The composition root: builds the collaborators of a process once, in one group per package.

`api`, `web`, `cli` and the workers take what they need from `Services`. Modules below them receive only the
collaborators that they use, never all of `Services`.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from redis import Redis

from domain.kernel.refusals import MatchRefused
from service.accounts.arbiters import Arbiters
from service.accounts.erasure import PlayerEraser
from service.accounts.magic_links import MagicLinks
from service.accounts.name_notices import NameNotices
from service.accounts.players import Players
from service.accounts.sessions import Sessions
from service.accounts.unique_names import NameSources, UniqueNames
from service.bots.house_bots import HouseBots
from service.disputes.signing_keys import SigningKeys
from service.disputes.statements import DisputeStatements
from service.event_store.connect import connect, connect_seeds
from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.keys import SECRET_KEY
from service.event_store.log import MatchLog
from service.event_store.log_format import open_log_format
from service.matches.command_handler import MatchCommandHandler
from service.matches.continuations import MatchContinuer
from service.matches.creation import MatchCreator
from service.matches.imported_matches import ImportedMatches
from service.matches.invitations import Invitations
from service.matches.order_execution import StandingOrderExecutor
from service.matches.rematches import Rematches
from service.matches.repository import MatchRepository
from service.matches.seat_limits import SeatLimits
from service.matches.standing_orders import StandingOrders
from service.moderation.actions import ModerationActions
from service.moderation.journal import ModerationLog
from service.moderation.lobbies import LobbyLeaver
from service.moderation.moderators import Moderators
from service.moderation.reports import Reports
from service.moderation.sanctions import Sanctions
from service.notifications.one_off_tasks import OneOffTasks
from service.notifications.outbox import Outbox
from service.notifications.preferences import NotificationPreferences
from service.notifications.webhook_tests import WebhookTests
from service.read_models.discards import Discards
from service.read_models.join_limits import JoinLimits
from service.read_models.lapses import Lapses
from service.read_models.match_lists import MatchLists
from service.read_models.profiles import Profiles
from service.read_models.progress import FeedProgress
from service.read_models.rating_trust import TrustStore
from service.read_models.ratings import Ratings
from service.read_models.results import ResultFeed
from service.read_models.verdicts import AuditVerdicts
from service.read_models.work_lists import WorkLists
from service.read_models.writer import ProjectionWriter
from service.runtime.clock import Clock, FileClock, SystemClock
from service.runtime.durability_status import DurabilityStatus
from service.runtime.heartbeat import DispatcherHeartbeat
from service.runtime.job_failures import JobFailures
from service.runtime.log_metrics import LogServerMetrics
from service.runtime.rate_limits import RateLimiter
from service.runtime.readiness import ReadinessCheck
from service.runtime.settings import Settings
from service.streaming.match_subscriptions import MatchSubscriptions
from service.streaming.turn_subscriptions import TurnSubscriptions
from service.verification.audits import Auditor
from service.verification.uploads import UploadVerifier


@dataclass(frozen=True)
class RuntimeServices:
    """Services that every process needs: settings, the clock, the Redis client and the state of the processes."""

    settings: Settings
    clock: Clock
    redis: Redis
    secret: bytes
    """The secret shared by all processes, from `load_shared_secret`."""
    rate_limiter: RateLimiter
    durability_status: DurabilityStatus
    readiness: ReadinessCheck
    log_metrics: LogServerMetrics
    job_failures: JobFailures
    heartbeat: DispatcherHeartbeat


@dataclass(frozen=True)
class AccountServices:
    """Players and how they sign in."""

    players: Players
    sessions: Sessions
    magic_links: MagicLinks
    arbiters: Arbiters
    eraser: PlayerEraser
    name_notices: NameNotices
    unique_names: UniqueNames


@dataclass(frozen=True)
class MatchServices:
    """Matches: reading them, changing them, and inviting people to them."""

    repository: MatchRepository
    creation: MatchCreator
    commands: MatchCommandHandler
    imported: ImportedMatches
    invitations: Invitations
    rematches: Rematches
    continuations: MatchContinuer
    standing_orders: StandingOrders
    order_executor: StandingOrderExecutor


@dataclass(frozen=True)
class ReadModels:
    """Data derived from all matches."""

    writer: ProjectionWriter
    progress: FeedProgress
    lists: MatchLists
    work: WorkLists
    verdicts: AuditVerdicts
    results: ResultFeed
    ratings: Ratings
    rating_trust: TrustStore
    profiles: Profiles
    discards: Discards


@dataclass(frozen=True)
class NotificationServices:
    """Messages to players and their notification preferences."""

    outbox: Outbox
    preferences: NotificationPreferences
    one_off_tasks: OneOffTasks
    webhook_tests: WebhookTests


@dataclass(frozen=True)
class DisputeServices:
    """Statements about disputed matches, and the keys that sign replay files."""

    statements: DisputeStatements
    signing_keys: SigningKeys


@dataclass(frozen=True)
class ModerationServices:
    """Reports, sanctions, and the actions of moderators."""

    moderators: Moderators
    sanctions: Sanctions
    reports: Reports
    log: ModerationLog
    actions: ModerationActions


@dataclass(frozen=True)
class StreamingServices:
    """Subscriptions to the events of a match and to a player's turns."""

    matches: MatchSubscriptions
    turns: TurnSubscriptions


@dataclass(frozen=True)
class VerificationServices:
    """Audits of the matches on this server, and checks of uploaded files."""

    auditor: Auditor
    uploads: UploadVerifier


@dataclass(frozen=True)
class Services:
    """The collaborators of `api`, `web`, `cli` and the workers."""

    runtime: RuntimeServices
    log: MatchLog
    accounts: AccountServices
    matches: MatchServices
    read_models: ReadModels
    notifications: NotificationServices
    disputes: DisputeServices
    moderation: ModerationServices
    house_bots: HouseBots
    streaming: StreamingServices
    verification: VerificationServices

    @property
    def live(self) -> MatchSubscriptions:
        """The former name of `streaming.matches`. A running gunicorn of 0.1 uses it after a reload."""
        return self.streaming.matches


def build_services(settings: Settings, clock: Clock | None = None) -> Services:
    """Return the services of this process. Raises LogUnavailable when the log cannot be reached, and NewerLogFormat."""
    if settings.log_url is None:
        raise ValueError(
            "No log server is set. Set CRUMBTRAIL_LOG_URL, or run `crumbtrail up` for the embedded server."
        )
    clock = clock or (FileClock(settings.clock_file) if settings.clock_file else SystemClock())
    redis = cast(Redis, connect(settings.log_url))  # the client of a cluster has the same methods
    log = MatchLog(redis, settings.replicas, connect_seeds(settings.seed_url))
    log.ping()
    open_log_format(redis)
    runtime = build_runtime(settings, clock, redis, log)
    notifications = build_notifications(runtime)
    accounts = build_accounts(runtime, notifications)
    matches = build_matches(runtime, log, accounts.arbiters)
    read_models = build_read_models(runtime, accounts)
    disputes = DisputeServices(statements=DisputeStatements(redis), signing_keys=SigningKeys(redis, clock))
    return Services(
        runtime=runtime,
        log=log,
        accounts=accounts,
        matches=matches,
        read_models=read_models,
        notifications=notifications,
        disputes=disputes,
        moderation=build_moderation(runtime, accounts, notifications, matches, read_models),
        house_bots=HouseBots(redis, matches.repository, matches.commands, runtime.job_failures, runtime.secret),
        streaming=StreamingServices(
            matches=MatchSubscriptions(log, matches.repository, accounts.players),
            turns=TurnSubscriptions(log, read_models.lists, read_models.progress),
        ),
        verification=VerificationServices(
            auditor=Auditor(log, matches.repository, matches.commands, read_models.verdicts, clock),
            uploads=UploadVerifier(disputes.signing_keys, log, matches.imported),
        ),
    )


def build_runtime(settings: Settings, clock: Clock, redis: Redis, log: MatchLog) -> RuntimeServices:
    """Return the runtime services. Raises LogUnavailable."""
    with redis_errors_as_unavailable():
        secret = load_shared_secret(redis)
    durability_status = DurabilityStatus(redis, settings.replicas, settings.log_servers)
    return RuntimeServices(
        settings=settings,
        clock=clock,
        redis=redis,
        secret=secret,
        rate_limiter=RateLimiter(redis, clock, settings.limits, MatchLists(redis).count_open_matches),
        durability_status=durability_status,
        readiness=ReadinessCheck(settings, clock, redis, log, durability_status),
        log_metrics=LogServerMetrics(settings, redis),
        job_failures=JobFailures(redis),
        heartbeat=DispatcherHeartbeat(redis),
    )


def build_notifications(runtime: RuntimeServices) -> NotificationServices:
    """Return the notification services."""
    preferences = NotificationPreferences(runtime.redis, runtime.clock, runtime.secret)
    tasks = OneOffTasks(runtime.redis, runtime.clock)
    return NotificationServices(
        outbox=Outbox(runtime.redis),
        preferences=preferences,
        one_off_tasks=tasks,
        webhook_tests=WebhookTests(preferences, tasks, runtime.rate_limiter, runtime.clock),
    )


def build_accounts(runtime: RuntimeServices, notifications: NotificationServices) -> AccountServices:
    """Return the account services."""
    redis, clock = runtime.redis, runtime.clock
    players = Players(redis, clock, runtime.settings.replicas)
    sessions = Sessions(redis, clock)
    links = MagicLinks(redis, clock, runtime.secret, notifications.one_off_tasks)
    orders, notices = StandingOrders(redis), NameNotices(redis, clock)

    def erase_moderation(player: str) -> None:
        Sanctions(redis, clock).erase(player)
        Reports(redis, clock).erase_author(player)
        Moderators(redis).remove(player)
        notices.dismiss(player)

    return AccountServices(
        players=players,
        sessions=sessions,
        magic_links=links,
        arbiters=Arbiters(redis),
        eraser=PlayerEraser(players, sessions, links, notifications.preferences, orders.erase_player, erase_moderation),
        name_notices=notices,
        unique_names=UniqueNames(NameSources(redis, players, notices, MatchLists(redis).first_match_at)),
    )


def build_moderation(
    runtime: RuntimeServices,
    accounts: AccountServices,
    notifications: NotificationServices,
    matches: MatchServices,
    read_models: ReadModels,
) -> ModerationServices:
    """Return the moderation services."""
    redis, clock = runtime.redis, runtime.clock
    moderators, sanctions, reports, log = (
        Moderators(redis),
        Sanctions(redis, clock),
        Reports(redis, clock),
        ModerationLog(redis),
    )
    actions = ModerationActions(
        accounts.players,
        accounts.sessions,
        accounts.name_notices,
        moderators,
        sanctions,
        reports,
        log,
        clock,
        matches.standing_orders.erase_player,
        notifications.preferences.remove_webhook,
        LobbyLeaver(read_models.lists, matches.repository, matches.commands).leave,
        read_models.rating_trust,
    )
    return ModerationServices(moderators=moderators, sanctions=sanctions, reports=reports, log=log, actions=actions)


def rated_guard(runtime: RuntimeServices) -> Callable[[str], None]:
    """Return a function that raises MatchRefused for a player who may not play rated matches now."""
    discards = Discards(runtime.redis)

    def require_rated_allowed(player: str) -> None:
        until = discards.rated_again_at(player, runtime.clock.now())
        if until is not None:
            raise MatchRefused(
                "rated_suspended",
                "You didn't open your share in a rated match, so you can't play rated matches until "
                f"{until:%d %B %Y, %H:%M} UTC. You can play unrated matches.",
            )

    return require_rated_allowed


def build_matches(runtime: RuntimeServices, log: MatchLog, arbiters: Arbiters) -> MatchServices:
    """Return the match services."""
    redis = runtime.redis
    imported, orders = ImportedMatches(redis, log), StandingOrders(redis)
    repository = MatchRepository(log)
    count_new, require_rated_allowed = runtime.rate_limiter.count_new_match_of, rated_guard(runtime)
    sanctions = Sanctions(redis, runtime.clock)
    require_may_join = sanctions.require_may_join
    below_limit = JoinLimits(Lapses(redis), MatchLists(redis), runtime.clock).require_below_limit
    creation = MatchCreator(
        log, repository, runtime.clock, runtime.secret, count_new, require_rated_allowed, require_may_join, below_limit
    )
    commands = MatchCommandHandler(
        log,
        repository,
        runtime.clock,
        arbiters.is_arbiter,
        imported.contains,
        runtime.secret,
        require_rated_allowed,
        require_may_join,
        SeatLimits(redis, runtime.clock, runtime.secret, runtime.settings.limits, repository.load),
        below_limit,
        sanctions.is_banned,
    )
    return MatchServices(
        repository=repository,
        creation=creation,
        commands=commands,
        imported=imported,
        invitations=Invitations(runtime.secret, redis),
        rematches=Rematches(redis),
        continuations=MatchContinuer(repository, creation),
        standing_orders=orders,
        order_executor=StandingOrderExecutor(orders, repository, commands),
    )


def build_read_models(runtime: RuntimeServices, accounts: AccountServices) -> ReadModels:
    """Return the read models."""
    redis = runtime.redis
    lists, ratings, trust = MatchLists(redis), Ratings(redis), TrustStore(redis)
    return ReadModels(
        writer=ProjectionWriter(redis),
        progress=FeedProgress(redis),
        lists=lists,
        work=WorkLists(redis),
        verdicts=AuditVerdicts(redis),
        results=ResultFeed(redis),
        ratings=ratings,
        rating_trust=trust,
        profiles=Profiles(accounts.players, lists, ratings, runtime.clock),
        discards=Discards(redis),
    )


def load_shared_secret(redis: Redis) -> bytes:
    """Return the secret shared by all processes, created on first use.

    Sessions, invitations and match ids derive from it.
    """
    redis.set(SECRET_KEY, secrets.token_bytes(32), nx=True)
    return cast(bytes, redis.get(SECRET_KEY))
