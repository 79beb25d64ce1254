"""`crumbtrail doctor` fetches the public URL: links in invitations and emails lead there."""

import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException

import msgspec

from service.cli.doctor_finding import Finding
from service.disputes.signing_keys import SigningKeys
from service.disputes.trusted_keys import KeyList
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer, EmbeddedServerFailed
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.runtime.clock import SystemClock
from service.runtime.settings import Settings

KEYS_PATH = "/.well-known/crumbtrail-key"
TIMEOUT_SECONDS = 5.0
MAX_ANSWER_BYTES = 2**20


class NotReached(Exception):
    """The public URL did not answer as a Crumbtrail service does; `advice` says what to check."""

    def __init__(self, found: str, advice: str) -> None:
        super().__init__(found)
        self.advice = advice


def check_public_url(settings: Settings) -> Iterator[Finding]:
    """Fetch the public URL, if one is set, and say whether it reaches this service.

    The service is recognised by its signing keys, which are stored in the log.
    """
    if settings.link_address is None:
        return
    try:
        served = fetch_keys(settings.public_url)
    except NotReached as error:
        yield Finding("public URL", False, f"{settings.public_url}: {error}", error.advice)
        return
    own = own_keys(settings)
    if own is None:
        yield Finding("public URL", True, f"{settings.public_url} reaches a Crumbtrail service")
    elif own & served:
        yield Finding("public URL", True, f"{settings.public_url} reaches this service")
    else:
        advice = "Check CRUMBTRAIL_PUBLIC_URL, its DNS record, and where the proxy forwards requests."
        yield Finding("public URL", False, f"{settings.public_url} reaches another Crumbtrail service", advice)


def fetch_keys(url: str) -> frozenset[str]:
    """Return the public keys served at a URL. Raises NotReached."""
    try:
        with urllib.request.urlopen(url + KEYS_PATH, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 -- the operator's
            found = msgspec.json.decode(answer.read(MAX_ANSWER_BYTES), type=KeyList)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (502, 503, 504):
            advice = "The proxy doesn't reach the service. Start web, and check where the proxy forwards requests."
            raise NotReached(f"answered with status {error.code}", advice) from None
        advice = "Check CRUMBTRAIL_PUBLIC_URL, and that the proxy forwards every path to the service."
        raise NotReached(f"answered with status {error.code}", advice) from None
    except msgspec.MsgspecError:
        advice = "Check CRUMBTRAIL_PUBLIC_URL, and that the proxy forwards every path to the service."
        raise NotReached("another site answers there", advice) from None
    except (OSError, ValueError, HTTPException) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, ssl.SSLError):
            advice = "Renew the certificate of the proxy, and check that it names this host."
            raise NotReached(f"TLS failed ({type(cause).__name__})", advice) from None
        advice = "Check CRUMBTRAIL_PUBLIC_URL and its DNS record, and that the proxy and web are running."
        raise NotReached(f"no answer ({type(cause).__name__})", advice) from None
    return frozenset(key.key for key in found.keys)


def own_keys(settings: Settings) -> frozenset[str] | None:
    """Return the public keys of the service with these settings, or None if its log does not answer."""
    try:
        url = settings.log_url or EmbeddedServer(settings.data).url()
        keys = SigningKeys(connect(url), SystemClock()).public_keys()  # type: ignore[arg-type]
    except (EmbeddedServerFailed, LogUnavailable, *REDIS_ERRORS):
        return None
    return frozenset(key.key for key in keys.keys)
