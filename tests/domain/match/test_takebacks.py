"""Takebacks: free if nobody has learned anything, otherwise by consent. The log keeps retracted plies."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.chance import Fast
from domain.kernel.events import AnyEvent, Moved, Proposed, TakenBack, TimeControl, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game, games
from domain.match.clock import deadlines
from domain.match.commands import AnswerProposal, Create, Expire, Play, Propose, SeatSpec, TakeOver
from domain.match.durations import DAY, HOUR
from domain.match.guards import is_retracted
from domain.match.history import History, fold
from domain.match.information import only_move_by, reveals_nothing
from domain.match.lobby import RATED_TIME_CONTROL, create
from domain.match.state import AnyMatch, RetractedSpan
from replays.file import encode_replay
from replays.redaction import redact_events
from replays.standalone_verify import verify as verify_alone
from replays.verify import verify
from tests.builders import EPOCH, Table, play_on, random_agent, secrets_of, sit_down, step

GAME = find_game("tic_tac_toe")
CAKE = find_game("mice_cake")
every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def known_facts(table: Table, then: AnyMatch, seat: Seat) -> list[Any]:
    shown = redact_events(table.events[: then.ply], then, seat, table.past)
    return [fact for event in without_retracted(shown) for fact in event.facts]


def is_free(table: Table, to_ply: int, seat: Seat) -> bool:
    then = table.past(to_ply)
    moved = only_move_by(table.events[to_ply:], seat)
    return moved is not None and reveals_nothing(then, moved, known_facts(table, then, seat))


def table_after_moves(game: AnyGame = GAME, moves: int = 2, **start: Any) -> Table:
    table, chance = sit_down(game, **start), Fast("takebacks")
    for _ in range(moves):
        step(table, chance)
    return table


def refusal(table: Table, command: Any) -> str:
    with pytest.raises(MatchRefused) as refused:
        table.take_command(command)
    return refused.value.code


def take_back(table: Table, seat: Seat, to_ply: int) -> None:
    """Take back by consent of the other seat, or freely."""
    free = is_free(table, to_ply, seat)
    table.take_command(Propose(seat=seat, what="takeback", to_ply=to_ply, free=free))
    if not free:
        table.take_command(AnswerProposal(1 - seat, table.match.ply, True))


def encoded_view(match: AnyMatch, seat: Seat | None) -> bytes:
    return canonical_json(match.rules.view(match.state, seat))


# -- what others have learned -------------------------------------------------------------------------------------


def test_a_secret_choice_can_be_taken_back_until_another_player_acts() -> None:
    table, chance = sit_down(CAKE), Fast("secret")
    before = table.match.ply
    first = step(table, chance)[0].seat or 0
    assert is_free(table, before, first)
    step(table, chance)
    assert not is_free(table, before, first)
    assert not is_free(table, table.match.ply - 1, 1 - first)  # the second choice has revealed both and rolled dice


def test_an_open_move_is_known_to_everyone_immediately() -> None:
    table = table_after_moves(moves=1)
    assert not is_free(table, table.match.ply - 1, 0)


def test_a_player_cannot_take_back_the_move_of_another() -> None:
    table = sit_down(CAKE)
    before = table.match.ply
    first = step(table, Fast("secret"))[0].seat or 0
    assert not is_free(table, before, 1 - first)


@every_game
def test_a_free_takeback_has_revealed_nothing_to_others(game: AnyGame) -> None:
    """The others would see the same after any other move of the seat, and nothing was drawn."""
    table, chance, found = sit_down(game), Fast("free"), 0
    while table.match.status == "playing" and table.match.ply < 60:
        before = table.match
        moved = step(table, chance)[0]
        if table.match.status != "playing" or not is_free(table, before.ply, moved.seat or 0):
            continue
        found += 1
        other = chance.pick(list(before.rules.legal_moves(before.state, moved.seat)))
        facts = before.rules.decide(before.state, moved.seat, other, Fast("elsewhere"))
        for reader in (None, *range(len(before.seats))):
            if reader != moved.seat:
                after = before.rules.view(game.fold(facts, before.state), reader)
                assert canonical_json(after) == encoded_view(table.match, reader)
    assert (found > 0) == (game.slug == "mice_cake")


# -- going back ---------------------------------------------------------------------------------------------------


@every_game
def test_a_match_continues_from_an_earlier_ply_with_new_luck(game: AnyGame) -> None:
    # given: a match with some moves, the last of which will be taken back
    table = table_after_moves(game, 6, rated=True, clock=RATED_TIME_CONTROL)
    then, draws = table.past(table.match.ply - 1), table.match.draw_count
    seat = table.events[-1].seat or 0
    # when
    take_back(table, seat, then.ply)
    # then: the game is back at the earlier state, draws keep counting, the plies stay in the log
    match = table.match
    assert (match.state, match.fact_count, match.to_move, match.draw_count) == (
        then.state,
        then.fact_count,
        then.to_move,
        draws,
    )
    assert match.retracted_spans[0].first == then.ply + 1
    assert len(table.events) == match.ply
    assert match.is_rated
    # and: it can be played to its end, and every layer verifies
    play_on(table, Fast("on"))
    raw = b"".join(encode_replay(table.events))
    report = verify(raw)
    assert report.ok, report.as_text()
    assert verify_alone(raw)[1] is None
    assert fold(table.events) == table.match


def test_dice_are_drawn_again_after_a_takeback() -> None:
    game = find_game("battle_of_the_bakeries")
    table, chance = sit_down(game), Fast("dice")
    for _ in range(200):
        moved = step(table, chance)[0]
        if type(moved.move).__name__ == "RollDie":
            break
    rolled, before = moved.draw, table.match.ply - 1
    take_back(table, moved.seat or 0, before)
    again = table.play(moved.seat or 0, moved.move)[0]
    assert again.draw == (rolled or 0) + 1


def test_a_takeback_proposal_lapses_when_a_player_moves() -> None:
    table = table_after_moves(moves=2)
    table.take_command(Propose(seat=1, what="takeback", to_ply=table.match.ply - 1))
    number = table.match.ply
    step(table, Fast("on"))
    assert refusal(table, AnswerProposal(0, number, True)) == "no_such_proposal"


def test_a_declined_takeback_changes_nothing() -> None:
    table = table_after_moves(moves=2)
    before = table.match
    table.take_command(Propose(seat=1, what="takeback", to_ply=before.ply - 1))
    table.take_command(AnswerProposal(0, table.match.ply, False))
    assert (table.match.state, table.match.retracted_spans, table.match.proposals) == (before.state, (), ())


def test_a_takeback_against_bots_needs_no_consent_and_makes_the_match_unrated() -> None:
    wishes = (SeatSpec("human", player="p0"), SeatSpec("bot", level="random"))
    luck = secrets_of(GAME, "alone", match="m00alone")
    command = Create(match="m00alone", game=GAME.slug, creator="p0", options={}, seats=wishes)
    events, match = create(command, EPOCH, luck)
    table = Table(luck, match, events)
    for seat, cell in ((0, 4), (1, 0)):
        table.play(seat, {"type": "mark", "cell": cell})
    made = table.take_command(Propose(seat=0, what="takeback", to_ply=table.match.ply - 2))
    assert [type(event) for event in made] == [Proposed, TakenBack]
    assert (table.match.to_move, table.match.is_rated) == ({0}, False)
    play_on(table, Fast("on"))
    assert verify(b"".join(encode_replay(table.events))).ok


@pytest.mark.parametrize(("to_ply", "code"), [(0, "no_such_ply"), (1, "no_such_move"), (99, "no_such_ply")])
def test_only_a_move_can_be_taken_back(to_ply: int, code: str) -> None:
    assert refusal(table_after_moves(), Propose(seat=0, what="takeback", to_ply=to_ply)) == code


def test_a_match_cannot_go_back_to_a_retracted_ply() -> None:
    table = table_after_moves(moves=3)
    last = table.match.ply
    take_back(table, 1, last - 2)
    step(table, Fast("on"))
    assert refusal(table, Propose(seat=0, what="takeback", to_ply=last - 1)) == "ply_retracted"


def test_clocks_go_back_but_thinking_time_stays_spent() -> None:
    bank = TimeControl(kind="bank", seconds=DAY)
    table = sit_down(GAME, clock=bank)
    table.take_command(Play(0, {"type": "mark", "cell": 4}), EPOCH + timedelta(hours=5))
    before = table.match
    table.take_command(Play(1, {"type": "mark", "cell": 0}), EPOCH + timedelta(hours=8))
    later = EPOCH + timedelta(hours=12)
    table.take_command(Propose(seat=1, what="takeback", to_ply=before.ply), later)
    table.take_command(AnswerProposal(0, table.match.ply, True), later)
    assert deadlines(table.match) == [(later + timedelta(hours=21), 1)]
    assert (
        table.match.clocks[0].remaining_ms == before.clocks[0].remaining_ms
    )  # the opponent gets back the time since then


DAILY = TimeControl(kind="per_move", seconds=DAY)


def hours(number: float) -> datetime:
    return EPOCH + timedelta(hours=number)


def make_secret_choice(table: Table, seat: Seat, at: datetime) -> int:
    """Make the seat's first secret choice. Return the ply before it."""
    before = table.match.ply
    move = next(iter(table.match.rules.legal_moves(table.match.state, seat)))
    table.take_command(Play(seat, msgspec.to_builtins(move)), at)
    return before


