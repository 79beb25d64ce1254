"""The signature of a replay file: the bytes that are signed, and the policy for checking them. Pure.

Ed25519 (RFC 8032). The key signs `crumbtrail/` with the format's name, the header line and the closing line without its
signature, each followed by a line feed. The head hash in the closing line covers all events. Signing and checking need
a library, so callers pass them in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from domain.kernel.hash_chain import canonical_json

CONTEXT = b"crumbtrail/"
KEY_DIGITS = 64
SIGNATURE_DIGITS = 128
HEX_DIGITS = frozenset("0123456789abcdef")


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An Ed25519 signature and its public key, both in lower-case hex."""

    key: str
    value: str


class Signer(Protocol):
    """Signs with a private key."""

    @property
    def key(self) -> str:
        """The public key in hex."""

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""


@dataclass(frozen=True)
class SignaturePolicy:
    """How a verification treats signatures.

    `check(key, message, signature)` returns whether the signature is valid. `keys` are the known keys. If `required`,
    one of them must have signed; otherwise any key is accepted, and the report says whether it is known.
    """

    check: Callable[[bytes, bytes, bytes], bool]
    keys: frozenset[str] = frozenset()
    required: bool = False


def signed_bytes(header: Any, closing: Any) -> bytes:
    """Return the bytes to sign: context, header and the closing line without its signature."""
    format_name: str = header.crumbtrail
    return CONTEXT + b"\n".join([format_name.encode(), canonical_json(header), canonical_json(closing), b""])


def sign_replay(signer: Signer, header: Any, closing: Any) -> Signature:
    """Return the signature of a file with this header and closing line (without signature)."""
    return Signature(key=signer.key, value=signer.sign(signed_bytes(header, closing)).hex())


def is_hex(text: str, digits: int) -> bool:
    """Return whether a text consists of this number of lower-case hexadecimal digits."""
    return len(text) == digits and HEX_DIGITS.issuperset(text)
