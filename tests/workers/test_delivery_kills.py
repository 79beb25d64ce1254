"""Dispatcher and workers are killed during deliveries: nothing is lost, and duplicates have the same id."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from functools import partial

import pytest

from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.notifications.outbox import LEASE_SECONDS, Delivery
from service.notifications.preferences import MailPreferences
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses, children, kill_with_its_job
from tests.workers.receivers import HookServer, MailServer
from workers.jobs.allowed_job import JOB_SECONDS

ANN = "ann@example.org"


@pytest.fixture(autouse=True)
def process_environment(mail_server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment of the processes."""
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_WEBHOOK_LOOPBACK", "1")


def players(services: Services, webhook_server: HookServer) -> tuple[str, str]:
    """Return Ann, who gets emails, and Bob, who has a webhook."""
    ann, bob = (services.accounts.players.create(name).id for name in ("Ann", "Bob"))
    services.notifications.preferences.set_address(ann, ANN)
    services.notifications.preferences.set_mail_preferences(ann, MailPreferences(patience=0))
    services.notifications.preferences.set_webhook(bob, webhook_server.url)
    return ann, bob


def new_match(services: Services, ann: str, bob: str) -> AnyMatch:
    seats = [SeatSpec("human", player=player) for player in (ann, bob)]
    return services.matches.creation.create(ann, "tic_tac_toe", seats, {}).match


def owed_turn(match: AnyMatch) -> Delivery:
    """Return the pending delivery of the current turn."""
    (notice,) = (notice for notice in match.notices if notice.kind == "turn")
    return Delivery(match.id, "mail" if notice.seat == 0 else "webhook", "turn", notice.ply, notice.player)


def move(services: Services, match: AnyMatch) -> AnyMatch:
    """Make a move for the player to move that does not end the match."""
    (seat,) = match.to_move
    cell = (0, 3, 1, 4, 8)[match.ply - 4]
    by = IdempotencyKey(match.seats[seat].player or "", f"{match.id} {match.ply}")
    return services.matches.commands.submit(match.id, Play(seat, {"type": "mark", "cell": cell}), by).match


def arrived(mail_server: MailServer, webhook_server: HookServer) -> Counter[str]:
    """Return how often each delivery was received, by its id."""
    mails = (mail["Message-ID"].strip("<>").partition("@")[0] for mail in list(mail_server.mails))
    return Counter([*mails, *(call.headers["webhook-id"] for call in list(webhook_server.calls))])


def crash(process: "subprocess.Popen[bytes]") -> None:
    """Kill -9 a process and its current job."""
    for pid in (*children(process), process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.full)])
def test_processes_may_be_killed_during_deliveries(
    crew: ServiceProcesses, mail_server: MailServer, webhook_server: HookServer, rounds: int
) -> None:
    """Given matches between Ann and Bob, when in each round two of dispatcher and workers are killed at random moments,
    then every pending turn is delivered; twice, with the same id, only if a job died between answer and record."""
    dice = random.Random(11)
    starts = [crew.dispatcher, lambda: crew.worker("mail"), lambda: crew.worker("webhooks")]
    running = [start() for start in starts]
    crew.wait_until_started(3)
    ann, bob = players(crew.services, webhook_server)
    matches = [new_match(crew.services, ann, bob) for _ in range(6)]
    expected: list[Delivery] = []
    for _ in range(rounds):
        expected += map(owed_turn, matches)
        time.sleep(dice.uniform(0, 0.5))
        for number in dice.sample(range(3), 2):
            crash(running[number])
            running[number] = starts[number]()
        wait_until(partial(all_recorded, crew.services, list(expected)), LEASE_SECONDS + 30)
        matches = [move(crew.services, match) for match in matches]
    counted = arrived(mail_server, webhook_server)
    assert set(counted) >= {one.id for one in expected}
    again = sum(counted[one.id] - 1 for one in expected)
    assert again <= 2 * rounds, "at most one for each killed process"


def all_recorded(services: Services, deliveries: list[Delivery]) -> bool:
    """Return whether all these deliveries are recorded."""
    return all(services.notifications.outbox.records(one.match).get(one.name) for one in deliveries)


@pytest.mark.full
def test_a_worker_killed_before_the_answer_loses_nothing(
    crew: ServiceProcesses, mail_server: MailServer, webhook_server: HookServer
) -> None:
    """Given a worker killed while the mail server processes an email, then another worker sends it with the same id."""
    assert LEASE_SECONDS > JOB_SECONDS
    mail_server.pause = 2.0
    crew.dispatcher()
    worker = crew.worker("mail")
    crew.wait_until_started(2)
    ann, bob = players(crew.services, webhook_server)
    match = new_match(crew.services, ann, bob)
    wait_until(lambda: mail_server.attempts, 60)
    kill_with_its_job(worker)
    mail_server.pause = 0.0
    crew.worker("mail")
    delivery = owed_turn(match)
    wait_until(lambda: crew.services.notifications.outbox.records(match.id).get(delivery.name), LEASE_SECONDS + 30)
    assert set(arrived(mail_server, webhook_server)) == {delivery.id}
