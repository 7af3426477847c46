"""The acceptance criteria of the specification "JSON Output Format Adaptation", one test each, by number.

The rules of error handling of its design stand at the criteria that say the same; all of them go through the tools.
"""

import inspect
import json
import re
import sys

import pytest

from src.modules.visual_rag.application.execute_predictions import execute_predictions
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.messages import (
    CROP_ERROR,
    INVALID_ACTION_ERROR,
    OCR_ERROR,
    forced_first_search,
)
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    postprocess_predictions,
    postprocess_responses,
)
from tests.beside import SHARED, needs_seeds
from tests.modules.visual_rag.reading import ON_IMAGE, read, reply, tools_call
from tests.modules.visual_rag.tools import FakeCrop, FakeOcr, tools

SEED = SHARED / "seeds/001_650a97f32e7cb823.txt"
EOS = "<|im_end|>"
QUESTION = 'What does "Figure {2}"\nshow?'


def test_action_arguments_and_answer_are_extracted() -> None:
    """Criterion 1.1."""
    texts = [reply("crop", ON_IMAGE), reply("answer", answer="42")]
    assert postprocess_predictions(texts) == (["crop", "answer"], [ON_IMAGE, "42"])


def test_search_gives_its_query() -> None:
    """Criterion 1.2."""
    assert read(reply("search", {"query": "the tallest tower"})) == ("search", "the tallest tower")


def test_crop_gives_image_and_region() -> None:
    """Criterion 1.3."""
    assert read(reply("crop", ON_IMAGE)) == ("crop", ON_IMAGE)


def test_ocr_gives_image_and_region() -> None:
    """Criterion 1.4."""
    assert read(reply("ocr", ON_IMAGE)) == ("ocr", ON_IMAGE)


def test_answer_is_taken_from_the_answer_field() -> None:
    """Criterion 1.5."""
    assert read(reply("answer", {"answer": "not this"}, "this")) == ("answer", "this")


@pytest.mark.parametrize(
    "broken", ['{"think": "t", "action": }', '{"think": "t", "action": "answer", "arguments": {}}', "{"]
)
@pytest.mark.anyio
async def test_malformed_or_incomplete_json_falls_back_to_tags(broken: str) -> None:
    """Criterion 1.6.

    Error handling, rules 1 and 4.
    """
    assert read(f"{broken}\n<search>q</search>") == ("search", "q")
    assert (await observed(f"{broken}\n<answer>42</answer>")).answer == "42"


def test_json_object_in_a_response_is_detected_and_extracted() -> None:
    """Criterion 2.1."""
    assert extract_json_response(f"Let me see.\n```json\n{reply()}\n```") == reply()


def test_json_object_is_kept_whole() -> None:
    """Criterion 2.2."""
    arguments = '{"image_id":"i","region":[1,2,3,4]}'
    text = f'{{"think" : "a }} b",  "action":"crop", "arguments": {arguments},\n"answer":null, "x": [{{}}]}}'
    assert postprocess_responses([f"{text} done"], EOS) == [text + EOS]


def test_tags_are_extracted_where_there_is_no_json() -> None:
    """Criterion 2.3."""
    assert postprocess_responses([f"so {tools_call()} done"], EOS) == [tools_call() + EOS]


@pytest.mark.parametrize("response", [reply(), "<search>q</search>", "neither"])
def test_eos_token_is_appended(response: str) -> None:
    """Criterion 2.4."""
    assert postprocess_responses([response], EOS) == [response + EOS]


async def observed(text: str) -> Observation:
    """Do the action of a text with tools that fail; what became of it."""
    outside = ActionError("outside", code=FailureCode.REGION)
    failing = tools(crop=FakeCrop(failure=outside), ocr=FakeOcr(failure=outside))
    (observation,) = await execute_predictions([parse_action(text)], failing)
    return observation


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["no action at all", '{"think": "t", "action": }\n<answer>'])
async def test_message_for_an_invalid_action_has_json_examples(text: str) -> None:
    """Criterion 3.1.

    Error handling, rule 2.
    """
    assert postprocess_predictions([text]) == ([None], [None])
    message = (await observed(text)).text
    assert '"action": "search" | "crop" | "ocr" | "answer"' in message
    examples = re.findall(r"^- For \w+: (.+)$", message, re.MULTILINE)
    assert ("Your previous action is invalid" in message, [read(one)[0] for one in examples]) == (True, [*ActionType])


