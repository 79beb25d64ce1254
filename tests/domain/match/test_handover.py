"""Handing over a seat: by its own player, or by all others when its player is absent."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.chance import Fast
from domain.kernel.events import Answered, HandedOver, OfferWithdrawn, Proposed, SeatOffered, TimeControl
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game, games
from domain.match.commands import (
    AnswerProposal,
    Command,
    Expire,
    HandOver,
    OfferSeat,
    Play,
    Propose,
    TakeOver,
    WithdrawOffer,
)
from domain.match.durations import DAY, HOUR
from replays.file import encode_replay
from replays.verify import verify
from tests.builders import EPOCH, Table, sit_down, step
from tests.domain.match.test_clock import (
    DAILY,
    GAME,
    assert_log_verifies,
    deadlines_of,
    free_cells,
    hours,
    mark,
    refusal,
)
from tests.replays.forge import Entries, forge_replay, of_kind

PIE = find_game("pie_contest")


def table_with_offer(seat: int = 0, **start: Any) -> tuple[Table, int]:
    """Return a match in which a seat is offered, and the number of the offer."""
    table = sit_down(GAME, **start)
    table.take_command(OfferSeat(seat), EPOCH + hours(1))
    return table, table.match.ply


def table_with_absent_player(expiry: Any = "bot_moves", seats: int = 2, plan: TimeControl = DAILY) -> Table:
    """Return a match in which the seat to move has run out of time."""
    chosen = TimeControl(kind=plan.kind, seconds=plan.seconds, increment=plan.increment, expiry=expiry, level="random")
    table = sit_down(GAME if seats == 2 else PIE, seats=seats, clock=chosen)
    while len(table.match.to_move) != 1:
        step(table, Fast("on"))
    (late,) = table.match.to_move
    deadline = table.match.deadline
    assert deadline is not None
    table.take_command(Expire(late), deadline)
    return table


# -- by the seat's own player -------------------------------------------------------------------------------------


def test_a_bot_takes_over_immediately() -> None:
    table = sit_down(GAME, clock=DAILY)
    made = table.take_command(HandOver(0, "greedy"), EPOCH + hours(1))
    assert isinstance(made[0], HandedOver)
    seat = table.match.seats[0]
    assert (seat.kind, seat.acting_bot_level, seat.player, seat.former_players) == ("bot", "greedy", None, ("p0",))
    assert (table.match.deadline, table.match.seats_of("p0")) == (None, ())
    table.take_command(mark(0, 4), EPOCH + hours(99))
    assert_log_verifies(table)


def test_a_player_with_the_invitation_takes_over_with_the_remaining_time() -> None:
    table, number = table_with_offer(clock=DAILY)
    made = table.take_command(TakeOver(0, "p9", number), EPOCH + hours(5))
    assert isinstance(made[0], HandedOver)
    assert (made[0].player, made[0].offer, made[0].fresh) == ("p9", number, False)
    assert (table.match.seats_of("p9"), table.match.seats_of("p0"), table.match.offers) == ((0,), (), ())
    assert deadlines_of(table.match) == [(EPOCH + hours(24), 0)], "handing over must not gain time"
    assert_log_verifies(table)


def test_an_invitation_can_be_used_once() -> None:
    table, number = table_with_offer()
    table.take_command(TakeOver(0, "p9", number))
    assert refusal(table, TakeOver(0, "p8", number), EPOCH) == "offer_gone"


def test_a_withdrawn_invitation_stays_invalid_when_the_seat_is_offered_again() -> None:
    table, number = table_with_offer()
    made = table.take_command(WithdrawOffer(0, number))
    assert isinstance(made[0], OfferWithdrawn)
    assert refusal(table, TakeOver(0, "p9", number), EPOCH) == "offer_gone"
    table.take_command(OfferSeat(0))
    assert refusal(table, TakeOver(0, "p9", number), EPOCH) == "offer_gone"
    table.take_command(TakeOver(0, "p9", table.match.ply))
    assert_log_verifies(table)


def test_an_offer_is_for_one_seat_and_only_its_player_can_withdraw_it() -> None:
    table, number = table_with_offer()
    assert refusal(table, TakeOver(1, "p9", number), EPOCH) == "offer_gone"
    assert refusal(table, WithdrawOffer(1, number), EPOCH) == "not_yours"
    assert refusal(table, WithdrawOffer(0, 999), EPOCH) == "offer_gone"
    assert refusal(table, OfferSeat(0), EPOCH) == "offered_already"


def test_the_player_can_move_until_the_offer_is_taken() -> None:
    table, number = table_with_offer(clock=DAILY)
    table.take_command(mark(0, 4), EPOCH + hours(2))
    table.take_command(mark(1, 0), EPOCH + hours(3))
    table.take_command(TakeOver(0, "p9", number), EPOCH + hours(4))
    assert_log_verifies(table)


def test_a_player_can_take_over_only_one_seat_of_a_match() -> None:
    """A player who has had another seat of the match knows its hand, and can't take over another one."""
    table, number = table_with_offer()
    for player in ("p1", "p0"):
        assert refusal(table, TakeOver(0, player, number), EPOCH) == "seated_here"
    table.take_command(TakeOver(0, "p9", number))
    table.take_command(OfferSeat(1))
    for player in ("p0", "p9"):
        assert refusal(table, TakeOver(1, player, table.match.ply), EPOCH) == "seated_here"
    table.take_command(OfferSeat(0))
    table.take_command(TakeOver(0, "p0", table.match.ply))  # a player can return to their own seat
    assert table.match.seats[0].former_players == ("p0", "p9")
    assert_log_verifies(table)


