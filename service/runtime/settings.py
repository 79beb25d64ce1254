"""Settings from the environment. `docs/operations.md` lists them, and `crumbtrail doctor` checks them.

An invalid value is refused at the start with a message that names the setting and the valid values. The message never
quotes a value that may contain a password or a token.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from service.event_store.connect import require_valid_url
from service.runtime.invalid_setting import InvalidSetting
from service.runtime.rate_limits import RateLimits, parse_rate_limits

PUBLIC_URL = "http://127.0.0.1:8000"
PREFIX = "CRUMBTRAIL_"
MAX_REPLICAS = 9
MAX_BOT_SECONDS = 600
MIN_TOKEN_LENGTH = 8
TEST_VARIABLES = frozenset({"CRUMBTRAIL_SCREENSHOTS", "CRUMBTRAIL_SHOTS"})
"""Variables read only by our tests: where to save screenshots."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of this process.

    `log_url` and `queue_url` are None with the embedded server of `crumbtrail up`; `data` is its folder. `seed_url` is
    the log server with the account that may read seeds, if there are separate accounts. `replicas` is how many
    replicas must confirm an event before it is acknowledged, and `log_servers` how many servers a Sentinel group has
    (0: one more than `replicas`). `allow_fast` accepts a log that may lose the last seconds in a crash, with a warning
    on every page. `clock_file` contains the time to use instead of the machine's clock, for
    tests only. `limits` are the rate limits per player and address; addresses come from the last of `proxies` trusted
    proxies. `metrics_to` are the networks that may read `/metrics`, as well as this machine.

    `smtp_url` is the mail server (None: no email), `mail_from` the sender, `public_url` the address of the pages.
    `local_url` is the address on this machine, which is used if no public address is set.
    `secure_cookies` restricts cookies to https and is on by default if `public_url` uses https. `hook_loopback` allows
    webhooks to this machine, for tests and private installations.

    `api_url` and `bot_token` are for a worker without access to the log. `bot_seconds` is the time limit of a bot's
    turn. `log_format` is the format of the log lines. `traces_to` is the OpenTelemetry collector that gets traces
    (None: off), and `error_hook` names a function that is called for each unexpected error.
    """

    log_url: str | None = None
    queue_url: str | None = None
    seed_url: str | None = None
    replicas: int = 0
    log_servers: int = 0
    data: Path = Path("var")
    allow_fast: bool = False
    secure_cookies: bool = False
    clock_file: Path | None = None
    smtp_url: str | None = None
    mail_from: str | None = None
    public_url: str = PUBLIC_URL
    local_url: str = PUBLIC_URL
    hook_loopback: bool = False
    api_url: str | None = None
    bot_token: str | None = None
    bot_seconds: int = 60
    limits: RateLimits = RateLimits()
    proxies: int = 0
    metrics_to: tuple[IPv4Network | IPv6Network, ...] = ()
    log_format: Literal["plain", "json"] = "plain"
    traces_to: str | None = None
    error_hook: str | None = None

    @property
    def link_address(self) -> str | None:
        """The start of links to the pages, or None if no public address is set.

        Visitors of a server without one reach it at an address that only their request names.
        """
        return None if self.public_url == self.local_url else self.public_url


# -- parsers: from a non-empty text to a value. Each raises ValueError with the valid values -----------------------


def parse_switch(text: str) -> bool:
    """Return whether a switch is on."""
    if text not in ("0", "1"):
        raise ValueError("must be 1 (on) or 0 (off)")
    return text == "1"


def integer_parser(lowest: int, highest: int, what: str) -> Callable[[str], int]:
    """Return a parser of whole numbers between two bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or not lowest <= int(text) <= highest:
            raise ValueError(f"must be {what}, a whole number from {lowest} to {highest}; it is {text[:40]!r}")
        return int(text)

    return read


def parse_server_url(text: str) -> str:
    """Return the URL of a Redis or Valkey server. The error never quotes it."""
    try:
        require_valid_url(text)
    except ValueError as error:
        raise ValueError(f"is invalid: {error}") from None
    return text


def parse_queue_url(text: str) -> str:
    """Return the URL of a server for the queue."""
    if text.startswith("cluster+"):
        raise ValueError("must not be a cluster, which RQ does not support; use a single server or sentinels")
    return parse_server_url(text)


def parse_web_url(text: str) -> str:
    """Return the URL of a web server, without a trailing slash."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("must be http:// or https:// and a host, such as https://cake.example")
    return text.rstrip("/")


def parse_mail_url(text: str) -> str:
    """Return the URL of a mail server. The error never quotes it."""
    what = "must be smtp://user:password@host:587 or smtps://user:password@host:465"
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("smtp", "smtps") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        raise ValueError(what) from None
    if not good:
        raise ValueError(what)
    return text


def parse_sender(text: str) -> str:
    """Return the sender's address, with or without a name."""
    _, _, address = text.rpartition("<")
    name, at, host = address.rstrip(">").partition("@")
    if not (name and at and host) or any(ord(character) < 32 for character in text):
        raise ValueError("must be an address such as cake@example.org or Crumbtrail <cake@example.org>")
    return text


