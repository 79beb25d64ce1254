"""The replay page, replay files and verification."""

import io
import re
import subprocess
import sys
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from replays.file import encode_replay, read_replay
from replays.verify import verify
from service.bootstrap import Services
from service.disputes.trusted_keys import parse_trusted_keys
from service.verification import uploads
from tests.replays.test_signature import OTHER
from tests.service.web.visitors import Visitor, two_player_match

SEED = "c0ffee"


@pytest.fixture
def finished(app: Flask) -> tuple[str, Visitor]:
    """A match of two rounds in which yellow then resigned."""
    match, ann, bob = two_player_match(app, seed=SEED)
    for _ in range(2):
        for visitor in (ann, bob):
            form = visitor.open(f"/matches/{match}").form("/moves")
            column = next(c for c in "ABCD" if c in form.choices)
            visitor.send(form, **{column: form.choices[column][-1]})
    ann.send(ann.open(f"/matches/{match}").form("/moves"), do="resign")
    return match, ann


def test_every_ply_has_all_points_of_view(finished: tuple[str, Visitor], services: Services) -> None:
    match, ann = finished
    last = services.matches.repository.load(match).ply
    for ply in range(1, last + 1):
        for look in ("everything", "spectator", "0", "1"):
            page = ann.open(f"/matches/{match}/replay?ply={ply}&as={look}")
            assert page.status == 200
            assert f"Move {ply} of {last}" in page.text
            assert page.reader.faults == []


def test_a_ply_can_be_stepped_through_fact_by_fact(finished: tuple[str, Visitor], services: Services) -> None:
    match, ann = finished
    ply = 6  # the first round was played here
    facts = len(
        services.matches.repository.visible_events(services.matches.repository.load(match), None)[ply - 1].facts
    )
    shown = [ann.open(f"/matches/{match}/replay?ply={ply}&fact={fact}") for fact in range(facts + 1)]
    assert all(page.status == 200 for page in shown)
    lists = [re.search(r'<ul class="dice-list">(.*?)</ul>', page.html, re.DOTALL) for page in shown]
    dice = [found[1].count('class="die"') if found else 0 for found in lists]
    assert dice == sorted(dice)
    assert (dice[0], dice[-1]) == (0, 8)
    assert ann.open(f"/matches/{match}/replay?ply={ply}&fact={facts + 1}").status == 404


@pytest.mark.parametrize("query", ["ply=0", "ply=99", "ply=x", "as=9", "as=nobody", "ply=1&fact=7", "fact=-1"])
def test_invalid_positions_are_not_found(finished: tuple[str, Visitor], query: str) -> None:
    match, ann = finished
    assert ann.open(f"/matches/{match}/replay?{query}").status == 404


def test_links_step_through_the_plies_without_scripts(finished: tuple[str, Visitor]) -> None:
    match, ann = finished
    page = ann.open(f"/matches/{match}/replay?ply=1")
    seen = 1
    while (step := next((a for a in page.all("a") if a.get("rel") == "next"), {})).get("href"):
        page = ann.open(step["href"].replace("&amp;", "&"))
        seen += 1
    assert "Move 11 of 11" in page.text
    assert seen == 11


def test_verify_shows_every_layer(finished: tuple[str, Visitor]) -> None:
    match, ann = finished
    page = ann.send(ann.open(f"/matches/{match}/replay?ply=5").form("/replay"))
    assert "Verified: every check passed" in page.text
    assert "Move 5 of 11" in page.text
    for layer in ("File", "Chain", "Seed", "Draws", "Moves", "Fold", "Score"):
        assert f"{layer} " in page.text


