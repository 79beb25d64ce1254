"""Rate limits for notifications: emails and calls about one match that others can cause."""

from datetime import UTC, datetime, timedelta

import pytest
from freezegun import freeze_time
from redis import Redis

from domain.kernel.events import TimeControl
from domain.match.commands import AnswerProposal, Propose, RecordVerdict
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import AUDITOR_AUTHOR, IdempotencyKey
from service.notifications.outbox import Delivery, DeliveryRecord
from tests.workers.deliveries import ANN
from tests.workers.deliveries import NotificationHarness as Table
from tests.workers.receivers import HookServer, MailServer
from workers.notifications.retries import WEBHOOK_RETRY_SECONDS
from workers.notifications.throttle import OTHER_RULES, TURN_RULES, allowed_at

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def with_mail(mail_server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the mail server before the services are built."""
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_WEBHOOK_LOOPBACK", "1")


@pytest.fixture
def harness(with_mail: None, services: Services, queue: Redis) -> Table:
    return Table(services, queue)


def verdict(harness: Table, match: AnyMatch, number: int) -> None:
    """Append one more verdict to a match."""
    harness.services.matches.commands.submit(
        match.id, RecordVerdict(None, holds=True), IdempotencyKey(AUDITOR_AUTHOR, f"verdict {number}")
    )


def let_minutes_pass(harness: Table, frozen: object, minutes: int) -> None:
    for _ in range(minutes):
        frozen.tick(timedelta(minutes=1))  # type: ignore[attr-defined]
        harness.run()


def verdicts(mail_server: MailServer) -> int:
    return sum("Audit finished" in mail["Subject"] for mail in mail_server.mails)


def verdict_calls(webhook_server: HookServer) -> int:
    return sum(call.json["type"] == "match.verdict" for call in webhook_server.calls)


def one_verdict_a_second(harness: Table, frozen: object, match: AnyMatch) -> None:
    """Append a minute of disputes, each with its verdict, and deliver everything that is due."""
    for number in range(60):
        frozen.tick(SECOND)  # type: ignore[attr-defined]
        verdict(harness, match, number)
        harness.run()


def test_many_disputes_cause_few_emails_and_calls(
    harness: Table, mail_server: MailServer, webhook_server: HookServer
) -> None:
    """Given a match with one verdict after another, then the first are delivered immediately. The others wait and are
    combined into one email and one call, and none of them is due in the end."""
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN)
        match = harness.match(ann, harness.player("Bob"))
        harness.services.notifications.preferences.set_webhook(ann, webhook_server.url)
        one_verdict_a_second(harness, frozen, match)
        assert verdicts(mail_server) == OTHER_RULES["mail"].hourly_allowance
        assert verdict_calls(webhook_server) == OTHER_RULES["webhook"].hourly_allowance
        let_minutes_pass(harness, frozen, 60)
        assert verdicts(mail_server) == OTHER_RULES["mail"].hourly_allowance + 1
        assert verdict_calls(webhook_server) == OTHER_RULES["webhook"].hourly_allowance + 1
        assert harness.services.notifications.outbox.due(harness.services.runtime.clock.now()) == []


def test_a_failing_receiver_is_not_called_more_often(harness: Table, webhook_server: HookServer) -> None:
    """Given a failing webhook, then after the first few, many verdicts are tried as rarely as one."""
    webhook_server.answers = [500] * 1000
    with freeze_time(START) as frozen:
        ann = harness.player("Ann")
        match = harness.match(ann, harness.player("Bob"))
        harness.services.notifications.preferences.set_webhook(ann, webhook_server.url)
        one_verdict_a_second(harness, frozen, match)
        let_minutes_pass(harness, frozen, 60)
        assert verdict_calls(webhook_server) <= OTHER_RULES["webhook"].hourly_allowance + 2 * len(WEBHOOK_RETRY_SECONDS)


def test_repeated_questions_cause_few_emails(harness: Table, mail_server: MailServer) -> None:
    """Given a player who asks for a pause and withdraws it many times in an hour, then few emails are sent."""
    with freeze_time(START) as frozen:
        ann, bob = harness.player("Ann", ANN), harness.player("Bob")
        match = harness.match(ann, bob, clock=TimeControl(kind="per_move", seconds=86_400))
        submit = harness.services.matches.commands.submit
        for number in range(20):  # as often as allowed between two moves
            asked = submit(match.id, Propose(seat=1, what="pause"), IdempotencyKey(bob, f"ask {number}")).match
            harness.run()
            submit(match.id, AnswerProposal(1, asked.ply, agrees=False), IdempotencyKey(bob, f"withdraw {number}"))
            frozen.tick(timedelta(minutes=3))
        mails = [mail for mail in mail_server.mails if "answer" in mail["Subject"]]
        assert len(mails) <= OTHER_RULES["mail"].hourly_allowance + 6


def test_turns_have_a_higher_limit_and_limits_reset_after_an_hour() -> None:
    delivery = Delivery("07mzxw6ytboi3dgnbv", "mail", "turn", 99, "p_ann")
    made = {
        f"mail:turn:{ply}:p_ann": DeliveryRecord(START + ply * SECOND, "sent", f"{ply}")
        for ply in range(TURN_RULES["mail"].hourly_allowance)
    }
    last = START + (TURN_RULES["mail"].hourly_allowance - 1) * SECOND
    assert allowed_at(delivery, made, last) == last + timedelta(minutes=10)
    assert allowed_at(delivery, made, last + timedelta(hours=1)) == last + timedelta(hours=1)
    others = delivery._replace(kind="over"), delivery._replace(player="p_bob"), delivery._replace(channel="webhook")
    assert [allowed_at(other, made, last) for other in others] == [last] * 3
