"""The dashboard and the alerts ask for metrics and labels that the service has; the rules are those of Prometheus."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from src.entrypoints.http.app import create_app
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.repair_rates import ALARM_ABOVE, WARNING_AT
from src.shared.domain.repair_rate import MINIMUM
from tests.entrypoints.http.page.served import made, store_of
from tests.loopback.asgi_server import AsgiServer
from tests.paths import ROOT

DEPLOY = ROOT / "tools/deploy"
ALERTS = DEPLOY / "prometheus-alerts.yml"
_METRIC = re.compile(r"(?<![\w:])(?P<name>llm_output_\w++)(?:\{(?P<matchers>[^}]*+)\})?")
_BY = re.compile(r"by \((?P<labels>[\w, ]++)\)")
_MATCHED = re.compile(r"(?P<label>\w++)\s*+(?:=~|!~|!=|=)\s*+\"(?P<value>[^\"]*+)\"")
_ALERTED = re.compile(r"^ {8}expr: (?:\|\n(?P<block>(?: {10}.*\n)++)|(?P<line>.*))", re.MULTILINE)
_LEGEND = re.compile(r"\{\{(?P<label>\w++)\}\}")


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Every sample of the service with its labels, after texts were repaired and refused, there and elsewhere."""
    store = store_of(tmp_path_factory.mktemp("metrics"), made())
    with AsgiServer(create_app(ServiceSettings(), MonitoringSettings(store_url=store))) as server:
        for text in ("{'a': 1}", "no"):
            httpx2.post(f"{server.root}/v1/parse", json={"text": text, "schema": {"type": "object"}})
        answer = httpx2.get(f"{server.root}/metrics")
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def dashboard() -> Iterator[dict[str, str]]:
    for panel in json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))["panels"]:
        yield from panel["targets"]


def expressions() -> list[str]:
    found = [match["block"] or match["line"] for match in _ALERTED.finditer(ALERTS.read_text(encoding="utf-8"))]
    return found + [target["expr"] for target in dashboard()]


@pytest.mark.parametrize("expression", expressions())
def test_metrics_and_labels_are_the_services(expression: str, exposed: dict[str, set[str]]) -> None:
    known = exposed
    asked = list(_METRIC.finditer(expression))
    labels = {label for match in _BY.finditer(expression) for label in match["labels"].split(", ")}
    for match in asked:
        assert match["name"] in known
        assert {one["label"] for one in _MATCHED.finditer(match["matchers"] or "")} <= known[match["name"]]
        assert labels <= known[match["name"]]
    assert asked or "up{" in expression


def test_outcomes_that_are_asked_for_exist() -> None:
    values = {
        one["value"]
        for expression in expressions()
        for one in _MATCHED.finditer(expression)
        if one["label"] == "outcome"
    }
    assert values == {ParseOutcome.REFUSED.value}


def test_legends_name_labels_of_their_expression() -> None:
    for target in dashboard():
        assert all(match["label"] in target["expr"] for match in _LEGEND.finditer(target["legendFormat"]))


def test_thresholds_are_those_of_the_repair_rate() -> None:
    rules = ALERTS.read_text(encoding="utf-8")
    assert f"(llm_output_repair_rate) >= {WARNING_AT:g} <= {ALARM_ABOVE:g}\n" in rules
    assert f"(llm_output_repair_rate) > {ALARM_ABOVE:g}\n" in rules
    assert f">= {MINIMUM}\n" in rules
    panel = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))["panels"][0]
    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    assert [step["value"] for step in steps] == [None, WARNING_AT, ALARM_ABOVE]


def promtool(*arguments: str, folder: Path = DEPLOY) -> subprocess.CompletedProcess[str]:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("there is no promtool: apt install prometheus")
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603


def test_configuration_and_rules_are_valid() -> None:
    checked = promtool("check", "config", "prometheus.yml")
    assert checked.returncode == 0, checked.stderr
    assert "7 rules found" in checked.stdout


RULE_TEST = """
rule_files: [{rules}]
evaluation_interval: 1m
tests:
{tests}
"""
CASE = """
  - interval: 1m
    input_series:
      - {{series: 'llm_output_repair_rate{{agent="a", instance="one"}}', values: "{rate}x5"}}
      - {{series: 'llm_output_repair_rate{{agent="a", instance="two"}}', values: "{rate}x5"}}
      - {{series: 'llm_output_parses_total{{agent="a", outcome="clean"}}', values: "0+{clean}x30"}}
      - {{series: 'llm_output_parses_total{{agent="a", outcome="refused"}}', values: "0+{refused}x30"}}
    alert_rule_test:
      - eval_time: 5m
        alertname: LLMOutputRepairWarning
        exp_alerts: [{warning}]
      - eval_time: 5m
        alertname: LLMOutputRepairAlarm
        exp_alerts: [{alarm}]
      - eval_time: 25m
        alertname: LLMOutputRefused
        exp_alerts: [{refusing}]
"""
REPAIRED = "of the last texts needed the repair agent"
REFUSED = "of the texts of 15 minutes were refused"


def told(severity: str, share: str, what: str = REPAIRED) -> str:
    return f'{{exp_labels: {{agent: a, severity: {severity}}}, exp_annotations: {{summary: "a: {share} {what}"}}}}'


def case(
    rate: float, *, clean: int = 9, refused: int = 1, warning: str = "", alarm: str = "", refusing: str = ""
) -> str:
    return CASE.format(rate=rate, clean=clean, refused=refused, warning=warning, alarm=alarm, refusing=refusing)


def test_each_rate_gives_the_alert_of_its_threshold(tmp_path: Path) -> None:
    cases = [
        case(0.045),
        case(0.05, warning=told("warning", "5%")),
        case(0.1, warning=told("warning", "10%")),
        case(0.105, alarm=told("critical", "10.5%")),
        case(0, clean=8, refused=2, refusing=told("warning", "20%", REFUSED)),
        case(0, clean=2, refused=1),
    ]
    file = tmp_path / "rules.test.yml"
    file.write_text(RULE_TEST.format(rules=json.dumps(str(ALERTS)), tests="".join(cases)), encoding="utf-8")
    tested = promtool("test", "rules", str(file))
    assert tested.returncode == 0, tested.stdout + tested.stderr
