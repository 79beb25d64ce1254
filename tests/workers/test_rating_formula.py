"""What one result does to the ratings of its players, and how a place on the leaderboard is earned."""

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from service.read_models.places import (
    FEW_PLACES,
    MAX_EARLY_DEVIATION,
    MAX_PLACE_DEVIATION,
    MIN_OPPONENTS,
    MIN_SCORED,
    SMALL_BOARD,
)
from service.read_models.rating_records import (
    INITIAL_DEVIATION,
    INITIAL_MEAN,
    Meeting,
    MeetingChange,
    PlayerRating,
    initial_rating,
    pair_of,
)
from service.read_models.rating_trust import NO_TRUST, RatingTrust
from service.read_models.summary import RatedResult
from tests.workers.rating_population import DAY, HOUR, START, WEEK, League, settled_league
from workers.projection.rating_formula import MAX_HELPED, RatedStep, rate_result

GOLDEN = Path(__file__).parents[1] / "golden" / "ratings-formula-2.json"
SETTLED = PlayerRating(1500.0, 100.0, since=0, opponents=9, scored=9, is_placed=True)
"""A player who has had a place for a long time."""
FOUNDED = RatingTrust(frozenset({"p_founder"}))
"""The trust of a server whose operator has named a founder, who isn't in the match."""


def result(places: tuple[int, ...], **other: object) -> RatedResult:
    players = ("p_ann", "p_bob", "p_cid", "p_dan")[: len(places)]
    best = tuple(seat for seat, place in enumerate(places) if place == 1)
    parts = {"winners": () if len(best) == len(places) else best} | other
    return RatedResult("00a", "any_game", START, players, places, **parts)  # type: ignore[arg-type]


def rated(
    places: tuple[int, ...],
    *before: PlayerRating | None,
    meetings: dict[str, Meeting] | None = None,
    trust: RatingTrust = FOUNDED,
    board_size: int = SMALL_BOARD,
    **other: object,
) -> RatedStep:
    """Rate a result in a game in which enough players have a place."""
    return rate_result(result(places, **other), before, meetings or {}, board_size, trust)


# -- strength -----------------------------------------------------------------------------------------------------


def test_the_winner_gains_what_the_loser_loses_and_both_deviations_shrink() -> None:
    ann, bob = rated((1, 2), SETTLED, SETTLED).after
    assert ann.mu - SETTLED.mu == pytest.approx(SETTLED.mu - bob.mu)
    assert ann.mu > SETTLED.mu + 5
    assert ann.sigma == bob.sigma < SETTLED.sigma
    assert (ann.won, ann.lost, bob.won, bob.lost) == (1, 0, 0, 1)


def test_a_draw_of_equals_changes_no_mean() -> None:
    for standing in rated((1, 1), SETTLED, SETTLED).after:
        assert standing.mu == pytest.approx(SETTLED.mu)
        assert (standing.drawn, standing.match_count) == (1, 1)


def test_an_upset_counts_more_than_an_expected_result() -> None:
    strong, weak = replace(SETTLED, mu=1900.0, sigma=80.0), replace(SETTLED, mu=1300.0, sigma=80.0)
    expected, upset = rated((1, 2), strong, weak).after, rated((2, 1), strong, weak).after
    assert expected[0].mu - strong.mu < (strong.mu - upset[0].mu) / 3


def test_places_decide_among_three_players() -> None:
    ann, bob, cid = rated((2, 1, 3), SETTLED, SETTLED, SETTLED).after
    assert bob.mu > ann.mu > cid.mu
    assert [s.won for s in (ann, bob, cid)] == [0, 1, 0]


def test_each_further_meeting_of_two_players_counts_less() -> None:
    """Given two players who have met n times, then the next win counts 1/(n + 1)**1.5 of the first."""
    pair = pair_of("p_ann", "p_bob")
    gains = [
        rated((1, 2), SETTLED, SETTLED, meetings={pair: Meeting(count)}).after[0].mu - SETTLED.mu for count in range(9)
    ]
    assert [gains[0] / gain for gain in gains] == pytest.approx([n**1.5 for n in range(1, 10)])


# -- whose results count ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [(1, 2), (2, 1), (1, 1)])
def test_a_result_against_a_player_without_a_place_changes_only_the_rating_of_that_player(
    places: tuple[int, int],
) -> None:
    ann, new = rated(places, SETTLED, None).after
    assert (ann.mu, ann.sigma, ann.match_count) == (SETTLED.mu, SETTLED.sigma, 1)
    assert new.sigma < INITIAL_DEVIATION
    assert (new.mu > INITIAL_MEAN) is (places == (2, 1) or (places == (1, 1) and new.mu > INITIAL_MEAN))


