"""The layer `signature`: whether the closing line is signed, by which key, and whether the signature is valid."""

from msgspec import UNSET
from msgspec.structs import replace

from replays.report import Layer, divergence_error
from replays.signature import KEY_DIGITS, SIGNATURE_DIGITS, is_hex, signed_bytes
from replays.verify.case import Case


def check_signature(case: Case) -> list[Layer]:
    """Check the signature of the closing line under the policy `case.trust`."""
    closing, trust = case.file.closing, case.trust
    line = len(case.events) + 2
    found = closing.signature
    if found is UNSET:
        if trust is not None and trust.required:
            wanted = "a signature by a trusted key"
            raise divergence_error(line, "signature.missing", wanted, "none", "The file is not signed.")
        sentence = "The file is not signed, so its origin cannot be checked."
        return [Layer("signature", "not_checked", sentence)]
    for name, digits in (("key", KEY_DIGITS), ("value", SIGNATURE_DIGITS)):
        text = getattr(found, name)
        if not is_hex(text, digits):
            wanted = f"{digits} lower-case hexadecimal digits"
            raise divergence_error(
                line, "signature.form", wanted, text, f"The signature's `{name}` is not well-formed."
            )
    if trust is None:
        sentence = f"Signed by key {found.key[:16]}...; the signature was not checked."
        return [Layer("signature", "not_checked", sentence)]
    signed = signed_bytes(case.file.header, replace(closing, signature=UNSET))
    if not trust.check(bytes.fromhex(found.key), signed, bytes.fromhex(found.value)):
        wanted, sentence = f"a signature by key {found.key}", "The signature is not valid for this key and this file."
        raise divergence_error(line, "signature.value", wanted, found.value, sentence)
    if found.key in trust.keys:
        return [Layer("signature", "ok", f"Signed by key {found.key[:16]}..., a known key.")]
    if trust.required:
        wanted = " or ".join(sorted(trust.keys)) or "a trusted key"
        raise divergence_error(
            line, "signature.key", wanted, found.key, "The file is signed by a key that is not trusted."
        )
    sentence = f"Signed by key {found.key}. The owner of the key was not checked; servers publish their keys."
    return [Layer("signature", "partly", sentence)]
