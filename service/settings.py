"""Settings, from the environment and nowhere else. `crumbtrail doctor` explains each."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from service.limits import Rates, read_rates

PUBLIC_URL = "http://127.0.0.1:8000"


class BadSetting(ValueError):
    """A setting that cannot be, in words for the operator."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this process is set up.

    `log_url` and `queue_url` are None where the embedded server of `crumbtrail up` serves; `data` is its folder.
    `allow_fast` accepts a log that may lose the last seconds in a crash, and shows it on every page. `clock_file` holds
    the time instead of the machine's clock: for tests alone. `limits` says how much one player or address may ask for
    (none: as much as it likes); addresses are those that the last of `proxies` trusted proxies tells.

    `smtp_url` names the mail server (None: there is no mail), `mail_from` the sender, `public_url` where people reach
    the pages; `secure_cookies` keeps cookies to https, and holds by itself where that address begins so.
    `hook_loopback` lets webhooks lead to this machine: for tests, and for who runs the service alone.

    `api_url` and `bot_token` are those of a worker that has no log beside it; `bot_seconds` is how long a bot's turn
    may take before it is ended from outside.
    """

    log_url: str | None = None
    queue_url: str | None = None
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
    limits: Rates = Rates()
    proxies: int = 0


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process. Raises BadSetting."""
    try:
        limits = read_rates(environment.get("CRUMBTRAIL_LIMITS", ""))
    except ValueError as error:
        raise BadSetting(str(error)) from None
    proxies = environment.get("CRUMBTRAIL_PROXIES") or "0"
    if not proxies.isdecimal():
        raise BadSetting(f"CRUMBTRAIL_PROXIES is the number of trusted proxies; it is {proxies!r}")
    public_url = (environment.get("CRUMBTRAIL_PUBLIC_URL") or PUBLIC_URL).rstrip("/")
    return Settings(
        log_url=environment.get("CRUMBTRAIL_LOG_URL") or None,
        queue_url=environment.get("CRUMBTRAIL_QUEUE_URL") or environment.get("CRUMBTRAIL_LOG_URL") or None,
        data=Path(environment.get("CRUMBTRAIL_DATA", "var")),
        allow_fast=environment.get("CRUMBTRAIL_ALLOW_FAST", "") == "1",
        secure_cookies=environment.get("CRUMBTRAIL_SECURE_COOKIES", "") == "1" or public_url.startswith("https://"),
        limits=limits,
        proxies=int(proxies),
        clock_file=Path(environment["CRUMBTRAIL_CLOCK_FILE"]) if environment.get("CRUMBTRAIL_CLOCK_FILE") else None,
        smtp_url=environment.get("CRUMBTRAIL_SMTP_URL") or None,
        mail_from=environment.get("CRUMBTRAIL_MAIL_FROM") or None,
        public_url=public_url,
        hook_loopback=environment.get("CRUMBTRAIL_WEBHOOK_LOOPBACK", "") == "1",
        api_url=environment.get("CRUMBTRAIL_API_URL") or None,
        bot_token=environment.get("CRUMBTRAIL_BOT_TOKEN") or None,
        bot_seconds=int(environment.get("CRUMBTRAIL_BOT_SECONDS") or 15),
    )
