"""Checks the signatures of replay files (Ed25519, from `cryptography`) against trusted keys.

This needs no server, so anyone can check a file anywhere. `service.disputes.signing_keys` creates signatures.
"""

from datetime import datetime

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from replays.signature import SignaturePolicy


class PublicKey(msgspec.Struct, frozen=True, kw_only=True):
    """A published key, and the period in which it signed; `until` is None for the current key."""

    key: str
    since: datetime
    until: datetime | None


class KeyList(msgspec.Struct, frozen=True, kw_only=True):
    """The document at `/.well-known/crumbtrail-key`. The first key is the current one."""

    algorithm: str
    keys: tuple[PublicKey, ...]


def is_valid_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether this is a valid signature of the message by this key."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


TRUST_ANY_KEY = SignaturePolicy(is_valid_signature)
"""Accepts signatures by any key and reports which key signed."""


class InvalidKeyFile(ValueError):
    """The file is not a list of keys."""


def parse_trusted_keys(raw: bytes) -> SignaturePolicy:
    """Return a policy that trusts only the keys of a saved `/.well-known/crumbtrail-key`. Raises InvalidKeyFile."""
    try:
        keys = msgspec.json.decode(raw, type=KeyList).keys
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidKeyFile(f"this is not a saved /.well-known/crumbtrail-key: {error}") from None
    return SignaturePolicy(is_valid_signature, frozenset(public.key for public in keys), required=True)
