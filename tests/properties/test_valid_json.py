"""Valid JSON comes back as the standard decoder reads it, whatever is in it and whatever is around it."""

import json

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.properties.json_texts import awkward_text, json_texts

SENTENCES = (
    "以下是分析结果：", "以上为分析。", "Here is the answer:", "I hope it's fine.", "集合 {x} 见 [1]。", "$x_{i}$ > 0",
    "“好的”，", "\n", "\n\n", "1. **结论**", "- [x] done", '他说 "可以" 。', "a < b && c > d", "| a | b |", "100%", "#",
)  # fmt: skip

prose = st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join)
drafts = st.lists(st.sampled_from(['{"a": 0}', "{", '"', "想一想", "```json\n{}\n```", "}"]), max_size=4).map(" ".join)
tags = st.sampled_from(["think", "THINK", "thinking", "reasoning", "thought", "reflection"])
plain_drafts = st.lists(st.sampled_from(['{"a": 0}', "想一想", "{x}", "```json\n{}\n```"]), max_size=4).map(" ".join)
thoughts = st.just("") | st.builds("<{0}>{1}</{0}>".format, tags, drafts) | st.builds("{}</think>".format, plain_drafts)
"""Without its opening tag, a block with an open bracket or quote in it may be an object with a tag in a string."""
fences = st.sampled_from([("", "")] + [(f"{m}{t}\n", f"\n{m}") for m in ("```", "~~~") for t in ("", "json", "JSON")])


@st.composite
def wrapped(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> tuple[str, str]:
    """Draw a text, and the same text in prose, after reasoning, and fenced or not."""
    text = draw(texts)
    before, after = draw(fences)
    return text, f"{draw(thoughts)}{draw(prose)}\n{before}{text}{after}\n{draw(prose)}"


@given(json_texts())
def test_valid_object_is_read_as_the_standard_decoder_reads_it_without_repair(raw: str) -> None:
    decoded = decode_llm_json(raw)
    assert (repr(decoded.data), decoded.repairs) == (repr(json.loads(raw)), ())


@given(wrapped(json_texts()))
def test_wrapping_changes_nothing(texts: tuple[str, str]) -> None:
    text, raw = texts
    decoded = decode_llm_json(raw)
    assert (repr(decoded.data), decoded.repairs) == (repr(json.loads(text)), ())


@given(awkward_text, st.integers())
def test_typed_result_holds_the_text_unchanged(text: str, number: int) -> None:
    class Result(BaseModel):
        text: str
        number: int

    raw = json.dumps({"text": text, "number": number}, ensure_ascii=False)
    assert parse_llm_json_output(raw, Result).model_dump() == {"text": text, "number": number}
