"""Mail: whose turn it is, once, never for a turn that has passed, in words and headers that mail programs want."""

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
from service.matches.command_handler import IdempotencyKey
from service.notifications.outbox import Delivery, OutboxEntry
from service.runtime.clock import to_milliseconds
from tests.workers.deliveries import ANN, BOB, NotificationHarness
from tests.workers.receivers import MailServer, mail_text
from workers.jobs import handlers
from workers.notifications import handlers as notification_handlers
from workers.notifications import mail as mail_delivery
from workers.notifications.scheduler import UNKNOWN_RETRY
from workers.notifications.smtp import MailDelayed, smtp_connection

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SITE = "https://play.example.org"


@pytest.fixture(autouse=True)
def with_mail(post: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the services are built."""
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", post.url)
    monkeypatch.setenv("CRUMBTRAIL_PUBLIC_URL", SITE)


@pytest.fixture
def told(with_mail: None, services: Services, queue: Redis) -> NotificationHarness:
    return NotificationHarness(services, queue)


def test_a_mail_says_whose_turn_it_is_once(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        ann, bob = told.player("Ann", ANN), told.player("Bob", BOB)
        match = told.match(ann, bob)
        told.run(), told.run()
        (mail,) = post.mails
        assert (mail["To"], mail["Subject"]) == (ANN, "Your turn: Tic-tac-toe against Bob")
        assert f"{SITE}/matches/{match.id}" in mail_text(mail)
        assert f'href="{SITE}/matches/{match.id}"' in mail_text(mail, "html")
        told.move(match, 0, 4)
        told.run(), told.run()
        assert [mail["To"] for mail in post.mails] == [ANN, BOB]


def test_a_turn_that_has_passed_is_told_to_nobody(told: NotificationHarness, post: MailServer) -> None:
    """Given a job for Ann's turn that waits in the queue, when she moves before it runs, then no mail goes out."""
    with freeze_time(START):
        ann, bob = told.player("Ann", ANN), told.player("Bob")
        match = told.match(ann, bob)
        assert told.sweep() == 1
        told.move(match, 0, 4)
        assert len(told.work()) == 1
        told.run()
        assert post.mails == []
        assert told.services.notifications.outbox.due(told.services.runtime.clock.now()) == []


def test_the_last_look_comes_when_the_mail_server_listens(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a turn that passes while the connection to the mail server is being made, then no mail goes out."""
    with freeze_time(START):
        match = told.match(told.player("Ann", ANN), told.player("Bob"))

        def slow(url: str) -> Any:
            told.move(match, 0, 4)
            return smtp_connection(url)

        monkeypatch.setattr(mail_delivery, "smtp_connection", slow)
        told.run()
        assert post.mails == []
        assert told.services.notifications.outbox.records(match.id) == {f"webhook:turn:4:{match.seats[0].player}": None}


def test_a_turn_whose_time_is_up_is_told_to_nobody(told: NotificationHarness, post: MailServer) -> None:
    """Given a deadline that has passed, and an expiry that is not in the log yet, then no mail says `your turn`."""
    with freeze_time(START) as frozen:
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        match = told.match(told.player("Ann", ANN), told.player("Bob", BOB), clock=plan)
        frozen.tick(timedelta(days=1))
        told.run()
        assert post.mails == []
        handlers.expire(match.id, match.ply)
        told.run()
        assert sorted(mail["Subject"].split(":")[0] for mail in post.mails) == ["The match is over"] * 2


@pytest.mark.parametrize("look", ["first", "last"])
def test_a_turn_that_outlives_the_expiry_of_another_seat_is_told(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    """Given Bob's turn, and Ann, who owes a move as well and whose time is up, when her expiry is appended and listed
    while a worker looks at the match, at its first or its last look, then Bob is told a moment later, once."""
    with freeze_time(START) as frozen:
        ann, bob = told.player("Ann"), told.player("Bob", BOB)
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random", vacation=3)
        wishes = [SeatSpec("human", player=ann), SeatSpec("human", player=bob)]
        match = told.services.matches.commands.create(ann, "mice_cake", wishes, {}, clock=plan).match
        assert match.to_move == {0, 1}
        away = told.services.matches.commands.submit(match.id, TakeVacation(1, 3), IdempotencyKey(bob, "away")).match
        frozen.tick(timedelta(days=1) - timedelta(seconds=look == "last"))
        told.sweep()
        really, looks = told.services.matches.commands.load, []

        def ann_expires_behind_it(of: str) -> AnyMatch:
            looks.append(look)
            if len(looks) == {"first": 1, "last": 2}[look]:
                frozen.move_to(START + timedelta(days=1))
                found = really(of)
                handlers.expire(of, away.ply)
                told.projector.catch_up()
                return found
            return really(of)

        monkeypatch.setattr(told.services.matches, "load", ann_expires_behind_it)
        told.work()
        assert post.mails == []
        for _ in range(3):
            frozen.tick(timedelta(seconds=10))
            told.run()
        assert [(mail["To"], mail["Subject"].split(":")[0]) for mail in post.mails] == [(BOB, "Your turn")]


def test_who_moves_within_the_patience_gets_no_mail(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        match = told.match(told.player("Ann", ANN, patience=5), told.player("Bob", BOB, patience=5))
        told.run()
        frozen.tick(timedelta(minutes=4))
        told.move(match, 0, 4)
        told.run()
        frozen.tick(timedelta(minutes=4))
        told.run()
        assert post.mails == []
        frozen.tick(timedelta(minutes=1))
        told.run()
        assert [mail["To"] for mail in post.mails] == [BOB]


def test_the_same_job_twice_and_a_flushed_queue_send_one_mail(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        match = told.match(told.player("Ann", ANN), told.player("Bob"))
        assert told.sweep() == 1
        told.redis.flushdb()
        assert told.sweep() == 1
        told.work()
        name = f"mail:turn:4:{match.seats[0].player}"
        notification_handlers.tell(match.id, name)
        notification_handlers.tell(match.id, name)
        assert len(post.mails) == 1
        assert told.sweep() == 0


def test_after_a_crash_before_the_record_the_same_mail_goes_out_again(
    told: NotificationHarness, post: MailServer
) -> None:
    """Given a worker that dies between the answer of the mail server and the record, then the mail comes once more,
    with the same Message-ID."""
    with freeze_time(START) as frozen:
        match = told.match(told.player("Ann", ANN), told.player("Bob"))
        told.run()
        ann = match.seats[0].player or ""
        delivery = Delivery(match.id, "mail", "turn", 4, ann)
        redis = told.services.runtime.redis
        redis.delete(f"{{ct:{match.id[:2]}}}:told:{match.id}")
        redis.zadd(f"{{ct:{match.id[:2]}}}:agenda", {f"{match.id}:{delivery.name}": to_milliseconds(START)})
        frozen.tick(3)
        told.run()
        first, second = post.mails
        assert first["Message-ID"] == second["Message-ID"] == f"<{delivery.id}@play.example.org>"


def test_while_one_worker_is_at_a_mail_no_other_sends_it(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        match = told.match(told.player("Ann", ANN), told.player("Bob"))
        told.sweep()
        assert told.services.notifications.outbox.claim(
            Delivery(match.id, "mail", "turn", 4, match.seats[0].player or "")
        )
        told.work()
        assert post.mails == []
        assert len(told.services.notifications.outbox.due(told.services.runtime.clock.now())) == 1, "it is still owed"


def test_the_headers_are_those_of_a_well_behaved_sender(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        ann, bob = told.player("Ännchen", ANN), told.player("Bäcker & <Co> Ünë " + "x" * 20, BOB)
        match = told.match(ann, bob)
        told.run()
        told.move(told.move(match, 0, 4), 1, 0)
        told.run()
    first, second = post.to(ANN)
    for mail, raw in zip(post.to(ANN), post.raw, strict=True):
        assert mail["Auto-Submitted"] == "auto-generated"
        assert mail["Date"].datetime == START
        assert mail["From"].addresses[0].addr_spec == "crumbtrail@play.example.org"
        (url,) = re.findall(r"<(\S+)>", mail["List-Unsubscribe"])
        assert url == f"{SITE}/unsubscribe/{ann}/{told.services.notifications.preferences.unsubscribe_code(ann)}"
        assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
        assert url in mail_text(mail)
        assert f"List-Unsubscribe: <{url}>\r\n".encode() in raw, "in one piece"
        assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert first["Message-ID"] != second["Message-ID"]
    assert first["References"] == second["References"] == first["In-Reply-To"]
    assert "against Bäcker & <Co> Ünë" in first["Subject"]
    assert "against Bäcker &amp; &lt;Co&gt; Ünë" in mail_text(first, "html")


def test_the_deadline_stands_there_in_the_players_own_time(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        told.match(told.player("Ann", ANN, zone="Asia/Tokyo"), told.player("Bob"), clock=plan)
        told.run()
    assert "Your time is up on Tuesday, 3 March at 18:00 (Asia/Tokyo)." in mail_text(post.mails[0])


def test_who_is_asked_is_told_and_who_has_answered_is_not(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        ann, bob, eve = told.player("Ann"), told.player("Bob", BOB), told.player("Eve")
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        match, other = told.match(ann, bob, clock=plan), told.match(eve, bob, clock=plan)
        for one, asker in ((match, ann), (other, eve)):
            told.services.matches.commands.submit(one.id, Propose(seat=0, what="pause"), IdempotencyKey(asker, "ask"))
        told.services.matches.commands.submit(
            other.id, AnswerProposal(1, other.ply + 1, False), IdempotencyKey(bob, "no")
        )
        told.run()
        (mail,) = post.mails
        assert mail["Subject"] == "You are asked: Tic-tac-toe against Ann"
        assert "Ann asks for a pause in Tic-tac-toe against Ann." in mail_text(mail)


@pytest.mark.parametrize(("level", "to"), [(None, "somebody else"), ("greedy", "the greedy bot")])
def test_who_is_asked_to_hand_over_a_seat_is_told_whose_and_to_whom(
    told: NotificationHarness, post: MailServer, level: str | None, to: str
) -> None:
    with freeze_time(START) as frozen:
        people = [told.player(name, f"{name.lower()}@example.org") for name in ("Ann", "Bob", "Eve")]
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random")
        wishes = [SeatSpec("human", player=player) for player in people]
        match = told.services.matches.commands.create(people[0], "pie_contest", wishes, {}, clock=plan).match
        frozen.tick(timedelta(days=1))
        handlers.expire(match.id, match.ply)
        head = told.services.matches.commands.load(match.id)
        gone = next(number for number, seat in enumerate(head.seats) if seat.has_timed_out)
        asking, asked = (number for number in range(3) if number != gone)
        wish = Propose(seat=asking, what="hand_over", of=gone, level=level)
        told.services.matches.commands.submit(match.id, wish, IdempotencyKey(people[asking], "ask"))
        told.run()
        names = ("Ann", "Bob", "Eve")
        (mail,) = [mail for mail in post.mails if mail["Subject"].startswith("You are asked")]
        assert mail["To"] == f"{names[asked].lower()}@example.org"
        assert f"{names[asking]} asks to hand the seat of {names[gone]} over to {to} in Pie Contest" in mail_text(mail)


def test_the_end_is_told_to_those_who_did_not_make_it(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann, bob = told.player("Ann", ANN, patience=60), told.player("Bob", BOB, patience=60)
        match = told.match(ann, bob)
        for turn, cell in enumerate((0, 3, 1, 4, 2)):
            match = told.move(match, turn % 2, cell)
        told.run()
        (mail,) = post.mails
        assert (mail["To"], mail["Subject"]) == (BOB, "The match is over: Tic-tac-toe against Ann")
        assert "Ann won." in mail_text(mail)
        # who lost on time was not there
        plan = TimeControl(kind="per_move", seconds=DAY, expiry="resigns")
        told.match(ann, bob, clock=plan)
        frozen.tick(timedelta(days=1))
        told.sweep()
        late = next(w for w in told.services.read_models.work.expired_deadlines(told.services.runtime.clock.now()))
        handlers.expire(late.match, late.ply)
        told.run()
        ended = [mail["To"] for mail in post.mails[1:] if "over" in mail["Subject"]]
        assert sorted(ended) == [ANN, BOB]


def test_a_verdict_and_a_ruling_are_told_to_the_table(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        ann, bob = told.player("Ann", ANN, patience=60), told.player("Bob", BOB, patience=60)
        judge = told.player("Judith")
        told.services.accounts.arbiters.add(judge)
        match = told.move(told.match(ann, bob), 0, 4)
        raised = RaiseDispute(1, match.ply, "move", statement_digest("Was that so?"))
        number = told.services.matches.commands.submit(match.id, raised, IdempotencyKey(bob, "raise")).match.ply
        handlers.hear(match.id, number)
        told.run()
        ruling = ResolveDispute(number, "goes_on", judge)
        told.services.matches.commands.submit(match.id, ruling, IdempotencyKey(judge, "rule"))
        told.run()
    for address in (ANN, BOB):
        subjects = [mail["Subject"].split(":")[0] for mail in post.to(address)]
        assert subjects == ["An audit has its verdict", "A dispute is resolved"]
    assert "the log holds" in mail_text(post.mails[0])


@pytest.mark.parametrize(("expiry", "words"), [("bot_moves", "a bot made"), ("bot_takes_over", "taken your seat over")])
def test_whose_time_was_up_is_told(told: NotificationHarness, post: MailServer, expiry: Any, words: str) -> None:
    with freeze_time(START) as frozen:
        plan = TimeControl(kind="per_move", seconds=DAY, expiry=expiry, level="random")
        match = told.match(told.player("Ann", ANN), told.player("Bob", BOB), clock=plan)
        told.run()
        frozen.tick(timedelta(days=1))
        handlers.expire(match.id, match.ply)
        told.run()
    assert [mail["Subject"].split(":")[0] for mail in post.to(ANN)] == ["Your turn", "Your time was up"]
    assert words in mail_text(post.to(ANN)[1])


def test_a_match_that_is_called_off_is_told_to_who_sits_there(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN)
        wishes = [SeatSpec("human", player=ann), SeatSpec("open")]
        match = told.services.matches.commands.create(ann, "tic_tac_toe", wishes, {}).match
        frozen.tick(timedelta(days=15))
        handlers.expire(match.id, match.ply)
        told.run()
    assert [mail["Subject"] for mail in post.mails] == ["The match was called off: Tic-tac-toe against nobody yet"]


def test_guests_without_any_address_cost_no_job_and_leave_nothing_owed(
    told: NotificationHarness, post: MailServer
) -> None:
    with freeze_time(START):
        match = told.match(told.player("Ann"), told.player("Bob"))
        assert told.sweep() == 0
        assert told.services.notifications.outbox.due(told.services.runtime.clock.now()) == []
        # and who gives an address later is not told of what was before
        told.services.notifications.preferences.set_address(match.seats[0].player or "", ANN)
        told.projector.rebuild()
        assert told.run() == []


# -- a mail server with moods -------------------------------------------------------------------------------------


def test_what_the_mail_server_does_not_take_now_goes_out_later(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN)
        told.match(ann, told.player("Bob"))
        post.answers += ["451 later", "451 later"]
        told.run()
        assert (
            told.services.notifications.preferences.outcomes(ann)["mail"].text
            == "Put off: the mail was not taken now (451)."
        )
        frozen.tick(timedelta(seconds=59))
        told.run()
        assert len(post.answers) == 1
        frozen.tick(timedelta(seconds=1))
        told.run()
        frozen.tick(timedelta(seconds=120))
        told.run()
        assert [mail["To"] for mail in post.mails] == [ANN]
        assert told.services.notifications.preferences.outcomes(ann)["mail"].well


def test_what_the_mail_server_refuses_for_ever_is_given_up(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN)
        match = told.match(ann, told.player("Bob"))
        post.recipient_answers += ["550 unknown"]
        told.run()
        frozen.tick(timedelta(days=1))
        told.run()
        assert post.mails == []
        record = told.services.notifications.outbox.records(match.id)[f"mail:turn:4:{ann}"]
        assert record is not None
        assert record.outcome == "the address was refused by the mail server (550)"
        assert not told.services.notifications.preferences.outcomes(ann)["mail"].well


def test_while_the_mail_server_is_down_nothing_is_lost(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START) as frozen:
        ann = told.player("Ann", ANN)
        told.match(ann, told.player("Bob"))
        post.stop()
        with pytest.raises(MailDelayed), smtp_connection(post.url):
            pass
        for _ in range(5):
            told.run()
            frozen.tick(timedelta(hours=1))
        assert (
            "Put off: the mail server cannot be reached"
            in told.services.notifications.preferences.outcomes(ann)["mail"].text
        )
        post.start()
        told.run()
        assert len(post.mails) == 1


def test_derived_again_from_nothing_nobody_is_told_twice(told: NotificationHarness, post: MailServer) -> None:
    with freeze_time(START):
        ann, bob = told.player("Ann", ANN), told.player("Bob", BOB)
        match = told.move(told.match(ann, bob), 0, 4)
        told.run()
        told.move(match, 1, 0)
        told.run()
        before = [mail["Message-ID"] for mail in post.mails]
        told.projector.rebuild()
        told.run()
        assert [mail["Message-ID"] for mail in post.mails] == before
        assert len(set(before)) == 2


def test_lists_that_are_derived_again_lose_no_mail(
    told: NotificationHarness, post: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a rebuild that has thrown the lists away, when it comes to a match between the sweep's reading and its
    doing, then the mail goes out."""
    agenda = told.services.notifications.outbox
    look = agenda.due

    def held(*arguments: Any) -> list[OutboxEntry]:
        found = look(*arguments)
        told.projector.catch_up()
        return found

    with freeze_time(START) as frozen:
        told.match(told.player("Ann", ANN), told.player("Bob"))
        told.projector.catch_up()
        for shard in range(SHARDS):
            told.services.read_models.writer.reset(shard)
        with monkeypatch.context() as patch:
            patch.setattr(agenda, "due", held)
            told.notifier.run()
        frozen.tick(UNKNOWN_RETRY)
        told.run()
        assert [mail["To"] for mail in post.mails] == [ANN]
