"""Replays: download, verify, audit."""

import io
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, cast

import pytest
from flask import Flask

from domain.kernel.registry import find_game
from replays.file import MAX_FILE, read, write
from replays.verify import verify
from service.bootstrap import Services
from service.disputes.trusted_keys import read_keys
from service.event_store.keys import new_match_id
from service.runtime.concurrency_limits import Slots
from service.verification.uploads import MOST_UPLOADS, MOST_VERIFICATIONS, UPLOADS_OF_ONE, VERIFYING
from tests.builders import play_match, replay_file
from tests.replays.test_signature import OTHER
from tests.service.api.builders import PREFIX, Person, finished, mark, problem, table, visitor
from tests.service.web.visitors import Visitor

NDJSON = {"Content-Type": "application/x-ndjson"}
VERIFY = f"{PREFIX}/replays/verify"


def verified(person: Person, raw: bytes) -> dict:
    answer = person.send("POST", "/replays/verify", raw, NDJSON)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_a_finished_match_is_downloaded_and_verified(app: Flask) -> None:
    match, (ann, _) = finished(app)
    download = visitor(app).get(f"/matches/{match}/replay")
    assert download.mimetype == "application/x-ndjson"
    assert f"{match}.crumb.ndjson" in download.headers["Content-Disposition"]
    report = verified(ann, download.data)
    assert (report["ok"], report["verdict"], report["match"]) == (True, "verified", match)
    assert visitor(app).get(f"/matches/{match}/replay", If_None_Match=download.headers["ETag"]).status_code == 304


def test_a_download_is_signed_by_the_published_key(app: Flask, services: Services) -> None:
    match, (ann, _) = finished(app)
    published = app.test_client().get("/.well-known/crumbtrail-key")
    assert (published.status_code, published.mimetype) == (200, "application/json")
    raw = visitor(app).get(f"/matches/{match}/replay").data
    report = verify(raw, read_keys(published.data))
    assert report.ok, report.words()
    signature = next(layer for layer in verified(ann, raw)["layers"] if layer["name"] == "signature")
    assert "known here" in signature["sentence"]
    # A new key makes a new file: whoever has the old one is told so.
    before = visitor(app).get(f"/matches/{match}/replay").headers["ETag"]
    services.notary.rotate()
    assert visitor(app).get(f"/matches/{match}/replay", If_None_Match=before).status_code == 200


def signed_anew(raw: bytes) -> bytes:
    """The file signed by somebody else."""
    return b"".join(write(read(raw).events, OTHER))


def unsigned(raw: bytes) -> bytes:
    """The file without its signature."""
    return b"".join(write(read(raw).events))


@pytest.mark.parametrize(("change", "rule"), [(signed_anew, "signature.key"), (unsigned, "signature.missing")])
def test_a_file_of_an_own_match_needs_an_own_signature(app: Flask, change: Callable[[bytes], bytes], rule: str) -> None:
    # given: a match that is played here, signed anew by a stranger, or by nobody
    match, (ann, _) = finished(app)
    raw = change(visitor(app).get(f"/matches/{match}/replay").data)
    assert verify(raw).ok
    # when
    report = verified(ann, raw)
    # then
    assert (report["verdict"], report["first"]["rule"]) == ("failed", rule)
    assert report["first"]["line"] == report["events"] + 2


def test_a_file_from_elsewhere_may_have_any_signature_but_none_that_is_taken_for_known(
    app: Flask, services: Services
) -> None:
    elsewhere = b"".join(write(play_match(find_game("tic_tac_toe"), match=new_match_id()), OTHER))
    for _ in range(2):
        report = verified(visitor(app), elsewhere)
        signature = next(layer for layer in report["layers"] if layer["name"] == "signature")
        assert (report["verdict"], signature["status"]) == ("verified", "partly")
        services.archive.take_up(elsewhere)  # it is here then, but still from elsewhere


def test_a_running_match_is_downloaded_as_a_spectator_sees_it(app: Flask) -> None:
    match, (yellow, _) = table(app, "mice_cake")
    yellow.post(f"/matches/{match}/moves", {"type": "assign_mice", "columns": {"A": 3, "B": 1}})
    for person in (visitor(app), yellow):
        raw = person.get(f"/matches/{match}/replay").data
        assert b'"A":3' not in raw
        report = verified(visitor(app), raw)
        assert (report["ok"], report["verdict"]) == (False, "unfinished")


