"""What a verification found: a verdict, a line for each layer, and where the file and the truth part.

Everything in here is plain data, fit for JSON; `Report.words` is the same for people.
"""

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

Status = Literal["ok", "partly", "not_checked", "failed"]
"""`partly`: what can be checked here is right, `sentence` says what has to wait or cannot be known."""

Verdict = Literal["verified", "unfinished", "failed"]
"""`unfinished`: nothing is wrong, but a match that still runs cannot be checked whole."""

OPTIONAL_LAYERS = frozenset({"signature"})
"""Layers that need not be `ok` in a verified file, only not `failed`: its truth does not rest on them.

Whoever needs them says so beforehand."""

VERIFIED_UNKNOWN_ORIGIN = "Verified: all that a file can prove by itself holds; where it comes from was not checked."
"""The verdict on a file that is right, but not signed, or by a key that nobody here knows."""

MAX_VALUE_LENGTH = 240
"""Characters of a value that a divergence quotes."""


class Divergence(msgspec.Struct, frozen=True, kw_only=True):
    """Where a file first departs from what it must be.

    `line` is the line of the file, from 1, `ply` the event's number as its place gives it (None for the header and
    the closing line). `rule` is a rule of the replay format (`docs/replay-format.md`) or, for a move that the game
    does not allow, of the game's specification.
    """

    line: int
    ply: int | None
    rule: str
    expected: str
    found: str
    sentence: str

    def as_text(self) -> str:
        """The divergence in a line."""
        place = f"line {self.line}" + (f" (ply {self.ply})" if self.ply else "")
        return f"{place}: {self.sentence} Expected {self.expected}, found {self.found}. [rule {self.rule}]"


class DivergenceError(Exception):
    """A check came upon a divergence."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.as_text())
        self.divergence = divergence


def divergence_error(
    line: int, rule: str, expected: Any, found: Any, sentence: str, *, ply: int | None = None
) -> DivergenceError:
    """The exception for a divergence, with its values as short text."""
    return DivergenceError(
        Divergence(line=line, ply=ply, rule=rule, expected=shorten(expected), found=shorten(found), sentence=sentence)
    )


def shorten(value: Any) -> str:
    """The value as text of bounded length: a string as it is, anything else as JSON."""
    if isinstance(value, str):
        return value if len(value) <= MAX_VALUE_LENGTH else f"{value[: MAX_VALUE_LENGTH - 3]}..."
    return shorten(msgspec.json.encode(value, order="sorted").decode())


class Layer(msgspec.Struct, frozen=True):
    """One layer of a verification: what was checked, or why it could not be; a divergence if it failed."""

    name: str
    status: Status
    sentence: str
    divergence: Divergence | None = None

    def as_text(self) -> str:
        """The layer in a line."""
        text = self.divergence.as_text() if self.divergence else self.sentence
        return f"{self.name:<11} {self.status.replace('_', ' '):<12} {text}"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The verification of one file.

    `first` is the divergence on the earliest line, on one line that of the first layer.

    `match`, `game` and `rules_version` are what the file says of itself, None if it does not get that far.
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
        """Whether the file is signed by a key that is known where it was checked."""
        return all(layer.status == "ok" for layer in self.layers if layer.name in OPTIONAL_LAYERS)

    def as_text(self) -> str:
        """The report for people: one line a layer, the verdict last."""
        ends = {
            "verified": "Verified: every layer holds." if self.has_known_origin else VERIFIED_UNKNOWN_ORIGIN,
            "unfinished": "Unfinished: nothing is wrong so far; the rest can be checked when the match is over.",
            "failed": "FAILED.",
        }
        last = ends[self.verdict] if self.first is None else f"FAILED: {self.first.as_text()}"
        return "\n".join([*(layer.as_text() for layer in self.layers), last])


def with_layer(report: Report, layer: Layer) -> Report:
    """The report, good so far, with one more layer."""
    layers = (*report.layers, layer)
    if layer.divergence is None:
        return replace(report, layers=layers)
    return replace(report, ok=False, verdict="failed", layers=layers, first=layer.divergence)


def build_report(
    layers: list[Layer], *, match: str | None, game: str | None, rules_version: int | None, events: int
) -> Report:
    """The report of these layers."""
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
