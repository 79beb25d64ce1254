"""Attempts to climb the leaderboard without playing well, against an honest population.

The honest players have strengths, and each wins as often as strength predicts. Everything is seeded.
"""

import random
from collections.abc import Iterable

import pytest

from tests.workers.rating_population import DAY, WEEK, HonestPlayers, League, settled_league

PUPPETS = [f"puppet{n:04}" for n in range(1000)]
CHEATER = "cheater"


def best_rank(league: League, players: Iterable[str]) -> int | None:
    """Return the best rank of any of these players, or None if none has a place."""
    return min((rank for player in players if (rank := league.rank(player))), default=None)


def assert_not_in_the_top_tenth(league: League, attackers: Iterable[str]) -> None:
    rank = best_rank(league, attackers)
    assert rank is None or rank > len(league.board()) / 10, f"rank {rank} of {len(league.board())}"


# -- fast ---------------------------------------------------------------------------------------------------------


def copy_of(settled: tuple[League, HonestPlayers]) -> tuple[League, HonestPlayers]:
    league = settled[0].copy()
    return league, settled[1].copy(league)


@pytest.fixture(scope="module")
def settled_village() -> tuple[League, HonestPlayers]:
    return settled_league(60, 40, "village")


@pytest.fixture
def village(settled_village: tuple[League, HonestPlayers]) -> tuple[League, HonestPlayers]:
    """Sixty honest players, most of them with a place."""
    league, honest = copy_of(settled_village)
    assert len(league.board()) > 50
    return league, honest


def test_fourteen_fresh_guests_move_nobody_up(village: tuple[League, HonestPlayers]) -> None:
    """Given a player without a place, when fourteen new guests lose to them, even after some moves, then their rating
    has not changed, and they have no place."""
    league, _ = village
    for number in range(14):
        league.beat("new", f"guest{number}")
    assert (league.standings["new"].rating, league.standings["new"].uncertainty) == (1500, 700)
    assert league.rank("new") is None


def test_guests_move_a_player_with_a_place_neither_up_nor_down(village: tuple[League, HonestPlayers]) -> None:
    league, _ = village
    leader = league.board()[0]
    before = league.standings[leader]
    for number in range(14):
        league.beat(leader, f"loser{number}")
        league.beat(f"winner{number}", leader)
    now = league.standings[leader]
    assert (now.mu, now.sigma) == (before.mu, before.sigma)
    assert now.match_count == before.match_count + 28


def test_two_friends_cannot_lift_one_of_them_without_end(village: tuple[League, HonestPlayers]) -> None:
    """Given two players with a place, when one loses to the other a hundred times, then most of the gain comes from the
    first few matches, and the loser loses as well."""
    league, _ = village
    one, other = league.board()[20:22]
    start = league.standings[one].mu
    gains = []
    for _match in range(100):
        league.beat(one, other)
        gains.append(league.standings[one].mu - start)
    assert gains[9] > gains[99] / 2
    assert league.standings[other].mu < start


# -- a population of 1,000 ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def settled_town() -> tuple[League, HonestPlayers]:
    return settled_league(1000, 52, "honest")


@pytest.fixture
def town(settled_town: tuple[League, HonestPlayers]) -> tuple[League, HonestPlayers]:
    """A thousand honest players who have played twice a week for half a year. Most of them have a place."""
    league, honest = copy_of(settled_town)
    assert len(league.board()) > 900
    return league, honest


@pytest.mark.full
def test_the_leaderboard_of_honest_players_follows_their_strength(town: tuple[League, HonestPlayers]) -> None:
    league, honest = town
    board = league.board()
    tenth = len(board) // 10
    strongest = set(sorted(board, key=lambda player: -honest.strength[player])[: 2 * tenth])
    assert len(strongest & set(board[:tenth])) > 0.7 * tenth


@pytest.mark.full
def test_a_thousand_puppets_lift_nobody_into_the_top_tenth(town: tuple[League, HonestPlayers]) -> None:
    """Given a thousand honest players, when a thousand puppets lose to a cheater every week, play each other and lose
    to honest players, for two months, then neither the cheater nor any puppet gets into the top 10 %."""
    league, honest = town
    chance = random.Random("puppets")
    for _week in range(8):
        for puppet in PUPPETS:
            league.beat(CHEATER, puppet)
        for one, other in pairs(chance, PUPPETS):
            league.beat(one, other)
        for puppet in PUPPETS:
            league.beat(chance.choice(honest.names), puppet)
        honest.play_round()
        league.now += WEEK
    assert_not_in_the_top_tenth(league, [CHEATER, *PUPPETS])
    assert best_rank(league, [CHEATER, *PUPPETS]) is None


@pytest.mark.full
def test_an_average_player_with_a_thousand_puppets_stays_average(town: tuple[League, HonestPlayers]) -> None:
    """Given a player with a place in the middle of the leaderboard, when a thousand puppets lose to them every week,
    then their rank does not change."""
    league, _ = town
    board = league.board()
    average = board[len(board) // 2]
    for _week in range(4):
        for puppet in PUPPETS:
            league.beat(average, puppet)
        league.now += WEEK
    assert league.rank(average) == len(board) // 2 + 1
    assert_not_in_the_top_tenth(league, [average, *PUPPETS])


@pytest.mark.full
def test_five_real_accounts_that_help_puppets_stay_out_of_the_top_tenth(town: tuple[League, HonestPlayers]) -> None:
    """Given one person with five accounts, each of which has earned a place by playing honestly, when four of them lose
    to sixty puppets and all lose to the fifth, for two months, then none of them gets into the top 10 %."""
    league, honest = town
    chance = random.Random("ring")
    accounts = [f"account{n}" for n in range(5)]
    honest.strength |= dict.fromkeys(accounts, 1500.0)
    while not all(league.rank(account) for account in accounts):
        opponents = [player for player in league.board() if player in honest.names]
        for account in accounts:
            honest.play(account, chance.choice(opponents))
        league.now += DAY
    for _week in range(8):
        for puppet in PUPPETS[:60]:
            for helper in accounts[1:]:
                league.beat(puppet, helper)
        for helper in [*accounts[1:], *PUPPETS[:60]]:
            league.beat(accounts[0], helper)
        honest.play_round()
        league.now += WEEK
    assert_not_in_the_top_tenth(league, [*accounts, *PUPPETS])


@pytest.mark.full
def test_three_friends_who_lose_on_purpose_lift_no_new_account_into_the_top_tenth(
    town: tuple[League, HonestPlayers],
) -> None:
    """Given three average players with a place, when each loses a hundred matches to the same new account, and it then
    plays honestly until it has a place, then it doesn't get into the top 10 %."""
    league, honest = town
    board, chance = league.board(), random.Random("friends")
    middle = len(board) // 2
    for friend in board[middle : middle + 3]:
        for _match in range(100):
            league.beat("new", friend)
            league.now += DAY / 4
    honest.strength["new"] = 1500.0
    while league.rank("new") is None:
        honest.play("new", chance.choice(board))
        league.now += DAY
    assert_not_in_the_top_tenth(league, ["new"])


def pairs(chance: random.Random, players: list[str]) -> list[tuple[str, str]]:
    """Return random pairs of all players."""
    drawn = chance.sample(players, len(players))
    return list(zip(drawn[::2], drawn[1::2], strict=True))
