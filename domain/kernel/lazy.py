"""Functions that are imported when they are first called, so that rules load without what only pages need."""

from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any


def lazy(name: str) -> Callable[..., Any]:
    """Return a function that imports `package.module:function` at its first call and passes every call on."""

    @cache
    def load() -> Callable[..., Any]:
        function: Callable[..., Any] = resolve_name(name)
        return function

    def call(*args: Any) -> Any:
        return load()(*args)

    return call
