"""Statistics of a series: each bot's share of wins with interval, by seat and by option, ratings, lengths and times."""

from collections.abc import Iterable, Mapping, Sequence
from math import log10, sqrt
from typing import Any

import msgspec

from workers.arena.series import MatchResult

Z_95 = 1.96
"""Standard errors of a 95 % interval."""
MAX_RATING = 800.0


class BotStanding(msgspec.Struct, frozen=True):
    """A bot's result: its share of wins (a draw is shared) with a 95% interval, and further statistics.

    `rating` is the Elo difference from an average player of this series, `by_seat` the share of wins in each seat
    (None: it never sat there). `slowest` is its longest move in seconds, `thinking` its mean time in seconds per match.
    """

    bot: str
    matches: int
    share: float
    low: float
    high: float
    rating: float
    by_seat: tuple[float | None, ...]
    slowest: float
    thinking: float


class OptionStandings(msgspec.Struct, frozen=True):
    """The results for one value of an option: each bot's share and interval, in the order of the bots."""

    option: str
    value: Any
    matches: int
    shares: tuple[tuple[float, float, float], ...]


class MatchLengths(msgspec.Struct, frozen=True):
    """Minimum, mean and maximum number of plies of the matches."""

    least: int
    mean: float
    most: int


def compute_standings(bots: Sequence[str], played: Sequence[MatchResult]) -> list[BotStanding]:
    """Return a standing for each bot, in the given order."""
    return [compute_standing(number, name, played) for number, name in enumerate(bots)]


def compute_standing(number: int, name: str, played: Sequence[MatchResult]) -> BotStanding:
    """Return one bot's standing. In a match with several of its seats, their shares are added up."""
    sat = [(match, [seat for seat, bot in enumerate(match.bots) if bot == number]) for match in played]
    sat = [(match, seats) for match, seats in sat if seats]
    shares = [sum(match.shares[seat] for seat in seats) for match, seats in sat]
    share, low, high = wilson_interval(shares)
    expected = mean([len(seats) / len(match.bots) for match, seats in sat])
    return BotStanding(
        bot=name,
        matches=len(shares),
        share=round(share, 4),
        low=round(low, 4),
        high=round(high, 4),
        rating=round(elo_difference(share) - elo_difference(expected), 1),
        by_seat=tuple(share_at_seat(number, seat, played) for seat in range(len(played[0].bots) if played else 0)),
        slowest=max((match.slowest[seat] for match, seats in sat for seat in seats), default=0.0),
        thinking=round(mean([sum(match.thinking[seat] for seat in seats) for match, seats in sat]), 3),
    )


def standings_by_option(
    bots: Sequence[str], variants: Sequence[Mapping[str, Any]], played: Sequence[MatchResult]
) -> list[OptionStandings]:
    """Return the results for each value of each varied option."""
    names = list(dict.fromkeys(name for variant in variants for name in variant))
    found = []
    for name in names:
        for value in dict.fromkeys(variant[name] for variant in variants):
            matches = [match for match in played if match.options[name] == value]
            each = compute_standings(bots, matches)
            shares = tuple((one.share, one.low, one.high) for one in each)
            found.append(OptionStandings(name, value, len(matches), shares))
    return found


def share_at_seat(number: int, seat: int, played: Iterable[MatchResult]) -> float | None:
    """Return a bot's share of wins in one seat, or None if it never sat there."""
    shares = [match.shares[seat] for match in played if match.bots[seat] == number]
    return round(mean(shares), 4) if shares else None


def mean(values: Sequence[float]) -> float:
    """Return the mean, or 0 for no values."""
    return sum(values) / len(values) if values else 0.0


def wilson_interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of shares between 0 and 1 and its 95% Wilson interval. For no shares, the interval is 0 to 1.

    The interval assumes wins and losses. Draws make the true interval narrower, so this one is conservative.
    """
    count = len(shares)
    if not count:
        return 0.0, 0.0, 1.0
    share = mean(shares)
    centre = (share + Z_95 * Z_95 / (2 * count)) / (1 + Z_95 * Z_95 / count)
    reach = Z_95 * sqrt(share * (1 - share) / count + Z_95 * Z_95 / (4 * count * count)) / (1 + Z_95 * Z_95 / count)
    return share, max(0.0, centre - reach), min(1.0, centre + reach)


def elo_difference(share: float) -> float:
    """Return the Elo difference for a share of wins, limited to 800 either way."""
    if share <= 0 or share >= 1:
        return MAX_RATING if share >= 1 else -MAX_RATING
    return max(-MAX_RATING, min(MAX_RATING, 400 * log10(share / (1 - share))))


def match_lengths(played: Sequence[MatchResult]) -> MatchLengths:
    """Return the minimum, mean and maximum number of plies."""
    plies = [match.plies for match in played]
    return MatchLengths(min(plies, default=0), round(mean(plies), 1), max(plies, default=0))
