"""The four rules of error handling of the design "JSON Output Format Adaptation", through execute_predictions."""

import pytest

from src.modules.visual_rag.application.execute_predictions import execute_predictions
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    postprocess_predictions,
)
from tests.modules.visual_rag.reading import ON_IMAGE, read, reply
from tests.modules.visual_rag.tools import FakeCrop, FakeOcr, tools

pytestmark = pytest.mark.anyio


async def observe(text: str, failure: ActionError | None = None) -> Observation:
    (observed,) = await execute_predictions(
        [parse_action(text)], tools(crop=FakeCrop(failure=failure), ocr=FakeOcr(failure=failure))
    )
    return observed


async def test_1_json_that_cannot_be_parsed_falls_back_to_tags() -> None:
    assert (await observe('{"think": "t", "action": }\n<answer>42</answer>')).answer == "42"


async def test_2_where_both_forms_fail_there_is_no_action_and_the_model_is_told() -> None:
    text = '{"think": "t", "action": }\n<answer>'
    assert postprocess_predictions([text]) == ([None], [None])
    assert "Your previous action is invalid" in (await observe(text)).text


@pytest.mark.parametrize("action", [ActionType.CROP, ActionType.OCR])
async def test_3_action_that_fails_gets_a_message_with_an_example_as_json(action: ActionType) -> None:
    observed = await observe(reply(action, ON_IMAGE), ActionError("outside", code=FailureCode.REGION))
    example = extract_json_response(observed.text)
    assert example is not None
    assert (read(example)[0], "Reason: outside" in observed.text) == (action, True)


async def test_4_json_without_a_required_field_counts_as_none_and_falls_back_to_tags() -> None:
    text = '{"think": "t", "action": "answer", "answer": "41"}\n<answer>42</answer>'
    assert (await observe(text)).answer == "42"
