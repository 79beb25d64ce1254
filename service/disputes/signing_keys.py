"""The keys that sign this server's replay files (Ed25519, from `cryptography`).

The private keys are stored next to the log, where every process of the service can read them, and are never served.
`crumbtrail keys rotate` introduces a new key. All public keys stay published, so that older files can still be
checked. A signature covers the closing line (see `replays.signature`).
"""

from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from redis import Redis
from redis.exceptions import WatchError

from replays.signature import SignaturePolicy
from service.disputes.trusted_keys import KeyList, PublicKey, is_valid_signature
from service.event_store.keys import SIGNING_KEYS_KEY
from service.runtime.clock import Clock


class StoredKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key with its private half."""

    secret: str
    since: datetime


class KeySigner:
    """Signs with one private key."""

    def __init__(self, stored: StoredKey) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(stored.secret))

    def __repr__(self) -> str:
        return f"KeySigner({self.key})"

    @cached_property
    def key(self) -> str:
        """Return the public key in hex."""
        return self._private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return self._private.sign(message)


class SigningKeys:
    """The service's keys. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis: Any = redis
        self._clock = clock

    def current_signer(self) -> KeySigner:
        """Return the current signer. The first key of a service is created when it is first needed."""
        return KeySigner(self._stored_keys()[0])

    def public_keys(self) -> KeyList:
        """Return all public keys, the current one first."""
        stored = self._stored_keys()
        ends = [None, *(key.since for key in stored)]
        keys = (
            PublicKey(key=KeySigner(key).key, since=key.since, until=until)
            for key, until in zip(stored, ends, strict=False)
        )
        return KeyList(algorithm="Ed25519", keys=tuple(keys))

    def trust(self, required: bool = False) -> SignaturePolicy:
        """Return a policy that knows the keys of this service; with `required`, it accepts no other signatures."""
        return SignaturePolicy(
            is_valid_signature, frozenset(public.key for public in self.public_keys().keys), required
        )

    def rotate(self) -> KeySigner:
        """Create a key, make it the current one and return its signer."""
        new = self._new_key()
        self._redis.lpush(SIGNING_KEYS_KEY, msgspec.json.encode(new))
        return KeySigner(new)

    def _stored_keys(self) -> list[StoredKey]:
        found = self._redis.lrange(SIGNING_KEYS_KEY, 0, -1)
        if not found:
            self._create_first_key()
            found = self._redis.lrange(SIGNING_KEYS_KEY, 0, -1)
        return [msgspec.json.decode(raw, type=StoredKey) for raw in found]

    def _create_first_key(self) -> None:
        """Create the first key, unless another process creates it at the same time."""
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.watch(SIGNING_KEYS_KEY)
            if pipeline.exists(SIGNING_KEYS_KEY):
                return
            pipeline.multi()
            pipeline.lpush(SIGNING_KEYS_KEY, msgspec.json.encode(self._new_key()))
            try:
                pipeline.execute()
            except WatchError:
                return

    def _new_key(self) -> StoredKey:
        return StoredKey(secret=Ed25519PrivateKey.generate().private_bytes_raw().hex(), since=self._clock.now())
