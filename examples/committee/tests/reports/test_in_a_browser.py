"""The HTML report in a real browser: at no width does the page itself scroll sideways."""

import json
from pathlib import Path

import pytest

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.html_report import html_report
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from tests.entrypoints.reports.chromium import measure_all
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT

pytestmark = [pytest.mark.anyio, pytest.mark.browser]

WIDTHS = (1280, 768, 390, 320)


async def good() -> CommitteeResult:
    return await sat()


async def failed() -> CommitteeResult:
    return await sat(宏观情报员=DOWN, 裁决=DOWN)


async def long_words() -> CommitteeResult:
    word = "W" * 400
    return await sat(裁决=json.dumps(VERDICT.answer | {"stop_loss": word, "time_horizon": word, "reasoning": word}))


@pytest.mark.parametrize("run", [good, failed, long_words])
async def test_page_is_no_wider_than_the_window(run: object, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(html_report(DOSSIER, await run()), encoding="utf-8")  # type: ignore[operator]  # one of the above
    for width, found in zip(WIDTHS, measure_all(page, *WIDTHS), strict=True):
        assert (found["client"], found["scroll"]) == (width, width)
        assert found["right"] <= width
        assert found["height"] > 900
        assert found["overlapping"] == 0
