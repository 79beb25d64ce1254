"""Functions that are imported at their first call, so that loading rules does not load what only pages need."""

from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any


def lazy(name: str) -> Callable[..., Any]:
    """Return a function that imports `package.module:function` at its first call and forwards every call to it."""

    @cache
    def load() -> Callable[..., Any]:
        function: Callable[..., Any] = resolve_name(name)
        return function

    def call(*args: Any) -> Any:
        return load()(*args)

    return call
