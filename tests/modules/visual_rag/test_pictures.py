"""Pages with hardly any text, which a search by words does not find: slides that are pictures."""

import pytest

from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.observations import PICTURES_LIMIT
from src.modules.visual_rag.domain.ports import PageHit
from src.modules.visual_rag.domain.viewing import Size, Viewing
from tests.modules.visual_rag.playing import ANSWER, FREE, play
from tests.modules.visual_rag.reading import reply
from tests.modules.visual_rag.tools import FakeImages, FakeSearch, tools

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
    words = observations.describe_search((), (), [PageHit(f"image_{number}", "") for number in range(count)]).words
    assert (words.count('image_id":'), '"more": 1' in words) == (PICTURES_LIMIT, more)
