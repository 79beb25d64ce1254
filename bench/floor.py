"""The floor of a move over HTTP: a bare Flask endpoint that checks a token, calls the append script and answers.

You would write this if you needed no rules: Flask's routing, a token found by its hash, a JSON body, one call of
redis-py with the service's `append.lua`, and a short answer. It decides, folds and counts nothing, and its answer
contains no match.
"""

import hashlib
import json
import os
import secrets
from types import SimpleNamespace

from flask import Flask, Response, abort, jsonify, request
from redis import Redis

from service.event_store.log import APPEND_SCRIPT

TOKEN = "floor"


def app() -> Flask:
    """Return an application with the endpoint, for the same server program and log as the service."""
    floor = Flask(__name__)
    # The server's settings end live streams when a process stops. There are none here.
    floor.extensions["crumbtrail"] = SimpleNamespace(match_subscriptions=SimpleNamespace(close=lambda: None))
    redis = Redis.from_url(os.environ["CRUMBTRAIL_LOG_URL"])
    redis.set(token_key(TOKEN), "{}")
    append = redis.register_script(APPEND_SCRIPT)

    @floor.get("/readyz")
    def ready() -> Response:
        return Response("ok")

    @floor.post("/append/<match>/<expected>")
    def append_one(match: str, expected: str) -> tuple[Response, int]:
        if redis.get(token_key(request.headers["Authorization"].removeprefix("Bearer "))) is None:
            abort(401)
        raw = request.get_data()
        move = json.loads(raw)
        keys = [f"{{floor}}:{match}", f"{{floor}}:{match}:commands", "{floor}:feed"]
        status, ply, *_ = append(keys, [match, expected, secrets.token_hex(32), "", "", "", raw])
        if status != b"OK":
            abort(409)
        return jsonify(accepted=True, event=ply, cell=move["cell"]), 201

    return floor


def token_key(token: str) -> str:
    """Look up a token by its hash, as the service does."""
    return f"floor:token:{hashlib.sha256(token.encode()).hexdigest()}"
