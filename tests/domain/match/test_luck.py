"""Luck protocol 2 in the match: levels, shares, the opening of a full table, and the draws that events record."""

from collections import Counter
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import Chance, DrawContext, Fast, Luck
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import (
    AnyEvent,
    Cancelled,
    Created,
    LuckTerms,
    Moved,
    SeatTaken,
    SeedRevealed,
    Started,
    TimeControl,
)
from domain.kernel.game import AnyGame
from domain.kernel.luck import MatchSecrets, share_seal, table_hash
from domain.kernel.refusals import IllegalMove, MatchRefused
from domain.kernel.registry import find_game, games
from domain.match.commands import (
    AnswerProposal,
    Cancel,
    CloseLobby,
    Command,
    Create,
    HandOver,
    LeaveSeat,
    LoseShare,
    OfferSeat,
    OpenShare,
    Play,
    Propose,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    SeatSpec,
    TakeSeat,
)
from domain.match.durations import DAY
from domain.match.history import fold
from domain.match.lobby import create
from domain.match.luck import OPENING_SECONDS, load_secrets, unopened_seats
from domain.match.opening import full_table_hash
from domain.match.state import snapshot_decoder
from replays.re_execution import TracedLuck
from replays.redaction import redact_events
from replays.verify import verify
from tests.builders import (
    EPOCH,
    Table,
    fork_table,
    greedy_agent,
    play_on,
    replay_file,
    secrets_of,
    share_of,
    sit_down,
    step,
    take_seat,
)

GAME = find_game("tic_tac_toe")
BRAWL = find_game("bakers_brawl")
"""A game for up to four seats, with decks and dice."""
ANN, OPEN, BOT = SeatSpec("human", player="ann"), SeatSpec("open"), SeatSpec("bot", level="greedy")
NOTHING = "0" * 64
every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def open_table(
    *seats: SeatSpec, level: Any = "sealed", game: AnyGame = BRAWL, luck: Luck | None = None, **more: Any
) -> Table:
    """Return a match that players can join. Without `seats`, there are three open ones."""
    source = luck or secrets_of(game, "lobby", match="m01")
    wish = Create(
        match="m01", game=game.slug, creator="ann", options={}, seats=seats or (OPEN,) * 3, level=level, **more
    )
    events, match = create(wish, EPOCH, source)
    return Table(source, match, events)


def full_table(*gives: bool, **more: Any) -> Table:
    """Return a sealed match whose players p0, p1, ... have taken all seats; `gives` says who gave a seal."""
    gives = gives or (True, True, True)
    table = open_table(*(OPEN,) * len(gives), **more)
    for seat, has_seal in enumerate(gives):
        take_seat(table, seat, has_seal)
    return table


def opening(seated: Table, seat: int, **changes: Any) -> OpenShare:
    """Return the command that opens the share of the player at this seat."""
    command = OpenShare(f"p{seat}", full_table_hash(seated.match), share_of(seat, seated.match.id))
    return replace(command, **changes)


def sitting(table: Table, seat: int, player: str, **contribution: Any) -> TakeSeat:
    """Return the command that seats a player, with the right commitment."""
    return replace(TakeSeat(seat, player, commitment=table.match.commitment), **contribution)


def seal_for(table: Table, seat: int, share: str) -> str:
    return share_seal(table.match.id, seat, table.match.commitment, share)


def refusal(table: Table, command: Command, now: datetime = EPOCH) -> str:
    with pytest.raises(MatchRefused) as refused:
        table.take_command(command, now)
    return refused.value.code


def kinds(events: list[AnyEvent]) -> list[str]:
    return [str(type(event).__struct_config__.tag) for event in events]


def verified(table: Table) -> None:
    """Check that the finished match verifies in all layers, and that its log folds to it."""
    report = verify(replay_file(table.events))
    assert report.ok, report.as_text()
    assert fold(table.events) == table.match


