"""Match ids and key names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from service.event_store import keys
from service.event_store.keys import SHARDS, is_match_id, match_id_for, new_match_id, shard_of

MATCH = "07mzxw6ytboi3dgnbv"


def test_key_names() -> None:
    """The names of the keys are a contract with every log that exists."""
    assert keys.log_key(MATCH) == "{ct:07}:log:07mzxw6ytboi3dgnbv"
    assert keys.command_key(MATCH) == "{ct:07}:cmd:07mzxw6ytboi3dgnbv"
    assert keys.seed_key(MATCH) == "{ct:07}:seed:07mzxw6ytboi3dgnbv"
    assert keys.snapshot_key(MATCH) == "{ct:07}:snap:07mzxw6ytboi3dgnbv"
    assert keys.feed_key(7) == "{ct:07}:feed"
    assert keys.projection_key(7, "turns") == "{ct:07}:p:turns"
    assert SHARDS == 64


def test_all_keys_of_a_match_and_its_feed_are_in_one_slot_of_a_cluster() -> None:
    names = [keys.log_key(MATCH), keys.command_key(MATCH), keys.seed_key(MATCH), keys.snapshot_key(MATCH)]
    slots = {key_slot(name.encode()) for name in [*names, keys.feed_key(7), keys.projection_key(7, "turns")]}
    assert len(slots) == 1


def test_new_ids_are_well_formed_and_fill_every_shard() -> None:
    ids = {new_match_id() for _ in range(64 * 40)}
    assert len(ids) == 64 * 40
    assert all(map(is_match_id, ids))
    assert {shard_of(match) for match in ids} == set(range(SHARDS))


@given(st.binary(min_size=32, max_size=32))
def test_the_id_for_a_digest_is_well_formed_and_always_the_same(digest: bytes) -> None:
    match = match_id_for(digest)
    assert is_match_id(match)
    assert match == match_id_for(digest)
    assert 0 <= shard_of(match) < SHARDS


def test_the_id_for_a_digest_is_the_same_in_every_release() -> None:
    assert match_id_for(bytes(range(32))) == "00aebagbafaydqqcik"
    assert match_id_for(bytes([255]) * 32) == "637777777777777777"


@given(st.binary(min_size=32, max_size=32), st.integers(1, 10), st.integers(1, 255))
def test_each_of_the_first_eleven_bytes_counts(digest: bytes, place: int, change: int) -> None:
    other = bytearray(digest)
    other[place] ^= change
    assert match_id_for(bytes(other)) != match_id_for(digest)


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_digest_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        match_id_for(bytes(length))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "07",
        MATCH[:-1],
        MATCH + "a",
        MATCH + "\n",
        MATCH.upper(),
        "64" + MATCH[2:],
        "7a" + MATCH[2:],
        "٠٧" + MATCH[2:],
        MATCH[:-1] + "1",
        MATCH[:-1] + "}",
        MATCH[:-1] + ":",
    ],
)
def test_what_is_no_match_id(text: str) -> None:
    assert not is_match_id(text)
    with pytest.raises(ValueError, match="match id"):
        shard_of(text)
