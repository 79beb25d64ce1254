"""Styles, scripts and images, served at URLs that contain a digest of all assets so that browsers can cache them.

Scripts import each other by relative URL, which keeps the digest, so a page never mixes two versions.
"""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Response, request, url_for
from werkzeug.exceptions import NotFound

from domain.kernel.registry import games
from service.web.blueprint import web
from service.web.game_files import find_table, table_files
from service.web.sprites import sprite_files
from service.web.style_bundles import joined_styles

WEB_FOLDER = Path(__file__).parent
MIME_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".wav": "audio/wav",
}
TABLE_SCRIPTS = ("tables/", "js/live", "js/frame", "js/page")
COMMENT_LINE = re.compile(rb"^[ \t]*//[^\n]*\n", re.MULTILINE)
IMMUTABLE_CACHE = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A static file with its MIME type and its content, plain and gzipped."""

    mimetype: str
    content: bytes
    gzipped: bytes


@cache
def assets() -> dict[str, Asset]:
    """Return all files of `static` by relative path, game tables' as `tables/<slug>/<file>`, and all sprites."""
    static = ((path, path.relative_to(WEB_FOLDER / "static")) for path in (WEB_FOLDER / "static").rglob("*"))
    named = (*((name.as_posix(), path) for path, name in static), *table_files())
    files = sorted((name, path) for name, path in named if path.suffix in MIME_TYPES)
    read = {name: make_asset(path.suffix, served(name, path.read_bytes())) for name, path in files}
    sheets = {name: asset.content.decode() for name, asset in read.items() if name.endswith(".css")}
    scripts = "\n".join(asset.content.decode() for name, asset in read.items() if name.endswith(".js"))
    tables = {slug: find_table(slug).style for slug in games()}
    return (
        read
        | {name: make_asset(".css", style.encode()) for name, style in joined_styles(sheets, tables, scripts).items()}
        | {name: make_asset(".svg", drawn) for name, drawn in sprite_files()}
    )


def served(name: str, raw: bytes) -> bytes:
    """Return a file as browsers get it: scripts of tables without their lines of comment, everything else as it is."""
    if name.startswith(TABLE_SCRIPTS) and name.endswith(".js"):
        return COMMENT_LINE.sub(b"", raw)
    return raw


def make_asset(suffix: str, raw: bytes) -> Asset:
    """Return a file of this kind, with a gzipped copy."""
    return Asset(MIME_TYPES[suffix], raw, gzip.compress(raw, mtime=0))


@cache
def assets_digest() -> str:
    """Return a digest over all assets: 12 hexadecimal digits."""
    whole = hashlib.sha256()
    for name, asset in assets().items():
        whole.update(f"{name} {len(asset.content)}\n".encode() + asset.content)
    return whole.hexdigest()[:12]


def asset(name: str) -> str:
    """Return the URL of an asset. Raises KeyError for an unknown name."""
    assets()[name]
    return url_for("web.send_asset", digest=assets_digest(), name=name)


@web.get("/assets/<digest>/<path:name>")
def send_asset(digest: str, name: str) -> Response:
    """Send an asset. A URL with an outdated digest gets the current file, without long-term caching."""
    found = assets().get(name)
    if found is None:
        raise NotFound
    packed = "gzip" in request.headers.get("Accept-Encoding", "")
    response = Response(found.gzipped if packed else found.content, content_type=found.mimetype)
    response.vary.add("Accept-Encoding")
    if packed:
        response.content_encoding = "gzip"
    response.headers["Cache-Control"] = IMMUTABLE_CACHE if digest == assets_digest() else "no-cache"
    return response