def test_concurrent_verifications_are_limited(finished: tuple[str, Visitor], app: Flask) -> None:
    # given: the maximum number of verifications in progress
    match, ann = finished
    form = ann.open(f"/matches/{match}/replay").form("/replay")
    raw = ann.client.get(f"/matches/{match}/replay/file").data
    with ExitStack() as busy:
        for _ in range(uploads.MAX_VERIFICATIONS):
            busy.enter_context(uploads.VERIFICATION_SLOTS.hold())
        # when
        page, sent = ann.send(form), upload(Visitor(app), raw)
    # then
    for status, text in ((page.status, page.text), (sent.status_code, sent.get_data(as_text=True))):
        assert status == 503
        assert "The server is busy" in text
    assert "Verified: every check passed" in ann.send(form).text


def test_a_file_signed_by_an_untrusted_key_is_refused(finished: tuple[str, Visitor], app: Flask) -> None:
    match, ann = finished
    raw = ann.client.get(f"/matches/{match}/replay/file").data
    resigned = b"".join(encode_replay(read_replay(raw).events, OTHER))
    assert "signed by a key that is not trusted" in upload_text(Visitor(app), resigned)


def test_a_running_match_verifies_so_far(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    page = ann.send(ann.open(f"/matches/{match}/replay").form("/replay"))
    assert "No errors so far" in page.text


def test_a_downloaded_file_verifies_when_uploaded(finished: tuple[str, Visitor], app: Flask) -> None:
    match, ann = finished
    answer = ann.client.get(f"/matches/{match}/replay/file")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="mice_cake-{match}.crumb.ndjson"'
    assert "Verified: every check passed" in upload_text(Visitor(app), answer.data)


def test_the_bundle_is_sufficient_to_verify_the_match(finished: tuple[str, Visitor], tmp_path: Path) -> None:
    match, ann = finished
    packed = zipfile.ZipFile(io.BytesIO(ann.client.get(f"/matches/{match}/replay/bundle").data))
    packed.extractall(tmp_path)
    file = tmp_path / f"mice_cake-{match}.crumb.ndjson"
    # Run the script on its own, then verify with the keys from the bundle.
    command = [sys.executable, "-I", str(tmp_path / "standalone_verify.py"), str(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "no errors" in run.stdout
    assert verify(file.read_bytes(), parse_trusted_keys((tmp_path / "crumbtrail-key.json").read_bytes())).ok


def test_the_verify_page_offers_the_script(ann: Visitor) -> None:
    script = ann.client.get(ann.open("/verify").link("standalone_verify.py"))
    assert (script.status_code, script.mimetype) == (200, "text/x-python")
    assert script.data.startswith(b"#!/usr/bin/env python3")


def test_a_changed_file_fails_and_the_ply_is_named(finished: tuple[str, Visitor], app: Flask) -> None:
    match, ann = finished
    raw = ann.client.get(f"/matches/{match}/replay/file").data
    dice = re.search(rb'"dice":\[(\d)', raw)
    assert dice
    changed = bytearray(raw)
    changed[dice.start(1)] = ord("6") if dice[1] != b"6" else ord("5")
    report = upload_text(Visitor(app), bytes(changed))
    assert "Verification failed" in report
    assert "ply 6" in report


@pytest.mark.parametrize("raw", [b"", b"hello", b"\xff\n\xff\n", b"[" * 70_000])
def test_an_invalid_replay_file_fails(app: Flask, raw: bytes) -> None:
    assert "Verification failed" in upload_text(Visitor(app), raw)


def upload(visitor: Visitor, raw: bytes) -> TestResponse:
    form = visitor.open("/verify").form("/verify")
    data = {**form.fields, "file": (io.BytesIO(raw), "m.crumb.ndjson")}
    return visitor.client.post("/verify", data=data)


def upload_text(visitor: Visitor, raw: bytes) -> str:
    answer = upload(visitor, raw)
    assert answer.status_code == 200
    return re.sub(r"<[^>]+>|\s+", " ", answer.get_data(as_text=True)).replace("  ", " ")


def test_a_file_is_required(ann: Visitor) -> None:
    page = ann.send(ann.open("/verify").form("/verify"))
    assert page.status == 400
    assert "Choose a replay file first" in page.text
