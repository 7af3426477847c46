"""Doing a batch of actions: each gets its own observation, whatever becomes of the others."""

import gc
import warnings

import pytest

from src.modules.visual_rag.application.execute_predictions import execute_predictions
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.messages import failed_action, invalid_action, user_turn
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.ports import PageHit
from src.modules.visual_rag.domain.viewing import Coordinates, Size, Viewing
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from tests.modules.visual_rag.reading import ON_IMAGE, REGION, reply, tools_call
from tests.modules.visual_rag.tools import FakeCrop, FakeImages, FakeOcr, FakeSearch, pixels_of, tools

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


async def test_nothing_is_done_for_an_episode_that_is_not_active() -> None:
    search = FakeSearch()
    observed = await execute_predictions(parsed(SEARCH, SEARCH), tools(search), active_mask=[False, True])
    assert (observed[0], len(observed[1].pages), search.batches) == (Observation(""), 1, [["q"]])


@pytest.mark.parametrize("mask", [[], [True], [True] * 3])
async def test_mask_of_another_length_is_refused_and_nothing_is_left_waiting(mask: list[bool]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match="zip"):
            await execute_predictions(parsed(CROP, OCR), tools(), active_mask=mask)
        gc.collect()
    assert caught == []


@pytest.mark.parametrize(
    ("text", "action", "failing"),
    [
        (SEARCH, ActionType.SEARCH, tools(search=FakeSearch(failure=ActionError("why not", code=FailureCode.SEARCH)))),
        (CROP, ActionType.CROP, tools(crop=FakeCrop(failure=ActionError("why not", code=FailureCode.REGION)))),
        (OCR, ActionType.OCR, tools(ocr=FakeOcr(failure=ActionError("why not", code=FailureCode.OCR)))),
    ],
    ids=["search", "crop", "ocr"],
)
async def test_action_that_fails_gets_the_message_of_that_action_with_the_reason(
    text: str, action: ActionType, failing: object
) -> None:
    observed, other = await execute_predictions(parsed(text, ANSWER), failing)  # type: ignore[arg-type]  # a Tools
    assert observed.text == user_turn(failed_action(action, "why not"))
    assert str(observed.error).startswith("VISUAL_RAG_")
    assert other.answer == "42"


ON_IMAGES = [(ActionType.CROP, "Your crop action failed"), (ActionType.OCR, "Your OCR action failed")]


@pytest.mark.parametrize("text", [SEARCH, CROP, OCR])
async def test_what_no_action_can_make_up_for_stops_the_batch(text: str) -> None:
    missing = VisualRagConfigurationError("no program")
    broken = tools(FakeSearch(failure=missing), FakeCrop(failure=missing), FakeOcr(failure=missing))
    with pytest.raises(VisualRagConfigurationError, match="no program"):
        await execute_predictions(parsed(text), broken)


async def test_none_without_a_reason_is_still_told_what_to_write() -> None:
    (observed,) = await execute_predictions([ParsedAction(None, None)], tools())
    assert observed.text.startswith(user_turn(invalid_action())[:100])


# --- what is shown ---------------------------------------------------------------------------------------

HITS = (PageHit("image_01", "a", Size(2000, 2800)), PageHit("image_02", "b"))


async def test_pages_that_a_search_finds_are_shown() -> None:
    (observed,) = await execute_predictions(parsed(SEARCH), tools(FakeSearch(HITS)))
    assert [(image.image_id, image.digest) for image in observed.images] == [
        (hit.image_id, pixels_of(hit.image_id).digest) for hit in HITS
    ]
    assert '"image_id": "image_01", "size": [1000, 1400]' in observed.words


async def test_model_of_text_alone_is_shown_nothing() -> None:
    text_alone = tools(FakeSearch(HITS), viewing=Viewing(shows_images=False))
    observed = await execute_predictions(parsed(SEARCH, CROP), text_alone)
    assert [one.images for one in observed] == [(), ()]
    assert '"image_id": "image_01", "size": [2000, 2800]' in observed[0].words


async def test_page_whose_image_cannot_be_shown_is_found_still() -> None:
    (observed,) = await execute_predictions(
        parsed(SEARCH), tools(FakeSearch(HITS), images=FakeImages(missing=frozenset({"image_01"})))
    )
    assert [image.image_id for image in observed.images] == ["image_02"]
    assert '"image_id": "image_01"' in observed.words


async def test_crop_of_an_image_that_does_not_exist_fails() -> None:
    (observed,) = await execute_predictions(parsed(CROP), tools(images=FakeImages(missing=frozenset({"image_01"}))))
    assert observed.error == "VISUAL_RAG_UNKNOWN_IMAGE"


async def test_region_is_of_the_image_as_it_is_shown() -> None:
    crop = FakeCrop()
    (observed,) = await execute_predictions(parsed(CROP), tools(crop=crop, viewing=Viewing(longest_side=700)))
    assert crop.asked == [("image_01", tuple(2.0 * number for number in REGION))]
    assert '"source_region": [5, 10, 150, 200]' in observed.words


@pytest.mark.parametrize(
    ("unit", "region"),
    [(Coordinates.FRACTION, [0.01, 0.02, 0.3, 0.4]), (Coordinates.THOUSANDTHS, [10, 20, 300, 400])],
)
async def test_part_is_cut_out_and_told_in_the_unit_of_the_setting(unit: Coordinates, region: list[float]) -> None:
    crop = FakeCrop()
    asked = parsed(reply("crop", {"image_id": "image_01", "region": region}))
    (observed,) = await execute_predictions(asked, tools(crop=crop, viewing=Viewing(coordinates=unit)))
    assert crop.asked == [("image_01", (10, 28, 300, 560))]
    told = [0.01, 0.014, 0.3, 0.286] if unit is Coordinates.FRACTION else [10, 14, 300, 286]
    assert f'"source_region": {told}' in observed.words


@pytest.mark.parametrize(("action", "first"), ON_IMAGES)
async def test_region_of_another_unit_gets_the_message_of_that_action(action: ActionType, first: str) -> None:
    fractions = tools(viewing=Viewing(coordinates=Coordinates.FRACTION))
    (observed,) = await execute_predictions(parsed(reply(action, ON_IMAGE)), fractions)
    assert (observed.error, first in observed.words) == ("VISUAL_RAG_REGION", True)
    assert '"region": [0.1, 0.05, 0.4, 0.3]' in observed.words


async def test_swapped_corners_get_the_message_with_the_unit_of_the_setting() -> None:
    fractions = tools(viewing=Viewing(coordinates=Coordinates.FRACTION))
    swapped = reply("crop", {"image_id": "image_01", "region": [0.9, 0.1, 0.2, 0.5]})
    (observed,) = await execute_predictions(parsed(swapped), fractions)
    assert (observed.error, "from 0 to 1, as fractions" in observed.words) == ("arguments", True)