def test_a_free_takeback_leaves_the_clock_and_turn_of_others_alone() -> None:
    """Given a secret choice, when it is repeatedly taken back, then the other seat's deadline never moves."""
    table = sit_down(CAKE, clock=DAILY)
    due = next(at for at, seat in deadlines(table.match) if seat == 1)
    turn = next(notice for notice in table.match.notices if notice.seat == 1)
    for n in range(3):
        to_ply = make_secret_choice(table, 0, hours(1 + 7 * n))
        table.take_command(Propose(seat=0, what="takeback", to_ply=to_ply, free=True), hours(7 + 7 * n))
        assert (due, 1) in deadlines(table.match)
        assert turn in table.match.notices


def test_information_seen_before_a_takeback_stays_known() -> None:
    """Given two revealed choices, when one is taken back by consent, then the other can't be taken back freely."""
    table = sit_down(CAKE)
    first = make_secret_choice(table, 0, EPOCH)
    assert is_free(table, first, 0)
    second = make_secret_choice(table, 1, EPOCH)
    take_back(table, 1, second)
    assert not is_free(table, first, 0)


def test_a_choice_that_was_made_again_goes_back_to_the_first_takeback() -> None:
    """Given a choice made again after a takeback, then a free takeback goes back to the first takeback only."""
    table = sit_down(CAKE)
    first = make_secret_choice(table, 0, EPOCH)
    take_back(table, 0, first)
    again = make_secret_choice(table, 0, EPOCH)
    assert is_free(table, again, 0)
    assert not is_free(table, first, 0)


