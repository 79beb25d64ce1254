"""The log account may run exactly the commands that our code uses."""

import re
from pathlib import Path

from service.event_store.server_accounts import (
    ACCOUNTS,
    APPEND_COMMANDS,
    CONNECT_COMMANDS,
    DERIVE_COMMANDS,
    INSPECT_COMMANDS,
    LOG_ACCOUNT,
)

ROOT = Path(__file__).parents[3]
OPERATOR_FILES = ("cli/backup.py", "cli/acl.py", "log/accounts.py")
"""Sources whose commands run under the operator's account."""
NOT_COMMANDS = {
    *("close", "execute", "execute_command", "pipeline", "pubsub", "register_script", "keyslot", "get_primaries"),
    *("call", "get_node_from_key", "get_redis_connection", "nodes_manager", "connection_pool", "zrangebyscore"),
}
"""Methods that are not commands, and one command that is implied."""
COMMAND_NAMES = {"delete": "del", "config_get": "config|get", "xinfo": "xinfo|stream"}


def used_commands() -> set[str]:
    """Return the commands used in our sources."""
    found: set[str] = set()
    for path in (ROOT / "service").rglob("*.py"):
        if str(path.relative_to(ROOT / "service")) not in OPERATOR_FILES:
            source = path.read_text()
            found |= set(re.findall(r"\b(?:redis|_redis|_seeds|pipeline|node)\.([a-z]+(?:_get)?)\(", source))
            found |= {word.lower() for word in re.findall(r"""[(\[ ]"([A-Z]{3,})", (?:self\.)?[a-z_]*key""", source)}
    for path in (*(ROOT / "service").rglob("*.lua"), ROOT / "service" / "event_store" / "log_format.py"):
        found |= {word.lower() for word in re.findall(r"redis\.p?call\('([A-Z]+)'", path.read_text())}
    return {COMMAND_NAMES.get(name, name) for name in found} - NOT_COMMANDS


def test_the_log_account_may_run_every_used_command() -> None:
    found = used_commands()
    assert found >= {"zremrangebyrank", "zrangebylex", "xadd", "hincrby", "lpush", "config|get", "publish"}
    allowed = {
        *CONNECT_COMMANDS,
        *INSPECT_COMMANDS,
        *APPEND_COMMANDS,
        *DERIVE_COMMANDS,
        "multi",
        "xrange",
        "bgrewriteaof",
    }
    assert found - allowed == set()


def test_the_log_account_has_no_unused_command_for_derived_keys() -> None:
    implied = {"eval", "evalsha", "unwatch", "zrangebyscore", "hgetall"}
    assert set(DERIVE_COMMANDS) - used_commands() - implied == set()


def test_the_log_account_has_no_whole_category() -> None:
    for rule in LOG_ACCOUNT.rules:
        assert not [word for word in rule.commands if word.startswith("@")]


def test_every_command_of_the_accounts_is_known_to_redis_7_0() -> None:
    """Redis 7.0 refuses to start with an account file that names a newer command."""
    named = {word for account in ACCOUNTS for rule in account.rules for word in rule.commands if "|" in word}
    assert named <= {
        *("client|setname", "client|id", "client|kill", "cluster|slots", "cluster|shards", "cluster|nodes"),
        *("cluster|myid", "config|get", "config|set", "config|rewrite", "script|load", "script|kill", "xinfo|stream"),
    }
