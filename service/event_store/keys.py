"""Match ids, and the names of all keys of the service on the log server.

A match id is its shard (two digits, 00 to 63) followed by 80 random bits as 16 lower-case base32 characters:
`07mzxw6ytboi3dgnbv`. All keys of a match and the feed of its shard have the same hash tag, here `{ct:07}`, so one
script can use them all even in a cluster. Every id depends on the number of shards, so that number never changes.
"""

import re
import secrets
from base64 import b32encode
from functools import lru_cache

SHARDS = 64
DIGEST_BYTES = 32
_RANDOM_BYTES = 10
_MATCH_ID = re.compile(r"(?:[0-5][0-9]|6[0-3])[a-z2-7]{16}", re.ASCII)


def new_match_id() -> str:
    """Return a random match id that cannot be guessed."""
    return _compose(secrets.randbelow(SHARDS), secrets.token_bytes(_RANDOM_BYTES))


def match_id_for(digest: bytes) -> str:
    """Return the match id derived from a digest of 32 bytes. Raises ValueError for another length.

    The id reveals part of the digest. Derive the digest from a secret if the id must not be guessable.
    """
    if len(digest) != DIGEST_BYTES:
        raise ValueError(f"A digest must have {DIGEST_BYTES} bytes, not {len(digest)}.")
    return _compose(digest[0] % SHARDS, digest[1 : 1 + _RANDOM_BYTES])


def _compose(shard: int, random: bytes) -> str:
    return f"{shard:02}{b32encode(random).decode().lower()}"


def is_match_id(text: str) -> bool:
    """Return whether the text is a well-formed match id. The match need not exist."""
    return _MATCH_ID.fullmatch(text) is not None


def shard_of(match: str) -> int:
    """Return the shard of a match, 0 to 63. Raises ValueError if the text is not a match id."""
    if not is_match_id(match):
        raise ValueError("A match id is two digits from 00 to 63 and 16 characters from a to z and 2 to 7.")
    return int(match[:2])


def hash_tag(shard: int) -> str:
    """Return the hash tag of all keys in a shard."""
    return f"{{ct:{shard:02}}}"


@lru_cache(maxsize=4096)
def _hash_tag_of(match: str) -> str:
    return hash_tag(shard_of(match))


# -- keys of a match -------------------------------------------------------------------------------------------------


def log_key(match: str) -> str:
    """Stream: the match's events, with entry ids `<ply>-0`."""
    return f"{_hash_tag_of(match)}:log:{match}"


def command_key(match: str) -> str:
    """Hash: the match's commands, from command id to `first:last:payload`."""
    return f"{_hash_tag_of(match)}:cmd:{match}"


def seed_key(match: str) -> str:
    """String: the match's secret seed, in hex."""
    return f"{_hash_tag_of(match)}:seed:{match}"


def snapshot_key(match: str) -> str:
    """Hash: the match's newest snapshot."""
    return f"{_hash_tag_of(match)}:snap:{match}"


def verdict_key(match: str) -> str:
    """String: the verdict of the match's audit, in JSON."""
    return f"{_hash_tag_of(match)}:audit:{match}"


def statements_key(match: str) -> str:
    """Hash: the statements in the match's disputes, by digest."""
    return f"{_hash_tag_of(match)}:claims:{match}"


def rematch_key(match: str) -> str:
    """String: the rematch of the match."""
    return f"{_hash_tag_of(match)}:rematch:{match}"


def withdrawn_invitations_key(match: str) -> str:
    """Hash: how often the invitation to each seat was withdrawn."""
    return f"{_hash_tag_of(match)}:withdrawn:{match}"


def orders_key(match: str) -> str:
    """Hash: the standing orders of all seats."""
    return f"{_hash_tag_of(match)}:orders:{match}"


def decisions_key(match: str) -> str:
    """Hash: the decision notes of house bots."""
    return f"{_hash_tag_of(match)}:bots:{match}"


