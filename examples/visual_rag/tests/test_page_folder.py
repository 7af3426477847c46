"""An image id means a page of the folder or a part of one, and nothing else on the disk; pages of any kind are read."""

from pathlib import Path

import pytest
from PIL import Image

from examples.visual_rag import page_folder
from examples.visual_rag.page_folder import PageFolder
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Box
from tests.modules.visual_rag.tools import page_image


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return page_image(tmp_path / "page.png")


def test_pages_are_numbered_by_name_and_other_files_left_alone(tmp_path: Path) -> None:
    for name in ("b.PNG", "c.tif", "a.jpeg", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "folder.png").mkdir()
    named = {image_id: path.name for image_id, path in PageFolder(tmp_path).paths.items()}
    assert named == {"image_01": "a.jpeg", "image_02": "b.PNG", "image_03": "c.tif"}


@pytest.mark.parametrize(("folder", "reason"), [("", "holds no image"), ("none", "none")])
def test_folder_without_pages_is_named(folder: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(VisualRagConfigurationError, match=reason):
        PageFolder(tmp_path / folder)


NO_IDS = ["image_02", "image_1", "../page", "/etc/passwd", "page.png", "", "image_01\n", "\ud800", "x" * 1_000_000]
NO_PARTS = ["0_0_500_10", "9_0_9_10", "1_2_3_4/..", "1_2_3", "1_2_3_４", "1_2_3_99999999", "1_2_3_-4"]


@pytest.mark.parametrize("image_id", [*NO_IDS, *(f"image_01_crop_{part}" for part in NO_PARTS)], ids=range(16))
def test_text_that_is_no_id_is_refused_and_not_repeated(image_id: str, page: Path) -> None:
    with pytest.raises(ActionError) as caught:
        PageFolder(page.parent).cut(image_id, (0, 0, 20, 20))
    assert caught.value.code == FailureCode.UNKNOWN_IMAGE
    assert not image_id or image_id not in caught.value.message


def test_crop_of_a_crop_is_a_part_of_the_page_and_clipped_to_the_crop(page: Path) -> None:
    folder = PageFolder(page.parent)
    first, *_ = folder.cut("image_01", (10, 10, 110, 60))
    second, image, box = folder.cut(first, (5, 5, 200, 30))
    assert (second, box) == ("image_01_crop_15_15_110_40", Box(5, 5, 100, 30))
    assert image.tobytes() == folder.image(second).tobytes()


@pytest.mark.parametrize(("module", "bound"), [(page_folder, "MOST_PIXELS"), (Image, "MAX_IMAGE_PIXELS")])
def test_large_image_is_not_decoded(module: object, bound: str, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, bound, 100)
    with pytest.raises(ActionError, match="and was not decoded") as caught:
        PageFolder(page.parent).image("image_01")
    assert caught.value.code == FailureCode.IMAGE


@pytest.mark.parametrize("content", [b"", b"no image", b"GIF89a", b"\x89PNG\r\n\x1a\n"], ids=range(4))
def test_damaged_image_is_refused(content: bytes, page: Path) -> None:
    page.write_bytes(content)
    with pytest.raises(ActionError, match="cannot be read") as caught:
        PageFolder(page.parent).image("image_01")
    assert caught.value.code == FailureCode.IMAGE


def test_transparent_is_white_and_16_bits_become_8_and_a_photograph_stands_upright(tmp_path: Path) -> None:
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera was turned by 90 degrees
    Image.new("RGBA", (40, 30), (0, 0, 0, 0)).save(tmp_path / "1.png")
    Image.new("I;16", (40, 30), 128 * 256 + 255).save(tmp_path / "2.png")
    Image.new("L", (40, 30)).save(tmp_path / "3.jpg", exif=turned)
    clear, scan, photograph = map(PageFolder(tmp_path).image, ("image_01", "image_02", "image_03"))
    assert (clear.getpixel((5, 5)), scan.getpixel((5, 5)), photograph.size) == ((255, 255, 255), 128, (30, 40))
