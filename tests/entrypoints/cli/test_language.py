"""The command line in each language, and the template of the committee's report."""

import re

import pytest

from src.shared.domain.language import VARIABLE, Language
from tests.entrypoints.cli.harness import CLEAN_VERDICT, ROOT, Ended, invoke

REFUSED = str(ROOT / "src/entrypoints/cli/recordings/verdict/refused.txt")
CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
PROSE = re.compile(r"[a-z]{2,} [a-z]{2,}")
SAYING = re.compile(r'say\("([^"]*)", "([^"]*)"\)')
TEMPLATE = (ROOT / "examples/committee/report.html.j2").read_text(encoding="utf-8")
SAYINGS = SAYING.findall(TEMPLATE)


def invoked(monkeypatch: pytest.MonkeyPatch, spoken: str, *arguments: str, text: str = "") -> Ended:
    monkeypatch.setenv(VARIABLE, spoken)
    return invoke(*arguments, text=text)


# --- the command line --------------------------------------------------------------------------------------


def test_error_is_told_in_both_languages_and_what_stands_around_it_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoked(monkeypatch, "both", "parse", text="nothing").stderr.splitlines()[:2] == [
        "Error: 不是合法 JSON：未找到 JSON 对象 (not valid JSON: no JSON object in the text)",
        "  stage: extract (6 of 10)",
    ]


@pytest.mark.parametrize("arguments", [("parse", REFUSED, "--agent", "verdict"), ("parse", "none.txt"), ("schema",)])
def test_failure_in_english_has_no_chinese(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    shown = invoked(monkeypatch, "en", *arguments)
    assert shown.code != 0
    assert not CHINESE.search(shown.stderr)


@pytest.mark.parametrize("arguments", [("parse", "none.txt"), ("schema",), ("parse", "--agent", "none")])
def test_failure_in_chinese_has_no_english_sentence(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    shown = invoked(monkeypatch, "zh", *arguments)
    assert shown.stderr.startswith("错误: ")
    assert not PROSE.search(shown.stderr)


def test_result_on_stdout_is_the_same_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {invoked(monkeypatch, one, "parse", CLEAN_VERDICT, "--agent", "verdict").stdout for one in Language}
    assert len(shown) == 1


@pytest.mark.parametrize("spoken", [*Language])
@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "--agent", "verdict", "--replay", "examples/ask/verdict.jsonl"),
        ("envelope", "examples/cowriting/broken.txt", "--repair", "--replay", "examples/cowriting/repair.jsonl"),
    ],
)
def test_recorded_examples_are_replayed_in_every_language(
    monkeypatch: pytest.MonkeyPatch, spoken: str, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(ROOT)
    assert invoked(monkeypatch, spoken, *arguments).code == 0


# --- the report --------------------------------------------------------------------------------------------


def test_every_text_of_the_template_is_said_in_both_languages() -> None:
    assert len(SAYINGS) > 50
    assert CHINESE.findall(re.sub(r"\{#.*?#\}", "", SAYING.sub("", TEMPLATE))) == []


def test_every_saying_is_of_one_script() -> None:
    assert [pair for pair in SAYINGS if CHINESE.search(pair[1]) or PROSE.search(pair[0])] == []
