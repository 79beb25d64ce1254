"""The style sheets that pages link to, each joined from its parts, so that a page waits for one request.

`styles/page.css` is for pages without a table, `styles/<slug>.css` for the matches of a game and
`styles/<slug>-replay.css` for their replays. Sections of the common
style sheet begin with a comment such as `/* -- lobby -- */`, and matches leave out the sections of other pages.
"""

import re
from collections.abc import Mapping

COMMON = ("tokens.css", "style.css")
OTHER_PAGES = frozenset({"lobby", "replay", "rules, errors", "pages without a table"})
"""Sections that a match doesn't need."""
SECTION = re.compile(r"/\* -- (.+?) -- \*/")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
SPACE = re.compile(r"\s+")
NAME = re.compile(r"--[a-z][a-z0-9-]*")
USED = re.compile(r"var\((--[a-z][a-z0-9-]*)")
DEFINED = re.compile(r"(?<=[{;])(--[a-z][a-z0-9-]*):[^;{}]*;")
COLON = re.compile(r"([a-z0-9-]): ")
TIGHT = re.compile(r"\s*([{};,])\s*")


def joined_styles(sheets: Mapping[str, str], tables: Mapping[str, str | None], scripts: str) -> dict[str, str]:
    """Return the joined style sheets by name. `tables` has the style sheet of each game's table.

    Custom properties that neither the sheet nor the text of the `scripts` mentions are left out.
    """
    read = frozenset(NAME.findall(scripts))
    common = "\n".join(sheets[name] for name in COMMON)
    moving = sheets["table.css"] + sheets["motion.css"]
    table = "\n".join((sheets["tokens.css"], without_sections(sheets["style.css"], OTHER_PAGES), moving))
    replay = "\n".join((common, moving, sheets["film.css"]))
    own = {slug: sheets.get(name or "", "") for slug, name in tables.items()}
    return (
        {"styles/page.css": compact(common, read)}
        | {f"styles/{slug}.css": compact(f"{table}\n{style}", read) for slug, style in own.items()}
        | {f"styles/{slug}-replay.css": compact(f"{replay}\n{style}", read) for slug, style in own.items()}
    )


def without_sections(style: str, left_out: frozenset[str]) -> str:
    """Return a style sheet without these sections. Raises ValueError if one of them doesn't exist."""
    first, *rest = SECTION.split(style)
    sections = list(zip(rest[::2], rest[1::2], strict=True))
    if missing := left_out - {name for name, _ in sections}:
        raise ValueError(f"style.css has no section {', '.join(sorted(missing))}")
    return first + "".join(rules for name, rules in sections if name not in left_out)


def compact(style: str, kept: frozenset[str]) -> str:
    """Return a style sheet without comments, needless white space and unused custom properties, except those `kept`.

    Strings in it must not contain `/*`.
    """
    tight = COLON.sub(r"\1:", TIGHT.sub(r"\1", SPACE.sub(" ", COMMENT.sub("", style)))).strip()
    used = kept | frozenset(USED.findall(tight))
    return DEFINED.sub(lambda found: found[0] if found[1] in used else "", tight).replace(";}", "}")
