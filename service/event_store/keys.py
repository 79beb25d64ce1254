"""Match ids and the names of their keys.

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


def feed_key(shard: int) -> str:
    """The stream that announces every append of the shard, with entry ids `<position>-0` and no gap."""
    return f"{hash_tag(shard)}:feed"


def rating_key(game: str, name: str) -> str:
    """A key of the ratings of one game; together they have a hash slot of their own."""
    return f"{{ct:r:{game}}}:{name}"


def projection_key(shard: int, name: str) -> str:
    """A projection's key in the shard; `name` may have parts after further colons."""
    return f"{hash_tag(shard)}:p:{name}"
