"""Emails: whose turn it is, once, never for a turn that is over, with well-formed text and headers."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from freezegun import freeze_time
from redis import Redis

from domain.kernel.events import TimeControl
from domain.match.commands import AnswerProposal, Propose, RaiseDispute, ResolveDispute, SeatSpec, TakeVacation
from domain.match.durations import DAY
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.disputes.statements import statement_digest
from service.event_store.keys import SHARDS
from service.matches.results import IdempotencyKey
from service.notifications.outbox import Delivery, OutboxEntry
from service.runtime.clock import to_milliseconds
from tests.workers.deliveries import ANN, BOB, NotificationHarness
from tests.workers.receivers import MailServer, mail_text
from workers.handlers import matches as handlers
from workers.handlers import notifications as notification_handlers
from workers.notifications import mail as mail_delivery
from workers.notifications.scheduler import UNKNOWN_RETRY
from workers.notifications.smtp import MailDelayed, smtp_connection

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SITE = "https://play.example.org"


@pytest.fixture(autouse=True)
def with_mail(mail_server: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the mail server before the services are built."""
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_PUBLIC_URL", SITE)


@pytest.fixture
def harness(with_mail: None, services: Services, queue: Redis) -> NotificationHarness:
    return NotificationHarness(services, queue)


def test_an_email_about_a_turn_is_sent_once(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START):
        ann, bob = harness.player("Ann", ANN), harness.player("Bob", BOB)
        match = harness.match(ann, bob)
        harness.run(), harness.run()
        (mail,) = mail_server.mails
        assert (mail["To"], mail["Subject"]) == (ANN, "Your turn: Tic-tac-toe against Bob")
        assert f"{SITE}/matches/{match.id}" in mail_text(mail)
        assert f'href="{SITE}/matches/{match.id}"' in mail_text(mail, "html")
        harness.move(match, 0, 4)
        harness.run(), harness.run()
        assert [mail["To"] for mail in mail_server.mails] == [ANN, BOB]


def test_no_email_is_sent_for_a_turn_that_is_over(harness: NotificationHarness, mail_server: MailServer) -> None:
    """Given a queued job for Ann's turn, when she moves before it runs, then no email is sent."""
    with freeze_time(START):
        ann, bob = harness.player("Ann", ANN), harness.player("Bob")
        match = harness.match(ann, bob)
        assert harness.sweep() == 1
        harness.move(match, 0, 4)
        assert len(harness.work()) == 1
        harness.run()
        assert mail_server.mails == []
        assert harness.services.notifications.outbox.due(harness.services.runtime.clock.now()) == []


