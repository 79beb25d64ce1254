"""What one player can make others be told: mails and calls about one match come so often and no more."""

from datetime import UTC, datetime, timedelta

import pytest
from freezegun import freeze_time
from redis import Redis

from domain.kernel.events import TimeControl
from domain.match.commands import AnswerProposal, Propose, RecordVerdict
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.command_handler import AUDITOR_AUTHOR, IdempotencyKey
from service.notifications.outbox import Delivery, DeliveryRecord
from tests.workers.deliveries import ANN
from tests.workers.deliveries import NotificationHarness as Table
from tests.workers.receivers import HookServer, MailServer
from workers.notifications.retries import WEBHOOK_RETRY_SECONDS
from workers.notifications.throttle import OTHER_RULES, TURN_RULES, allowed_at

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def with_mail(post: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the services are built."""
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", post.url)
    monkeypatch.setenv("CRUMBTRAIL_WEBHOOK_LOOPBACK", "1")


@pytest.fixture
def told(with_mail: None, services: Services, queue: Redis) -> Table:
    return Table(services, queue)


def verdict(told: Table, match: AnyMatch, number: int) -> None:
    """One more verdict on a match."""
    told.services.matches.commands.submit(
        match.id, RecordVerdict(None, holds=True), IdempotencyKey(AUDITOR_AUTHOR, f"verdict {number}")
    )


def let_minutes_pass(told: Table, frozen: object, minutes: int) -> None:
    for _ in range(minutes):
        frozen.tick(timedelta(minutes=1))  # type: ignore[attr-defined]
        told.run()


def verdicts(post: MailServer) -> int:
    return sum("verdict" in mail["Subject"] for mail in post.mails)


def verdict_calls(hook: HookServer) -> int:
    return sum(call.json["type"] == "match.verdict" for call in hook.calls)


def one_verdict_a_second(told: Table, frozen: object, match: AnyMatch) -> None:
    """A minute of disputes, each with its verdict, and all that is due is told."""
    for number in range(60):
        frozen.tick(SECOND)  # type: ignore[attr-defined]
        verdict(told, match, number)
        told.run()


def test_many_disputes_are_few_mails_and_few_calls(told: Table, post: MailServer, hook: HookServer) -> None:
    """Given a match in which one verdict follows the other, then the first are told at once and the others wait, all
    that have come by then in one mail and one call; and none of them is owed in the end."""
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN)
        match = told.match(ann, told.player("Bob"))
        told.services.notifications.preferences.set_webhook(ann, hook.url)
        one_verdict_a_second(told, frozen, match)
        assert verdicts(post) == OTHER_RULES["mail"].hourly_allowance
        assert verdict_calls(hook) == OTHER_RULES["webhook"].hourly_allowance
        let_minutes_pass(told, frozen, 60)
        assert verdicts(post) == OTHER_RULES["mail"].hourly_allowance + 1
        assert verdict_calls(hook) == OTHER_RULES["webhook"].hourly_allowance + 1
        assert told.services.notifications.outbox.due(told.services.runtime.clock.now()) == []


def test_a_receiver_that_fails_is_called_no_more_often(told: Table, hook: HookServer) -> None:
    """Given a webhook that fails, then many verdicts are tried as seldom as one, behind the first few."""
    hook.answers = [500] * 1000
    with freeze_time(START) as frozen:
        ann = told.player("Ann")
        match = told.match(ann, told.player("Bob"))
        told.services.notifications.preferences.set_webhook(ann, hook.url)
        one_verdict_a_second(told, frozen, match)
        let_minutes_pass(told, frozen, 60)
        assert verdict_calls(hook) <= OTHER_RULES["webhook"].hourly_allowance + 2 * len(WEBHOOK_RETRY_SECONDS)


def test_questions_that_come_again_and_again_are_few_mails(told: Table, post: MailServer) -> None:
    """Given somebody who asks for a pause and withdraws it, many times within an hour, then few questions are told."""
    with freeze_time(START) as frozen:
        ann, bob = told.player("Ann", ANN), told.player("Bob")
        match = told.match(ann, bob, clock=TimeControl(kind="per_move", seconds=86_400))
        submit = told.services.matches.commands.submit
        for number in range(20):  # as often as one may between two moves
            asked = submit(match.id, Propose(seat=1, what="pause"), IdempotencyKey(bob, f"ask {number}")).match
            told.run()
            submit(match.id, AnswerProposal(1, asked.ply, agrees=False), IdempotencyKey(bob, f"withdraw {number}"))
            frozen.tick(timedelta(minutes=3))
        mails = [mail for mail in post.mails if "asked" in mail["Subject"]]
        assert len(mails) <= OTHER_RULES["mail"].hourly_allowance + 6


def test_turns_have_more_room_and_an_hour_later_there_is_room_again() -> None:
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
