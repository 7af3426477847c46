"""Values, bounds, default and help of each option are written in one place; every surface shows what is there."""

from __future__ import annotations

import ast
import inspect
from typing import Any, cast, get_args

import pytest
import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from src.entrypoints.cli.app import app
from src.entrypoints.cli.batch_reader import reader_arguments
from src.entrypoints.cli.options import TypeOptions
from src.entrypoints.http.requests import MOST_SECONDS, READING, parse_request
from src.shared.domain.options import DEFAULTS, NEEDING_TYPE, OPTIONS, ReadOptions
from tests.llm_output.options_page import page
from tests.llm_output.test_options import CALLABLES, OF_ANOTHER_MEANING
from tests.paths import ROOT

GROUP = cast("TyperGroup", typer.main.get_command(app))
COMMANDS = {name: cast("TyperCommand", GROUP.get_command(typer.Context(GROUP), name)) for name in GROUP.commands}
FLAGS = [
    (command, option)
    for command, one in COMMANDS.items()
    for option in one.params
    if isinstance(option, TyperOption) and option.name in OPTIONS
]
UNSAID: dict[str, Any] = {"normalizers": [None, ()], "finished": [None], "dto_type": []}
"""What stands for an option that nobody said, beside its default."""


def test_page_of_options_is_as_made() -> None:
    assert (ROOT / "docs/reference/options.md").read_text(encoding="utf-8") == page()


def test_defaults_of_every_public_signature_are_those_of_the_list() -> None:
    found = [
        (f"{name}({parameter.name})", parameter.name, parameter.default)
        for _, name, parameters in CALLABLES
        for parameter in parameters.values()
        if parameter.name in OPTIONS and parameter.default is not inspect.Parameter.empty
    ]
    others = [
        one for one, name, default in found
        if default != DEFAULTS[name] and default not in UNSAID.get(name, []) and one not in OF_ANOTHER_MEANING
    ]  # fmt: skip

    assert others == []
    assert len(found) > 100


@pytest.mark.parametrize(("command", "option"), FLAGS, ids=lambda one: one if isinstance(one, str) else one.name)
def test_flag_has_the_help_the_words_and_the_default_of_the_list(command: str, option: TyperOption) -> None:
    listed = OPTIONS[str(option.name)]

    assert str(option.help).removesuffix(" Needs a type.") == listed.field.description, command
    assert str(option.help).endswith(" Needs a type.") == (option.name in NEEDING_TYPE)
    assert option.default == (listed.field.default if option.name != "finished" else "unknown")
    assert listed.words == () or option.metavar == "|".join(listed.words)


def test_commands_that_read_into_a_type_take_every_option() -> None:
    taken = {name: {one for command, option in FLAGS if command == name and (one := option.name)} for name in COMMANDS}

    assert taken["parse"] == set(OPTIONS) - {"normalizers", "context_label", "language"}
    assert taken["batch"] == set(READING) - {"timeout"}  # a text that takes longer ends its process there
    assert taken["check"] == {"coerce"}


def test_body_of_a_request_has_the_help_and_the_default_of_the_list() -> None:
    fields = type(parse_request(b'{"text": ""}')).model_fields

    assert set(OPTIONS) & set(fields) == {*READING, "finished"}
    for name in READING:
        assert (fields[name].default, fields[name].description) == (DEFAULTS[name], OPTIONS[name].field.description)
        assert get_args(fields[name].annotation) == get_args(OPTIONS[name].kind)
    assert f"le={MOST_SECONDS}" in repr(fields["timeout"])


def test_manifest_of_a_batch_has_the_options_that_are_said() -> None:
    said: ReadOptions = {"accept": "read", "several": "last", "keep": "good"}

    arguments, facts = reader_arguments(TypeOptions("verdict"), said)

    assert arguments == {"agent": "verdict", "options": said}
    assert {name: facts[name] for name in OPTIONS if name in facts and name != "language"} == said
    assert facts["language"] == "both"  # of the run: no option of a reading


def test_no_other_module_lists_the_words_of_an_option() -> None:
    words = {frozenset(option.words) for option in OPTIONS.values() if len(option.words) > 1}
    found = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "src").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if frozenset(_texts_in(node)) in words
    ]

    assert {one.rpartition("/")[2] for one in found} <= {"options.py", "grade.py", "language.py"}


def _texts_in(node: ast.AST) -> list[str]:
    """The texts of a tuple, or of the strings that a class of words has."""
    elements = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else ()
    values = [one.value for one in node.body if isinstance(one, ast.Assign)] if isinstance(node, ast.ClassDef) else ()
    return [str(one.value) for one in (*elements, *values) if isinstance(one, ast.Constant)]
