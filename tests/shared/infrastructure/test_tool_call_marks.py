"""The expressions by which calls are found: what each matches, and what it does not."""

import re

import pytest

from src.shared.infrastructure.tool_call_forms.call_objects import ARGUMENTS_MEMBER, NAME_MEMBER
from src.shared.infrastructure.tool_call_forms.found_calls import BEGUN_VALUE
from src.shared.infrastructure.tool_call_forms.marks import (
    DEEPSEEK_HEADER,
    KIMI_HEADER,
    LISTED,
    MARK,
    NAME_LIMIT,
    NAMED,
    PYTHONIC,
    bare_call,
    ends_in_a_mark,
    plain_name,
)
from src.shared.infrastructure.tool_call_forms.parameter_types import MAY_BE_JSON
from src.shared.infrastructure.tool_call_forms.parameters import EDGE, OPENED
from src.shared.infrastructure.tool_call_forms.pythonic import TOKEN


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<tool_call>", "wrapper"),
        ("<|tool_call|>", "wrapper"),
        ("[TOOL_CALLS]", "wrapper"),
        ("functools[", "wrapper"),
        ("<｜DSML｜function_calls>", "wrapper"),
        ("```tool_code\n", "fence"),
        ("<function=f>", "function"),
        ("<function=", "function"),
        ('<invoke name="f">', "invoke"),
        ('<｜DSML｜invoke name="f">', "invoke"),
        ("<｜tool▁calls▁begin｜>", "section"),
        ("<|tool_calls_section_end|>", "section_end"),
        ("<|tool_call_begin|>", "begin"),
        ("<|channel|>commentary to=functions.f", "channel"),
        ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "message"),
        ("</tool_call>", "end"),
        ("<|tool_call_end|>", "end"),
        ("<|im_end|>", "turn_end"),
        ("</s>", "turn_end"),
    ],
)
def test_mark_is_known_by_its_kind(text: str, kind: str) -> None:
    found = MARK.fullmatch(text) or MARK.match(text)

    assert found is not None
    assert found[kind] is not None


@pytest.mark.parametrize(
    "text",
    ["<tool>", "tool_call", "[TOOL]", "functools", "```python\n", "<function>", "<invoke>", "<b>", "</b>", "<|x|>"],
)
def test_other_tags_are_no_marks(text: str) -> None:
    assert MARK.search(text) is None


@pytest.mark.parametrize(("length", "is_named"), [(NAME_LIMIT, True), (NAME_LIMIT + 1, False)])
def test_name_in_a_mark_has_so_many_characters_at_most(length: int, *, is_named: bool) -> None:
    found = MARK.match(f"<function={'n' * length}>")

    assert found is not None
    assert (found["function_name"] is not None) == is_named


@pytest.mark.parametrize(
    ("expression", "text", "name"),
    [
        (DEEPSEEK_HEADER, "function<｜tool▁sep｜>f\n", "f"),
        (DEEPSEEK_HEADER, "f<｜tool▁sep｜>", "f"),
        (DEEPSEEK_HEADER, "function<｜tool▁sep｜>{", "function"),
        (DEEPSEEK_HEADER, "f\n", None),
        (KIMI_HEADER, "functions.f:0<|tool_call_argument_begin|>", "functions.f:0"),
        (KIMI_HEADER, "functions.f:0", None),
        (NAMED, "f[ARGS]{", "f"),
        (NAMED, "f[CALL_ID]a1[ARGS]{", "f"),
        (NAMED, " f {", "f"),
        (NAMED, "f[", None),
        (NAMED, '{"f": {', None),
        (LISTED, "f\n<arg_key>", "f"),
        (LISTED, "f</tool_call>", "f"),
        (LISTED, "f g</tool_call>", None),
    ],
)
def test_header_of_a_call_has_its_name(expression: re.Pattern[str], text: str, name: str | None) -> None:
    found = expression.match(text)
    names = found.groupdict() if found else {}

    assert (names.get("name") or names.get("short") or names.get("id")) == name


@pytest.mark.parametrize(
    ("text", "is_call"),
    [("[f(", True), ("print(f(", True), ("f(", True), ("f (", False), ("x = f(", False), ('{"f(', False)],
)
def test_call_of_python_begins_with_its_name(text: str, *, is_call: bool) -> None:
    assert (PYTHONIC.match(text) is not None) == is_call


def test_bare_list_begins_with_the_name_of_a_tool() -> None:
    assert bare_call(frozenset({"f", "g.h"})).search("see [ g.h(") is not None
    assert bare_call(frozenset({"f", "g.h"})).search("see [x(") is None
    assert bare_call(frozenset()).search("[(") is None


@pytest.mark.parametrize(
    ("text", "is_begun"),
    [
        ("x <too", True),
        ("x <to", False),
        ("<to", True),
        ("x [TOO", True),
        ("x [now", True),
        ("[n", True),
        ("x [n", False),
        ("x <tool_call>", False),
        ("x\n<", True),
        ("x\n[", True),
        ("x\n``", False),
        ("x\n```", False),
        ("x\n```tool_c", True),
        ("x func", False),
        ("x\nfunct", True),
        ("x functools", True),
        ("", False),
    ],
)
def test_begun_mark_is_known_at_the_end(text: str, *, is_begun: bool) -> None:
    assert ends_in_a_mark(text, ["now"]) == is_begun


@pytest.mark.parametrize(
    ("name", "plain"), [("functions.f:0", "f"), ("functions.f", "f"), ("f:12", "f"), ("f", "f"), ("a.f:b", "a.f:b")]
)
def test_name_without_namespace_and_number(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("expression", "text", "is_match"),
    [
        (OPENED, "<parameter=a>", True),
        (OPENED, '\n<parameter name="a">', True),
        (OPENED, '<｜DSML｜parameter name="a" string="true">', True),
        (OPENED, "<arg_key>a</arg_key>\n<arg_value>", True),
        (OPENED, "<parameter>", False),
        (OPENED, "<arg_key>a</arg_key>", False),
        (EDGE, "</parameter>", True),
        (EDGE, "<function=", True),
        (EDGE, "</p>", False),
        (MAY_BE_JSON, "-1", True),
        (MAY_BE_JSON, "None", True),
        (MAY_BE_JSON, "nothing", False),
        (TOKEN, " 'a\\'b'", True),
        (TOKEN, "'a", False),
        (TOKEN, "'''a'''", False),
        (TOKEN, "1_0", False),
        (TOKEN, ";", False),
        (NAME_MEMBER, 'name": "f"', True),
        (NAME_MEMBER, "tool_name' : 'f", True),
        (NAME_MEMBER, "name: f", False),
        (ARGUMENTS_MEMBER, "arguments': {", True),
        (ARGUMENTS_MEMBER, "arguments are", False),
        (BEGUN_VALUE, "```json\n{", True),
        (BEGUN_VALUE, "see {", False),
    ],
)
def test_expression_matches_this_and_not_that(expression: re.Pattern[str], text: str, *, is_match: bool) -> None:
    assert (expression.match(text) is not None) == is_match
