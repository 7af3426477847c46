"""OCR with the real program, and what is said where it is missing, late or failing."""

import sys
from pathlib import Path

import pytest

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import OcrError, RegionError, VisualRagConfigurationError
from src.modules.visual_rag.domain.pixels import Box
from src.modules.visual_rag.infrastructure import tesseract_ocr
from src.modules.visual_rag.infrastructure.page_folder import PageFolder
from src.modules.visual_rag.infrastructure.tesseract_ocr import TesseractOcr
from src.modules.visual_rag.infrastructure.tool_errors import INSTALL, INSTALL_TESSERACT, needs_extra
from tests.modules.visual_rag.tools import fake_tesseract, needs_tesseract, page_image

pytestmark = pytest.mark.anyio


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    page_image(folder / "page.png", "Revenue 18.6")
    return folder


@needs_tesseract
async def test_text_of_a_region_is_read(pages: Path) -> None:
    read = await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", (30, 50, 400, 120))
    assert (read.text, read.box) == ("Revenue 18.6", Box(30, 50, 400, 120))


@needs_tesseract
async def test_region_without_a_text_reads_empty(pages: Path) -> None:
    assert (await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", (100, 150, 400, 300))).text == ""


@needs_tesseract
async def test_whole_page_is_read_at_its_own_size(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract_ocr, "SMALL_PART", 1_000)
    read = await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", (0, 0, 1e9, 1e9))
    assert ("18.6" in read.text, read.box) == (True, Box(0, 0, 400, 300))


@pytest.mark.parametrize(("region", "segmentation"), [((0, 0, 100, 100), "6"), ((0, 0, 1e9, 1e9), "3")])
async def test_program_is_called_in_the_way_that_suits_the_size(
    pages: Path, region: Region, segmentation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract_ocr, "SMALL_PART", 20_000)
    fake_tesseract(pages.parent, 'echo "$4 $6" > "$2.txt"', monkeypatch)
    read = await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", region)
    assert read.text == f"eng {segmentation}"


@needs_tesseract
async def test_region_outside_the_page_is_refused(pages: Path) -> None:
    with pytest.raises(RegionError):
        await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", (500, 0, 600, 10))


def test_language_without_data_says_what_to_install(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(pages.parent, "", monkeypatch)
    with pytest.raises(VisualRagConfigurationError, match="no data for xyz") as caught:
        TesseractOcr(PageFolder(pages), "eng+xyz", 60)
    assert INSTALL_TESSERACT in caught.value.message


def test_missing_program_says_what_to_install(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(pages))
    with pytest.raises(VisualRagConfigurationError, match="tesseract is not installed") as caught:
        TesseractOcr(PageFolder(pages), "eng", 60)
    assert INSTALL_TESSERACT in caught.value.message


async def test_program_that_goes_away_says_so(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_tesseract(pages.parent, "", monkeypatch)
    ocr = TesseractOcr(PageFolder(pages), "eng", 60)
    path.unlink()
    monkeypatch.setenv("PATH", str(pages))
    with pytest.raises(VisualRagConfigurationError, match="not installed"):
        await ocr.read("image_01", (0, 0, 20, 20))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exec sleep 30", "no text within 0.2 s"),
        ("echo secret of the page >&2; exit 3", "the OCR failed"),
        ("printf '\\377' > \"$2.txt\"", "the OCR failed"),
        ("exit 0", "the OCR failed"),
    ],
    ids=["late", "failing", "not UTF-8", "no output"],
)
async def test_program_that_does_not_do_its_work_is_a_failed_action(
    pages: Path, script: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(pages.parent, script, monkeypatch)
    timeout = 0.2 if "sleep" in script else 60
    with pytest.raises(OcrError, match=message) as caught:
        await TesseractOcr(PageFolder(pages), "eng", timeout).read("image_01", (0, 0, 20, 20))
    assert "secret" not in f"{caught.value.message}{caught.value.details}"


def test_missing_package_says_what_to_install() -> None:
    with pytest.raises(VisualRagConfigurationError) as caught, needs_extra():
        raise ModuleNotFoundError(name="PIL")
    assert INSTALL in caught.value.message


@pytest.mark.parametrize("package", ["PIL", "pytesseract"])
def test_adapter_without_its_package_cannot_be_imported(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "src.modules.visual_rag.infrastructure.tesseract_ocr")
    with pytest.raises(VisualRagConfigurationError, match=package):
        import src.modules.visual_rag.infrastructure.tesseract_ocr  # noqa: F401, PLC0415 - what is tested
