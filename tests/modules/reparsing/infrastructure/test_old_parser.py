"""An old parser may be anything that takes a text; what it returns or raises is an answer."""

import dataclasses
import datetime as dt
import enum
import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from src.modules.reparsing.domain.comparison import ERROR_LIMIT, ParserAnswer
from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.infrastructure.old_parser import OldParser, as_json
from tests.modules.reparsing.old_parsers import Model

PARSERS = "tests.modules.reparsing.old_parsers"


class Colour(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    LARGE = 3


@dataclasses.dataclass
class Point:
    x: int
    when: dt.date


def told(do: str) -> str:
    answer = OldParser(f"{PARSERS}:behave").answer(json.dumps({"do": do}), None)
    assert answer.data is None
    return answer.error


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to import from, before any other; its modules are forgotten afterwards."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["decode", "behave", "Parsers.decode"])
def test_function_is_asked_by_its_name(name: str) -> None:
    assert OldParser(f"{PARSERS}:{name}").answer('{"a": [1, null]}', None) == ParserAnswer({"a": [1, None]})


def test_function_written_in_c_is_asked() -> None:
    assert OldParser("builtins:int").answer("12", "judge") == ParserAnswer(12)


def test_function_with_an_agent_gets_the_agent() -> None:
    assert OldParser(f"{PARSERS}:of_agent").answer("{}", "judge").data == {"agent": "judge"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("parse", "package.module:function"),
        (f"{PARSERS}:", "package.module:function"),
        (f"{PARSERS}.py:of two", "package.module:function"),
        ("nowhere.parsers:parse", "no module nowhere in the current directory"),
        (f"{PARSERS}:parse", "has no parse"),
        (f"{PARSERS}:Parsers.parse", "has no Parsers.parse"),
        (f"{PARSERS}:NUMBER", "no function but a int"),
        (f"{PARSERS}:later", "async"),
        (f"{PARSERS}:of_two", "missing a required argument: 'label'"),
        ("broken_parsers:parse", "importing it failed: ZeroDivisionError"),
        ("leaving_parsers:parse", "importing it failed: SystemExit: 3"),
    ],
)
def test_function_that_cannot_be_asked_is_an_error(folder: Path, name: str, why: str) -> None:
    (folder / "broken_parsers.py").write_text("1 / 0\n")
    (folder / "leaving_parsers.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(BatchReaderError) as caught:
        OldParser(name)
    assert f"--against {name}" in caught.value.message
    assert why in caught.value.message


@pytest.mark.parametrize(
    ("do", "error"),
    [
        ("odd", "OddError: odd"),
        ("leave", "SystemExit: bye"),
        ("interrupt", "KeyboardInterrupt"),
        ("speechless", "SpeechlessError"),
        ("none", "返回了 None (it returned None)"),
    ],
)
def test_whatever_it_raises_is_told(do: str, error: str) -> None:
    assert told(do) == error


@pytest.mark.parametrize("do", ["itself", "nested", "object"])
def test_what_json_cannot_hold_is_told(do: str) -> None:
    assert "cannot be written as JSON" in told(do)


def test_error_is_one_line_within_the_bound() -> None:
    assert len(told("long")) == ERROR_LIMIT
    assert told("long").startswith(r"ValueError: long\nlong\n")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Point(1, dt.date(2026, 1, 2)), {"x": 1, "when": "2026-01-02"}),
        ([Model(inside=Decimal("1.50"))], [{"outside": "1.50"}]),
        ((Colour.RED, Size.LARGE), ["red", 3]),
        ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
        ({dt.date(2026, 1, 2): {Colour.RED: 1}}, {"2026-01-02": {"red": 1}}),
        ((number for number in range(2)), [0, 1]),
        ({"only"}, ["only"]),
        (b"text", "text"),
        ("\ud800", "\ud800"),
    ],
)
def test_result_is_written_as_json_types(value: object, written: object) -> None:
    assert as_json(value) == written


def test_nested_lists_may_be_deeper_than_pydantic_goes() -> None:
    nested: Any = 1
    for _ in range(500):
        nested = [nested]
    assert as_json(nested) == nested


def test_code_base_may_have_our_name(folder: Path) -> None:
    """Also where it imports a part of itself only when it is asked."""
    (folder / "src").mkdir()
    (folder / "src/__init__.py").write_text("")
    (folder / "src/shared.py").write_text("def decode(text):\n    return [text]\n")
    (folder / "src/parsers.py").write_text(
        "def parse(text):\n    from src.shared import decode\n    return decode(text)\n"
    )
    ours = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "src"}
    parser = OldParser("src.parsers:parse")
    assert parser.answer("a", None).data == ["a"]
    assert parser.answer("b", None).data == ["b"]
    assert {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "src"} == ours
