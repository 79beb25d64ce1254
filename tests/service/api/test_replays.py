"""Replays: download, verify, audit."""

import io
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, cast

import pytest
from flask import Flask

from domain.kernel.registry import find_game
from replays.file import MAX_FILE, encode_replay, read_replay
from replays.verify import verify
from service.bootstrap import Services
from service.disputes.trusted_keys import parse_trusted_keys
from service.event_store.keys import new_match_id
from service.runtime.concurrency_limits import ConcurrencyLimiter
from service.verification.uploads import MAX_UPLOADS, MAX_UPLOADS_PER_ADDRESS, MAX_VERIFICATIONS, VERIFICATION_SLOTS
from tests.builders import play_match, replay_file
from tests.replays.test_signature import OTHER
from tests.service.api.builders import (
    PREFIX,
    Person,
    anonymous,
    assert_problem,
    finished_match,
    mark_cell,
    started_match,
)
from tests.service.web.visitors import Visitor

NDJSON = {"Content-Type": "application/x-ndjson"}
VERIFY = f"{PREFIX}/replays/verify"


def verify_file(person: Person, raw: bytes) -> dict:
    answer = person.send("POST", "/replays/verify", raw, NDJSON)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_a_finished_match_can_be_downloaded_and_verified(app: Flask) -> None:
    match, (ann, _) = finished_match(app)
    download = anonymous(app).get(f"/matches/{match}/replay")
    assert download.mimetype == "application/x-ndjson"
    assert f"{match}.crumb.ndjson" in download.headers["Content-Disposition"]
    report = verify_file(ann, download.data)
    assert (report["ok"], report["verdict"], report["match"]) == (True, "verified", match)
    assert anonymous(app).get(f"/matches/{match}/replay", If_None_Match=download.headers["ETag"]).status_code == 304


def test_a_download_is_signed_by_the_published_key(app: Flask, services: Services) -> None:
    match, (ann, _) = finished_match(app)
    published = app.test_client().get("/.well-known/crumbtrail-key")
    assert (published.status_code, published.mimetype) == (200, "application/json")
    raw = anonymous(app).get(f"/matches/{match}/replay").data
    report = verify(raw, parse_trusted_keys(published.data))
    assert report.ok, report.as_text()
    signature = next(layer for layer in verify_file(ann, raw)["layers"] if layer["name"] == "signature")
    assert "a known key" in signature["sentence"]
    # A new key changes the file, so the old ETag no longer matches.
    before = anonymous(app).get(f"/matches/{match}/replay").headers["ETag"]
    services.disputes.signing_keys.rotate()
    assert anonymous(app).get(f"/matches/{match}/replay", If_None_Match=before).status_code == 200


def signed_by_another(raw: bytes) -> bytes:
    """Return the replay signed with a different key."""
    return b"".join(encode_replay(read_replay(raw).events, OTHER))


def unsigned(raw: bytes) -> bytes:
    """Return the replay without its signature."""
    return b"".join(encode_replay(read_replay(raw).events))


@pytest.mark.parametrize(("change", "rule"), [(signed_by_another, "signature.key"), (unsigned, "signature.missing")])
def test_a_file_of_a_match_played_here_needs_our_signature(
    app: Flask, change: Callable[[bytes], bytes], rule: str
) -> None:
    # given: a replay of a match played here, signed with another key or not signed
    match, (ann, _) = finished_match(app)
    raw = change(anonymous(app).get(f"/matches/{match}/replay").data)
    assert verify(raw).ok
    # when
    report = verify_file(ann, raw)
    # then
    assert (report["verdict"], report["first"]["rule"]) == ("failed", rule)
    assert report["first"]["line"] == report["events"] + 2


def test_a_file_from_elsewhere_may_have_any_signature_but_its_key_is_not_checked(
    app: Flask, services: Services
) -> None:
    elsewhere = b"".join(encode_replay(play_match(find_game("tic_tac_toe"), match=new_match_id()), OTHER))
    for _ in range(2):
        report = verify_file(anonymous(app), elsewhere)
        signature = next(layer for layer in report["layers"] if layer["name"] == "signature")
        assert (report["verdict"], signature["status"]) == ("verified", "partly")
        services.matches.imported.import_file(elsewhere)  # an imported match is still from elsewhere


def test_a_running_match_is_downloaded_as_a_spectator_sees_it(app: Flask) -> None:
    match, (yellow, _) = started_match(app, "mice_cake")
    yellow.post(f"/matches/{match}/moves", {"type": "assign_mice", "columns": {"A": 3, "B": 1}})
    for person in (anonymous(app), yellow):
        raw = person.get(f"/matches/{match}/replay").data
        assert b'"A":3' not in raw
        report = verify_file(anonymous(app), raw)
        assert (report["ok"], report["verdict"]) == (False, "unfinished")


