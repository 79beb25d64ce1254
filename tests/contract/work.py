"""Counts the work of a call: its calls of Python and built-in functions, including draws and folded facts."""

import gc
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove


class Work(NamedTuple):
    """What a call did, and the bytes it returned."""

    calls: Counter[str]
    given: bytes


def work_of(call: Callable[[], Any], only: str = "") -> Work:
    """Return the work of a call in files whose path contains `only`. A first call, not counted, fills the caches."""
    answer_of(call)
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if only not in code.co_filename:
            return
        if event == "call":
            calls[f"{code.co_filename}:{code.co_firstlineno} {code.co_name}"] += 1
        elif event == "c_call":
            calls[f"{code.co_name}: {getattr(argument, '__qualname__', repr(argument))}"] += 1

    gc.disable()  # callbacks of the garbage collector would be counted
    sys.setprofile(count)
    try:
        given = answer_of(call)
    finally:
        sys.setprofile(None)
        gc.enable()
    return Work(calls, canonical_json(given))


def answer_of(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or its refusal."""
    try:
        return call()
    except IllegalMove as refusal:
        return [refusal.code, refusal.rule, refusal.message]


def difference(one: Work, other: Work) -> str:
    """Return how the work of two calls differs. Empty if it is the same."""
    if one.given != other.given:
        return "the answers differ"
    names = sorted(name for name in one.calls | other.calls if one.calls[name] != other.calls[name])
    return ", ".join(f"{name} ({one.calls[name]} and {other.calls[name]} calls)" for name in names)
