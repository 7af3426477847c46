"""The reports: every part is there, what failed is plain to see, and nothing a model wrote takes effect."""

import dataclasses
import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.html_report import html_report
from examples.committee.reports.markdown_report import markdown_report
from examples.committee.reports.result_json import result_data
from examples.committee.reports.templates_of import markdown
from examples.committee.tests.inputs import SEATS
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from src.entrypoints.reports.words import shown
from src.modules.research.domain.dtos.expert_result import ExpertOpinion, ExpertReport, ExpertResult
from src.shared.domain.llm_errors import LLMConnectionError
from src.shared.domain.ports.llm import LLMReply
from tests.modules.answers import EXPERTS, GOOD
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT
from tests.shared.routed_llm import Answer

pytestmark = pytest.mark.anyio

each_report = pytest.mark.parametrize("report", [html_report, markdown_report])
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)"> {{ 7*7 }} | a | [x](javascript:alert(3)) `c` \u202e'


class Tags(HTMLParser):
    """Every tag and attribute of a document, and its text."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def verdict_saying(text: str) -> str:
    return json.dumps(VERDICT.answer | {"reasoning": text, "risk_warnings": [text, text]}, ensure_ascii=False)


def words_of(text: str) -> str:
    """A document's words, however its lines break and whatever is escaped."""
    return re.sub(r"[\s\\]", "", unescape(text))


# --- every part ---------------------------------------------------------------------------------------------


@each_report
async def test_every_text_of_the_result_is_in_the_report(report: type) -> None:
    result = await sat()
    document = report(DOSSIER, result)
    read = words_of(Tags(document).text if report is html_report else document)
    for text in texts_of(result_data(DOSSIER, result)):
        assert words_of(text) in read, text


def texts_of(data: dict[str, object]) -> list[str]:
    """The Chinese texts that agents wrote, wherever they are."""
    found: list[str] = []

    def collect(value: object) -> None:
        if isinstance(value, dict):
            for part in value.values():
                collect(part)
        elif isinstance(value, list):
            for part in value:
                collect(part)
        elif isinstance(value, str) and re.search("[\u4e00-\u9fff]{5}", value):
            found.append(value)

    agents = [{"result": expert["result"]} for expert in data["experts"]]  # type: ignore[attr-defined]  # a list
    collect([data["verdict"], data["debate"], agents])
    assert len(found) > 40
    return found


@each_report
async def test_every_agent_is_named(report: type) -> None:
    document = report(DOSSIER, await sat())
    assert [title for title in SEATS if title not in document] == []


@each_report
async def test_data_the_dossier_does_not_have_are_named(report: type) -> None:
    document = report(DOSSIER, await sat())
    for missing in ("换手率", "250 日均线", "利息保障倍数", "2025Q3 扣非归母净利润", "EV/EBITDA", "资金与情绪"):
        assert missing in document


@each_report
async def test_section_that_is_not_given_at_all_is_named(report: type) -> None:
    bare = DOSSIER.model_copy(update={"macro": None})
    assert "宏观面没有任何资料" in report(bare, await sat()).replace("*", "")


@each_report
async def test_repairs_and_refused_answers_are_told(report: type) -> None:
    damaged = GOOD["裁决"][0][:-1] + ",}"
    document = report(DOSSIER, await sat(裁决=["不知道", damaged])).replace("\\", "")
    assert "结尾多余的逗号" in document
    assert "未找到 JSON 对象" in document


@each_report
async def test_usage_that_no_provider_gives_is_told_as_an_estimate(report: type) -> None:
    scripts: dict[str, Answer | list[Answer]] = {title: LLMReply(text) for title, (text,) in GOOD.items()}
    places = 2  # the table and the timeline
    assert len(ESTIMATE.findall(report(DOSSIER, await sat(**scripts)))) == places * len(SEATS) + 1
    assert not ESTIMATE.search(report(DOSSIER, await sat()))


@each_report
async def test_usage_of_a_failed_request_is_not_told_as_zero(report: type) -> None:
    failed: list[Answer] = [LLMConnectionError("not reached")]
    assert "未知" in report(DOSSIER, await sat(技术分析师=failed))


ESTIMATE = re.compile(r"约 (?:读入 )?\d[\d,]{2}")


class RumourResult(ExpertResult):
    """A tenth agent's, of which the reports know nothing."""

    rumour_level: str = "Loud"
    confidence: float = 0.5
    listeners: float = 1234567.5
    heard: list[str] = ["有人在排队"]  # noqa: RUF012 - Pydantic copies a default

    def opinion(self) -> ExpertOpinion:
        return ExpertOpinion(signal=self.rumour_level, confidence=0.5, reasoning="", risk_warning="")


