"""What the playground's Python says of a text, and what is built for it."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from llm_output import Note, Repair, RepairKind, Span
from src.shared.domain.language import VARIABLE
from tests.paths import ROOT
from tools.environment import requirements_of
from tools.playground.reading import MODULE, MOST_MARKS, MOST_SHOWN, parts, read

ORDER = "from pydantic import BaseModel\nclass Order(BaseModel):\n    order: int\n    tags: set[str] = set()\n"
PAGE = ROOT / "tools/playground/page"


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A reading sets the language of its process, and leaves a module behind."""
    monkeypatch.setenv(VARIABLE, "en")
    yield
    sys.modules.pop(MODULE, None)


def told(
    text: str, source: str = "", *, finished: bool | None = None, coerce: bool = False, language: str = "en"
) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(text, source, finished, coerce, language))
    return found


def test_value_is_that_of_the_type() -> None:
    found = told("{'order': '7'}", ORDER)

    assert json.loads(found["value"]) == {"order": 7, "tags": []}
    assert [repair["kind"] for repair in found["repairs"]] == ["single_quote", "single_quote"]


def test_type_may_be_any_that_is_named_answer() -> None:
    assert json.loads(told('[{"order": 1}]', f"{ORDER}Answer = list[Order]")["value"])[0]["order"] == 1


def test_last_model_of_the_source_counts_and_no_imported_one() -> None:
    source = f"{ORDER}class Other(BaseModel):\n    a: int\nfrom pydantic import RootModel\n"

    assert json.loads(told('{"a": 1}', source)["value"]) == {"a": 1}


def test_refusal_has_its_places_and_the_feedback_in_the_language() -> None:
    found = told('{"order": 1', ORDER, language="zh")

    assert found["refusal"]["stage"] == "repair"
    assert found["refusal"]["places"] == [[1, 12]]
    assert "请只输出修正后的完整 JSON 对象" in found["refusal"]["feedback"]
    assert "value" not in found


def test_answers_that_compete_are_all_places() -> None:
    assert told('{"a": 1} or {"a": 2}')["refusal"]["places"] == [[1, 1], [1, 13]]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("x = (", "line 1: SyntaxError"),
        ("x = 1\n1 / 0", "line 2: ZeroDivisionError"),
        ("exit()", "SystemExit"),
        ("x = 1", "define a Pydantic model"),
        ("Answer = int", "TypeError"),
        ("from pydantic import BaseModel\n\nclass A(BaseModel):\n    a: object()", "PydanticSchemaGenerationError"),
    ],
)
def test_source_at_fault_is_a_problem_with_its_line(source: str, problem: str) -> None:
    assert problem in told('{"a": 1}', source)["problem"]


def test_value_in_another_spelling_is_read_where_that_is_asked_for() -> None:
    found = told('{"order": "1,234,567"}', ORDER, coerce=True)

    assert json.loads(found["value"])["order"] == 1_234_567
    assert found["coercions"] == [
        {"kind": "separators", "path": "$.order", "before": '"1,234,567"', "after": "1234567"}
    ]
    assert told('{"order": "1,234,567"}', ORDER)["refusal"]["stage"] == "validate"


def test_stages_behind_the_one_that_refused_are_not_reached() -> None:
    states = {stage["name"]: stage["state"] for stage in told('{"order": "x"}', ORDER)["stages"]}

    assert (states["empty"], states["normalize"], states["validate"]) == ("passed", "passed", "failed")
    assert told("")["stages"][1]["state"] == "not reached"


def test_parts_are_the_text_again_whatever_was_found_in_it() -> None:
    text = "<think>no</think>{'a': 1, \"b\": [1,],} and more"
    found = told(text)

    assert "".join(part[0] for part in found["parts"]) == text
    assert ["<think>no</think>", ["dropped"], "think: dropped"] in found["parts"]


def test_what_is_missing_is_marked_between_two_characters() -> None:
    repair = Repair(RepairKind.MISSING_COMMA, 1, 2, 1, "", ",")
    found = list(parts("ab", [Note("strict", "chosen", Span(0, 2))], [repair]))

    assert [(part.text, part.kinds) for part in found] == [("a", ("chosen",)), ("", ("repaired",)), ("b", ("chosen",))]


def test_marks_and_text_that_is_shown_are_bounded() -> None:
    found = told("[" + "'a'," * 20_000 + "]", "Answer = list[str]")

    assert len(found["repairs"]) == MOST_MARKS
    assert found["more"] == 20_001 - MOST_MARKS
    assert sum(len(part[0]) for part in found["parts"]) == MOST_SHOWN
    assert found["cut"] == 80_002 - MOST_SHOWN


def test_group_whose_wheels_it_gets_has_what_the_parser_alone_needs() -> None:
    names = set(re.findall(r"^([a-z-]+)==", requirements_of("core").read_text(encoding="utf-8"), re.MULTILINE))

    assert names >= {"pydantic", "pydantic-core", "structlog"}
    assert len(names) < 10


@pytest.mark.parametrize("name", ["app.js", "outcome.js", "worker.js"])
def test_scripts_make_no_markup_of_texts(name: str) -> None:
    text = (PAGE / name).read_text(encoding="utf-8")

    assert re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", text) == []


def test_page_has_no_script_of_its_own_and_its_policy_allows_no_other_origin() -> None:
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)

    assert re.findall(r"<script(?![^>]* src=)|<style| on\w+=| style=", page) == []
    assert "http" not in policy
    assert "unsafe-inline" not in policy
    assert policy.startswith("default-src 'none'; ")


def test_both_languages_have_every_word() -> None:
    text = (PAGE / "words.js").read_text(encoding="utf-8")
    english, chinese = (re.findall(r"^    (\w+):", part, re.MULTILINE) for part in text.split("  zh: {"))
    named = set(re.findall(r'data-word="(\w+)"', Path(PAGE / "index.html").read_text(encoding="utf-8")))

    assert english == chinese
    assert named <= set(english)
