"""The table of notations, and the expressions that are made of its rows: what each matches, and what it does not."""

import re

import pytest

from src.shared.infrastructure.tool_call_forms.call_objects import ARGUMENTS_MEMBER, NAME_MEMBER
from src.shared.infrastructure.tool_call_forms.find_calls import BEGUN_VALUE
from src.shared.infrastructure.tool_call_forms.marks import (
    HEADERS,
    IN_MARKS,
    MARKS,
    NAME_LIMIT,
    ends_in_a_mark,
    named_marks,
    next_mark,
    plain_name,
)
from src.shared.infrastructure.tool_call_forms.python_calls import TOKEN
from src.shared.infrastructure.tool_call_forms.typed_calls import MAY_BE_JSON


@pytest.mark.parametrize(("length", "is_named"), [(NAME_LIMIT, True), (NAME_LIMIT + 1, False)])
def test_name_in_a_mark_has_so_many_characters_at_most(length: int, *, is_named: bool) -> None:
    assert (name_in(f"<function={'n' * length}>") is not None) == is_named


def name_in(text: str) -> str | None:
    found = [match for one in HEADERS["<"] if (match := one.expression.match(text))]
    return next((match.groupdict().get("name") or match["id"] for match in found), None)


@pytest.mark.parametrize(
    ("text", "is_mark"),
    [
        ("see [ g.h(", True),
        ("see [x(", False),
        ("Action: f\nAction Input: ", True),
        ("Action: x\nAction Input: ", False),
        (">>>f\n", True),
        ("call:f{", True),
        ("recall:f{", False),
        ("call:mcp.f{", True),
        ("<function f>", True),
        ("<function x>", False),
        ("commentary to=functions.f json{", True),
    ],
)
def test_some_marks_count_only_with_the_name_of_a_tool(text: str, *, is_mark: bool) -> None:
    assert (named_marks(frozenset({"f", "g.h"})).any.search(text) is not None) == is_mark
    assert named_marks(frozenset()).any.search(text) is None


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
        ("x\nAction: now\nAction In", True),
        ("x\nAction: ", False),
        ("", False),
    ],
)
def test_begun_mark_is_known_at_the_end(text: str, *, is_begun: bool) -> None:
    assert ends_in_a_mark(text, frozenset({"now"})) == is_begun


@pytest.mark.parametrize(
    ("name", "known", "plain"),
    [
        *(("functions.f:0", [], "f"), ("functions.f", [], "f"), ("f:12", [], "f"), ("f", [], "f")),
        ("a.f:b", [], "a.f:b"),
        *((name, ["f", "a.b"], "f") for name in ("a.b:f", "f:f", "default_api.f")),
        *((name, ["f", "a.b"], "a.b") for name in ("a.b", "x.a.b")),
        ("a.g", ["f", "a.b"], "a.g"),
    ],
)
def test_name_has_no_number_and_no_namespace_that_is_none_of_a_tools(name: str, known: list[str], plain: str) -> None:
    assert plain_name(name, known) == plain


@pytest.mark.parametrize(
    ("expression", "text", "is_match"),
    [
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
        (NAME_MEMBER, 'action": "f"', True),
        (NAME_MEMBER, "name: f", False),
        (ARGUMENTS_MEMBER, "arguments': {", True),
        (ARGUMENTS_MEMBER, "action_input': {", True),
        (ARGUMENTS_MEMBER, "arguments are", False),
        (BEGUN_VALUE, "```json\n{", True),
        (BEGUN_VALUE, "see {", False),
    ],
)
def test_expression_matches_this_and_not_that(expression: re.Pattern[str], text: str, *, is_match: bool) -> None:
    assert (expression.match(text) is not None) == is_match


def test_each_mark_has_a_group_of_its_own_and_a_sign_that_is_looked_for_first() -> None:
    assert len({one.pattern for one in MARKS}) == len(MARKS)
    assert all(any(sign in one.pattern for sign in IN_MARKS) for one in MARKS)
    assert next_mark("a [TOOL_CALLS] b", 0) is not None
    assert next_mark("a [1, 2] b", 0) is None
