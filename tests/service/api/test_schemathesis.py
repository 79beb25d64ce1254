"""The interface held to its own OpenAPI document by schemathesis: each operation alone, and along the links.

All checks are on. A match that is played, one that is over, an open one, and the people at them stand for what is
there. Streams are cut after their first piece, since they never end by themselves, and nobody waits for events.
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest
import schemathesis
from flask import Flask
from schemathesis.checks import CheckContext
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.engine import events, from_schema
from schemathesis.generation.case import Case
from schemathesis.transport import SerializationContext
from schemathesis.transport.wsgi import WSGITransport

from service.accounts.players import HOUSE
from service.api.fields import PLY_ETAG_PATTERN
from service.api.responses import json_response
from service.bootstrap import Services
from tests.service.api.builders import PREFIX, finished_match, new_match, openapi, started_match

ALONE, LINKED = ("examples", "coverage", "fuzzing"), ("stateful",)
FORM_CODES = ("invalid", "malformed_json", "not_json", "bad_idempotency_key", "bad_if_match", "bad_last_event_id")
"""Codes that say: this is not what the document describes."""
HOUR = 3600.0
QUICK_EXAMPLES = 3
"""Examples in a hurry."""
WAIT = re.compile(r"(?<![^&])wait=[0-9]+(?=&|$)")


@schemathesis.serializer("application/x-ndjson")
def lines(context: SerializationContext, value: Any) -> bytes:
    """A replay file as it is sent."""
    return str(value).encode(errors="surrogatepass")


@schemathesis.check
def what_fits_the_document_is_not_refused_for_its_form(ctx: CheckContext, response: Response, case: Case) -> None:
    """A request as the document describes it may be against the rules, but not malformed."""
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if not fits or response.status_code not in (400, 415, 422):
        return
    told = response.json()
    if told["code"] == "malformed_json" and is_surprising(case.body):
        return  # a rule for all bodies that a schema cannot say: see `docs/api.md`
    if told["code"] == "bad_if_match" and not PLY_ETAG_PATTERN.fullmatch(response.request.headers["If-Match"]):
        return  # schemathesis loses the quotes of the pattern now and then
    if told["code"] in FORM_CODES:
        raise Failure(operation=case.operation.label, title="Called malformed", message=told["detail"])


def is_surprising(value: Any, depth: int = 0) -> bool:
    """Whether readers of JSON would read it differently."""
    match value:
        case str():
            return "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value)
        case int() | float():
            return abs(value) > 2**53 - 1
        case dict():
            return depth == 32 or any(is_surprising(part, depth + 1) for pair in value.items() for part in pair)
        case list():
            return depth == 32 or any(is_surprising(part, depth + 1) for part in value)
    return False


class HangingUpClient:
    """The application for readers who hang up after the first piece of a stream, and do not wait for events."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        environ["QUERY_STRING"] = WAIT.sub("wait=0", environ["QUERY_STRING"])
        found = self._app.wsgi_app(environ, start)
        return first_piece(found) if environ["PATH_INFO"].endswith("/stream") else found


def first_piece(found: Any) -> Iterator[bytes]:
    """The first piece of a stream, which is closed then."""
    try:
        yield from islice(found, 1)
    finally:
        if hasattr(found, "close"):
            found.close()


