"""Accounts on the log and queue servers, each with only the permissions that it needs.

Redis and Valkey check a command against one rule at a time, so deletable keys and permanent keys are in separate rules.
ACLs cannot make a stream append-only, because XADD can trim; the hash chain and external copies detect that. Rules with
selectors need Redis 7 or Valkey. A server refuses to start if its ACL file names a command that it doesn't know, so the
rules name only commands that Redis 7.0 has.
"""

import hashlib
from typing import NamedTuple

from service.event_store.keys import FAILOVER_GUARD_KEY, WAKEUP_CHANNEL

MATCH_KEYS = ("{ct:*}:log:*", "{ct:*}:cmd:*", "{ct:*}:feed")
"""Keys that are never deleted: events, commands and feeds."""
SEED_KEYS = ("{ct:*}:seed:*",)
DERIVED_KEYS = (
    *("{ct:*}:p:*", "{ct:*}:snap:*", "{ct:*}:audit:*", "{ct:*}:agenda", "{ct:*}:tries", "{ct:*}:told:*"),
    *("{ct:*}:telling:*", "{ct:*}:rematch:*", "{ct:*}:claims:*", "{ct:*}:failed-turns:*", "{ct:*}:withdrawn:*"),
    *("{ct:*}:bots:*", "{ct:*}:orders:*", "{ct:*}:ordered", "{ct:*}:archived:*", "{ct:r:*}:*", "ct:*"),
)
"""All other keys: lists, players, and pending notifications."""

CONNECT_COMMANDS = (
    *("auth", "hello", "ping", "select", "reset", "quit", "client|setname", "client|id"),
    *("cluster|slots", "cluster|shards", "cluster|nodes", "cluster|myid", "command", "asking", "readonly", "wait"),
)
"""Commands that every client needs to connect."""
INSPECT_COMMANDS = ("info", "config|get", "time", "subscribe", "unsubscribe", "scan")
"""Commands for the durability check, `crumbtrail doctor`, the wake-up hints, and the list of all players."""
APPEND_COMMANDS = ("eval", "evalsha", "xadd", "xrevrange", "xlen", "xinfo|stream", "hget", "hset", "publish")
DERIVE_COMMANDS = (
    *("eval", "evalsha", "get", "set", "del", "unlink", "exists", "expire", "pexpire", "incrby", "watch", "unwatch"),
    *("hget", "hset", "hsetnx", "hdel", "hgetall", "hmget", "hvals", "hlen", "hincrby", "hexists", "lpush", "lrange"),
    *("sadd", "srem", "smembers", "sismember", "zadd", "zrem", "zrange", "zrangebyscore", "zrangebylex"),
    *("zrevrange", "zrevrangebylex", "zlexcount", "zcard", "zscore", "zremrangebyscore", "zremrangebyrank"),
)
QUEUE_COMMANDS = (
    *("eval", "evalsha", "get", "set", "del", "unlink", "exists", "expire", "persist", "ttl", "type", "incr", "watch"),
    *("unwatch", "hget", "hset", "hsetnx", "hdel", "hgetall", "hmget", "hexists", "hincrby", "hincrbyfloat", "hlen"),
    *("hmset", "lpush", "rpush", "lpop", "rpop", "blmove", "lmove", "blpop", "llen", "lrange", "lrem", "lpos"),
    *("sadd", "srem", "smembers", "sismember", "scard", "sscan", "zadd", "zrem", "zrange", "zrangebyscore"),
    *("zrevrange", "zscore", "zcard", "zcount", "zremrangebyscore", "xadd", "xrevrange", "xrange", "xtrim"),
)
SENTINEL_COMMANDS = (
    *("multi", "exec", "slaveof", "replicaof", "ping", "subscribe", "psubscribe", "publish", "config|rewrite", "role"),
    *("info", "client|setname", "client|kill", "script|kill"),
)
"""Listed in the Sentinel documentation."""


