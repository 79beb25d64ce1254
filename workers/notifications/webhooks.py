"""Calls a player's webhook, signed according to the Standard Webhooks specification. Redirects are not followed."""

import hmac
from base64 import b64decode, b64encode
from datetime import datetime

import httpcore
import msgspec

from service.notifications.preferences import Webhook
from workers.notifications.ssrf_guard import AddressRefused, GuardedBackend

CALL_TIMEOUT_SECONDS = 10.0
"""Maximum duration of a call, including name resolution."""


class WebhookFailed(Exception):
    """The call failed. The message gives the reason to the webhook's owner. `gone`: the receiver responded with 410."""

    def __init__(self, text: str, *, gone: bool = False) -> None:
        super().__init__(text)
        self.gone = gone


def call_webhook(hook: Webhook, id: str, payload: object, at: datetime, loopback: bool) -> int:
    """Post the payload as JSON and return the status, which is 2xx. Raises WebhookFailed."""
    body = msgspec.json.encode(payload)
    status = post_json(hook.url, {**base_headers(), **signature_headers(hook.secret, id, at, body)}, body, loopback)
    if 200 <= status < 300:
        return status
    if 300 <= status < 400:
        raise WebhookFailed(
            f"Your server responded with {status}, a redirect. We don't follow redirects. Enter the final address."
        )
    raise WebhookFailed(f"Your server responded with {status}.", gone=status == 410)


def post_json(url: str, fields: dict[str, str], body: bytes, loopback: bool) -> int:
    """Return the status of the server's response. The body is not read. Raises WebhookFailed."""
    try:
        with (
            httpcore.ConnectionPool(network_backend=GuardedBackend(CALL_TIMEOUT_SECONDS, loopback), retries=0) as pool,
            pool.stream("POST", url, headers=list(fields.items()), content=body) as response,
        ):
            return int(response.status)
    except AddressRefused:
        raise WebhookFailed("The host is unknown or not public. Use a public address.") from None
    except (httpcore.ReadTimeout, httpcore.WriteTimeout):
        raise WebhookFailed("Your server took too long to respond.") from None
    except (httpcore.TimeoutException, httpcore.ConnectError):
        raise WebhookFailed("Your server couldn't be reached. Check the URL and that the server is running.") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError):
        raise WebhookFailed("The connection to your server failed before it responded.") from None
    except httpcore.UnsupportedProtocol:
        raise WebhookFailed("The address must start with http:// or https://.") from None


def base_headers() -> dict[str, str]:
    """Return the headers of every call."""
    return {"Content-Type": "application/json", "User-Agent": "Crumbtrail-Webhook/1", "Accept": "*/*"}


def signature_headers(secret: str, id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers that let the receiver verify the sender and the time, and detect repeated calls."""
    stamp = str(int(at.timestamp()))
    key = b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"{id}.{stamp}.".encode() + body, "sha256").digest()
    return {"webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": f"v1,{b64encode(code).decode()}"}
