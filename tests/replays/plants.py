"""Forged replay files, each with one changed random outcome and a recomputed chain.

There is one file for every kind of outcome in the games' own tables (docs/draws.md): every step that draws or takes
from a pile, for every kind of fact.
"""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from domain.kernel.chance import Fast
from replays.file import SUFFIX
from replays.standalone_verify import DRAWING, DRAWS, DrawInterpreter, check_all_draws, flatten
from tests.replays.forge import Entries, Entry, forge_replay, load
from tools.goldens import HERE

TARGETS = {"dice": 0, "below": 1, "pick": 1, "shuffle": 2, "spread": 0, "top": 1, "at": 2, "deal": 1, "push": 1}
"""The verbs with random outcomes, and the index of the argument that is the path of the outcome.

Under luck protocol 2, a purpose precedes the arguments of drawing steps.
"""
SHOWN_ELSEWHERE = "'#@="

Kind = tuple[str, str, str, str]
"""Game, kind of fact, verb, path."""


class PlantedFile(NamedTuple):
    """A forged file, with the change: its kind, its ply, the value before and after."""

    kind: Kind
    ply: int
    was: Any
    became: Any
    raw: bytes


def golden_files(slug: str = "*", version: int | str = "*") -> list[Path]:
    """Return the golden replays of a game at a rules version, or of all."""
    return sorted(HERE.glob(f"{slug}/v{version}-*{SUFFIX}"))


def golden_versions(slug: str) -> list[int]:
    """Return the rules versions of a game that have golden replays."""
    return sorted({int(path.name[1:].split("-")[0]) for path in golden_files(slug)})


def kinds(slug: str, version: int) -> set[Kind]:
    """Return every kind of outcome in the game's table."""
    table = DRAWS[slug][str(version)]
    protocol, facts = table.get("protocol", 1), table["facts"]
    return {(slug, fact, verb, path) for fact, steps in facts.items() for verb, path in outcomes(steps, protocol)}


def outcomes(steps: Any, protocol: int) -> Iterator[tuple[str, str]]:
    """Yield verbs and paths of the steps of a table for this luck protocol, including nested steps."""
    for verb, *rest in steps:
        if verb in ("when", "each"):
            for inner in rest[1 if verb == "each" else 2 :]:
                yield from outcomes(inner, protocol)
        if verb in TARGETS:
            target = rest[TARGETS[verb] + (protocol == 2 and verb in DRAWING)]
            paths = target if isinstance(target, list) else [target]
            yield from ((verb, path) for path in paths if path[0] not in SHOWN_ELSEWHERE)


class OutcomeRecorder(DrawInterpreter):
    """Records the ply and the fact of the first outcome of each kind."""

    def __init__(self, slug: str, table: Any, created: Entry) -> None:
        super().__init__(table, created)
        self.slug = slug
        self.protocol = table.get("protocol", 1)
        self.seen: dict[Kind, tuple[int, int]] = {}
        self.facts: list[Entry] = []

    def run_event(self, ply: int, facts: list[Entry], source: Any) -> None:
        self.facts = facts
        super().run_event(ply, facts, source)

    def run_steps(self, steps: Any, fact: Entry) -> None:
        for step in steps:
            for verb, path in outcomes([step] if step[0] in TARGETS else [], self.protocol):
                if flatten(self.value(path, fact)):
                    place = next(n for n, each in enumerate(self.facts) if each is fact)
                    self.seen.setdefault((self.slug, self.fact_type, verb, path), (self.ply, place))
        super().run_steps(steps, fact)


@cache
def planted_files(slug: str, version: int) -> tuple[PlantedFile, ...]:
    """Return a forged file for each kind of outcome in the golden replays of a game at a rules version."""
    found = dict[Kind, PlantedFile]()
    for path in golden_files(slug, version):
        raw = path.read_bytes()
        events = load(raw)[1]
        recorder = OutcomeRecorder(slug, DRAWS[slug][str(version)], events[0])
        seed = next(event["seed"] for event in events if event["kind"] == "seed_revealed")
        check_all_draws(events, bytes.fromhex(seed), recorder)
        for kind, (ply, place) in recorder.seen.items():
            if kind not in found:
                found[kind] = plant_change(version, raw, kind, ply, place)
    return tuple(found[kind] for kind in sorted(found))


def plant_change(version: int, raw: bytes, kind: Kind, ply: int, place: int) -> PlantedFile:
    """Return the file with a different outcome of this kind in that fact."""
    changed: list[tuple[Any, Any]] = []

    def change(events: Entries) -> Entries:
        events = deepcopy(events)
        holder, name = scalar_at(events[ply - 1]["facts"][place], kind[3].split("."))
        changed.append((holder[name], another_outcome(version, kind, holder[name])))
        holder[name] = changed[0][1]
        return events

    false = forge_replay(raw, change)
    return PlantedFile(kind, ply, *changed[0], false)


ANYTHING: tuple[Any, ...] = (None, 0, 1, -1, 3, True, False, "", "x", "0", [], [0], [[]], [{}], {}, {"0": [1]})


def mangled_files(slug: str, times: int) -> Iterator[bytes]:
    """Yield golden replays of a game with one value replaced by something arbitrary and a recomputed chain."""
    chance, files = Fast(f"mangled {slug}"), golden_files(slug)

    def change(events: Entries) -> None:
        event = chance.pick([*events[:1], *events[3:5], *events])
        holder, name = chance.pick([place for place in value_places(event) if place[1] not in ("prev", "hash", "salt")])
        holder[name] = chance.pick(ANYTHING)

    made = 0
    while made < times:
        try:
            false = forge_replay(chance.pick(files).read_bytes(), change)
        except (TypeError, LookupError, AttributeError):
            continue  # no header can be made for these events
        made += 1
        yield false


def value_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the place of every nested value: its container and key. Facts are deepest, so they are most frequent."""
    for name in value if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from value_places(value[name])


def scalar_at(value: Any, path: list[str]) -> tuple[Any, Any]:
    """Return the place of the last scalar at the end of a path: its container and its key."""
    name: Any = int(path[0]) if isinstance(value, list) and path[0] != "*" else path[0]
    if name == "*":
        return scalar_at(value[-1], path[1:]) if len(path) > 1 else (value, len(value) - 1)
    if len(path) > 1:
        return scalar_at(value[name], path[1:])
    while isinstance(value[name], dict | list):
        value, inner = value[name], value[name]
        name = max(key for key in inner if inner[key]) if isinstance(inner, dict) else len(inner) - 1
    return value, name


def another_outcome(version: int, kind: Kind, value: Any) -> Any:
    """Return a different outcome of the same kind."""
    slug, _, verb, _ = kind
    if verb == "dice":
        return value % 6 + 1
    for items in DRAWS[slug][str(version)]["lists"].values():
        if isinstance(items, list) and value in items:
            return next(item for item in items if item != value)
    return value + 1 if value == 0 else value - 1
