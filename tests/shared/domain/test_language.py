"""One message in three languages: which one is spoken, and that each is a whole sentence in its own script."""

import ast
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from src.shared.domain.language import VARIABLE, Language, Message, UnknownLanguageError, language, speaking
from tests.shared.domain.test_catalogue import CHINESE, COMMANDS, PROSE

SOURCES = sorted(path for path in Path("examples").rglob("*.py") if "tests" not in path.parts)
"""They write their own messages; those of the program are in the catalogue (test_catalogue.py)."""
MAKERS = {"Message", "Message.glossed", "chinese", "said", "spoken"}
"""What makes a text of two languages."""
VALUE = re.compile(r"\{[^{}]*\}")
GLOSSED = re.compile(r"[\u4e00-\u9fff][^()]* \([a-zA-Z][^()]*\w")
WRITTEN = Message("没有 JSON", "no JSON")


# --- which one ---------------------------------------------------------------------------------------------


def test_block_speaks_its_own_language_in_its_thread_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    with ThreadPoolExecutor(1) as other, speaking(Language.EN):
        assert (WRITTEN.text(), other.submit(WRITTEN.text).result()) == ("no JSON", "没有 JSON")
    assert WRITTEN.text() == "没有 JSON"


@pytest.mark.parametrize(
    ("value", "spoken", "text"),
    [
        ("zh", Language.ZH, "没有 JSON"),
        ("en", Language.EN, "no JSON"),
        ("both", Language.BOTH, "没有 JSON (no JSON)"),
        ("", Language.BOTH, "没有 JSON (no JSON)"),
        (" ", Language.BOTH, "没有 JSON (no JSON)"),
        ("Both", Language.BOTH, "没有 JSON (no JSON)"),
        *(
            (one, Language.EN, "no JSON")
            for one in ("EN", "en_US.UTF-8", "en-GB", "en.utf8", "EN_us", "en@euro", " en ")
        ),
        *((one, Language.ZH, "没有 JSON") for one in ("ZH", "zh_CN.UTF-8", "zh-Hans")),
    ],
)
def test_variable_says_which_language_is_spoken(
    monkeypatch: pytest.MonkeyPatch, value: str, spoken: Language, text: str
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    assert (language(), WRITTEN.text()) == (spoken, text)


def test_both_are_spoken_where_the_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert language() is Language.BOTH


@pytest.mark.parametrize("value", ["fr", "english", "eng", "enX", "C", "both_US", "zh en", "x" * 100, "中文"])
def test_value_that_is_no_language_is_an_error_where_it_is_read(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(UnknownLanguageError, match="it must be one of zh, en, both") as refused:
        WRITTEN.text()
    assert repr(value[:40]) in str(refused.value)
    assert len(str(refused.value)) < 120
    with speaking(Language.EN):
        assert (WRITTEN.text(), WRITTEN.text(Language.ZH)) == ("no JSON", "没有 JSON")


def test_language_that_is_asked_for_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    assert WRITTEN.text(Language.EN) == "no JSON"


def test_gloss_may_be_shorter_than_the_english() -> None:
    message = Message.glossed("第 3 行有误", "line 3 is wrong", "wrong")
    assert [message.text(one) for one in Language] == ["第 3 行有误", "line 3 is wrong", "第 3 行有误 (wrong)"]


# --- every message of the examples -----------------------------------------------------------------------------


def made_of_two_languages(tree: ast.Module) -> list[ast.Call]:
    """What makes a text of two languages: its first two arguments are the Chinese and the English."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1)
    return [call for call in calls if ast.unparse(call.func) in MAKERS]


def written(text: ast.expr) -> str:
    """The text of an expression as the code says it, without its values."""
    return VALUE.sub(" ", ast.unparse(text))


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_chinese_of_an_example_has_its_english_and_neither_speaks_the_other(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    made = made_of_two_languages(tree)
    told = {part for call in made for part in ast.walk(call)}
    told |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))

    assert [call.lineno for call in made if CHINESE.search(written(call.args[1]))] == []
    assert [call.lineno for call in made if PROSE.search(COMMANDS.sub("", written(call.args[0])))] == []
    assert [one.lineno for one in texts if GLOSSED.search(str(one.value)) and one not in told] == []


def test_examples_have_such_messages() -> None:
    made = (made_of_two_languages(ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCES)
    assert sum(map(len, made)) > 100