# -- levels -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rated", "level"), [(False, "open"), (True, "sealed")])
def test_a_rated_match_is_sealed_and_any_other_open_unless_the_creator_chooses(rated: bool, level: str) -> None:
    table = open_table(level=UNSET, rated=rated)
    assert table.match.luck == LuckTerms(level=level, opening_seconds=OPENING_SECONDS if rated else None)  # type: ignore[arg-type]
    assert open_table(level="sealed").match.luck.level == "sealed"  # type: ignore[union-attr]


def test_a_match_with_a_chosen_seed_is_given() -> None:
    table = sit_down(BRAWL, seed=b"chosen", given=True)
    assert table.match.luck == LuckTerms(level="given", opening_seconds=None)
    assert table.events[0].given  # type: ignore[attr-defined]


def test_nobody_gives_a_share_where_the_seed_is_given() -> None:
    luck = secrets_of(BRAWL, b"chosen", match="m01", given=True)
    with pytest.raises(MatchRefused) as refused:
        open_table(level="open", luck=luck)
    assert refused.value.code == "wrong_level"


def test_the_creator_of_a_rated_match_takes_the_seat_that_is_kept_for_them() -> None:
    table = open_table(SeatSpec("human", player="ann"), OPEN, rated=True)
    with pytest.raises(MatchRefused) as refused:
        table.take_command(TakeSeat(1, "ann"))
    assert refused.value.code == "one_seat_each"
    table.take_command(TakeSeat(0, "ann"))


@pytest.mark.parametrize(("rated", "level"), [(True, "open"), (False, "given"), (True, "given")])
def test_a_level_that_does_not_fit_is_refused(rated: bool, level: Any) -> None:
    with pytest.raises(MatchRefused) as refused:
        open_table(level=level, rated=rated)
    assert refused.value.code == "wrong_level"


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [(None, 259_200), (TimeControl(kind="per_move", seconds=DAY), DAY),
     (TimeControl(kind="bank", seconds=10 * DAY), 259_200)],
)  # fmt: skip
def test_players_have_as_long_to_open_as_for_a_move(clock: Any, seconds: int) -> None:
    assert open_table(clock=clock).match.luck.opening_seconds == seconds  # type: ignore[union-attr]


def test_a_client_seed_at_the_creation_is_refused_because_the_server_could_choose_its_seed_to_fit() -> None:
    with pytest.raises(MatchRefused) as refused:
        open_table(replace(ANN, client_seed="lucky"), OPEN, level=UNSET)
    assert refused.value.code == "share_before_commitment"


# -- the lobby ----------------------------------------------------------------------------------------------------


def test_creating_a_match_seats_bots_and_keeps_a_seat_for_the_creator() -> None:
    table = open_table(ANN, BOT, OPEN)
    assert kinds(table.events) == ["created", "seat_taken"]
    assert [(seat.kind, seat.reserved_for) for seat in table.match.seats] == [
        ("open", "ann"), ("bot", None), ("open", None)
    ]  # fmt: skip
    # when: somebody else wants the creator's seat
    assert refusal(table, sitting(table, 0, "bob")) == "seat_taken"
    # then: only the creator can sit there, with their share
    table.take_command(sitting(table, 0, "ann", seal=NOTHING))
    assert table.match.seats_of("ann") == (0,)
    assert table.match.status == "open"


def test_a_kept_seat_that_its_creator_has_left_is_open_to_everyone() -> None:
    table = open_table(ANN, OPEN, OPEN)
    table.take_command(sitting(table, 0, "ann"))
    table.take_command(LeaveSeat(0))
    assert (table.match.seats[0].kind, table.match.seats[0].private) == ("open", False)
    table.take_command(sitting(table, 0, "bob"))
    assert table.match.seats_of("bob") == (0,)


def test_a_share_that_was_taken_along_is_void() -> None:
    table = open_table(level="open")
    take_seat(table, 0, gives=True)
    table.take_command(LeaveSeat(0))
    table.take_command(sitting(table, 0, "bob"))
    assert table.match.seats[0].share is None


def test_an_open_match_starts_with_the_last_seat_and_shows_all_shares() -> None:
    table = open_table(level="open")
    for seat, gives in enumerate((True, False, True)):
        made = take_seat(table, seat, gives)
    assert kinds(made) == ["seat_taken", "started"]
    assert table.match.shares == (share_of(0, "m01"), None, share_of(2, "m01"))
    verified(ended(table))


