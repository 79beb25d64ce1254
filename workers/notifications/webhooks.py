"""Calling a player's webhook: signed as the Standard Webhooks specification says, guarded, never redirected."""

import hmac
from base64 import b64decode, b64encode
from datetime import datetime

import httpcore
import msgspec

from service.notifications.preferences import Webhook
from workers.notifications.ssrf_guard import AddressRefused, GuardedBackend

CALL_TIMEOUT_SECONDS = 10.0
"""The longest that a call may take, from the name to the answer."""


class WebhookFailed(Exception):
    """The call did not succeed; the text says how, for the webhook's owner. `gone`: it wants no more of them."""

    def __init__(self, text: str, *, gone: bool = False) -> None:
        super().__init__(text)
        self.gone = gone


def call_webhook(hook: Webhook, id: str, payload: object, at: datetime, loopback: bool) -> int:
    """Post the payload as JSON; gives the status, which is 2xx. Raises HookFailed."""
    body = msgspec.json.encode(payload)
    status = post_json(hook.url, {**base_headers(), **signature_headers(hook.secret, id, at, body)}, body, loopback)
    if 200 <= status < 300:
        return status
    if 300 <= status < 400:
        raise WebhookFailed(f"It answered {status}, a redirect; none is followed. Give the address that it leads to.")
    raise WebhookFailed(f"It answered {status}.", gone=status == 410)


def post_json(url: str, fields: dict[str, str], body: bytes, loopback: bool) -> int:
    """The status that the server answers; what else it answers is not read. Raises HookFailed."""
    try:
        with (
            httpcore.ConnectionPool(network_backend=GuardedBackend(CALL_TIMEOUT_SECONDS, loopback), retries=0) as pool,
            pool.stream("POST", url, headers=list(fields.items()), content=body) as response,
        ):
            return int(response.status)
    except AddressRefused:
        raise WebhookFailed("Its host is not known, or is inside of a network; webhooks go to public ones.") from None
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError) as error:
        raise WebhookFailed(f"It could not be reached ({type(error).__name__}).") from None
    except httpcore.UnsupportedProtocol:
        raise WebhookFailed("It is no http:// or https:// address.") from None


def base_headers() -> dict[str, str]:
    """What every call carries."""
    return {"Content-Type": "application/json", "User-Agent": "Crumbtrail-Webhook/1", "Accept": "*/*"}


def signature_headers(secret: str, id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers by which the receiver knows that it was us, just now, and whether it has heard this before."""
    stamp = str(int(at.timestamp()))
    key = b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"{id}.{stamp}.".encode() + body, "sha256").digest()
    return {"webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": f"v1,{b64encode(code).decode()}"}