async def told_of_a_failed(action: str) -> tuple[bool, bool, str | None]:
    """Whether the model is told which action failed and why, and which action the example is."""
    message = (await observed(reply(action, ON_IMAGE))).text
    title = "OCR" if action == "ocr" else action
    return f"Your {title} action failed" in message, "Reason: outside" in message, read(message)[0]


@pytest.mark.anyio
async def test_message_for_a_failed_crop_shows_a_crop() -> None:
    """Criterion 3.2.

    Error handling, rule 3.
    """
    assert await told_of_a_failed("crop") == (True, True, "crop")


@pytest.mark.anyio
async def test_message_for_a_failed_ocr_shows_an_ocr() -> None:
    """Criterion 3.3.

    Error handling, rule 3.
    """
    assert await told_of_a_failed("ocr") == (True, True, "ocr")


@pytest.mark.parametrize("message", [INVALID_ACTION_ERROR, CROP_ERROR, OCR_ERROR])
def test_messages_state_the_four_fields_of_the_format(message: str) -> None:
    """Criterion 3.4."""
    fields = re.findall(r'^  "(\w+)": ', message, re.MULTILINE)
    assert fields == ["think", "action", "arguments", "answer"]


def test_tags_are_still_parsed() -> None:
    """Criterion 4.1."""
    texts = ["<search>q</search>", "<answer>42</answer>", tools_call("crop"), tools_call("ocr")]
    assert postprocess_predictions(texts) == (["search", "answer", "crop", "ocr"], ["q", "42", ON_IMAGE, ON_IMAGE])


def test_json_is_tried_before_tags() -> None:
    """Criterion 4.2."""
    assert [read(text) for text in (f"<answer>a</answer>{reply()}", "{}<answer>a</answer>")] == [
        ("search", "q"),
        ("answer", "a"),
    ]


def test_json_wins_where_both_forms_are_there() -> None:
    """Criterion 4.3."""
    text = f"<search>other</search> {reply()} <answer>a</answer>"
    assert (read(text), postprocess_responses([text], EOS)) == (("search", "q"), [reply() + EOS])


def test_forced_search_is_json() -> None:
    """Criterion 5.1."""
    assert parse_action(forced_first_search(QUESTION)).raw_json == forced_first_search(QUESTION)


def test_forced_search_has_the_four_fields() -> None:
    """Criterion 5.2."""
    assert list(json.loads(forced_first_search(QUESTION))) == ["think", "action", "arguments", "answer"]


def test_forced_search_searches_for_the_question_and_answers_nothing() -> None:
    """Criterion 5.3."""
    data = json.loads(forced_first_search(QUESTION))
    assert (data["action"], data["arguments"], data["answer"]) == ("search", {"query": QUESTION}, None)


def numbers_of_tests() -> list[str]:
    tests = [test for name, test in vars(sys.modules[__name__]).items() if name.startswith("test_")]
    words = "\n".join(inspect.getdoc(test) or "" for test in tests)
    return re.findall(r"^Criterion ([\d.]+)\.$", words, re.MULTILINE)


@needs_seeds
def test_every_criterion_has_exactly_one_test() -> None:
    numbers, requirement = [], ""
    for line in SEED.read_text(encoding="utf-8").splitlines():
        heading, criterion = re.match(r"### Requirement (\d+)", line), re.match(r"(\d+)\. ", line)
        if heading:
            requirement = heading[1]
        elif criterion:
            numbers.append(f"{requirement}.{criterion[1]}")
    assert (len(numbers), numbers) == (20, numbers_of_tests())