def test_a_substitute_bot_makes_its_move_before_the_new_player_moves() -> None:
    table = table_with_absent_player()
    table.take_command(OfferSeat(0), EPOCH + hours(24))
    table.take_command(TakeOver(0, "p9", table.match.ply), EPOCH + hours(25))
    assert table.match.seats[0].standin == "random"
    table.take_command(mark(0, 4), EPOCH + hours(25))
    table.take_command(mark(1, 0), EPOCH + hours(26))
    assert deadlines_of(table.match) == [(EPOCH + hours(50), 0)]
    assert_log_verifies(table)


def test_proposals_lapse_when_a_seat_changes_hands() -> None:
    table, number = table_with_offer(clock=DAILY)
    table.take_command(Propose(seat=1, what="pause"), EPOCH + hours(2))
    table.take_command(TakeOver(0, "p9", number), EPOCH + hours(2))
    assert table.match.proposals == ()
    assert_log_verifies(table)


# -- by the others ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expiry", ["bot_moves", "bot_takes_over"])
def test_the_others_can_offer_an_absent_players_seat_with_a_fresh_clock(expiry: str) -> None:
    table = table_with_absent_player(expiry)
    made = table.take_command(Propose(seat=1, what="hand_over", of=0), EPOCH + hours(30))
    assert [type(event) for event in made] == [Proposed, SeatOffered], "there is nobody else to ask"
    number = table.match.ply
    assert (table.match.offers[0].seat, table.match.offers[0].by) == (0, 1)
    table.take_command(TakeOver(0, "p9", number), EPOCH + hours(31))
    seat = table.match.seats[0]
    assert (seat.kind, seat.player, seat.has_timed_out) == ("human", "p9", False)
    if expiry == "bot_moves":
        table.take_command(mark(0, 4), EPOCH + hours(31))
        table.take_command(mark(1, 0), EPOCH + hours(31))
    assert deadlines_of(table.match) == [(EPOCH + hours(31 + 24), 0)]
    assert_log_verifies(table)


def test_a_new_player_gets_a_full_time_bank() -> None:
    table = table_with_absent_player("bot_takes_over", plan=TimeControl(kind="bank", seconds=10 * HOUR))
    table.take_command(Propose(seat=1, what="hand_over", of=0), EPOCH + hours(30))
    table.take_command(TakeOver(0, "p9", table.match.ply), EPOCH + hours(31))
    assert deadlines_of(table.match) == [(EPOCH + hours(41), 0)]
    assert_log_verifies(table)


def test_a_bot_takes_over_once_all_others_agree() -> None:
    table = table_with_absent_player(seats=4)
    (late,) = [n for n, seat in enumerate(table.match.seats) if seat.has_timed_out]
    one, two, three = (n for n in range(4) if n != late)
    now = table.match.last_event_at
    table.take_command(Propose(seat=one, what="hand_over", of=late, level="easy"), now)
    number = table.match.ply
    assert refusal(table, AnswerProposal(late, number, True), now) == "not_asked"
    table.take_command(AnswerProposal(two, number, True), now)
    made = table.take_command(AnswerProposal(three, number, True), now)
    assert [type(event) for event in made] == [Answered, HandedOver]
    assert (table.match.seats[late].level, table.match.seats[late].former_players) == ("easy", (f"p{late}",))
    assert_log_verifies(table)


