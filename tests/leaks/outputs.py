"""The encodings in which a secret could be written, and a search for them in bytes."""

import base64
import zlib
from collections.abc import Callable, Iterator

SHORTEST = 16
"""Minimum length of an encoding that is searched for, in characters."""


def encodings(secret: bytes) -> dict[str, bytes]:
    """Return the secret as bytes, hex, decimal number, base64 (both alphabets) and base32 at every alignment."""
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
    """Return the part of an encoding that shows the secret when it starts `shift` bytes after a boundary.

    The first and last characters are left out, as they also encode bits of neighbouring bytes.
    """
    written = encode(b"\0" * shift + secret).rstrip(b"=")
    return written[-(-8 * shift // bits) : 8 * (shift + len(secret)) // bits]


def unpacked(raw: bytes) -> Iterator[bytes]:
    """Yield the bytes and, if they are compressed, the decompressed bytes."""
    yield raw
    try:
        yield zlib.decompress(raw)
    except zlib.error:
        return


def find_encodings(secret: bytes, raw: bytes) -> list[str]:
    """Return the names of the encodings of the secret that occur in these bytes."""
    return [name for name, written in encodings(secret).items() if any(written in part for part in unpacked(raw))]
