"""The catalogue has the Chinese of each text of the code and no other, and no message holds Chinese outside of it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from src.shared.domain import language
from src.shared.domain.language import Language, Message, Phrase, translated

CATALOGUE = Path("src/shared/domain/locale/zh.toml")
ENTRIES: dict[str, str | dict[str, str]] = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
MAKERS = {"CommandError", "Phrase", "Phrase.joined", "Reason", "said", "spoken", "translated"}
"""What takes an English text whose Chinese is looked up, as its first argument."""
PASSED_ON = {
    "src/entrypoints/cli/guard.py": "spoken(what, **values)",
    "src/entrypoints/cli/plain_output.py": "Phrase(what, **values)",
    "src/entrypoints/cli/commands/gateway.py": "CommandError(message)",
    "src/entrypoints/cli/commands/serve.py": "CommandError(message)",
    "src/entrypoints/reports/templates_of.py": "translated(english, report_language())",
    "src/entrypoints/reports/words.py": "Phrase(english, **values)",
}
"""Where such a text is not written, but passed on."""
SAYING = re.compile(r'\bsay\("([^"]*)"\)')
CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
PROSE = re.compile(r"[a-z]{2,} [a-z]{2,}")
"""Two English words in a row: names of fields, programs and formats stand alone."""
COMMANDS = re.compile("apt install|--finished yes|llm-output [a-z ]+")
READ = "vocabulary and signs that are read in a model's text"
PROMPT = "a part of a prompt"
CONTRACT = "literals that callers, logs or specifications have"
MAY_HOLD_CHINESE = {
    "src/entrypoints/http/reading.py": "damaged texts that are read to warm up",
    "src/modules/cowriting/domain.py": "the label of the envelope, which events have",
    "src/modules/debate/domain/dtos": PROMPT,
    "src/modules/debate/infrastructure/agents": CONTRACT,
    "src/modules/judge/domain/dtos": PROMPT,
    "src/modules/judge/infrastructure/agents": CONTRACT,
    "src/modules/research/domain/dtos": CONTRACT,
    "src/modules/research/domain/inputs.py": PROMPT,
    "src/modules/research/infrastructure/agents": CONTRACT,
    "src/modules/visual_rag/infrastructure/agents": READ,
    "src/shared/application/prompted_agent.py": PROMPT,
    "src/shared/application/question.py": READ,
    "src/shared/application/repair_agent": "the prompt of seed 004, and signs that are read",
    "src/shared/domain/coercion": READ,
    "src/shared/infrastructure/notations": READ,
    "src/shared/domain/options.py": "an example of a value in Chinese",
    "src/shared/domain/reading": READ,
    "src/shared/domain/reasoning.py": READ,
    "src/shared/domain/shown_end.py": READ,
    "src/shared/infrastructure/events/log.py": CONTRACT,
    "src/shared/infrastructure/llm_stream.py": READ,
    "src/shared/infrastructure/parsing": READ,
    "src/shared/infrastructure/tool_call_forms": READ,
}
"""What may, and why."""


@cache
def trees() -> dict[str, ast.Module]:
    return {path.as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(Path("src").rglob("*.py"))}


@cache
def templates() -> dict[str, str]:
    return {path.as_posix(): path.read_text("utf-8") for path in sorted(Path("src").rglob("*.j2"))}


def calls() -> Iterator[tuple[str, ast.Call, ast.expr]]:
    """Each call that takes such a text, where it is, and its first argument; `partial(Phrase, …)` is one."""
    for path, tree in trees().items():
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args):
            made, *arguments = [node.func, *node.args]
            if ast.unparse(made) == "partial":
                made, *arguments = arguments
            if ast.unparse(made).removeprefix("language.") in MAKERS:
                yield path, node, arguments[0]


@cache
def written() -> frozenset[str]:
    """The texts of the code and of the templates."""
    said = {str(text.value) for _, _, text in calls() if isinstance(text, ast.Constant)}
    said |= {text for template in templates().values() for text in SAYING.findall(template)}
    return frozenset(said)


def names_of(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def words_of(template: str) -> str:
    return "".join(text for text, _, _, _ in Formatter().parse(template))


def chinese_of(key: str) -> dict[str, str]:
    entry = ENTRIES[key]
    return {"zh": entry} if isinstance(entry, str) else entry


# --- the catalogue -----------------------------------------------------------------------------------------


def test_text_is_written_where_it_is_said() -> None:
    assert [
        f"{path}:{call.lineno}: {ast.unparse(call)}"
        for path, call, text in calls()
        if not isinstance(text, ast.Constant)
        and PASSED_ON.get(path) != ast.unparse(call)
        and path != "src/shared/domain/language.py"
    ] == []


def test_no_text_with_words_is_missing() -> None:
    with_words = {text for text in written() if re.search(r"[^\W\d_]", words_of(text))}
    assert len(with_words) > 700
    assert with_words - ENTRIES.keys() == set()


def test_no_entry_is_unused() -> None:
    assert ENTRIES.keys() - written() == set()


def test_entries_are_sorted() -> None:
    assert [*ENTRIES] == sorted(ENTRIES, key=lambda key: (key.casefold(), key))


def test_chinese_names_no_value_that_the_english_does_not_have() -> None:
    for key in ENTRIES:
        known = names_of(key)
        both = {f"{name}_{one}" for name in known for one in Language}
        for part, text in chinese_of(key).items():
            assert names_of(text) <= (known | both if part == "both" else known), key


def test_english_has_no_chinese_and_chinese_no_english_prose() -> None:
    prose = {key for key in ENTRIES if PROSE.search(COMMANDS.sub("", words_of(chinese_of(key)["zh"])))}
    assert (prose, {key for key in ENTRIES if CHINESE.search(key)}) == (set(), set())


# --- everything else ---------------------------------------------------------------------------------------


def may_hold_chinese(path: str) -> str | None:
    places = [path, *(parent.as_posix() for parent in Path(path).parents)]
    return next((place for place in places if place in MAY_HOLD_CHINESE), None)


def holding_chinese(tree: ast.Module) -> list[int]:
    """The lines of texts with Chinese, apart from docstrings."""
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in docs)
    return [node.lineno for node in texts if isinstance(node.value, str) and CHINESE.search(node.value)]


def test_no_message_holds_chinese_outside_of_the_catalogue() -> None:
    held = {path: lines for path, tree in trees().items() if (lines := holding_chinese(tree))}
    assert {path: lines for path, lines in held.items() if may_hold_chinese(path) is None} == {}
    assert {*map(may_hold_chinese, held)} == {*MAY_HOLD_CHINESE}


def test_no_template_holds_chinese() -> None:
    assert {path for path, text in templates().items() if CHINESE.search(re.sub(r"\{#.*?#\}", "", text))} == set()


# --- what a phrase says ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "zh", "en", "both"),
    [
        (Phrase("nested too deeply"), "嵌套过深", "nested too deeply", "嵌套过深 (nested too deeply)"),
        (
            Phrase("not valid JSON: {reason}", reason=Phrase("too much damage")),
            "不是合法 JSON：损坏过多",
            "not valid JSON: too much damage",
            "不是合法 JSON：损坏过多 (not valid JSON: too much damage)",
        ),
        (
            Phrase("not read within the {seconds:g} s that the call allows", seconds=0.50),
            "在 0.5 秒之内没有读完",
            "not read within the 0.5 s that the call allows",
            "在 0.5 秒之内没有读完 (not read within 0.5 s)",
        ),
        (
            Phrase("the root must be {root}, not {kind}", root=Phrase("an object"), kind=Phrase("number")),
            "JSON 根节点须为对象，得到的是 数字",
            "the root must be an object, not number",
            "JSON 根节点须为对象，得到的是 number (the root must be an object, not number)",
        ),
        (Phrase("title|too many requests"), "请求过多", "too many requests", "请求过多 (too many requests)"),
        (Phrase("too many requests"), "请求过于频繁", "too many requests", "请求过于频繁 (too many requests)"),
        (Phrase("{one}: {other}", one="a", other=Path("b")), "a: b", "a: b", "a: b (a: b)"),
        (Phrase.joined("{one}, {other}", "abc"), "a、b、c", "a, b, c", "a、b、c (a, b, c)"),
        (Phrase.joined("{one}, {other}", ()), "", "", " ()"),
        (Phrase("{what}: {why}", what="{a}", why="{b}"), "{a}：{b}", "{a}: {b}", "{a}：{b} ({a}: {b})"),
    ],
    ids=lambda one: one.en if isinstance(one, Message) else "",
)
def test_phrase_is_said_in_each_language(phrase: Phrase, zh: str, en: str, both: str) -> None:
    assert [phrase.text(one) for one in Language] == [zh, en, both]
    assert [phrase.under("f").text(one) for one in (Language.ZH, Language.EN)] == [f"f: {zh}", f"f: {en}"]


def test_phrase_is_known_by_its_text_and_values() -> None:
    one, same, other = (Phrase("model {model}", model=name) for name in ("a", "a", "b"))
    assert one == same
    assert one != other
    assert one != Message(one.zh, one.en)
    assert {one, same, other} == {one, other}


def test_text_of_a_template_is_said_with_its_braces() -> None:
    assert [translated("The other {}", one) for one in (Language.ZH, Language.EN)] == ["其余 {} 个", "The other {}"]
    assert translated("marked|repaired", Language.EN) == "repaired"
    assert translated("not read within the {seconds:g} s that the call allows", Language.ZH).startswith("在")


def test_english_is_said_where_the_catalogue_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(language, "_catalogue", refused)
        assert [Phrase("title|too many requests").text(one) for one in (Language.ZH, Language.BOTH)] == [
            "too many requests",
            "too many requests (too many requests)",
        ]
    assert Phrase("title|too many requests").zh == "请求过多"


IMPORT_ALL = """
import contextlib, importlib, pathlib

integrations = {*pathlib.Path("src/integrations").iterdir()}  # some say that their extra is missing
paths = {*pathlib.Path("src").rglob("*.py")} - integrations
for path in sorted(paths):
    with contextlib.suppress(Exception):
        importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
from src.shared.domain import language

assert language._catalogue.cache_info().currsize == 0
assert language.Phrase("too much damage").text(language.Language.EN) == "too much damage"
assert language._catalogue.cache_info().currsize == 0
assert language.Phrase("too much damage").zh == "损坏过多"
assert language._catalogue.cache_info().currsize == 1
"""


def test_catalogue_is_read_for_the_first_chinese_message_and_not_at_import() -> None:
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-W", "ignore", "-c", IMPORT_ALL], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
