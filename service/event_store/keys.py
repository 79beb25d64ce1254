"""Match ids, and the names of all keys of the service on the log's server.

A match id is its shard (two digits, 00 to 63) and 16 characters of lower-case base32, which are 80 random bits:
`07mzxw6ytboi3dgnbv`. All keys of a match and the feed of its shard carry the hash tag `{ct:07}`, so that one script may
touch them all on one server and on a cluster alike. The number of shards is part of every id and never changes.
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
    """A match id that nobody can guess."""
    return _compose(secrets.randbelow(SHARDS), secrets.token_bytes(_RANDOM_BYTES))


def match_id_for(digest: bytes) -> str:
    """The match id that belongs to a digest of 32 bytes, always the same. Raises ValueError for another length.

    It shows half of the digest, which must come from a secret where nobody else may find the match.
    """
    if len(digest) != DIGEST_BYTES:
        raise ValueError(f"a digest has {DIGEST_BYTES} bytes, this has {len(digest)}")
    return _compose(digest[0] % SHARDS, digest[1 : 1 + _RANDOM_BYTES])


def _compose(shard: int, random: bytes) -> str:
    return f"{shard:02}{b32encode(random).decode().lower()}"


def is_match_id(text: str) -> bool:
    """Whether the text has the form of a match id; such a match need not exist."""
    return _MATCH_ID.fullmatch(text) is not None


def shard_of(match: str) -> int:
    """The shard of a match, 0 to 63. Raises ValueError for a text that is no match id."""
    if not is_match_id(match):
        raise ValueError("a match id is two digits from 00 to 63 and 16 characters out of a to z and 2 to 7")
    return int(match[:2])


def hash_tag(shard: int) -> str:
    """The hash tag of everything in a shard."""
    return f"{{ct:{shard:02}}}"


@lru_cache(maxsize=4096)
def _hash_tag_of(match: str) -> str:
    return hash_tag(shard_of(match))


# -- of a match -------------------------------------------------------------------------------------------------


def log_key(match: str) -> str:
    """The stream of the match's events, with entry ids `<ply>-0`."""
    return f"{_hash_tag_of(match)}:log:{match}"


def command_key(match: str) -> str:
    """The hash of the match's commands: command id to `first:last:payload`."""
    return f"{_hash_tag_of(match)}:cmd:{match}"


def seed_key(match: str) -> str:
    """The match's secret seed, in hex."""
    return f"{_hash_tag_of(match)}:seed:{match}"


def snapshot_key(match: str) -> str:
    """The hash with the match's newest snapshot."""
    return f"{_hash_tag_of(match)}:snap:{match}"


def verdict_key(match: str) -> str:
    """The verdict of the match's audit, JSON."""
    return f"{_hash_tag_of(match)}:audit:{match}"


def statements_key(match: str) -> str:
    """The hash of the statements in the match's disputes, by digest."""
    return f"{_hash_tag_of(match)}:claims:{match}"


def rematch_key(match: str) -> str:
    """The rematch of the match."""
    return f"{_hash_tag_of(match)}:rematch:{match}"


def withdrawn_invitations_key(match: str) -> str:
    """The hash of how often the invitation to each seat was withdrawn."""
    return f"{_hash_tag_of(match)}:withdrawn:{match}"


def orders_key(match: str) -> str:
    """The hash of the standing orders of all seats."""
    return f"{_hash_tag_of(match)}:orders:{match}"


def decisions_key(match: str) -> str:
    """The hash of the notes about the moves of house bots."""
    return f"{_hash_tag_of(match)}:bots:{match}"


def failed_turns_key(match: str) -> str:
    """The hash of how often a bot's turn, or an audit, has failed."""
    return f"{_hash_tag_of(match)}:failed-turns:{match}"


def delivery_records_key(match: str) -> str:
    """The hash of the deliveries about the match that need not be made again."""
    return f"{_hash_tag_of(match)}:told:{match}"


def delivery_lease_key(match: str, delivery: str) -> str:
    """Held by the worker that makes a delivery."""
    return f"{_hash_tag_of(match)}:telling:{delivery}"


