"""Checking a replay file that somebody has: the same check as the command line's, nothing is kept."""

from importlib.resources import files

from flask import Response, render_template, request
from werkzeug.exceptions import BadRequest

from replays.file import MAX_FILE
from service.app_context import services
from service.verification.uploads import hold_upload_slot
from service.web.blueprint import web
from service.web.security import csrf

STANDALONE_NAME = "standalone_verify.py"


@web.get("/verify")
def verify_page() -> str:
    """The form for a file."""
    return render_template("templates/verify.html", report=None, name="")


@web.post("/verify")
def verify_sent() -> str:
    """The report on the file."""
    with hold_upload_slot():
        csrf.protect()  # whose token comes in with the file
        sent = request.files.get("file")
        if sent is None or not sent.filename:
            raise BadRequest("Choose a replay file first; its name ends in .crumb.ndjson.")
        found = services().verification.uploads.verify(sent.read(MAX_FILE + 1))
    return render_template("templates/verify.html", report=found, name=sent.filename)


@web.get("/verify/standalone_verify.py")
def standalone() -> Response:
    """The script that checks a file without us."""
    headers = {"Content-Disposition": f'attachment; filename="{STANDALONE_NAME}"'}
    return Response(standalone_script(), mimetype="text/x-python", headers=headers)


def standalone_script() -> bytes:
    """The script's text."""
    return files("replays").joinpath(STANDALONE_NAME).read_bytes()
