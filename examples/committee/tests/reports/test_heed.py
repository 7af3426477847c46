"""What to heed before reading: contradictions, members without a conclusion and missing data are three lists."""

import json
import re

import pytest

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.html_report import html_report
from examples.committee.reports.markdown_report import markdown_report
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from tests.modules.answers import GOOD
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT

pytestmark = pytest.mark.anyio

each_report = pytest.mark.parametrize("report", [html_report, markdown_report])
BEARISH = GOOD["冲突消解"][0].replace('"BULLISH"', '"BEARISH"').replace('"NEUTRAL"', '"BEARISH"')

SOUND = json.dumps(VERDICT.answer | {"entry_strategy": "38.62 元", "stop_loss": "36.9 元", "take_profit": "42.8 元"})


def under(heading: str, document: str) -> str:
    """The text from a heading to the next one; empty where there is no such heading."""
    found = re.search(rf"(?:## |<h2>){heading}(.*?)(?:## |</section>)", document, re.DOTALL)
    return found[1] if found else ""


async def contradicting() -> CommitteeResult:
    return await sat(冲突消解=BEARISH, 技术分析师=DOWN)


@each_report
async def test_contradiction_is_told_apart_from_what_is_missing(report: type) -> None:
    document = report(DOSSIER, await contradicting())
    assert "与辩论结论" in under("裁决的矛盾与疑点", document)
    assert "技术分析师" not in under("裁决的矛盾与疑点", document)
    assert "换手率" not in under("裁决的矛盾与疑点", document)


@each_report
async def test_member_without_a_conclusion_is_told_apart_from_missing_data(report: type) -> None:
    document = report(DOSSIER, await contradicting())
    assert "技术分析师" in under("没有结论的成员", document)
    assert "换手率" not in under("没有结论的成员", document)


@each_report
async def test_missing_data_alone_is_no_alarm(report: type) -> None:
    document = report(DOSSIER, await sat(裁决=SOUND))
    assert "换手率" in under("资料中没有的", document)
    assert not under("裁决的矛盾与疑点", document)
    assert not under("没有结论的成员", document)
    assert "heed grave" not in document
