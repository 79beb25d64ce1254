"""The results of a series as text: a table of the bots, the shares by option, and the command to repeat it."""

import shlex
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from workers.arena.series import Series
from workers.arena.standings import BotStanding, OptionStandings
from workers.game_options import option_text


def standings_lines(found: list[BotStanding]) -> Iterator[str]:
    """Return the standings as lines of text."""
    yield f"{'bot':<10}{'matches':>8}{'share':>8}{'95 % interval':>18}{'rating':>8}{'s/match':>9}{'slowest':>9}  seats"
    for one in found:
        seats = " ".join("-" if share is None else f"{share:.0%}" for share in one.by_seat)
        yield (
            f"{one.bot:<10}{one.matches:>8}{one.share:>8.1%}{f'{one.low:.1%} to {one.high:.1%}':>18}"
            f"{one.rating:>+8.0f}{one.thinking:>9.2f}{one.slowest:>9.2f}  {seats}"
        )


def option_lines(bots: Sequence[str], found: Sequence[OptionStandings]) -> Iterator[str]:
    """Return the shares by option as lines of text."""
    if found:
        yield f"{'option':<24}{'matches':>8}  {'  '.join(f'{name:>24}' for name in bots)}"
    for one in found:
        shares = (f"{share:.1%} ({low:.0%} to {high:.0%})" for share, low, high in one.shares)
        name = option_text(one.option, one.value)
        yield f"{name:<24}{one.matches:>8}  {'  '.join(f'{share:>24}' for share in shares)}"


def repeat_command(series: Series, count: int) -> str:
    """Return the command that repeats the series with the installed version's bots."""
    words = ["crumbtrail", "arena", series.game, "--bots", ",".join(series.bots), "--games", str(count)]
    words += ["--seats", str(series.seats), "--seed", series.seed]
    for name, value in chain(series.options.items(), varied_values(series)):
        words += ["--option", option_text(name, value)]
    words += ["--iterations", str(series.iterations)] if series.iterations else []
    return shlex.join(words)


def varied_values(series: Series) -> list[tuple[str, Any]]:
    """Return every value of every varied option."""
    return list(dict.fromkeys(pair for variant in series.variants for pair in variant.items()))
