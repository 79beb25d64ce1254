"""Replays: download and verify them; the verdicts of audits."""

from flask import Response, request

from replays.file import MAX_FILE, SUFFIX
from replays.report import Report
from service.api.blueprint import ApiBlueprint
from service.api.problems import Problem
from service.api.request_parsing import read_body
from service.api.responses import json_response
from service.api.streams import NDJSON
from service.app_context import hold_upload_slot, services
from service.matches.exports import replay_file

blp = ApiBlueprint("replays", "Replay files, their verification, and the verdicts of audits.")


@blp.route("/matches/<match>/replay")
@blp.response(200, {"type": "string"}, content_type=NDJSON, description="The replay file, one JSON document per line.")
@blp.doc(operationId="downloadReplay")
def download(match: str) -> Response:
    """Download the replay file of a match.

    Until the match is over, the file has only what a spectator may see, and no facts if its game is not installed.
    """
    lines = services().matches.repository.log_lines(match)
    signer = services().disputes.signing_keys.current_signer()
    body = replay_file(lines, signer)
    tag = f"{len(lines)}-{signer.key[:8]}"
    headers = {"Content-Disposition": f'attachment; filename="{match}{SUFFIX}"', "ETag": f'"{tag}"'}
    if request.if_none_match.contains_weak(tag):
        return Response(status=304, headers=headers)
    return Response(body, headers=headers, mimetype=NDJSON)


@blp.route("/replays/verify", methods=["POST"])
@blp.response(200, Report)
@blp.doc(
    operationId="verifyReplay",
    requestBody={"required": True, "content": {NDJSON: {"schema": {"type": "string", "minLength": 1}}}},
)
def verify() -> Response:
    """Verify a replay file: hash chain, signature, seed, every draw, every move and the score.

    The body is the file, up to 16 MiB.
    """
    request.max_content_length = MAX_FILE
    with hold_upload_slot():
        raw = read_body(request)
        if not raw:
            raise Problem(422, "invalid", "The body is empty. Send a replay file.", errors={"json": {}})
        return json_response(services().verification.uploads.verify(raw))


@blp.route("/audits/<match>")
@blp.response(200, {"type": "object"}, description="The verdict of the audit.")
@blp.doc(operationId="getAudit")
def audit(match: str) -> Response:
    """Get the verdict of the audit of a finished match."""
    verdict = services().read_models.verdicts.find(match)
    if verdict is None:
        services().matches.repository.load(match)
        raise Problem(404, "no_audit", "There is no verdict on this match yet. Matches are audited once they are over.")
    return Response(verdict, mimetype="application/json")
