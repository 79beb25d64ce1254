"""What a series says of its bots: shares of the win with intervals, by seat, ratings, lengths, times."""

from collections.abc import Iterable, Mapping, Sequence
from math import log10, sqrt
from typing import Any

import msgspec

from workers.arena.series import MatchResult

Z_95 = 1.96
"""Standard errors of a 95 % interval."""
MAX_RATING = 800.0


class BotStanding(msgspec.Struct, frozen=True):
    """How one bot did: its share of the wins (a draw is shared), with a 95 % interval, and what goes with it.

    `elo_difference` is the Elo difference to an average table of this series, `by_seat` the share of wins at each seat
    (None: it never sat there), `slowest` the longest thought and `thinking` the mean, in seconds per match.
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
    """How the bots did with one value of an option: each one's share, with its interval, in the order of the bots."""

    option: str
    value: Any
    matches: int
    shares: tuple[tuple[float, float, float], ...]


class MatchLengths(msgspec.Struct, frozen=True):
    """Plies of the matches: least, mean, most."""

    least: int
    mean: float
    most: int


def compute_standings(bots: Sequence[str], played: Sequence[MatchResult]) -> list[BotStanding]:
    """A standing for each bot, in the order that they were named."""
    return [compute_standing(number, name, played) for number, name in enumerate(bots)]


def compute_standing(number: int, name: str, played: Sequence[MatchResult]) -> BotStanding:
    """One bot's standing. It may sit at several seats of a match; then its share is that of all of them."""
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
    """A line for each value of each option that was varied."""
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
    """A bot's share of the wins at one seat."""
    shares = [match.shares[seat] for match in played if match.bots[seat] == number]
    return round(mean(shares), 4) if shares else None


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def wilson_interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """The mean of shares between 0 and 1, and Wilson's 95 % interval around it; nothing known is 0 to 1.

    Wilson's is for wins and losses; draws make the truth narrower, so this errs on the safe side.
    """
    count = len(shares)
    if not count:
        return 0.0, 0.0, 1.0
    share = mean(shares)
    centre = (share + Z_95 * Z_95 / (2 * count)) / (1 + Z_95 * Z_95 / count)
    reach = Z_95 * sqrt(share * (1 - share) / count + Z_95 * Z_95 / (4 * count * count)) / (1 + Z_95 * Z_95 / count)
    return share, max(0.0, centre - reach), min(1.0, centre + reach)


def elo_difference(share: float) -> float:
    """The difference in Elo that a share of the wins amounts to, within 800 either way."""
    if share <= 0 or share >= 1:
        return MAX_RATING if share >= 1 else -MAX_RATING
    return max(-MAX_RATING, min(MAX_RATING, 400 * log10(share / (1 - share))))


def match_lengths(played: Sequence[MatchResult]) -> MatchLengths:
    """Plies of the matches."""
    plies = [match.plies for match in played]
    return MatchLengths(min(plies, default=0), round(mean(plies), 1), max(plies, default=0))