def test_a_sealed_match_without_any_seal_starts_immediately() -> None:
    table = full_table(False, False)
    assert table.match.status == "playing"
    assert table.match.shares == (None, None)
    verified(ended(table))


def ended(table: Table) -> Table:
    play_on(table, Fast("on"), greedy_agent)
    return table


@pytest.mark.parametrize(
    ("level", "contribution", "code"),
    [("open", {"share": "ab" * 32, "commitment": "cd" * 32}, "commitment_differs"),
     ("open", {"share": "ab" * 32, "commitment": UNSET}, "commitment_differs"),
     ("open", {"commitment": "cd" * 32}, "commitment_differs"),
     ("open", {"share": "ab" * 31}, "bad_share"), ("open", {"share": "AB" * 32}, "bad_share"),
     ("open", {"share": NOTHING}, "bad_share"), ("open", {"share": "ab" * 32 + "\n"}, "bad_share"),
     ("open", {"share": "ab" * 32, "seal": "cd" * 32}, "bad_share"), ("sealed", {"seal": "cd" * 31}, "bad_share"),
     ("open", {"seal": "cd" * 32}, "wrong_level"), ("sealed", {"share": "ab" * 32}, "wrong_level"),
     ("given", {"share": "ab" * 32}, "wrong_level"), ("given", {"seal": "cd" * 32}, "wrong_level")],
)  # fmt: skip
def test_a_share_or_seal_that_does_not_belong_here_is_refused(level: str, contribution: Any, code: str) -> None:
    luck = secrets_of(BRAWL, "lobby", match="m01", given=level == "given")
    table = open_table(level=UNSET if level == "given" else level, luck=luck)
    assert refusal(table, sitting(table, 0, "bob", **contribution)) == code


def test_a_fork_with_the_same_luck_needs_no_shares_and_starts_immediately() -> None:
    parent = ended(sit_down(BRAWL, shares=(True, True)))
    fork = fork_table(parent, 6, "same")
    assert fork.match.status == "playing"
    assert fork.match.shares == (None, None)
    assert all(event.share is event.seal is None for event in fork.events if isinstance(event, SeatTaken))


# -- opening ------------------------------------------------------------------------------------------------------


def test_the_last_seat_of_a_sealed_table_begins_the_opening() -> None:
    table = full_table(True, False, True)
    assert kinds(table.events)[-1] == "seat_taken"
    match = table.match
    assert (match.status, match.full_since, unopened_seats(match)) == ("opening", match.last_event_at, (0, 2))
    assert match.to_move == frozenset()
    assert [(notice.kind, notice.player) for notice in match.notices] == [("opening", "p0"), ("opening", "p2")]


def test_the_match_starts_with_the_last_share_in_one_append() -> None:
    table = full_table(True, False, True)
    assert kinds(table.take_command(opening(table, 2))) == ["share_opened"]
    assert table.match.status == "opening"
    assert kinds(table.take_command(opening(table, 0))) == ["share_opened", "started"]
    assert table.match.status == "playing"
    assert table.match.shares == (share_of(0, "m01"), None, share_of(2, "m01"))
    assert not any(notice.kind == "opening" for notice in table.match.notices)
    verified(ended(table))


def test_shares_opened_in_any_order_give_the_same_key() -> None:
    decks = set()
    for order in permutations(range(3)):
        table = full_table()
        for seat in order:
            table.take_command(opening(table, seat))
        started = table.events[-1]
        assert isinstance(started, Started)
        decks.add(msgspec.json.encode((started.facts, started.shares, started.draws)))
        verified(ended(table))
    assert len(decks) == 1


def test_one_share_opens_every_seat_that_its_player_sealed() -> None:
    table = open_table()
    for seat in range(3):
        player, share = ("p9", share_of(9)) if seat else ("p0", share_of(0, "m01"))
        table.take_command(sitting(table, seat, player, seal=seal_for(table, seat, share)))
    made = table.take_command(OpenShare("p9", full_table_hash(table.match), share_of(9)))
    assert [event.seat for event in made] == [1, 2]
    assert kinds(made) == ["share_opened", "share_opened"]
    table.take_command(opening(table, 0))
    verified(ended(table))


