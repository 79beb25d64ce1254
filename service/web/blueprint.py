"""The blueprint of all pages, and the size limit for their forms."""

from flask import Blueprint, request

from replays.file import MAX_FILE

MAX_FORM_BYTES = 64 * 1024
"""Maximum size of a posted form, in bytes, not counting an uploaded replay file."""

web = Blueprint("web", __name__, template_folder=".")


def limit_form_size() -> None:
    """Limit the size of the request body. Larger requests get a 413 response."""
    upload = MAX_FILE if request.endpoint == "web.verify_sent" else 0
    request.max_content_length = MAX_FORM_BYTES + upload
