"""OCR with the real program, and what is said where it is missing, late or failing."""

from pathlib import Path

import pytest

from examples.visual_rag import tesseract
from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.search import WHOLE
from examples.visual_rag.tesseract import INSTALL, TesseractOcr
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Box
from tests.modules.visual_rag.tools import fake_tesseract, needs_tesseract, page_image

pytestmark = pytest.mark.anyio


@pytest.fixture
def pages(tmp_path: Path) -> PageFolder:
    page_image(tmp_path / "page.png", "Revenue 18.6")
    return PageFolder(tmp_path)


@needs_tesseract
@pytest.mark.parametrize(("box", "text"), [(Box(30, 50, 400, 120), "Revenue 18.6"), (Box(100, 150, 400, 300), "")])
async def test_text_of_a_region_is_read(box: Box, text: str, pages: PageFolder) -> None:
    read = await TesseractOcr(pages, "eng").read("image_01", box)
    assert (read.text, read.box) == (text, box)


@pytest.mark.parametrize(("most", "mode"), [(1_000_000, "6"), (20_000, "3")])
async def test_page_segmentation_suits_the_size(
    most: int, mode: str, pages: PageFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract, "SMALL_PART", most)
    fake_tesseract(tmp_path, 'echo "a     b $*"', monkeypatch)
    read = await TesseractOcr(pages, "eng").read("image_01", WHOLE)
    assert (read.text[:4], read.text[-7:]) == ("a  b", f"--psm {mode}")


@pytest.mark.parametrize("script", ["exec sleep 30", "echo secret of the page >&2; exit 3", "printf '\\377'"])
async def test_program_that_does_not_do_its_work_is_a_failed_action(
    script: str, pages: PageFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract, "TIMEOUT", 0.2 if "sleep" in script else 60)
    fake_tesseract(tmp_path, script, monkeypatch)
    with pytest.raises(ActionError, match="the OCR failed or took too long") as caught:
        await TesseractOcr(pages, "eng").read("image_01", WHOLE)
    assert caught.value.code == FailureCode.OCR
    assert "secret" not in f"{caught.value.message}{caught.value.details}"


@pytest.mark.parametrize(("path", "reason"), [("bin", "no data for xyz"), ("", "tesseract is not installed")])
def test_what_is_missing_says_what_to_install(
    path: str, reason: str, pages: PageFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(tmp_path, "", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / path))
    with pytest.raises(VisualRagConfigurationError, match=reason) as caught:
        TesseractOcr(pages, "eng+xyz")
    assert INSTALL in caught.value.message
