"""The HTML report as axe-core judges it: no violation at any width, light and dark, with everything unfolded."""

import dataclasses
from pathlib import Path

import pytest

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.html_report import html_report
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from examples.committee.tests.reports.test_heed import BEARISH
from tests.entrypoints.reports.chromium import violations
from tests.modules.answers import GOOD

pytestmark = [pytest.mark.anyio, pytest.mark.browser("axe")]


async def good() -> CommitteeResult:
    return await sat(裁决=["不知道", GOOD["裁决"][0][:-1] + ",}"])


async def contradicting() -> CommitteeResult:
    found = await sat(冲突消解=BEARISH, 技术分析师=DOWN)
    return dataclasses.replace(found, totals=dataclasses.replace(found.totals, complete=False))


async def without_a_verdict() -> CommitteeResult:
    return await sat(空头辩护人=DOWN, 裁决=DOWN)


@pytest.mark.parametrize("run", [good, contradicting, without_a_verdict])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_page_has_no_violation(run: object, scheme: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(html_report(DOSSIER, await run()), encoding="utf-8")  # type: ignore[operator]  # one of the above
    assert violations(page, 1280, 768, 390, dark=scheme == "dark") == []


@pytest.mark.parametrize(("scheme", "colour"), [("light", "#5b6573"), ("dark", "#a7b1be")])
async def test_violation_would_be_found_at_every_width(scheme: str, colour: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    broken = html_report(DOSSIER, await good()).replace(f"--quiet: {colour}", "--quiet: #888")
    page.write_text(broken, encoding="utf-8")
    found = violations(page, 1280, 390, dark=scheme == "dark")
    assert {(one["width"], one["rule"]) for one in found} >= {(1280, "color-contrast"), (390, "color-contrast")}
