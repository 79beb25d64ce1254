"""The report of a verification: a verdict, one result per layer, and the first divergence.

Everything here is plain data for JSON; `Report.as_text` formats it for people.
"""

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

Status = Literal["ok", "partly", "not_checked", "failed"]
"""`partly`: what can be checked is correct; `sentence` says what cannot be checked (yet)."""

Verdict = Literal["verified", "unfinished", "failed"]
"""`unfinished`: no errors, but a running match cannot be checked completely."""

OPTIONAL_LAYERS = frozenset({"signature"})
"""Layers that must not be `failed` in a verified file, but need not be `ok` unless the caller requires them."""

VERIFIED_UNKNOWN_ORIGIN = "Verified: everything that the file alone can prove is correct. Its origin was not checked."
"""The verdict on a correct file that is unsigned or signed by an unknown key."""

MAX_VALUE_LENGTH = 240
"""Maximum length of a quoted value in a divergence, in characters."""


class Divergence(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where a file is wrong.

    `line` is the line of the file, from 1. `ply` is the event's position (None for the header and the closing line).
    `rule` is a rule of the replay format (`docs/replay-format.md`) or, for an illegal move, a rule of the game.
    """

    line: int
    ply: int | None
    rule: str
    expected: str
    found: str
    sentence: str

    def as_text(self) -> str:
        """Return the divergence as a line of text."""
        place = f"line {self.line}" + (f" (ply {self.ply})" if self.ply else "")
        return f"{place}: {self.sentence} Expected {self.expected}, found {self.found}. [rule {self.rule}]"


class DivergenceError(Exception):
    """Raised when a check finds a divergence."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.as_text())
        self.divergence = divergence


def divergence_error(
    line: int, rule: str, expected: Any, found: Any, sentence: str, *, ply: int | None = None
) -> DivergenceError:
    """Return the exception for a divergence, with its values as short text."""
    return DivergenceError(
        Divergence(line=line, ply=ply, rule=rule, expected=shorten(expected), found=shorten(found), sentence=sentence)
    )


def shorten(value: Any) -> str:
    """Return the value as text of bounded length: a string unchanged, anything else as JSON."""
    if isinstance(value, str):
        return value if len(value) <= MAX_VALUE_LENGTH else f"{value[: MAX_VALUE_LENGTH - 3]}..."
    return shorten(msgspec.json.encode(value, order="sorted").decode())


class Layer(msgspec.Struct, frozen=True):
    """The result of one layer: what was checked, or why it was not; the divergence if it failed."""

    name: str
    status: Status
    sentence: str
    divergence: Divergence | None = None

    def as_text(self) -> str:
        """Return the layer as a line of text."""
        text = self.divergence.as_text() if self.divergence else self.sentence
        return f"{self.name:<11} {self.status.replace('_', ' '):<12} {text}"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The verification of one file.

    `first` is the divergence on the earliest line; if several are on that line, the one of the first layer.
    `match`, `game` and `rules_version` are the file's own claims, None if it could not be read.
    """

    ok: bool
    verdict: Verdict
    match: str | None
    game: str | None
    rules_version: int | None
    events: int
    layers: tuple[Layer, ...]
    first: Divergence | None

    @property
    def has_known_origin(self) -> bool:
        """Whether the file is signed by a key that the checker knows."""
        return all(layer.status == "ok" for layer in self.layers if layer.name in OPTIONAL_LAYERS)

    def as_text(self) -> str:
        """Return the report as text: one line per layer, then the verdict."""
        ends = {
            "verified": "Verified: every check passed." if self.has_known_origin else VERIFIED_UNKNOWN_ORIGIN,
            "unfinished": "Unfinished: no errors so far. The rest can be checked when the match is over.",
            "failed": "FAILED.",
        }
        last = ends[self.verdict] if self.first is None else f"FAILED: {self.first.as_text()}"
        return "\n".join([*(layer.as_text() for layer in self.layers), last])


def with_layer(report: Report, layer: Layer) -> Report:
    """Return a report without a failed layer with one more layer added."""
    layers = (*report.layers, layer)
    if layer.divergence is None:
        return replace(report, layers=layers)
    return replace(report, ok=False, verdict="failed", layers=layers, first=layer.divergence)


def build_report(
    layers: list[Layer], *, match: str | None, game: str | None, rules_version: int | None, events: int
) -> Report:
    """Return the report of these layers."""
    parted = [layer.divergence for layer in layers if layer.divergence is not None]
    held = all(layer.status == "ok" or (layer.name in OPTIONAL_LAYERS and layer.status != "failed") for layer in layers)
    verdict: Verdict = "verified" if held else "unfinished"
    if parted:
        verdict = "failed"
    return Report(
        ok=verdict == "verified",
        verdict=verdict,
        match=match,
        game=game,
        rules_version=rules_version,
        events=events,
        layers=tuple(layers),
        first=min(parted, key=lambda divergence: divergence.line, default=None),
    )
