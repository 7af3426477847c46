"""OCR with the real program, and what is said where it is missing, late or failing."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from examples.visual_rag.ocr import tesseract_ocr
from examples.visual_rag.ocr.tesseract_ocr import TesseractOcr
from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.tool_errors import INSTALL_TESSERACT, needs_extra
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import OcrError, RegionError, VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Box
from tests.modules.visual_rag.tools import fake_tesseract, needs_tesseract, page_image

pytestmark = pytest.mark.anyio

WHOLE: Region = (0.0, 0.0, 1e9, 1e9)


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
async def test_ruled_table_is_read_row_by_row(pages: Path) -> None:
    page = Image.new("L", (640, 200), 255)
    pen = ImageDraw.Draw(page)
    for x in (20, 220, 420, 620):
        pen.line((x, 20, x, 180), fill=0, width=2)
    for y in (20, 100, 180):
        pen.line((20, y, 620, y), fill=0, width=2)
    for number, text in enumerate(("Segment", "Revenue", "Cost", "Lidar", "98.4", "71.2")):
        pen.text((40 + number % 3 * 200, 45 + number // 3 * 80), text, fill=0, font_size=28)
    page.save(pages / "page.png")
    read = await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", WHOLE)
    assert [line.split() for line in read.text.splitlines()] == [
        ["Segment", "Revenue", "Cost"],
        ["Lidar", "98.4", "71.2"],
    ]


IN_BOTH, ALONE = "say 95 净利润; say 76 Ax.", "say 95 净利润; say 95 万元"


@pytest.mark.parametrize(
    ("alone", "text"),
    [
        (ALONE, "净利润\n万元"),
        ("say 95 净利润; say 10 万元", "净利润\nAx."),
        ("exit 1", "净利润\nAx."),
        ("sleep 9", "净利润\nAx."),
    ],
    ids=["surer", "less sure", "fails", "too late"],
)
async def test_chinese_word_that_is_read_as_latin_is_read_in_the_first_language_alone(
    pages: Path, alone: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'if [ "$4" = eng+eng ]; then {IN_BOTH}; else {alone}; fi'
    fake_tesseract(pages.parent, script, monkeypatch)
    assert (await TesseractOcr(PageFolder(pages), "eng+eng", 2).read("image_01", WHOLE)).text == text


async def test_single_language_is_not_tried_twice(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(
        pages.parent, f"echo read >> {pages.parent}/reads; {IN_BOTH}; {IN_BOTH.replace('76', '95')}", monkeypatch
    )
    await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", WHOLE)
    assert (pages.parent / "reads").read_text() == "read\n"


@pytest.mark.parametrize(("region", "segmentation"), [((0, 0, 100, 100), "6"), (WHOLE, "3")])
async def test_page_segmentation_suits_the_size(
    pages: Path, region: Region, segmentation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tesseract_ocr, "SMALL_PART", 20_000)
    fake_tesseract(pages.parent, 'say 95 "$4 $8"', monkeypatch)
    read = await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", region)
    assert read.text == f"eng {segmentation}"


@pytest.mark.parametrize(
    ("script", "runs", "text"),
    [
        ("say 95 good", 1, "good"),
        ('[ "$8" = 4 ] && say 95 better || say 40 doubtful', 2, "better"),
        ("say 90 partly; say 40 poor", 2, "partly\npoor"),
        ("say 40 nothing", 4, "nothing"),
        ('[ "$8" = 3 ] && say 95 late || say 95 early | sed "s/9999/9/g"', 3, "early"),
        ("say 80 seen | sed s/9999/9/g", 4, "seen"),
    ],
    ids=[
        "first is good",
        "second is better",
        "print is poor",
        "no word is sure",
        "strokes were left out",
        "nothing helps",
    ],
)
async def test_tries_go_on_until_one_is_good_or_none_helps(
    pages: Path, script: str, runs: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = pages.parent / "runs"
    fake_tesseract(pages.parent, f'echo >> "{counted}"\n{script}', monkeypatch)
    read = await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", WHOLE)
    assert (len(counted.read_text().splitlines()), read.text) == (runs, text)


@pytest.mark.parametrize("script", ["exec sleep 30", "exit 3"], ids=["late", "failing"])
async def test_what_was_read_stays_when_a_later_try_does_not_end(
    pages: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(pages.parent, f'[ "$8" = 6 ] && say 40 doubtful && exit; {script}', monkeypatch)
    read = await TesseractOcr(PageFolder(pages), "eng", 1).read("image_01", WHOLE)
    assert read.text == "doubtful"


async def test_program_ends_with_the_call_that_is_cancelled(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = pages.parent / "started"
    os.mkfifo(started)
    fake_tesseract(pages.parent, f'echo $$ > "{started}"; exec sleep 30', monkeypatch)
    reading = asyncio.create_task(TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", WHOLE))
    process = int(await asyncio.to_thread(started.read_text))
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_no_file_is_written(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(pages.parent, "ls; say 95 read", monkeypatch)
    empty = pages.parent / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    monkeypatch.setattr(tempfile, "tempdir", str(empty))
    await TesseractOcr(PageFolder(pages), "eng", 60).read("image_01", WHOLE)
    assert list(empty.iterdir()) == []


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
        ("printf '\\377'", "the OCR failed"),
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
    assert 'pip install ".[visual-rag]"' in caught.value.message


def test_adapter_without_its_package_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "examples.visual_rag.ocr.tesseract_ocr")
    with pytest.raises(VisualRagConfigurationError, match="PIL"):
        import examples.visual_rag.ocr.tesseract_ocr  # noqa: F401, PLC0415 - what is tested


@pytest.mark.parametrize("script", ["exit 3", "printf '\\377'"], ids=["failing", "not UTF-8"])
def test_program_that_cannot_list_its_languages_has_failed(
    pages: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = fake_tesseract(pages.parent, "", monkeypatch)
    path.write_text(f"#!/bin/sh\n{script}")
    with pytest.raises(OcrError, match="the OCR failed"):
        TesseractOcr(PageFolder(pages), "eng", 60)


def test_program_that_cannot_be_started_says_what_to_install(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_tesseract(pages.parent, "", monkeypatch)
    path.write_text("#!/nowhere/sh\n")
    with pytest.raises(VisualRagConfigurationError, match="not installed"):
        TesseractOcr(PageFolder(pages), "eng", 60)


async def test_program_that_is_no_program_any_more_has_failed(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_tesseract(pages.parent, "", monkeypatch)
    ocr = TesseractOcr(PageFolder(pages), "eng", 60)
    path.write_bytes(b"\x7fELF")
    with pytest.raises(OcrError, match="the OCR failed"):
        await ocr.read("image_01", WHOLE)
