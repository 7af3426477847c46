"""One message in three languages: which one is spoken, and that each is a whole sentence in its own script."""

import ast
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from src.shared.domain.language import VARIABLE, Language, Message, UnknownLanguageError, language, speaking

SOURCES = sorted(path for path in Path("examples").rglob("*.py") if "tests" not in path.parts)
"""They write their own messages; those of the program are in the catalogue (test_catalogue.py)."""
MAKERS = {"Message", "Message.glossed", "chinese", "said", "spoken"}
"""What makes a text of two languages."""
CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
PROSE = re.compile(r"[a-z]{2,} [a-z]{2,}")
"""Two English words in a row: names of fields, programs and formats stand alone."""
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


class Pair(NamedTuple):
    """What the code writes for the Chinese and the English of one message; values are left out of it."""

    place: str
    zh: str
    en: str


def literal(node: ast.expr) -> str:
    """The text of an expression as far as the code says it; a name is a value."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return " ".join(str(part.value) for part in parts if not is_format(node, part))


def is_format(node: ast.expr, part: ast.Constant) -> bool:
    """Whether a text only says how a value is spelled, as `,` in `{limit:,}`, or where it is, as `["line"]`."""
    specs = [one.format_spec for one in ast.walk(node) if isinstance(one, ast.FormattedValue) and one.format_spec]
    slices = [one.slice for one in ast.walk(node) if isinstance(one, ast.Subscript)]
    return any(part in ast.walk(one) for one in (*specs, *slices))


def named(made: ast.expr) -> str:
    """What is called, as it is written: a name, or an attribute of one."""
    if isinstance(made, ast.Attribute):
        return f"{named(made.value)}.{made.attr}"
    return made.id if isinstance(made, ast.Name) else ""


def calls(nodes: Sequence[ast.AST]) -> Iterator[ast.Call]:
    """What makes a text of two languages."""
    for node in nodes:
        if isinstance(node, ast.Call) and named(node.func) in MAKERS and len(node.args) > 1:
            yield node


class Written(NamedTuple):
    """What the code writes: its messages, and where a Chinese text with a gloss stands that is part of none."""

    pairs: list[Pair]
    outside: list[str]


@pytest.fixture(scope="module")
def written() -> Written:
    found = Written([], [])
    for path in SOURCES:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        made = list(calls(nodes))
        found.pairs.extend(Pair(f"{path}:{one.lineno}", literal(one.args[0]), literal(one.args[1])) for one in made)
        told = {part for one in made for part in ast.walk(one)}
        told |= {node.value for node in nodes if isinstance(node, ast.Expr)}
        found.outside.extend(f"{path}:{node.lineno}" for node in glossed(nodes) if node not in told)
    return found


def glossed(nodes: Sequence[ast.AST]) -> Iterator[ast.Constant]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and GLOSSED.search(node.value):
            yield node


def test_messages_of_the_examples_are_found(written: Written) -> None:
    assert len(written.pairs) > 100


def test_no_english_text_has_a_chinese_character(written: Written) -> None:
    assert [pair for pair in written.pairs if CHINESE.search(pair.en)] == []


def test_no_chinese_text_has_english_prose(written: Written) -> None:
    commands = re.compile("apt install|--finished yes")
    shown = [pair._replace(zh=commands.sub("", pair.zh)) for pair in written.pairs]
    assert [pair for pair in shown if PROSE.search(pair.zh)] == []


def test_chinese_with_a_gloss_is_written_in_messages_alone(written: Written) -> None:
    assert written.outside == []
