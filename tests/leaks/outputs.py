"""All the ways in which a secret could have been written down, and where in some bytes one of them stands."""

import base64
import zlib
from collections.abc import Callable, Iterator

SHORTEST = 16
"""Characters of an encoding that must stand together to count as found."""


def encodings(secret: bytes) -> dict[str, bytes]:
    """The secret as bytes, hex, decimal number, base64 (both alphabets) and base32 at every alignment."""
    found = {
        "raw": secret,
        "hex": secret.hex().encode(),
        "HEX": secret.hex().upper().encode(),
        "number": str(int.from_bytes(secret, "big")).encode(),
        "bytes": repr(secret)[2:-1].encode(),
        "list": ",".join(map(str, secret)).encode(),
        "spaced list": ", ".join(map(str, secret)).encode(),
    }
    for name, encode, bits, steps in (
        ("base64", base64.b64encode, 6, 3),
        ("base64url", base64.urlsafe_b64encode, 6, 3),
        ("base32", base64.b32encode, 5, 5),
        ("base32 small", lambda raw: base64.b32encode(raw).lower(), 5, 5),
    ):
        found |= {f"{name} at {shift}": encoded_at_offset(secret, encode, bits, shift) for shift in range(steps)}
    assert all(len(written) >= SHORTEST for written in found.values())
    return found


def encoded_at_offset(secret: bytes, encode: Callable[[bytes], bytes], bits: int, shift: int) -> bytes:
    """What stands in an encoding of something longer, in which the secret begins `shift` bytes from a boundary.

    The first and last characters, which hold bits of something else as well, are left out.
    """
    written = encode(b"\0" * shift + secret).rstrip(b"=")
    return written[-(-8 * shift // bits) : 8 * (shift + len(secret)) // bits]


def unpacked(raw: bytes) -> Iterator[bytes]:
    """The bytes, and what they are packed from where they are packed."""
    yield raw
    try:
        yield zlib.decompress(raw)
    except zlib.error:
        return


def find_encodings(secret: bytes, raw: bytes) -> list[str]:
    """In which writings the secret stands in these bytes."""
    return [name for name, written in encodings(secret).items() if any(written in part for part in unpacked(raw))]
