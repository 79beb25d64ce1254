"""Every page: whole, well-formed, labelled, guarded."""

import re
from collections.abc import Callable

import pytest
from flask import Flask

from domain.kernel.registry import games
from service.bootstrap import Services
from service.web.assets import assets, assets_digest
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

PAGES = (
    "/", "/matches", "/leaderboard", "/leaderboard/mice_cake", "/new", "/new/mice_cake", "/new/tic_tac_toe", "/name",
    "/rules", "/verify", "/nothing/here",
)  # fmt: skip
TABLE_BYTES = 105_000
ELSEWHERE = {"js/draws.js", "js/verifier.js", "js/verify_here.js", "js/replay.js"}
"""Scripts that no table loads."""


@pytest.mark.parametrize("path", [*PAGES, *(f"/rules/{slug}" for slug in games())])
def test_every_page_is_well_formed_and_labelled(ann: Visitor, path: str) -> None:
    assert_well_formed(ann.open(path))


def test_the_table_and_its_replay_are_well_formed_and_labelled(ann: Visitor) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    assert_well_formed(table)
    assert_well_formed(ann.open(f"{table.path}/replay"))
    assert_well_formed(ann.send(table.form("/moves"), do="resign"))
    assert_well_formed(ann.open(f"{table.path}/replay"))


def assert_well_formed(page: Page) -> None:
    """One language, one main part, one heading, a way past the frame, tags that close, fields with labels."""
    assert page.reader.faults == []
    assert '<html lang="en">' in page.html
    assert len(list(page.all("main"))) == 1
    assert len(list(page.all("h1"))) == 1
    assert page.title
    assert any(link.get("href") == "#main" for link in page.all("a"))
    names = [field["id"] for field in page.all("input") if "id" in field]
    labelled = {label["for"] for label in page.all("label") if "for" in label}
    assert set(names) <= labelled, f"{page.path}: fields without a label"
    ids = re.findall(r'\sid="([^"]+)"', page.html)
    assert len(ids) == len(set(ids)), f"{page.path}: an id stands twice"


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(ann: Visitor) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    for page in (ann.open("/"), table, ann.open(f"{table.path}/replay"), ann.open("/rules/mice_cake")):
        policy = page.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=", page.html)
        assert all(script.get("src", "").startswith("/assets/") for script in page.all("script"))
        sources = re.findall(r'(?:src|href)="(https?:)?//[^"]*"', page.html)
        assert sources == []


def test_every_page_carries_the_guards(ann: Visitor) -> None:
    headers = ann.open("/").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "private, no-cache"


def test_a_table_weighs_less_than_105_kb_with_style_and_scripts(app: Flask) -> None:
    """In mid-match, with a long log and the last round beside the board."""
    match, ann, bob = two_player_match(app)
    for _ in range(6):
        for visitor in (ann, bob):
            play_anything(visitor, match)
    page = ann.open(f"/matches/{match}")
    assert page_bytes(page, "mice_cake") < TABLE_BYTES


def page_bytes(page: Page, game: str) -> int:
    """The bytes of the page and of all that the table of this game may load, packed."""
    used = (
        (name, asset)
        for name, asset in assets().items()
        if name not in ELSEWHERE and (not name.startswith("tables/") or f"/{game}/" in name)
    )
    packed = sum(len(asset.gzipped) for _, asset in used)
    print(f"\n{game}: table page {len(page.html)} bytes, its assets packed {packed}")
    return len(page.html.encode()) + packed


def play_anything(visitor: Visitor, match: str) -> None:
    """Send all mice to the first column that takes them, if it is this visitor's turn."""
    page = visitor.open(f"/matches/{match}")
    if not [form for form in page.forms("/moves") if "do" not in form.fields]:
        return
    form = page.form("/moves")
    for column in sorted(form.choices.keys() & set("ABCD")):
        ready = form.choices[column][-1]
        steal = {"steal": form.choices["steal"][-1]} if "steal" in form.choices else {}
        for extra in ({}, steal):
            if visitor.send(form, **dict.fromkeys("ABCD", "0") | {column: ready} | extra).status == 200:
                return
    raise AssertionError("no column took the mice")


# -- assets -------------------------------------------------------------------------------------------------------


