"""What the HTML report draws or folds, the Markdown report has as tables and excerpts."""

import json
import re

import pytest

from examples.committee.reports.ladder import ladder_of
from examples.committee.reports.markdown_report import markdown_report
from examples.committee.reports.replies import EXCERPT, replies_of
from examples.committee.reports.timeline import timeline_of
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from examples.committee.tests.reports.test_timeline import timed
from src.entrypoints.reports.words import number
from tests.modules.answers import GOOD

pytestmark = pytest.mark.anyio


def citing(claim: str) -> str:
    """The technical analyst's answer with this as its reasons."""
    return json.dumps(json.loads(GOOD["技术分析师"][0]) | {"summary_reasoning": claim}, ensure_ascii=False)


def section(document: str, title: str) -> str:
    return re.split(r"^#{2,3} ", document.split(f" {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, its head among them."""
    lines = [line for line in text.splitlines() if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines]


async def test_ladder_is_a_table_of_its_levels_highest_first() -> None:
    result = await sat()
    ladder = ladder_of(DOSSIER, result)
    assert ladder is not None
    found = rows(section(markdown_report(DOSSIER, result), "价位"))[1:]
    assert [row[0] for row in found] == [number(level.price) for level in ladder.levels]
    assert [row[1] for row in found] == [level.names for level in ladder.levels]


async def test_report_without_research_has_no_ladder() -> None:
    bare = DOSSIER.model_copy(update={"technical": None, "valuation": None})
    assert "## 价位" not in markdown_report(bare, await sat(技术分析师=DOWN, 估值建模师=DOWN, 裁决=DOWN))


async def test_series_that_a_claim_uses_is_a_table_with_what_it_states_in_bold() -> None:
    document = markdown_report(DOSSIER, await sat(技术分析师=citing("收盘价 38.62 元高于 MA20 的 36.92 元。")))
    series = document.split("均价与收盘价，元（粗体的在正文中引用）：\n\n")[1].split("\n\n")[0]
    assert rows(series) == [
        ["120", "60", "20", "10", "5", "收盘"],
        ["31.7", "34.48", "**36.92**", "37.6", "38.05", "**38.62**"],
    ]


async def test_timeline_has_a_row_for_each_call_with_its_time_tokens_and_cost() -> None:
    result = await timed(多头辩护人=DOWN)
    found = rows(section(markdown_report(DOSSIER, result), "时间线"))[1:]
    assert len(found) == len(timeline_of(result).calls)
    first, failed = found[0], next(row for row in found if row[1] == "多头辩护人")
    assert first[3:] == ["用上了", "4.0 秒", "1500", "0.0060 CNY"]
    assert (failed[0], failed[3], failed[4], failed[6]) == ("4.0 秒", "没有答复", "—", "—")


async def test_times_that_are_not_known_are_not_told_as_nothing() -> None:
    document = markdown_report(DOSSIER, await sat(技术分析师=DOWN))
    failed = next(row for row in rows(section(document, "时间线")) if row[1] == "技术分析师")
    assert (failed[4], failed[6]) == ("—", "—")


async def test_each_reply_has_its_beginning_and_how_much_is_left_out() -> None:
    long = "甲" * (EXCERPT + 7)
    result = await sat(技术分析师=[long, GOOD["技术分析师"][0]])
    replies = section(markdown_report(DOSSIER, result), "技术分析师，第 1 次（没有用上）")
    assert f"> {'甲' * EXCERPT}…（其后还有 7 个字符）" in replies
    document = markdown_report(DOSSIER, result)
    assert document.count("\n> ") == sum(len(agent.replies) for agent in replies_of(result))


async def test_empty_reply_is_told_as_empty() -> None:
    document = markdown_report(DOSSIER, await sat(技术分析师=["", GOOD["技术分析师"][0]]))
    assert "> （空）" in section(document, "技术分析师，第 1 次（没有用上）")


async def test_reply_is_one_line_and_acts_as_nothing() -> None:
    hostile = "# 标题\n\n<script>alert(1)</script>\n```\n[x](javascript:1) | a |\u202e"
    document = markdown_report(DOSSIER, await sat(技术分析师=[hostile, GOOD["技术分析师"][0]]))
    assert r"> &#35; 标题 \<script\>alert(1)\</script\> \`\`\` \[x\](javascript:1) \| a \|\\u202e" in document


async def test_repairs_of_a_reply_are_counted_by_kind() -> None:
    text = GOOD["技术分析师"][0].rstrip().removesuffix("}") + ",}"
    document = markdown_report(DOSSIER, await sat(技术分析师=text))
    assert "修正：结尾多余的逗号 ×1" in section(document, "技术分析师，第 1 次")


async def test_daily_closes_are_told_in_a_sentence() -> None:
    document = markdown_report(DOSSIER, await sat())
    assert "2025-05-29 至 2025-11-21：最低 26.18，最高 39.75，最后 38.62" in document
