"""The floor of a move over HTTP: a bare Flask endpoint that does one XADD and answers."""

import os

from flask import Flask, Response, request
from redis import Redis


def app() -> Flask:
    """The endpoint, on the same server and the same log as the service beside it."""
    floor = Flask(__name__)
    redis = Redis.from_url(os.environ["CRUMBTRAIL_LOG_URL"])

    @floor.get("/readyz")
    def ready() -> Response:
        return Response("ok")

    @floor.post("/xadd")
    def xadd() -> Response:
        redis.xadd("floor", {"e": request.get_data()})
        return Response(b'{"accepted": true}', 201, mimetype="application/json")

    return floor
