"""What the foot of every page says of the log: whether a confirmed move is on disk."""

import time
from dataclasses import dataclass, field

from flask import current_app

from service.log.client import LogUnavailable
from service.log.durability import Durability, check
from service.web.blueprint import services

KEPT_SECONDS = 30.0
"""How long an answer of the log's server is good for; an operator may change its settings while it runs."""


@dataclass
class Footing:
    """The last answer, and when it was given (monotonic seconds)."""

    found: Durability | None = None
    asked: float = field(default=float("-inf"))


def durability() -> Durability | None:
    """What the log's server promises; None while it does not answer."""
    last: Footing = current_app.extensions.setdefault("crumbtrail_footing", Footing())
    now = time.monotonic()
    if now - last.asked > KEPT_SECONDS:
        last.asked = now
        try:
            last.found = check(services().redis, services().settings.replicas)
        except LogUnavailable:
            last.found = None
    return last.found
