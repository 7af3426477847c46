"""The tools of the agent, put together: search, crop and OCR over a folder of page images."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from examples.visual_rag.images import PillowImages
from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.search import SqliteSearch
from examples.visual_rag.tesseract import TesseractOcr
from src.modules.visual_rag.application.execute_predictions import Tools
from src.modules.visual_rag.domain.viewing import Viewing

LANGUAGES = "chi_sim+eng"


@contextmanager
def open_tools(
    pages: Path, output: Path, *, languages: str = LANGUAGES, viewing: Viewing | None = None
) -> Iterator[Tools]:
    """Open the tools, and close what they opened.

    Args:
        pages: the folder of page images.
        output: the folder of the run, for the texts of pages and the crops.
        languages: of the OCR; Tesseract's names, joined by `+`.
        viewing: how the model sees the pages.

    Raises:
        VisualRagConfigurationError: a folder or a file cannot be used, or Tesseract is missing; says what to do.
    """
    viewing = viewing or Viewing()
    folder = PageFolder(pages)
    ocr = TesseractOcr(folder, languages)
    images = PillowImages(folder, viewing, output / "crops")
    with closing(SqliteSearch(output / "index.sqlite", folder, ocr, languages)) as search:
        yield Tools(search, ocr, images, viewing)
