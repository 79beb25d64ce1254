"""How the strong bot fares against greedy, with every set-up played from both seats (the tables in docs/bots.md)."""

import pytest

from workers.arena.series import Series, play_match
from workers.arena.standings import wilson_interval

NO_THOUGHT = 1
"""With a budget of one iteration, the bot plays the game's own policy."""

shown = pytest.mark.parametrize("game", ["pie_contest", "take_the_cake"])


def shares(game: str, count: int, iterations: int | None, seed: str) -> list[float]:
    """Return the shares of wins of `strong` in this many matches."""
    series = Series(game, ("strong", "greedy"), seed, {}, 2, iterations)
    played = [play_match(series, number)[0] for number in range(count)]
    return [match.shares[match.bots.index(0)] for match in played]


@pytest.mark.full
@shown
def test_the_policy_without_a_search_wins_more_than_it_loses(game: str) -> None:
    share, _, _ = wilson_interval(shares(game, 40, NO_THOUGHT, "short"))
    assert share >= 0.55


@pytest.mark.full
@shown
def test_the_policy_without_a_search_is_significantly_stronger(game: str) -> None:
    share, low, high = wilson_interval(shares(game, 400, NO_THOUGHT, "full"))
    print(f"{game}: share {share:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    assert share >= 0.6
    assert low > 0.5


@pytest.mark.soak
def test_in_the_battle_the_policy_is_significantly_stronger() -> None:
    """Luck leaves the better player a small advantage there, so this takes 1,200 matches."""
    series = Series("battle_of_the_bakeries", ("strong", "greedy"), "strength-1", {}, 2)
    played = [play_match(series, number)[0] for number in range(1200)]
    share, low, high = wilson_interval([match.shares[match.bots.index(0)] for match in played])
    print(f"battle_of_the_bakeries: share {share:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    assert low > 0.5


@pytest.mark.full
@pytest.mark.timeout(2400)
def test_in_bakers_brawl_the_search_is_significantly_stronger() -> None:
    """Its policy alone is not: it won 53.6% of 400. A match takes more than a second, so there are fewer of them."""
    share, low, high = wilson_interval(shares("bakers_brawl", 160, None, "full"))
    print(f"bakers_brawl: share {share:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    assert low > 0.5
