"""What a problem is called and how it is told, by the keyword that is broken. Types are Pydantic's where it has one.

The texts say what the schema asks for, cut to a bound, and nothing of the data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

STATED_LIMIT = 120
"""Characters of what a schema asks for that a problem shows."""
_CHOICES_SHOWN = 10

_TYPES = {
    "object": ("对象", "an object"),
    "array": ("数组", "an array"),
    "string": ("字符串", "a string"),
    "integer": ("整数", "an integer"),
    "number": ("数字", "a number"),
    "boolean": ("布尔值", "a boolean"),
    "null": ("null", "null"),
}
_TYPE_KINDS = {"integer": "int_type", "number": "float_type", "boolean": "bool_type", "null": "none_required"}
_TYPE_KINDS |= {"object": "dict_type", "array": "list_type", "string": "string_type"}
Told = tuple[str, Message]
"""A problem's type and its message."""


class _Leaf(NamedTuple):
    """How a keyword without schemas in it is told; `{}` stands for what the schema states."""

    kind: str
    zh: str
    en: str


_LEAVES = {
    "minimum": _Leaf("greater_than_equal", "须大于或等于 {}", "should be greater than or equal to {}"),
    "exclusiveMinimum": _Leaf("greater_than", "须大于 {}", "should be greater than {}"),
    "maximum": _Leaf("less_than_equal", "须小于或等于 {}", "should be less than or equal to {}"),
    "exclusiveMaximum": _Leaf("less_than", "须小于 {}", "should be less than {}"),
    "multipleOf": _Leaf("multiple_of", "须是 {} 的倍数", "should be a multiple of {}"),
    "minLength": _Leaf("string_too_short", "至少须有 {} 个字符", "should have at least {} characters"),
    "maxLength": _Leaf("string_too_long", "最多可有 {} 个字符", "should have at most {} characters"),
    "pattern": _Leaf("string_pattern_mismatch", "须匹配 {}", "should match the pattern {}"),
    "minItems": _Leaf("too_short", "至少须有 {} 项", "should have at least {} items"),
    "maxItems": _Leaf("too_long", "最多可有 {} 项", "should have at most {} items"),
    "uniqueItems": _Leaf("unique_items", "各项不得重复", "should have no item twice"),
    "minProperties": _Leaf("too_short", "至少须有 {} 个键", "should have at least {} keys"),
    "maxProperties": _Leaf("too_long", "最多可有 {} 个键", "should have at most {} keys"),
    "dependentRequired": _Leaf(
        "missing_argument", "缺少与其他键一同出现的键：{}", "lacks keys that others ask for: {}"
    ),
    "const": _Leaf("literal_error", "须是 {}", "should be {}"),
}
LEAVES = ("type", "enum", "required", *_LEAVES)
"""Keywords that are checked by themselves."""


def broken(keyword: str, stated: Any) -> Told:  # noqa: ANN401 - whatever the keyword holds
    """One of the `LEAVES` is not satisfied."""
    if keyword == "type":
        types = [stated] if isinstance(stated, str) else stated
        zh, en = (sign.join(_TYPES[name][at] for name in types) for at, sign in ((0, "或"), (1, " or ")))
        return (_TYPE_KINDS[types[0]] if len(types) == 1 else "type"), Message(f"须是{zh}", f"should be {en}")
    if keyword == "enum":
        listed = _cut(", ".join(map(_json, stated[:_CHOICES_SHOWN])) + (", …" if len(stated) > _CHOICES_SHOWN else ""))
        return "enum", Message(f"须是其中之一：{listed}", f"should be one of {listed}")
    leaf = _LEAVES[keyword]
    shown = _cut(stated if keyword == "pattern" else _json(stated))
    return leaf.kind, Message(leaf.zh.replace("{}", shown), leaf.en.replace("{}", shown))


def missing() -> Told:
    """A key that is required is not there."""
    return "missing", Message("缺少该字段", "is missing")


def unexpected() -> Told:
    """A key is there that the schema does not allow."""
    return "extra_forbidden", Message("不允许的字段", "is not allowed here")


def nothing_allowed() -> Told:
    """There may be no value."""
    return "extra_forbidden", Message("此处不得有值", "no value is allowed here")


def none_fits(choices: Sequence[Any]) -> Told:
    """No alternative fits, and it cannot be told which one was meant."""
    count = len(choices)
    titles = [choice["title"] for choice in choices[:_CHOICES_SHOWN] if isinstance(choice, dict) and "title" in choice]
    named = f" ({_cut(', '.join(titles))})" if titles else ""
    return "any_of", Message(
        f"不符合 {count} 种形式中的任何一种{named}", f"fits none of the {count} alternatives{named}"
    )


def several_fit(fitting: int, count: int) -> Told:
    """Several of the alternatives of `oneOf` fit."""
    zh = f"同时符合 {count} 种形式中的 {fitting} 种，须恰好符合一种"
    return "one_of", Message(zh, f"fits {fitting} of the {count} alternatives, and should fit exactly one")


def other(schema: Any) -> Told:  # noqa: ANN401 - a schema may be true or false
    """Some other keyword refuses the value: it holds a schema that cannot be told in a line."""
    keywords = [keyword for keyword in _OPAQUE if keyword in schema]
    said = ", ".join(keywords)
    return "json_schema", Message(
        f"不符合 {said}" if said else "不符合 Schema", f"does not satisfy {said or 'the schema'}"
    )


_OPAQUE = (
    *("not", "contains", "minContains", "maxContains", "propertyNames", "dependentSchemas", "dependencies"),
    *("unevaluatedItems", "unevaluatedProperties", "contentEncoding", "contentMediaType"),
)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return one_line(text, STATED_LIMIT)
