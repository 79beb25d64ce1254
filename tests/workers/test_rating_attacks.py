"""Attempts to climb the leaderboard without playing well, against an honest population.

The honest players have strengths, and each wins as often as strength predicts. Everything is seeded.
"""

import random
from collections.abc import Iterable

import pytest

from tests.workers.rating_population import DAY, START, WEEK, HonestPlayers, League, settled_league

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
    return settled_league(60, 52, "village", founders=20)


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


# -- a small population -----------------------------------------------------------------------------------------------


def play_next_to_a_ring(founders: int, players: int, accounts: int) -> tuple[League, list[str]]:
    """Return a new game after three months, in which a ring of accounts was as active as the honest players.

    Twice a week, the other accounts lose to the first one and beat each other.
    """
    league = League(f"honest{number:04}" for number in range(founders))
    honest, ring = HonestPlayers(league, players, "small"), PUPPETS[:accounts]
    for half_week in range(26):
        league.now = START + half_week * WEEK / 2
        honest.play_round()
        for puppet in ring[1:]:
            league.beat(ring[0], puppet)
        for one, other in zip(ring[1::2], ring[2::2], strict=False):
            league.beat(one, other)
    return league, ring


@pytest.mark.parametrize("players", [8, 12, 30])
@pytest.mark.parametrize("accounts", [5, 30, 300])
def test_a_ring_that_plays_among_itself_gets_no_place_in_a_new_game(players: int, accounts: int) -> None:
    """Given a new game with some founders and a few honest players, when a ring plays among itself for three months,
    then no account of it has a place, and honest players have places."""
    league, ring = play_next_to_a_ring(6, players, accounts)
    assert best_rank(league, ring) is None
    assert league.board()


def test_a_ring_that_is_alone_gets_no_place() -> None:
    """Given founders who don't play the game, then nobody gets a place there."""
    league, ring = play_next_to_a_ring(6, 0, 30)
    assert best_rank(league, ring) is None


def test_founders_who_are_named_later_take_the_places_of_a_ring() -> None:
    """Given a server without founders, where a ring has taken first places, when the operator names six founders and
    the results are counted again, then the ring has no place. Without founders this is a limit of the rule."""
    league, ring = play_next_to_a_ring(0, 12, 30)
    assert best_rank(league, ring) is not None
    again = League(f"honest{number:04}" for number in range(6))
    for step in league.steps:
        again.now = step.result.ended_at
        again.finish(step.result.players, step.result.places)
    assert best_rank(again, ring) is None
    assert again.board()


@pytest.mark.parametrize(("players", "founders", "weeks"), [(8, 6, 20), (12, 6, 20), (60, 20, 35)])
def test_all_honest_players_of_a_small_game_get_a_place(players: int, founders: int, weeks: int) -> None:
    league, _ = settled_league(players, 2 * weeks, "x", founders)
    assert len(league.board()) == players


@pytest.mark.full
def test_a_ring_that_also_plays_honest_matches_gets_one_account_into_the_top_quarter() -> None:
    """Given thirty honest players with eight founders, when five accounts play two honest matches a week each and lose
    to one of them, then it has rank 7 after half a year. This is a limit of the rule, not a promise."""
    league, ring = League(f"honest{number:04}" for number in range(8)), PUPPETS[:5]
    honest, chance = HonestPlayers(league, 30, "x"), random.Random("ring")
    honest.strength |= dict.fromkeys(ring, 1500.0)
    for week in range(26):
        for half in range(2):
            league.now = START + (2 * week + half) * WEEK / 2
            honest.play_round()
            for one in ring[1:]:
                league.beat(ring[0], one)
            for one, other in zip(ring[1::2], ring[2::2], strict=False):
                league.beat(one, other)
        for _ in range(2):
            for one in ring:
                honest.play(one, chance.choice(honest.names))
    assert (league.rank(ring[0]), len(league.board())) == (7, 33)


def test_a_ring_that_loses_to_everybody_stops_no_honest_player() -> None:
    """Given a ring whose accounts also lose to the honest players and beat some of them, then the honest players have
    the same ratings as without the ring."""
    alone, beset = League(["honest0000"]), League(["honest0000"])
    for league in (alone, beset):
        honest = HonestPlayers(league, 12, "beset")
        for half_week in range(26):
            league.now = START + half_week * WEEK / 2
            honest.play_round()
            for puppet in PUPPETS[:20] if league is beset else ():
                league.beat(honest.names[half_week % 12], puppet)
                league.beat(puppet, honest.names[(half_week + 5) % 12])
    for name in honest.names:
        assert alone.standings[name].mu == pytest.approx(beset.standings[name].mu)


# -- a population of 1,000 ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def settled_town() -> tuple[League, HonestPlayers]:
    return settled_league(1000, 52, "honest", founders=0)


@pytest.fixture
def town(settled_town: tuple[League, HonestPlayers]) -> tuple[League, HonestPlayers]:
    """A thousand honest players who have played twice a week for half a year, without founders. Most have a place."""
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
