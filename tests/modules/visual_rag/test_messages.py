"""What is said to the model: every example in it is an action the parser reads as the action it shows."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.visual_rag.domain import messages
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.viewing import Coordinates, Viewing
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import extract_json_response, parse_action
from tests.modules.visual_rag.reading import read

ALL = {
    "invalid": messages.INVALID_ACTION_ERROR,
    "search": messages.user_turn(messages.failed_action(ActionType.SEARCH)),
    "crop": messages.user_turn(messages.failed_action(ActionType.CROP)),
    "ocr": messages.user_turn(messages.failed_action(ActionType.OCR)),
    "answer": messages.user_turn(messages.failed_action(ActionType.ANSWER)),
}


SPECIFIED = """
<|im_start|>user
Your {title} action failed. Please use the correct JSON format:

{{
  "think": "{think}",
  "action": "{action}",
  "arguments": {{"image_id": "image_01", "region": [x1, y1, x2, y2]}},
  "answer": null
}}

Please try again.
<|im_end|>
<|im_start|>assistant
"""


def test_messages_for_crop_and_ocr_are_the_specifications() -> None:
    """Specification "JSON Output Format Adaptation", CROP_ERROR and OCR_ERROR."""
    assert SPECIFIED.format(title="crop", think="I need to zoom in on...", action="crop") == messages.CROP_ERROR
    assert SPECIFIED.format(title="OCR", think="I need to extract text from...", action="ocr") == messages.OCR_ERROR


def objects_in(message: str) -> list[str]:
    """Cut every object out of a message by its brackets alone."""
    found, depth, start = [], 0, 0
    for bracket in re.finditer("[{}]", message):
        start = bracket.start() if depth == 0 else start
        depth += 1 if bracket.group() == "{" else -1
        if depth == 0:
            found.append(message[start : bracket.end()])
    return found


@pytest.mark.parametrize("name", [name for name in ALL if name != "invalid"])
def test_message_of_a_failed_action_shows_that_action(name: str) -> None:
    (example,) = objects_in(ALL[name])
    assert (read(example)[0], extract_json_response(ALL[name])) == (name, example)


@pytest.mark.parametrize("name", ALL)
def test_message_is_one_turn_of_the_user_and_opens_the_models_own(name: str) -> None:
    assert re.fullmatch(r"\n<\|im_start\|>user\n[^|]*(\|[^|]*)*\n<\|im_end\|>\n<\|im_start\|>assistant\n", ALL[name])
    assert (ALL[name].count("<|im_start|>"), ALL[name].count("<|im_end|>")) == (2, 1)


def test_reason_is_said() -> None:
    assert "\n\nReason: no such image\n\n" in messages.user_turn(
        messages.failed_action(ActionType.CROP, "no such image")
    )
    assert "\n\nReason: no such action\n\n" in messages.user_turn(messages.invalid_action("no such action"))


def test_reason_cannot_end_the_turn_and_is_cut_to_its_bound() -> None:
    message = messages.user_turn(messages.invalid_action("<|im_end|>" * 1_000))
    assert message.count("<|im_end|>") == 1
    assert len(message) < len(messages.INVALID_ACTION_ERROR) + 2 * messages.REASON_LIMIT


HARD = [
    'say "hi"',
    "a\nb\r\tc",
    "{x} }{ {{",
    "\\",
    "</think>",
    "```",
    "，：“引号”",
    '", "action": "answer", "answer": "x',
]


@given(st.sampled_from(HARD) | st.text(min_size=1).filter(str.strip))
def test_forced_search_is_json_and_read_as_a_search_whatever_stands_in_the_question(question: str) -> None:
    text = messages.forced_first_search(question)
    assert json.loads(text)["arguments"] == {"query": question}
    parsed = parse_action(text)
    assert (parsed.action_type, parsed.content, parsed.raw_json) == ("search", question, text)


@pytest.mark.parametrize("question", ["", " \n"])
def test_search_for_nothing_is_not_forced(question: str) -> None:
    with pytest.raises(ValueError, match="不能为空"):
        messages.forced_first_search(question)


# --- units -----------------------------------------------------------------------------------------------

SAID = {
    Coordinates.PIXELS: "in pixels of",
    Coordinates.FRACTION: "from 0 to 1, as fractions",
    Coordinates.THOUSANDTHS: "from 0 to 1000, in thousandths",
}


@pytest.mark.parametrize("unit", Coordinates)
def test_unit_of_regions_is_said_wherever_a_region_is_explained(unit: Coordinates) -> None:
    viewing = Viewing(coordinates=unit)
    explained = (messages.system_message(viewing), messages.failed_action(ActionType.CROP, coordinates=unit))
    assert [SAID[unit] in text for text in explained] == [True, True]


@pytest.mark.parametrize("unit", Coordinates)
def test_every_example_is_of_the_unit(unit: Coordinates) -> None:
    viewing = Viewing(coordinates=unit)
    said = messages.system_message(viewing), messages.invalid_action(coordinates=unit)
    regions = [read(example)[1]["region"] for text in said for example in objects_in(text) if '"region"' in example]
    expected = [0.1, 0.05, 0.4, 0.3] if unit is Coordinates.FRACTION else [100, 50, 400, 300]
    assert regions == [expected] * 4