def failed_turns_key(match: str) -> str:
    """Hash: how often a bot's turn or an audit has failed."""
    return f"{_hash_tag_of(match)}:failed-turns:{match}"


def delivery_records_key(match: str) -> str:
    """Hash: the completed deliveries about the match, which are not repeated."""
    return f"{_hash_tag_of(match)}:told:{match}"


def delivery_lease_key(match: str, delivery: str) -> str:
    """String: the lease of the worker that makes a delivery."""
    return f"{_hash_tag_of(match)}:telling:{delivery}"


# -- keys of a shard -------------------------------------------------------------------------------------------------


def feed_key(shard: int) -> str:
    """Stream: announces every append of the shard, with entry ids `<position>-0` without gaps."""
    return f"{hash_tag(shard)}:feed"


def projection_key(shard: int, name: str) -> str:
    """A projection's key in the shard. `name` may contain further colons."""
    return f"{hash_tag(shard)}:p:{name}"


def outbox_key(shard: int) -> str:
    """Sorted set: the shard's deliveries, by due time."""
    return f"{hash_tag(shard)}:agenda"


def attempts_key(shard: int) -> str:
    """Hash: the failed attempts at deliveries of the shard."""
    return f"{hash_tag(shard)}:tries"


def ordered_matches_key(shard: int) -> str:
    """Sorted set: the matches with standing orders, by the last ply checked."""
    return f"{hash_tag(shard)}:ordered"


def probe_key(shard: int) -> str:
    """String: the time of the last readiness check, in milliseconds. Proves that the shard's primary accepts writes."""
    return f"{hash_tag(shard)}:p:probe"


def restart_check_key(shard: int) -> str:
    """Hash: `run`, the run id of the primary that was last checked, and `position`, up to which of the feed the
    append-only file had been rewritten."""
    return f"{hash_tag(shard)}:p:restart"


def damaged_matches_key(shard: int) -> str:
    """Hash: the damaged matches, each with what is wrong in JSON."""
    return f"{hash_tag(shard)}:p:damaged"


def restart_lock_key(shard: int) -> str:
    """String: the lease of the process that checks the shard's primary after a restart: its run id, and a token."""
    return f"{hash_tag(shard)}:p:restart-lock"


# -- keys of a player ------------------------------------------------------------------------------------------------


def player_key(player: str) -> str:
    """String: the record of a player, in JSON."""
    return f"ct:player:{player}"


def renamed_key(player: str) -> str:
    """String: why a player's name was changed for them, in JSON, until they have read it."""
    return f"ct:renamed:{player}"


def sanctions_key(player: str) -> str:
    """Hash: what a player may not do, by kind, in JSON."""
    return f"ct:sanctions:{player}"


def signed_in_key(hashed: str) -> str:
    """String: the player who signed in with a link a short time ago, by the hash of the session's secret."""
    return f"ct:signed-in:{hashed}"


def tokens_key(player: str) -> str:
    """Hash: a player's tokens, by id."""
    return f"ct:tokens:{player}"


def token_key(hashed: str) -> str:
    """String: a token, by the hash of its secret."""
    return f"ct:token:{hashed}"


def sessions_key(player: str) -> str:
    """Sorted set: a player's sessions, by start time."""
    return f"ct:sessions:{player}"


def link_key(hashed: str) -> str:
    """String: a magic link, by the hash of its token."""
    return f"ct:link:{hashed}"


def used_link_key(hashed: str) -> str:
    """String: the hashed id of the browser that used the link, if it was used."""
    return f"ct:link-used:{hashed}"


def links_key(owner: str) -> str:
    """Set: the magic links sent for a player, or to an address given by its hash."""
    return f"ct:links:{owner}"


def contact_key(player: str) -> str:
    """Hash: a player's address, preferences and webhook."""
    return f"ct:contact:{player}"


def address_key(hashed: str) -> str:
    """String: the player who has an address, by the hash of the address."""
    return f"ct:address:{hashed}"


