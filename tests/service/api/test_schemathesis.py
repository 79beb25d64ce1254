"""The API tested against its OpenAPI document by schemathesis: single operations, and sequences along links.

All checks are enabled. The data are a running match, a finished one, an open one, and their players. Streams are cut
after the first chunk, since they do not end, and requests do not wait for events.
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
"""Codes of requests that do not match the document."""
HOUR = 3600.0
QUICK_EXAMPLES = 3
"""Number of examples in the quick tests."""
WAIT = re.compile(r"(?<![^&])wait=[0-9]+(?=&|$)")


@schemathesis.serializer("application/x-ndjson")
def lines(context: SerializationContext, value: Any) -> bytes:
    """Return a replay file as bytes."""
    return str(value).encode(errors="surrogatepass")


@schemathesis.check
def valid_requests_are_not_called_malformed(ctx: CheckContext, response: Response, case: Case) -> None:
    """Fail if a request that matches the document is refused as malformed. The rules may still refuse it."""
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if not fits or response.status_code not in (400, 415, 422):
        return
    problem = response.json()
    if problem["code"] == "malformed_json" and is_ambiguous(case.body):
        return  # a rule for all bodies that a schema cannot express (see `docs/api.md`)
    if problem["code"] == "bad_if_match" and not PLY_ETAG_PATTERN.fullmatch(response.request.headers["If-Match"]):
        return  # schemathesis sometimes drops the quotes in the pattern
    if problem["code"] in FORM_CODES:
        raise Failure(operation=case.operation.label, title="Called malformed", message=problem["detail"])


def is_ambiguous(value: Any, depth: int = 0) -> bool:
    """Return whether JSON decoders disagree on the value."""
    match value:
        case str():
            return "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value)
        case int() | float():
            return abs(value) > 2**53 - 1
        case dict():
            return depth == 32 or any(is_ambiguous(part, depth + 1) for pair in value.items() for part in pair)
        case list():
            return depth == 32 or any(is_ambiguous(part, depth + 1) for part in value)
    return False


class StreamCuttingApp:
    """Wraps the application, cutting streams after the first chunk and never waiting for events."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        environ["QUERY_STRING"] = WAIT.sub("wait=0", environ["QUERY_STRING"])
        found = self._app.wsgi_app(environ, start)
        return first_chunk(found) if environ["PATH_INFO"].endswith("/stream") else found


def first_chunk(found: Any) -> Iterator[bytes]:
    """Yield the first chunk of a stream, then close it."""
    try:
        yield from islice(found, 1)
    finally:
        if hasattr(found, "close"):
            found.close()


