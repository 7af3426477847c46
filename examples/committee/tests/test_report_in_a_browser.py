"""The report in a real browser: it fits every width, and axe-core finds nothing in it."""

import json
from pathlib import Path

import pytest

from examples.committee.report import html_report
from examples.committee.tests.committees import DOSSIER, DOWN, sat
from tests.entrypoints.reports.chromium import measure_all, violations
from tests.modules.all_contracts import contract_of
from tests.modules.answers import GOOD
from tests.shared.routed_llm import Answer

pytestmark = pytest.mark.anyio

WIDTHS = (1280, 768, 390, 320)
LONG = json.dumps(contract_of("verdict").answer | dict.fromkeys(("stop_loss", "time_horizon", "reasoning"), "W" * 400))
REASKED: list[Answer] = ["不知道", GOOD["裁决"][0][:-1] + ",}"]


@pytest.mark.browser
@pytest.mark.parametrize("verdict", [LONG, REASKED, DOWN], ids=["long words", "asked again", "no verdict"])
async def test_page_is_no_wider_than_the_window(verdict: Answer | list[Answer], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(html_report(DOSSIER, await sat(裁决=verdict, 宏观情报员=DOWN)), encoding="utf-8")
    for width, found in zip(WIDTHS, measure_all(page, *WIDTHS), strict=True):
        assert (found["client"], found["scroll"]) == (width, width)
        assert found["right"] <= width


@pytest.mark.browser("axe")
@pytest.mark.parametrize("dark", [False, True])
async def test_page_has_no_violation(dark: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter of the case
    page = tmp_path / "report.html"
    page.write_text(html_report(DOSSIER, await sat(裁决=REASKED, 宏观情报员=DOWN)), encoding="utf-8")
    assert violations(page, 1280, 390, dark=dark) == []
