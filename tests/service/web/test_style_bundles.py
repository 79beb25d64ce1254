"""The style sheets that pages link to: joined, without what the page doesn't need."""

import pytest

from service.web.assets import assets
from service.web.style_bundles import compact, without_sections

STYLE = """a { color: red; }
/* -- lobby -- */
.hero { color: var(--used); }
/* -- the table -- */
.bar { margin: 0; }
"""


def test_sections_of_other_pages_are_left_out() -> None:
    kept = without_sections(STYLE, frozenset({"lobby"}))
    assert "".join(kept.split()) == "a{color:red;}.bar{margin:0;}"


def test_an_unknown_section_is_an_error() -> None:
    with pytest.raises(ValueError, match="no section lobbi"):
        without_sections(STYLE, frozenset({"lobbi"}))


def test_unused_custom_properties_comments_and_spaces_are_left_out() -> None:
    style = ":root { --used: 1px; --unused: 2px; --script: 3px; }\n/* why */\n.a , .b { margin: var(--used) ; }"
    assert compact(style, frozenset({"--script"})) == ":root{--used:1px;--script:3px}.a,.b{margin:var(--used)}"


def test_a_table_loads_the_tokens_the_frame_and_the_games_own_rules() -> None:
    style = assets()["styles/take_the_cake.css"].content.decode()
    assert "--cloth:" in style
    assert ".button-row" in style
    assert ".slot" in style
    assert ".flavours" not in style
    assert ".flavours" in assets()["styles/page.css"].content.decode()