def test_among_more_players_only_those_with_a_place_count() -> None:
    """Given Ann, who comes second after Dan with a place and before two new accounts, then it is as if she had lost to
    Dan alone."""
    ann = rated((2, 3, 3, 1), SETTLED, None, None, SETTLED).after[0]
    alone = rated((2, 1), SETTLED, SETTLED).after[0]
    assert (ann.mu, ann.sigma) == pytest.approx((alone.mu, alone.sigma))


def test_a_player_who_never_moved_loses_and_the_others_are_rated_among_themselves() -> None:
    """Given three players of whom Cid never moved, then Cid loses rating, whatever place the game gave him, and Ann and
    Bob are rated as in a match of two."""
    among_two = rated((1, 2), SETTLED, SETTLED).after
    for place in (1, 2, 3):
        ann, bob, cid = rated((1, 2, place), SETTLED, SETTLED, SETTLED, idle=(2,)).after
        assert [(each.mu, each.sigma) for each in (ann, bob)] == [(each.mu, each.sigma) for each in among_two]
        assert cid.mu < SETTLED.mu
    new = rated((1, 2, 3), None, None, SETTLED, idle=(2,)).after
    assert new[2].mu < SETTLED.mu
    assert new[0].mu == INITIAL_MEAN


@pytest.mark.parametrize("places", [(1, 2), (2, 1), (1, 1)])
def test_a_founder_counts_like_a_player_with_a_place(places: tuple[int, int]) -> None:
    """Given a founder who has never played, when a new player meets them, then the result counts for the new player
    only."""
    by = RatingTrust(frozenset({"p_bob"}))
    ann, bob = rated(places, None, None, trust=by).after
    assert ann.sigma < INITIAL_DEVIATION
    assert (bob.mu, bob.sigma) == (INITIAL_MEAN, INITIAL_DEVIATION)
    assert (ann.opponents, ann.scored, bob.opponents) == (1, int(places != (2, 1)), 0)


def test_without_founders_the_first_results_count_against_anyone_who_has_played_for_a_day() -> None:
    """Given a server without founders and a game with few places, then results against players count whose first rated
    match ended a day ago."""
    stranger = replace(SETTLED, is_placed=False)
    for board_size, is_placed in ((FEW_PLACES - 1, True), (FEW_PLACES, False)):
        step = rated((1, 2), ALMOST, stranger, trust=NO_TRUST, board_size=board_size)
        assert step.after[0].is_placed == is_placed
    assert not rated((1, 2), ALMOST, stranger, board_size=0).after[0].is_placed, "with founders they never count"
    league = League()
    league.beat("p_ann", "p_bob")
    assert league.standings["p_ann"].mu == INITIAL_MEAN
    league.now += DAY - HOUR
    league.beat("p_ann", "p_bob")
    assert league.standings["p_ann"].mu == INITIAL_MEAN
    league.now += HOUR
    league.beat("p_ann", "p_bob")
    assert league.standings["p_ann"].mu > INITIAL_MEAN > league.standings["p_bob"].mu
    assert league.standings["p_ann"].opponents == 1


# -- a place ------------------------------------------------------------------------------------------------------

ALMOST = PlayerRating(1500.0, MAX_PLACE_DEVIATION, since=0, opponents=MIN_OPPONENTS - 1, scored=MIN_SCORED - 1)
"""A player whom one more win against a new opponent gives a place."""


def test_a_player_earns_a_place_with_enough_certainty_opponents_wins_and_days() -> None:
    at = START.timestamp() * 1000
    week = WEEK / timedelta(milliseconds=1)
    earned = rated((1, 2), ALMOST, SETTLED)
    assert (earned.after[0].is_placed, earned.places) == (True, SMALL_BOARD + 1)
    assert rated((1, 1), ALMOST, SETTLED).after[0].is_placed  # a draw is enough
    for missing in (
        rated((2, 1), ALMOST, SETTLED),
        rated((1, 2), ALMOST, None),
        rated((1, 2), replace(ALMOST, sigma=MAX_PLACE_DEVIATION + 30), SETTLED),
        rated((1, 2), replace(ALMOST, opponents=MIN_OPPONENTS - 2), SETTLED),
        rated((1, 2), replace(ALMOST, scored=MIN_SCORED - 2), SETTLED),
        rated((1, 2), replace(ALMOST, since=int(at - week + 1)), SETTLED),
    ):
        assert (missing.after[0].is_placed, missing.places) == (False, SMALL_BOARD)


