"""The results of a series as a self-contained page: tables, plots, and every match with its replay."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

import msgspec
import pygal
from pygal.style import Style

from replays.file import SUFFIX
from workers.arena.series import RecordedMatch, Series
from workers.arena.standings import BotStanding, MatchLengths, OptionStandings

MAX_BARS = 20
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222;
  background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
td, th { padding: .25rem .75rem; text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; } tr + tr td { border-top: 1px solid #ccc; }
.wide { overflow-x: auto; } td, th { white-space: nowrap; }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { width: 100%; min-width: 32rem; height: auto; }
details { margin: 1rem 0; } code { overflow-wrap: anywhere; }
"""
COLOURS = ("#2a6f97", "#b1501a", "#2f6f3e", "#7a3f8c")
CHART_STYLE = Style(
    background="transparent",
    plot_background="transparent",
    foreground="#222",
    foreground_strong="#222",
    foreground_subtle="#555",
    font_family="system-ui, sans-serif",
    label_font_size=14,
    major_label_font_size=14,
    value_font_size=14,
    legend_font_size=14,
    opacity="1",
    colors=COLOURS,
)
"""The style of the plots. Bots are identified by position and name, not only by colour."""
CHART_EXTRAS = re.compile(r"<!--.*?-->|<script.*?</script>|<title>.*?</title>", re.DOTALL)
"""Comments, scripts and titles that the library adds to a plot."""
UNPACK_SCRIPT = """
document.querySelectorAll("a[download]").forEach(link => link.addEventListener("click", async event => {
  if (link.dataset.unpacked || !window.DecompressionStream) return;
  event.preventDefault();
  const packed = await (await fetch(link.href)).blob();
  const plain = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  link.href = URL.createObjectURL(plain);
  link.download = link.download.replace(/[.]gz$/, "");
  link.dataset.unpacked = "1";
  link.click();
}));
"""
"""Unpacks a replay before saving it if the browser can. Otherwise the gzipped file is saved."""


def render_page(
    series: Series,
    found: Sequence[BotStanding],
    options: Sequence[OptionStandings],
    sizes: MatchLengths,
    done: Sequence[RecordedMatch],
    again: str,
) -> str:
    """Return the page. `again` is the command that repeats the series."""
    title = escape(f"{series.game}: {', '.join(series.bots)}")
    seats = "".join(f"<th scope=col>seat {seat}</th>" for seat in range(series.seats))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{STYLE}</style></head><body>
<h1>{title}</h1>
<p>{len(done)} matches with {series.seats} seats, {sizes.least} to {sizes.most} plies (mean {sizes.mean:g}). Draws are
shared equally. The intervals have 95% confidence.</p>
<h2>Shares of wins</h2>{shares_chart(found)}
<div class=wide><table><tr><th scope=col>bot</th><th scope=col>matches</th><th scope=col>share</th>
<th scope=col>interval</th><th scope=col>rating</th>{seats}<th scope=col>s per match</th>
<th scope=col>slowest, s</th></tr>
{"".join(map(standing_row, found))}</table></div>
<p>An even share here is {1 / min(len(series.bots), series.seats):.1%}. The rating is the Elo difference from an average
player of this series.</p>
<h2>By seat</h2>{seats_chart(series, found)}{options_section(series, options)}
<h2>Length of matches in plies</h2>{histogram([match.played.plies for match in done])}
<h2>Repeat the matches</h2>
<p>The series' seed and a match's number determine the match. To play all of them again, run:</p>
<p><code>{escape(again)}</code></p>
<p>A replay shows a match move by move. Open it with <code>crumbtrail replay FILE</code>, or on the page
<code>/verify</code> of a server, which also verifies it.</p>
<details><summary>The matches</summary><div class=wide><table><tr><th scope=col>number</th>
<th scope=col>bots by seat</th><th scope=col>scores</th><th scope=col>reason</th><th scope=col>plies</th>
<th scope=col>options</th><th scope=col>seed</th><th scope=col>replay</th></tr>
{"".join(match_row(series, match) for match in done)}</table></div></details>
<script>{UNPACK_SCRIPT}</script></body></html>
"""


def standing_row(one: BotStanding) -> str:
    """Return a bot's table row."""
    seats = "".join(f"<td>{'' if share is None else f'{share:.1%}'}</td>" for share in one.by_seat)
    return (
        f"<tr><td>{escape(one.bot)}</td><td>{one.matches}</td><td>{one.share:.1%}</td>"
        f"<td>{one.low:.1%} to {one.high:.1%}</td><td>{one.rating:+.0f}</td>{seats}"
        f"<td>{one.thinking:.2f}</td><td>{one.slowest:.2f}</td></tr>"
    )


