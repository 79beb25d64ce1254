"""Small SVG charts of a match's score or a player's rating over time, styled only by presentation attributes."""

from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 24
COLOURS = ("#8a5a00", "#1f5f99", "#8c2f39", "#2f6f3e", "#5b3f8c", "#4a4a4a")
DASHES = ("", "6 4", "2 3", "8 3 2 3", "1 4", "10 5")
"""Dash patterns, so that lines differ by more than colour."""

PlyScores = Sequence[int | None] | None
"""Scores by seat after one ply, None for a seat without a score; None as a whole before the game is set up."""


def score_plot(scores: Sequence[PlyScores], names: Sequence[str], ply: int) -> str:
    """Return a chart of scores over time with `ply` marked (SVG), or an empty string if there are too few points."""
    counted = [(n, each) for n, each in enumerate(scores, 1) if each is not None]
    if len(counted) < 2:
        return ""
    values = [value for _, each in counted for value in each if value is not None]
    low, high = min(0, 0, *values), max(1, 1, *values)

    def x(n: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (n - 1) / max(1, len(scores) - 1), 1)

    def y(value: int) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low), 1)

    lines = []
    for seat, _ in enumerate(names):
        points = " ".join(f"{x(n)},{y(value)}" for n, each in counted if (value := each[seat]) is not None)
        style = f'stroke="{COLOURS[seat % len(COLOURS)]}" stroke-dasharray="{DASHES[seat % len(DASHES)]}"'
        lines.append(f'<polyline fill="none" stroke-width="2.5" {style} points="{points}"/>')
    axes = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value)}" y2="{y(value)}" stroke="currentColor" opacity=".25"/>'
        f'<text x="{LEFT - 6}" y="{y(value) + 4}" text-anchor="end" font-size="12" fill="currentColor">{value}</text>'
        for value in sorted({low, 0, high})
    )
    mark = f'<line x1="{x(ply)}" x2="{x(ply)}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="currentColor"/>'
    ends = "".join(
        f'<text x="{place}" y="{HEIGHT - 6}" text-anchor="{anchor}" font-size="12" fill="currentColor">{words}</text>'
        for place, anchor, words in ((LEFT, "start", "move 1"), (WIDTH - RIGHT, "end", f"move {len(scores)}"))
    )
    last = counted[-1][1]
    final = ", ".join(f"{name} {'no score' if last[seat] is None else last[seat]}" for seat, name in enumerate(names))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" class="plot" xmlns="http://www.w3.org/2000/svg">'
        f"<title>Score over time</title><desc>At the end: {escape(final)}.</desc>"
        f"{axes}{mark}{''.join(lines)}{ends}</svg>"
    )


def legend_key(seat: int) -> str:
    """Return a short sample of a seat's line for the legend (SVG)."""
    style = f'stroke="{COLOURS[seat % len(COLOURS)]}" stroke-dasharray="{DASHES[seat % len(DASHES)]}"'
    return (
        f'<svg width="28" height="10" aria-hidden="true" focusable="false"><line x1="0" x2="28" y1="5" y2="5" '
        f'stroke-width="2.5" {style}/></svg>'
    )


def rating_plot(points: Sequence[tuple[int, int]]) -> str:
    """Return a chart of a rating with its uncertainty as a band (SVG), or an empty string before the second match."""
    if len(points) < 2:
        return ""
    low = min(rating - uncertainty for rating, uncertainty in points) // 100 * 100
    high = -(-max(rating + uncertainty for rating, uncertainty in points) // 100) * 100

    def at(n: int, value: int) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * n / (len(points) - 1)
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)
        return f"{x:.1f},{y:.1f}"

    line = " ".join(at(n, rating) for n, (rating, _) in enumerate(points))
    upper = [at(n, rating + uncertainty) for n, (rating, uncertainty) in enumerate(points)]
    lower = [at(n, rating - uncertainty) for n, (rating, uncertainty) in enumerate(points)]
    axes = "".join(
        f'<text x="{LEFT - 6}" y="{float(at(0, value).partition(",")[2]) + 4:.1f}" text-anchor="end" font-size="12" '
        f'fill="currentColor">{value}</text>'
        for value in (low, high)
    )
    (first, _), (last, uncertainty) = points[0], points[-1]
    summary = f"{len(points)} matches: from {first} to {last}, ±{uncertainty}."
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" class="plot" xmlns="http://www.w3.org/2000/svg">'
        f"<title>Rating, match by match</title><desc>{summary}</desc>{axes}"
        f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="{COLOURS[0]}" opacity=".18"/>'
        f'<polyline fill="none" stroke-width="2.5" stroke="{COLOURS[0]}" points="{line}"/></svg>'
    )
