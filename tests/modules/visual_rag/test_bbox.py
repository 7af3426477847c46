"""`<bbox>[x1, y1, x2, y2]</bbox>`: a crop of the image that the model was shown last."""

from dataclasses import replace

import pytest

from src.modules.visual_rag.application.execute_predictions import Tools, execute_predictions
from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.domain.actions import CropAction
from src.modules.visual_rag.domain.parsed_action import ParsedAction, ProblemKind
from src.modules.visual_rag.domain.ports import PageHit
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    parse_action,
    postprocess_predictions,
    postprocess_responses,
)
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import NO_ACTION, FakeCrop, FakeModels, FakeSearch, tools
from tests.shared.scripted_llm import ScriptedLLM

BBOX = "<bbox>[10, 20, 300, 400]</bbox>"
ANSWER = "<answer>42</answer>"
CROP = "image_01_crop_10_20_300_400"
"""The image that the fake crop makes."""


def parsed(text: str, *, finished: bool | None = None) -> ParsedAction:
    return parse_action(text, finished=finished, last_image="image_03")


@pytest.mark.parametrize(
    "text",
    [
        BBOX,
        f"<think>closer</think>\n{BBOX}",
        "<BBOX>\n[10,20,300,400]\n</BBOX>",
        "<bbox>[10, 20, 300, 400]",
        f"{BBOX}<information>41</information>{ANSWER}",
    ],
)
def test_box_is_a_crop_of_the_last_image_shown(text: str) -> None:
    found = parsed(text)
    assert (found.action_type, found.content) == ("crop", {"image_id": "image_03", "region": [10, 20, 300, 400]})
    assert found.action == CropAction(image_id="image_03", region=(10, 20, 300, 400))


def test_numbers_of_a_box_are_kept_as_they_are_written() -> None:
    assert parsed("<bbox>[10.5, 20, 300, 400.25]</bbox>").content["region"] == [10.5, 20, 300, 400.25]


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "the top left corner",
        "10, 20, 300, 400",
        "[10, 20, 300]",
        "[300, 20, 10, 400]",
        "[-1, 20, 300, 400]",
        "[10, 20, 300, NaN]",
        '{"region": [10, 20, 300, 400]}',
        "[10, 20, 300, 400] [1, 2, 3, 4]",
        "[" * 100_000,
    ],
    ids=lambda inside: inside[:20],
)
@pytest.mark.anyio
async def test_box_that_is_no_region_gets_the_message_of_a_crop(inside: str) -> None:
    found = parsed(f"<bbox>{inside}</bbox>")
    (observed,) = await execute_predictions([found], tools())
    assert found.problem
    assert (found.problem.kind, "region" in found.problem.message) == (ProblemKind.ARGUMENTS, True)
    assert "Your crop action failed" in observed.text


@pytest.mark.parametrize("text", ["<bbox>[10, 20, 300, 40", "<bbox>"])
def test_box_that_may_be_cut_off_is_no_action(text: str) -> None:
    problem = parsed(text).problem
    assert problem
    assert (problem.kind, problem.action) == (ProblemKind.TRUNCATED, "crop")


@pytest.mark.anyio
async def test_box_without_an_image_gets_the_message_of_a_crop() -> None:
    (observed,) = await execute_predictions([parse_action(BBOX)], tools())
    assert "Your crop action failed" in observed.text
    assert "search first" in observed.text


def test_box_in_a_batch_has_no_image() -> None:
    assert postprocess_predictions([BBOX]) == ([None], [None])


def test_box_is_kept_in_the_conversation() -> None:
    assert postprocess_responses([f"so {BBOX} now"], "</s>") == [f"{BBOX}</s>"]


@pytest.mark.parametrize("text", [f"<think>{BBOX}</think><answer>42</answer>", f"<answer>42</answer><think>{BBOX}"])
def test_box_in_reasoning_is_thought(text: str) -> None:
    assert parsed(text).action_type != "crop"


def test_box_beside_another_action_is_one_of_several() -> None:
    problem = parsed(f"{BBOX}<search>q</search>").problem
    assert problem
    assert problem.kind is ProblemKind.SEVERAL


# --- in an episode -----------------------------------------------------------------------------------------


async def cropped(*script: str, using: Tools | None = None, rules: EpisodeRules | None = None) -> list[str]:
    """Play an episode by a script; the images that were cropped."""
    crop = FakeCrop()
    given = using or tools()
    images = replace(given.images, crops=crop)  # type: ignore[type-var]  # a FakeImages
    manager = LLMGenerationManager(
        FakeModels({"Q?": ScriptedLLM(list(script))}),
        VisualRagActionParser(),
        replace(given, images=images),
        rules=rules,
    )
    (episode,) = await manager.run(["Q?"])
    assert episode.answer == "42"
    return [image_id for image_id, _ in crop.asked]


@pytest.mark.anyio
async def test_box_crops_the_page_that_was_found() -> None:
    assert await cropped(NO_ACTION, BBOX, ANSWER) == ["image_01"]


@pytest.mark.anyio
async def test_box_crops_the_last_of_several_pages() -> None:
    search = FakeSearch(hits=(PageHit("image_05", "a"), PageHit("image_02", "b")))
    assert await cropped(NO_ACTION, BBOX, ANSWER, using=tools(search)) == ["image_02"]


@pytest.mark.anyio
async def test_box_after_a_crop_crops_the_crop() -> None:
    assert await cropped(NO_ACTION, BBOX, BBOX, ANSWER) == ["image_01", CROP]


@pytest.mark.anyio
async def test_box_after_an_ocr_crops_the_image_that_was_read() -> None:
    ocr = reply("ocr", {**ON_IMAGE, "image_id": "image_07"})
    assert await cropped(ocr, BBOX, ANSWER) == ["image_07"]


@pytest.mark.anyio
async def test_turn_that_shows_no_image_does_not_change_which_was_last() -> None:
    assert await cropped(NO_ACTION, "no action", "<bbox>[1, 2]</bbox>", BBOX, ANSWER) == ["image_01"]


@pytest.mark.anyio
async def test_box_before_any_image_is_refused_and_the_episode_goes_on() -> None:
    free = EpisodeRules(forces_first_search=False)
    assert await cropped(BBOX, "<search>q</search>", BBOX, ANSWER, rules=free) == ["image_01"]
