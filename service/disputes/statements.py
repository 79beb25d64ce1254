"""The statements of disputes. The log has only their digests, so a statement can be erased, but not changed.

A statement is stored after its dispute has been appended to the log, so a refused dispute leaves nothing behind. If the
process dies in between, repeating the request stores the statement.
"""

import hashlib
import unicodedata
from collections.abc import Collection
from typing import Any

from redis import Redis

from service.event_store.keys import statements_key

MAX_STATEMENT_LENGTH = 1000


class InvalidStatement(ValueError):
    """The statement is invalid; the text says why."""


def normalize_statement(text: str) -> str:
    """Return the statement in NFC, stripped, with LF line ends. Raises InvalidStatement."""
    tidy = unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip()
    if not 1 <= len(tidy) <= MAX_STATEMENT_LENGTH:
        raise InvalidStatement(f"Describe what is wrong in 1 to {MAX_STATEMENT_LENGTH} characters.")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cn", "Co") and c != "\n" for c in tidy):
        raise InvalidStatement("The description can't contain control characters. Use plain text.")
    return tidy


def statement_digest(text: str) -> str:
    """Return the SHA-256 of a statement, as stored in the log."""
    return hashlib.sha256(text.encode()).hexdigest()


class DisputeStatements:
    """The statements of all disputes, by match and digest."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def store(self, match: str, text: str) -> str:
        """Store a statement and return its digest. An erased statement stays erased."""
        claim = statement_digest(text)
        self._redis.hsetnx(statements_key(match), claim, text.encode())
        return claim

    def texts(self, match: str, claims: Collection[str]) -> dict[str, str | None]:
        """Return the statements with these digests, in one round trip; None for those that were erased."""
        found = self._redis.hmget(statements_key(match), claims) if claims else ()
        return {claim: words.decode() if words else None for claim, words in zip(claims, found, strict=True)}

    def erase(self, match: str, claim: str) -> None:
        """Erase a statement. The dispute remains, and repeating its request does not restore the statement."""
        self._redis.hset(statements_key(match), claim, b"")
