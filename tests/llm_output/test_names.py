"""`llm_output` holds the public names of the parser: the very objects, no more, no fewer, at no further cost."""

import importlib.metadata
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, reload
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, assert_type, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

import llm_output
import src.shared.infrastructure.llm_json as parser
from llm_output import _check_alone
from src.shared.infrastructure.agents import normalizers
from src.shared.infrastructure.distribution import DISTRIBUTION
from tests.docs.markdown import code_in
from tests.docs.pages import PAGES, rows

ROOT = Path(__file__).parents[2]
HOMES = {
    "src.shared.domain.answer_type": ["AnswerType", "SchemaType"],
    "src.shared.domain.coercion.coercion": ["Coercion", "CoercionKind"],
    "src.shared.domain.coercion.lenient": [
        *("Amount", "Lenient", "LenientBool", "LenientDate", "LenientEnum", "OneOrMany", "OrNone", "Percent"),
        *("PercentPoints", "coercing"),
    ],
    "src.shared.domain.coercion.numbers": ["NumberMeaning"],
    "src.shared.domain.exceptions": ["AppException", "LLMJsonParseError", "Told"],
    "src.shared.domain.finish_reasons": ["finish_reason_of"],
    "src.shared.domain.grade": ["Grade"],
    "src.shared.domain.language": ["Language", "Message"],
    "src.shared.domain.options": ["DecodeOptions", "ReadAsOptions", "ReadOptions", "ReaderOptions"],
    "src.shared.domain.partial": ["PartProblem", "Partial"],
    "src.shared.domain.ports.llm": ["FinishReason"],
    "src.shared.domain.ports.output": ["OutputPort", "OutputStream", "ParsedText", "Snapshot"],
    "src.shared.domain.read_as": ["ReadAs", "reading_as"],
    "src.shared.domain.repair": ["Repair", "RepairKind"],
    "src.shared.domain.rules": ["Normalizer", "Rule", "RuleViolation"],
    "src.shared.domain.strict_schema": ["NotStrictError", "strict_schema"],
    "src.shared.domain.type_description": ["describe_type"],
    "src.shared.infrastructure.agents.agent_output": ["AgentOutput", "ErrorType", "plain_output"],
    "src.shared.infrastructure.agents.normalizers": [
        *("each_object", "fill_missing_text", "null_to_empty_list", "wrap_single_text"),
    ],
    "src.shared.infrastructure.finish_fields": ["finished_by"],
    "src.shared.infrastructure.json_schema.json_schema": ["JsonSchema"],
    "src.shared.infrastructure.json_schema.drafts": ["JsonSchemaError"],
    "src.shared.infrastructure.llm_json": [
        *("DecodedJson", "ParsedOutput"),
        *("decode_llm_json", "parse_llm_json_output", "parse_llm_json_output_with_trace"),
    ],
    "src.shared.infrastructure.llm_stream": ["LLMJsonStream", "StreamSnapshot"],
    "src.shared.infrastructure.loads": ["LLMJsonDecodeError", "from_file", "load", "loads", "repair_json"],
    "src.shared.infrastructure.parsing.state": ["Note", "Span"],
    "src.shared.infrastructure.parsing.stream.answer": ["StreamState"],
    "src.shared.infrastructure.tool_call_stream": ["ToolCallSnapshot", "ToolCallStream"],
    "src.shared.infrastructure.tool_calls": [
        *("ToolCall", "contains_tool_call", "parse_tool_call", "read_tool_calls"),
    ],
}
"""Where each public name is defined."""
MADE_INSIDE = {"StreamSnapshot"}
"""What no caller makes: its constructor speaks of how it is made."""
UNUSED = {"dependency_injector", "jsonschema_rs", "openai", "rich", "structlog", "typer"}


class Item(BaseModel):
    name: str


def modules_after(code: str) -> set[str]:
    shown = f"{code}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", shown], cwd=ROOT, text=True).split())  # noqa: S603 - our own code


def ours_in(annotation: object) -> Iterator[str]:
    named = get_origin(annotation) or annotation
    if isinstance(named, type) and named.__module__.startswith("src."):
        yield named.__name__
    for part in get_args(annotation):
        for inner in part if isinstance(part, list) else [part]:
            yield from ours_in(inner)


def test_all_is_what_is_public() -> None:
    names = {name for name in dir(llm_output) if not isinstance(getattr(llm_output, name), ModuleType)}
    public = {name for name in names if not name.startswith("_")} - {"annotations", "TYPE_CHECKING"}

    assert set(llm_output.__all__) == public == {name for names in HOMES.values() for name in names}
    assert sorted(llm_output.__all__) == llm_output.__all__


