"""Objects with awkward strings in them, and the ways JSON can write the same object."""

import json
from typing import Any

from hypothesis import strategies as st

AWKWARD = (
    "<think>", "</think>", "<think>x</think>", "```json\n", "```", "~~~", "{", "}", "[", "]", '{"a": 1}', "{'a': 1}",
    '"', "'", "\\", "\\n", "//", "/* x */", "#", ",", ":", '",', '":', '"}', "，", "：", "“好”", "‘", "「」", "\n",
    "\t", "\r\n", "\x00", "\u2028", "\ufeff", "\u200b", "None", "True", "NaN", "...", "…", " + ", "中文",
    "表情😀", "é", " ", "<|channel|>", "<|message|>", "\\u4e2d", "\\times", "$x$", "1.5", "null",
)  # fmt: skip
"""Pieces of text that mean something elsewhere in a model's output."""

awkward_text = st.lists(st.sampled_from(AWKWARD) | st.text(max_size=4), max_size=4).map("".join)
plain_text = st.text(alphabet="abcxyzABC 0123456789中文报告增长率-_.!?%()", max_size=12)
"""Text that no damage can touch: no quotes, brackets, commas, colons, backslashes, control characters."""
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
literals = st.booleans() | st.none()


def objects(
    texts: st.SearchStrategy[str],
    scalars: st.SearchStrategy[Any] | None = None,
    keys: st.SearchStrategy[str] | None = None,
    least: int = 0,
) -> st.SearchStrategy[dict[str, Any]]:
    """Nested objects whose strings are these texts."""
    leaves = scalars if scalars is not None else texts | numbers | literals
    names = keys if keys is not None else texts
    inner = st.recursive(
        leaves, lambda some: st.lists(some, max_size=3) | st.dictionaries(names, some, max_size=3), max_leaves=6
    )
    return st.dictionaries(names, inner, min_size=least, max_size=4)


awkward_objects = objects(awkward_text)


@st.composite
def json_texts(draw: st.DrawFn, values: st.SearchStrategy[dict[str, Any]] = awkward_objects) -> str:
    """Valid JSON in any layout, with any mixture of escapes."""
    value = draw(values)
    text = json.dumps(
        value,
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 0, 2, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : "), (",\n", ":\n")])),
    )
    return text.replace("/", "\\/") if draw(st.booleans()) else text


def strings_in(value: object) -> list[str]:
    """Every string in a value, keys included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in strings_in(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *strings_in(item))]
    return []


def numbers_in(value: object) -> list[int | float]:
    """Every number in a value."""
    if isinstance(value, list):
        return [number for item in value for number in numbers_in(item)]
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers_in(item)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []
