"""An image id means a page of the folder or a part of one, and nothing else on the disk."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.visual_rag import page_folder
from examples.visual_rag.page_folder import PageFolder, crop_id, crop_of
from src.modules.visual_rag.domain.exceptions import UnknownImageError, VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Box


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("page-10.png", "page-9.PNG", "a.jpeg", "notes.txt", "page-9b.png"):
        (tmp_path / name).touch()
    (tmp_path / "folder.png").mkdir()
    return tmp_path


def test_pages_are_numbered_by_name_and_other_files_left_alone(folder: Path) -> None:
    pages = PageFolder(folder).pages
    assert [(page.image_id, page.path.name) for page in pages] == [
        ("image_01", "a.jpeg"),
        ("image_02", "page-9.PNG"),
        ("image_03", "page-9b.png"),
        ("image_04", "page-10.png"),
    ]


def test_page_that_is_added_has_the_next_number(folder: Path) -> None:
    pages = PageFolder(folder)
    assert (pages.add(folder / "loaded.image"), pages.path("image_05")) == ("image_05", folder / "loaded.image")


def test_id_gives_its_file(folder: Path) -> None:
    assert PageFolder(folder).path("image_04") == folder / "page-10.png"


@pytest.mark.parametrize(
    "image_id", ["image_05", "image_1", "../x", "/etc/passwd", "page-10.png", "", "image_01\n", "\ud800", "图_01"]
)
def test_text_that_is_no_id_is_refused_and_not_repeated(folder: Path, image_id: str) -> None:
    with pytest.raises(UnknownImageError) as caught:
        PageFolder(folder).path(image_id)
    assert not image_id or image_id not in caught.value.message


def test_folder_without_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VisualRagConfigurationError, match="holds no image"):
        PageFolder(tmp_path)


def test_folder_with_too_many_pages_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_folder, "MOST_PAGES", 3)
    with pytest.raises(VisualRagConfigurationError, match="too many"):
        PageFolder(folder)


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(VisualRagConfigurationError, match="none"):
        PageFolder(tmp_path / "none")


def test_id_of_a_crop_says_which_part_of_which_page_it_is() -> None:
    assert crop_of(crop_id("image_01", Box(1, 2, 30, 40))) == ("image_01", Box(1, 2, 30, 40))


@pytest.mark.parametrize(
    "text",
    [
        *("image_01", "image_01_crop_1_2_3", "image_01_crop_1_2_3_-4", "image_01_crop_1_2_3_4/..", "x" * 1_000_000),
        *("image_01_crop_1_2_3_99999999", "image_01_crop_1_2_3_４", "../image_01_crop_1_2_3_4"),
    ],
    ids=range(8),
)
def test_other_text_is_no_id_of_a_crop(text: str) -> None:
    assert crop_of(text) is None


@given(st.text())
def test_any_text_is_read_without_a_crash(text: str) -> None:
    assert crop_of(f"image_01_crop_{text}") is None or set(text) <= set("0123456789_")
