"""The blueprint of all pages, and the limit on what their forms send."""

from flask import Blueprint, request

from replays.file import MAX_FILE

MAX_FORM_BYTES = 64 * 1024
"""Bytes that a form may send, and what it may take around a replay file."""

web = Blueprint("web", __name__, template_folder=".")


def limit_form_size() -> None:
    """Refuse what no form of ours can have sent (413)."""
    upload = MAX_FILE if request.endpoint == "web.verify_sent" else 0
    request.max_content_length = MAX_FORM_BYTES + upload