def test_every_name_of_the_parser_and_every_ready_made_normalizer_is_public() -> None:
    made = {
        name for name, value in vars(normalizers).items() if getattr(value, "__module__", "") == normalizers.__name__
    }

    assert made | set(parser.__all__) <= set(llm_output.__all__)


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in HOMES.items() for name in names])
def test_name_is_the_object_of_its_home(module: str, name: str) -> None:
    assert getattr(llm_output, name) is getattr(import_module(module), name)


@pytest.mark.parametrize("name", llm_output.__all__)
def test_types_that_a_public_name_speaks_of_are_public(name: str) -> None:
    value: Any = getattr(llm_output, name)
    own = vars(value).items() if isinstance(value, type) else ()
    hidden = re.compile("_[^_].*|__init__" if name in MADE_INSIDE else "_[^_].*")
    members = [value, *(member for key, member in own if not hidden.fullmatch(key))]
    hints = [get_type_hints(each) for each in members if isinstance(each, type) or hasattr(each, "__code__")]
    named = {
        found for each in hints for key, hint in each.items() if not key.startswith("_") for found in ours_in(hint)
    }

    assert named <= set(llm_output.__all__)


def test_the_reference_describes_every_name() -> None:
    described = [name for row in rows(PAGES["docs/reference/names.md"], "name") for name in code_in(row[0])]

    assert sorted(described) == sorted(llm_output.__all__)


def test_importing_it_loads_what_the_parser_loads_and_the_few_files_of_agent_output() -> None:
    more = modules_after("import llm_output") - modules_after("import src.shared.infrastructure.llm_json")

    others = {name for name in more if not name.startswith("src.")}
    assert others - {"urllib", "urllib.parse"} == {"llm_output"}  # pathlib loads these, up to Python 3.12
    assert modules_after("import llm_output").isdisjoint(UNUSED)


def test_the_reader_of_streams_is_imported_with_its_first_use() -> None:
    needed = "src.shared.infrastructure.parsing.stages"

    assert needed not in modules_after("import llm_output")
    assert needed in modules_after("from llm_output import LLMJsonStream")


def test_the_version_is_that_of_the_distribution() -> None:
    assert llm_output.__version__ == version(DISTRIBUTION)


def test_a_copy_that_was_never_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", unknown)

    assert llm_output.__version__ == "(not installed)"


def test_the_package_runs_as_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["__main__.py", "--version"])
    monkeypatch.delitem(sys.modules, "llm_output.__main__", raising=False)

    with pytest.raises(SystemExit) as ended:
        runpy.run_module("llm_output", run_name="__main__")

    assert (ended.value.code, capsys.readouterr().out.split()[0]) == (0, "llm-output")


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'llm_output' has no attribute 'LLMJsonStrem'"):
        getattr(llm_output, "LLMJsonStrem")  # noqa: B009 - a type checker sees that it is not there


def test_a_type_checker_sees_the_types_through_it() -> None:
    assert_type(llm_output.parse_llm_json_output('{"name": "a"}', Item), Item)
    assert_type(llm_output.plain_output(Item).parse('{"name": "a"}'), Item)
    assert_type(llm_output.LLMJsonStream(Item).feed('{"name": "a"}').value, Item | None)
    assert_type(llm_output.decode_llm_json("[1]", root="array").data, list[Any])


def test_a_distribution_of_the_former_name_beside_it_is_an_error_that_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "unified_llm_output_parser_core-0.1.0.dist-info").mkdir()
    with pytest.raises(ImportError, match=r"run `pip uninstall .*`, then install llm-output again"):
        _check_alone(tmp_path)


MODULES = sorted({path.stem for path in (ROOT / "llm_output").glob("*.py")} - {"__init__", "instructor"})
"""What there is beside the parser; the suite of instructor, in its own environment, uses the one for it."""


@pytest.mark.parametrize("name", MODULES)
def test_module_beside_the_parser_has_the_very_objects(name: str) -> None:
    module = reload(import_module(f"llm_output.{name}"))  # a test that is not traced may have imported it
    homes = [value.__module__ for value in map(vars(module).get, module.__all__) if hasattr(value, "__module__")]

    assert sorted(module.__all__) == module.__all__
    assert homes
    assert [home for home in homes if not home.startswith("src.")] == []
