"""Comfort settings: what a cookie may say, and how a form saves them."""

import pytest

from service.web.comfort import Comfort, read_comfort, write_comfort
from tests.service.web.visitors import Visitor


@pytest.mark.parametrize(
    "text", ["", "theme", "theme=pink", "&&==", "theme=<script>&pace=9", "colour=dark", "é=ü" * 500]
)
def test_an_unknown_cookie_counts_as_the_defaults(text: str) -> None:
    assert read_comfort(text) == Comfort()


def test_settings_survive_being_written_and_read() -> None:
    settings = Comfort(theme="dark", pace="fast", sound="on", board="large")
    assert read_comfort(write_comfort(settings)) == settings


def test_a_form_saves_one_setting_and_keeps_the_others(ann: Visitor) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    assert '<html lang="en">' in table.html
    form = table.form("/comfort")
    page = ann.send(form, theme="dark", pace="normal", sound="off", board="normal")
    assert page.path == table.path
    assert '<html lang="en" data-theme="dark">' in page.html
    page = ann.send(page.form("/comfort"), pace="slow")
    assert '<html lang="en" data-theme="dark" data-pace="slow">' in page.html
    assert '<html lang="en" data-theme="dark" data-pace="slow">' in ann.open("/rules").html


def test_a_cookie_never_adds_markup(ann: Visitor) -> None:
    ann.client.set_cookie("comfort", 'theme=dark"><script>&pace=fast')
    assert '<html lang="en" data-pace="fast">' in ann.open("/rules").html
