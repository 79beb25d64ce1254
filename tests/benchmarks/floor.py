"""The floor of a move over HTTP: a bare Flask endpoint that looks a token up, does one append and answers."""

import hashlib
import os
import secrets

from flask import Flask, Response, abort, request
from redis import Redis

APPEND = """
if redis.call('HGET', KEYS[2], ARGV[1]) then
  return redis.error_reply('twice')
end
local id = redis.call('XADD', KEYS[1], '*', 'e', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], id)
redis.call('XADD', KEYS[3], '*', 'm', KEYS[1], 'f', id)
return id
"""
"""The same writes as an append of one event: log, command table and feed, and the look for a command done before."""
TOKEN = "floor"


def app() -> Flask:
    """The endpoint, on the same server and the same log as the service beside it."""
    floor = Flask(__name__)
    redis = Redis.from_url(os.environ["CRUMBTRAIL_LOG_URL"])
    redis.set(token_key(TOKEN), "{}")
    append = redis.register_script(APPEND)

    @floor.get("/readyz")
    def ready() -> Response:
        return Response("ok")

    @floor.post("/append/<match>")
    def append_one(match: str) -> Response:
        if redis.get(token_key(request.headers["Authorization"].removeprefix("Bearer "))) is None:
            abort(401)
        keys = [f"{{floor}}:{match}", f"{{floor}}:{match}:commands", "{floor}:feed"]
        append(keys, [secrets.token_hex(32), request.get_data()])
        return Response(b'{"accepted": true}', 201, mimetype="application/json")

    return floor


def token_key(token: str) -> str:
    """Where a token is looked up: by its hash, as the service does it."""
    return f"floor:token:{hashlib.sha256(token.encode()).hexdigest()}"
