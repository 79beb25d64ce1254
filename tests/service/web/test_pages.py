"""Every page is well-formed, labelled and secured. Also assets, the lobby and names."""

import re
from collections.abc import Callable
from posixpath import dirname, join, normpath

import pytest
from flask import Flask

from domain.kernel.registry import games
from service.bootstrap import Services
from service.web.assets import assets, assets_digest
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

PAGES = (
    "/", "/matches", "/leaderboard", "/leaderboard/mice_cake", "/new", "/new/mice_cake", "/new/tic_tac_toe", "/name",
    "/rules", "/verify", "/trust", "/nothing/here",
)  # fmt: skip
TABLE_BYTES = 120_000
"""The most bytes that the page of a match, its styles and the scripts that it loads at once may have, unpacked."""
IMPORT = re.compile(r"""^(?:import|export)[^;]*?\sfrom "(\.[^"]+)";|^import "(\.[^"]+)";""", re.MULTILINE)


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
    """Assert one language, main part and heading, a skip link, closed tags, unique ids and labelled fields."""
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
    assert len(ids) == len(set(ids)), f"{page.path}: duplicate ids"


def test_pages_have_no_inline_or_third_party_content(ann: Visitor) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    for page in (ann.open("/"), table, ann.open(f"{table.path}/replay"), ann.open("/rules/mice_cake")):
        policy = page.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=", page.html)
        assert all(script.get("src", "").startswith("/assets/") for script in page.all("script"))
        sources = re.findall(r'(?:src|href)="(https?:)?//[^"]*"', page.html)
        assert sources == []


def test_every_page_has_security_headers(ann: Visitor) -> None:
    headers = ann.open("/").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "private, no-cache"


def test_a_match_page_with_its_styles_and_scripts_is_under_120_kb(app: Flask) -> None:
    """In mid-match, with a long history and a recap of the last round."""
    match, ann, bob = two_player_match(app)
    for _ in range(6):
        for visitor in (ann, bob):
            play_anything(visitor, match)
    page = ann.open(f"/matches/{match}")
    assert page_bytes(page, "mice_cake") < TABLE_BYTES


BOARD_PICTURE = re.compile(r'(?<=<div id="board" class="board-frame">).*?(?=</div>)', re.DOTALL)


def page_bytes(page: Page, game: str) -> int:
    """Return the bytes of the page, its style sheet and the scripts that it loads at once, all unpacked.

    A board that is one picture (SVG) counts as a picture.
    """
    script = f"tables/{game}/table.js"
    used = {f"styles/{game}.css", *imported_scripts("js/live.js"), *imported_scripts(script)}
    sizes = {name: len(assets()[name].content) for name in sorted(used)}
    document = len(BOARD_PICTURE.sub("", page.html).encode())
    print(f"\n{game}: page {document} bytes, with {sizes}")
    return document + sum(sizes.values())


def imported_scripts(name: str) -> set[str]:
    """Return a script and all that it imports statically, by the names of assets."""
    found, open_names = set(), [name]
    while open_names:
        one = open_names.pop()
        if one in found:
            continue
        found.add(one)
        for first, second in IMPORT.findall(assets()[one].content.decode()):
            open_names.append(normpath(join(dirname(one), first or second)))
    return found


def play_anything(visitor: Visitor, match: str) -> None:
    """Send all mice to the first column that accepts them, if it is this visitor's turn."""
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
    raise AssertionError("no column accepted the mice")


# -- assets -------------------------------------------------------------------------------------------------------


def test_assets_with_the_current_digest_are_cached_forever(ann: Visitor) -> None:
    style = next(link["href"] for link in ann.open("/").all("link") if link.get("rel") == "stylesheet")
    assert f"/assets/{assets_digest()}/" in style
    answer = ann.client.get(style)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    packed = ann.client.get(style, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(answer.data) / 2


def test_cacheable_assets_set_no_cookie(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    assert ann.client.get(f"/matches/{match}").headers.get("Set-Cookie"), "pages renew the session cookie"
    answer = ann.client.get(f"/assets/{assets_digest()}/style.css")
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_assets_with_an_outdated_digest_are_not_cached(ann: Visitor) -> None:
    assert ann.client.get("/assets/000000000000/style.css").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("name", ["../__init__.py", "tables/mice_cake/columns.py", "tables/generic/form.html", "x.css"])
def test_only_styles_scripts_and_images_are_served(ann: Visitor, name: str) -> None:
    assert ann.client.get(f"/assets/{assets_digest()}/{name}").status_code == 404


def test_every_script_import_resolves() -> None:
    scripts = {name: asset.content.decode() for name, asset in assets().items() if name.endswith(".js")}
    for name, script in scripts.items():
        for imported in re.findall(r'(?:from |import\()"([^"]+)"', script):
            folder = name.split("/")[:-1]
            for part in imported.split("/"):
                folder = folder[:-1] if part == ".." else folder if part == "." else [*folder, part]
            assert "/".join(folder) in assets(), f"{name} imports {imported}"


# -- lobby --------------------------------------------------------------------------------------------------------


def test_play_now_starts_a_match_from_the_lobby(ann: Visitor) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    assert table.status == 200
    assert "Your turn: send your mice." in table.text
    assert "Greedy bot" in table.text


def test_a_double_click_makes_one_match(ann: Visitor) -> None:
    form = ann.open("/").form("/play")
    assert ann.post(form, press="greedy").location == ann.post(form, press="greedy").location


def test_matches_waiting_for_you_are_listed_first(ann: Visitor, project: Callable[[], None]) -> None:
    ann.send(ann.open("/").form("/play"), press="greedy")
    ann.new_match(seat1="friend")
    project()
    page = ann.open("/")
    assert page.title.startswith("● 1 waiting")
    assert page.text.index("Your turn") < page.text.index("Waiting for others")
    assert "Waiting for someone to play blue." in page.text


def test_the_lobby_lists_open_seats_but_not_private_ones(
    ann: Visitor, bob: Visitor, project: Callable[[], None]
) -> None:
    public = match_id_of(ann.new_match(seat1="anyone"))
    private = match_id_of(ann.new_match(seat1="friend"))
    project()
    lobby = bob.open("/")
    assert public in lobby.html
    assert private not in lobby.html


def test_finished_matches_link_to_their_replay(ann: Visitor, bob: Visitor, project: Callable[[], None]) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    ann.send(table.form("/moves"), do="resign")
    project()
    lobby = bob.open("/")
    assert f"{table.path}/replay" in lobby.html
    assert "Greedy bot won." in lobby.text


# -- names --------------------------------------------------------------------------------------------------------


def test_viewing_pages_creates_no_player(ann: Visitor, services: Services) -> None:
    ann.open("/")
    ann.open("/rules/mice_cake")
    assert services.runtime.redis.keys("ct:player:*") == []


def test_a_guest_can_change_their_name(ann: Visitor) -> None:
    page = ann.send(ann.open("/name").form("/name"), name="  Zoë  ")
    assert page.path == "/"
    assert "Zoë" in page.text


@pytest.mark.parametrize("name", ["", "x" * 41, "a\u202eb"])
def test_an_invalid_name_is_refused(ann: Visitor, name: str) -> None:
    page = ann.send(ann.open("/name").form("/name"), name=name)
    assert page.status == 422
    assert "A name " in page.text


def test_markup_in_a_name_is_escaped(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    ann.named("<b onclick=x>&amp;</b>")
    for page in (ann.open(f"/matches/{match}"), ann.open(f"/matches/{match}/replay"), ann.open("/name")):
        assert "<b onclick" not in page.html
        assert "&lt;b onclick=x&gt;" in page.html
