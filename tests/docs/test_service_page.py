"""docs/reference/service.md says what the code says."""

from __future__ import annotations

import re

import pytest
from prometheus_client import CollectorRegistry

from src.entrypoints.http.metrics import Metrics, RepairRateGauge
from src.entrypoints.http.openapi import document
from src.entrypoints.http.requests import ParseRequest
from src.entrypoints.http.routes import router
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import PREFIX
from tests.paths import ROOT

PAGE = (ROOT / "docs/reference/service.md").read_text(encoding="utf-8")
CODE = re.compile(r'(?:Problem|_refused)\(\s*(?:\d+|HTTPStatus\.\w+),\s*"([A-Z_]+)"')


def rows(title: str) -> dict[str, str]:
    """The first column of a table, and the rest of its row."""
    part = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    cells = [line.strip("| ").split(" | ", 1) for line in part.splitlines() if line.startswith("| `")]
    return {first.strip("`"): rest for first, rest in cells}


def test_the_settings_are_those_of_the_code() -> None:
    shown = {name: rest.split(" | ")[0].strip("`") for name, rest in rows("Settings").items()}

    def default(value: object) -> str:
        return "none" if value == () else f"{value:g}" if isinstance(value, float) else str(value)

    fields = ServiceSettings.model_fields
    assert shown == {PREFIX + name.upper(): default(field.default) for name, field in fields.items()}


def test_the_metrics_are_those_of_the_registry() -> None:
    registry: CollectorRegistry = Metrics().registry
    registry.register(RepairRateGauge())
    names = {family.name + ("_total" if family.type == "counter" else "") for family in registry.collect()}

    assert set(rows("Metrics")) == names


def test_the_endpoints_are_those_of_the_document() -> None:
    described = {
        f"{method.upper()} {path}" for path, methods in document(router)["paths"].items() for method in methods
    }

    assert set(rows("Endpoints")) >= described


@pytest.mark.parametrize("member", [field.alias or name for name, field in ParseRequest.model_fields.items()])
def test_the_members_of_a_request_are_named(member: str) -> None:
    assert f"`{member}`" in PAGE


def test_each_code_of_a_problem_is_named() -> None:
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "src/entrypoints/http").rglob("*.py"))]
    codes = {code for text in sources for code in CODE.findall(text)}

    assert len(codes) > 10
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()
