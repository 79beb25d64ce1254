"""Whole matches end and verify, both scorers agree, and every option can be played."""

from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Fast
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import Ended
from domain.kernel.game import AnyGame, Outcome
from domain.kernel.refusals import BadOptions
from domain.kernel.registry import find_game
from domain.match.history import fold
from replays.verify import verify
from tests.builders import greedy_agent, play_match, random_agent, replay_file, sit_down, step
from tests.contract.cases import GAMES, SEATED, every_game, every_table, positions, sample_matches, variants

FULL = 1_000
"""Matches at full counts, over all games."""
CLOSED = 60
"""Positions of each table that are closed early."""


def play_and_verify(game: AnyGame, seats: int, n: int) -> Outcome:
    """Play and verify a match with a resignation once in fifty moves, and return its outcome.

    Options and agents change with n.
    """
    options = list(variants(game))
    agent = greedy_agent if n % 5 == 4 else random_agent
    events = play_match(
        game,
        seats=seats,
        options=options[n % len(options)],
        agent=agent,
        resign_in=50,
        seed=n,
        moves=n,
        given=n % 3 == 0,
    )
    report = verify(replay_file(events))
    assert report.ok, report.as_text()
    return next(event.outcome for event in events if isinstance(event, Ended))


@every_table
def test_random_matches_end_and_verify(game: AnyGame, seats: int) -> None:
    outcomes = [play_and_verify(game, seats, n) for n in range(8)]
    assert all(len(outcome.scores) == len(outcome.places) == seats for outcome in outcomes)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_random_matches_end_and_verify(part: int) -> None:
    for n in range(part, FULL, 10):
        play_and_verify(*SEATED[n // 10 % len(SEATED)], n)


@pytest.mark.slow
@every_table
def test_a_decided_match_equals_its_folded_log_byte_for_byte(game: AnyGame, seats: int) -> None:
    """The deciding process keeps its match, and others fold it from the log. Even the order must agree."""
    for number, options in enumerate(variants(game)):
        table, chance = sit_down(game, seats=seats, options=options, seed=f"log {number}"), Fast(f"log {number}")
        while table.match.status == "playing" and table.match.ply < 60:
            step(table, chance)
        lines = [write_event(event) for event in table.events]
        assert msgspec.json.encode(fold(read_event(line, game) for line in lines)) == msgspec.json.encode(table.match)


@every_table
def test_outcomes_are_consistent(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        outcome = game.outcome(replay.last.state)
        assert outcome is not None
        assert outcome == replay.last.outcome
        assert min(outcome.places) == 1
        first = [seat for seat, place in enumerate(outcome.places) if place == 1]
        assert list(outcome.winners) in ([], first), "either every seat in first place has won, or no one has"
        assert list(outcome.places) == [1 + sum(other < place for other in outcome.places) for place in outcome.places]


@every_table
def test_every_running_match_can_be_closed(game: AnyGame, seats: int) -> None:
    """An arbiter may rule that the result is that of an earlier ply."""
    for match in positions(game, seats, CLOSED):
        outcome = game.outcome(game.fold(game.close(match.state), match.state))
        assert outcome is not None
        assert len(outcome.scores) == len(outcome.places) == seats
        assert min(outcome.places) == 1
        assert {outcome.places[seat] for seat in outcome.winners} <= {1}
        totals = game.score(match.state).totals
        assert [total for total in totals if total is not None] == [
            score for score, total in zip(outcome.scores, totals, strict=True) if total is not None
        ]


@every_table
def test_a_running_match_has_no_outcome(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        for match in replay.matches():
            assert (game.outcome(match.state) is None) == bool(game.to_move(match.state)) or match.draw_count == 0


@every_table
def test_the_independent_scorer_agrees(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        facts = [fact for event in replay.events for fact in event.facts]
        counted, scored, outcome = game.audit(facts), game.score(replay.last.state), replay.last.outcome
        assert outcome is not None
        assert scored.differences(counted) == []
        assert counted.totals == outcome.scores
        assert counted.winners == outcome.winners
        assert all(0 <= n < len(facts) for line in counted.lines for n in line.facts)


@every_table
def test_the_scorer_names_the_facts_for_each_line(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        facts = [fact for event in replay.events for fact in event.facts]
        assert all(line.facts for line in game.audit(facts).lines if line.points)


@pytest.mark.slow
@every_game
def test_every_option_value_can_be_played(game: AnyGame) -> None:
    for options in variants(game):
        events = play_match(game, options=options, seed="options")
        assert options.items() <= events[0].options.items()  # type: ignore[attr-defined]


@every_game
def test_an_unknown_option_is_refused(game: AnyGame) -> None:
    wrong: list[dict[str, Any]] = [{option.name: "no such value"} for option in game.option_help]
    for options in ({"no_such_option": 1}, *wrong):
        with pytest.raises(BadOptions) as refused:
            game.read_options(options)
        assert game.title in refused.value.message


@every_game
def test_other_numbers_of_seats_are_refused(game: AnyGame) -> None:
    for seats in {0, 1, max(game.seat_counts) + 1} - set(game.seat_counts):
        with pytest.raises(BadOptions, match=f"not {seats}"):
            game.start(seats, {}, Fast(0))


@every_game
def test_a_game_can_be_found_and_has_a_description(game: AnyGame) -> None:
    assert find_game(game.slug) is game
    assert find_game(game.slug, game.rules_version) is game
    assert game.title
    assert game.blurb.endswith(".")
    assert game.credit
    assert 0 < game.minutes[0] <= game.minutes[1]
    assert all(len(set(game.seat_names(seats))) == seats for seats in game.seat_counts)
    assert len(game.components_digest) in (0, 64)


def test_games_are_registered() -> None:
    assert {"tic_tac_toe"} <= {game.slug for game in GAMES}
