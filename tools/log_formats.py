"""Records what a release may write to the log: `python -m tools.log_formats`.

`tests/golden/log-formats.json` has the event kinds with their fields and words, the rules versions, and the names of
all keys, by the number of the format (`LOG_FORMAT` in `service/event_store/log_format.py`). A test fails if the code
can write something that is not recorded. Then either raise `LOG_FORMAT`, or, if no release has had this number yet,
record it again with this command. Formats that were released are never written again.
"""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from domain.kernel.events import EVENT_TYPES
from domain.kernel.registry import all_versions
from replays.frame import FORMATS
from service.event_store import keys
from service.event_store.log_format import LOG_FORMAT

PATH = Path(__file__).parents[1] / "tests/golden/log-formats.json"
RELEASED = ("1",)
"""The formats of releases."""
SAMPLES: dict[str, Any] = {"match": "07mzxw6ytboi3dgnbv", "shard": 7}
"""Arguments of functions that return keys. All others get their own name in angle brackets."""


def contents() -> dict[str, Any]:
    """Return what this tree can write to the log, as plain JSON."""
    rules: dict[str, list[int]] = {}
    for game in all_versions():
        if game.decide.__module__.startswith("domain.games."):  # games of other authors have their own versions
            rules.setdefault(game.slug, []).append(game.rules_version)
    return {
        "events": {str(kind.__struct_config__.tag): fields_of(kind) for kind in EVENT_TYPES},
        "keys": sorted(key_patterns()),
        "replays": list(FORMATS),
        "rules": {slug: sorted(versions) for slug, versions in sorted(rules.items())},
    }


def fields_of(kind: Any) -> list[str]:
    """Return the fields of a kind of event: `name`, `name.field` of a value inside it, and `name=word` if only certain
    words are allowed."""
    return sorted(set(paths_in(msgspec.inspect.type_info(kind))))


def paths_in(described: Any) -> Iterator[str]:
    """Yield the paths of all fields and words in a type, without the name that it has itself."""
    if isinstance(described, msgspec.inspect.StructType):
        for field in described.fields:
            yield field.encode_name
            yield from (f"{field.encode_name}{'' if path[0] == '=' else '.'}{path}" for path in paths_in(field.type))
    elif isinstance(described, msgspec.inspect.LiteralType):
        yield from (f"={word}" for word in described.values)
    else:
        inner = (*getattr(described, "types", ()), *getattr(described, "item_types", ()))
        for each in (*inner, getattr(described, "item_type", None)):
            yield from paths_in(each) if each is not None else ()


def key_patterns() -> set[str]:
    """Return the names of all keys, with sample arguments."""
    found = {value for name, value in vars(keys).items() if name.endswith("_KEY") and isinstance(value, str)}
    for name, function in vars(keys).items():
        if name.endswith("_key") and inspect.isfunction(function):
            arguments = inspect.signature(function).parameters
            found.add(function(**{each: SAMPLES.get(each, f"<{each}>") for each in arguments}))
    return found


def recorded() -> dict[str, Any]:
    """Return what was recorded, by the number of the format."""
    found: dict[str, Any] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return found


def main() -> None:
    """Record the current format."""
    if str(LOG_FORMAT) in RELEASED:
        raise SystemExit(f"Format {LOG_FORMAT} was released. Raise LOG_FORMAT first.")
    PATH.write_text(json.dumps({**recorded(), str(LOG_FORMAT): contents()}, indent=1, sort_keys=True) + "\n")
    print(f"Recorded format {LOG_FORMAT} in {PATH.name}.")


if __name__ == "__main__":
    main()
