"""Accounts on the log's and the queue's servers, each with the rights to do its work and nothing else.

Redis and Valkey check a command against one rule at a time, so what may be deleted and what may never be stand in rules
of their own. ACLs cannot make a stream append-only (XADD can trim): that, the hash chain and copies elsewhere find out.
Rules with selectors need Redis 7 or Valkey.
"""

import hashlib
from typing import NamedTuple

MATCH = ("{ct:*}:log:*", "{ct:*}:cmd:*", "{ct:*}:feed")
"""What is never deleted: events, commands, and what announces them."""
SEEDS = ("{ct:*}:seed:*",)
DERIVED = (
    *("{ct:*}:p:*", "{ct:*}:snap:*", "{ct:*}:audit:*", "{ct:*}:agenda", "{ct:*}:tries", "{ct:*}:told:*"),
    *("{ct:*}:telling:*", "{ct:*}:rematch:*", "{ct:*}:claims:*", "{ct:*}:failed-turns:*", "{ct:*}:withdrawn:*"),
    *("{ct:*}:bots:*", "{ct:*}:orders:*", "{ct:*}:ordered", "{ct:*}:archived:*", "{ct:r:*}:*", "ct:*"),
)
"""All else: lists, people, what is to be told."""

CONNECT = (
    *("auth", "hello", "ping", "select", "reset", "quit", "client|setinfo", "client|setname", "client|id"),
    *("cluster|slots", "cluster|shards", "cluster|nodes", "cluster|myid", "command", "asking", "readonly", "wait"),
)
"""What every client of ours begins with."""
LOOK = ("info", "config|get", "time", "subscribe", "unsubscribe")
"""What the check of durability, the doctor and those who wait for news need."""
APPEND = ("eval", "evalsha", "xadd", "xrevrange", "xlen", "xinfo|stream", "hget", "hset", "publish")
DERIVE = (
    *("eval", "evalsha", "get", "set", "del", "unlink", "exists", "expire", "incrby", "watch", "unwatch"),
    *("hget", "hset", "hsetnx", "hdel", "hgetall", "hmget", "hvals", "hlen", "hincrby", "hexists", "lpush", "lrange"),
    *("sadd", "srem", "smembers", "sismember", "zadd", "zrem", "zrange", "zrangebyscore", "zrangebylex"),
    *("zrevrange", "zrevrangebylex", "zlexcount", "zcard", "zscore", "zremrangebyscore", "zremrangebyrank"),
)
QUEUE = (
    *("eval", "evalsha", "get", "set", "del", "unlink", "exists", "expire", "persist", "ttl", "type", "incr", "watch"),
    *("unwatch", "hget", "hset", "hsetnx", "hdel", "hgetall", "hmget", "hexists", "hincrby", "hincrbyfloat", "hlen"),
    *("hmset", "lpush", "rpush", "lpop", "rpop", "blmove", "lmove", "blpop", "llen", "lrange", "lrem", "lpos"),
    *("sadd", "srem", "smembers", "sismember", "scard", "sscan", "zadd", "zrem", "zrange", "zrangebyscore"),
    *("zrevrange", "zscore", "zcard", "zcount", "zremrangebyscore", "xadd", "xrevrange", "xrange", "xtrim"),
)
SENTINEL = (
    *("multi", "exec", "slaveof", "replicaof", "ping", "subscribe", "psubscribe", "publish", "config|rewrite", "role"),
    *("info", "client|setname", "client|kill", "script|kill"),
)
"""As the documentation of Sentinel lists them."""


class Rule(NamedTuple):
    """Commands, the keys on which they may be used, and the channels."""

    commands: tuple[str, ...]
    keys: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()

    def words(self) -> str:
        """The rule as an ACL file writes it."""
        keys, channels = (f"~{key}" for key in self.keys), (f"&{channel}" for channel in self.channels)
        return " ".join([*keys, *channels, *(f"+{command}" for command in dict.fromkeys(self.commands))])


class Account(NamedTuple):
    """An account: its name and its rules; whatever one of them allows is allowed."""

    name: str
    rules: tuple[Rule, ...]

    def line(self, password: str) -> str:
        """Its line in an ACL file, which holds a digest of the password alone."""
        first, *others = (rule.words() for rule in self.rules)
        digest = hashlib.sha256(password.encode()).hexdigest()
        selectors = "".join(f" ({other})" for other in others)
        return f"user {self.name} on #{digest} resetchannels -@all {first}{selectors}"


HINT = ("ct:hint",)
LOG = Account(
    "crumbtrail-log",
    (
        Rule((*CONNECT, *LOOK, "multi", "exec", "script|load", *APPEND, "xrange", "hexists"), MATCH, HINT),
        Rule(DERIVE, DERIVED),
        Rule(("eval", "evalsha"), (*MATCH, *DERIVED)),
    ),
)
"""Web, dispatcher and workers: everything but the seeds of matches, and no deletion of a match.

The last rule is for the script that writes lists while it looks at the log: what it does to which key within is
checked by the rules before.
"""
SEED = Account("crumbtrail-seed", (Rule((*CONNECT, *APPEND), (*MATCH, *SEEDS), HINT), Rule(("get", "set"), SEEDS)))
"""Whoever decides moves, beside the account above: begins matches, and reads their seeds."""
QUEUES = Account("crumbtrail-queue", (Rule((*CONNECT, "info", "multi", "exec", "script|load", *QUEUE), ("rq:*",)),))
"""Dispatcher and workers: the queue alone."""
REPLICA = Account("crumbtrail-replica", (Rule(("psync", "replconf", "ping")),))
"""A replica, as its server's `masteruser`."""
WATCH = Account("crumbtrail-sentinel", (Rule(SENTINEL, (), ("*",)),))
ADMIN = Account("crumbtrail-admin", (Rule(("@all",), ("*",), ("*",)),))
"""The operator, in place of the default account, which is switched off."""

ACCOUNTS = (LOG, SEED, QUEUES, REPLICA, WATCH, ADMIN)
