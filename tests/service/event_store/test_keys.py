"""Match ids and key names."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from service.event_store import keys
from service.event_store.keys import SHARDS, is_match_id, match_id_for, new_match_id, shard_of
from service.event_store.server_accounts import DERIVED_KEYS, MATCH_KEYS, SEED_KEYS

MATCH = "07mzxw6ytboi3dgnbv"


KEYS_OF_A_MATCH = {
    keys.log_key: "log",
    keys.command_key: "cmd",
    keys.seed_key: "seed",
    keys.snapshot_key: "snap",
    keys.verdict_key: "audit",
    keys.statements_key: "claims",
    keys.rematch_key: "rematch",
    keys.withdrawn_invitations_key: "withdrawn",
    keys.orders_key: "orders",
    keys.decisions_key: "bots",
    keys.failed_turns_key: "failed-turns",
    keys.delivery_records_key: "told",
}
KEYS_OF_A_SHARD = {
    keys.feed_key: "feed",
    keys.outbox_key: "agenda",
    keys.attempts_key: "tries",
    keys.ordered_matches_key: "ordered",
    keys.probe_key: "p:probe",
    keys.restart_check_key: "p:restart",
    keys.damaged_matches_key: "p:damaged",
    keys.restart_lock_key: "p:restart-lock",
}
OTHER_KEYS = {
    keys.delivery_lease_key(MATCH, "delivery"): "{ct:07}:telling:delivery",
    keys.projection_key(7, "turns"): "{ct:07}:p:turns",
    keys.player_key("x"): "ct:player:x",
    keys.renamed_key("x"): "ct:renamed:x",
    keys.sanctions_key("x"): "ct:sanctions:x",
    keys.signed_in_key("x"): "ct:signed-in:x",
    keys.tokens_key("x"): "ct:tokens:x",
    keys.token_key("x"): "ct:token:x",
    keys.sessions_key("x"): "ct:sessions:x",
    keys.link_key("x"): "ct:link:x",
    keys.used_link_key("x"): "ct:link-used:x",
    keys.links_key("x"): "ct:links:x",
    keys.contact_key("x"): "ct:contact:x",
    keys.address_key("x"): "ct:address:x",
    keys.outcomes_key("x"): "ct:outcomes:x",
    keys.pending_digest_key("x"): "ct:basket:x",
    keys.last_digest_key("x"): "ct:daily:x",
    keys.digest_lease_key("x"): "ct:daily-lease:x",
    keys.task_key("x"): "ct:errand:x",
    keys.task_lease_key("x"): "ct:errand-lease:x",
    keys.rate_limit_key("moves", "x", 3): "ct:limit:moves:x:3",
    keys.seat_uses_key("left", "x"): "ct:seats:left:x",
    keys.rating_key("mice_cake", "x"): "{ct:r:mice_cake}:x",
    keys.SECRET_KEY: "ct:secret",
    keys.LOG_FORMAT_KEY: "ct:format",
    keys.WAKEUP_CHANNEL: "ct:hint",
    keys.ARBITERS_KEY: "ct:arbiters",
    keys.NAMES_KEY: "ct:names",
    keys.NAMES_VERSION_KEY: "ct:names-version",
    keys.NAMES_LEASE_KEY: "ct:names-lease",
    keys.MODERATORS_KEY: "ct:moderators",
    keys.SANCTIONED_KEY: "ct:sanctioned",
    keys.FOUNDERS_KEY: "ct:founders",
    keys.EXCLUDED_KEY: "ct:excluded",
    keys.MODERATION_LOG_KEY: "ct:moderation-log",
    keys.REPORTS_KEY: "ct:reports",
    keys.OPEN_REPORTS_KEY: "ct:open-reports",
    keys.SIGNING_KEYS_KEY: "ct:notary:keys",
    keys.TASKS_KEY: "ct:errands",
    keys.HEARTBEAT_KEY: "ct:pulse",
    keys.FAILED_JOBS_KEY: "ct:failed-jobs",
    keys.FAILOVER_GUARD_KEY: "ct:failover-guard",
    keys.BACKUPS_KEY: "ct:backups",
    keys.server_runs_key("log"): "ct:server-runs:log",
}
ALL_KEYS = [
    *(key(MATCH) for key in KEYS_OF_A_MATCH),
    *(key(7) for key in KEYS_OF_A_SHARD),
    *OTHER_KEYS,
]


def test_key_names() -> None:
    """Existing logs depend on the names of the keys."""
    assert all(key(MATCH) == f"{{ct:07}}:{name}:{MATCH}" for key, name in KEYS_OF_A_MATCH.items())
    assert all(key(7) == f"{{ct:07}}:{name}" for key, name in KEYS_OF_A_SHARD.items())
    assert all(key == name for key, name in OTHER_KEYS.items())
    assert SHARDS == 64


def test_every_key_is_in_the_lists_above() -> None:
    functions = {name for name in vars(keys) if name.endswith("_key")}
    assert len(functions) + len([name for name in vars(keys) if name.endswith(("_KEY", "_CHANNEL"))]) == len(ALL_KEYS)


@pytest.mark.parametrize("key", ALL_KEYS)
def test_the_accounts_may_use_every_key(key: str) -> None:
    assert any(fnmatchcase(key, pattern) for pattern in (*MATCH_KEYS, *SEED_KEYS, *DERIVED_KEYS))


def test_all_keys_of_a_match_and_its_shard_share_a_hash_slot() -> None:
    names = [*(key(MATCH) for key in KEYS_OF_A_MATCH), *(key(7) for key in KEYS_OF_A_SHARD)]
    names += [keys.projection_key(7, "turns"), keys.delivery_lease_key(MATCH, "delivery")]
    assert len({key_slot(name.encode()) for name in names}) == 1


def test_new_ids_are_well_formed_and_fill_every_shard() -> None:
    ids = {new_match_id() for _ in range(64 * 40)}
    assert len(ids) == 64 * 40
    assert all(map(is_match_id, ids))
    assert {shard_of(match) for match in ids} == set(range(SHARDS))


@given(st.binary(min_size=32, max_size=32))
def test_the_id_for_a_digest_is_well_formed_and_stable(digest: bytes) -> None:
    match = match_id_for(digest)
    assert is_match_id(match)
    assert match == match_id_for(digest)
    assert 0 <= shard_of(match) < SHARDS


def test_the_id_for_a_digest_is_the_same_in_every_release() -> None:
    assert match_id_for(bytes(range(32))) == "00aebagbafaydqqcik"
    assert match_id_for(bytes([255]) * 32) == "637777777777777777"


@given(st.binary(min_size=32, max_size=32), st.integers(1, 10), st.integers(1, 255))
def test_each_of_the_first_eleven_bytes_changes_the_id(digest: bytes, place: int, change: int) -> None:
    other = bytearray(digest)
    other[place] ^= change
    assert match_id_for(bytes(other)) != match_id_for(digest)


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_digest_must_have_32_bytes(length: int) -> None:
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
def test_malformed_match_ids(text: str) -> None:
    assert not is_match_id(text)
    with pytest.raises(ValueError, match="match id"):
        shard_of(text)
