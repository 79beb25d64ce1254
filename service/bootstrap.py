"""The composition root: every part of the service, put together once for a process."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from redis import Redis

from service.accounts.arbiters import Arbiters
from service.accounts.magic_links import Links
from service.accounts.players import Players
from service.accounts.sessions import Sessions
from service.bots.house_bots import House
from service.disputes.signing_keys import Notary
from service.disputes.statements import Claims
from service.event_store.errors import in_words
from service.event_store.log import MatchLog, connect
from service.matches.command_handler import Matches
from service.matches.invitations import Invitations
from service.matches.rematches import Rematches
from service.matches.standing_orders import Orders, Standing
from service.notifications.one_off_tasks import Errand, Errands
from service.notifications.outbox import Agenda
from service.notifications.preferences import Contacts
from service.read_models.projections import Projections
from service.read_models.ratings import Ratings
from service.runtime.clock import Clock, FileClock, SystemClock
from service.runtime.durability_status import Footing
from service.runtime.heartbeat import Pulse
from service.runtime.job_failures import Failures
from service.runtime.rate_limits import Limits
from service.runtime.settings import Settings
from service.streaming.match_subscriptions import Live
from service.streaming.turn_subscriptions import TurnNews
from service.verification.imported_matches import Archive

TEST_GOOD_FOR = timedelta(minutes=10)
"""How long a test of a webhook makes sense."""


@dataclass(frozen=True)
class Services:
    """What the edge and the workers work with."""

    settings: Settings
    clock: Clock
    redis: Redis
    log: MatchLog
    matches: Matches
    players: Players
    sessions: Sessions
    projections: Projections
    ratings: Ratings
    invitations: Invitations
    live: Live
    turn_news: TurnNews
    notary: Notary
    arbiters: Arbiters
    claims: Claims
    rematches: Rematches
    archive: Archive
    agenda: Agenda
    contacts: Contacts
    errands: Errands
    links: Links
    failures: Failures
    pulse: Pulse
    house: House
    limits: Limits
    orders: Orders
    standing: Standing
    footing: Footing
    secret: bytes

    def erase(self, player: str) -> None:
        """Forget a player: name, tokens, sessions, address, wishes, webhook, orders.

        It may break off anywhere, and is then done again from the start. What acts for the player goes before the
        record, so that nothing does once that is gone; sessions go last, since one tells who asks again.
        """
        self._disarm(player)
        self.players.erase(player)
        self._disarm(player)  # another browser could make and order things until then
        self.sessions.end_all(player)

    def _disarm(self, player: str) -> None:
        """Forget what acts for a player, tells them something, or lets somebody in as them, but for sessions."""
        address = self.contacts.of(player).address
        self.links.forget(player, address.text if address else None)
        self.contacts.erase(player)
        self.players.revoke_all(player)
        self.orders.erase(player)

    def try_hook(self, player: str) -> bool:
        """Have a player's webhook called once, to see how it goes; False when there is none. Raises TooMany."""
        if self.contacts.of(player).hook is None:
            return False
        self.limits.test_of(player)
        until = self.clock.now() + TEST_GOOD_FOR
        self.errands.give(Errand(id=secrets.token_hex(16), what="test", until=until, player=player))
        return True


def build(settings: Settings, clock: Clock | None = None) -> Services:
    """The services of this process. Raises LogUnavailable when the log cannot be reached."""
    if settings.log_url is None:
        raise ValueError("no log: set CRUMBTRAIL_LOG_URL, or let `crumbtrail up` start the embedded server")
    clock = clock or (FileClock(settings.clock_file) if settings.clock_file else SystemClock())
    redis = cast(Redis, connect(settings.log_url))  # the client of a cluster has the same methods
    log = MatchLog(redis, settings.replicas, connect(settings.seed_url) if settings.seed_url else None)
    log.ping()
    with in_words():
        secret = shared_secret(redis)
    arbiters, archive, failures = Arbiters(redis), Archive(redis, log), Failures(redis)
    projections = Projections(redis)
    limits = Limits(redis, clock, settings.limits, projections.open_of)
    matches = Matches(log, clock, secret, arbiters.has, archive.holds, limits.new_match_of)
    players = Players(redis, clock, settings.replicas)
    orders, errands = Orders(redis), Errands(redis, clock)
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
        live=Live(log, matches, players),
        turn_news=TurnNews(log, projections),
        notary=Notary(redis, clock),
        arbiters=arbiters,
        claims=Claims(redis),
        rematches=Rematches(redis),
        archive=archive,
        agenda=Agenda(redis),
        contacts=Contacts(redis, clock, secret),
        errands=errands,
        links=Links(redis, clock, secret, errands),
        failures=failures,
        pulse=Pulse(redis),
        house=House(redis, matches, failures, secret),
        limits=limits,
        orders=orders,
        standing=Standing(orders, matches),
        footing=Footing(redis, settings.replicas),
        secret=secret,
    )


def shared_secret(redis: Redis) -> bytes:
    """The secret that all processes share, for sessions, invitations, ids of matches and more; made on first use."""
    redis.set("ct:secret", secrets.token_bytes(32), nx=True)
    return cast(bytes, redis.get("ct:secret"))
