"""Verification of uploaded replay files, with the same checks as the command line. Nothing is stored."""

from importlib.resources import files

from flask import Response, render_template, request
from werkzeug.exceptions import BadRequest

from replays.file import MAX_FILE
from service.app_context import hold_upload_slot, services
from service.web.blueprint import web
from service.web.security import csrf

STANDALONE_NAME = "standalone_verify.py"


@web.get("/verify")
def verify_page() -> str:
    """Show the upload form."""
    return render_template("templates/verify.html", report=None, name="")


@web.post("/verify")
def verify_sent() -> str:
    """Show the report on an uploaded file."""
    with hold_upload_slot():
        csrf.protect()  # the token is in the same body as the file
        sent = request.files.get("file")
        if sent is None or not sent.filename:
            raise BadRequest("Choose a replay file first. Its name ends in .crumb.ndjson.")
        found = services().verification.uploads.verify(sent.read(MAX_FILE + 1))
    return render_template("templates/verify.html", report=found, name=sent.filename)


@web.get("/verify/standalone_verify.py")
def standalone() -> Response:
    """Send the standalone verification script."""
    headers = {"Content-Disposition": f'attachment; filename="{STANDALONE_NAME}"'}
    return Response(standalone_script(), mimetype="text/x-python", headers=headers)


def standalone_script() -> bytes:
    """Return the text of the standalone script."""
    return files("replays").joinpath(STANDALONE_NAME).read_bytes()
