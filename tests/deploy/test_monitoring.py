"""Alerts and dashboard in `deploy/`: they are valid, and each metric and label that they name is exported."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.heartbeat import QueueState
from service.runtime.readiness import ADVICE
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import mark_cell, started_match
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy" / "prometheus" / "crumbtrail.rules.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "crumbtrail.json"
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()

Labels = dict[str, set[str]]
"""The labels of each metric, by its name."""


def alerts() -> dict[str, dict[str, Any]]:
    """Return the alert rules by name."""
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def panels() -> list[dict[str, Any]]:
    """Return the panels of the dashboard that show something."""
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def expressions() -> dict[str, str]:
    """Return every PromQL expression, by the alert or panel that contains it."""
    shown = {f"{panel['title']} {target['refId']}": target["expr"] for panel in panels() for target in panel["targets"]}
    return {name: rule["expr"] for name, rule in alerts().items()} | shown


def selectors(node: Any) -> Iterator[Any]:
    """Yield every selector of a metric in a parsed expression."""
    if isinstance(node, promql_parser.VectorSelector):
        yield node
    for part in ("lhs", "rhs", "expr", "param", "args", "vector_selector"):
        found = getattr(node, part, None)
        for inner in found if isinstance(found, list) else [found]:
            if inner is not None:
                yield from selectors(inner)


def exported(app: Flask) -> Labels:
    """Return the metrics that an application serves, with their labels."""
    found: Labels = {}
    for family in text_string_to_metric_families(app.test_client().get("/metrics").get_data(as_text=True)):
        for sample in family.samples:
            if sample.name.startswith("crumbtrail_"):
                found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> Labels:
    """Every metric that a service with a match, a queue, a failed job and a full memory serves."""
    folder = tmp_path_factory.mktemp("log")
    with EmbeddedServer(folder) as server:
        services = build_services(Settings(log_url=server.url()))
        app = create_app(services)
        match, (ann, _) = started_match(app)
        mark_cell(ann, match, 0)
        services.runtime.heartbeat.record({"bots": QueueState(1, 2.0, 1)})
        services.runtime.job_failures.record_failure("audit")
        found = exported(app)
        with Redis(unix_socket_path=str(server.socket_path)) as admin:
            admin.config_set("maxmemory", 1)
        wait_until(lambda: "crumbtrail_unready" in exported(app), 10)
        for name, labels in exported(app).items():
            found.setdefault(name, set()).update(labels)
        services.runtime.redis.close()
    return found


def test_expressions_name_only_exported_metrics_and_labels(metrics: Labels) -> None:
    for where, expression in expressions().items():
        named = list(selectors(promql_parser.parse(expression)))
        assert named, where
        for selector in named:
            assert selector.name in metrics, f"{where} names {selector.name}, which is not exported"
            for matcher in selector.matchers.matchers:
                assert matcher.name in metrics[selector.name], f"{selector.name} has no label {matcher.name}"


def test_a_misspelt_metric_would_be_found() -> None:
    (found,) = selectors(promql_parser.parse("max by (server) (rate(crumbtrail_lgo_up[5m])) > 1"))
    assert found.name == "crumbtrail_lgo_up"


def test_a_grouped_label_exists(metrics: Labels) -> None:
    """Given `by (label)` or a label in a text, then a metric of that expression has this label."""
    texts = {name: f"{rule['expr']} {rule['annotations']}" for name, rule in alerts().items()}
    texts |= {panel["title"]: json.dumps(panel["targets"]) for panel in panels()}
    for name, text in texts.items():
        grouped = {label.strip() for group in re.findall(r"by \(([^)]*)\)", text) for label in group.split(",")}
        used = grouped | set(re.findall(r"\$labels\.(\w+)", text)) | set(re.findall(r"{{(\w+)}}", text))
        known = {label for metric in re.findall(r"crumbtrail_\w+", text) for label in metrics.get(metric, set())}
        assert used <= known, f"{name}: {used - known}"


def test_every_alert_says_what_is_wrong_and_how_urgent_it_is() -> None:
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in ("page", "ticket"), name
        assert rule["annotations"]["summary"], name


def test_the_operations_page_explains_every_alert_and_every_reason() -> None:
    assert [name for name in alerts() if f"`{name}`" not in OPERATIONS] == []
    assert [reason for reason in ADVICE if f"`{reason}`" not in OPERATIONS] == []


def test_the_operations_page_lists_every_metric(metrics: Labels) -> None:
    names = {re.sub(r"_(bucket|count|sum|created)$", "", name) for name in metrics}
    assert sorted(name for name in names if f"`{name}" not in OPERATIONS) == []


def test_the_dashboard_shows_every_metric_of_the_log_server(metrics: Labels) -> None:
    shown = " ".join(expressions().values())
    assert sorted(name for name in metrics if name.startswith("crumbtrail_log_") and name not in shown) == []


def test_panels_have_different_ids_and_do_not_overlap() -> None:
    everything = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in everything}) == len(everything)
    taken: set[tuple[int, int]] = set()
    for panel in everything:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not taken & cells, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


@pytest.mark.full
def test_prometheus_itself_accepts_the_rules_and_the_alerts_fire() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed; it comes with Prometheus")
    subprocess.run([promtool, "check", "rules", RULES], check=True)
    subprocess.run([promtool, "test", "rules", Path(__file__).with_name("alerts_test.yml")], check=True)
