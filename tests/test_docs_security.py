"""The page on security names controls and tests that are there, and the limits that hold."""

import re
from datetime import timedelta
from pathlib import Path

from domain.match.disputes import MAX_DISPUTES
from domain.match.guards import MAX_FACTS_PER_EVENT, MAX_REQUESTS_BETWEEN_MOVES
from domain.match.lobby import MAX_TIMES_VACATED
from replays.file import MAX_FILE
from service.accounts.players import MAX_TOKENS
from service.api.decoding import MAX_DEPTH, MAX_SAFE_INTEGER
from service.api.request_parsing import MAX_BODY_BYTES
from service.matches.standing_orders import MAX_ORDERS
from service.notifications.outbox import Channel
from service.runtime.concurrency_limits import MAX_STREAMS
from service.runtime.gevent_support import BODY_BYTES_PER_SECOND, BODY_SECONDS
from service.runtime.gunicorn_config import limit_request_line
from service.runtime.rate_limits import DEFAULT_LIMITS, MAX_LINKS_PER_ADDRESS, MAX_LINKS_PER_MAILBOX, MAX_WEBHOOK_TESTS
from service.verification.uploads import MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS, MAX_VERIFICATIONS
from workers.notifications.throttle import OTHER_RULES, TURN_RULES

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below the line that begins so."""
    table = PAGE[PAGE.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)
    assert len(named) > 40
    for file, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.M), f"{file} has no {name}"
    assert PAGE.count("::test_") == len(named), "every mention is one that was looked for"


def test_every_file_that_the_page_names_is_there() -> None:
    for file in re.findall(r"`((?:service|workers|domain|replays|tests)/[\w/.]+)`", PAGE):
        assert (ROOT / file).is_file(), file


def test_all_ten_risks_are_answered_with_a_control_and_a_test() -> None:
    table = rows("| risk |")
    assert [row[0].split()[0] for row in table] == [f"API{number}" for number in range(1, 11)]
    for risk, guard, where, shown in table:
        assert guard.endswith("."), risk
        assert ".py`" in where, risk
        assert "::test_" in shown, risk


def paced(channel: Channel) -> str:
    """How often one match is told of, in words."""
    turns, others = TURN_RULES[channel], OTHER_RULES[channel]
    assert turns.interval_after == others.interval_after
    minute = timedelta(minutes=1)
    minutes = f"{turns.interval_after // minute} minute{'s' if turns.interval_after > minute else ''}"
    return f"{turns.hourly_allowance} of turns, {others.hourly_allowance} of each other kind; then one in {minutes}"


def test_the_limits_are_those_that_hold() -> None:
    limits = {name: value for name, value, _ in rows("| limit |")}
    assert limits == {
        "requests of one player in a minute": f"{DEFAULT_LIMITS.requests}",
        "requests from one address in a minute": f"{DEFAULT_LIMITS.address_requests}",
        "new players from one address in an hour": f"{DEFAULT_LIMITS.registrations}",
        "new matches of one player in an hour": f"{DEFAULT_LIMITS.new_matches}",
        "matches of one player that are not over": f"{DEFAULT_LIMITS.open_matches}",
        "streams and waiting requests of one address in a process": f"{DEFAULT_LIMITS.address_streams}",
        "links by mail to one address in an hour, always on": f"{MAX_LINKS_PER_MAILBOX}",
        "links by mail for one reader in an hour, always on": f"{MAX_LINKS_PER_ADDRESS}",
        "tries of one player's webhook in an hour, always on": f"{MAX_WEBHOOK_TESTS}",
        "mails to one player about one match in an hour, always on": paced("mail"),
        "calls of one player's webhook about one match in an hour, always on": paced("webhook"),
        "tokens of one player": f"{MAX_TOKENS}",
        "standing orders of a seat": f"{MAX_ORDERS}",
        "body of a request": f"{MAX_BODY_BYTES // 1024} KiB",
        "replay file": f"{MAX_FILE // 2**20} MiB",
        "files that a process takes in, and verifies, at a time": f"{MAX_UPLOADS}, {MAX_VERIFICATIONS}",
        "files of one address that a process takes in at a time, always on": f"{MAX_UPLOADS_PER_ADDRESS}",
        "streams and waiting requests of a process, of pages and interface together": f"{MAX_STREAMS}",
        "time for a head": "2 s",
        "time for a body": f"{BODY_SECONDS:.0f} s, and 1 s for each {BODY_BYTES_PER_SECOND // 1024} KiB",
        "line of a request, header": f"{limit_request_line} bytes",
        "depth of JSON": f"{MAX_DEPTH}",
        "disputes of one seat in a match": f"{MAX_DISPUTES}",
        "questions and offers of one seat between two moves": f"{MAX_REQUESTS_BETWEEN_MOVES}",
        "times that one seat may be left before the start": f"{MAX_TIMES_VACATED}",
        "facts of one move, or of a start": f"{MAX_FACTS_PER_EVENT}",
        "integers in JSON": f"up to {MAX_SAFE_INTEGER}",
        "`Idempotency-Key`": "255 characters",
    }