def test_two_shares_of_one_player_are_opened_one_by_one() -> None:
    """A client should make one share for each match. If it made two, the match can still start."""
    table = open_table(OPEN, OPEN)
    for seat in range(2):
        table.take_command(sitting(table, seat, "p9", seal=seal_for(table, seat, share_of(seat))))
    shares = [OpenShare("p9", full_table_hash(table.match), share_of(seat)) for seat in (1, 0)]
    assert [len(table.take_command(command)) for command in shares] == [1, 2]
    verified(ended(table))


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"player": "bob"}, "not_your_seal"), ({"player": "p1"}, "not_your_seal"),
     ({"share": share_of(1)}, "share_does_not_fit"), ({"share": NOTHING}, "bad_share"), ({"share": "x"}, "bad_share"),
     ({"table": "ab" * 32}, "table_differs"), ({"table": ""}, "table_differs")],
)  # fmt: skip
def test_an_opening_that_does_not_fit_is_refused(changes: Any, code: str) -> None:
    table = full_table(True, False, True)
    assert refusal(table, opening(table, 0, **changes)) == code


def test_a_table_with_another_seal_or_commitment_has_another_hash() -> None:
    """A player who was shown a different table from the others does not open for theirs."""
    table = full_table()
    match = table.match
    seals = [seat.seal for seat in match.seats]
    for other in (
        table_hash(match.id, "00" * 32, seals),
        table_hash(match.id, match.commitment, [*seals[:2], None]),
        table_hash(match.id, match.commitment, seals[::-1]),
        table_hash("m02", match.commitment, seals),
    ):
        assert refusal(table, opening(table, 0, table=other)) == "table_differs"


@pytest.mark.parametrize("command", [OpenShare("p0", "ab" * 32, share_of(0)), LoseShare("p0")])
def test_no_share_is_opened_or_lost_before_all_seats_are_taken(command: Command) -> None:
    table = open_table()
    take_seat(table, 0, gives=True)
    assert refusal(table, command) == "not_full"


def test_a_share_is_opened_once() -> None:
    table = full_table()
    table.take_command(opening(table, 0))
    assert refusal(table, opening(table, 0)) == "already_open"
    assert refusal(table, opening(table, 0, share=share_of(7))) == "share_does_not_fit"


@pytest.mark.parametrize("command", [OpenShare("p0", "ab" * 32, share_of(0)), LoseShare("p0")])
def test_nothing_is_opened_or_lost_after_the_start_or_the_end(command: Command) -> None:
    table = full_table()
    for seat in range(3):
        table.take_command(opening(table, seat))
    assert refusal(table, command) == "already_started"
    cancelled = full_table()
    cancelled.take_command(LoseShare("p1"))
    assert refusal(cancelled, command) == "match_cancelled"


CHANGES_OF_THE_TABLE = [
    TakeSeat(0, "bob"), LeaveSeat(0), Cancel("ann"), HandOver(0, "greedy"), OfferSeat(0),
    Propose(seat=0, what="pause"), Play(0, {"type": "resign"}),
]  # fmt: skip


@pytest.mark.parametrize("command", CHANGES_OF_THE_TABLE, ids=lambda command: type(command).__name__)
@pytest.mark.parametrize("opened", [0, 2])
def test_nobody_joins_leaves_cancels_or_plays_while_shares_are_opened(command: Command, opened: int) -> None:
    table = full_table()
    for seat in range(opened):
        table.take_command(opening(table, seat))
    assert refusal(table, command) == "opening"
    assert table.match.status == "opening"


def test_there_is_nothing_to_dispute_while_shares_are_opened() -> None:
    assert refusal(full_table(), RaiseDispute(0, 1, "draw", "ab" * 32)) == "not_started"


def deadline_of(table: Table) -> datetime:
    match = table.match
    assert match.full_since is not None
    assert match.luck is not None
    return match.full_since + timedelta(seconds=match.luck.opening_seconds or 0)


