"""How much of known pages the OCR reads: `python -m benchmarks.ocr`. It needs tesseract, chi_sim and the fonts.

Characters count without white space, and full-width forms as the usual ones: their accuracy is 1 minus the edits that
make the text right for each of its characters. A cell counts if the very text of it stands alone in what was read.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ocr_pages import FONT_PACKAGE, SANS, SERIF, Sample, samples
from examples.visual_rag.ocr.tesseract_ocr import TesseractOcr
from examples.visual_rag.page_folder import PageFolder
from src.modules.visual_rag.domain.exceptions import VisualRagConfigurationError

LANGUAGES = "chi_sim+eng"
SECONDS = 120.0
"""For one page; no page comes near it."""
EVERYTHING = (0.0, 0.0, 1e9, 1e9)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a page, and how long that took.

    Attributes:
        sample: the page.
        text: as read.
        seconds: from the call to its return.
    """

    sample: Sample
    text: str
    seconds: float

    @property
    def characters(self) -> float:
        """The accuracy of the characters; can be negative where more was read than there is."""
        expected, read = _plain("".join(self.sample.lines)), _plain(self.text)
        return 1 - distance(expected, read) / len(expected)

    @property
    def cells(self) -> int:
        """How many cells of the table were read without a mistake."""
        return (Counter(self.sample.cells) & Counter(self.text.split())).total()


async def read_samples(pages: Sequence[Sample]) -> list[Reading]:
    """Read pages one after the other, each as a whole."""
    with tempfile.TemporaryDirectory() as place:
        for number, sample in enumerate(pages):
            sample.image.save(Path(place) / f"{number}.png")
        folder = PageFolder(Path(place))
        ocr = TesseractOcr(folder, LANGUAGES, SECONDS)
        readings = []
        for page, sample in zip(folder.pages, pages, strict=True):
            start = time.perf_counter()
            read = await ocr.read(page.image_id, EVERYTHING)
            readings.append(Reading(sample, read.text, time.perf_counter() - start))
        return readings


def distance(expected: str, read: str) -> int:
    """The fewest characters to insert, remove or change that make one text the other."""
    before = list(range(len(read) + 1))
    for row, wanted in enumerate(expected, 1):
        now = [row]
        for column, found in enumerate(read, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (wanted != found)))
        before = now
    return before[-1]


def table(readings: Sequence[Reading]) -> Iterator[str]:
    """A line for each page: characters, cells, seconds, name; and one for all cells of ruled tables."""
    yield "characters     cells   seconds  page"
    for reading in readings:
        cells = f"{reading.cells}/{len(reading.sample.cells)}" if reading.sample.cells else ""
        characters = f"{reading.characters:.1%}" if reading.sample.lines else ""
        yield f"{characters:>10}  {cells:>8}  {reading.seconds:8.1f}  {reading.sample.name}"
    ruled = [reading for reading in readings if "ruled table" in reading.sample.name]
    right, cells_of_all = sum(reading.cells for reading in ruled), sum(len(one.sample.cells) for one in ruled)
    yield f"{'':>10}  {right / max(1, cells_of_all):>8.1%}  {'':8}  cells of all ruled tables"


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


if __name__ == "__main__":
    if not (SANS.is_file() and SERIF.is_file()):
        sys.exit(f"the fonts are not installed: apt install {FONT_PACKAGE}")
    try:
        print(*table(asyncio.run(read_samples(samples()))), sep="\n")
    except VisualRagConfigurationError as error:  # tesseract or its data are missing; says what to install
        sys.exit(error.message)
