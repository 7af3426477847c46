"""Text cut off inside a string never gives a value by itself, and salvage never a string that was cut."""

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.properties.json_texts import awkward_text, numbers_in, objects, strings_in

STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
texts = awkward_text.map(lambda text: re.sub(r"[\x00-\x1f](?=[A-Za-z])", " ", text))
"""Without what JSON writes like a LaTeX command (`\\frac`): in damaged text that is read as the command."""


@st.composite
def cut(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """Draw an object, and its text cut off inside one of its strings."""
    value = draw(objects(texts, least=1))
    text = json.dumps(value, ensure_ascii=False, indent=2)
    start, end = draw(st.sampled_from([match.span() for match in STRING.finditer(text)]))
    return value, text[: draw(st.integers(start + 1, end - 1))]


def refused(raw: str) -> bool:
    try:
        decode_llm_json(raw)
    except LLMJsonParseError:
        return True
    return False


@given(cut())
def test_text_cut_inside_a_string_is_refused_bare_and_in_a_fence(case: tuple[dict[str, Any], str]) -> None:
    assert (refused(case[1]), refused(f"答案：\n```json\n{case[1]}")) == (True, True)


@given(cut())
def test_salvage_keeps_whole_strings_and_numbers_only_and_says_so(case: tuple[dict[str, Any], str]) -> None:
    value, raw = case
    try:
        kept = decode_llm_json(raw, salvage=True)
    except LLMJsonParseError:
        return
    assert kept.truncated
    assert set(strings_in(kept.data)) <= set(strings_in(value))
    assert set(numbers_in(kept.data)) <= set(numbers_in(value))