def test_assets_may_be_kept_for_ever_under_the_digest_of_what_they_are(ann: Visitor) -> None:
    style = next(link["href"] for link in ann.open("/").all("link") if link.get("rel") == "stylesheet")
    assert f"/assets/{assets_digest()}/" in style
    answer = ann.client.get(style)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    packed = ann.client.get(style, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(answer.data) / 2


def test_what_anybody_may_keep_carries_no_cookie(app: Flask) -> None:
    """Given a reader with a session, when a file comes, then it has no cookie in it, and is the same for everybody."""
    match, ann, _ = two_player_match(app)
    assert ann.client.get(f"/matches/{match}").headers.get("Set-Cookie"), "a page renews the session"
    answer = ann.client.get(f"/assets/{assets_digest()}/style.css")
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_an_older_page_finds_its_assets_but_does_not_keep_them(ann: Visitor) -> None:
    assert ann.client.get("/assets/000000000000/style.css").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("name", ["../__init__.py", "tables/mice_cake/columns.py", "tables/generic/form.html", "x.css"])
def test_only_styles_scripts_and_pictures_are_served(ann: Visitor, name: str) -> None:
    assert ann.client.get(f"/assets/{assets_digest()}/{name}").status_code == 404


def test_every_import_of_a_script_leads_to_a_script() -> None:
    for name, asset in assets().items():
        for imported in re.findall(r'from "([^"]+)"', asset.content.decode()):
            folder = name.split("/")[:-1]
            for part in imported.split("/"):
                folder = folder[:-1] if part == ".." else folder if part == "." else [*folder, part]
            assert "/".join(folder) in assets(), f"{name} imports {imported}"


# -- lobby --------------------------------------------------------------------------------------------------------


def test_two_clicks_lead_from_the_lobby_to_a_running_match(ann: Visitor) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    assert table.status == 200
    assert "Your turn: send your mice." in table.text
    assert "Greedy bot" in table.text


def test_a_double_click_makes_one_match(ann: Visitor) -> None:
    form = ann.open("/").form("/play")
    assert ann.post(form, press="greedy").location == ann.post(form, press="greedy").location


def test_a_match_that_waits_for_me_stands_first(ann: Visitor, project: Callable[[], None]) -> None:
    ann.send(ann.open("/").form("/play"), press="greedy")
    ann.new_match(seat1="friend")
    project()
    page = ann.open("/")
    assert page.title.startswith("● 1 waiting")
    assert page.text.index("Waiting for you") < page.text.index("Waiting for others")
    assert "Waiting for somebody to sit down as blue." in page.text


def test_open_seats_are_offered_to_others_and_private_ones_are_not(
    ann: Visitor, bob: Visitor, project: Callable[[], None]
) -> None:
    public = match_id_of(ann.new_match(seat1="anyone"))
    private = match_id_of(ann.new_match(seat1="friend"))
    project()
    lobby = bob.open("/")
    assert public in lobby.html
    assert private not in lobby.html


def test_finished_matches_lead_to_their_replay(ann: Visitor, bob: Visitor, project: Callable[[], None]) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    ann.send(table.form("/moves"), do="resign")
    project()
    lobby = bob.open("/")
    assert f"{table.path}/replay" in lobby.html
    assert "Greedy bot (blue) won." in lobby.text


# -- names --------------------------------------------------------------------------------------------------------


def test_who_only_looks_is_no_player(ann: Visitor, services: Services) -> None:
    ann.open("/")
    ann.open("/rules/mice_cake")
    assert services.runtime.redis.keys("ct:player:*") == []


def test_a_guest_can_take_another_name(ann: Visitor) -> None:
    page = ann.send(ann.open("/name").form("/name"), name="  Zoë  ")
    assert page.path == "/"
    assert "Zoë" in page.text


@pytest.mark.parametrize("name", ["", "x" * 41, "a\u202eb"])
def test_a_name_that_cannot_be_shown_is_refused_and_kept_in_the_field(ann: Visitor, name: str) -> None:
    page = ann.send(ann.open("/name").form("/name"), name=name)
    assert page.status == 422
    assert "A name has" in page.text


def test_a_name_is_text_and_never_markup(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    ann.named("<b onclick=x>&amp;</b>")
    for page in (ann.open(f"/matches/{match}"), ann.open(f"/matches/{match}/replay"), ann.open("/name")):
        assert "<b onclick" not in page.html
        assert "&lt;b onclick=x&gt;" in page.html
