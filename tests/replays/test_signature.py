"""The signature of a replay file, made with a real key and checked with a real library."""

import json
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.chance import Fast
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import find_game
from domain.match.history import fold
from replays.file import encode_replay
from replays.report import Divergence, Report
from replays.signature import CONTEXT, SignaturePolicy
from replays.verify import verify
from service.disputes.signing_keys import KeySigner, StoredKey
from service.disputes.trusted_keys import TRUST_ANY_KEY, is_valid_signature
from tests.builders import EPOCH, play_match, sit_down

SINCE: datetime = EPOCH
SIGNER = KeySigner(StoredKey(secret="11" * 32, since=SINCE))
OTHER = KeySigner(StoredKey(secret="22" * 32, since=SINCE))
GAME = find_game("tic_tac_toe")
EVENTS = play_match(GAME)
SIGNED = b"".join(encode_replay(EVENTS, SIGNER))
OURS = SignaturePolicy(is_valid_signature, frozenset({SIGNER.key}), required=True)


def layer(raw: bytes, trust: SignaturePolicy | None) -> tuple[Report, str, str, Divergence | None]:
    report = verify(raw, trust)
    found = next(each for each in report.layers if each.name == "signature")
    return report, found.status, found.sentence, found.divergence


def with_signature(**fields: str) -> bytes:
    *lines, last = SIGNED.splitlines()
    closing = json.loads(last)
    closing["signature"] |= fields
    return b"\n".join([*lines, canonical_json(closing)]) + b"\n"


def test_a_signed_file_verifies_and_names_its_key() -> None:
    report, status, sentence, _ = layer(SIGNED, OURS)
    assert (report.ok, status) == (True, "ok")
    assert SIGNER.key[:16] in sentence
    assert "a known key" in sentence


def test_the_signature_covers_header_and_closing_line() -> None:
    header, *_, last = SIGNED.splitlines()
    closing = json.loads(last)
    signature = closing.pop("signature")
    signed = CONTEXT + b"replay/v3\n" + header + b"\n" + canonical_json(closing) + b"\n"
    assert is_valid_signature(bytes.fromhex(signature["key"]), signed, bytes.fromhex(signature["value"]))
    assert not is_valid_signature(bytes.fromhex(signature["key"]), signed + b"\n", bytes.fromhex(signature["value"]))


def test_signing_twice_gives_the_same_bytes() -> None:
    assert b"".join(encode_replay(EVENTS, SIGNER)) == SIGNED


def test_a_signature_only_adds_one_field() -> None:
    unsigned = b"".join(encode_replay(EVENTS))
    assert SIGNED.splitlines()[:-1] == unsigned.splitlines()[:-1]
    closing = json.loads(SIGNED.splitlines()[-1])
    del closing["signature"]
    assert canonical_json(closing) == unsigned.splitlines()[-1]


def test_an_unsigned_file_is_reported_and_refused_where_a_signature_is_required() -> None:
    unsigned = b"".join(encode_replay(EVENTS))
    report, status, sentence, _ = layer(unsigned, TRUST_ANY_KEY)
    assert (report.ok, status) == (True, "not_checked")
    assert "not signed" in sentence
    report, _, _, divergence = layer(unsigned, OURS)
    assert divergence is not None
    assert (report.ok, divergence.rule, divergence.line) == (False, "signature.missing", len(EVENTS) + 2)


def test_a_file_signed_with_another_key_is_found() -> None:
    foreign = b"".join(encode_replay(EVENTS, OTHER))
    _, _, _, divergence = layer(foreign, OURS)
    assert divergence is not None
    assert (divergence.rule, divergence.found) == ("signature.key", OTHER.key)


@pytest.mark.parametrize(
    "trust",
    [TRUST_ANY_KEY, SignaturePolicy(is_valid_signature, frozenset({SIGNER.key}))],
    ids=["no key", "another key"],
)
def test_a_signature_by_an_unknown_key_is_not_reported_as_checked(trust: SignaturePolicy) -> None:
    # given: a file that anyone could have signed again
    foreign = b"".join(encode_replay(EVENTS, OTHER))
    # when
    report, status, sentence, _ = layer(foreign, trust)
    # then: the file is correct but its origin is unknown, and the verdict says so
    assert (report.verdict, status) == ("verified", "partly")
    assert OTHER.key in sentence
    assert "The owner of the key was not checked" in sentence
    assert report.as_text().splitlines()[-1].endswith("Its origin was not checked.")


def test_a_replaced_key_is_found() -> None:
    for trust in (TRUST_ANY_KEY, OURS):
        _, _, _, divergence = layer(with_signature(key=OTHER.key), trust)
        assert divergence is not None
        assert divergence.rule == "signature.value"


def test_the_signature_of_another_match_is_found() -> None:
    other = b"".join(encode_replay(play_match(GAME, match="m01other"), SIGNER))
    stolen = json.loads(other.splitlines()[-1])["signature"]
    _, _, _, divergence = layer(with_signature(**stolen), OURS)
    assert divergence is not None
    assert divergence.rule == "signature.value"


@pytest.mark.parametrize(
    "fields", [{"key": ""}, {"key": "AB" * 32}, {"value": "ab" * 63}, {"value": "xy" * 64}, {"value": "é" * 128}]
)
def test_a_malformed_signature_is_always_found(fields: dict[str, str]) -> None:
    for trust in (None, TRUST_ANY_KEY):
        _, _, _, divergence = layer(with_signature(**fields), trust)
        assert divergence is not None
        assert divergence.rule == "signature.form"


@pytest.mark.parametrize("key", ["00" * 32, "ff" * 32, "01" + "00" * 31])
def test_a_key_that_is_not_on_the_curve_is_invalid(key: str) -> None:
    assert not verify(with_signature(key=key), TRUST_ANY_KEY).ok


def test_every_changed_digit_of_a_signature_is_found() -> None:
    start = SIGNED.rindex(b'"signature"')
    for at in range(start, len(SIGNED)):
        changed = bytes([*SIGNED[:at], SIGNED[at] ^ 1, *SIGNED[at + 1 :]])
        report = verify(changed, TRUST_ANY_KEY)
        assert report.first is not None, at
        assert report.first.line == len(EVENTS) + 2


def test_the_public_part_of_a_running_match_is_signed() -> None:
    table = sit_down(GAME)
    raw = b"".join(encode_replay(table.events, SIGNER))
    report, status, _, _ = layer(raw, OURS)
    assert (report.verdict, status) == ("unfinished", "ok")
    assert fold(table.events).head_hash.encode() in raw.splitlines()[-1]


@settings(max_examples=25)
@given(st.binary(max_size=80), st.integers(0, 2**32))
def test_no_bytes_make_the_check_raise(junk: bytes, seed: int) -> None:
    chance = Fast(seed)
    key = bytes(chance.below(256) for _ in range(32))
    assert not is_valid_signature(key, junk, junk[:64])
    assert not is_valid_signature(junk, b"", bytes(64))
