"""The error hook: an operator's own function that is called for each unexpected error, for example to alert someone.

It is off unless CRUMBTRAIL_ERROR_HOOK names a function as `module:function`. The function gets an ErrorReport, which
says no more than the log line: types and places in the code, and never a message, which may quote secrets.
"""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from traceback import extract_tb

import msgspec

from service.runtime.invalid_setting import InvalidSetting

PLACES = 8
"""How many places in the code a report names, the innermost first."""

logger = logging.getLogger("crumbtrail")


class ErrorReport(msgspec.Struct, frozen=True):
    """An unexpected error.

    `kind` is its type, `places` where it was raised, innermost first. `what` is the endpoint or the kind of job that
    failed. `context` has the ids of the request, match and job, if there are any, as in log lines.
    """

    at: datetime
    process: str
    kind: str
    what: str
    places: tuple[str, ...]
    context: dict[str, str]


ErrorHook = Callable[[ErrorReport], object]


class _Installed:
    """The hook of this process."""

    hook: ErrorHook | None = None
    process = ""


def load_error_hook(name: str) -> ErrorHook:
    """Return the function named as `module:function`. Raises InvalidSetting."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except Exception as error:  # an imported module may raise anything
        raise InvalidSetting(
            f"CRUMBTRAIL_ERROR_HOOK names {name!r}, which can't be imported ({type(error).__name__}). "
            "Install its package next to Crumbtrail, or unset CRUMBTRAIL_ERROR_HOOK."
        ) from None
    if not callable(found):
        raise InvalidSetting(f"CRUMBTRAIL_ERROR_HOOK names {name!r}, which is not a function.")
    hook: ErrorHook = found
    return hook


def install_error_hook(name: str | None, process: str) -> None:
    """Call the named function for each unexpected error of this process, or none. Raises InvalidSetting."""
    _Installed.hook = load_error_hook(name) if name else None
    _Installed.process = process


def places_of(error: BaseException) -> tuple[str, ...]:
    """Return where an error was raised, innermost first, as `file:line function`."""
    frames = extract_tb(error.__traceback__)
    return tuple(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames[-PLACES:]))


def report_error(error: BaseException, what: str, context: dict[str, str]) -> None:
    """Pass an unexpected error to the hook, if there is one. An error of the hook itself is only logged."""
    if _Installed.hook is None:
        return
    try:
        report = ErrorReport(
            datetime.now(UTC), _Installed.process, type(error).__name__, what, places_of(error), context
        )
        _Installed.hook(report)
    except Exception as failure:
        logger.warning("The error hook failed: %s.", type(failure).__name__)
