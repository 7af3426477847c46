"""Ten times the text costs about ten times the steps, for every hostile family and every damage."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain import work
from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.parsing import inspection
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.state import Target
from src.shared.infrastructure.parsing.target_type import target_type
from tests.linear.steps import steps
from tests.thorough import at_length

SIZES = at_length((1_000, 10_000), (1_000, 10_000, 100_000))
MOST_PER_TENFOLD = 12
WORK = at_length(500_000, work.WORK_FLOOR)
"""Units of work for any text: where what is charged grows faster, it does so until they are spent."""

HOSTILE = {
    "opening brackets": ("", "[", ""),
    "opening braces": ("", "{", ""),
    "nested objects": ("", '{"a":', ""),
    "nested lists of objects": ("", "[{", ""),
    "nested single-quoted keys": ("", "{'a':", ""),
    "quotes": ("", '"', ""),
    "quotes in a string": ('{"a": "', '"', ""),
    "quotes and commas in a string": ('{"a": "', '",', ""),
    "quotes and comments in a string": ('{"a": "', '"/*', ""),
    "quotes and hashes in a string": ('{"a": "', '"#', ""),
    "quotes and brackets in a string": ('{"a": "', '"}', ""),
    "backslashes": ('{"a": "', "\\", ""),
    "escaped quotes": ("", '{\\"', ""),
    "escaped objects": ("", '{\\"a\\": 1} ', ""),
    "escaped objects in quotes": ("", '"{\\"a\\": 1}" ', ""),
    "escaped objects that are cut": ("", '"{\\"a\\": ', ""),
    "an escaped string": ('"{\\"a\\": \\"', "x\\\\n", '\\"}"'),
    "paths in a string": ('{"a": "', "C:\\dir\\new ", '"}'),
    "escapes of Python's": ("{'a': '", "\\xa0", "'}"),
    "bad escapes": ('{"a": "', "\\x", '"}'),
    "unclosed reasoning": ("", "<think>", ""),
    "empty reasoning": ("", "<think></think>", '{"a": 1}'),
    "lone closing tags": ("", "</think>", '{"a": 1}'),
    "fences": ("", "```", ""),
    "fences that open": ("", "```json\n{", ""),
    "fenced objects": ("", '```json\n{"a": 1}\n```\n', ""),
    "objects": ("", '{"a": 1}', ""),
    "open objects": ("", '{"a": 1, ', ""),
    "citations": ("", "[1]", '{"a": 1}'),
    "prose braces": ("", "{x}", '{"a": 1,}'),
    "commas": ('{"a": 1', ",", "}"),
    "newlines in a string": ('{"a": "', "\n", '"}'),
    "white space": ('{"a":', " ", "1,}"),
    "comments": ("{", "/*x*/", '"a": 1}'),
    "closing braces for a value": ('{"a":', "}", ""),
    "closing braces after a value": ('{"a":1', "}", ""),
    "closing brackets on lines of their own": ('{"a":[1', "\n]", ""),
    "openings and closing brackets": ("", '{"a":}}', ""),
    "ellipses": ('{"a": [', "...", "]}"),
    "keys without values": ('{"a": ', '"a": ', "1}"),
    "LaTeX in a damaged string": ('{"a": "\n', "\\to ", '"}'),
    "a tag of harmony": ("", "<|channel|>final<|message|>", ""),
}
DAMAGED = {
    "single-quoted members": ("{'k': 1, ", "'key': 'some value', ", "'z': 0}"),
    "unquoted keys": ("{k: 1, ", 'key: "some value", ', "z: 0}"),
    "inner quotes": ('{"k": 1, ', '"key": "some "inner" value", ', '"z": 0}'),
    "literal newlines": ('{"k": 1, ', '"key": "some\nvalue", ', '"z": 0}'),
    "missing commas": ('{"k": 1\n', '"key": "some value"\n', '"z": 0}'),
    "full-width members": ("｛“k”：1，", "“key”：“值，还是值”，", "“z”：0｝"),
    "clean members": ('{"k": 1, ', '"key": "some value", ', '"z": 0}'),
}


def text_of(family: tuple[str, str, str], size: int) -> str:
    """The text of a family; each `key` is another one."""
    head, body, tail = family
    bodies = (body.replace("key", f"k{number}") for number in range((size - len(head) - len(tail)) // len(body)))
    return head + "".join(bodies) + tail


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


def long_way(text: str) -> None:
    for _ in inspection.steps(text, Target()):
        pass


def short_way(text: str) -> None:
    validate_directly(text, target_type(Anything))


@pytest.mark.parametrize("way", [long_way, short_way])
@pytest.mark.parametrize("name", sorted(HOSTILE | DAMAGED))
def test_ten_times_the_text_takes_at_most_about_ten_times_the_steps(
    name: str, way: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "WORK_FLOOR", WORK)
    family = (HOSTILE | DAMAGED)[name]
    counts = [steps(way, text_of(family, size)) for size in SIZES]

    floor = 2_000  # what even a short text may cost
    assert [large for small, large in pairwise(counts) if large > MOST_PER_TENFOLD * max(small, floor)] == [], counts


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_damage_everywhere_is_still_read(name: str) -> None:
    data = decode_llm_json(text_of(DAMAGED[name], SIZES[0])).data

    assert data["z"] == 0
