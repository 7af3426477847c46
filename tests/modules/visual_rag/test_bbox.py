"""`<bbox>[x1, y1, x2, y2]</bbox>`: a crop of the image that the model was shown last."""

from dataclasses import replace

import pytest

from src.modules.visual_rag.application.execute_predictions import Tools
from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.domain.ports import PageHit
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import NO_ACTION, FakeCrop, FakeModels, FakeSearch, tools
from tests.shared.scripted_llm import ScriptedLLM

BBOX = "<bbox>[10, 20, 300, 400]</bbox>"
ANSWER = "<answer>42</answer>"
CROP = "image_01_crop_10_20_300_400"
"""The image that the fake crop makes."""


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
