"""The security page names controls and tests that exist, and the limits in effect."""

import re
from datetime import timedelta
from pathlib import Path

from domain.match.disputes import MAX_DISPUTES
from domain.match.guards import MAX_FACTS_PER_EVENT, MAX_REQUESTS_BETWEEN_MOVES
from replays.file import MAX_FILE
from service.accounts.players import MAX_TOKENS
from service.api.decoding import MAX_DEPTH, MAX_SAFE_INTEGER
from service.api.request_parsing import MAX_BODY_BYTES
from service.matches.standing_orders import MAX_ORDERS
from service.notifications.outbox import Channel
from service.runtime.concurrency_limits import MAX_STREAMS
from service.runtime.gevent_support import BODY_BYTES_PER_SECOND, BODY_SECONDS
from service.runtime.gunicorn_config import limit_request_line
from service.runtime.rate_limits import (
    DEFAULT_LIMITS,
    MAX_LINKS_PER_ADDRESS,
    MAX_LINKS_PER_MAILBOX,
    MAX_REPORTS,
    MAX_REPORTS_FROM,
    MAX_WEBHOOK_TESTS,
)
from service.verification.uploads import MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS, MAX_VERIFICATIONS
from workers.notifications.throttle import OTHER_RULES, TURN_RULES

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first line starts with this heading."""
    table = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def test_every_test_that_the_page_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)
    assert len(named) > 40
    for file, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.M), f"{file} has no {name}"
    assert PAGE.count("::test_") == len(named), "every mention of a test was checked"


def test_every_file_that_the_page_names_exists() -> None:
    for file in re.findall(r"`((?:service|workers|domain|replays|tests)/[\w/.]+)`", PAGE):
        assert (ROOT / file).is_file(), file


def test_all_ten_risks_have_a_control_and_a_test() -> None:
    table = rows("| risk |")
    assert [row[0].split()[0] for row in table] == [f"API{number}" for number in range(1, 11)]
    for risk, guard, where, shown in table:
        assert guard.endswith("."), risk
        assert ".py`" in where, risk
        assert "::test_" in shown, risk


def paced(channel: Channel) -> str:
    """Return the limits of notifications about one match, as the page describes them."""
    turns, others = TURN_RULES[channel], OTHER_RULES[channel]
    assert turns.interval_after == others.interval_after
    minute = timedelta(minutes=1)
    minutes = turns.interval_after // minute
    pace = "per minute" if minutes == 1 else f"every {minutes} minutes"
    return f"{turns.hourly_allowance} about turns, {others.hourly_allowance} of each other kind; then one {pace}"


def test_the_limits_are_those_in_effect() -> None:
    limits = {name: value for name, value, _ in rows("| limit |")}
    assert limits == {
        "requests per player and minute": f"{DEFAULT_LIMITS.requests}",
        "requests per address and minute": f"{DEFAULT_LIMITS.address_requests}",
        "new players per address and hour": f"{DEFAULT_LIMITS.registrations}",
        "new matches per player and hour": f"{DEFAULT_LIMITS.new_matches}",
        "unfinished matches per player": f"{DEFAULT_LIMITS.open_matches}",
        "streams and waiting requests per address and process": f"{DEFAULT_LIMITS.address_streams}",
        "emailed links per address and hour, always on": f"{MAX_LINKS_PER_MAILBOX}",
        "emailed links per visitor and hour, always on": f"{MAX_LINKS_PER_ADDRESS}",
        "test calls of a player's webhook per hour, always on": f"{MAX_WEBHOOK_TESTS}",
        "reports by a player per hour, always on": f"{MAX_REPORTS}",
        "reports from an address per hour, always on": f"{MAX_REPORTS_FROM}",
        "emails per player, match and hour, always on": paced("mail"),
        "webhook calls per player, match and hour, always on": paced("webhook"),
        "tokens per player": f"{MAX_TOKENS}",
        "standing orders per seat": f"{MAX_ORDERS}",
        "request body": f"{MAX_BODY_BYTES // 1024} KiB",
        "replay file": f"{MAX_FILE // 2**20} MiB",
        "uploads, verifications at a time per process": f"{MAX_UPLOADS}, {MAX_VERIFICATIONS}",
        "uploads at a time per address and process, always on": f"{MAX_UPLOADS_PER_ADDRESS}",
        "streams and waiting requests per process, pages and API together": f"{MAX_STREAMS}",
        "time to send the request headers": "2 s",
        "time to send a body": f"{BODY_SECONDS:.0f} s, plus 1 s per {BODY_BYTES_PER_SECOND // 1024} KiB",
        "request line, header": f"{limit_request_line} bytes",
        "depth of JSON": f"{MAX_DEPTH}",
        "disputes per seat and match": f"{MAX_DISPUTES}",
        "requests and offers per seat between two moves": f"{MAX_REQUESTS_BETWEEN_MOVES}",
        "seats in other people's matches without a first move, per player and per address": (
            f"{DEFAULT_LIMITS.unmoved_seats}, {DEFAULT_LIMITS.address_unmoved_seats}"
        ),
        "seats left per hour, per player and per address": f"{DEFAULT_LIMITS.seats_left}, "
        f"{DEFAULT_LIMITS.address_seats_left}",
        "matches aborted in seven days, per player and per address": f"{DEFAULT_LIMITS.aborts}, "
        f"{DEFAULT_LIMITS.address_aborts}",
        "facts of one move or of a set-up": f"{MAX_FACTS_PER_EVENT}",
        "integers in JSON": f"up to {MAX_SAFE_INTEGER}",
        "`Idempotency-Key`": "255 characters",
    }
