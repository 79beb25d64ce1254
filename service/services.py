"""The composition root: every part of the service, put together once for a process."""

import secrets
from dataclasses import dataclass

from redis import Redis

from service.arbiters import Arbiters
from service.archive import Archive
from service.claims import Claims
from service.clock import Clock, FileClock, SystemClock
from service.invitations import Invitations
from service.limits import Limits
from service.live import Live
from service.log.client import MatchLog, connect
from service.matches import Matches
from service.notary import Notary
from service.orders import Orders, Standing
from service.players import Players
from service.projections import Projections
from service.rematches import Rematches
from service.settings import Settings


@dataclass(frozen=True)
class Services:
    """What the edge and the workers work with."""

    settings: Settings
    clock: Clock
    redis: Redis
    log: MatchLog
    matches: Matches
    players: Players
    projections: Projections
    invitations: Invitations
    live: Live
    notary: Notary
    arbiters: Arbiters
    claims: Claims
    rematches: Rematches
    archive: Archive
    limits: Limits
    orders: Orders
    standing: Standing
    secret: bytes


def build(settings: Settings, clock: Clock | None = None) -> Services:
    """The services of this process. Raises LogUnavailable when the log cannot be reached."""
    if settings.log_url is None:
        raise ValueError("no log: set CRUMBTRAIL_LOG_URL, or let `crumbtrail up` start the embedded server")
    clock = clock or (FileClock(settings.clock_file) if settings.clock_file else SystemClock())
    redis = connect(settings.log_url)
    log = MatchLog(redis)
    log.ping()
    secret = shared_secret(redis)
    arbiters, archive = Arbiters(redis), Archive(redis, log)
    projections = Projections(redis)
    limits = Limits(redis, clock, settings.limits, projections.open_of)
    matches = Matches(log, clock, arbiters.has, archive.holds, limits.new_match_of)
    orders = Orders(redis)
    return Services(
        settings=settings,
        clock=clock,
        redis=redis,
        log=log,
        matches=matches,
        players=Players(redis, clock),
        projections=projections,
        invitations=Invitations(secret),
        live=Live(log),
        notary=Notary(redis, clock),
        arbiters=arbiters,
        claims=Claims(redis),
        rematches=Rematches(redis),
        archive=archive,
        limits=limits,
        orders=orders,
        standing=Standing(orders, matches),
        secret=secret,
    )


def shared_secret(redis: Redis) -> bytes:
    """The secret that all processes of one service share, for sessions and invitations; made on first use."""
    redis.set("ct:secret", secrets.token_bytes(32), nx=True)
    secret: bytes = redis.get("ct:secret")
    return secret
