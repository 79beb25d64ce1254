"""The words of disputes. They are people's own, so they stay out of the log, which holds their digest: they can be
erased, and nobody can change them. They are kept once their dispute stands in the log, so that what is refused leaves
nothing; whose process dies in between sends them again with the same request.
"""

import hashlib
import unicodedata
from collections.abc import Collection
from typing import Any

from redis import Redis

from service.event_store.keys import statements_key

MAX_STATEMENT_LENGTH = 1000


class InvalidStatement(ValueError):
    """Words that cannot be a claim."""


def normalize_statement(text: str) -> str:
    """The words in NFC, without spaces around them and with plain line ends. Raises BadClaim."""
    tidy = unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip()
    if not 1 <= len(tidy) <= MAX_STATEMENT_LENGTH:
        raise InvalidStatement(f"Say what is wrong, in 1 to {MAX_STATEMENT_LENGTH} characters.")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cn", "Co") and c != "\n" for c in tidy):
        raise InvalidStatement("A claim is plain text, without control characters.")
    return tidy


def statement_digest(text: str) -> str:
    """SHA-256 of the words, as the log holds it."""
    return hashlib.sha256(text.encode()).hexdigest()


class DisputeStatements:
    """The words of all disputes, by match and digest."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Any = redis

    def store(self, match: str, text: str) -> str:
        """Keep the words of a dispute and give their digest. What was erased stays erased."""
        claim = statement_digest(text)
        self._redis.hsetnx(statements_key(match), claim, text.encode())
        return claim

    def texts(self, match: str, claims: Collection[str]) -> dict[str, str | None]:
        """The words with these digests, in one round trip; None where they were erased."""
        found = self._redis.hmget(statements_key(match), claims) if claims else ()
        return {claim: words.decode() if words else None for claim, words in zip(claims, found, strict=True)}

    def erase(self, match: str, claim: str) -> None:
        """Forget the words; the dispute stays, and a repetition of its request does not bring them back."""
        self._redis.hset(statements_key(match), claim, b"")
