"""Absolute links for people to copy and share."""

from typing import Any

from flask import url_for

from service.app_context import services


def public_link(endpoint: str, **values: Any) -> str:
    """Return the absolute URL of a page on the public address of this service.

    If CRUMBTRAIL_PUBLIC_URL is not set, the link has the address at which the request arrived (its `Host` header).
    """
    address = services().runtime.settings.link_address
    return url_for(endpoint, **values, _external=True) if address is None else address + url_for(endpoint, **values)
