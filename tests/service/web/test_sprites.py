"""Sprites and the pictures on pages that point at them."""

import re

from flask import Flask

from domain.kernel.registry import games
from service.web.assets import assets
from service.web.pictures import picture
from service.web.sprites import sprite_ids
from tests.service.web.visitors import Visitor

FRAME_PICTURES = re.compile(r'picture\("(kernel#[a-z0-9-]+)"')


def test_a_picture_points_at_its_symbol_in_a_cached_file(app: Flask, ann: Visitor) -> None:
    with app.test_request_context():
        drawn = picture("kernel#icon-undo", label='Take "it" back')
    address = re.search(r'href="([^"#]+)#icon-undo"', drawn)
    assert address is not None
    assert 'aria-label="Take &#34;it&#34; back"' in drawn
    sent = ann.client.get(address[1])
    assert sent.mimetype == "image/svg+xml"
    assert "immutable" in sent.headers["Cache-Control"]
    assert 'id="icon-undo"' in sent.get_data(as_text=True)


def test_an_unknown_picture_stays_empty(app: Flask) -> None:
    with app.test_request_context():
        assert "<use" not in picture("kernel#no-such-icon")
        assert "<use" not in picture("no_such_game#pie")


def test_every_picture_of_the_frame_exists() -> None:
    from service.web.assets import WEB_FOLDER

    named = {
        name
        for path in (WEB_FOLDER / "templates").glob("*.html")
        for name in FRAME_PICTURES.findall(path.read_text(encoding="utf-8"))
        if not name.endswith("-")
    }
    assert named
    assert {name for name in named if name.partition("#")[2] not in sprite_ids("kernel")} == set()


def test_sprites_draw_without_styles_scripts_or_gradients() -> None:
    drawn = {name: asset.content.decode() for name, asset in assets().items() if name.startswith("sprites/")}
    assert "sprites/kernel.svg" in drawn
    assert {name.split("/")[1].removesuffix(".svg") for name in drawn} <= {"kernel", *games()}
    for name, svg in drawn.items():
        assert not re.search(r"\sstyle=|<style|<script|Gradient|<filter|\son[a-z]+=", svg), name
