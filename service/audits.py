"""What an audit looks at beside the replay file: the cached snapshot must be what the events fold to."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from domain.events import read_event
from domain.match import fold
from replays.report import Divergence, Layer, Report, short
from service.log.client import StoredSnapshot
from service.matches import game_of, snapshot_version


def has_ended(lines: Sequence[bytes]) -> bool:
    """Whether the match of these lines has revealed its seed; they may be damaged elsewhere."""
    return any(b'"kind":"seed_revealed"' in line for line in lines)


def with_snapshot(report: Report, lines: Sequence[bytes], stored: StoredSnapshot | None) -> Report:
    """The report with one more layer, `snapshot`. A snapshot of other code is no fault: it is never read."""
    if report.first is not None:
        return report  # what does not hold has no fold to compare with
    layer = check_snapshot(lines, stored)
    if layer.divergence is None:
        return replace(report, layers=(*report.layers, layer))
    return replace(report, ok=False, verdict="failed", layers=(*report.layers, layer), first=layer.divergence)


def check_snapshot(lines: Sequence[bytes], stored: StoredSnapshot | None) -> Layer:
    """The snapshot against the fold of the events up to its ply."""
    game = game_of(lines)
    if stored is None or stored.version != snapshot_version(game):
        return Layer("snapshot", "ok", "There is no snapshot that would be read.")
    if not 1 <= stored.ply <= len(lines):
        found = f"ply {stored.ply}"
    else:
        folded = msgspec.json.encode(fold(read_event(line, game) for line in lines[: stored.ply]))
        if folded == stored.raw:
            return Layer("snapshot", "ok", f"The snapshot at ply {stored.ply} is what the events fold to.")
        found = "another position"
    sentence = "The cached snapshot is not what the events fold to."
    divergence = Divergence(
        line=stored.ply + 1,
        ply=stored.ply,
        rule="fold.snapshot",
        expected="what the events fold to",
        found=short(found),
        sentence=sentence,
    )
    return Layer("snapshot", "failed", sentence, divergence)