def test_a_changed_file_fails_verification(app: Flask) -> None:
    match, _ = finished_match(app)
    raw = anonymous(app).get(f"/matches/{match}/replay").data
    report = verify_file(anonymous(app), raw.replace(b'"cell":4', b'"cell":5'))
    assert report["verdict"] == "failed"
    assert report["first"]["line"] > 1


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"{}\n", b"[" * 50_000, b"\n" * 1000, b'{"a":' + b"9" * 9000 + b"}\n"])
def test_any_body_gets_a_report(app: Flask, raw: bytes) -> None:
    report = verify_file(anonymous(app), raw)
    assert report["verdict"] == "failed"
    assert report["first"]["sentence"]


def test_the_size_limit_for_files_is_higher_than_for_other_bodies(app: Flask) -> None:
    raw = replay_file(play_match(find_game("mice_cake")))
    assert len(raw) > 16 * 1024
    assert verify_file(anonymous(app), raw)["ok"]
    report = verify_file(anonymous(app), raw + b" " * 200_000)
    assert report["first"]["rule"].startswith("file.")
    client = app.test_client()
    large = client.post(VERIFY, data=b"\n" * (MAX_FILE + 1), headers=NDJSON)
    assert (large.status_code, large.json["code"]) == (413, "too_large")


def test_concurrent_verifications_are_limited(app: Flask) -> None:
    with ExitStack() as taken:
        for _ in range(MAX_VERIFICATIONS):
            taken.enter_context(VERIFICATION_SLOTS.hold())
        assert_upload_refused(app, 503, "busy")
    verify_file(anonymous(app), b"{}\n")


def test_concurrent_uploads_are_limited(app: Flask) -> None:
    with ExitStack() as taken:
        for n in range(MAX_UPLOADS):
            taken.enter_context(uploads(app).hold(f"192.0.2.{n}"))
        assert_upload_refused(app, 503, "busy")
    verify_file(anonymous(app), b"{}\n")


def test_concurrent_uploads_are_limited_per_address(app: Flask) -> None:
    """Uploads may take minutes. A client with many slow uploads must not block others."""
    with ExitStack() as taken:
        for _ in range(MAX_UPLOADS_PER_ADDRESS):
            taken.enter_context(uploads(app).hold("127.0.0.1"))
        answer = assert_upload_refused(app, 429, "too_many_files")
        assert f"already uploading {MAX_UPLOADS_PER_ADDRESS} files" in answer.json["detail"]
        other = {"REMOTE_ADDR": "192.0.2.1"}
        found = app.test_client().post(VERIFY, data=b"{}\n", headers=NDJSON, environ_base=other)
        assert found.status_code == 200
    verify_file(anonymous(app), b"{}\n")


def uploads(app: Flask) -> ConcurrencyLimiter:
    """Return the limiter of uploads."""
    return cast(ConcurrencyLimiter, app.extensions["crumbtrail-uploads"])


def assert_upload_refused(app: Flask, status: int, code: str) -> Any:
    """Assert that API and page refuse an upload, and return the answer of the API."""
    answer = anonymous(app).send("POST", "/replays/verify", b"{}\n", NDJSON)
    assert_problem(answer, status, code)
    ann = Visitor(app)
    data = {**ann.open("/verify").form("/verify").fields, "file": (io.BytesIO(b"{}"), "m.crumb.ndjson")}
    page = ann.client.post("/verify", data=data)
    assert (page.status_code, page.headers["Retry-After"]) == (status, "5")
    assert answer.headers["Retry-After"] == "5"
    return answer


class UnreadableBody(io.RawIOBase):
    """A body that must not be read."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise AssertionError("the body was read")


@pytest.mark.parametrize(("taken", "addresses", "status"), [(MAX_UPLOADS, 8, 503), (MAX_UPLOADS_PER_ADDRESS, 1, 429)])
def test_a_body_is_not_read_before_a_slot_is_free(app: Flask, taken: int, addresses: int, status: int) -> None:
    form = "multipart/form-data; boundary=x"
    with ExitStack() as others:
        for n in range(taken):
            others.enter_context(uploads(app).hold(f"127.0.0.{1 + n % addresses}"))
        for path, kind in ((VERIFY, NDJSON["Content-Type"]), ("/verify", form)):
            sent = {"wsgi.input": UnreadableBody(), "CONTENT_LENGTH": str(MAX_FILE), "CONTENT_TYPE": kind}
            answer = app.test_client().post(path, environ_overrides=sent)
            assert answer.status_code == status, path


def test_an_audit_is_served_once_available(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    assert_problem(ann.get(f"/audits/{match}"), 404, "no_audit")
    mark_cell(ann, match, 4)
    services.read_models.verdicts.record(match, b'{"ok":true,"layers":[]}')
    answer = anonymous(app).get(f"/audits/{match}")
    assert answer.json == {"ok": True, "layers": []}


def test_a_download_verifies_without_the_server(app: Flask) -> None:
    match, _ = finished_match(app)
    raw = anonymous(app).get(f"/matches/{match}/replay").data
    assert verify(raw).ok