def test_an_absent_player_who_returns_can_decline_or_withdraw_the_offer() -> None:
    table = table_with_absent_player(seats=3)
    (late,) = [n for n, seat in enumerate(table.match.seats) if seat.has_timed_out]
    other, third = (n for n in range(3) if n != late)
    now = table.match.last_event_at
    table.take_command(Propose(seat=other, what="hand_over", of=late), now)
    table.take_command(AnswerProposal(late, table.match.ply, False), now)
    assert table.match.proposals == ()
    table.take_command(Propose(seat=other, what="hand_over", of=late), now)
    table.take_command(AnswerProposal(third, table.match.ply, True), now)
    number = table.match.offers[0].number
    table.take_command(WithdrawOffer(late, number), now)
    assert refusal(table, TakeOver(late, "p9", number), now) == "offer_gone"
    assert_log_verifies(table)


def test_an_offer_by_the_others_lapses_when_the_player_moves_again() -> None:
    table = table_with_absent_player()
    table.take_command(mark(0, 4), EPOCH + hours(25))  # the substitute bot's move
    table.take_command(Propose(seat=1, what="hand_over", of=0), EPOCH + hours(26))
    number = table.match.ply
    table.take_command(mark(1, 0), EPOCH + hours(27))
    table.take_command(mark(0, 8), EPOCH + hours(28))
    assert (table.match.offers, table.match.seats[0].has_timed_out) == ((), False)
    assert refusal(table, TakeOver(0, "p9", number), EPOCH + hours(28)) == "offer_gone"
    assert refusal(table, Propose(seat=1, what="hand_over", of=0), EPOCH + hours(28)) == "not_lapsed"
    assert_log_verifies(table)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (Propose(seat=1, what="hand_over", of=0), "not_lapsed"),
        (Propose(seat=0, what="hand_over", of=0), "own_seat"),
        (Propose(seat=1, what="hand_over", of=2), "no_such_seat"),
        (Propose(seat=1, what="hand_over", of=-1), "no_such_seat"),
        (Propose(seat=1, what="hand_over"), "bad_proposal"),
        (Propose(seat=1, what="pause", of=0), "bad_proposal"),
        (Propose(seat=1, what="pause", level="easy"), "bad_proposal"),
        (TakeOver(0, "p9", 3), "offer_gone"),
        (OfferSeat(5), "no_such_seat"),
    ],
)
def test_an_invalid_hand_over_is_refused(command: Command, code: str) -> None:
    assert refusal(sit_down(GAME, clock=DAILY), command, EPOCH) == code


def test_a_former_player_cannot_hand_over_a_bots_seat() -> None:
    table = sit_down(GAME)
    table.take_command(HandOver(0, "random"))
    for command in (HandOver(0, "easy"), OfferSeat(0)):
        assert refusal(table, command, EPOCH) == "seat_of_a_bot"
    lapsed = table_with_absent_player("bot_takes_over")
    assert refusal(lapsed, Propose(seat=1, what="hand_over", of=0, level="easy"), EPOCH) == "seat_of_a_bot"


@pytest.mark.parametrize("command", [HandOver(0, "easy"), OfferSeat(0)])
def test_a_seat_in_a_rated_match_cannot_be_handed_over(command: Command) -> None:
    resigning = msgspec.structs.replace(DAILY, expiry="resigns", level=None)
    table = sit_down(GAME, clock=resigning, rated=True)
    assert refusal(table, command, EPOCH) == "rated"
    assert table.match.is_rated


def test_seats_cannot_change_after_the_end() -> None:
    table, number = table_with_offer()
    table.play(0, {"type": "resign"})
    for command in (TakeOver(0, "p9", number), HandOver(0, "easy"), OfferSeat(1)):
        assert refusal(table, command, EPOCH) == "not_playing"


@pytest.mark.slow
@pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)
def test_a_seat_can_resign_in_the_middle_of_every_game(game: Any) -> None:
    """Depending on the rules the match ends or continues without the seat, and the log verifies."""
    for seats in game.seat_counts:
        table, chance = sit_down(game, seats=seats), Fast("middle")
        for _ in range(2 * seats):
            step(table, chance)
        seat = chance.below(seats)
        table.play(seat, {"type": "resign"})
        while table.match.status == "playing":
            assert seat not in table.match.to_move
            step(table, chance)
        assert table.match.outcome is not None
        assert seat not in table.match.outcome.winners
        assert_log_verifies(table)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 7), st.integers(0, 1), st.integers(0, 9)), max_size=30))
