"""Workers send the same in both worlds: emails, webhooks, and bot moves with their notes."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from freezegun import freeze_time

from domain.kernel.game import AnyGame
from service.event_store.keys import decisions_key
from tests.builders import EPOCH, PACE
from tests.leaks.stacks import NAMES, WorldService, captured_logs, copy_service, without_random
from tests.leaks.test_two_worlds import every_secretive_game, some_pairs
from tests.leaks.worlds import PEOPLE, Pair
from tests.workers.deliveries import NotificationHarness
from tests.workers.receivers import HookServer, MailServer
from workers import bootstrap
from workers.handlers import matches as handlers

DAY = timedelta(days=1)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, mail_server: MailServer) -> Iterator[Any]:
    """Make this process a worker of a service."""

    def use_service(service: WorldService) -> None:
        for name, value in (
            ("LOG_URL", service.url),
            ("QUEUE_URL", service.queue_url),
            ("SMTP_URL", mail_server.url),
            ("WEBHOOK_LOOPBACK", "1"),
        ):
            monkeypatch.setenv(f"CRUMBTRAIL_{name}", value)
        bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()

    yield use_service
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()


def settle(
    two_services: tuple[WorldService, WorldService], pair: Pair, webhook_server: HookServer | None = None
) -> None:
    """Load both worlds, with players who asked for notifications before the match began."""
    for service in two_services:
        service.reset()
        service.clock.time = EPOCH - DAY
    two_services[0].register_players(addresses=webhook_server is not None)
    if webhook_server is not None and pair.reader is not None:
        two_services[0].services.notifications.preferences.set_webhook(PEOPLE[pair.reader], webhook_server.url)
    copy_service(two_services[0], two_services[1])
    for service, world in zip(two_services, pair.worlds, strict=True):
        service.load_world(world, pair.secrets)


def pair_for(game: AnyGame, kind: Any, wanted: Any) -> Pair:
    """Return the first pair of a kind that fits the condition."""
    return next(pair for n in range(400) for pair in some_pairs(game, n, kind) if wanted(pair))


def to_move(pair: Pair) -> bool:
    """Return whether it is the reader's turn."""
    return pair.reader is not None and pair.reader in pair.worlds[0].match.to_move


@every_secretive_game
def test_emails_and_webhooks_are_the_same(
    two_services: tuple[WorldService, WorldService],
    worker: Any,
    mail_server: MailServer,
    webhook_server: HookServer,
    game: AnyGame,
) -> None:
    pair = pair_for(game, "people", to_move)
    settle(two_services, pair, webhook_server)
    sent_by_world = []
    for service in two_services:
        worker(service)
        with freeze_time(EPOCH + PACE * (len(pair.worlds[0].events) + 40)), captured_logs() as lines:
            sent = NotificationHarness(bootstrap.get_services(), service.queue).run()
        assert len(sent) >= 2, "expected an email and a webhook call"
        address = f"{NAMES[pair.reader or 0].lower()}@example.org".encode()
        mails = sorted(raw for raw in mail_server.raw if address in raw)
        assert mails
        assert webhook_server.calls
        sent_by_world.append(
            [without_boundaries(mails), [(call.headers, call.body) for call in webhook_server.calls], lines]
        )
        mail_server.raw.clear(), webhook_server.calls.clear()
    assert sent_by_world[0] == sent_by_world[1]


def without_boundaries(mails: list[bytes]) -> list[str]:
    """Return the lines of emails without the random boundaries between their parts."""
    return [without_random(line) for raw in mails for line in raw.decode().splitlines() if "=====" not in line]


@every_secretive_game
def test_a_bot_makes_the_same_move_and_note(
    two_services: tuple[WorldService, WorldService], worker: Any, game: AnyGame
) -> None:
    pair = pair_for(game, "practice", lambda pair: pair.reader and min(pair.worlds[0].match.to_move) == pair.reader)
    settle(two_services, pair)
    done = []
    for service in two_services:
        worker(service)
        with captured_logs() as lines:
            handlers.play_bot(pair.match, len(pair.worlds[0].events))
        last = service.services.matches.repository.load(pair.match)
        event = service.services.matches.repository.visible_events(last, pair.reader, len(pair.worlds[0].events))[0]
        assert event.seat == pair.reader
        done.append([event.move, service.redis.hgetall(decisions_key(pair.match)), lines, service.jobs()])
    assert done[0] == done[1]
    assert done[0][1], "the move must have a note"
