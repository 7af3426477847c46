"""The report shows what each agent was asked and wrote, what was repaired, what came of it; and runs none of it."""

import json
import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from examples.committee.report import agent_view, html_report
from examples.committee.result import CommitteeResult
from examples.committee.tests.committees import DOSSIER, DOWN, sat
from src.entrypoints.cli.screen import leaves
from src.shared.domain.language import VARIABLE
from tests.entrypoints.cli.test_language import SAYINGS
from tests.modules.all_contracts import contract_of
from tests.modules.answers import GOOD

pytestmark = pytest.mark.anyio

DAMAGED = json.dumps(contract_of("verdict").answer, ensure_ascii=False)[:-1].replace('", "', '"，"', 1) + ",}"
HOSTILE = '<script>alert(1)</script>\u202e{{ 7 * 7 }}"><img src=x onerror=alert(1)>'


class Shown(HTMLParser):
    """What a page shows: its whole text, what is preformatted without the numbers of repairs, and what is marked."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.text = ""
        self.preformatted: list[str] = []
        self.marked: list[str] = []
        self.tags: set[str] = set()
        self._open: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.add(tag)
        self._open.append(tag)
        kept = {"pre": self.preformatted, "mark": self.marked}.get(tag)
        if kept is not None:
            kept.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += data
        if "sup" not in self._open:
            for tag, kept in (("pre", self.preformatted), ("mark", self.marked)):
                if tag in self._open:
                    kept[-1] += data


def shown(result: CommitteeResult) -> Shown:
    return Shown(html_report(DOSSIER, result))


async def test_every_question_and_every_reply_is_shown_as_it_was_and_every_agent_is_named() -> None:
    result = await sat(裁决=["不知道", DAMAGED])
    page = shown(result)
    for answer in result.answers:
        assert answer.agent.label in page.text
        for text in (answer.system_message, *(attempt.prompt for attempt in answer.outcome.attempts)):
            assert text.strip() in page.text
    assert {"不知道", DAMAGED} < set(page.preformatted)
    assert len(page.preformatted) == len(GOOD) * 3 + 2


async def test_every_text_of_every_result_is_in_the_report() -> None:
    result = await sat()
    page = " ".join(shown(result).text.split())
    results = [answer.result.model_dump() for answer in result.answers]
    texts = [" ".join(text.split()) for found in results for _, text in leaves(found) if isinstance(text, str)]
    assert len(texts) > 50
    assert [text for text in texts if text not in page] == []


async def test_repair_is_marked_where_it_was_made_and_its_kinds_are_counted() -> None:
    result = await sat(裁决=DAMAGED)
    assert shown(result).marked[-2:] == ["，", ","]
    (attempt,) = agent_view(result.answers[-1]).attempts
    assert "".join(piece.text for piece in attempt.pieces) == DAMAGED
    assert [(word, count) for _, word, count in attempt.notes][-1] == ("结尾多余的逗号", 1)


async def test_reply_that_was_not_used_has_its_reason_and_no_marks() -> None:
    wrong = json.dumps(contract_of("verdict").answer | {"confidence": "很高", "action": "WAIT"})
    refused, used = agent_view((await sat(裁决=[wrong, GOOD["裁决"][0]])).answers[-1]).attempts
    assert refused.refused == "不符合约定：action：不是允许的取值；confidence：不是数字"
    assert (refused.notes, used.refused) == ((), "")


@pytest.mark.parametrize("down", [(), ("技术分析师",), ("空头辩护人",), ("冲突消解",), ("裁决",), tuple(GOOD)])
async def test_who_is_missing_is_named_and_every_link_leads_somewhere(down: tuple[str, ...]) -> None:
    document = html_report(DOSSIER, await sat(**dict.fromkeys(down, DOWN)))
    text = Shown(document).text
    assert ("没有裁决" in text) == any(title in down for title in ("冲突消解", "裁决"))
    assert text.count("模型服务不可用") >= len({*down} - {"多头辩护人", "空头辩护人", "冲突消解", "裁决"})
    places = Counter(re.findall(r' id="([^"]*)"', document))
    assert set(places.values()) == {1}
    assert {link for link in re.findall(r' href="([^"]*)"', document) if link[1:] not in places} == set()


async def test_text_of_a_model_is_text() -> None:
    hostile = json.dumps(contract_of("verdict").answer | {"stop_loss": HOSTILE, "reasoning": HOSTILE})
    page = shown(await sat(裁决=hostile, 宏观情报员=[HOSTILE, GOOD["宏观情报员"][0]]))
    assert not page.tags & {"script", "img"}
    assert HOSTILE.replace("\u202e", "\\u202e") in page.text
    assert "\u202e" not in page.text


@pytest.mark.parametrize(("language", "title"), [("both", "投资委员会纪要"), ("en", "Investment committee minutes")])
async def test_report_is_chinese_unless_english_alone_is_asked_for(
    language: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, language)
    document = html_report(DOSSIER, await sat(技术分析师=DOWN))
    assert title in document
    assert language == "both" or [zh for zh, _ in SAYINGS if len(zh) > 4 and zh in document] == []