def test_after_any_hand_overs_the_log_verifies_and_each_player_has_one_seat(
    steps: list[tuple[int, int, int, int]],
) -> None:
    table = sit_down(GAME, clock=TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random"))
    now, chance = EPOCH, Fast("any")
    for wait, action, seat, player in steps:
        now += hours(wait)
        while (ends := deadlines_of(table.match)) and ends[0][0] <= now:
            table.take_command(Expire(ends[0][1]), now)
        if table.match.status != "playing":
            break
        number = table.match.offers[0].number if table.match.offers else 1
        mover = min(table.match.to_move)
        commands: list[Command] = [
            Play(mover, {"type": "mark", "cell": chance.pick(free_cells(table.match))}),
            OfferSeat(seat),
            WithdrawOffer(seat, number),
            TakeOver(seat, f"p{player}", number),
            Propose(seat=seat, what="hand_over", of=1 - seat),
            Propose(seat=seat, what="hand_over", of=1 - seat, level="easy"),
            HandOver(seat, "easy") if player == 0 else OfferSeat(seat),
            AnswerProposal(seat, table.match.proposals[0].number if table.match.proposals else 1, player > 4),
        ]
        try:
            table.take_command(commands[action], now)
        except MatchRefused:
            continue
        players = [state.player for state in table.match.seats if state.player]
        assert len(players) == len(set(players))
    assert_log_verifies(table)


# -- forgeries ----------------------------------------------------------------------------------------------------


def table_with_hand_overs() -> Table:
    """Return a match in which seat 0 is offered twice and taken once, and seat 1 is handed over after a timeout."""
    table, number = table_with_offer(
        clock=TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random")
    )
    now = EPOCH + hours(2)
    table.take_command(WithdrawOffer(0, number), now)
    table.take_command(OfferSeat(0), now)
    table.take_command(TakeOver(0, "p9", table.match.ply), now)
    table.take_command(mark(0, 4), now)
    table.take_command(Expire(1), now + timedelta(days=1))
    now += timedelta(days=1)
    table.take_command(Propose(seat=0, what="hand_over", of=1), now)
    table.take_command(TakeOver(1, "p8", table.match.ply), now)
    table.take_command(Play(0, {"type": "resign"}), now)
    return table


def drop_second_offer(events: Entries) -> Entries:
    """Remove the offer that led to the handover."""
    return [event for event in events if event is not of_kind(events, "seat_offered")[1]]


def use_withdrawn_offer(events: Entries) -> None:
    of_kind(events, "handed_over")[0]["offer"] = of_kind(events, "seat_offered")[0]["ply"]


def hand_over_to_opponent(events: Entries) -> None:
    of_kind(events, "handed_over")[0]["player"] = "p1"


def grant_fresh_clock(events: Entries) -> None:
    of_kind(events, "handed_over")[0]["fresh"] = True


def hand_over_to_nobody(events: Entries) -> None:
    of_kind(events, "handed_over")[0]["player"] = None


def bot_takes_offered_seat(events: Entries) -> None:
    """Let a bot take a seat that was only offered."""
    of_kind(events, "handed_over")[0].update(player=None, level="easy")


def offer_by_opponent(events: Entries) -> None:
    of_kind(events, "seat_offered")[0]["by"] = 1


def drop_consent(events: Entries) -> None:
    of_kind(events, "seat_offered")[2]["proposal"] = None


def drop_expiry(events: Entries) -> Entries:
    """Remove the timeout of the seat."""
    return [event for event in events if event["kind"] != "expired"]


def withdraw_by_opponent(events: Entries) -> None:
    of_kind(events, "offer_withdrawn")[0]["seat"] = 1


@pytest.mark.parametrize(
    "change",
    [
        drop_second_offer,
        use_withdrawn_offer,
        hand_over_to_opponent,
        grant_fresh_clock,
        hand_over_to_nobody,
        bot_takes_offered_seat,
        offer_by_opponent,
        drop_consent,
        drop_expiry,
        withdraw_by_opponent,
    ],
)
def test_a_false_hand_over_is_found_even_if_the_chain_holds(change: Any) -> None:
    raw = b"".join(encode_replay(table_with_hand_overs().events))
    assert verify(raw).ok, verify(raw).as_text()
    report = verify(forge_replay(raw, change))
    assert report.first is not None
    assert report.first.rule in ("lifecycle.consent", "chain.ply"), report.as_text()
    if report.first.rule == "chain.ply":
        failed = {layer.divergence.rule for layer in report.layers if layer.divergence}
        assert "lifecycle.consent" in failed, report.as_text()
