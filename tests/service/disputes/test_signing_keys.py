"""The server's keys: made once, rotated, published, never served whole."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from domain.kernel.registry import find_game
from replays.file import write
from replays.verify import verify
from service.disputes.signing_keys import KEYS, Notary
from service.disputes.trusted_keys import BadKeyFile, read_keys
from service.runtime.clock import SystemClock
from tests.builders import play_match

EVENTS = play_match(find_game("tic_tac_toe"))


@pytest.fixture
def notary(redis: Redis) -> Notary:
    return Notary(redis, SystemClock())


def test_many_processes_that_begin_at_once_make_one_key(redis: Redis) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: Notary(redis, SystemClock()).signer().key, range(24)))
    assert len(keys) == 1
    assert redis.llen(KEYS) == 1


def test_a_new_key_takes_over_and_the_old_one_still_checks_its_files(notary: Notary) -> None:
    # given: a file signed by the first key
    first = notary.signer().key
    old = b"".join(write(EVENTS, notary.signer()))
    # when
    second = notary.rotate().key
    # then
    assert notary.signer().key == second != first
    assert verify(old, notary.trust(required=True)).ok
    assert verify(b"".join(write(EVENTS, notary.signer())), notary.trust(required=True)).ok
    now, before = notary.published().keys
    assert (now.key, now.until, before.key, before.until) == (second, None, first, now.since)


def test_the_published_list_is_what_a_verifier_reads_and_holds_no_secret(notary: Notary, redis: Redis) -> None:
    import msgspec

    raw = msgspec.json.encode(notary.published())
    signed = b"".join(write(EVENTS, notary.signer()))
    assert verify(signed, read_keys(raw)).ok
    secret = msgspec.json.decode(redis.lindex(KEYS, 0))["secret"]
    assert secret.encode() not in raw
    assert secret not in repr(notary.signer())


def test_keys_of_another_server_do_not_do(notary: Notary) -> None:
    theirs = b'{"algorithm":"Ed25519","keys":[{"key":"%s","since":"2026-01-01T00:00:00Z","until":null}]}' % (b"ab" * 32)
    report = verify(b"".join(write(EVENTS, notary.signer())), read_keys(theirs))
    assert report.first is not None
    assert report.first.rule == "signature.key"


@pytest.mark.parametrize("raw", [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b'{"algorithm":"Ed25519","keys":[1]}'])
def test_what_is_no_list_of_keys_is_told_so(raw: bytes) -> None:
    with pytest.raises(BadKeyFile, match="crumbtrail-key"):
        read_keys(raw)
