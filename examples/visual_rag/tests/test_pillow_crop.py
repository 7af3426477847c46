"""Crops of real image files: the pixels asked for, in a file of their own, and the page as it was."""

import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from examples.visual_rag import pillow_images as page_images
from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.pillow_images import PillowCrop
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import (
    ImageError,
    RegionError,
    UnknownImageError,
    VisualRagConfigurationError,
)
from src.modules.visual_rag.domain.viewing import Box
from tests.modules.visual_rag.tools import page_image

pytestmark = pytest.mark.anyio


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    page_image(folder / "page.png")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def crop_in(pages: Path) -> PillowCrop:
    return PillowCrop(PageFolder(pages), pages.parent / "crops")


async def test_crop_holds_the_pixels_of_the_region(pages: Path) -> None:
    image = await crop_in(pages).crop("image_01", (10, 15, 110, 65))
    with Image.open(pages.parent / "crops" / f"{image.image_id}.png") as written:
        assert written.size == (image.size.width, image.size.height) == (100, 50)
        assert [written.getpixel(at) for at in ((0, 0), (9, 4), (10, 4), (9, 5))] == [0, 0, 255, 255]


async def test_page_is_never_changed(pages: Path) -> None:
    before = contents(pages)
    await crop_in(pages).crop("image_01", (0, 0, 50, 50))
    assert contents(pages) == before


async def test_region_that_overshoots_is_clipped_and_says_to_what(pages: Path) -> None:
    image = await crop_in(pages).crop("image_01", (380, 280, 500, 1e12))
    assert (image.box, image.source_id) == (Box(380, 280, 400, 300), "image_01")


async def test_region_outside_the_page_is_refused_and_nothing_written(pages: Path) -> None:
    with pytest.raises(RegionError):
        await crop_in(pages).crop("image_01", (400, 0, 500, 10))
    assert not (pages.parent / "crops").exists()


@pytest.mark.parametrize("region", [(100, 100, 115, 200), (385, 0, 500, 100)], ids=["inside", "clipped"])
async def test_region_of_less_than_16_pixels_is_refused_and_nothing_written(pages: Path, region: Region) -> None:
    with pytest.raises(RegionError, match="choose a larger one"):
        await crop_in(pages).crop("image_01", region)
    assert not (pages.parent / "crops").exists()


async def test_crop_of_a_crop_is_a_part_of_the_page(pages: Path) -> None:
    crop = crop_in(pages)
    first = await crop.crop("image_01", (10, 10, 110, 60))
    second = await crop.crop(first.image_id, (5, 5, 200, 30))
    assert second.box == Box(5, 5, 100, 30)
    assert second.image_id == "image_01_crop_15_15_110_40"


async def test_same_crop_again_is_the_same_image(pages: Path) -> None:
    crop = crop_in(pages)
    assert await crop.crop("image_01", (1, 2, 33, 44)) == await crop.crop("image_01", (1, 2, 33, 44))
    assert len(list((pages.parent / "crops").iterdir())) == 1


@pytest.mark.parametrize(
    "image_id",
    ["image_02", "../pages/page.png", "image_01_crop_0_0_500_10", "image_01_crop_9_0_9_10", "image_02_crop_0_0_1_1"],
)
async def test_image_that_does_not_exist_is_refused(pages: Path, image_id: str) -> None:
    with pytest.raises(UnknownImageError):
        await crop_in(pages).crop(image_id, (0, 0, 20, 20))


async def test_folder_that_cannot_be_written_ends_the_run(pages: Path) -> None:
    (pages.parent / "crops").write_text("a file")
    with pytest.raises(VisualRagConfigurationError, match="cannot be written"):
        await crop_in(pages).crop("image_01", (0, 0, 20, 20))


async def test_crop_that_cannot_be_finished_leaves_nothing(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    with pytest.raises(VisualRagConfigurationError, match="No space left"):
        await crop_in(pages).crop("image_01", (0, 0, 20, 20))
    assert list((pages.parent / "crops").iterdir()) == []


# --- files of every kind ------------------------------------------------------------------------------------


def png_of(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds nothing of it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0")), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


@pytest.mark.parametrize(
    ("width", "height"),
    [(8_000, 8_000), (10_000, 10_000), (60_000, 60_000)],
    ids=["more than we decode", "Pillow's warning", "Pillow's error"],
)
async def test_decompression_bomb_is_refused(pages: Path, width: int, height: int) -> None:
    (pages / "page.png").write_bytes(png_of(width, height))
    with pytest.raises(ImageError, match=f"more than {page_images.MOST_PIXELS:,} pixels"):
        await crop_in(pages).crop("image_01", (0, 0, 20, 20))


@pytest.mark.parametrize("content", [b"", b"no image", b"GIF89a", png_of(10, 10)[:-30], png_of(100, 100)], ids=range(5))
async def test_damaged_image_is_refused(pages: Path, content: bytes) -> None:
    (pages / "page.png").write_bytes(content)
    with pytest.raises(ImageError, match="cannot be read"):
        await crop_in(pages).crop("image_01", (0, 0, 20, 20))


async def test_image_that_is_gone_is_refused(pages: Path) -> None:
    crop = crop_in(pages)
    (pages / "page.png").unlink()
    with pytest.raises(ImageError, match="cannot be read"):
        await crop.crop("image_01", (0, 0, 20, 20))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "I;16", "I", "F", "YCbCr"])
async def test_page_of_any_mode_can_be_cropped(pages: Path, mode: str) -> None:
    suffix = "png" if mode in {"1", "L", "LA", "P", "RGB", "RGBA", "I;16"} else "tiff"
    (pages / "page.png").unlink()
    Image.new(mode, (40, 30)).save(pages / f"page.{suffix}")
    assert (await crop_in(pages).crop("image_01", (0, 0, 20, 20))).box == Box(0, 0, 20, 20)


async def test_what_is_transparent_is_white(pages: Path) -> None:
    Image.new("RGBA", (40, 30), (0, 0, 0, 0)).save(pages / "page.png")
    image = await crop_in(pages).crop("image_01", (0, 0, 20, 20))
    with Image.open(pages.parent / "crops" / f"{image.image_id}.png") as written:
        assert written.getpixel((5, 5)) == (255, 255, 255)


async def test_photograph_is_turned_upright(pages: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned by 90 degrees
    (pages / "page.png").unlink()
    Image.new("L", (40, 30)).save(pages / "page.jpg", exif=exif)
    assert (await crop_in(pages).crop("image_01", (0, 0, 100, 100))).box == Box(0, 0, 30, 40)
