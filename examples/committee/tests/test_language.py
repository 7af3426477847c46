"""The command line and the reports of the committee in each language."""

from collections.abc import Callable

import pytest

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.reports.html_report import html_report
from examples.committee.reports.labels import agent_title, stance_of, title_of
from examples.committee.reports.markdown_report import markdown_report
from examples.committee.reports.result_json import result_data
from examples.committee.tests.harness import ROOT, invoke
from examples.committee.tests.reports.runs import DOSSIER, DOWN, sat
from src.shared.domain.language import VARIABLE, Language
from tests.entrypoints.cli.test_language import SAYINGS

Report = Callable[[Dossier, CommitteeResult], str]
each_report = pytest.mark.parametrize("report", [html_report, markdown_report])


@pytest.mark.parametrize("spoken", [*Language])
def test_recorded_example_is_replayed_in_every_language(monkeypatch: pytest.MonkeyPatch, spoken: str) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(VARIABLE, spoken)
    ended = invoke("run", "examples/committee/dossier.json", "--replay", "examples/committee/recording.jsonl")
    assert ended.code == 0


@each_report
@pytest.mark.anyio
async def test_report_is_chinese_unless_english_alone_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, report: Report
) -> None:
    result = await sat()
    shown = {}
    for spoken in Language:
        monkeypatch.setenv(VARIABLE, spoken)
        shown[spoken] = report(DOSSIER, result)
    assert shown[Language.ZH] == shown[Language.BOTH]
    assert "Investment committee minutes".casefold() in shown[Language.EN].casefold()
    assert "投资委员会纪要" in shown[Language.ZH]


@each_report
@pytest.mark.anyio
async def test_english_report_has_every_label_in_english(monkeypatch: pytest.MonkeyPatch, report: Report) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    shown = report(DOSSIER, await sat(technical_analyst=DOWN))
    assert [zh for zh, _ in SAYINGS if len(zh) > 4 and zh in shown] == []
    assert all(title in shown for title in ("Technical analyst", "Debate", "Risk matrix", "Expert opinions"))


def test_agents_have_english_titles_and_an_unknown_one_keeps_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    assert agent_title("verdict", "裁决") == "Verdict"
    assert agent_title("tenth", "第十") == "第十"


@pytest.mark.parametrize(("spoken", "word", "title"), [("zh", "看多", "支撑位"), ("en", "bullish", "Support")])
def test_scales_and_fields_are_named_in_the_language(
    monkeypatch: pytest.MonkeyPatch, spoken: str, word: str, title: str
) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    assert (stance_of("BULLISH").word, title_of("support"), title_of("unheard_of")) == (word, title, "unheard_of")


@pytest.mark.anyio
async def test_result_as_json_is_the_same_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    result = await sat()
    shown = []
    for spoken in Language:
        monkeypatch.setenv(VARIABLE, spoken)
        shown.append(result_data(DOSSIER, result))
    assert shown[0] == shown[1] == shown[2]