def test_a_share_at_the_deadline_is_too_late_and_a_millisecond_earlier_is_not() -> None:
    table = full_table()
    due = deadline_of(table)
    for seat in (0, 1):
        table.take_command(opening(table, seat))
    assert refusal(table, opening(table, 2), due) == "time_is_up"
    assert refusal(table, LoseShare("p2"), due) == "time_is_up"
    assert refusal(table, CloseLobby(), due - timedelta(milliseconds=1)) == "not_due"
    table.take_command(opening(table, 2), due - timedelta(milliseconds=1))
    verified(ended(table))


def test_opening_one_share_does_not_extend_the_deadline() -> None:
    table = full_table()
    due = deadline_of(table)
    table.take_command(opening(table, 0), due - timedelta(hours=1))
    assert deadline_of(table) == due


@pytest.mark.parametrize(("opened", "blamed"), [((), (0, 2)), ((2,), (0,)), ((0,), (2,))])
def test_at_the_deadline_exactly_the_seats_that_did_not_open_are_named(opened: Any, blamed: Any) -> None:
    table = full_table(True, False, True)
    for seat in opened:
        table.take_command(opening(table, seat))
    made = table.take_command(CloseLobby(), deadline_of(table))
    assert kinds(made) == ["cancelled", "seed_revealed"]
    assert isinstance(made[0], Cancelled)
    assert (made[0].reason, made[0].seats) == ("not_opened", blamed)
    assert table.match.status == "over"
    assert table.match.discarded_by == tuple(f"p{seat}" for seat in blamed)
    assert (table.match.outcome, table.match.is_rated) == (None, False)
    verified(table)


def test_a_player_who_lost_their_share_cancels_the_match_immediately() -> None:
    table = full_table()
    table.take_command(opening(table, 0))
    made = table.take_command(LoseShare("p1"))
    assert kinds(made) == ["cancelled", "seed_revealed"]
    assert isinstance(made[0], Cancelled)
    assert (made[0].reason, made[0].seats) == ("lost", (1,))
    assert table.match.discarded_by == ("p1",)
    verified(table)


def test_a_player_who_has_opened_cannot_discard_the_match() -> None:
    table = full_table()
    table.take_command(opening(table, 0))
    assert refusal(table, LoseShare("p0")) == "already_open"
    assert refusal(table, LoseShare("bob")) == "not_your_seal"


