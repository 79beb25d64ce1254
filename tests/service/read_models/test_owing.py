"""What is owed to people, brought up to date with the lists: it enters once, keeps its place, and leaves for good."""

from datetime import datetime, timedelta

import pytest
from redis import Redis
from redis.exceptions import RedisError

from domain.match.state import Notice, NoticeKind
from service.notifications.outbox import (
    Delivery,
    DeliveryRecord,
    FailedAttempts,
    Outbox,
    parse_delivery_name,
    parse_outbox_member,
)
from service.read_models.writer import ProjectionChange
from tests.projections import Projections
from tests.service.read_models.rows import NOON, SECOND, dump_keys, make_summary, match_id

MATCH = match_id(5)
LATER = NOON + timedelta(days=1)


@pytest.fixture
def agenda(redis: Redis) -> Outbox:
    return Outbox(redis)


def notice(ply: int, kind: NoticeKind = "turn", player: str = "p_ann", at: datetime = NOON) -> Notice:
    return Notice(kind, 0, player, ply, at)


def mail_delivery(ply: int, kind: NoticeKind = "turn", player: str = "p_ann") -> Delivery:
    return Delivery(MATCH, "mail", kind, ply, player)


def due_names(agenda: Outbox, now: datetime = LATER) -> list[str]:
    """The mails that are due."""
    return [owed.delivery.name for owed in agenda.due(now) if owed.delivery.channel == "mail"]


def test_every_notice_is_owed_by_every_channel_from_when_it_came_up(projections: Projections, agenda: Outbox) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4),))
    assert agenda.due(NOON - SECOND) == []
    owed = agenda.due(NOON)
    assert sorted(one.delivery.channel for one in owed) == ["mail", "webhook"]
    assert {(one.raised_at, one.due) for one in owed} == {(NOON, NOON)}


def test_a_player_with_two_seats_is_told_once(projections: Projections, agenda: Outbox) -> None:
    both = (notice(4), Notice("turn", 1, "p_ann", 4, NOON))
    projections.apply(5, 1, MATCH, make_summary(MATCH), both)
    assert due_names(agenda) == ["mail:turn:4:p_ann"]


def test_what_has_passed_leaves_and_what_stands_keeps_its_place(projections: Projections, agenda: Outbox) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4), notice(4, "asked", "p_bob")))
    agenda.postpone(mail_delivery(4, "asked", "p_bob"), LATER + SECOND, FailedAttempts(1, "later"))
    projections.apply(5, 2, MATCH, make_summary(MATCH, ply=5), (notice(4, "asked", "p_bob"), notice(5, player="p_bob")))
    assert due_names(agenda) == ["mail:turn:5:p_bob"]
    assert due_names(agenda, LATER + SECOND) == ["mail:turn:5:p_bob", "mail:asked:4:p_bob"]
    assert agenda.failed_attempts(mail_delivery(4, "asked", "p_bob")) == 1


def test_what_was_told_or_settled_never_comes_again(projections: Projections, agenda: Outbox, redis: Redis) -> None:
    """Given one that was told and one that nobody needed, when the match goes on, and when all is derived again, then
    neither is owed."""
    notices = (notice(4), notice(4, "over", "p_bob"))
    changes = [ProjectionChange(n, MATCH, make_summary(MATCH, ply=4 + n), notices) for n in (1, 2, 3)]
    projections.apply_all(5, changes[:1])
    agenda.record(mail_delivery(4), DeliveryRecord(NOON, "sent", "x"))
    agenda.mark_not_needed([mail_delivery(4, "over", "p_bob")])
    projections.apply_all(5, changes)
    assert due_names(agenda) == []
    before = dump_keys(redis)
    projections.writer.reset(5)
    projections.apply_all(5, changes)
    assert due_names(agenda) == []
    assert dump_keys(redis) == before
    assert agenda.records(MATCH) == {
        mail_delivery(4).name: DeliveryRecord(NOON, "sent", "x"),
        mail_delivery(4, "over", "p_bob").name: None,
    }