def test_the_notice_is_checked_again_after_connecting_to_the_mail_server(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a turn that ends while the connection to the mail server is being opened, then no email is sent."""
    with freeze_time(START):
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob"))

        def slow(url: str) -> Any:
            harness.move(match, 0, 4)
            return smtp_connection(url)

        monkeypatch.setattr(mail_delivery, "smtp_connection", slow)
        harness.run()
        assert mail_server.mails == []
        assert harness.services.notifications.outbox.records(match.id) == {
            f"webhook:turn:4:{match.seats[0].player}": None
        }


def test_no_email_is_sent_for_a_turn_that_ran_out_of_time(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    """Given a passed deadline whose expiry is not in the log yet, then no email says it is the player's turn."""
    with freeze_time(START) as frozen:
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob", BOB), clock=plan)
        frozen.tick(timedelta(days=1))
        harness.run()
        assert mail_server.mails == []
        handlers.expire(match.id, match.ply)
        harness.run()
        assert sorted(mail["Subject"].split(":")[0] for mail in mail_server.mails) == ["The match is over"] * 2


@pytest.mark.parametrize("look", ["first", "last"])
def test_a_turn_that_outlives_another_seats_expiry_is_notified(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    """Given that Bob and Ann both have to move and Ann ran out of time, when her expiry is appended and listed during a
    worker's first or last check of the match, then Bob gets one email a moment later."""
    with freeze_time(START) as frozen:
        ann, bob = harness.player("Ann"), harness.player("Bob", BOB)
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random", vacation=3)
        wishes = [SeatSpec("human", player=ann), SeatSpec("human", player=bob)]
        match = harness.services.matches.creation.create(ann, "mice_cake", wishes, {}, clock=plan).match
        assert match.to_move == {0, 1}
        away = harness.services.matches.commands.submit(match.id, TakeVacation(1, 3), IdempotencyKey(bob, "away")).match
        frozen.tick(timedelta(days=1) - timedelta(seconds=look == "last"))
        harness.sweep()
        really, looks = harness.services.matches.repository.load, []

        def load_while_ann_expires(of: str) -> AnyMatch:
            looks.append(look)
            if len(looks) == {"first": 1, "last": 2}[look]:
                frozen.move_to(START + timedelta(days=1))
                found = really(of)
                handlers.expire(of, away.ply)
                harness.projector.catch_up()
                return found
            return really(of)

        monkeypatch.setattr(harness.services.matches.repository, "load", load_while_ann_expires)
        harness.work()
        assert mail_server.mails == []
        for _ in range(3):
            frozen.tick(timedelta(seconds=10))
            harness.run()
        assert [(mail["To"], mail["Subject"].split(":")[0]) for mail in mail_server.mails] == [(BOB, "Your turn")]


def test_a_player_who_moves_within_the_delay_gets_no_email(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START) as frozen:
        match = harness.match(harness.player("Ann", ANN, patience=5), harness.player("Bob", BOB, patience=5))
        harness.run()
        frozen.tick(timedelta(minutes=4))
        harness.move(match, 0, 4)
        harness.run()
        frozen.tick(timedelta(minutes=4))
        harness.run()
        assert mail_server.mails == []
        frozen.tick(timedelta(minutes=1))
        harness.run()
        assert [mail["To"] for mail in mail_server.mails] == [BOB]


def test_a_repeated_job_and_a_flushed_queue_send_one_email(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START):
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob"))
        assert harness.sweep() == 1
        harness.redis.flushdb()
        assert harness.sweep() == 1
        harness.work()
        name = f"mail:turn:4:{match.seats[0].player}"
        notification_handlers.tell(match.id, name)
        notification_handlers.tell(match.id, name)
        assert len(mail_server.mails) == 1
        assert harness.sweep() == 0


def test_after_a_crash_before_the_record_the_same_email_is_sent_again(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    """Given a worker that dies between the mail server's answer and the record, then the email is sent again with the
    same Message-ID."""
    with freeze_time(START) as frozen:
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob"))
        harness.run()
        ann = match.seats[0].player or ""
        delivery = Delivery(match.id, "mail", "turn", 4, ann)
        redis = harness.services.runtime.redis
        redis.delete(f"{{ct:{match.id[:2]}}}:told:{match.id}")
        redis.zadd(f"{{ct:{match.id[:2]}}}:agenda", {f"{match.id}:{delivery.name}": to_milliseconds(START)})
        frozen.tick(3)
        harness.run()
        first, second = mail_server.mails
        assert first["Message-ID"] == second["Message-ID"] == f"<{delivery.id}@play.example.org>"


def test_an_email_claimed_by_one_worker_is_not_sent_by_another(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START):
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob"))
        harness.sweep()
        assert harness.services.notifications.outbox.claim(
            Delivery(match.id, "mail", "turn", 4, match.seats[0].player or "")
        )
        harness.work()
        assert mail_server.mails == []
        assert len(harness.services.notifications.outbox.due(harness.services.runtime.clock.now())) == 1, (
            "it is still due"
        )


def test_the_headers_meet_the_rules_for_bulk_senders(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START):
        ann, bob = harness.player("Ännchen", ANN), harness.player("Bäcker & <Co> Ünë " + "x" * 20, BOB)
        match = harness.match(ann, bob)
        harness.run()
        harness.move(harness.move(match, 0, 4), 1, 0)
        harness.run()
    first, second = mail_server.to(ANN)
    for mail, raw in zip(mail_server.to(ANN), mail_server.raw, strict=True):
        assert mail["Auto-Submitted"] == "auto-generated"
        assert mail["Date"].datetime == START
        assert mail["From"].addresses[0].addr_spec == "crumbtrail@play.example.org"
        (url,) = re.findall(r"<(\S+)>", mail["List-Unsubscribe"])
        assert url == f"{SITE}/unsubscribe/{ann}/{harness.services.notifications.preferences.unsubscribe_code(ann)}"
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
        assert url in mail_text(mail)
        assert f"List-Unsubscribe: <{url}>\r\n".encode() in raw, "not folded"
        assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert first["Message-ID"] != second["Message-ID"]
    assert first["References"] == second["References"] == first["In-Reply-To"]
    assert "against Bäcker & <Co> Ünë" in first["Subject"]
    assert "against Bäcker &amp; &lt;Co&gt; Ünë" in mail_text(first, "html")


def test_the_deadline_is_shown_in_the_players_time_zone(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START):
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        harness.match(harness.player("Ann", ANN, zone="Asia/Tokyo"), harness.player("Bob"), clock=plan)
        harness.run()
    assert "You have until Tuesday, 3 March at 18:00 (Asia/Tokyo) to move." in mail_text(mail_server.mails[0])


def test_only_players_who_have_not_answered_get_an_email(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START):
        ann, bob, eve = harness.player("Ann"), harness.player("Bob", BOB), harness.player("Eve")
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        match, other = harness.match(ann, bob, clock=plan), harness.match(eve, bob, clock=plan)
        for one, asker in ((match, ann), (other, eve)):
            harness.services.matches.commands.submit(
                one.id, Propose(seat=0, what="pause"), IdempotencyKey(asker, "ask")
            )
        harness.services.matches.commands.submit(
            other.id, AnswerProposal(1, other.ply + 1, False), IdempotencyKey(bob, "no")
        )
        harness.run()
        (mail,) = mail_server.mails
        assert mail["Subject"] == "Your answer is needed: Tic-tac-toe against Ann"
        assert "Ann asks for a pause in Tic-tac-toe." in mail_text(mail)


@pytest.mark.parametrize(("level", "to"), [(None, "another player"), ("greedy", "the greedy bot")])
def test_a_request_to_hand_over_a_seat_names_the_seat_and_the_substitute(
    harness: NotificationHarness, mail_server: MailServer, level: str | None, to: str
) -> None:
    with freeze_time(START) as frozen:
        people = [harness.player(name, f"{name.lower()}@example.org") for name in ("Ann", "Bob", "Eve")]
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random")
        wishes = [SeatSpec("human", player=player) for player in people]
        match = harness.services.matches.creation.create(people[0], "pie_contest", wishes, {}, clock=plan).match
        frozen.tick(timedelta(days=1))
        handlers.expire(match.id, match.ply)
        head = harness.services.matches.repository.load(match.id)
        gone = next(number for number, seat in enumerate(head.seats) if seat.has_timed_out)
        asking, asked = (number for number in range(3) if number != gone)
        wish = Propose(seat=asking, what="hand_over", of=gone, level=level)
        harness.services.matches.commands.submit(match.id, wish, IdempotencyKey(people[asking], "ask"))
        harness.run()
        names = ("Ann", "Bob", "Eve")
        (mail,) = [mail for mail in mail_server.mails if mail["Subject"].startswith("Your answer is needed")]
        assert mail["To"] == f"{names[asked].lower()}@example.org"
        assert f"{names[asking]} asks to hand over {names[gone]}'s seat to {to} in Pie Contest" in mail_text(mail)


def test_an_email_counts_bots_of_the_same_level(harness: NotificationHarness, mail_server: MailServer) -> None:
    """Given Ann against Bob and two greedy bots, when it's her turn, then the email doesn't name a bot twice."""
    with freeze_time(START):
        ann, bob = harness.player("Ann", ANN), harness.player("Bob", BOB)
        bots = [SeatSpec("bot", level="greedy")] * 2
        wishes = [SeatSpec("human", player=ann), SeatSpec("human", player=bob), *bots]
        harness.services.matches.creation.create(ann, "pie_contest", wishes, {"first_seat": 0})
        harness.run()
    (mail,) = mail_server.mails
    assert mail["Subject"] == "Your turn: Pie Contest against Bob and two greedy bots"


def test_a_seat_lost_to_a_bot_is_not_listed_as_an_opponent(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START) as frozen:
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="bot_takes_over", level="random")
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob"), clock=plan)
        frozen.tick(timedelta(days=1))
        handlers.expire(match.id, match.ply)
        harness.run()
    (mail,) = [mail for mail in mail_server.to(ANN) if mail["Subject"].startswith("You ran out of time")]
    assert mail["Subject"] == "You ran out of time: Tic-tac-toe against Bob"


def test_the_player_who_ended_the_match_gets_no_email_about_it(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START) as frozen:
        ann, bob = harness.player("Ann", ANN, patience=60), harness.player("Bob", BOB, patience=60)
        match = harness.match(ann, bob)
        for turn, cell in enumerate((0, 3, 1, 4, 2)):
            match = harness.move(match, turn % 2, cell)
        harness.run()
        (mail,) = mail_server.mails
        assert (mail["To"], mail["Subject"]) == (BOB, "The match is over: Tic-tac-toe against Ann")
        assert "Ann won." in mail_text(mail)
        # a player who lost on time gets an email
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        harness.match(ann, bob, clock=plan)
        frozen.tick(timedelta(days=1))
        harness.sweep()
        late = next(
            w for w in harness.services.read_models.work.expired_deadlines(harness.services.runtime.clock.now())
        )
        handlers.expire(late.match, late.ply)
        harness.run()
        ended = [mail["To"] for mail in mail_server.mails[1:] if "over" in mail["Subject"]]
        assert sorted(ended) == [ANN, BOB]


def test_all_players_get_the_verdict_and_the_finding(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START):
        ann, bob = harness.player("Ann", ANN, patience=60), harness.player("Bob", BOB, patience=60)
        judge = harness.player("Judith")
        harness.services.accounts.arbiters.add(judge)
        match = harness.move(harness.match(ann, bob), 0, 4)
        raised = RaiseDispute(1, match.ply, "move", statement_digest("Was that so?"))
        number = harness.services.matches.commands.submit(match.id, raised, IdempotencyKey(bob, "raise")).match.ply
        handlers.hear(match.id, number)
        harness.run()
        ruling = ResolveDispute(number, "goes_on", judge)
        harness.services.matches.commands.submit(match.id, ruling, IdempotencyKey(judge, "rule"))
        harness.run()
    for address in (ANN, BOB):
        subjects = [mail["Subject"].split(":")[0] for mail in mail_server.to(address)]
        assert subjects == ["Audit finished", "Dispute resolved"]
    assert "It found no fault." in mail_text(mail_server.mails[0])


@pytest.mark.parametrize(("expiry", "words"), [("bot_moves", "a bot made"), ("bot_takes_over", "took over your seat")])
def test_a_player_who_ran_out_of_time_gets_an_email(
    harness: NotificationHarness, mail_server: MailServer, expiry: Any, words: str
) -> None:
    with freeze_time(START) as frozen:
        plan = TimeControl(kind="per_move", seconds=DAY, expiry=expiry, level="random")
        match = harness.match(harness.player("Ann", ANN), harness.player("Bob", BOB), clock=plan)
        harness.run()
        frozen.tick(timedelta(days=1))
        handlers.expire(match.id, match.ply)
        harness.run()
    assert [mail["Subject"].split(":")[0] for mail in mail_server.to(ANN)] == ["Your turn", "You ran out of time"]
    assert words in mail_text(mail_server.to(ANN)[1])


def test_players_of_a_cancelled_match_get_an_email(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN)
        wishes = [SeatSpec("human", player=ann), SeatSpec("open")]
        match = harness.services.matches.creation.create(ann, "tic_tac_toe", wishes, {}).match
        frozen.tick(timedelta(days=15))
        handlers.expire(match.id, match.ply)
        harness.run()
    assert [mail["Subject"] for mail in mail_server.mails] == ["The match was cancelled: Tic-tac-toe"]
    assert "Your match of Tic-tac-toe was cancelled." in mail_text(mail_server.mails[0])


def test_guests_without_an_address_cause_no_jobs_and_leave_nothing_due(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START):
        match = harness.match(harness.player("Ann"), harness.player("Bob"))
        assert harness.sweep() == 0
        assert harness.services.notifications.outbox.due(harness.services.runtime.clock.now()) == []
        # an address added later gets no emails about earlier events
        harness.services.notifications.preferences.set_address(match.seats[0].player or "", ANN)
        harness.projector.rebuild()
        assert harness.run() == []


# -- an unreliable mail server -------------------------------------------------------------------------------------


def test_an_email_delayed_by_the_mail_server_is_sent_later(
    harness: NotificationHarness, mail_server: MailServer
) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN)
        harness.match(ann, harness.player("Bob"))
        mail_server.answers += ["451 later", "451 later"]
        harness.run()
        assert (
            harness.services.notifications.preferences.outcomes(ann)["mail"].text
            == "Delayed: the email was not accepted by the mail server for now (451)."
        )
        frozen.tick(timedelta(seconds=9))
        harness.run()
        assert len(mail_server.answers) == 1
        frozen.tick(timedelta(seconds=1))
        harness.run()
        frozen.tick(timedelta(seconds=60))
        harness.run()
        assert [mail["To"] for mail in mail_server.mails] == [ANN]
        assert harness.services.notifications.preferences.outcomes(ann)["mail"].well


def test_an_email_refused_permanently_is_given_up(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN)
        match = harness.match(ann, harness.player("Bob"))
        mail_server.recipient_answers += ["550 unknown"]
        harness.run()
        frozen.tick(timedelta(days=1))
        harness.run()
        assert mail_server.mails == []
        record = harness.services.notifications.outbox.records(match.id)[f"mail:turn:4:{ann}"]
        assert record is not None
        assert record.outcome == "the address was refused by the mail server (550)"
        assert not harness.services.notifications.preferences.outcomes(ann)["mail"].well


def test_no_email_is_lost_while_the_mail_server_is_down(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = harness.player("Ann", ANN)
        harness.match(ann, harness.player("Bob"))
        mail_server.stop()
        with pytest.raises(MailDelayed), smtp_connection(mail_server.url):
            pass
        for _ in range(5):
            harness.run()
            frozen.tick(timedelta(hours=1))
        assert (
            "Delayed: the mail server cannot be reached"
            in harness.services.notifications.preferences.outcomes(ann)["mail"].text
        )
        mail_server.start()
        harness.run()
        assert len(mail_server.mails) == 1


def test_rebuilding_the_lists_sends_no_email_twice(harness: NotificationHarness, mail_server: MailServer) -> None:
    with freeze_time(START):
        ann, bob = harness.player("Ann", ANN), harness.player("Bob", BOB)
        match = harness.move(harness.match(ann, bob), 0, 4)
        harness.run()
        harness.move(match, 1, 0)
        harness.run()
        before = [mail["Message-ID"] for mail in mail_server.mails]
        harness.projector.rebuild()
        harness.run()
        assert [mail["Message-ID"] for mail in mail_server.mails] == before
        assert len(set(before)) == 2


def test_rebuilding_the_lists_loses_no_email(
    harness: NotificationHarness, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a rebuild that has deleted the lists, when it reaches a match between the sweep's reading and its actions,
    then the email is sent."""
    agenda = harness.services.notifications.outbox
    look = agenda.due

    def held(*arguments: Any) -> list[OutboxEntry]:
        found = look(*arguments)
        harness.projector.catch_up()
        return found

    with freeze_time(START) as frozen:
        harness.match(harness.player("Ann", ANN), harness.player("Bob"))
        harness.projector.catch_up()
        for shard in range(SHARDS):
            harness.services.read_models.writer.reset(shard)
        with monkeypatch.context() as patch:
            patch.setattr(agenda, "due", held)
            harness.notifier.run()
        frozen.tick(UNKNOWN_RETRY)
        harness.run()
        assert [mail["To"] for mail in mail_server.mails] == [ANN]