def test_extra_time_is_kept_after_a_takeback() -> None:
    table = sit_down(GAME, clock=TimeControl(kind="bank", seconds=DAY))
    table.take_command(Play(0, {"type": "mark", "cell": 4}), hours(1))
    to_ply = table.match.ply
    table.take_command(Play(1, {"type": "mark", "cell": 0}), hours(2))
    table.take_command(Propose(seat=0, what="extend", seconds=5 * DAY), hours(3))
    table.take_command(AnswerProposal(1, table.match.ply, True), hours(3))
    table.take_command(Propose(seat=1, what="takeback", to_ply=to_ply), hours(4))
    table.take_command(AnswerProposal(0, table.match.ply, True), hours(4))
    assert table.match.clocks[0].remaining_ms == timedelta(hours=23 + 5 * 24) // timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("plan", "left"),
    [
        (TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random"), 24),
        (TimeControl(kind="bank", seconds=DAY, expiry="bot_moves", level="random"), 1),
        (TimeControl(kind="bank", seconds=DAY, increment=4 * HOUR, expiry="bot_moves", level="random"), 4),
    ],
    ids=["per move", "bank", "bank with increment"],
)
def test_a_bots_move_after_a_timeout_is_made_again_with_time_for_one_move(plan: TimeControl, left: int) -> None:
    table = sit_down(GAME, clock=plan)
    table.take_command(Expire(0), hours(24))
    to_ply = table.match.ply
    table.take_command(Play(0, {"type": "mark", "cell": 4}), hours(24))
    table.take_command(Propose(seat=0, what="takeback", to_ply=to_ply), hours(30))
    table.take_command(AnswerProposal(1, table.match.ply, True), hours(30))
    assert deadlines(table.match) == [(hours(30 + left), 0)]