def outcomes_key(player: str) -> str:
    """Hash: the outcomes of the player's last email and last webhook call."""
    return f"ct:outcomes:{player}"


def pending_digest_key(player: str) -> str:
    """Set: the deliveries waiting for the player's next daily digest."""
    return f"ct:basket:{player}"


def last_digest_key(player: str) -> str:
    """String: the player's last daily digest."""
    return f"ct:daily:{player}"


def digest_lease_key(player: str) -> str:
    """String: the lease of the worker that sends the daily digest."""
    return f"ct:daily-lease:{player}"


# -- keys of the service ---------------------------------------------------------------------------------------------

SECRET_KEY = "ct:secret"  # noqa: S105 -- the name of a key
"""String: the secret shared by all processes."""
LOG_FORMAT_KEY = "ct:format"
"""String: the newest format that a release has written to the log."""
WAKEUP_CHANNEL = "ct:hint"
"""The channel on which every append is announced."""
ARBITERS_KEY = "ct:arbiters"
"""Set: the players who are arbiters."""
NAMES_KEY = "ct:names"
"""Hash: the player who has a name, by the skeleton of the name."""
NAMES_VERSION_KEY = "ct:names-version"
"""String: the version of the skeletons by which all names were made unique."""
MODERATORS_KEY = "ct:moderators"
"""Set: the players who are moderators."""
SANCTIONED_KEY = "ct:sanctioned"
"""Set: the players with sanctions, including expired ones."""
FOUNDERS_KEY = "ct:founders"
"""Set: the players from whom trust in ratings begins, named by the operator."""
EXCLUDED_KEY = "ct:excluded"
"""Set: the players whose results count for nobody, because they were banned for cheating."""
MODERATION_LOG_KEY = "ct:moderation-log"
"""List: what moderators did, newest first, in JSON."""
REPORTS_KEY = "ct:reports"
"""Hash: the reports of players, in JSON, by id."""
OPEN_REPORTS_KEY = "ct:open-reports"
"""Sorted set: the reports that no moderator has closed, by time."""
NAMES_LEASE_KEY = "ct:names-lease"
"""String: the lease of the process that makes the names unique."""
SIGNING_KEYS_KEY = "ct:notary:keys"
"""List: the keys that sign replay files, newest first."""
TASKS_KEY = "ct:errands"
"""Sorted set: the one-off tasks, by due time."""
HEARTBEAT_KEY = "ct:pulse"
"""String: the last heartbeat of a dispatcher."""
FAILED_JOBS_KEY = "ct:failed-jobs"
"""Hash: the number of failed jobs of each kind."""
FAILOVER_GUARD_KEY = "ct:failover-guard"
"""String: the last sign of life of a failover guard, in seconds since 1970. It expires."""
BACKUPS_KEY = "ct:backups"
"""Hash: the time of each log server's last backup, in seconds since 1970."""


def server_runs_key(server: str) -> str:
    """Set: the run ids of the servers seen at this address. A restart or a failover adds one."""
    return f"ct:server-runs:{server}"


def task_key(task: str) -> str:
    """String: a one-off task, in JSON."""
    return f"ct:errand:{task}"


def task_lease_key(task: str) -> str:
    """String: the lease of the worker that carries out a one-off task."""
    return f"ct:errand-lease:{task}"


def rate_limit_key(window: str, counted: str, number: int) -> str:
    """String: the count in one window of a rate limit."""
    return f"ct:limit:{window}:{counted}:{number}"


def seat_uses_key(kind: str, counted: str) -> str:
    """Sorted set: the recent uses of a limit on seats by a player, or by an address (as a keyed hash), by time."""
    return f"ct:seats:{kind}:{counted}"


def rating_key(game: str, name: str) -> str:
    """A key of one game's ratings. All of them share one hash slot."""
    return f"{{ct:r:{game}}}:{name}"
