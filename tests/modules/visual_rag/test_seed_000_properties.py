"""The four correctness properties of the design "JSON Output Format Adaptation"."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    postprocess_predictions,
    postprocess_responses,
)
from src.shared.domain.reasoning import MARK_SIGNS
from tests.modules.visual_rag.reading import tools_call
from tests.thorough import at_length

EOS = "<|im_end|>"
EXAMPLES = settings(max_examples=at_length(100, 200))

ANY_TEXT = st.text(max_size=40) | st.sampled_from(
    [
        "<think>",
        "</think>",
        "<search>q</search>",
        "</answer>",
        '"',
        "{",
        "}",
        "```",
        "\\",
        "a\nb",
        EOS,
        '{"action": "ocr"}',
    ]
)
TEXT = ANY_TEXT.filter(str.strip)
EDGE = st.integers(0, 9_999) | st.floats(0, 9_999, allow_nan=False)


@st.composite
def regions(draw: st.DrawFn) -> list[float]:
    (x1, x2), (y1, y2) = (sorted(draw(st.tuples(EDGE, EDGE).filter(lambda pair: pair[0] != pair[1]))) for _ in "xy")
    return [x1, y1, x2, y2]


ON_IMAGE = st.fixed_dictionaries({"image_id": TEXT, "region": regions()})
ACTIONS = st.one_of(
    st.tuples(st.just("search"), TEXT),
    st.tuples(st.sampled_from(["crop", "ocr"]), ON_IMAGE),
    st.tuples(st.just("answer"), TEXT),
)
"""Each action with its content."""


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, str, Any]:
    """A JSON reply, its action and its content; its fields in any order, any layout."""
    action, content = draw(ACTIONS)
    fields = {
        "think": draw(ANY_TEXT),
        "action": action,
        "arguments": {"query": content} if action == "search" else {} if action == "answer" else content,
        "answer": content if action == "answer" else None,
    }
    order = draw(st.permutations(list(fields)))
    indent, ensure_ascii = draw(st.none() | st.integers(0, 4)), draw(st.booleans())
    text = json.dumps({name: fields[name] for name in order}, indent=indent, ensure_ascii=ensure_ascii)
    return text, action, content


NO_MARKS = st.characters(codec="utf-8", exclude_characters=f"<>{{}}[]｛｝［］\"'`~{MARK_SIGNS}")
PROSE = st.text(NO_MARKS, max_size=30)
PLAIN = st.text(NO_MARKS, min_size=1, max_size=40).filter(str.strip)
BROKEN = st.sampled_from(
    ["", "{}", "{oops}", '{"think": "t"}', '{"think": "t", "action": @}', '{"action": "answer", "answer": "no"}']
)
FENCES = st.sampled_from([("", ""), ("```json\n", "\n```"), ("<think>a draft: {}</think>", "")])


@st.composite
def legacy(draw: st.DrawFn) -> tuple[str, str, Any]:
    """A legacy tag, its action and its content."""
    action = draw(st.sampled_from(["search", "answer", "crop", "ocr"]))
    if action in {"crop", "ocr"}:
        arguments = draw(ON_IMAGE)
        return tools_call(action, arguments), action, arguments
    content = draw(PLAIN)
    name = draw(st.sampled_from([action, action.upper(), action.title()]))
    return f"<{name}>{content}</{name}>", action, content.strip()


@EXAMPLES
@given(replies())
def test_property_1_json_is_parsed_right(found: tuple[str, str, Any]) -> None:
    text, action, content = found
    assert postprocess_predictions([text]) == ([action], [content])


@EXAMPLES
@given(replies(), PROSE, PROSE, FENCES)
def test_property_2_json_is_detected_and_kept(
    found: tuple[str, str, Any], before: str, after: str, fence: tuple[str, str]
) -> None:
    text = found[0]
    around = f"{before}\n{fence[0]}{text}{fence[1]}\n{after}"
    assert (extract_json_response(around), postprocess_responses([around], EOS)) == (text, [text + EOS])


@EXAMPLES
@given(legacy(), BROKEN, PROSE, PROSE)
def test_property_3_tags_are_parsed_where_json_fails(
    found: tuple[str, str, Any], broken: str, before: str, after: str
) -> None:
    tag, action, content = found
    text = f"{broken}\n{before}{tag}{after}"
    parsed = parse_action(text)
    assert (parsed.action_type, parsed.content) == (action, content)
    assert postprocess_responses([text], EOS) == [tag + EOS]


@EXAMPLES
@given(replies(), legacy(), st.permutations([0, 1]))
def test_property_4_json_is_tried_first(
    found: tuple[str, str, Any], tag: tuple[str, str, Any], order: list[int]
) -> None:
    text, action, content = found
    parts = (text, tag[0])
    parsed = parse_action("\n".join(parts[place] for place in order))
    assert (parsed.action_type, parsed.content) == (action, content)
