"""Families of parts: a prefix, a body that is repeated, a suffix; parts of every kind that readers look at.

What `attack.families` repeats is model output, whole and in pieces. Here a kind is picked first, so that one sign is
as likely as a whole mark; and schemas are composed of keywords.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS
from tools.attack.families import NEXT, NUMBER, Family

_MARKS = tuple(
    dict.fromkeys(
        mark.replace("{name}", "f").replace("{id}", "f:0").replace("{key}", "a").replace("~", " ").replace("…", " ")
        for row in NOTATIONS
        for mark in (*row.calls, *row.ends, row.quotes, *row.parameter, *(one for marks in row.wraps for one in marks))
        if mark
    )
)
KINDS = {
    "brackets": ("{", "}", "[", "]", "(", ")", "{}", "[]", "{{", "}}", "[{", "}]", "},{", "][", "\n}", "\n]"),
    "quotes": ('"', "'", "`", '\\"', "\\'", '""', "''", '"""', "“", "”", "‘", "’", "「", "」", "„", "«", "»", "´"),
    "backslashes": (
        *("\\", "\\\\", "\\n", "\\u4e2d", "\\ud83d", "\\x41", "\\/", "C:\\dir\\new", "\\frac{a}{b}", "\\s"),
    ),
    "comments": ("//", "/*", "*/", "#", "# ", "// a\n", "/* a */", "<!--", "-->", "--", ";", "...", "// ...\n"),
    "fences": ("```", "```json\n", "\n```\n", "~~~", "\n~~~\n", "````", "```tool_code\n", "`", "```\n{", " ```"),
    "calls": (
        *("<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<function=f>", "</function>"),
        *("<parameter=a>", "</parameter>", "<|tool_call|>", "<|python_tag|>", "<invoke name="),
        *("<minimax:tool_call>", "functools[", '{"name": "f", "arguments": {', '{"name": "f", "parameters": '),
        *("f(a=1)", "[f(", "f(", "<|call|>", "a=1, ", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"),
        *("<|tool_call_begin|>", "<arg_key>", "<arg_value>", "</arg_value>"),
        *("<|channel|>commentary to=functions.f <|message|>", '"function": ', '"tool_calls": [', "Action: f\n"),
    ),
    "notations": _MARKS,
    "reasoning": (
        *("<think>", "</think>", "<think/>", "[THINK]", "[/THINK]", "<reasoning>", "</reasoning>"),
        *("<|begin_of_thought|>", "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "<|end|>"),
        *("<thought", "【思考】", "◁think▷"),
    ),
    "actions": (
        *("<answer>", "</answer>", "<search>", "</search>", "<bbox>", "</bbox>", "<information>", "<ocr>"),
        *("<crop>", '"action": "search", ', '"think": "a", ', '"arguments": {', '"answer": null'),
        *("[1, 2, 3, 4]",),
    ),
    "markup": (
        *("<b>", "</b>", "<br/>", "<", ">", "</", "<|", "|>", "<a href='x'>", "&quot;", "&amp;", "&#34;"),
        *("&#x22;", "&", "&lt;", "&nbsp;", "**", "*", "__", "_", "- ", "1. ", "> ", "| ", "|", "# a\n"),
        *("<json>", "</s>", "<|im_end|>"),
    ),
    "invisible": (
        *("\u200b", "\ufeff", "\xa0", "\u3000", "\x00", "\x1b[0m", "\u202e", "\xad", "\u2028", "\x0b", "\x85"),
    ),
    "full-width": (
        *("｛", "｝", "［", "］", "（", "）", "：", "，", "；", "＂", "＇", "、", "。", "｜", "【", "】", "…", "１"),
    ),
    "separators": (
        *(",", ":", ", ", ": ", ",,", "::", ";", "=", "=>", " = ", "+", ".", "|", "-", "/", "&", "%", "?", "!"),
        *("$",),
    ),
    "letters": (
        *("a", "b", "x y", "word ", "文", "é", "🙂", "ａ", "null", "true", "None", "NaN", "A", "\ud83d"),
        *(f"k{NUMBER}",),
    ),
    "digits": (
        *("1", "0", "12", "-", "1.", ".5", "1e5", "0x1F", "1_000", "1,000", "+1", "85%", "1/2", "٣", "007"),
        *(NUMBER,),
    ),
    "members": (
        *('"a": ', '"a":', "a: ", "'a': ", "“a”：", '"a": "', '"a": 1, ', '"a": "x", ', "a: 1\n", '"a" "b"'),
        *('"a"', '"x"', ', "b": ', '"key": [', '"a": {', '"rows": [', "'x', ", '"x",\n', f'"k{NUMBER}": 1, '),
        *('"a": "x\n', '\\"a\\": '),
    ),
    "values": (
        *('{"a": 1}', '{"a": 1},', "[1, 2]", "{'a': 1}", "{a: 1}", '{"a": [{', '{"a": "b" "c"}', '"a "b" c"'),
        *("{x}",),
    ),
    "lines": ("\n", "\r\n", "\n\n", "\r", "\t", " ", "  ", "\n  ", ",\n", "\n-", "\n---\n", ":\n", "Answer:\n"),
}  # fmt: skip
"""What a reader may look for in a text, by kind."""
STARTS = ("", "", "{", "[", '{"a": ', '{"a": "', "{'a': '", '{"a": 1, ', "{a", '"', "```json\n", "<think>", "{“a”：“")
ENDS = ("", "", "}", "]", '"}', "]}", '": 1}', '{"a": 1}', "\n```", "</think>", '"')
MOST_IN_UNIT = 5
_DOUBLE = 0.4
"""Share of the families that repeat two things, one behind the other: openings and what closes them, say."""
MOST_AROUND = 2

_LEAVES = (
    *({"$ref": f"#/$defs/d{name}"} for name in (NEXT, NEXT, NEXT, "0", NUMBER)),
    *({"type": "integer"}, {}, True, {"enum": ["a", 1]}, {"const": "a"}, {"type": ["object", "array"]}),
)
_ONE = ("items", "items", "additionalProperties", "contains", "not", "propertyNames", "unevaluatedItems")
"""Keywords with one schema."""
_SEVERAL = ("anyOf", "anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords with a list of them."""
_NAMED = ("properties", "properties", "properties", "patternProperties", "dependentSchemas")
"""Keywords with an object of them."""
SCHEMA_NAMES = ("a", "b", "key")
_NAMES = (*SCHEMA_NAMES, f"k{NUMBER}")
_DEEPEST = 3
_BRANCHING = 0.2
"""Share of the definitions that take each level of a text several times."""


def any_text_family(random: Random) -> Family:
    """Compose texts; half of them begin and end like an answer."""
    around = random.random() < 0.5  # noqa: PLR2004 - every other one
    first, last = (random.choice(STARTS), random.choice(ENDS)) if around else ("", "")
    is_double = random.random() < _DOUBLE
    return Family(
        first + _parts(random, random.randint(0, MOST_AROUND)),
        _parts(random, random.randint(1, MOST_IN_UNIT)),
        _parts(random, random.randint(0, MOST_AROUND)).replace(NUMBER, "0") + last,
        _parts(random, random.randint(0, MOST_AROUND)) if is_double else "",
        _parts(random, random.randint(1, MOST_IN_UNIT)) if is_double else "",
    )


def _parts(random: Random, count: int) -> str:
    kinds = [random.choice(tuple(KINDS)) for _ in range(count)]
    return "".join(random.choice(KINDS[kind]) for kind in kinds)


def any_schema_family(random: Random) -> Family:
    """Compose schemas that grow by definitions, each of which may refer to the next, by branches or by properties."""
    grows = random.choice(("$defs", "$defs", "anyOf", "allOf", "properties"))
    is_branching = random.random() < _BRANCHING
    unit = json.dumps(_branching(random), ensure_ascii=False) if is_branching else _written(random)
    if grows == "$defs":
        root, last = (_among(_written(random, depth), "0", "0") for depth in (1, 0))
        if is_branching:  # only where none of the ways down ends well is each of them gone
            root, last = '{"$ref": "#/$defs/d0"}', random.choice(("false", '{"type": "integer"}', '{"enum": ["a"]}'))
        return Family(
            f'{{"anyOf": [{root}, {{"type": "object"}}], "$defs": {{',
            f'"d{NUMBER}": {unit}, ',
            f'"d{NUMBER}": {last}}}}}',
        )
    definitions = ", ".join(f'"d{name}": {_among(_written(random), "0", "1")}' for name in range(2))
    name, opens, closes = (f'"k{NUMBER}": ', "{", "}") if grows == "properties" else ("", "[", "]")
    end = '"z": {}' if grows == "properties" else "{}"
    return Family(
        f'{{"type": "object", "{grows}": {opens}',
        f"{name}{_among(unit, '0', '1')}, ",
        f'{end}{closes}, "$defs": {{{definitions}}}}}',
    )


def _branching(random: Random) -> Any:  # noqa: ANN401 - JSON
    """A schema that refers to the next one several times, one level deeper in the text."""
    inner = {random.choice(_SEVERAL[:-1]): [{"$ref": f"#/$defs/d{NEXT}"}] * random.randint(2, 3)}
    if random.random() < 0.5:  # noqa: PLR2004 - every other one
        return {random.choice(_NAMED[:2]): {random.choice(SCHEMA_NAMES): inner}}
    return {random.choice(_ONE[:4]): inner}


def _written(random: Random, depth: int = _DEEPEST) -> str:
    return json.dumps(_schema(random, depth), ensure_ascii=False)


def _among(schema: str, this: str, following: str) -> str:
    """A schema that refers to these definitions."""
    return schema.replace(f"/d{NEXT}", f"/d{following}").replace(f"/d{NUMBER}", f"/d{this}")


def _schema(random: Random, depth: int = _DEEPEST) -> Any:  # noqa: ANN401 - JSON
    """A schema of a few keywords, inside each other."""
    chosen = random.choice((_ONE, _SEVERAL, _NAMED, ())) if depth else ()
    if not chosen:
        return random.choice(_LEAVES)
    keyword = random.choice(chosen)
    inner = [_schema(random, depth - 1) for _ in range(random.randint(1, 3))]
    if chosen is _ONE:
        return {keyword: inner[0]}
    if chosen is _SEVERAL:
        return {keyword: inner}
    return {keyword: dict(zip(random.sample(_NAMES, len(inner)), inner, strict=True))}
