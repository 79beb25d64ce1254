"""The signature of a replay file's closing line: what is signed, and what a reader needs to check it. Pure.

Ed25519 (RFC 8032). The key signs `crumbtrail/` with the format's name, the header line and the closing line without its
signature, each ended by a line feed: the head hash in the closing line stands for all events. Making and checking the
bytes of a signature is handed in, since it takes a library.
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
    """An Ed25519 signature in lower-case hex, with the public key that checks it."""

    key: str
    value: str


class Signer(Protocol):
    """Holds a private key. `key` is the public one in hex."""

    @property
    def key(self) -> str:
        """The public key in hex."""

    def sign(self, message: bytes) -> bytes:
        """The signature of a message, 64 bytes."""


@dataclass(frozen=True)
class SignaturePolicy:
    """How a verification treats signatures.

    `check` (key, message, signature) says whether the signature is that key's over that message. `keys` are known;
    with `required` one of them must have signed, otherwise any key is taken and the report says whether it is known.
    """

    check: Callable[[bytes, bytes, bytes], bool]
    keys: frozenset[str] = frozenset()
    required: bool = False


def signed_bytes(header: Any, closing: Any) -> bytes:
    """What is signed: context, header and the closing line without its signature."""
    format_name: str = header.crumbtrail
    return CONTEXT + b"\n".join([format_name.encode(), canonical_json(header), canonical_json(closing), b""])


def sign_replay(signer: Signer, header: Any, closing: Any) -> Signature:
    """The signature of a file with this header and closing line (which has no signature yet)."""
    return Signature(key=signer.key, value=signer.sign(signed_bytes(header, closing)).hex())


def is_hex(text: str, digits: int) -> bool:
    """Whether a text is so many lower-case hexadecimal digits."""
    return len(text) == digits and HEX_DIGITS.issuperset(text)