@each_report
async def test_expert_nobody_has_heard_of_is_reported_whole(report: type) -> None:
    result = await sat()
    assert result.research
    tenth = ExpertReport("rumour_analyst", "传闻分析师", RumourResult())
    research = dataclasses.replace(result.research, experts=(*result.research.experts, tenth))
    document = report(DOSSIER, dataclasses.replace(result, research=research)).replace("\\", "")
    for said in ("传闻分析师", "Loud", "listeners", "1234567.5", "有人在排队"):
        assert said in document


# --- what failed --------------------------------------------------------------------------------------------


@each_report
@pytest.mark.parametrize("title", EXPERTS)
async def test_failed_expert_is_plain_to_see_with_its_reason(report: type, title: str) -> None:
    document = report(DOSSIER, await sat(**{title: DOWN}))
    assert f"{title}没有给出结论" in document
    assert "该维度是未知的，不是中性的" in document
    assert DOWN.message in document


@each_report
@pytest.mark.parametrize(("failing", "standing"), [("多头辩护人", "bear_advocate"), ("空头辩护人", "bull_advocate")])
async def test_case_that_nobody_made_is_named_and_the_other_one_is_told_whole(
    report: type, failing: str, standing: str
) -> None:
    result = await sat(**{failing: DOWN})
    document = report(DOSSIER, result)
    assert f"{failing}没有给出论证" in words_of(re.sub("<[^>]*>|[*]", "", document))
    (case,) = [answer.result for answer in result.answers if answer.agent.name == standing]
    read = words_of(Tags(document).text if report is html_report else document)
    told = (case.core_thesis, *case.supporting_arguments, case.narrative_report)  # type: ignore[attr-defined]  # a case
    assert [text for text in told if words_of(text) not in read] == []


@each_report
async def test_cases_of_a_debate_that_was_not_settled_are_told(report: type) -> None:
    result = await sat(冲突消解=DOWN)
    assert result.arguments is not None
    assert result.arguments.bull is not None
    document = report(DOSSIER, result)
    read = words_of(Tags(document).text if report is html_report else document)
    assert words_of(result.arguments.bull.core_thesis) in read


@each_report
@pytest.mark.parametrize(("title", "stage"), [("冲突消解", "多空辩论"), ("裁决", "裁决")])
async def test_report_without_a_verdict_says_so_and_keeps_the_experts(report: type, title: str, stage: str) -> None:
    document = report(DOSSIER, await sat(**{title: DOWN}))
    assert "没有裁决" in document
    assert f"停在“{stage}”阶段" in document
    assert "均线系统呈" in document


async def test_json_says_null_for_what_there_is_not() -> None:
    data = result_data(DOSSIER, await sat(裁决=DOWN, 技术分析师=DOWN))
    assert (data["verdict"], data["failed_in"], data["error"]["code"]) == (None, "judge", "LLM_SERVER_ERROR")
    assert data["experts"][0]["opinion"] is None
    assert data["experts"][0]["error"]["message"] == DOWN.message
    json.dumps(data, allow_nan=False)


# --- hostile text --------------------------------------------------------------------------------------------


async def hostile() -> CommitteeResult:
    return await sat(裁决=verdict_saying(HOSTILE))


async def test_html_of_a_model_is_text() -> None:
    found = Tags(html_report(DOSSIER, await hostile()))
    assert found.tags.isdisjoint({"script", "img", "iframe", "object", "link", "form"})
    assert not {name for name, _ in found.attributes if name.startswith("on") or name == "src"}
    assert "<script>alert(1)</script>" in found.text
    assert "{{ 7*7 }}" in found.text


async def test_html_forbids_everything_but_its_own_style() -> None:
    document = html_report(DOSSIER, await sat())
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in document
    assert not re.search(r"(?:https?:)?//(?!\*)", document.split("</style>")[1])


async def test_markdown_of_a_model_is_text() -> None:
    document = markdown_report(DOSSIER, await hostile())
    assert "<script" not in document.replace("\\<", "")
    assert r"\[x\](javascript" in document
    assert r"\| a \|" in document


@each_report
async def test_text_that_reorders_other_text_is_made_visible(report: type) -> None:
    document = report(DOSSIER, await hostile())
    assert "\u202e" not in document
    assert "u202e" in document


@pytest.mark.parametrize("text", ["# a", "- a", "+ a", "1. a", "12) a", "=== a"])
def test_line_that_would_be_markdown_does_not_begin_like_it(text: str) -> None:
    assert re.match(r"&#\d+;", markdown(text))


@pytest.mark.parametrize("text", ["42.8 元", "2025 年", "看多"])
def test_plain_line_stays_as_it_is(text: str) -> None:
    assert markdown(text) == text


def test_lone_surrogate_can_be_written() -> None:
    assert shown("a\ud800b").encode() == rb"a\ud800b"