def match_row(series: Series, match: RecordedMatch) -> str:
    """Return a match's table row with its replay."""
    played = match.played
    bots = ", ".join(series.bots[bot] for bot in played.bots)
    scores = ", ".join("-" if score is None else str(score) for score in played.scores)
    options = ", ".join(f"{name}={value_text(value)}" for name, value in played.options.items())
    cells = (str(played.number), bots, scores, played.reason, str(played.plies), options, f"{played.seed[:16]}…")
    name = escape(f"{series.game}-{played.number:04}{SUFFIX}.gz")
    link = f'<a download="{name}" href="data:application/gzip;base64,{b64encode(match.replay).decode()}">save</a>'
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + f"<td>{link}</td></tr>"


def value_text(value: Any) -> str:
    """Return the value of an option as text."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def options_section(series: Series, found: Sequence[OptionStandings]) -> str:
    """Return the shares by option as a chart and a table, or nothing if no option was varied."""
    if not found:
        return ""
    names = [f"{one.option}={value_text(one.value)}" for one in found]
    heads = "".join(f"<th scope=col>{escape(bot)}</th>" for bot in series.bots)
    lines = [
        f"<tr><td>{escape(name)}</td><td>{one.matches}</td>"
        + "".join(f"<td>{share:.1%} ({low:.1%} to {high:.1%})</td>" for share, low, high in one.shares)
        + "</tr>"
        for name, one in zip(names, found, strict=True)
    ]
    bots = [(bot, [one.shares[number] for one in found]) for number, bot in enumerate(series.bots)]
    table = f"<div class=wide><table><tr><th scope=col>option</th><th scope=col>matches</th>{heads}</tr>"
    return f"<h2>By option</h2>{grouped_bars('Shares by option', names, bots)}{table}{''.join(lines)}</table></div>"


# -- plots --------------------------------------------------------------------------------------------------------


def shares_chart(found: Sequence[BotStanding]) -> str:
    """Return a chart of the bots' shares with their intervals."""
    chart = pygal.HorizontalBar(**chart_settings(height=80 + 60 * len(found)), show_legend=False, range=(0, 1))
    chart.value_formatter = percent
    upwards = found[::-1]  # the first row is drawn at the bottom
    chart.x_labels = [one.bot for one in upwards]
    chart.add("share", [bar_value(one.share, one.low, one.high) for one in upwards])
    return figure(chart, "Shares of wins: " + "; ".join(f"{one.bot} {one.share:.1%}" for one in found))


def seats_chart(series: Series, found: Sequence[BotStanding]) -> str:
    """Return a chart of each bot's share in each seat."""
    names = [f"seat {seat}" for seat in range(series.seats)]
    bots = [(one.bot, [(each, None, None) for each in one.by_seat]) for one in found]
    return grouped_bars("Shares by seat", names, bots)


def grouped_bars(title: str, names: Sequence[str], bots: Sequence[tuple[str, Sequence[Any]]]) -> str:
    """Return a chart with one bar per bot for each name. The same level may play as several bots."""
    chart = pygal.Bar(**chart_settings(height=320), range=(0, 1), legend_at_bottom=True)
    chart.value_formatter = percent
    chart.x_labels = list(names)
    for bot, each in bots:
        chart.add(bot, [None if share is None else bar_value(share, low, high) for share, low, high in each])
    return figure(chart, title)


def histogram(values: Sequence[int]) -> str:
    """Return a histogram of match lengths."""
    if not values:
        return ""
    least, most = min(values), max(values)
    width = max(1, -(-(most - least + 1) // MAX_BARS))
    counts = [0] * ((most - least) // width + 1)
    for each in values:
        counts[(each - least) // width] += 1
    chart = pygal.Histogram(**chart_settings(height=260), show_legend=False, include_x_axis=False)
    chart.value_formatter = whole_number
    chart.x_value_formatter = whole_number
    chart.add("matches", [(count, least + n * width, least + (n + 1) * width) for n, count in enumerate(counts)])
    return figure(chart, f"Lengths from {least} to {most} plies")


def chart_settings(height: int) -> dict[str, Any]:
    """Return the settings of all plots: no scripts and no external content."""
    return {
        "style": CHART_STYLE,
        "width": 760,
        "height": height,
        "js": (),
        "disable_xml_declaration": True,
        "margin": 10,
    }


def bar_value(share: float, low: float | None, high: float | None) -> dict[str, Any]:
    """Return a share in pygal's format, with its interval if there is one."""
    interval = {"ci": {"low": low, "high": high}} if low is not None else {}
    return {"value": share, **interval}


def percent(share: Any) -> str:
    """Return a share as a percentage."""
    return f"{share:.0%}"


def whole_number(number: Any) -> str:
    """Return a whole number as text."""
    return f"{number:.0f}"


def figure(chart: Any, label: str) -> str:
    """Return the plot with a label for screen readers."""
    drawn = CHART_EXTRAS.sub("", chart.render(is_unicode=True))
    return f'<figure role="img" aria-label="{escape(label)}">{drawn}</figure>'
