"""OCR with the program tesseract, through pytesseract."""

from __future__ import annotations

import asyncio
import shutil

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.ports.ocr import ReadText
from src.modules.visual_rag.infrastructure.page_folder import PageFolder
from src.modules.visual_rag.infrastructure.page_images import cut
from src.modules.visual_rag.infrastructure.tool_errors import (
    needs_extra,
    no_language,
    no_tesseract,
    ocr_failed,
    ocr_timeout,
)

with needs_extra():
    import pytesseract  # type: ignore[import-untyped]  # it has no types
    from PIL import Image

PROGRAM = "tesseract"
AT_A_TIME = 2
"""Programs that run side by side at most; each uses several cores."""
SMALL_PART = 1_000_000
"""Pixels up to which a part is enlarged before it is read: small print is misread at its own size."""
ENLARGEMENT = 2
_WHOLE_PAGE, _ONE_BLOCK = "--psm 3", "--psm 6"
"""Tesseract's page segmentation: columns are looked for, or the part is one block of lines."""


class TesseractOcr:
    """Reads regions of pages; implements `OcrPort`."""

    def __init__(self, folder: PageFolder, languages: str, timeout: float) -> None:
        """Make sure that the program and its languages are there.

        Args:
            folder: the pages.
            languages: Tesseract's names, joined by `+`.
            timeout: seconds for one region.

        Raises:
            VisualRagConfigurationError: the program or a language is missing; says how to install it.
        """
        if shutil.which(PROGRAM) is None:
            raise no_tesseract()
        missing = sorted(set(languages.split("+")) - set(pytesseract.get_languages()))
        if missing:
            raise no_language(missing)
        self._folder = folder
        self._languages = languages
        self._timeout = timeout
        self._free = asyncio.Semaphore(AT_A_TIME)

    async def read(self, image_id: str, region: Region) -> ReadText:
        """Read a region, as the port says.

        Raises:
            ActionError: as the port says.
            VisualRagConfigurationError: the program is gone.
        """
        async with self._free:
            return await asyncio.to_thread(self._read, image_id, region)

    def _read(self, image_id: str, region: Region) -> ReadText:
        part = cut(self._folder, image_id, region)
        is_small = part.box.size.pixels <= SMALL_PART
        image = _enlarged(part.image) if is_small else part.image
        return ReadText(image_id, part.box, self._text(image, _ONE_BLOCK if is_small else _WHOLE_PAGE).strip())

    def _text(self, image: Image.Image, config: str) -> str:
        try:
            return str(pytesseract.image_to_string(image, lang=self._languages, config=config, timeout=self._timeout))
        except pytesseract.TesseractNotFoundError as error:
            raise no_tesseract() from error
        except pytesseract.TesseractError as error:
            raise ocr_failed(error.status) from error
        except RuntimeError as error:  # what pytesseract raises when the time is up
            raise ocr_timeout(self._timeout) from error
        except (OSError, ValueError) as error:  # no room for its files, or an output that is no UTF-8
            raise ocr_failed(type(error).__name__) from error


def _enlarged(image: Image.Image) -> Image.Image:
    size = (image.width * ENLARGEMENT, image.height * ENLARGEMENT)
    return image.resize(size, Image.Resampling.LANCZOS)
