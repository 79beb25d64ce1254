"""Events of a match: asked for, waited for, or streamed live by SSE and NDJSON."""

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
from service.app_context import services
from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.runtime.concurrency_limits import TooManyStreams, limited_stream_response, stream_limiter
from service.runtime.rate_limits import LimitExceeded
from service.streaming.match_subscriptions import StreamItem, WatcherUpdate

blp = ApiBlueprint("events", "The events of a match, and live streams of them.")

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
MAX_WAIT_SECONDS = 30
POLL_SECONDS = 5.0
"""How often a stream sees whether it has been silent for too long."""
KEEPALIVE_SECONDS = 4.5
"""After so much silence a stream gives a sign of life at its next look."""
RECONNECT_MILLISECONDS = 2000


class EventsQuery(ViewingSeatQuery):
    """Which events, and as whom."""

    after = QueryInteger(load_default=0, metadata={"description": "Only events behind this ply."})


class EventsWaitQuery(EventsQuery):
    """The same, waiting for the next one."""

    wait = QueryInteger(
        most=MAX_WAIT_SECONDS,
        load_default=0,
        metadata={"description": "Seconds to wait for an event if there is none yet."},
    )
    limit = QueryInteger(1, 1000, load_default=1000)


class Events(Struct, frozen=True, kw_only=True):
    """Events in order, and the ply of the match; there are more if the last one's is lower."""

    ply: int
    events: list[AnyEvent]


class ResumeHeaders(InputSchema):
    """Where a stream goes on."""

    last = fields.String(
        data_key="Last-Event-ID", metadata={"description": "The `id` of the last entry received: what follows it."}
    )


class EventsResumeHeaders(InputSchema):
    """Where a stream of events goes on."""

    last = fields.String(
        data_key="Last-Event-ID",
        metadata={"description": "The ply of the last event received: what follows it.", "pattern": "^[0-9]{1,9}$"},
    )


@blp.route("/matches/<match>/events")
@blp.arguments(EventsWaitQuery, location="query")
@blp.response(200, Events)
@blp.doc(operationId="listEvents", security=TOKEN_OPTIONAL)
def list_events(query: dict[str, Any], match: str) -> Response:
    """The events behind a ply, as you may see them now. With `wait`, the answer comes with the next event."""
    player = current_player_id()
    now = services().matches.repository.load(match)
    viewing_seat(now, player, query.get("as_"))
    if query["wait"] and now.ply <= query["after"] and now.status != "over":
        # Who finds no place does not wait, and is answered all the same.
        with suppress(TooManyStreams, LimitExceeded), stream_limiter().hold(request.remote_addr or ""):
            wait_for_event(match, query["after"], query["wait"])
        now = services().matches.repository.load(match)
        require_token_still_valid()
    seat = viewing_seat(now, player, query.get("as_"))
    events = services().matches.repository.visible_events(now, seat, query["after"], query["limit"])
    return json_response(Events(ply=now.ply, events=events))


def wait_for_event(match: str, after: int, seconds: int) -> None:
    """Return when the match is behind `after` no more, or after so many seconds."""
    until = time.monotonic() + seconds
    with services().streaming.matches.subscribe(match) as watcher:
        ply = services().matches.repository.load(match).ply
        while ply <= after and not watcher.ended and (left := until - time.monotonic()) > 0:
            news = watcher.wait(left)
            ply = news.match.ply if news else ply


@blp.route("/matches/<match>/stream")
@blp.arguments(EventsQuery, location="query")
@blp.arguments(EventsResumeHeaders, location="headers")
@blp.response(200, Event, content_type=NDJSON, description="One event a line; by SSE: id = ply, event = kind.")
@blp.alt_response(200, schema={"type": "string"}, content_type=SSE, success=True)
@blp.alt_response(204, description="The match is over and you have everything.", success=True)
@blp.doc(operationId="streamEvents", security=TOKEN_OPTIONAL)
def stream_events(query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """The events of a match as they happen, by SSE or NDJSON as `Accept` says; it ends with the match.

    It also ends when your token is revoked, or the seat that you wanted is yours no more.
    """
    player = current_player_id()
    now = services().matches.repository.load(match)
    viewing_seat(now, player, query.get("as_"))
    after = parse_last_event_id(headers["last"]) if "last" in headers else query["after"]
    if now.status == "over" and after >= now.ply:
        return Response(status=204)
    return stream_response(match_stream_items(services(), match, player, query.get("as_"), after, bearer_token()))


def parse_last_event_id(text: str) -> int:
    """The ply that a stream goes on behind. Raises Problem 400."""
    if not DIGITS_PATTERN.fullmatch(text):
        raise Problem(400, "bad_last_event_id", "Last-Event-ID is the ply of the last event you received.")
    return int(text)


def match_stream_items(
    parts: Services, match: str, player: str | None, wanted: Seat | None, after: int, secret: str | None
) -> Iterator[list[StreamItem]]:
    """The events behind a ply, as they come; an empty list now and then while none does.

    Who reads, and as whom, is asked at each look: a token is revoked, a seat left or handed over. They end with the
    match, with the token, and when the wanted seat may not be read as any more; a client that asks again is told why.
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
    """A live stream in the form that the client accepts. Raises Problem 406, TooManyStreams, TooMany."""
    form = request.accept_mimetypes.best_match([NDJSON, SSE]) if request.accept_mimetypes else NDJSON
    if form is None:
        raise Problem(406, "not_acceptable", f"A stream comes as {SSE} or {NDJSON}; accept one of them.")
    return limited_stream_response(sse_body(batches) if form == SSE else ndjson_body(batches), form)


def sse_body(batches: Iterator[list[StreamItem]]) -> Iterator[bytes]:
    """Server-sent events; a comment is a sign of life."""
    yield b"retry: %d\n\n" % RECONNECT_MILLISECONDS
    for batch in with_keepalives(batches):
        yield b"".join(sse_entry(item) for item in batch) or b":\n\n"


def sse_entry(item: StreamItem) -> bytes:
    """One event as the standard writes it; our JSON has no line feeds."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (item.id.encode(), item.name.encode(), item.data)


def ndjson_body(batches: Iterator[list[StreamItem]]) -> Iterator[bytes]:
    """One JSON document a line; an empty line is a sign of life."""
    yield b"\n"
    for batch in with_keepalives(batches):
        yield b"".join(item.data + b"\n" for item in batch) or b"\n"


def with_keepalives(batches: Iterator[list[StreamItem]]) -> Iterator[list[StreamItem]]:
    """The batches, an empty one only after some silence."""
    spoken = time.monotonic()
    for batch in batches:
        now = time.monotonic()
        if batch or now - spoken > KEEPALIVE_SECONDS:
            spoken = now
            yield batch


@contextmanager
def tolerate_outage(pause: float = 1.0) -> Iterator[None]:
    """A stream outlives the log's absence: what could not be read is read at the next look."""
    try:
        yield
    except (LogUnavailable, RedisError, RedisClusterException):
        time.sleep(pause)