@pytest.fixture(autouse=True)
def _drop_network_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drop network options, which schemathesis adds to requests without a token and WSGI calls do not accept."""
    send = WSGITransport.send

    def without_options(self: WSGITransport, case: Case, *, session: Any = None, **kwargs: Any) -> Response:
        for name in ("max_redirects", "verify", "cert"):
            kwargs.pop(name, None)
        return send(self, case, session=session, **kwargs)

    monkeypatch.setattr(WSGITransport, "send", without_options)


def configured(app: Flask, phases: tuple[str, ...], examples: int, seed: int) -> SchemathesisConfig:
    """Return a configuration that sends Ann's requests, and a worker's to /house, mostly about existing data."""
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
            # The rules refuse many valid requests; `valid_requests_are_not_called_malformed` checks the code.
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ["2xx", "3xx", "400", "403", "404", "409", "422"]}
            },
            "dictionaries": {name: {"values": values} for name, values in known.items()},
            "parameters": {f"path.{name}": {"dictionary": name, "probability": 0.8} for name in known},
            "operations": [
                {"include-path-regex": "/house", "headers": {"Authorization": f"Bearer {worker}"}},
                # Invalid moves of all games would be over a thousand requests.
                {
                    "include-operation-id": ["makeMove", "giveOrders"],
                    "phases": {"coverage": {"enabled": "coverage" in phases and examples > QUICK_EXAMPLES}},
                },
                # Every body is text, so there are no bodies of the failures type.
                {"include-operation-id": "verifyReplay", "generation": {"mode": "positive"}},
            ],
        }
    )


def findings(
    app: Flask, phases: tuple[str, ...], examples: int, seed: int, only: str = "/"
) -> tuple[Counter[str], dict[str, str]]:
    """Return the number of requests per operation, and the failures. `only` is a regex for paths."""
    config = configured(app, phases, examples, seed)
    schema = schemathesis.openapi.from_wsgi(f"{PREFIX}/openapi.json", StreamCuttingApp(app), config=config)
    schema = schema.include(path_regex=only)

    request_counts: Counter[str] = Counter()
    failures: dict[str, str] = {}
    for event in from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            collect_findings(event.recorder, request_counts, failures)
        elif isinstance(event, events.NonFatalError | events.FatalError):
            failures["schemathesis stopped"] = str(getattr(event, "value", None) or getattr(event, "exception", event))
    return request_counts, failures


def collect_findings(recorder: Any, request_counts: Counter[str], failures: dict[str, str]) -> None:
    """Count the requests, and collect the first failure of each kind."""
    for case, checks in recorder.checks.items():
        label = recorder.cases[case].value.operation.label
        request_counts[label] += 1
        for check in checks:
            if check.failure_info is not None:
                answer = recorder.interactions[case].response
                body = answer.content[:600].decode(errors="replace") if answer else ""
                failure = check.failure_info.failure
                request = check.failure_info.code_sample
                failures.setdefault(
                    f"{check.name} at {label}", f"{failure.title}: {failure.message}\n{request}\n{body}"
                )


def test_each_operation_conforms_to_the_document(app: Flask) -> None:
    request_counts, failures = findings(app, ALONE, QUICK_EXAMPLES, seed=1)
    assert not failures, describe_findings(failures)
    assert set(request_counts) == operations(app)


def test_sequences_along_links_conform_to_the_document(app: Flask) -> None:
    request_counts, failures = findings(app, LINKED, examples=15, seed=1)
    assert not failures, describe_findings(failures)
    assert request_counts.total() > 40
    assert {"POST /api/v1/matches", "POST /api/v1/matches/{match}/moves"} <= set(request_counts)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3])
def test_more_examples_conform_to_the_document(app: Flask, seed: int) -> None:
    for phases, examples in ((ALONE, 60), (LINKED, 150)):
        _, failures = findings(app, phases, examples, seed)
        assert not failures, describe_findings(failures)


@pytest.mark.soak
def test_an_hour_of_examples_conforms_to_the_document(app: Flask) -> None:
    until, seed = time.monotonic() + HOUR, int(time.time())
    while time.monotonic() < until:
        seed += 1
        for phases, examples in ((ALONE, 150), (LINKED, 300)):
            _, failures = findings(app, phases, examples, seed)
            assert not failures, f"seed {seed}: {describe_findings(failures)}"


def test_deliberate_faults_are_found(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finds operations that fail, that skip authentication, and that do not match their schema."""
    faulty_views = {
        "turns": lambda: 1 // 0,
        "me": lambda: json_response({}),
        "get_notifications": lambda: json_response({"mail": 5}),
    }
    for name, view in faulty_views.items():
        endpoint = next(endpoint for endpoint in app.view_functions if endpoint.endswith(f".{name}"))
        monkeypatch.setitem(app.view_functions, endpoint, view)
    _, failures = findings(app, ("fuzzing",), examples=1, seed=1, only="/me$|/me/turns$|/me/notifications$")
    assert f"not_a_server_error at GET {PREFIX}/me/turns" in failures
    assert f"ignored_auth at GET {PREFIX}/me" in failures
    assert f"response_schema_conformance at GET {PREFIX}/me/notifications" in failures


def operations(app: Flask) -> set[str]:
    """Return all operations of the document."""
    paths = openapi(app)["paths"]
    return {f"{method.upper()} {path}" for path, found in paths.items() for method in found if method != "parameters"}


def describe_findings(failures: dict[str, str]) -> str:
    """Return all failures as text."""
    return "\n\n".join(f"{check}\n{failure}" for check, failure in failures.items())
