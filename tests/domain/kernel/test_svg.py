"""Helpers for SVG drawings."""

from functools import partial
from xml.etree import ElementTree as ET

from domain.kernel.svg import decoration, element, group, label, tooltip


def test_an_element_without_content_is_self_closing() -> None:
    assert element("rect", width=8, height=4.5) == '<rect width="8" height="4.5"/>'


def test_the_content_of_an_element_is_not_escaped() -> None:
    assert element("g", element("circle", r=3), "<path/>") == '<g><circle r="3"/><path/></g>'


def test_attribute_names_are_written_as_in_svg() -> None:
    drawn = element("use", class_="cell", data_cell="A1", stroke_width=2, viewBox="0 0 1 1")
    assert drawn == '<use class="cell" data-cell="A1" stroke-width="2" viewBox="0 0 1 1"/>'


def test_values_are_escaped() -> None:
    drawn = element("g", data_name="""<b> & "c" & 'd'""")
    assert ET.fromstring(drawn).attrib == {"data-name": """<b> & "c" & 'd'"""}


def test_text_is_escaped() -> None:
    assert label(1, 2, "Salt & <pepper>") == '<text x="1" y="2" font-size="22">Salt &amp; &lt;pepper&gt;</text>'
    assert tooltip("Salt & <pepper>") == "<title>Salt &amp; &lt;pepper&gt;</title>"


def test_a_fixed_fill_can_be_overridden() -> None:
    inked = partial(label, fill="#43281a")
    assert inked(1, 2, "a", 17, text_anchor="end") == (
        '<text x="1" y="2" font-size="17" fill="#43281a" text-anchor="end">a</text>'
    )
    assert inked(1, 2, "a", fill="#fff") == '<text x="1" y="2" font-size="22" fill="#fff">a</text>'


def test_a_group_is_moved_and_scaled() -> None:
    assert group(1.5, 2.0, "<path/>") == '<g transform="translate(1.5 2)"><path/></g>'
    assert group(1, 2, scale=0.5, class_="tile") == '<g transform="translate(1 2) scale(0.5)" class="tile"/>'


def test_a_decoration_is_hidden_from_screen_readers_and_tabbing() -> None:
    drawn = ET.fromstring(decoration(46, 66, "<path/>", class_="mouse"))
    assert drawn.attrib == {
        "viewBox": "0 0 46 66",
        "width": "46",
        "height": "66",
        "aria-hidden": "true",
        "focusable": "false",
        "class": "mouse",
    }
