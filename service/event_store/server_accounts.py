"""Accounts on the log's and the queue's servers, each with the rights to do its work and nothing else.

Redis and Valkey check a command against one rule at a time, so what may be deleted and what may never be stand in rules
of their own. ACLs cannot make a stream append-only (XADD can trim): that, the hash chain and copies elsewhere find out.
Rules with selectors need Redis 7 or Valkey.
"""

import hashlib
from typing import NamedTuple

from service.event_store.keys import WAKEUP_CHANNEL

MATCH_KEYS = ("{ct:*}:log:*", "{ct:*}:cmd:*", "{ct:*}:feed")
"""What is never deleted: events, commands, and what announces them."""
SEED_KEYS = ("{ct:*}:seed:*",)
DERIVED_KEYS = (
    *("{ct:*}:p:*", "{ct:*}:snap:*", "{ct:*}:audit:*", "{ct:*}:agenda", "{ct:*}:tries", "{ct:*}:told:*"),
    *("{ct:*}:telling:*", "{ct:*}:rematch:*", "{ct:*}:claims:*", "{ct:*}:failed-turns:*", "{ct:*}:withdrawn:*"),
    *("{ct:*}:bots:*", "{ct:*}:orders:*", "{ct:*}:ordered", "{ct:*}:archived:*", "{ct:r:*}:*", "ct:*"),
)
"""All else: lists, people, what is to be told."""

CONNECT_COMMANDS = (
    *("auth", "hello", "ping", "select", "reset", "quit", "client|setinfo", "client|setname", "client|id"),
    *("cluster|slots", "cluster|shards", "cluster|nodes", "cluster|myid", "command", "asking", "readonly", "wait"),
)
"""What every client of ours begins with."""
INSPECT_COMMANDS = ("info", "config|get", "time", "subscribe", "unsubscribe")
"""What the check of durability, the doctor and those who wait for news need."""
APPEND_COMMANDS = ("eval", "evalsha", "xadd", "xrevrange", "xlen", "xinfo|stream", "hget", "hset", "publish")
DERIVE_COMMANDS = (
    *("eval", "evalsha", "get", "set", "del", "unlink", "exists", "expire", "incrby", "watch", "unwatch"),
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
"""As the documentation of Sentinel lists them."""


class AclRule(NamedTuple):
    """Commands, the keys on which they may be used, and the channels."""

    commands: tuple[str, ...]
    keys: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()

    def as_acl(self) -> str:
        """The rule as an ACL file writes it."""
        keys, channels = (f"~{key}" for key in self.keys), (f"&{channel}" for channel in self.channels)
        return " ".join([*keys, *channels, *(f"+{command}" for command in dict.fromkeys(self.commands))])


class Account(NamedTuple):
    """An account: its name and its rules; whatever one of them allows is allowed."""

    name: str
    rules: tuple[AclRule, ...]

    def acl_line(self, password: str) -> str:
        """Its line in an ACL file, which holds a digest of the password alone."""
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
"""Web, dispatcher and workers: everything but the seeds of matches, and no deletion of a match.

The last rule is for the script that writes lists while it looks at the log: what it does to which key within is
checked by the rules before.
"""
SEED_ACCOUNT = Account(
    "crumbtrail-seed",
    (
        AclRule((*CONNECT_COMMANDS, *APPEND_COMMANDS), (*MATCH_KEYS, *SEED_KEYS), WAKEUP_CHANNELS),
        AclRule(("get", "set"), SEED_KEYS),
    ),
)
"""Whoever decides moves, beside the account above: begins matches, and reads their seeds."""
QUEUE_ACCOUNT = Account(
    "crumbtrail-queue",
    (AclRule((*CONNECT_COMMANDS, "info", "multi", "exec", "script|load", *QUEUE_COMMANDS), ("rq:*",)),),
)
"""Dispatcher and workers: the queue alone."""
REPLICA_ACCOUNT = Account("crumbtrail-replica", (AclRule(("psync", "replconf", "ping")),))
"""A replica, as its server's `masteruser`."""
SENTINEL_ACCOUNT = Account("crumbtrail-sentinel", (AclRule(SENTINEL_COMMANDS, (), ("*",)),))
ADMIN_ACCOUNT = Account("crumbtrail-admin", (AclRule(("@all",), ("*",), ("*",)),))
"""The operator, in place of the default account, which is switched off."""

ACCOUNTS = (LOG_ACCOUNT, SEED_ACCOUNT, QUEUE_ACCOUNT, REPLICA_ACCOUNT, SENTINEL_ACCOUNT, ADMIN_ACCOUNT)
