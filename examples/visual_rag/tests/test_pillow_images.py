"""What the model sees, made of real image files: the page's own pixels where they fit, and bounded where not."""

import io
from pathlib import Path

import pytest
from PIL import Image

from examples.visual_rag import pillow_images
from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.pillow_images import PillowImages
from src.modules.visual_rag.domain.exceptions import ImageError, UnknownImageError
from src.modules.visual_rag.domain.viewing import Size, Viewing
from src.shared.domain.llm_exchange import ImagePart, ImageType
from tests.modules.visual_rag.tools import page_image

pytestmark = pytest.mark.anyio
NOISE = Size(400, 400)


def images_of(folder: Path, viewing: Viewing | None = None, most_bytes: int = 1_000_000) -> PillowImages:
    return PillowImages(PageFolder(folder), viewing or Viewing(), most_bytes)


def decoded(part: ImagePart) -> Image.Image:
    return Image.open(io.BytesIO(part.data))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return page_image(tmp_path / "page.png", "Revenue 18.6")


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    path = tmp_path / "noise.png"
    Image.effect_noise((NOISE.width, NOISE.height), 90).save(path)
    return path


async def test_page_within_the_bounds_is_shown_by_its_very_pixels(page: Path) -> None:
    part = await images_of(page.parent).part("image_01")
    with Image.open(page) as own:
        assert (part.media_type, decoded(part).tobytes()) == (ImageType.PNG, own.tobytes())


async def test_crop_is_shown_by_the_pixels_of_its_page(page: Path) -> None:
    part = await images_of(page.parent).part("image_01_crop_30_50_200_100")
    with Image.open(page) as own:
        assert decoded(part).tobytes() == own.crop((30, 50, 200, 100)).tobytes()


async def test_reference_says_what_was_shown(page: Path) -> None:
    images = images_of(page.parent)
    shown, part = await images.show("image_01"), await images.part("image_01")
    assert (shown.size, shown.media_type, shown.digest) == (Size(400, 300), ImageType.PNG, part.digest)


async def test_large_page_is_shown_smaller_and_keeps_its_own_size(page: Path) -> None:
    images = images_of(page.parent, Viewing(longest_side=200))
    assert (await images.show("image_01")).size == Size(200, 150)
    assert decoded(await images.part("image_01")).size == (200, 150)
    assert await images.size("image_01") == Size(400, 300)


async def test_size_of_an_image_is_measured_once_before_it_is_shown(page: Path) -> None:
    images = images_of(page.parent)
    sizes = [await images.size("image_01_crop_30_50_200_100")]
    for file in [page]:
        file.unlink()
    assert [*sizes, await images.size("image_01_crop_30_50_200_100")] == [Size(170, 50)] * 2


async def test_image_of_too_many_bytes_is_a_jpeg_within_them(noise: Path) -> None:
    part = await images_of(noise.parent, most_bytes=100_000).part("image_01")
    assert (part.media_type, decoded(part).format, len(part.data) <= 100_000) == (ImageType.JPEG, "JPEG", True)
    finer = await images_of(noise.parent, most_bytes=150_000).part("image_01")
    assert len(finer.data) > len(part.data)


async def test_image_that_does_not_fit_is_refused_with_what_to_do(noise: Path) -> None:
    with pytest.raises(ImageError, match=r"10,000 bytes; crop a smaller part"):
        await images_of(noise.parent, most_bytes=10_000).show("image_01")


@pytest.mark.parametrize("image_id", ["image_02", "image_01_crop_0_0_9000_20", "../page.png"])
async def test_image_that_does_not_exist_is_neither_shown_nor_measured(page: Path, image_id: str) -> None:
    for ask in (images_of(page.parent).show, images_of(page.parent).size):
        with pytest.raises(UnknownImageError):
            await ask(image_id)


async def test_same_image_has_the_same_bytes_in_every_run(page: Path) -> None:
    assert await images_of(page.parent).part("image_01") == await images_of(page.parent).part("image_01")


async def test_image_is_made_once_and_an_older_one_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pillow_images, "KEPT_IMAGES", 1)
    pages = [page_image(tmp_path / name) for name in ("1.png", "2.png")]
    images = images_of(tmp_path)
    first = await images.part("image_01")
    pages[0].unlink()
    assert await images.part("image_01") is first
    await images.show("image_02")
    with pytest.raises(ImageError):
        await images.part("image_01")


@pytest.mark.parametrize("suffix", ["png", "tif"])
async def test_shades_of_16_bits_are_shown_as_those_of_8(tmp_path: Path, suffix: str) -> None:
    scan = Image.new("I;16", (256, 20))
    scan.putdata([shade * 256 + 255 for _ in range(20) for shade in range(256)])
    scan.save(tmp_path / f"scan.{suffix}")
    shown = decoded(await images_of(tmp_path).part("image_01"))
    assert (shown.mode, list(shown.crop((0, 0, 256, 1)).tobytes())) == ("L", list(range(256)))