@given(st.lists(st.booleans(), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_any_table_starts_when_all_have_opened_and_not_before(gives: list[bool], chance: Any) -> None:
    table = full_table(*gives)
    waiting = [seat for seat, has_seal in enumerate(gives) if has_seal]
    chance.shuffle(waiting)
    assert (table.match.status == "opening") == bool(waiting)
    while waiting:
        assert refusal(table, chance.choice(CHANGES_OF_THE_TABLE)) == "opening"
        table.take_command(opening(table, waiting.pop()))
        assert (table.match.status == "playing") == (not waiting)
    assert table.match.shares == tuple(share_of(n, "m01") if has_seal else None for n, has_seal in enumerate(gives))


# -- draws --------------------------------------------------------------------------------------------------------


def uses_by_event(events: list[AnyEvent]) -> Counter[str]:
    """Return the uses that the events of a match record."""
    uses = Counter[str]()
    for event in events:
        if isinstance(event, Started | Moved) and event.draws:
            uses.update(event.draws)
    return uses


@every_game
def test_the_uses_of_a_match_are_those_that_its_events_record(game: AnyGame) -> None:
    table = ended(sit_down(game, shares=(True,) * game.seat_counts[0], by_chance=True))
    assert table.match.uses == uses_by_event(table.events)
    assert all(count > 0 for count in table.match.uses.values())
    assert table.match.uses["seats"] == 1
    moves = Counter(event.seat for event in table.events if isinstance(event, Moved))
    assert table.match.move_counts == tuple(moves[seat] for seat in range(len(table.match.seats)))
    verified(table)


def test_a_refused_move_draws_nothing() -> None:
    table = sit_down(BRAWL)
    before, chances = table.match, list[Chance]()
    table.luck = CountingLuck(table.luck, chances)
    seat = next(seat for seat in range(len(before.seats)) if seat not in before.to_move)
    move = next(iter(BRAWL.legal_moves(before.state, next(iter(before.to_move)))))
    with pytest.raises(IllegalMove):
        table.play(seat, move)
    assert [chance.used for chance in chances] == [{}]
    assert table.match == before


class CountingLuck(TracedLuck):
    """Luck that records the sources of draws that it returns."""

    def __init__(self, luck: Luck, given_out: list[Chance]) -> None:
        super().__init__(luck)
        self.given_out = given_out

    def chance(self, context: DrawContext) -> Chance:
        self.given_out.append(super().chance(context))
        return self.given_out[-1]


class DiceOnTheWay:
    """Finds the first move of a match that rolls dice."""

    def __init__(self, game: AnyGame) -> None:
        self.table, chance = sit_down(game), Fast("dice")
        while True:
            self.before = self.table.match
            made = step(self.table, chance, greedy_agent)[0]
            assert isinstance(made, Moved)
            if made.draws and any(purpose.startswith("die") for purpose in made.draws):
                self.moved = made
                return


def test_a_takeback_gives_no_use_back_and_counts_the_move() -> None:
    found = DiceOnTheWay(find_game("battle_of_the_bakeries"))
    table, before, moved = found.table, found.before, found.moved
    # when: a roll is taken back by consent
    after = table.match
    table.take_command(Propose(seat=moved.seat, what="takeback", to_ply=before.ply))
    table.take_command(AnswerProposal(1 - moved.seat, table.match.ply, agrees=True))
    # then: the position is restored, but the uses and moves still count
    assert table.match.state == before.state
    assert (table.match.uses, table.match.move_counts) == (after.uses, after.move_counts)
    # and: the next roll is another use
    (again,) = table.play(moved.seat, moved.move)
    assert isinstance(again, Moved)
    assert again.draws == moved.draws
    assert table.match.move_counts[moved.seat] == after.move_counts[moved.seat] + 1
    assert sum(table.match.uses.values()) > sum(after.uses.values())
    verified(ended(table))


def test_a_ruling_gives_no_use_back() -> None:
    found = DiceOnTheWay(find_game("battle_of_the_bakeries"))
    table, uses, moves = found.table, found.table.match.uses, found.table.match.move_counts
    for command in (
        RaiseDispute(0, found.moved.ply, "draw", "ab" * 32),
        RecordVerdict(found.moved.ply + 1, holds=False),
        ResolveDispute(found.moved.ply + 1, "rolled_back", "judge", found.before.ply),
    ):
        table.take_command(command)
    assert table.match.state == found.before.state
    assert (table.match.uses, table.match.move_counts) == (uses, moves)
    verified(ended(table))


# -- forks --------------------------------------------------------------------------------------------------------


def test_a_fork_with_the_same_luck_continues_the_streams() -> None:
    """Given a match with shares, when a fork makes the same moves, then it has the same draws."""
    parent = ended(sit_down(BRAWL, shares=(True, True)))
    ply = 8
    fork = fork_table(parent, ply, "same")
    assert fork.match.uses == uses_by_event(parent.events[:ply])
    for event in parent.events[ply:]:
        if isinstance(event, Moved):
            (made, *_) = fork.play(event.seat, event.move)
            assert (made.facts, made.draws) == (event.facts, event.draws)  # type: ignore[attr-defined]
    assert fork.match.uses == parent.match.uses
    assert fork.match.commitment == parent.match.commitment
    verified(fork)


def test_a_fork_counts_uses_that_were_taken_back() -> None:
    found = DiceOnTheWay(find_game("battle_of_the_bakeries"))
    parent, moved = found.table, found.moved
    parent.take_command(Propose(seat=moved.seat, what="takeback", to_ply=found.before.ply))
    parent.take_command(AnswerProposal(1 - moved.seat, parent.match.ply, agrees=True))
    uses, ply = parent.match.uses, parent.match.ply
    ended(parent)
    fork = fork_table(parent, ply, "same")
    assert fork.events[0].fork.uses == uses  # type: ignore[attr-defined]
    verified(ended(fork))


def test_a_fork_with_the_same_luck_has_salts_of_its_own() -> None:
    """The seed of its match is known, so otherwise hidden moves could be guessed by their hashes."""
    parent = ended(sit_down(BRAWL))
    fork = ended(fork_table(parent, 6, "same"))
    one, other = (table.events[-1] for table in (parent, fork))
    assert isinstance(one, SeedRevealed)
    assert isinstance(other, SeedRevealed)
    assert one.seed == other.seed
    assert one.salts != other.salts


def test_a_fork_with_new_luck_has_its_own_commitment_and_streams() -> None:
    parent = ended(sit_down(BRAWL, shares=(True, True)))
    fork = fork_table(parent, 6, "new")
    first = fork.events[0]
    assert isinstance(first, Created)
    assert first.fork is not UNSET
    assert (first.fork.origin, first.fork.uses, first.fork.shares) == (UNSET, UNSET, UNSET)
    assert first.commitment != parent.match.commitment
    assert fork.match.uses == {}
    verified(ended(fork))


def test_a_bot_decides_differently_in_a_fork_with_the_same_luck() -> None:
    secrets = MatchSecrets("m01", bytes(32), bytes(32))
    own, forked = (secrets.bot_decision(match, (None, None), 0, 0) for match in ("m01", "m02"))
    assert own != forked


# -- stored and shown ---------------------------------------------------------------------------------------------


def states_of_a_sealed_match() -> list[Table]:
    """Return a match with a drawn seating that is open, opening, playing, over, and one that was cancelled."""
    tables = [open_table(by_chance=True), full_table(True, False, True, by_chance=True), full_table()]
    playing = full_table(True, False, True, by_chance=True)
    for seat in (0, 2):
        playing.take_command(opening(playing, seat))
    step(playing, Fast("stored"))
    over = Table(playing.luck, playing.match, [*playing.events])
    tables[2].take_command(LoseShare("p2"))
    return [*tables, playing, ended(over)]


def test_a_match_survives_its_snapshot_and_its_log() -> None:
    for table in states_of_a_sealed_match():
        assert snapshot_decoder(BRAWL).decode(msgspec.json.encode(table.match)) == table.match
        assert fold([read_event(write_event(event), BRAWL) for event in table.events]) == table.match


def test_stored_secrets_make_the_same_draws_and_salts() -> None:
    table = full_table()
    again = load_secrets(table.match, table.secrets)
    assert again.reveal() == table.luck.reveal()
    assert again.commitment() == table.match.commitment
    assert again.salt(5) == table.luck.salt(5)
    given = secrets_of(BRAWL, b"short", match="m01", given=True)
    chosen = open_table(level=UNSET, luck=given)
    assert load_secrets(chosen.match, chosen.secrets).reveal() == given.reveal()


def test_a_running_match_hides_its_draws_from_everyone() -> None:
    """Counts of draws could tell what a player has drawn in secret."""
    table = sit_down(BRAWL, shares=(True, True))
    step(table, Fast("hidden"))
    for reader in (None, 0, 1):
        shown = redact_events(table.events, table.match, reader, table.past)
        assert [event.draws for event in shown if isinstance(event, Started | Moved)] == [None, None]
        # and: these events still fold, without counting draws
        assert fold(shown).uses == {}
        assert fold(shown).move_counts == table.match.move_counts


def test_a_bots_sight_is_hidden_from_the_others_until_the_end() -> None:
    table = open_table(ANN, BOT, game=GAME, level="open")
    table.take_command(sitting(table, 0, "ann"))
    for _ in range(2):
        step(table, Fast("bots"))
    seen = [event.seen for event in table.events if isinstance(event, Moved)]
    shown = [e.seen for e in redact_events(table.events, table.match, 0, table.past) if isinstance(e, Moved)]
    assert seen == [UNSET, table.match.ply - 1]
    assert shown == [UNSET, UNSET]
    assert [event.bot for event in table.events if isinstance(event, SeatTaken)] == [
        f"greedy/{GAME.bot_version}",
        UNSET,
    ]
    verified(ended(table))
