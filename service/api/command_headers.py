"""The headers of requests that change a match, and of their answers."""

from service.api.fields import IdempotencyKeyHeader, IfMatchHeader
from service.api.responses import etag_header
from service.api.schemas import InputSchema
from service.matches.results import CommandResult


class IdempotencyHeaders(InputSchema):
    """Headers of a request that may be repeated."""

    key = IdempotencyKeyHeader(
        data_key="Idempotency-Key",
        metadata={"description": "1 to 255 printable characters. A repetition with the same key acts once."},
    )


def result_headers(done: CommandResult) -> dict[str, str]:
    """The headers of what a command made."""
    return {**etag_header(done.match.ply), **({"Idempotent-Replayed": "true"} if done.is_repeat else {})}


class CommandHeaders(IdempotencyHeaders):
    """The headers of what changes a match."""

    expected = IfMatchHeader(
        data_key="If-Match",
        metadata={"description": 'The ply that you act upon, in quotes ("12"); at any other: 409.'},
    )
