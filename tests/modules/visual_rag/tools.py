"""Fakes at the ports of the tools and the models, and the real things' pages."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from src.modules.visual_rag.application.execute_predictions import Tools
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.ports import CroppedImage, PageHit, ReadText, ShownImage
from src.modules.visual_rag.domain.viewing import Box, Size, Viewing
from src.shared.domain.llm_exchange import ImagePart, ImageType

Failure = ActionError | VisualRagConfigurationError
NO_ACTION = "Let me look at the pages."
"""A first turn that the forced search takes the place of."""
BOX = Box(10, 20, 300, 400)
PAGE_SIZE = Size(1000, 1400)
UNKNOWN, UNREADABLE = "unknown image_id; use one that a search or a crop has given", "the image cannot be read"


needs_tesseract = pytest.mark.tesseract("eng")
needs_chinese = pytest.mark.tesseract("eng", "chi_sim")


@dataclass
class FakeSearch:
    """Finds the same pages for every query, or fails; `pictures` are the pages with hardly any text."""

    hits: tuple[PageHit, ...] = (PageHit("image_01", "what was read", PAGE_SIZE),)
    failure: Failure | None = None
    pictures: tuple[PageHit, ...] = ()
    batches: list[list[str]] = field(default_factory=list)
    most: list[int] = field(default_factory=list)

    async def search(self, queries: Sequence[str], most: int) -> list[tuple[PageHit, ...]]:
        self.batches.append(list(queries))
        self.most.append(most)
        if self.failure:
            raise self.failure
        return [self.hits[:most] for _ in queries]

    async def hardly_any_text(self) -> tuple[PageHit, ...]:
        return self.pictures


@dataclass
class FakeCrop:
    """Cuts the same box out of every image, or fails."""

    failure: Failure | None = None
    asked: list[tuple[str, Region]] = field(default_factory=list)

    async def crop(self, image_id: str, region: Region) -> CroppedImage:
        self.asked.append((image_id, region))
        if self.failure:
            raise self.failure
        return CroppedImage("image_01_crop_10_20_300_400", "image_01", BOX)


@dataclass
class FakeOcr:
    """Reads the same text everywhere, or fails."""

    text: str = "1.27"
    failure: Failure | None = None
    asked: list[str] = field(default_factory=list)

    async def read(self, image_id: str, region: Region) -> ReadText:
        del region
        self.asked.append(image_id)
        if self.failure:
            raise self.failure
        return ReadText(image_id, BOX, self.text)


@dataclass
class FakeImages:
    """Shows every image at the size of the fake search's page, or fails for some of them.

    Attributes:
        crops: what cuts.
        missing: ids that cannot be shown.
        lost: ids whose bytes are gone when a request needs them.
        asked: whose bytes were needed.
    """

    crops: FakeCrop = field(default_factory=FakeCrop)
    missing: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    async def size(self, image_id: str) -> Size:
        if image_id in self.missing:
            raise ActionError(UNKNOWN, code=FailureCode.UNKNOWN_IMAGE)
        return PAGE_SIZE

    async def show(self, image_id: str) -> ShownImage:
        await self.size(image_id)
        part = pixels_of(image_id)
        return ShownImage(image_id, PAGE_SIZE, part.media_type, part.digest)

    async def crop(self, image_id: str, region: Region) -> CroppedImage:
        return await self.crops.crop(image_id, region)

    async def part(self, image_id: str) -> ImagePart:
        self.asked.append(image_id)
        if image_id in self.lost:
            raise ActionError(UNREADABLE, code=FailureCode.IMAGE)
        return pixels_of(image_id)


def pixels_of(image_id: str) -> ImagePart:
    """The bytes that the fake shows for an image."""
    return ImagePart(image_id.encode(), ImageType.PNG, image_id)


def tools(
    search: FakeSearch | None = None,
    crop: FakeCrop | None = None,
    ocr: FakeOcr | None = None,
    images: FakeImages | None = None,
    viewing: Viewing | None = None,
) -> Tools:
    """Put tools together; those that are not given work."""
    images = images or FakeImages(crop or FakeCrop())
    return Tools(search or FakeSearch(), ocr or FakeOcr(), images, viewing or Viewing())


def page_image(path: Path, text: str = "", size: tuple[int, int] = (400, 300)) -> Path:
    """Draw a page with a black square of 20 pixels in its corner, and a line of text."""
    page = Image.new("L", size, 255)
    pen = ImageDraw.Draw(page)
    pen.rectangle((0, 0, 19, 19), fill=0)
    pen.text((40, 60), text, fill=0, font_size=32)
    page.save(path)
    return path


_PROGRAM = """#!/bin/sh
if [ "$1" = --list-langs ]; then echo eng; exit; fi
cat > /dev/null
"""


def fake_tesseract(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program called tesseract that knows English first on the path; the script prints what it reads."""
    path = folder / "bin" / "tesseract"
    path.parent.mkdir(exist_ok=True)
    path.write_text(_PROGRAM + script)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/bin:/usr/bin")
    return path