def test_a_new_player_keeps_their_clock_when_the_match_goes_back() -> None:
    """Given a new player at a timed-out seat, when the match goes back to before that, then they have time."""
    table = sit_down(GAME, clock=TimeControl(kind="bank", seconds=DAY, expiry="bot_moves", level="random"))
    to_ply = table.match.ply
    table.take_command(Play(0, {"type": "mark", "cell": 4}), hours(1))
    table.take_command(Expire(1), hours(25))
    table.take_command(Play(1, {"type": "mark", "cell": 0}), hours(25))
    table.take_command(Propose(seat=0, what="hand_over", of=1), hours(25))
    table.take_command(TakeOver(1, "carol", table.match.offers[0].number), hours(26))
    table.take_command(Propose(seat=0, what="takeback", to_ply=to_ply), hours(27))
    table.take_command(AnswerProposal(1, table.match.ply, True), hours(27))
    table.take_command(Play(0, {"type": "mark", "cell": 8}), hours(28))
    assert deadlines(table.match) == [(hours(28 + 24), 1)]


def table_after_takebacks(times: int) -> Table:
    """Return a match in which one move was made and taken back this many times."""
    table = table_after_moves(moves=1)
    to_ply = table.match.ply
    for _ in range(times):
        step(table, Fast("again"))
        take_back(table, 1, to_ply)
        to_ply = table.match.ply
    return table


@pytest.mark.slow
def test_the_cost_of_a_takeback_does_not_grow() -> None:
    """Given thirty takebacks, when the history is folded, then each event is folded once."""
    table = table_after_takebacks(30)
    folded: Counter[int] = Counter()

    class Counted(list[AnyEvent]):
        def __getitem__(self, which: Any) -> Any:
            folded.update(range(len(self))[which] if isinstance(which, slice) else [which])
            return super().__getitem__(which)

    assert History(Counted(table.events)).at(len(table.events)) == table.match
    assert max(folded.values()) == 1


@pytest.mark.parametrize("game", [GAME, CAKE], ids=lambda game: game.slug)
def test_a_running_match_with_nested_takebacks_verifies(game: AnyGame) -> None:
    """Verifies both with hidden facts, as a spectator has them, and as the server has them."""
    table = table_after_moves(game, moves=2)
    to_ply = table.match.ply
    for _ in range(3):
        step(table, Fast("again"))
        table.take_command(Propose(seat=0, what="takeback", to_ply=to_ply))
        table.take_command(AnswerProposal(1, table.match.ply, True))
        to_ply = table.match.ply
    for moves in range(3):
        report = verify(b"".join(encode_replay(table.events)))
        assert report.first is None, (moves, report.as_text())
        step(table, Fast(moves))


# -- forgeries ----------------------------------------------------------------------------------------------------


def rule_broken_by(table: Table, event: AnyEvent) -> str:
    """Return the rule that a log with this event in its middle breaks. The event is sealed correctly."""
    from domain.kernel.hash_chain import seal_events

    (sealed,) = seal_events([event], table.match.head_hash, table.luck)
    table.take([sealed])
    play_on(table, Fast("forged"), random_agent)
    report = verify(b"".join(encode_replay(table.events)))
    assert report.first is not None, report.as_text()
    return report.first.rule


def forged_takeback(table: Table, to_ply: int, proposal: int | None) -> TakenBack[Any, Any]:
    return TakenBack(
        ply=table.match.ply + 1, seat=0, at=table.match.last_event_at, first_fact=table.match.fact_count, to_ply=to_ply,
        proposal=proposal, rated=True,
    )  # fmt: skip


def test_a_takeback_without_a_proposal_is_found() -> None:
    table = table_after_moves(moves=3)
    assert isinstance(table.events[-1], Moved)
    assert rule_broken_by(table, forged_takeback(table, table.match.ply - 1, None)) == "fold.takeback"


def test_a_takeback_without_agreement_is_found() -> None:
    table = table_after_moves(moves=3)
    table.take_command(Propose(seat=0, what="takeback", to_ply=table.match.ply - 1))
    assert rule_broken_by(table, forged_takeback(table, table.match.ply - 2, table.match.ply)) == "lifecycle.consent"


@pytest.mark.slow
def test_is_retracted_agrees_with_a_search_of_all_spans() -> None:
    """Searching the outermost spans finds the same as searching every span, however takebacks nest."""
    match = table_after_moves().match
    for luck in range(60):
        chance, spans, ply = Fast(f"spans {luck}"), [], 3
        for _ in range(30):
            ply += 1 + chance.below(4)
            back = chance.pick([p for p in range(1, ply) if not any(s.first <= p <= s.last for s in spans)])
            ply += 1
            spans.append(RetractedSpan(back + 1, ply - 1))
            now = replace(match, retracted_spans=tuple(spans))
            for asked in range(1, ply + 2):
                assert is_retracted(now, asked) == any(span.first <= asked <= span.last for span in spans)