def parse_token(text: str) -> str:
    """Return a token. The error never quotes it."""
    if len(text) < MIN_TOKEN_LENGTH or not text.isascii() or any(character.isspace() for character in text):
        raise ValueError("must be a token from `crumbtrail bot token new`")
    return text


def parse_clock_file(text: str) -> Path:
    """Return the path of an existing file."""
    if not Path(text).is_file():
        raise ValueError(f"must be a file that contains the time, for tests; there is no file {text!r}")
    return Path(text)


def parse_log_format(text: str) -> str:
    """Return the format of log lines."""
    if text not in ("plain", "json"):
        raise ValueError(f"must be plain or json; it is {text[:40]!r}")
    return text


def parse_function_name(text: str) -> str:
    """Return the name of a function."""
    module, colon, attribute = text.partition(":")
    if not colon or not attribute.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise ValueError(f"must be a function as module:function, such as my_alerts:send; it is {text[:40]!r}")
    return text


def parse_networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return a list of networks."""
    try:
        return tuple(map(ip_network, text.split()))
    except ValueError:
        raise ValueError(f"must be a list of networks such as 10.0.0.0/8 fd00::/8; it is {text[:40]!r}") from None


PARSERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "CRUMBTRAIL_LOG_URL": ("log_url", parse_server_url),
    "CRUMBTRAIL_QUEUE_URL": ("queue_url", parse_queue_url),
    "CRUMBTRAIL_SEED_URL": ("seed_url", parse_server_url),
    "CRUMBTRAIL_REPLICAS": ("replicas", integer_parser(0, MAX_REPLICAS, "the number of replicas of each primary")),
    "CRUMBTRAIL_LOG_SERVERS": ("log_servers", integer_parser(2, MAX_REPLICAS + 1, "the number of log servers")),
    "CRUMBTRAIL_DATA": ("data", Path),
    "CRUMBTRAIL_ALLOW_FAST": ("allow_fast", parse_switch),
    "CRUMBTRAIL_SECURE_COOKIES": ("secure_cookies", parse_switch),
    "CRUMBTRAIL_LIMITS": ("limits", parse_rate_limits),
    "CRUMBTRAIL_PROXIES": ("proxies", integer_parser(0, 9, "the number of trusted proxies")),
    "CRUMBTRAIL_METRICS_TO": ("metrics_to", parse_networks),
    "CRUMBTRAIL_CLOCK_FILE": ("clock_file", parse_clock_file),
    "CRUMBTRAIL_SMTP_URL": ("smtp_url", parse_mail_url),
    "CRUMBTRAIL_MAIL_FROM": ("mail_from", parse_sender),
    "CRUMBTRAIL_PUBLIC_URL": ("public_url", parse_web_url),
    "CRUMBTRAIL_LOCAL_URL": ("local_url", parse_web_url),
    "CRUMBTRAIL_WEBHOOK_LOOPBACK": ("hook_loopback", parse_switch),
    "CRUMBTRAIL_API_URL": ("api_url", parse_web_url),
    "CRUMBTRAIL_BOT_TOKEN": ("bot_token", parse_token),
    "CRUMBTRAIL_BOT_SECONDS": (
        "bot_seconds",
        integer_parser(1, MAX_BOT_SECONDS, "the time limit of a bot's turn in seconds"),
    ),
    "CRUMBTRAIL_LOG_FORMAT": ("log_format", parse_log_format),
    "CRUMBTRAIL_TRACES_TO": ("traces_to", parse_web_url),
    "CRUMBTRAIL_ERROR_HOOK": ("error_hook", parse_function_name),
}
"""Every setting with its field and its parser. An empty value counts as unset."""


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of this process. Raises InvalidSetting, which names all invalid ones."""
    values, faults = parse_environment(environment)
    if faults:
        raise InvalidSetting("\n".join(faults))
    values.setdefault("limits", parse_rate_limits(""))
    values.setdefault("public_url", values.get("local_url", PUBLIC_URL))
    values.setdefault("secure_cookies", str(values.get("public_url", "")).startswith("https://"))
    if "queue_url" not in values and not str(values.get("log_url", "")).startswith("cluster+"):
        values["queue_url"] = values.get("log_url")
    return Settings(**values)


def parse_environment(environment: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the valid values by field, and a message for each invalid one."""
    values: dict[str, Any] = {}
    faults: list[str] = []
    for name, (field, reader) in PARSERS.items():
        text = environment.get(name, "").strip()
        if not text:
            continue
        try:
            values[field] = reader(text)
        except ValueError as error:
            faults.append(str(error) if str(error).startswith(name) else f"{name} {error}.")
    return values, faults


def unknown_variables(environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield a message for each unknown variable with our prefix, which would otherwise be silently ignored."""
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in PARSERS and name not in TEST_VARIABLES:
            close = get_close_matches(name, PARSERS, n=1)
            advice = f"Did you mean {close[0]}?" if close else f"The settings are {', '.join(PARSERS)}."
            yield f"{name} is not a setting. {advice}"
