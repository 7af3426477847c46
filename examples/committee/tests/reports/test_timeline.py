"""The timeline of a committee: every call once, where it began, with its cost and what became of it."""

import dataclasses
import re

import pytest

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.html_report import html_report
from examples.committee.reports.timeline import Call, timeline_of
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from src.shared.domain.budget import TokenPrice
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from tests.modules.answers import EXPERTS, GOOD
from tests.shared.routed_llm import Answer

pytestmark = pytest.mark.anyio

PRICE = TokenPrice(prompt=2.0, completion=8.0, currency="CNY")


def taking(seconds: float, text: str) -> LLMReply:
    return LLMReply(text, FinishReason.STOP, "a-model", TokenUsage(1000, 500), seconds)


async def timed(**scripts: Answer | list[Answer]) -> CommitteeResult:
    """Every expert takes 4 s, an advocate 6 s, the resolution 5 s, the verdict 5 s."""
    lasting = dict.fromkeys(EXPERTS, 4.0) | {"多头辩护人": 6.0, "空头辩护人": 6.0, "冲突消解": 5.0, "裁决": 5.0}
    answers: dict[str, Answer | list[Answer]] = {title: taking(lasting[title], text) for title, (text,) in GOOD.items()}
    result = await sat(**(answers | scripts))
    return dataclasses.replace(result, totals=dataclasses.replace(result.totals, price=PRICE, currency="CNY"))


def of(label: str, result: CommitteeResult) -> list[Call]:
    return [call for call in timeline_of(result).calls if call.label == label]


async def test_stage_begins_when_the_one_before_has_ended() -> None:
    result = await timed()
    assert [of(label, result)[0].start for label in ("技术分析师", "多头辩护人", "冲突消解", "裁决")] == [0, 4, 10, 15]
    assert timeline_of(result).seconds == 20


async def test_bar_lies_where_the_call_lay() -> None:
    (call,) = of("多头辩护人", await timed())
    assert (call.left, call.width) == (20, 30)


async def test_try_that_was_not_used_is_a_call_of_its_own_before_the_next() -> None:
    result = await timed(裁决=[taking(3, "不知道"), taking(5, GOOD["裁决"][0])])
    assert [(call.number, call.state, call.start) for call in of("裁决", result)] == [
        (1, "refused", 15),
        (2, "used", 18),
    ]


async def test_question_without_a_reply_is_told_as_failed() -> None:
    result = await timed(技术分析师=DOWN)
    (call,) = of("技术分析师", result)
    assert (call.state, call.seconds, call.width, call.cost) == ("failed", None, 0, None)
    assert "没有答复" in html_report(DOSSIER, result)


async def test_costs_of_the_calls_are_the_cost_of_the_whole() -> None:
    result = await timed(裁决=[taking(3, "不知道"), taking(5, GOOD["裁决"][0])])
    costs = [call.cost for call in timeline_of(result).calls if call.cost is not None]
    assert sum(costs) == pytest.approx(PRICE.cost(result.totals.usage))
    assert f"{costs[0]:.4f} CNY" in html_report(DOSSIER, result)


async def test_short_call_is_still_drawn_and_none_leaves_the_line() -> None:
    result = await timed(裁决=taking(0.001, GOOD["裁决"][0]))
    bars = [(call.left, call.width) for call in timeline_of(result).calls]
    assert min(width for _, width in bars) == 0.5
    assert max(left + width for left, width in bars) <= 100


async def test_times_that_are_not_known_are_not_drawn_as_zero() -> None:
    document = html_report(DOSSIER, await sat(**{title: LLMReply(text) for title, (text,) in GOOD.items()}))
    assert "没有每次答复的用时" in document
    assert not re.search(r"<ol class=\"timeline\">.*?<svg", document, re.DOTALL)
