"""Pages with hardly any text, which a search by words does not find: slides that are pictures."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from dependency_injector import providers
from PIL import Image, ImageDraw

from src.modules.visual_rag.container import VisualRag
from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.observations import PICTURES_LIMIT
from src.modules.visual_rag.domain.pixels import Size
from src.modules.visual_rag.domain.ports.search import PageHit
from src.modules.visual_rag.domain.viewing import Viewing
from src.shared.infrastructure.events.fan_out import FanOut
from tests.modules.visual_rag.playing import ANSWER, FREE, play
from tests.modules.visual_rag.reading import reply
from tests.modules.visual_rag.tools import FakeImages, FakeSearch, needs_tesseract, page_image, tools
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio

SEARCH = reply("search")
HITS = tuple(PageHit(f"image_{number:02}", f"text {number}") for number in range(1, 4))
PICTURES = tuple(PageHit(f"image_{number:02}", "", Size(3136, 1568)) for number in (8, 9))
NAMED = (
    '"hardly_any_text": [{"image_id": "image_08", "size": [1568, 784]}, {"image_id": "image_09", "size": [1568, 784]}]'
)


async def observed(search: FakeSearch, *turns: str, shows_images: bool = True) -> list[observations.Observation]:
    """Play searches; what became of each."""
    using = tools(search, viewing=Viewing(shows_images=shows_images))
    episode, _ = await play(*(turns or [SEARCH]), ANSWER, rules=FREE, using=using)
    return [turn.observation for turn in episode.turns[:-1]]


def shown(one: observations.Observation) -> list[str]:
    return [image.image_id for image in one.images]


async def test_pictures_are_named_beside_the_pages_that_were_found() -> None:
    (one,) = await observed(FakeSearch(HITS, pictures=PICTURES))
    assert shown(one) == ["image_01", "image_02", "image_03"]
    assert "Pages found: 3, the best first. Pages with hardly any text" in one.words
    assert NAMED in one.words


async def test_pictures_are_shown_where_there_is_room() -> None:
    (one,) = await observed(FakeSearch(HITS[:1], pictures=PICTURES))
    assert shown(one) == ["image_01", "image_08", "image_09"]
    assert (one.image_id, [page.image_id for page in one.pages]) == ("image_09", ["image_01"])


async def test_pictures_are_shown_where_nothing_is_found() -> None:
    (one,) = await observed(FakeSearch((), pictures=PICTURES))
    assert ("The search found no page." in one.words, shown(one)) == (True, ["image_08", "image_09"])


async def test_picture_that_was_shown_is_neither_shown_nor_named_again() -> None:
    first, second = await observed(FakeSearch(HITS[:2], pictures=PICTURES), SEARCH, SEARCH)
    assert (shown(first), shown(second)) == (["image_01", "image_02", "image_08"], ["image_09"])
    assert '"hardly_any_text": [{"image_id": "image_09"' in second.words
    assert "have been shown to you already" in second.words


async def test_page_that_was_found_by_its_few_words_is_named_once() -> None:
    (one,) = await observed(FakeSearch(HITS[:1], pictures=(PageHit("image_01", "text 1 ~"),)))
    assert ("hardly_any_text" in one.words, shown(one)) == (False, ["image_01"])


async def test_picture_that_cannot_be_shown_is_named() -> None:
    using = tools(FakeSearch((), pictures=PICTURES), images=FakeImages(missing=frozenset({"image_08"})))
    episode, _ = await play(SEARCH, ANSWER, rules=FREE, using=using)
    one = episode.turns[0].observation
    assert (NAMED in one.words, shown(one)) == (True, ["image_09"])


async def test_model_of_text_alone_is_told_of_pictures_in_their_own_pixels() -> None:
    (one,) = await observed(FakeSearch(HITS, pictures=PICTURES[:1]), shows_images=False)
    assert ('"hardly_any_text": [{"image_id": "image_08", "size": [3136, 1568]}]' in one.words, shown(one)) == (
        True,
        [],
    )


@pytest.mark.parametrize(("count", "more"), [(PICTURES_LIMIT, False), (PICTURES_LIMIT + 1, True)])
def test_no_more_pictures_are_named_than_the_limit(count: int, *, more: bool) -> None:
    words = observations.found((), (), [PageHit(f"image_{number}", "") for number in range(count)]).words
    assert (words.count('image_id":'), '"more": 1' in words) == (PICTURES_LIMIT, more)


@needs_tesseract
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
