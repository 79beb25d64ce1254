"""The headers of requests that change a match, and of their answers."""

from service.api.fields import IdempotencyKeyHeader, IfMatchHeader
from service.api.responses import etag_header
from service.api.schemas import InputSchema
from service.matches.results import CommandResult


class IdempotencyHeaders(InputSchema):
    """Headers of a request that can safely be repeated."""

    key = IdempotencyKeyHeader(
        data_key="Idempotency-Key",
        metadata={
            "description": "1 to 255 printable ASCII characters. A request repeated with this key takes effect once."
        },
    )


def result_headers(done: CommandResult) -> dict[str, str]:
    """Return the headers of the answer to a command."""
    return {**etag_header(done.match.ply), **({"Idempotent-Replayed": "true"} if done.is_repeat else {})}


class CommandHeaders(IdempotencyHeaders):
    """Headers of a request that changes a match."""

    expected = IfMatchHeader(
        data_key="If-Match",
        metadata={"description": 'The ply you expect, in quotes ("12"). At any other ply, the request gets a 409.'},
    )
