"""Events of a match: list them, wait for the next one, or stream them by SSE or NDJSON."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from flask import Response, request
from marshmallow import fields
from msgspec import Struct
from redis.exceptions import RedisClusterException, RedisError

from domain.kernel.events import AnyEvent, Event
from domain.kernel.game import Seat
from service.api.authentication import bearer_token, current_player_id, require_token_still_valid
from service.api.blueprint import TOKEN_OPTIONAL, ApiBlueprint
from service.api.fields import DIGITS_PATTERN, QueryInteger
from service.api.problems import Problem
from service.api.responses import json_response
from service.api.schemas import InputSchema, ViewingSeatQuery
from service.api.seats import viewing_seat
from service.app_context import limited_stream_response, services, stream_limiter
from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.runtime.concurrency_limits import TooManyStreams
from service.runtime.rate_limits import LimitExceeded
from service.streaming.match_subscriptions import StreamItem, WatcherUpdate

blp = ApiBlueprint("events", "The events of a match, and live streams of them.")

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
MAX_WAIT_SECONDS = 30
POLL_SECONDS = 5.0
"""How often a stream checks whether to send a keepalive, in seconds."""
KEEPALIVE_SECONDS = 4.5
"""A stream that has been silent for this many seconds sends a keepalive at its next check."""
RECONNECT_MILLISECONDS = 2000


class EventsQuery(ViewingSeatQuery):
    """The events to get, and the seat whose view to show."""

    after = QueryInteger(load_default=0, metadata={"description": "Only events after this ply."})


class EventsWaitQuery(EventsQuery):
    """The events to get, and how long to wait for the next one."""

    wait = QueryInteger(
        most=MAX_WAIT_SECONDS,
        load_default=0,
        metadata={"description": "Seconds to wait for an event if there are none."},
    )
    limit = QueryInteger(1, 1000, load_default=1000)


class Events(Struct, frozen=True, kw_only=True):
    """Events in order, and the ply of the match. If the last event has a lower ply, there are more."""

    ply: int
    events: list[AnyEvent]


class ResumeHeaders(InputSchema):
    """The position from which a stream resumes."""

    last = fields.String(
        data_key="Last-Event-ID",
        metadata={"description": "The `id` of the last entry received. The stream resumes after it."},
    )


class EventsResumeHeaders(InputSchema):
    """The position from which a stream of events resumes."""

    last = fields.String(
        data_key="Last-Event-ID",
        metadata={
            "description": "The ply of the last event received. The stream resumes after it.",
            "pattern": "^[0-9]{1,9}$",
        },
    )


@blp.route("/matches/<match>/events")
@blp.arguments(EventsWaitQuery, location="query")
@blp.response(200, Events)
@blp.doc(operationId="listEvents", security=TOKEN_OPTIONAL)
def list_events(query: dict[str, Any], match: str) -> Response:
    """List the events after a ply, as you may see them now.

    With `wait`, the answer waits for the next event if there are none.
    """
    player = current_player_id()
    now = services().matches.repository.load(match)
    viewing_seat(now, player, query.get("as_"))
    if query["wait"] and now.ply <= query["after"] and now.status != "over":
        # A client over the limit gets its answer without waiting.
        with suppress(TooManyStreams, LimitExceeded), stream_limiter().hold(request.remote_addr or ""):
            wait_for_event(match, query["after"], query["wait"])
        now = services().matches.repository.load(match)
        require_token_still_valid()
    seat = viewing_seat(now, player, query.get("as_"))
    events = services().matches.repository.visible_events(now, seat, query["after"], query["limit"])
    return json_response(Events(ply=now.ply, events=events))


def wait_for_event(match: str, after: int, seconds: int) -> None:
    """Return when the match has an event after this ply, or when the time is over."""
    until = time.monotonic() + seconds
    with services().streaming.matches.subscribe(match) as watcher:
        ply = services().matches.repository.load(match).ply
        while ply <= after and not watcher.ended and (left := until - time.monotonic()) > 0:
            news = watcher.wait(left)
            ply = news.match.ply if news else ply


@blp.route("/matches/<match>/stream")
@blp.arguments(EventsQuery, location="query")
@blp.arguments(EventsResumeHeaders, location="headers")
@blp.response(
    200, Event, content_type=NDJSON, description="One event per line. With SSE, `id` is the ply and `event` the kind."
)
@blp.alt_response(200, schema={"type": "string"}, content_type=SSE, success=True)
@blp.alt_response(204, description="The match is over and you have all events.", success=True)
@blp.doc(operationId="streamEvents", security=TOKEN_OPTIONAL)
def stream_events(query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Stream the events of a match as they happen, by SSE or NDJSON depending on `Accept`.

    The stream ends with the match. It also ends when your token is revoked or you no longer hold the requested seat.
    """
    player = current_player_id()
    now = services().matches.repository.load(match)
    viewing_seat(now, player, query.get("as_"))
    after = parse_last_event_id(headers["last"]) if "last" in headers else query["after"]
    if now.status == "over" and after >= now.ply:
        return Response(status=204)
    return stream_response(match_stream_items(services(), match, player, query.get("as_"), after, bearer_token()))


