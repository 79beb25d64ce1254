"""Styles, scripts and images, served at URLs that contain a digest of all assets so that browsers can cache them.

Scripts import each other by relative URL, which keeps the digest, so a page never mixes two versions.
"""

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Response, request, url_for
from werkzeug.exceptions import NotFound

from service.web.blueprint import web
from service.web.game_files import table_files

WEB_FOLDER = Path(__file__).parent
MIME_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
IMMUTABLE_CACHE = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A static file with its MIME type and its content, plain and gzipped."""

    mimetype: str
    content: bytes
    gzipped: bytes


@cache
def assets() -> dict[str, Asset]:
    """Return all files of `static` by relative path, and files of game tables as `tables/<slug>/<file>`."""
    static = ((path, path.relative_to(WEB_FOLDER / "static")) for path in (WEB_FOLDER / "static").rglob("*"))
    named = (*((name.as_posix(), path) for path, name in static), *table_files())
    files = sorted((name, path) for name, path in named if path.suffix in MIME_TYPES)
    return {name: read_asset(path) for name, path in files}


def read_asset(path: Path) -> Asset:
    """Return a file read from disk, with a gzipped copy."""
    raw = path.read_bytes()
    return Asset(MIME_TYPES[path.suffix], raw, gzip.compress(raw, mtime=0))


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
