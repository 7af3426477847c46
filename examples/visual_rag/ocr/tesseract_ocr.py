"""OCR with the program tesseract: the way to read a part is chosen by trying."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from io import BytesIO

from examples.visual_rag.ocr.ocr_output import OcrOutput
from examples.visual_rag.ocr.page_cleaning import CleanPart, clean, scaled
from examples.visual_rag.ocr.tesseract_program import TesseractProgram
from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.pillow_images import cut
from examples.visual_rag.tool_errors import needs_extra, ocr_timeout
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import OcrError
from src.modules.visual_rag.domain.ports import ReadText

with needs_extra():
    from PIL import Image

AT_A_TIME = min(4, os.cpu_count() or 1)
"""Regions that are read side by side at most; each keeps one processor busy."""
SMALL_PART = 1_000_000
"""Pixels up to which a part is taken for one block of lines at first."""
MOST_DOUBTFUL = 0.06
"""Share of doubtful characters up to which a try is good."""
MOST_UNREAD = 0.12
"""Share of the strokes outside every line that was seen up to which a try is good."""
_LITTLE_BETTER = 1.03
"""A score that is higher by less than this is no reason to try on."""

_COLUMNS, _ONE_COLUMN, _ONE_BLOCK, _SPARSE = 3, 4, 6, 11
"""Tesseract's page segmentation modes."""


@dataclass(frozen=True, slots=True)
class Try:
    """One way to read a part.

    Attributes:
        segmentation: Tesseract's page segmentation mode.
        size: of the letters, as a multiple of the height that is usual.
        is_cleaned: ruled lines are gone and paper is white.
    """

    segmentation: int
    size: float = 1.0
    is_cleaned: bool = True


_ROWS = (Try(_ONE_BLOCK), Try(_ONE_COLUMN), Try(_COLUMNS, 0.75), Try(_ONE_BLOCK, 0.75, is_cleaned=False))
_PAGE = (Try(_COLUMNS), Try(_ONE_COLUMN), Try(_SPARSE, 0.75), Try(_COLUMNS, 0.75, is_cleaned=False))


class TesseractOcr:
    """Reads regions of pages; implements `OcrPort`."""

    def __init__(self, folder: PageFolder, languages: str, timeout: float) -> None:
        """Make sure that the program and its languages are there.

        Args:
            folder: the pages.
            languages: Tesseract's names, joined by `+`.
            timeout: seconds for one region, all tries together.

        Raises:
            VisualRagConfigurationError: the program or a language is missing; says how to install it.
        """
        self._program = TesseractProgram(languages)
        self._folder = folder
        self._timeout = timeout
        self._free = asyncio.Semaphore(AT_A_TIME)

    async def read(self, image_id: str, region: Region) -> ReadText:
        """Read a region, as the port says.

        A first try that is good is the only one. Else up to three more follow while there is time, and the best counts.

        Raises:
            ActionError: as the port says.
            VisualRagConfigurationError: the program is gone.
        """
        async with self._free:
            part = await asyncio.to_thread(cut, self._folder, image_id, region)
            best = await self._best(part.image, is_small=part.box.size.width * part.box.size.height <= SMALL_PART)
            return ReadText(image_id, part.box, best.text)

    async def _best(self, image: Image.Image, *, is_small: bool) -> OcrOutput:
        outputs: list[OcrOutput] = []
        try:
            async with asyncio.timeout(self._timeout):
                part = await asyncio.to_thread(clean, image)
                for one in _ROWS if part.is_ruled or is_small else _PAGE:
                    picture = await asyncio.to_thread(_picture, part, one)
                    outputs.append(await self._program.read(picture.content, one.segmentation))
                    if outputs[-1].is_mixed and self._program.has_others:
                        outputs[-1] = max(outputs[-1], await self._in_one_language(picture, one), key=_score)
                    unread = await asyncio.to_thread(_unread, outputs[-1], part.strokes, picture.scale)
                    if unread <= MOST_UNREAD and _is_enough(outputs):
                        break
        except TimeoutError as error:
            if not outputs:
                raise ocr_timeout(self._timeout) from error
        except OcrError:
            if not outputs:
                raise
        return max(outputs, key=_score)

    async def _in_one_language(self, picture: _Picture, one: Try) -> OcrOutput:
        """The same without the other languages, with which Tesseract reads some Chinese words as Latin letters.

        `万元` becomes `Ax.`, and the program is nearly sure of it.
        """
        return await self._program.read(picture.content, one.segmentation, self._program.first_language)


@dataclass(frozen=True, slots=True)
class _Picture:
    """What the program reads: a PNG file's content, and how many pixels of it one pixel of the part has become."""

    content: bytes
    scale: float


def _picture(part: CleanPart, one: Try) -> _Picture:
    image = scaled(part.image if one.is_cleaned else part.original, part.scale * one.size)
    file = BytesIO()
    image.save(file, "PNG", compress_level=1)
    return _Picture(file.getvalue(), image.width / part.image.width)


def _is_enough(outputs: list[OcrOutput]) -> bool:
    """Whether the last try has few doubtful characters, or is no better than one before: then the print is poor."""
    *before, last = outputs
    return last.doubtful <= MOST_DOUBTFUL or (
        bool(before) and last.score <= max(output.score for output in before) * _LITTLE_BETTER
    )


def _score(output: OcrOutput) -> float:
    return output.score


def _unread(output: OcrOutput, strokes: Image.Image, scale: float) -> float:
    """The share of the strokes that lie outside every line that was seen; 0 where there are none."""
    left = strokes.copy()
    for line in output.lines:
        x1, y1, x2, y2 = (round(edge / scale) for edge in line.edges)
        left.paste(0, (x1 - 1, y1 - 1, x2 + 2, y2 + 2))
    return left.histogram()[-1] / max(1, strokes.histogram()[-1])