class AclRule(NamedTuple):
    """An ACL rule: commands, and the keys and channels on which they may be used."""

    commands: tuple[str, ...]
    keys: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()

    def as_acl(self) -> str:
        """Return the rule in the syntax of an ACL file."""
        keys, channels = (f"~{key}" for key in self.keys), (f"&{channel}" for channel in self.channels)
        return " ".join([*keys, *channels, *(f"+{command}" for command in dict.fromkeys(self.commands))])


class Account(NamedTuple):
    """An account: its name and its rules. A command is allowed if any rule allows it."""

    name: str
    rules: tuple[AclRule, ...]

    def acl_line(self, password: str) -> str:
        """Return the account's line in an ACL file, which holds only a digest of the password."""
        first, *others = (rule.as_acl() for rule in self.rules)
        digest = hashlib.sha256(password.encode()).hexdigest()
        selectors = "".join(f" ({other})" for other in others)
        return f"user {self.name} on #{digest} resetchannels -@all {first}{selectors}"


WAKEUP_CHANNELS = (WAKEUP_CHANNEL,)
LOG_ACCOUNT = Account(
    "crumbtrail-log",
    (
        AclRule(
            (
                *CONNECT_COMMANDS,
                *INSPECT_COMMANDS,
                "bgrewriteaof",
                "multi",
                "exec",
                "script|load",
                *APPEND_COMMANDS,
                "xrange",
                "hexists",
            ),
            MATCH_KEYS,
            WAKEUP_CHANNELS,
        ),
        AclRule(DERIVE_COMMANDS, DERIVED_KEYS),
        AclRule(("eval", "evalsha"), (*MATCH_KEYS, *DERIVED_KEYS)),
    ),
)
"""For web, dispatcher and workers: all keys except the seeds, without permission to delete a match.

The last rule lets a script run that reads the log and writes lists; the other rules check each command inside it.
"""
SEED_ACCOUNT = Account(
    "crumbtrail-seed",
    (
        AclRule((*CONNECT_COMMANDS, *APPEND_COMMANDS), (*MATCH_KEYS, *SEED_KEYS), WAKEUP_CHANNELS),
        AclRule(("get", "set"), SEED_KEYS),
    ),
)
"""A second account for processes that decide moves: creates matches and reads their seeds."""
QUEUE_ACCOUNT = Account(
    "crumbtrail-queue",
    (AclRule((*CONNECT_COMMANDS, "info", "multi", "exec", "script|load", *QUEUE_COMMANDS), ("rq:*",)),),
)
"""For dispatcher and workers: only the queue."""
REPLICA_ACCOUNT = Account("crumbtrail-replica", (AclRule(("psync", "replconf", "ping")),))
"""For a replica, as its `masteruser`."""
SENTINEL_ACCOUNT = Account("crumbtrail-sentinel", (AclRule(SENTINEL_COMMANDS, (), ("*",)),))
FAILOVER_ACCOUNT = Account(
    "crumbtrail-failover",
    (
        AclRule(
            (
                *("auth", "hello", "ping", "select", "client|setname", "info", "replicaof", "slaveof"),
                *("config|get", "config|set", "config|rewrite", "multi", "exec"),
            ),
        ),
        AclRule(("set",), (FAILOVER_GUARD_KEY,)),
        AclRule(("xlen",), ("{ct:*}:feed",)),
    ),
)
"""For `crumbtrail failover-guard`. It can change every setting of a server, so keep it on the servers themselves."""
ADMIN_ACCOUNT = Account("crumbtrail-admin", (AclRule(("@all",), ("*",), ("*",)),))
"""For the operator. It replaces the default account, which is disabled."""

ACCOUNTS = (
    *(LOG_ACCOUNT, SEED_ACCOUNT, QUEUE_ACCOUNT, REPLICA_ACCOUNT, SENTINEL_ACCOUNT, FAILOVER_ACCOUNT),
    ADMIN_ACCOUNT,
)
