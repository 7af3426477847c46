"""A page with hardly any text in a real folder: a slide that is a picture."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from dependency_injector import providers
from PIL import Image, ImageDraw

from examples.visual_rag.container import VisualRag
from src.modules.visual_rag.domain import observations
from src.shared.infrastructure.events.fan_out import FanOut
from tests.modules.visual_rag.playing import ANSWER
from tests.modules.visual_rag.reading import reply
from tests.modules.visual_rag.tools import needs_tesseract, page_image
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = [pytest.mark.anyio, needs_tesseract]


def shown(one: observations.Observation) -> list[str]:
    return [image.image_id for image in one.images]


async def test_slide_without_text_of_a_real_folder_is_shown_and_can_be_cropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL_RAG_OCR_LANGUAGES", "eng")
    (tmp_path / "pages").mkdir()
    page_image(tmp_path / "pages" / "1.png", "Revenue in the year 2025")
    picture = Image.new("L", (400, 300), 255)
    ImageDraw.Draw(picture).ellipse((80, 60, 300, 240), fill=90)
    picture.save(tmp_path / "pages" / "2.png")
    crop = reply("crop", {"image_id": "image_02", "region": [80, 60, 300, 240]})
    async with AsyncExitStack() as open_things:
        model = ScriptedLLM([reply("search", {"query": "revenue"}), crop, ANSWER])
        rag = VisualRag(open_things=open_things, model=providers.Object(model), events=FanOut())
        rag.config.from_dict({"pages": tmp_path / "pages", "output": tmp_path / "run"})
        (episode,) = await rag.manager().run(["How high is the revenue?"])
    searched, cropped, _ = (turn.observation for turn in episode.turns)
    assert (shown(searched), '"hardly_any_text": [{"image_id": "image_02", "size": [400, 300]}]' in searched.words) == (
        ["image_01", "image_02"],
        True,
    )
    assert shown(cropped) == ["image_02_crop_80_60_300_240"]
