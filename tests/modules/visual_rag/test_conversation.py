"""What an episode's model reads and sees: messages with roles, and images after their ids."""

import pytest

from src.modules.visual_rag.application.generation_manager import NOTHING_SAID
from src.modules.visual_rag.domain.messages import forced_first_search
from src.modules.visual_rag.domain.viewing import Viewing
from src.shared.domain.budget import TOKENS_AN_IMAGE
from src.shared.domain.llm_exchange import ChatMessage, Role
from tests.modules.visual_rag.playing import ANSWER, CROP, FREE, OCR, play, said
from tests.modules.visual_rag.tools import (
    FakeImages,
    pixels_of,
    tools,
)

pytestmark = pytest.mark.anyio


async def test_observations_are_fed_back_in_order() -> None:
    episode, model = await play(CROP, OCR, ANSWER)
    searched, cropped, was_read, _ = (turn.observation for turn in episode.turns)
    assert said(model.calls[2])[1:] == [
        ("user", "Question: Q?"),
        ("assistant", forced_first_search("Q?")),
        ("user", f"{searched.words}\nimage_01:"),
        ("assistant", CROP),
        ("user", f"{cropped.words}\nimage_01_crop_10_20_300_400:"),
        ("assistant", OCR),
        ("user", was_read.words),
    ]


async def test_pages_and_crops_are_shown_to_the_model() -> None:
    _, model = await play(CROP, ANSWER)
    page, crop = pixels_of("image_01"), pixels_of("image_01_crop_10_20_300_400")
    assert [message.images for message in model.calls[1].messages if message.role is Role.USER] == [
        (),
        (page,),
        (crop,),
    ]


async def test_model_of_text_alone_gets_no_image_and_is_told_so() -> None:
    text_alone = tools(viewing=Viewing(shows_images=False))
    _, model = await play(CROP, ANSWER, using=text_alone)
    assert not any(message.images for message in model.calls[1].messages)
    assert "shown to you as images" not in str(model.calls[1].system_message)


async def test_oldest_images_are_left_out_where_their_tokens_do_not_suffice() -> None:
    images = FakeImages()
    _, model = await play(CROP, ANSWER, using=tools(images=images, viewing=Viewing(image_tokens=TOKENS_AN_IMAGE)))
    assert [len(message.images) for message in model.calls[1].messages] == [0, 0, 0, 0, 0, 1]
    assert "image_01: not shown any more" in model.calls[1].messages[3].text
    assert images.asked == ["image_01", "image_01_crop_10_20_300_400"]


async def test_image_that_is_gone_does_not_end_the_episode() -> None:
    episode, model = await play(ANSWER, using=tools(images=FakeImages(lost=frozenset({"image_01"}))))
    assert "image_01: cannot be shown any more" in model.calls[0].prompt
    assert episode.answer == "42"


async def test_turn_without_a_text_is_said_to_be_one() -> None:
    _, model = await play("", ANSWER, rules=FREE)
    assert model.calls[1].messages[2] == ChatMessage.of(Role.ASSISTANT, NOTHING_SAID)