def test_nothing_leaves_by_lists_that_do_not_know_it_yet(
    projections: Projections, agenda: Outbox, redis: Redis
) -> None:
    """Given what was put off, when the lists are thrown away and derived again ply by ply, then it leaves at no moment,
    and what has passed meanwhile leaves when the lists have come to its ply."""
    stands, passes = mail_delivery(4, "asked"), mail_delivery(4)
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4), notice(4, "asked")))
    agenda.postpone(stands, NOON + SECOND, FailedAttempts(3, "later"))
    assert not agenda.drop_if_obsolete(stands), "it is owed"
    projections.writer.reset(5)
    assert {owed.raised_at for owed in agenda.due(LATER)} == {None}
    assert not agenda.drop_if_obsolete(stands), "the lists are empty"
    projections.apply(5, 1, MATCH, make_summary(MATCH, ply=3), (notice(3),))
    assert not agenda.drop_if_obsolete(stands), "the lists are at an earlier ply"
    projections.apply(5, 2, MATCH, make_summary(MATCH, ply=5), (notice(4, "asked"),))
    assert [agenda.drop_if_obsolete(each) for each in (stands, passes)] == [False, True]
    assert due_names(agenda) == [stands.name]
    assert agenda.failed_attempts(stands) == 3


def test_one_at_a_time_may_claim_and_a_told_one_nobody(projections: Projections, agenda: Outbox) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4),))
    assert [agenda.claim(mail_delivery(4)) for _ in range(3)] == [True, False, False]
    agenda.postpone(mail_delivery(4), LATER)
    assert agenda.claim(mail_delivery(4)), "who puts it off lets go of it"
    agenda.record(mail_delivery(4), DeliveryRecord(NOON, "sent", "x"))
    assert not agenda.claim(mail_delivery(4))


def test_a_record_whose_clearing_broke_off_is_cleared_by_the_next_look(
    projections: Projections, agenda: Outbox, redis: Redis
) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4),))
    redis.hset(f"{{ct:05}}:told:{MATCH}", mail_delivery(4).name, b"-")
    assert due_names(agenda) == [mail_delivery(4).name]
    assert not agenda.claim(mail_delivery(4))
    assert due_names(agenda) == []


def test_what_cannot_be_recorded_stays_owed(projections: Projections, agenda: Outbox, redis: Redis) -> None:
    """Given a server that is full, when deliveries are recorded, then none leaves the agenda without its record."""
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4), notice(4, "over")))
    redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(RedisError):
            agenda.record(mail_delivery(4), DeliveryRecord(NOON, "sent", "x"))
        with pytest.raises(RedisError):
            agenda.mark_not_needed([mail_delivery(4, "over")])
    finally:
        redis.config_set("maxmemory", 0)
    assert sorted(due_names(agenda)) == ["mail:over:4:p_ann", "mail:turn:4:p_ann"]
    assert agenda.records(MATCH) == {}


def test_a_name_is_read_as_it_was_written() -> None:
    for delivery in (mail_delivery(4), Delivery(MATCH, "webhook", "asked", 17, "p_0123456789abcdef")):
        assert parse_delivery_name(MATCH, delivery.name) == delivery
        assert parse_outbox_member(f"{MATCH}:{delivery.name}") == delivery
    for wrong in ("pigeon:turn:4:p_ann", "mail:turn:x:p_ann", "mail:turn:4", ""):
        with pytest.raises(ValueError):  # noqa: PT011 -- it is our own, without a message
            parse_delivery_name(MATCH, wrong)
    assert (
        len(
            {mail_delivery(4).id, mail_delivery(5).id, mail_delivery(4, "over").id, mail_delivery(4, player="p_bob").id}
        )
        == 4
    )


def test_many_owed_in_one_shard_come_in_their_turn(projections: Projections, agenda: Outbox) -> None:
    many = tuple(notice(ply, "verdict", at=NOON + ply * SECOND) for ply in range(1, 151))
    projections.apply(5, 1, MATCH, make_summary(MATCH), many)
    seen = set()
    while found := agenda.due(LATER):
        seen |= {owed.delivery for owed in found}
        agenda.mark_not_needed([owed.delivery for owed in found])
    assert len(seen) == 300