def test_a_changed_file_is_found_out(app: Flask) -> None:
    match, _ = finished(app)
    raw = visitor(app).get(f"/matches/{match}/replay").data
    report = verified(visitor(app), raw.replace(b'"cell":4', b'"cell":5'))
    assert report["verdict"] == "failed"
    assert report["first"]["line"] > 1


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"{}\n", b"[" * 50_000, b"\n" * 1000, b'{"a":' + b"9" * 9000 + b"}\n"])
def test_whatever_is_sent_gets_a_report(app: Flask, raw: bytes) -> None:
    report = verified(visitor(app), raw)
    assert report["verdict"] == "failed"
    assert report["first"]["sentence"]


def test_a_file_may_be_larger_than_other_bodies_but_not_endless(app: Flask) -> None:
    raw = replay_file(play_match(find_game("mice_cake")))
    assert len(raw) > 16 * 1024
    assert verified(visitor(app), raw)["ok"]
    report = verified(visitor(app), raw + b" " * 200_000)
    assert report["first"]["rule"].startswith("file.")
    client = app.test_client()
    large = client.post(VERIFY, data=b"\n" * (MAX_FILE + 1), headers=NDJSON)
    assert (large.status_code, large.json["code"]) == (413, "too_large")


def test_only_so_many_files_are_verified_at_a_time(app: Flask) -> None:
    with ExitStack() as taken:
        for _ in range(MOST_VERIFICATIONS):
            taken.enter_context(VERIFYING.one())
        refused(app, 503, "busy")
    verified(visitor(app), b"{}\n")


def test_only_so_many_files_are_taken_in_at_a_time(app: Flask) -> None:
    with ExitStack() as taken:
        for n in range(MOST_UPLOADS):
            taken.enter_context(uploads(app).one(f"192.0.2.{n}"))
        refused(app, 503, "busy")
    verified(visitor(app), b"{}\n")


def test_one_address_leaves_places_to_other_files(app: Flask) -> None:
    """A large file may take minutes to come in; who sends many at a time, and slowly, does not close the door."""
    with ExitStack() as taken:
        for _ in range(UPLOADS_OF_ONE):
            taken.enter_context(uploads(app).one("127.0.0.1"))
        answer = refused(app, 429, "too_many_files")
        assert f"{UPLOADS_OF_ONE} files coming in from your address" in answer.json["detail"]
        other = {"REMOTE_ADDR": "192.0.2.1"}
        found = app.test_client().post(VERIFY, data=b"{}\n", headers=NDJSON, environ_base=other)
        assert found.status_code == 200
    verified(visitor(app), b"{}\n")


def uploads(app: Flask) -> Slots:
    """The places for files that come in."""
    return cast(Slots, app.extensions["crumbtrail-uploads"])


def refused(app: Flask, status: int, code: str) -> Any:
    """No file is taken now, neither by the interface, whose answer this gives, nor by the page."""
    answer = visitor(app).send("POST", "/replays/verify", b"{}\n", NDJSON)
    problem(answer, status, code)
    ann = Visitor(app)
    data = {**ann.open("/verify").form("/verify").fields, "file": (io.BytesIO(b"{}"), "m.crumb.ndjson")}
    page = ann.client.post("/verify", data=data)
    assert (page.status_code, page.headers["Retry-After"]) == (status, "5")
    assert answer.headers["Retry-After"] == "5"
    return answer


class Unread(io.RawIOBase):
    """A body that nobody may read."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise AssertionError("the body was read")


@pytest.mark.parametrize(("taken", "addresses", "status"), [(MOST_UPLOADS, 8, 503), (UPLOADS_OF_ONE, 1, 429)])
def test_nothing_of_a_file_is_read_before_there_is_a_place_for_it(
    app: Flask, taken: int, addresses: int, status: int
) -> None:
    form = "multipart/form-data; boundary=x"
    with ExitStack() as others:
        for n in range(taken):
            others.enter_context(uploads(app).one(f"127.0.0.{1 + n % addresses}"))
        for path, kind in ((VERIFY, NDJSON["Content-Type"]), ("/verify", form)):
            sent = {"wsgi.input": Unread(), "CONTENT_LENGTH": str(MAX_FILE), "CONTENT_TYPE": kind}
            answer = app.test_client().post(path, environ_overrides=sent)
            assert answer.status_code == status, path


def test_an_audit_is_shown_once_there_is_one(app: Flask, services: Services) -> None:
    match, (ann, _) = table(app)
    problem(ann.get(f"/audits/{match}"), 404, "no_audit")
    mark(ann, match, 4)
    services.projections.record_verdict(match, b'{"ok":true,"layers":[]}')
    answer = visitor(app).get(f"/audits/{match}")
    assert answer.json == {"ok": True, "layers": []}


def test_what_is_downloaded_is_what_verifies_here_and_elsewhere(app: Flask) -> None:
    match, _ = finished(app)
    raw = visitor(app).get(f"/matches/{match}/replay").data
    assert verify(raw).ok
