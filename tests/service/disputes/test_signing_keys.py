"""The server's keys: created once, rotated, and published without their private halves."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from domain.kernel.registry import find_game
from replays.file import encode_replay
from replays.verify import verify
from service.disputes.signing_keys import SigningKeys
from service.disputes.trusted_keys import InvalidKeyFile, parse_trusted_keys
from service.event_store.keys import SIGNING_KEYS_KEY
from service.runtime.clock import SystemClock
from tests.builders import play_match

EVENTS = play_match(find_game("tic_tac_toe"))


@pytest.fixture
def signing_keys(redis: Redis) -> SigningKeys:
    return SigningKeys(redis, SystemClock())


def test_processes_that_start_at_the_same_time_create_one_key(redis: Redis) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: SigningKeys(redis, SystemClock()).current_signer().key, range(24)))
    assert len(keys) == 1
    assert redis.llen(SIGNING_KEYS_KEY) == 1


def test_rotation_introduces_a_key_and_old_files_still_verify(signing_keys: SigningKeys) -> None:
    # given: a file signed by the first key
    first = signing_keys.current_signer().key
    old = b"".join(encode_replay(EVENTS, signing_keys.current_signer()))
    # when
    second = signing_keys.rotate().key
    # then
    assert signing_keys.current_signer().key == second != first
    assert verify(old, signing_keys.trust(required=True)).ok
    assert verify(b"".join(encode_replay(EVENTS, signing_keys.current_signer())), signing_keys.trust(required=True)).ok
    now, before = signing_keys.public_keys().keys
    assert (now.key, now.until, before.key, before.until) == (second, None, first, now.since)


def test_the_published_keys_verify_files_and_contain_no_secret(signing_keys: SigningKeys, redis: Redis) -> None:
    import msgspec

    raw = msgspec.json.encode(signing_keys.public_keys())
    signed = b"".join(encode_replay(EVENTS, signing_keys.current_signer()))
    assert verify(signed, parse_trusted_keys(raw)).ok
    secret = msgspec.json.decode(redis.lindex(SIGNING_KEYS_KEY, 0))["secret"]
    assert secret.encode() not in raw
    assert secret not in repr(signing_keys.current_signer())


def test_keys_of_another_server_are_not_trusted(signing_keys: SigningKeys) -> None:
    theirs = b'{"algorithm":"Ed25519","keys":[{"key":"%s","since":"2026-01-01T00:00:00Z","until":null}]}' % (b"ab" * 32)
    report = verify(b"".join(encode_replay(EVENTS, signing_keys.current_signer())), parse_trusted_keys(theirs))
    assert report.first is not None
    assert report.first.rule == "signature.key"


@pytest.mark.parametrize("raw", [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"algorithm":"Ed25519","keys":[1]}'])
def test_an_invalid_key_file_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidKeyFile, match="crumbtrail-key"):
        parse_trusted_keys(raw)
