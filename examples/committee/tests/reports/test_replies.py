"""The replies as they came: whole, with every repair at its place, and refused ones with their reason."""

import json
from html.parser import HTMLParser

import pytest

from examples.committee.reports.html_report import html_report
from examples.committee.reports.markdown_report import markdown_report
from examples.committee.reports.replies import SHOWN, RawReply, replies_of
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from src.entrypoints.reports.words import reason_of, repair_word
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import VARIABLE
from src.shared.domain.repair import RepairKind
from tests.modules.answers import GOOD
from tests.modules.judge.contracts.verdict import CONTRACT as VERDICT
from tests.shared.routed_llm import Answer

pytestmark = pytest.mark.anyio

VERDICT_TEXT = json.dumps(VERDICT.answer, ensure_ascii=False)
DAMAGED = VERDICT_TEXT[:-1].replace('", "', '"，"', 1) + ",}"


class Preformatted(HTMLParser):
    """What a page shows as preformatted text, without the numbers of the repairs; and the texts it marks."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.marked: list[str] = []
        self._open: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._open.append(tag)
        if tag == "pre":
            self.texts.append("")
        elif tag == "mark":
            self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "pre" not in self._open or "sup" in self._open:
            return
        self.texts[-1] += data
        if "mark" in self._open:
            self.marked[-1] += data


async def judged(*answers: Answer) -> tuple[RawReply, ...]:
    (verdict,) = [agent for agent in replies_of(await sat(裁决=list(answers))) if agent.name == "verdict"]
    return verdict.replies


async def test_every_reply_is_shown_as_it_came() -> None:
    shown = Preformatted(html_report(DOSSIER, await sat(裁决=["不知道", DAMAGED]))).texts
    assert shown[-2:] == ["不知道", DAMAGED]
    assert len(shown) == len(GOOD) + 1


async def test_repair_is_marked_where_it_was_made() -> None:
    marked = Preformatted(html_report(DOSSIER, await sat(裁决=DAMAGED))).marked
    assert marked[-1] == ","
    assert marked[0] == "，"


async def test_kinds_of_repairs_are_numbered_and_counted() -> None:
    (reply,) = await judged('{"a": 1,}'.replace('"a": 1', VERDICT_TEXT[1:-1]))
    assert [(note.number, note.word, note.count) for note in reply.notes] == [(1, "结尾多余的逗号", 1)]
    assert [(piece.text, piece.put) for piece in reply.pieces if piece.note == 1] == [(",", "")]


async def test_text_of_the_pieces_is_the_reply() -> None:
    (reply,) = await judged(DAMAGED)
    assert "".join(piece.text for piece in reply.pieces) == DAMAGED
    assert len(reply.pieces) > 3


async def test_reply_that_was_not_used_has_its_reason_and_no_marks() -> None:
    refused, used = await judged(json.dumps(VERDICT.answer | {"confidence": "很高", "action": "WAIT"}), VERDICT_TEXT)
    assert refused.refused == "不符合约定：action：不是允许的取值；confidence：不是数字"
    assert not refused.notes
    assert not used.refused


async def test_long_reply_is_cut_and_says_how_much_is_missing() -> None:
    (reply,) = await judged(VERDICT_TEXT + "\n" + "。" * SHOWN)
    assert sum(len(piece.text) for piece in reply.pieces) == SHOWN
    assert reply.left_out == len(VERDICT_TEXT) + 1


async def test_agent_that_was_not_answered_has_no_replies() -> None:
    names = [agent.name for agent in replies_of(await sat(技术分析师=DOWN))]
    assert "technical_analyst" not in names
    assert "verdict" in names


@pytest.mark.parametrize("report", [html_report, markdown_report])
async def test_kinds_and_reasons_are_told_in_english_where_english_is_asked_for(
    report: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    wrong = json.dumps(VERDICT.answer | {"confidence": "high"})
    document = report(DOSSIER, await sat(裁决=[wrong, VERDICT_TEXT[:-1] + ",}"]))
    assert "trailing comma" in document
    assert "does not match what was asked for: confidence: not a number" in document


@pytest.mark.parametrize("kind", RepairKind)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_kind_of_repair_has_a_word(kind: RepairKind, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, language)
    assert repair_word(kind).isascii() == (language == "en")


def test_reason_counts_the_places_it_does_not_tell() -> None:
    problems = [{"loc": ("rows", place), "type": "missing", "msg": "Field required"} for place in range(9)]
    told = reason_of(AppException("", {"validation_errors": problems, "validation_error_count": 12}))
    assert "rows[7]：没有给出；另有 4 处" in told


def test_reason_that_has_no_word_is_told_as_it_is() -> None:
    problem = {"loc": (), "type": "value_error", "msg": "Value error, no"}
    assert reason_of(AppException("", {"validation_errors": [problem]})) == "不符合约定：Value error, no"
    assert reason_of(AppException("没有答复")) == "没有答复"


@pytest.mark.parametrize(
    ("language", "told"), [("both", "没有答复"), ("zh", "没有答复 (no reply)"), ("en", "没有答复 (no reply)")]
)
def test_reason_in_both_languages_is_told_in_the_report_s_own(
    language: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, language)
    assert reason_of(AppException("没有答复 (no reply)")) == told