# -- of a shard -------------------------------------------------------------------------------------------------


def feed_key(shard: int) -> str:
    """The stream that announces every append of the shard, with entry ids `<position>-0` and no gap."""
    return f"{hash_tag(shard)}:feed"


def projection_key(shard: int, name: str) -> str:
    """A projection's key in the shard; `name` may have parts after further colons."""
    return f"{hash_tag(shard)}:p:{name}"


def outbox_key(shard: int) -> str:
    """The sorted set of the shard's deliveries, by when each is due."""
    return f"{hash_tag(shard)}:agenda"


def attempts_key(shard: int) -> str:
    """The hash of the failed attempts at deliveries of the shard."""
    return f"{hash_tag(shard)}:tries"


def ordered_matches_key(shard: int) -> str:
    """The sorted set of the matches with standing orders, by the ply that was checked last."""
    return f"{hash_tag(shard)}:ordered"


# -- of a player ------------------------------------------------------------------------------------------------


def player_key(player: str) -> str:
    """The record of a player: the name."""
    return f"ct:player:{player}"


def tokens_key(player: str) -> str:
    """The hash of a player's tokens, by id."""
    return f"ct:tokens:{player}"


def token_key(hashed: str) -> str:
    """A token, by the hash of its secret."""
    return f"ct:token:{hashed}"


def sessions_key(player: str) -> str:
    """The sorted set of a player's sessions, by when each began."""
    return f"ct:sessions:{player}"


def link_key(hashed: str) -> str:
    """A sign-in link, by the hash of its token."""
    return f"ct:link:{hashed}"


def used_link_key(hashed: str) -> str:
    """The hash of the browser that used the link, if it was used."""
    return f"ct:link-used:{hashed}"


def links_key(owner: str) -> str:
    """The set of the links that were sent for a player, or to an address given by its hash."""
    return f"ct:links:{owner}"


def contact_key(player: str) -> str:
    """The hash of a player's address, preferences and webhook."""
    return f"ct:contact:{player}"


def address_key(hashed: str) -> str:
    """The player who has an address, by the address's hash."""
    return f"ct:address:{hashed}"


def outcomes_key(player: str) -> str:
    """The hash of how the last mail and the last webhook call went."""
    return f"ct:outcomes:{player}"


def pending_digest_key(player: str) -> str:
    """The set of the deliveries that wait for the player's next daily mail."""
    return f"ct:basket:{player}"


def last_digest_key(player: str) -> str:
    """The last daily mail."""
    return f"ct:daily:{player}"


def digest_lease_key(player: str) -> str:
    """Held by the worker that sends the daily mail."""
    return f"ct:daily-lease:{player}"


# -- of the service ---------------------------------------------------------------------------------------------

SECRET_KEY = "ct:secret"  # noqa: S105 -- the name of a key
"""The secret that all processes share."""
WAKEUP_CHANNEL = "ct:hint"
"""The channel on which every append is announced."""
ARBITERS_KEY = "ct:arbiters"
"""The set of the players who are arbiters."""
SIGNING_KEYS_KEY = "ct:notary:keys"
"""The list of the keys that sign replay files, the newest first."""
TASKS_KEY = "ct:errands"
"""The sorted set of one-off tasks, by when each is due."""
HEARTBEAT_KEY = "ct:pulse"
"""The last heartbeat of a dispatcher."""
FAILED_JOBS_KEY = "ct:failed-jobs"
"""The hash of how many jobs of each kind have failed."""


def task_key(task: str) -> str:
    """A one-off task."""
    return f"ct:errand:{task}"


def task_lease_key(task: str) -> str:
    """Held by the worker that carries out a one-off task."""
    return f"ct:errand-lease:{task}"


def rate_limit_key(window: str, counted: str, number: int) -> str:
    """How often something was done in one window of a rate limit."""
    return f"ct:limit:{window}:{counted}:{number}"


def rating_key(game: str, name: str) -> str:
    """A key of the ratings of one game; together they have a hash slot of their own."""
    return f"{{ct:r:{game}}}:{name}"
