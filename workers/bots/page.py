"""The results of a series as one page that needs nothing else: table, plots, and every match with its seed."""

from collections.abc import Iterable, Sequence
from html import escape

from workers.bots.series import Played, Series
from workers.bots.standings import Lengths, Standing

WIDTH, ROW, LEFT = 720, 34, 120
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .25rem .75rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr + tr td { border-top: 1px solid #ccc; }
svg { max-width: 100%; height: auto; } details { margin: 1rem 0; } code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #e8e8e8; } text { fill: #e8e8e8; } }
"""


def page(series: Series, found: Sequence[Standing], sizes: Lengths, played: Sequence[Played], again: str) -> str:
    """The page. `again` is the command that plays the series again."""
    title = escape(f"{series.game}: {', '.join(series.bots)}")
    rows = "".join(map(row, found))
    seats = "".join(f"<th scope=col>seat {seat}</th>" for seat in range(series.seats))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{STYLE}</style></head><body>
<h1>{title}</h1>
<p>{len(played)} matches with {series.seats} seats, {sizes.least} to {sizes.most} plies (mean {sizes.mean:g}). A draw is
shared. Intervals hold with 95 %.</p>
<h2>Shares of the wins</h2>{shares(found, 1 / len(series.bots))}
<table><tr><th scope=col>bot</th><th scope=col>matches</th><th scope=col>share</th><th scope=col>interval</th>
<th scope=col>rating</th>{seats}<th scope=col>s a match</th><th scope=col>slowest, s</th></tr>{rows}</table>
<h2>Length of the matches, in plies</h2>{histogram([match.plies for match in played])}
<h2>Every match again</h2>
<p>Each is a function of the series' seed and its number:</p><p><code>{escape(again)}</code></p>
<details><summary>The matches</summary><table><tr><th scope=col>number</th><th scope=col>bots by seat</th>
<th scope=col>scores</th><th scope=col>end</th><th scope=col>plies</th><th scope=col>seed</th></tr>
{"".join(match_row(series, match) for match in played)}</table></details>
</body></html>
"""


def row(one: Standing) -> str:
    """A bot's line of the table."""
    seats = "".join(f"<td>{'' if share is None else f'{share:.1%}'}</td>" for share in one.by_seat)
    return (
        f"<tr><td>{escape(one.bot)}</td><td>{one.matches}</td><td>{one.share:.1%}</td>"
        f"<td>{one.low:.1%} to {one.high:.1%}</td><td>{one.rating:+.0f}</td>{seats}"
        f"<td>{one.thinking:.2f}</td><td>{one.slowest:.2f}</td></tr>"
    )


def match_row(series: Series, match: Played) -> str:
    """A match's line."""
    bots = ", ".join(series.bots[bot] for bot in match.bots)
    scores = ", ".join("-" if score is None else str(score) for score in match.scores)
    cells = (str(match.number), bots, scores, match.reason, str(match.plies), match.seed)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def shares(found: Sequence[Standing], even: float) -> str:
    """Shares as points with their intervals; a dashed line where all are equal."""

    def x(share: float) -> float:
        return round(LEFT + share * (WIDTH - LEFT - 20), 1)

    height = ROW * len(found) + 30
    parts = [f'<line x1="{x(even)}" x2="{x(even)}" y1="0" y2="{height - 25}" stroke="#888" stroke-dasharray="4 4"/>']
    for n, one in enumerate(found):
        y = ROW * n + ROW // 2
        parts.append(f'<text x="0" y="{y + 5}">{escape(one.bot)}</text>')
        parts.append(
            f'<line x1="{x(one.low)}" x2="{x(one.high)}" y1="{y}" y2="{y}" stroke="#2a6f97" stroke-width="4"/>'
        )
        parts.append(f'<circle cx="{x(one.share)}" cy="{y}" r="7" fill="#c1571e"/>')
    parts += [f'<text x="{x(n / 4)}" y="{height - 5}" text-anchor="middle">{n * 25} %</text>' for n in range(5)]
    words = "; ".join(f"{one.bot} {one.share:.1%}" for one in found)
    return drawing(height, f"Shares of the wins: {words}", parts)


def histogram(values: Sequence[int], bars: int = 20) -> str:
    """How often which length."""
    if not values:
        return ""
    least, most = min(values), max(values)
    width = max(1, -(-(most - least + 1) // bars))
    counts = [0] * ((most - least) // width + 1)
    for value in values:
        counts[(value - least) // width] += 1
    step = WIDTH / len(counts)
    parts = [
        f'<rect x="{n * step + 1:.1f}" y="{140 - 130 * count / max(counts):.1f}" width="{step - 2:.1f}"'
        f' height="{130 * count / max(counts):.1f}" fill="#2a6f97"/>'
        for n, count in enumerate(counts)
    ]
    parts.append(f'<text x="0" y="160">{least}</text><text x="{WIDTH}" y="160" text-anchor="end">{most}</text>')
    return drawing(170, f"Lengths from {least} to {most} plies", parts)


def drawing(height: int, label: str, parts: Iterable[str]) -> str:
    """An SVG of the page's width."""
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}">{"".join(parts)}</svg>'
    )