def parse_last_event_id(text: str) -> int:
    """Return the ply after which a stream resumes. Raises Problem 400."""
    if not DIGITS_PATTERN.fullmatch(text):
        raise Problem(400, "bad_last_event_id", "Last-Event-ID must be the ply of the last event you received.")
    return int(text)


def match_stream_items(
    parts: Services, match: str, player: str | None, wanted: Seat | None, after: int, secret: str | None
) -> Iterator[list[StreamItem]]:
    """Yield the events after a ply as they arrive, and an empty list now and then while there are none.

    Token and seat are checked at every step, because a token may be revoked and a seat left or handed over. Ends with
    the match, with the token, and when the reader loses the requested seat. A client that reconnects gets the reason.
    """
    news: WatcherUpdate | None = None
    with parts.streaming.matches.subscribe(match, secret) as watcher:
        while True:
            if news is None or not news.is_complete_after(after):
                news = None
                with tolerate_outage():
                    news = parts.streaming.matches.read_update(watcher, after)
            if watcher.ended:
                return
            if news is None:
                yield []
                continue
            try:
                seat = viewing_seat(news.match, player, wanted)
            except Problem:
                return
            yield news.items(seat, after)
            if news.match.status == "over":
                return
            after = max(after, news.match.ply)
            news = watcher.wait(POLL_SECONDS) or news


# -- any stream ---------------------------------------------------------------------------------------------------


def stream_response(batches: Iterator[list[StreamItem]]) -> Response:
    """Return a live stream in a format that the client accepts. Raises Problem 406, TooManyStreams, LimitExceeded."""
    form = request.accept_mimetypes.best_match([NDJSON, SSE]) if request.accept_mimetypes else NDJSON
    if form is None:
        raise Problem(406, "not_acceptable", f"Streams are available as {SSE} and {NDJSON}. Accept one of them.")
    return limited_stream_response(sse_body(batches) if form == SSE else ndjson_body(batches), form)


def sse_body(batches: Iterator[list[StreamItem]]) -> Iterator[bytes]:
    """Yield server-sent events, with comments as keepalives."""
    yield b"retry: %d\n\n" % RECONNECT_MILLISECONDS
    for batch in with_keepalives(batches):
        yield b"".join(sse_entry(item) for item in batch) or b":\n\n"


def sse_entry(item: StreamItem) -> bytes:
    """Return one server-sent event. The JSON has no line feeds, so it fits on one line."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (item.id.encode(), item.name.encode(), item.data)


def ndjson_body(batches: Iterator[list[StreamItem]]) -> Iterator[bytes]:
    """Yield one JSON document per line, with empty lines as keepalives."""
    yield b"\n"
    for batch in with_keepalives(batches):
        yield b"".join(item.data + b"\n" for item in batch) or b"\n"


def with_keepalives(batches: Iterator[list[StreamItem]]) -> Iterator[list[StreamItem]]:
    """Yield the batches, but an empty one only after some silence, as a keepalive."""
    last_sent = time.monotonic()
    for batch in batches:
        now = time.monotonic()
        if batch or now - last_sent > KEEPALIVE_SECONDS:
            last_sent = now
            yield batch


@contextmanager
def tolerate_outage(pause: float = 1.0) -> Iterator[None]:
    """Suppress errors of an unavailable log, after a pause. The stream reads again at its next step."""
    try:
        yield
    except (LogUnavailable, RedisError, RedisClusterException):
        time.sleep(pause)
