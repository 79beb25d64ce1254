"""Disputes, verdicts and rulings, as the match decides and folds them; forks."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.chance import Fast
from domain.kernel.events import Disputed, Resolved, Started, TimeControl, final_outcome, without_retracted
from domain.kernel.hash_chain import GENESIS, seal_events
from domain.kernel.refusals import MatchRefused, Refused
from domain.kernel.registry import find_game, games
from domain.match.clock import overdue_seat
from domain.match.commands import (
    Create,
    Expire,
    HandOver,
    Play,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    SeatSpec,
)
from domain.match.decide import decide
from domain.match.disputes import MAX_DISPUTES
from domain.match.durations import DAY
from domain.match.history import fold
from domain.match.lobby import RATED_TIME_CONTROL, create
from domain.match.state import AnyMatch
from replays.verify import verify
from tests.builders import EPOCH, Table, fork_table, greedy_agent, play_on, replay_file, secrets_of, sit_down, step

GAME = find_game("tic_tac_toe")
CLAIM = "ab" * 32
every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def submit(table: Table, command: Any) -> None:
    """Execute a command as the service does."""
    table.take_command(command)


def refusal(table: Table, command: Any) -> str:
    with pytest.raises(MatchRefused) as refused:
        submit(table, command)
    return refused.value.code


def table_after_moves(moves: int = 4, game: Any = GAME) -> Table:
    table, chance = sit_down(game), Fast("court")
    for _ in range(moves):
        step(table, chance, greedy_agent)
    return table


def raise_heard_dispute(table: Table, target: int, seat: int = 0, holds: bool = True) -> int:
    """Raise a dispute, record its verdict and return its number."""
    submit(table, RaiseDispute(seat, target, "move", CLAIM))
    number = table.match.ply
    submit(table, RecordVerdict(number, holds, *(() if holds else ("moves", target, "T2"))))
    return number


# -- disputes -----------------------------------------------------------------------------------------------------


def test_a_dispute_does_not_change_the_game() -> None:
    table = table_after_moves()
    before = table.match
    submit(table, RaiseDispute(1, 6, "draw", CLAIM))
    raised = table.events[-1]
    assert isinstance(raised, Disputed)
    assert (raised.seat, raised.target, raised.ground, raised.claim) == (1, 6, "draw", CLAIM)
    assert (table.match.state, table.match.to_move, table.match.fact_count, table.match.draw_count) == (
        before.state, before.to_move, before.fact_count, before.draw_count,
    )  # fmt: skip
    (dispute,) = table.match.disputes
    assert (dispute.is_open, dispute.has_verdict, dispute.number) == (True, False, table.match.ply)
    step(table, Fast(1))  # the match continues


def test_one_open_dispute_per_ply_and_seat() -> None:
    table = table_after_moves()
    number = raise_heard_dispute(table, 6)
    assert refusal(table, RaiseDispute(0, 6, "other", CLAIM)) == "disputed_already"
    submit(table, RaiseDispute(1, 6, "other", CLAIM))
    submit(table, RaiseDispute(0, 5, "other", CLAIM))
    submit(table, ResolveDispute(number, "goes_on", "judge"))
    submit(table, RaiseDispute(0, 6, "other", CLAIM))


def test_the_number_of_disputes_per_seat_is_limited() -> None:
    """Given the maximum number of disputes, then one more is refused, while others can still raise one."""
    table = table_after_moves()
    for n in range(MAX_DISPUTES):
        number = raise_heard_dispute(table, 6 if n % 2 else 5)
        submit(table, ResolveDispute(number, "goes_on", "judge"))
    with pytest.raises(MatchRefused, match=f"{MAX_DISPUTES} times, the maximum") as refused:
        submit(table, RaiseDispute(0, 6, "move", CLAIM))
    assert refused.value.code == "too_many_disputes"
    raise_heard_dispute(table, 6, seat=1)
    submit(table, RaiseDispute(None, 6, "move", CLAIM, arbiter="judge"))
    play_on(table, Fast("court"))
    assert refusal(table, RaiseDispute(0, 6, "move", CLAIM)) == "too_many_disputes"
    assert verify(replay_file(table.events)).ok


def test_a_log_with_too_many_disputes_of_a_seat_does_not_verify() -> None:
    table = table_after_moves()
    for n in range(MAX_DISPUTES):
        submit(table, RaiseDispute(0, 1 + n % table.match.ply, "move", CLAIM))
    dispute = table.events[-1]
    assert isinstance(dispute, Disputed)
    table.take([replace(dispute, ply=table.match.ply + 1, target=table.match.ply)])
    play_on(table, Fast("court"))
    report = verify(replay_file(seal_events([replace(each, salt=None) for each in table.events], GENESIS, table.luck)))
    assert report.first is not None
    assert (report.first.rule, f"{MAX_DISPUTES} times" in report.first.sentence) == ("lifecycle.court", True)


@pytest.mark.parametrize("target", [0, -1, 99])
def test_a_ply_that_was_not_played_cannot_be_disputed(target: int) -> None:
    assert refusal(table_after_moves(), RaiseDispute(0, target, "move", CLAIM)) == "no_such_ply"


def test_before_the_start_there_is_nothing_to_dispute() -> None:
    wishes = (SeatSpec("human", player="a"), SeatSpec("open"))
    luck = secrets_of(GAME, 1, match="m0")
    match = create(Create(match="m0", game=GAME.slug, creator="a", options={}, seats=wishes), EPOCH, luck).match
    with pytest.raises(MatchRefused, match="not started"):
        decide(match, RaiseDispute(0, 1, "move", CLAIM), EPOCH, luck)


# -- verdicts and rulings -----------------------------------------------------------------------------------------


def test_a_verdict_is_given_once_and_comes_before_the_ruling() -> None:
    table = table_after_moves()
    submit(table, RaiseDispute(0, 6, "move", CLAIM))
    number = table.match.ply
    assert refusal(table, ResolveDispute(number, "goes_on", "judge")) == "not_heard"
    submit(table, RecordVerdict(number, holds=False, layer="moves", at_ply=6, rule="T2"))
    (dispute,) = table.match.disputes
    assert (dispute.audit_holds, dispute.layer, dispute.at_ply, dispute.rule) == (False, "moves", 6, "T2")
    assert refusal(table, RecordVerdict(number, holds=True)) == "heard_already"
    assert refusal(table, RecordVerdict(99, holds=True)) == "no_such_dispute"
    submit(table, ResolveDispute(number, "goes_on", "judge"))
    assert refusal(table, ResolveDispute(number, "goes_on", "judge")) == "resolved_already"


@pytest.mark.parametrize(
    ("ruling", "ply", "code"),
    [("stands", None, "bad_ruling"), ("annulled", None, "bad_ruling"), ("result_of", 6, "bad_ruling"),
     ("goes_on", 6, "bad_ruling"), ("rolled_back", None, "bad_ruling"), ("rolled_back", 99, "no_such_ply"),
     ("rolled_back", 0, "no_such_ply"), ("rolled_back", 2, "no_position")],
)  # fmt: skip
def test_invalid_rulings_on_a_running_match_are_refused(ruling: Any, ply: int | None, code: str) -> None:
    table = table_after_moves()
    number = raise_heard_dispute(table, 6)
    assert refusal(table, ResolveDispute(number, ruling, "judge", ply)) == code


def test_a_player_cannot_be_the_arbiter() -> None:
    table = table_after_moves()
    assert refusal(table, ResolveDispute(raise_heard_dispute(table, 6), "goes_on", "p1")) == "not_impartial"


def test_a_former_player_cannot_be_the_arbiter() -> None:
    table = table_after_moves()
    number = raise_heard_dispute(table, 6, seat=1)
    submit(table, HandOver(1, "greedy"))
    assert table.match.seats_of("p1") == ()
    assert refusal(table, ResolveDispute(number, "rolled_back", "p1", to_ply=4)) == "not_impartial"
    assert refusal(table, RaiseDispute(None, 5, "other", CLAIM, arbiter="p1")) == "not_impartial"
    submit(table, ResolveDispute(number, "goes_on", "judge"))


def test_a_player_replaced_by_a_bot_cannot_be_the_arbiter() -> None:
    table = sit_down(GAME, clock=TimeControl(kind="per_move", seconds=DAY, expiry="bot_takes_over", level="greedy"))
    step(table, Fast("court"), greedy_agent)
    number = raise_heard_dispute(table, 3)
    late = EPOCH + timedelta(days=3)
    expired = overdue_seat(table.match, late)
    assert expired is not None
    table.take_command(Expire(expired), late)
    with pytest.raises(MatchRefused, match="play or have played") as refused:
        table.take_command(ResolveDispute(number, "goes_on", f"p{expired}"), late)
    assert refused.value.code == "not_impartial"


@pytest.mark.slow
@every_game
def test_a_rollback_restores_the_position_but_not_the_draws(game: Any) -> None:
    # given: a match one move after the ply it will go back to
    table = table_after_moves(3, game)
    then: AnyMatch = table.match
    step(table, Fast("x"), greedy_agent)
    if table.match.status != "playing":
        pytest.skip("this match was over too soon")
    number = raise_heard_dispute(table, then.ply)
    before = table.match
    # when
    submit(table, ResolveDispute(number, "rolled_back", "judge", then.ply))
    # then
    now = table.match
    assert (now.state, now.fact_count, now.to_move) == (then.state, then.fact_count, then.to_move)
    assert (now.draw_count, now.ply) == (before.draw_count, before.ply + 1)
    assert [(span.first, span.last) for span in now.retracted_spans] == [(then.ply + 1, before.ply)]
    assert fold(table.events) == now
    assert [event.ply for event in without_retracted(table.events)] == [*range(1, then.ply + 1), now.ply]
    # and: the match is played to its end from there
    play_on(table, Fast("end"), greedy_agent)
    assert table.match.outcome == final_outcome(table.events)
    assert game.fold(fact for event in without_retracted(table.events) for fact in event.facts) == table.match.state


def test_a_match_cannot_be_rolled_back_to_a_retracted_ply() -> None:
    table = table_after_moves(4)
    ply = table.match.ply
    submit(table, ResolveDispute(raise_heard_dispute(table, ply), "rolled_back", "judge", ply - 2))
    number = raise_heard_dispute(table, ply - 2)
    assert refusal(table, ResolveDispute(number, "rolled_back", "judge", ply)) == "ply_retracted"


def test_a_tail_of_events_needs_the_past_to_be_rolled_back() -> None:
    table = table_after_moves(4)
    head = table.match
    submit(table, ResolveDispute(raise_heard_dispute(table, head.ply), "rolled_back", "judge", head.ply - 1))
    tail = table.events[head.ply :]
    with pytest.raises(ValueError, match="needs `past`"):
        fold(tail, head)
    assert fold(tail, head, lambda ply: fold(table.events[:ply])) == table.match


# -- after the end ------------------------------------------------------------------------------------------------


def finished_table(game: Any = GAME) -> Table:
    table = sit_down(game, rated=True, clock=RATED_TIME_CONTROL)
    play_on(table, Fast("end"), greedy_agent)
    return table


def test_after_the_end_a_result_is_confirmed_or_annulled() -> None:
    for ruling, annulled in (("stands", False), ("annulled", True)):
        table = finished_table()
        outcome = table.match.outcome
        submit(table, ResolveDispute(raise_heard_dispute(table, 6, holds=False), ruling, "judge"))  # type: ignore[arg-type]
        assert table.match.annulled is annulled
        assert table.match.outcome == (None if annulled else outcome) == final_outcome(table.events)
        assert table.match.status == "over"
        assert table.match.is_rated is not annulled
        with pytest.raises(Refused):
            submit(table, Play(0, {"type": "mark", "cell": 0}))


@every_game
def test_a_ruling_can_use_the_result_of_an_earlier_ply(game: Any) -> None:
    table = finished_table(game)
    ply = next(event.ply for event in table.events if isinstance(event, Started)) + 2
    submit(table, ResolveDispute(raise_heard_dispute(table, ply, holds=False), "result_of", "judge", ply))
    outcome = table.match.outcome
    assert outcome is not None
    assert outcome.reason == "ruling"
    assert outcome.scores == game.score(fold(table.events[:ply]).state).totals
    assert final_outcome(table.events) == outcome
    assert isinstance(table.events[-1], Resolved)


TIED_POSITIONS: list[tuple[str, dict[str, Any], tuple[int, ...], tuple[int, ...]]] = [
    # 73 pips each, blue with more dominoes.
    (
        "mice_cake",
        {
            "cake": ["A4: 6-6", "B4: 5-5"],
            "rest": "blue",
            "yellow": ["0-0", "0-6", "1-1", "1-6", "2-2", "2-6", "3-5", "4-4", "4-5", "4-6", "5-6"],
        },
        (1,),
        (2, 1),
    ),
    # Level scores, seat 1 has won a round.
    ("battle_of_the_bakeries", {"phase": "sale", "round": 2, "scores": [900, 900], "rounds_won": [0, 1]}, (1,), (2, 1)),
    # Level totals, seat 0 has more cubes left.
    (
        "bakers_brawl",
        {
            "players": 2,
            "options": {"final_tie": "ladder"},
            "seats": [{"points": 7, "cubes": 9}, {"points": 7, "cubes": 4}],
        },
        (0,),
        (1, 2),
    ),
    # Two ingredients each, seat 1 had them sooner.
    (
        "take_the_cake",
        {
            **{
                "round": 10,
                "turn": 20,
                "featured": "feat_18",
                "layout": [["Q8", 1], ["Q6", 2], ["Q5", 3], ["Q4", 0]],
                "recipe": "rec_12",
            },
            "tokens": {
                "flour": [2, 3],
                "eggs": [3, 0],
                "milk": [2, 7],
                "cream": [0, 6],
                "berries": [7, 5],
                "nuts": [5, 2],
            },
            "bakers": {
                "0": {"at": [0, 2], "collected": ["eggs"], "last": 5},
                "1": {"at": [9, 8], "collected": ["milk"], "last": 4},
            },
        },
        (1,),
        (2, 1),
    ),
    # The same best Pie, seat 1 with the better second one.
    (
        "pie_contest",
        {"seats": 2, "options": {"tie_break": "next_best"}, "pies": {"0": [13, 3], "1": [13, 5]}},
        (1,),
        (2, 1),
    ),
]


@pytest.mark.parametrize(
    ("slug", "position", "winners", "places"), TIED_POSITIONS, ids=[level[0] for level in TIED_POSITIONS]
)
def test_the_result_of_an_earlier_ply_uses_the_games_tie_breaks(
    slug: str, position: dict[str, Any], winners: tuple[int, ...], places: tuple[int, ...]
) -> None:
    table = sit_down(find_game(slug), position=position)
    start = table.match.ply
    table.play(0, {"type": "resign"})
    submit(table, ResolveDispute(raise_heard_dispute(table, start, holds=False), "result_of", "judge", start))
    outcome = table.match.outcome
    assert outcome is not None
    assert len(set(outcome.scores)) == 1
    assert (outcome.reason, outcome.winners, outcome.places) == ("ruling", winners, places)
    report = verify(replay_file(table.events))
    assert report.ok, report.as_text()


def test_rulings_for_a_running_match_are_refused_after_the_end() -> None:
    table = finished_table()
    number = raise_heard_dispute(table, 6)
    assert refusal(table, ResolveDispute(number, "goes_on", "judge")) == "bad_ruling"
    assert refusal(table, ResolveDispute(number, "rolled_back", "judge", 6)) == "bad_ruling"


# -- forks --------------------------------------------------------------------------------------------------------


@every_game
def test_a_fork_with_the_same_luck_and_moves_repeats_its_parent(game: Any) -> None:
    parent = finished_table(game)
    ply = next(event.ply for event in parent.events if isinstance(event, Started)) + 1
    fork = fork_table(parent, ply, "same")
    assert fork.match.state == fold(parent.events[:ply]).state
    assert not fork.match.is_rated
    for event in parent.events[ply:]:
        if event.move is not None and event.seat is not None:
            fork.play(event.seat, event.move)
    assert (fork.match.state, fork.match.outcome) == (parent.match.state, parent.match.outcome)


def test_a_fork_with_new_luck_rolls_other_dice() -> None:
    game = find_game("mice_cake")
    parent = finished_table(game)
    fork = fork_table(parent, 5, "new")
    for event in parent.events[5:]:
        if event.move is None or event.seat is None or fork.match.status != "playing":
            continue
        try:
            fork.play(event.seat, event.move)
        except Refused:
            break
    assert fork.match.state != parent.match.state