@pytest.fixture(autouse=True)
def probes_reach_the_application(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that try without a token come with options for networks, at which calls of an application stumble."""
    send = WSGITransport.send

    def without_options(self: WSGITransport, case: Case, *, session: Any = None, **kwargs: Any) -> Response:
        for name in ("max_redirects", "verify", "cert"):
            kwargs.pop(name, None)
        return send(self, case, session=session, **kwargs)

    monkeypatch.setattr(WSGITransport, "send", without_options)


def configured(app: Flask, phases: tuple[str, ...], examples: int, seed: int) -> SchemathesisConfig:
    """Ann's requests, and a worker's to the house: mostly about what is there."""
    services: Services = app.extensions["crumbtrail"]
    match, (ann, _) = started_match(app)
    over, _ = finished_match(app)
    waiting = new_match(ann)["match"]["id"]
    worker = services.accounts.players.new_token(HOUSE, HOUSE, "A worker")
    known = {"match": [match, over, waiting], "player": [ann.id], "slug": ["tic_tac_toe", "mice_cake"]}
    return SchemathesisConfig.from_dict(
        {
            "seed": seed,
            "headers": {"Authorization": f"Bearer {ann.token}"},
            "continue-on-failure": True,
            "generation": {"max-examples": examples, "no-shrink": True, "database": "none"},
            "phases": {name: {"enabled": name in phases} for name in ALONE + LINKED},
            # The rules refuse much that has the right form: `what_fits_the_document...` looks at the code.
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ["2xx", "3xx", "400", "403", "404", "409", "422"]}
            },
            "dictionaries": {name: {"values": values} for name, values in known.items()},
            "parameters": {f"path.{name}": {"dictionary": name, "probability": 0.8} for name in known},
            "operations": [
                {"include-path-regex": "/house", "headers": {"Authorization": f"Bearer {worker}"}},
                # The moves of all games, wrong in all ways: over a thousand requests.
                {
                    "include-operation-id": ["makeMove", "giveOrders"],
                    "phases": {"coverage": {"enabled": "coverage" in phases and examples > QUICK_EXAMPLES}},
                },
                # Every body is a text, so none is of the wrong type.
                {"include-operation-id": "verifyReplay", "generation": {"mode": "positive"}},
            ],
        }
    )


def findings(
    app: Flask, phases: tuple[str, ...], examples: int, seed: int, only: str = "/"
) -> tuple[Counter[str], dict[str, str]]:
    """How often each operation was asked, and what is wrong, in schemathesis' own words. `only`: at such paths."""
    config = configured(app, phases, examples, seed)
    schema = schemathesis.openapi.from_wsgi(f"{PREFIX}/openapi.json", HangingUpClient(app), config=config)
    schema = schema.include(path_regex=only)

    asked: Counter[str] = Counter()
    wrong: dict[str, str] = {}
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            collect_findings(event.recorder, asked, wrong)
        elif isinstance(event, events.NonFatalError | events.FatalError):
            wrong["it broke off"] = str(getattr(event, "value", None) or getattr(event, "exception", event))
    return asked, wrong


def collect_findings(recorder: Any, asked: Counter[str], wrong: dict[str, str]) -> None:
    """Take note of what was sent and of the first failure of each kind."""
    for case, checks in recorder.checks.items():
        label = recorder.cases[case].value.operation.label
        asked[label] += 1
        for check in checks:
            if check.failure_info is not None:
                answer = recorder.interactions[case].response
                told = answer.content[:600].decode(errors="replace") if answer else ""
                failure = check.failure_info.failure
                request = check.failure_info.code_sample
                wrong.setdefault(f"{check.name} at {label}", f"{failure.title}: {failure.message}\n{request}\n{told}")


def test_every_operation_alone_holds_to_the_document(app: Flask) -> None:
    asked, wrong = findings(app, ALONE, QUICK_EXAMPLES, seed=1)
    assert not wrong, describe_findings(wrong)
    assert set(asked) == operations(app)


def test_what_follows_the_links_holds_to_the_document(app: Flask) -> None:
    asked, wrong = findings(app, LINKED, examples=15, seed=1)
    assert not wrong, describe_findings(wrong)
    assert asked.total() > 40
    assert {"POST /api/v1/matches", "POST /api/v1/matches/{match}/moves"} <= set(asked)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3])
def test_both_in_full(app: Flask, seed: int) -> None:
    for phases, examples in ((ALONE, 60), (LINKED, 150)):
        _, wrong = findings(app, phases, examples, seed)
        assert not wrong, describe_findings(wrong)


@pytest.mark.soak
def test_both_for_an_hour(app: Flask) -> None:
    until, seed = time.monotonic() + HOUR, int(time.time())
    while time.monotonic() < until:
        seed += 1
        for phases, examples in ((ALONE, 150), (LINKED, 300)):
            _, wrong = findings(app, phases, examples, seed)
            assert not wrong, f"seed {seed}: {describe_findings(wrong)}"


def test_what_is_planted_is_found(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given operations that fail, let anybody in, and answer otherwise than promised, then all three are found."""
    plants = {
        "turns": lambda: 1 // 0,
        "me": lambda: json_response({}),
        "get_notifications": lambda: json_response({"mail": 5}),
    }
    for name, view in plants.items():
        endpoint = next(endpoint for endpoint in app.view_functions if endpoint.endswith(f".{name}"))
        monkeypatch.setitem(app.view_functions, endpoint, view)
    _, wrong = findings(app, ("fuzzing",), examples=1, seed=1, only="/me$|/me/turns$|/me/notifications$")
    assert f"not_a_server_error at GET {PREFIX}/me/turns" in wrong
    assert f"ignored_auth at GET {PREFIX}/me" in wrong
    assert f"response_schema_conformance at GET {PREFIX}/me/notifications" in wrong


def operations(app: Flask) -> set[str]:
    """All operations of the document."""
    paths = openapi(app)["paths"]
    return {f"{method.upper()} {path}" for path, found in paths.items() for method in found if method != "parameters"}


def describe_findings(wrong: dict[str, str]) -> str:
    """All findings."""
    return "\n\n".join(f"{what}\n{how}" for what, how in wrong.items())
