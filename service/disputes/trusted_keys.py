"""How the signature of a replay file is checked (Ed25519 by `cryptography`), and whose keys are trusted.

It needs no server, so that anybody can check a file anywhere; who signs is in `service.disputes.signing_keys`.
"""

from datetime import datetime

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from replays.signature import SignaturePolicy


class PublicKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is published: `since` when it signs, and until when it did (None: it still does)."""

    key: str
    since: datetime
    until: datetime | None


class KeyList(msgspec.Struct, frozen=True, kw_only=True):
    """What stands at `/.well-known/crumbtrail-key`; the first key is the present one."""

    algorithm: str
    keys: tuple[PublicKey, ...]


def is_valid_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is that key's over the message."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


TRUST_ANY_KEY = SignaturePolicy(is_valid_signature)
"""Takes what any key has signed, and says which."""


class InvalidKeyFile(ValueError):
    """This is not a list of keys."""


def parse_trusted_keys(raw: bytes) -> SignaturePolicy:
    """Trust in the keys of a saved `/.well-known/crumbtrail-key`, and in no others. Raises BadKeyFile."""
    try:
        keys = msgspec.json.decode(raw, type=KeyList).keys
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidKeyFile(f"not a list of keys as /.well-known/crumbtrail-key serves it: {error}") from None
    return SignaturePolicy(is_valid_signature, frozenset(public.key for public in keys), required=True)
