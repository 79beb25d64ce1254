"""Live updates for an open page: a stream that carries only the current ply of a match."""

from collections.abc import Iterator

from flask import Response, request

from service.app_context import limited_stream_response, services
from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.web.blueprint import web
from service.web.forms import parse_number

KEEPALIVE_SECONDS = 15.0
"""Seconds between heartbeats on an idle stream, which also detect closed connections."""
RECONNECT_MILLISECONDS = 2000


@web.get("/matches/<match>/live")
def live(match: str) -> Response:
    """Stream updates as Server-Sent Events, starting after the ply in `Last-Event-ID` or else in `?after=`."""
    head = services().matches.repository.load(match)
    after = parse_number(request.headers.get("Last-Event-ID")) or parse_number(request.args.get("after")) or 0
    return limited_stream_response(ply_stream(services(), head.id, after), "text/event-stream")


def ply_stream(parts: Services, match: str, after: int) -> Iterator[str]:
    """Yield a message each time the match reaches a new ply, and a last one when it is over."""
    yield f"retry: {RECONNECT_MILLISECONDS}\n\n"
    with parts.streaming.matches.subscribe(match) as watcher:
        try:
            head = parts.matches.repository.load(match)
        except LogUnavailable:
            return  # the browser reconnects
        while not watcher.ended:
            if head.ply > after:
                after = head.ply
                yield f"id: {after}\nevent: ply\ndata: {after}\n\n"
            if head.status == "over":
                yield "event: over\ndata: the match is over\n\n"
                return
            news = watcher.wait(KEEPALIVE_SECONDS)
            if news is None:
                yield ": still here\n\n"
            else:
                head = news.match