def test_less_certainty_is_enough_while_few_players_have_a_place() -> None:
    """Given founders, then a larger deviation is enough in a small game. Without founders it is not."""
    unsure = replace(ALMOST, sigma=MAX_EARLY_DEVIATION)
    assert not rated((1, 2), unsure, SETTLED, board_size=SMALL_BOARD - 1, trust=NO_TRUST).after[0].is_placed
    assert rated((1, 2), unsure, SETTLED, board_size=SMALL_BOARD - 1).after[0].is_placed
    assert not rated((1, 2), unsure, SETTLED).after[0].is_placed


def test_an_opponent_counts_once_for_a_place() -> None:
    """Given a player who has met and beaten Bob before, then another win doesn't bring a place."""
    known = Meeting(1, (True, False), (True, False))
    again = rated((1, 2), ALMOST, SETTLED, meetings={pair_of("p_ann", "p_bob"): known})
    assert not again.after[0].is_placed
    assert again.meetings == (MeetingChange("p_ann p_bob", known, replace(known, count=2)),)


def test_a_player_can_help_only_a_few_others_to_a_place_within_a_month() -> None:
    """Given a player with a place who loses to one new account after another, then only the first defeats count."""
    league, _ = settled_league(30, 70, "helper")
    helper = league.board()[0]
    for number in range(2 * MAX_HELPED):
        league.beat(f"new{number}", helper)
    assert [league.standings[f"new{n}"].scored for n in range(2 * MAX_HELPED)] == [1] * MAX_HELPED + [0] * MAX_HELPED
    league.now += 5 * WEEK
    league.beat("later", helper)
    assert league.standings["later"].scored == 1


def test_a_place_is_kept() -> None:
    later = rated((2, 1), replace(SETTLED, sigma=MAX_PLACE_DEVIATION + 1), replace(SETTLED, sigma=300.0)).after[0]
    assert later.is_placed


def test_a_club_of_six_gets_a_leaderboard() -> None:
    """Given six friends who play twice a week, then after a year most of them have a place."""
    for founders in (0, 6):
        league, _ = settled_league(6, 104, "club", founders)
        assert len(league.board()) >= 4


# -- excluded players -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [(1, 2), (2, 1), (1, 1)])
def test_a_match_of_two_with_an_excluded_player_changes_nothing(places: tuple[int, int]) -> None:
    """Given a player who was banned for cheating, then neither rating, record nor meeting of the two changes."""
    step = rated(places, SETTLED, ALMOST, trust=RatingTrust(FOUNDED.founders, frozenset({"p_bob"})))
    assert (step.after, step.meetings, step.places) == ((SETTLED, ALMOST), (), SMALL_BOARD)
    assert step.excluded == (1,)


def test_among_three_players_the_others_are_rated_as_if_the_excluded_one_had_not_played() -> None:
    among_two = rated((2, 3), SETTLED, SETTLED).after
    by = RatingTrust(FOUNDED.founders, frozenset({"p_cid"}))
    step = rated((2, 3, 1), SETTLED, SETTLED, SETTLED, trust=by)
    assert [(each.mu, each.sigma) for each in step.after[:2]] == [(each.mu, each.sigma) for each in among_two]
    assert [(each.won, each.lost) for each in step.after] == [(1, 0), (0, 1), (0, 0)]
    assert step.after[2] == SETTLED
    assert [change.pair for change in step.meetings] == ["p_ann p_bob"]


def test_an_excluded_founder_is_no_founder() -> None:
    both = frozenset({"p_bob"})
    assert rated((1, 2), None, None, trust=RatingTrust(both, both)).after[0] == initial_rating()


# -- golden -------------------------------------------------------------------------------------------------------


def test_formula_2_still_gives_the_same_ratings() -> None:
    """Given the results of the golden file, then formula 2 gives its ratings. A change needs a new formula."""
    league, _ = settled_league(24, 60, "golden")
    league.finish(("honest0001", "honest0002", "honest0003"), (1, 2, 3), idle=(1,))
    now = {
        "places": league.head.places,
        "board": league.board(),
        "ratings": {
            player: [round(each.mu, 6), round(each.sigma, 6), each.opponents, each.scored, each.is_placed]
            for player, each in sorted(league.standings.items())
        },
    }
    assert msgspec.json.decode(GOLDEN.read_bytes()) == now


def test_a_new_player_starts_in_the_middle() -> None:
    assert (initial_rating().rating, initial_rating().uncertainty) == (1500, 700)
