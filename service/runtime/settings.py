"""Settings, from the environment and nowhere else. `docs/operations.md` lists them, `crumbtrail doctor` explains them.

A value that cannot be is refused at the start, in words that name the setting and say what would be right. Values are
never repeated where they may hold a password or a token.
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
"""Names that our own tests read: where to put pictures."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this process is set up.

    `log_url` and `queue_url` are None where the embedded server of `crumbtrail up` serves; `data` is its folder.
    `seed_url` is the log's server with the account that may read seeds, where accounts are kept apart. `replicas` is
    how many replicas must have an event before it is acknowledged.
    `allow_fast` accepts a log that may lose the last seconds in a crash, and shows it on every page. `clock_file` holds
    the time instead of the machine's clock: for tests alone. `limits` says how much one player or address may ask for
    (none: as much as it likes); addresses are those that the last of `proxies` trusted proxies tells. `metrics_to` are
    the networks that may read `/metrics`, beside this machine.

    `smtp_url` names the mail server (None: there is no mail), `mail_from` the sender, `public_url` where people reach
    the pages; `secure_cookies` keeps cookies to https, and holds by itself where that address begins so.
    `hook_loopback` lets webhooks lead to this machine: for tests, and for who runs the service alone.

    `api_url` and `bot_token` are those of a worker that has no log beside it; `bot_seconds` is how long a bot's turn
    may take before it is ended from outside. `parse_log_format` is that of the lines on standard error.
    """

    log_url: str | None = None
    queue_url: str | None = None
    seed_url: str | None = None
    replicas: int = 0
    data: Path = Path("var")
    allow_fast: bool = False
    secure_cookies: bool = False
    clock_file: Path | None = None
    smtp_url: str | None = None
    mail_from: str | None = None
    public_url: str = PUBLIC_URL
    hook_loopback: bool = False
    api_url: str | None = None
    bot_token: str | None = None
    bot_seconds: int = 15
    limits: RateLimits = RateLimits()
    proxies: int = 0
    metrics_to: tuple[IPv4Network | IPv6Network, ...] = ()
    log_format: Literal["plain", "json"] = "plain"


# -- readers: from a text that is not empty to a value. Each raises ValueError that says what would be right --------


def parse_switch(text: str) -> bool:
    """On or off."""
    if text not in ("0", "1"):
        raise ValueError("is 1 (on) or 0 (off)")
    return text == "1"


def integer_parser(lowest: int, highest: int, what: str) -> Callable[[str], int]:
    """A reader of whole numbers between two bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or not lowest <= int(text) <= highest:
            raise ValueError(f"is {what}, a whole number from {lowest} to {highest}; it is {text[:40]!r}")
        return int(text)

    return read


def parse_server_url(text: str) -> str:
    """The URL of a Redis or Valkey server, with nothing of it in the error."""
    try:
        require_valid_url(text)
    except ValueError as error:
        raise ValueError(f"cannot be read: {error}") from None
    return text


def parse_queue_url(text: str) -> str:
    """The URL of a server for the queue."""
    if text.startswith("cluster+"):
        raise ValueError("cannot name a cluster, on which RQ does not run: name a single server or sentinels")
    return parse_server_url(text)


def parse_web_url(text: str) -> str:
    """The address of a web server, without the last slash."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("is http:// or https:// and a host, such as https://cake.example")
    return text.rstrip("/")


def parse_mail_url(text: str) -> str:
    """The URL of a mail server, with nothing of it in the error."""
    what = "is smtp://user:password@host:587 or smtps://user:password@host:465"
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("smtp", "smtps") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        raise ValueError(what) from None
    if not good:
        raise ValueError(what)
    return text


def parse_sender(text: str) -> str:
    """The address that mails come from, with or without a name."""
    _, _, address = text.rpartition("<")
    name, at, host = address.rstrip(">").partition("@")
    if not (name and at and host) or any(ord(character) < 32 for character in text):
        raise ValueError("is an address such as cake@example.org, or Crumbtrail <cake@example.org>")
    return text


def parse_token(text: str) -> str:
    """A token, of which nothing is told."""
    if len(text) < MIN_TOKEN_LENGTH or not text.isascii() or any(character.isspace() for character in text):
        raise ValueError("is a token that `crumbtrail bot token new` has made")
    return text


def parse_clock_file(text: str) -> Path:
    """A file that exists."""
    if not Path(text).is_file():
        raise ValueError(f"is a file with the time in it, for tests; there is none at {text!r}")
    return Path(text)


def parse_log_format(text: str) -> str:
    """How log lines are written."""
    if text not in ("plain", "json"):
        raise ValueError(f"is plain or json; it is {text[:40]!r}")
    return text


def parse_networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Networks of addresses."""
    try:
        return tuple(map(ip_network, text.split()))
    except ValueError:
        raise ValueError(f"is networks such as 10.0.0.0/8 fd00::/8; it is {text[:40]!r}") from None


PARSERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "CRUMBTRAIL_LOG_URL": ("log_url", parse_server_url),
    "CRUMBTRAIL_QUEUE_URL": ("queue_url", parse_queue_url),
    "CRUMBTRAIL_SEED_URL": ("seed_url", parse_server_url),
    "CRUMBTRAIL_REPLICAS": ("replicas", integer_parser(0, MAX_REPLICAS, "the number of replicas of each primary")),
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
    "CRUMBTRAIL_WEBHOOK_LOOPBACK": ("hook_loopback", parse_switch),
    "CRUMBTRAIL_API_URL": ("api_url", parse_web_url),
    "CRUMBTRAIL_BOT_TOKEN": ("bot_token", parse_token),
    "CRUMBTRAIL_BOT_SECONDS": (
        "bot_seconds",
        integer_parser(1, MAX_BOT_SECONDS, "how many seconds a bot's turn may take"),
    ),
    "CRUMBTRAIL_LOG_FORMAT": ("log_format", parse_log_format),
}
"""Every setting: the field that it fills, and how its text is read. An empty text is like none."""


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process. Raises BadSetting, which names every one that cannot be."""
    values, faults = parse_environment(environment)
    if faults:
        raise InvalidSetting("\n".join(faults))
    values.setdefault("limits", parse_rate_limits(""))
    values.setdefault("secure_cookies", str(values.get("public_url", "")).startswith("https://"))
    if "queue_url" not in values and not str(values.get("log_url", "")).startswith("cluster+"):
        values["queue_url"] = values.get("log_url")
    return Settings(**values)


def parse_environment(environment: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The values that can be read, by field, and a sentence for each that cannot."""
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
    """A sentence for each name that looks like one of ours and is none: it would be passed over in silence."""
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in PARSERS and name not in TEST_VARIABLES:
            close = get_close_matches(name, PARSERS, n=1)
            meant = f"perhaps {close[0]} is meant" if close else f"there are {', '.join(PARSERS)}"
            yield f"{name} is no setting: {meant}."
