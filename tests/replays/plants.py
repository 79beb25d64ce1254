"""Replay files in which one outcome of chance was changed and the chain made whole again: each kind that there is.

Which kinds there are is read from the games' own tables (docs/draws.md): every step that draws or that takes from a
pile, at every kind of fact.
"""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from replays.file import SUFFIX
from replays.standalone_verify import DRAWS, DrawInterpreter, check_all_draws, check_seed, flatten
from tests.replays.forge import Entries, Entry, forge_replay, load
from tools.goldens import HERE

TARGETS = {"dice": 0, "below": 1, "pick": 1, "shuffle": 2, "spread": 0, "top": 1, "at": 2, "deal": 1, "push": 1}
"""The verbs by which chance shows, and which of their arguments says where."""
SHOWN_ELSEWHERE = "'#@="

Kind = tuple[str, str, str, str]
"""Game, kind of fact, verb, path."""


class PlantedFile(NamedTuple):
    """A false file: what was changed in it, at which ply, from what to what."""

    kind: Kind
    ply: int
    was: Any
    became: Any
    raw: bytes


def golden_files(slug: str = "*") -> list[Path]:
    """The golden replays of a game, or of all."""
    return sorted(HERE.glob(f"{slug}/*{SUFFIX}"))


def kinds(slug: str, version: int) -> set[Kind]:
    """Every kind of outcome that the game's table tells of."""
    table = DRAWS[slug][str(version)]["facts"]
    return {(slug, fact, verb, path) for fact, steps in table.items() for verb, path in outcomes(steps)}


def outcomes(steps: Any) -> Iterator[tuple[str, str]]:
    """Verbs and paths of the steps, those inside of others too."""
    for verb, *rest in steps:
        if verb in ("when", "each"):
            for inner in rest[1 if verb == "each" else 2 :]:
                yield from outcomes(inner)
        if verb in TARGETS:
            target = rest[TARGETS[verb]]
            paths = target if isinstance(target, list) else [target]
            yield from ((verb, path) for path in paths if path[0] not in SHOWN_ELSEWHERE)


class OutcomeRecorder(DrawInterpreter):
    """Notes at which ply and fact which kind of outcome shows."""

    def __init__(self, slug: str, table: Any, created: Entry) -> None:
        super().__init__(table, created)
        self.slug = slug
        self.seen: dict[Kind, tuple[int, int]] = {}
        self.facts: list[Entry] = []

    def run_event(self, ply: int, facts: list[Entry], source: Any) -> None:
        self.facts = facts
        super().run_event(ply, facts, source)

    def run_steps(self, steps: Any, fact: Entry) -> None:
        for step in steps:
            for verb, path in outcomes([step] if step[0] in TARGETS else []):
                if flatten(self.value(path, fact)):
                    place = next(n for n, each in enumerate(self.facts) if each is fact)
                    self.seen.setdefault((self.slug, self.fact_type, verb, path), (self.ply, place))
        super().run_steps(steps, fact)


@cache
def planted_files(slug: str) -> tuple[PlantedFile, ...]:
    """One false file for each kind of outcome that the golden replays of a game hold."""
    game, found = games()[slug], dict[Kind, PlantedFile]()
    for path in golden_files(slug):
        raw = path.read_bytes()
        events = load(raw)[1]
        recorder = OutcomeRecorder(slug, DRAWS[slug][str(game.rules_version)], events[0])
        check_all_draws(events, check_seed(events), recorder)
        for kind, (ply, place) in recorder.seen.items():
            if kind not in found:
                found[kind] = plant_change(game, raw, kind, ply, place)
    return tuple(found[kind] for kind in sorted(found))


def plant_change(game: AnyGame, raw: bytes, kind: Kind, ply: int, place: int) -> PlantedFile:
    """The file with another outcome of this kind in that fact."""
    changed: list[tuple[Any, Any]] = []

    def change(events: Entries) -> Entries:
        events = deepcopy(events)
        holder, name = scalar_at(events[ply - 1]["facts"][place], kind[3].split("."))
        changed.append((holder[name], another_outcome(kind, holder[name])))
        holder[name] = changed[0][1]
        return events

    false = forge_replay(raw, change)
    return PlantedFile(kind, ply, *changed[0], false)


ANYTHING: tuple[Any, ...] = (None, 0, 1, -1, 3, True, False, "", "x", "0", [], [0], [[]], [{}], {}, {"0": [1]})


def mangled_files(slug: str, times: int) -> Iterator[bytes]:
    """Golden replays of a game with anything at all in the place of one value, the chain made whole again."""
    chance, files = Fast(f"mangled {slug}"), golden_files(slug)

    def change(events: Entries) -> None:
        event = chance.pick([*events[:1], *events[3:5], *events])
        holder, name = chance.pick([place for place in value_places(event) if place[1] not in ("prev", "hash", "salt")])
        holder[name] = chance.pick(ANYTHING)

    made = 0
    while made < times:
        try:
            false = forge_replay(chance.pick(files).read_bytes(), change)
        except (TypeError, KeyError, AttributeError):
            continue  # nobody could make a header for it
        made += 1
        yield false


def value_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside of another, as its container and its name there; facts weigh most, being deepest."""
    for name in value if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from value_places(value[name])


def scalar_at(value: Any, path: list[str]) -> tuple[Any, Any]:
    """Where the last of the scalars at the end of a path stands: its container and its name there."""
    name: Any = path[0]
    if name == "*":
        return scalar_at(value[-1], path[1:]) if len(path) > 1 else (value, len(value) - 1)
    if len(path) > 1:
        return scalar_at(value[name], path[1:])
    while isinstance(value[name], dict | list):
        value, inner = value[name], value[name]
        name = max(key for key in inner if inner[key]) if isinstance(inner, dict) else len(inner) - 1
    return value, name


def another_outcome(kind: Kind, value: Any) -> Any:
    """Another outcome of the same sort."""
    slug, _, verb, _ = kind
    if verb == "dice":
        return value % 6 + 1
    for items in DRAWS[slug][str(games()[slug].rules_version)]["lists"].values():
        if isinstance(items, list) and value in items:
            return next(item for item in items if item != value)
    return value + 1 if value == 0 else value - 1
