"""Doing a batch of actions: each gets its own observation, whatever becomes of the others."""

import pytest

from src.modules.visual_rag.application.execute_predictions import execute_predictions
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.exceptions import (
    OcrError,
    RegionError,
    SearchError,
    VisualRagConfigurationError,
)
from src.modules.visual_rag.domain.messages import failed_action_message, invalid_action_message
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from tests.modules.visual_rag.reading import ON_IMAGE, reply, tools_call
from tests.modules.visual_rag.tools import FakeCrop, FakeOcr, FakeSearch, tools

pytestmark = pytest.mark.anyio

SEARCH, CROP, OCR = reply("search", {"query": "q"}), reply("crop", ON_IMAGE), reply("ocr", ON_IMAGE)
ANSWER = reply("answer", answer="42")


def parsed(*texts: str) -> list[ParsedAction]:
    return [parse_action(text) for text in texts]


async def test_every_action_is_done_and_observed_in_its_place() -> None:
    observed = await execute_predictions(parsed(ANSWER, OCR, SEARCH, "neither", CROP), tools())
    assert [one.error for one in observed] == [None, None, None, "unreadable", None]
    marks = ['"text": "1.27"', '"pages"', "Your previous action is invalid", '"source_region"']
    assert [mark in one.text for mark, one in zip(marks, observed[1:], strict=True)] == [True] * 4
    assert observed[0] == Observation("", "42")


async def test_legacy_tags_are_done_like_json() -> None:
    tags = parsed("<search>q</search>", tools_call("crop"), tools_call("ocr"), "<answer>42</answer>")
    assert await execute_predictions(tags, tools()) == await execute_predictions(
        parsed(SEARCH, CROP, OCR, ANSWER), tools()
    )


async def test_searches_of_a_batch_are_one_call() -> None:
    search = FakeSearch()
    await execute_predictions(parsed(SEARCH, OCR, reply("search", {"query": "r"})), tools(search))
    assert search.batches == [["q", "r"]]


async def test_nothing_is_searched_for_where_no_action_is_a_search() -> None:
    search = FakeSearch()
    assert await execute_predictions([], tools(search)) == []
    await execute_predictions(parsed(ANSWER), tools(search))
    assert search.batches == []


@pytest.mark.parametrize(
    ("text", "action", "failing"),
    [
        (SEARCH, ActionType.SEARCH, tools(search=FakeSearch(failure=SearchError("why not")))),
        (CROP, ActionType.CROP, tools(crop=FakeCrop(failure=RegionError("why not")))),
        (OCR, ActionType.OCR, tools(ocr=FakeOcr(failure=OcrError("why not")))),
    ],
    ids=["search", "crop", "ocr"],
)
async def test_action_that_fails_gets_the_message_of_that_action_with_the_reason(
    text: str, action: ActionType, failing: object
) -> None:
    observed, other = await execute_predictions(parsed(text, ANSWER), failing)  # type: ignore[arg-type]  # a Tools
    assert observed.text == failed_action_message(action, "why not")
    assert str(observed.error).startswith("VISUAL_RAG_")
    assert other.answer == "42"


@pytest.mark.parametrize("text", [SEARCH, CROP, OCR])
async def test_what_no_action_can_make_up_for_stops_the_batch(text: str) -> None:
    missing = VisualRagConfigurationError("no program")
    broken = tools(FakeSearch(failure=missing), FakeCrop(failure=missing), FakeOcr(failure=missing))
    with pytest.raises(VisualRagConfigurationError, match="no program"):
        await execute_predictions(parsed(text), broken)


async def test_none_without_a_reason_is_still_told_what_to_write() -> None:
    (observed,) = await execute_predictions([ParsedAction(None, None)], tools())
    assert observed.text.startswith(invalid_action_message()[:100])
