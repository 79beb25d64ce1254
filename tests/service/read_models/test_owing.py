"""The outbox of deliveries, updated together with the lists: added once, rescheduled safely, removed for good."""

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
    """Return the names of the email deliveries that are due."""
    return [entry.delivery.name for entry in agenda.due(now) if entry.delivery.channel == "mail"]


def test_every_notice_is_due_on_every_channel_when_raised(projections: Projections, agenda: Outbox) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4),))
    assert agenda.due(NOON - SECOND) == []
    owed = agenda.due(NOON)
    assert sorted(one.delivery.channel for one in owed) == ["mail", "webhook"]
    assert {(one.raised_at, one.due) for one in owed} == {(NOON, NOON)}


def test_a_player_with_two_seats_gets_one_notification(projections: Projections, agenda: Outbox) -> None:
    both = (notice(4), Notice("turn", 1, "p_ann", 4, NOON))
    projections.apply(5, 1, MATCH, make_summary(MATCH), both)
    assert due_names(agenda) == ["mail:turn:4:p_ann"]


def test_obsolete_deliveries_are_removed_and_current_ones_keep_their_due_time(
    projections: Projections, agenda: Outbox
) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4), notice(4, "asked", "p_bob")))
    agenda.postpone(mail_delivery(4, "asked", "p_bob"), LATER + SECOND, FailedAttempts(1, "later"))
    projections.apply(5, 2, MATCH, make_summary(MATCH, ply=5), (notice(4, "asked", "p_bob"), notice(5, player="p_bob")))
    assert due_names(agenda) == ["mail:turn:5:p_bob"]
    assert due_names(agenda, LATER + SECOND) == ["mail:turn:5:p_bob", "mail:asked:4:p_bob"]
    assert agenda.failed_attempts(mail_delivery(4, "asked", "p_bob")) == 1


def test_recorded_deliveries_never_return(projections: Projections, agenda: Outbox, redis: Redis) -> None:
    """Given a sent delivery and one that was not needed, when the match continues or the lists are rebuilt, then the
    outbox has neither."""
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


def test_lists_being_rebuilt_do_not_remove_deliveries(projections: Projections, agenda: Outbox, redis: Redis) -> None:
    """Given a postponed delivery, when the lists are deleted and rebuilt ply by ply, then it always stays. An obsolete
    one is removed once the lists have reached its ply."""
    current, obsolete = mail_delivery(4, "asked"), mail_delivery(4)
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4), notice(4, "asked")))
    agenda.postpone(current, NOON + SECOND, FailedAttempts(3, "later"))
    assert not agenda.drop_if_obsolete(current), "its notice is current"
    projections.writer.reset(5)
    assert {owed.raised_at for owed in agenda.due(LATER)} == {None}
    assert not agenda.drop_if_obsolete(current), "the lists are empty"
    projections.apply(5, 1, MATCH, make_summary(MATCH, ply=3), (notice(3),))
    assert not agenda.drop_if_obsolete(current), "the lists are at an earlier ply"
    projections.apply(5, 2, MATCH, make_summary(MATCH, ply=5), (notice(4, "asked"),))
    assert [agenda.drop_if_obsolete(each) for each in (current, obsolete)] == [False, True]
    assert due_names(agenda) == [current.name]
    assert agenda.failed_attempts(current) == 3


def test_a_delivery_is_leased_to_one_worker_and_never_after_it_was_recorded(
    projections: Projections, agenda: Outbox
) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4),))
    assert [agenda.claim(mail_delivery(4)) for _ in range(3)] == [True, False, False]
    agenda.postpone(mail_delivery(4), LATER)
    assert agenda.claim(mail_delivery(4)), "postponing releases the lease"
    agenda.record(mail_delivery(4), DeliveryRecord(NOON, "sent", "x"))
    assert not agenda.claim(mail_delivery(4))


def test_an_interrupted_removal_is_completed_by_the_next_claim(
    projections: Projections, agenda: Outbox, redis: Redis
) -> None:
    projections.apply(5, 1, MATCH, make_summary(MATCH), (notice(4),))
    redis.hset(f"{{ct:05}}:told:{MATCH}", mail_delivery(4).name, b"-")
    assert due_names(agenda) == [mail_delivery(4).name]
    assert not agenda.claim(mail_delivery(4))
    assert due_names(agenda) == []


def test_a_delivery_stays_in_the_outbox_if_it_cannot_be_recorded(
    projections: Projections, agenda: Outbox, redis: Redis
) -> None:
    """Given a full server, when deliveries are recorded, then none leaves the outbox without its record."""
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


def test_delivery_names_are_parsed_back() -> None:
    for delivery in (mail_delivery(4), Delivery(MATCH, "webhook", "asked", 17, "p_0123456789abcdef")):
        assert parse_delivery_name(MATCH, delivery.name) == delivery
        assert parse_outbox_member(f"{MATCH}:{delivery.name}") == delivery
    for wrong in ("pigeon:turn:4:p_ann", "mail:turn:x:p_ann", "mail:turn:4", ""):
        with pytest.raises(ValueError):  # noqa: PT011 -- raised by our code without a message
            parse_delivery_name(MATCH, wrong)
    assert (
        len(
            {mail_delivery(4).id, mail_delivery(5).id, mail_delivery(4, "over").id, mail_delivery(4, player="p_bob").id}
        )
        == 4
    )


def test_all_of_many_deliveries_in_a_shard_become_due(projections: Projections, agenda: Outbox) -> None:
    many = tuple(notice(ply, "verdict", at=NOON + ply * SECOND) for ply in range(1, 151))
    projections.apply(5, 1, MATCH, make_summary(MATCH), many)
    seen = set()
    while found := agenda.due(LATER):
        seen |= {owed.delivery for owed in found}
        agenda.mark_not_needed([owed.delivery for owed in found])
    assert len(seen) == 300
