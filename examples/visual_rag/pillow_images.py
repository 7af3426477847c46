"""Pages with Pillow: opening them, cutting parts out of them, and making what the model sees.

Images are bounded, upright, and never written to.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
import threading
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from examples.visual_rag.page_folder import PageFolder, crop_id, crop_of
from examples.visual_rag.tool_errors import (
    crop_not_written,
    needs_extra,
    too_large,
    too_many_bytes,
    unknown_image,
    unreadable_image,
)
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.ports import CroppedImage, ShownImage
from src.modules.visual_rag.domain.viewing import Box, Size, Viewing, box_in
from src.shared.domain.llm_exchange import ImagePart, ImageType

with needs_extra():
    from PIL import Image, ImageOps


MOST_PIXELS = 50_000_000
"""Pixels of an image that is decoded at most; an A4 page at 600 dpi has 35 million."""
FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP")

_opening = threading.Lock()


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of an image.

    Attributes:
        image: its pixels; greyscale or RGB.
        box: where it stands in the image that was named.
        page_id: the page, where a crop was named: the one it was cut out of.
        page_box: where it stands in the page.
    """

    image: Image.Image
    box: Box
    page_id: str
    page_box: Box


def cut(folder: PageFolder, image_id: str, region: Region) -> Cut:
    """Cut a region out of a page, or out of a part of one that a crop's id names.

    Raises:
        ActionError: there is no such image, it cannot be read or is too large, or the region lies outside it or is too
            small.
    """
    page, page_id, part = _part(folder, image_id)
    box = box_in(region, part.size)
    page_box = Box(box.x1 + part.x1, box.y1 + part.y1, box.x2 + part.x1, box.y2 + part.y1)
    return Cut(page.crop(page_box.edges), box, page_id, page_box)


def whole(folder: PageFolder, image_id: str) -> Image.Image:
    """All of a page, or of a part of one that a crop's id names; greyscale or RGB.

    Raises:
        ActionError: there is no such image, it cannot be read or is too large.
    """
    page, _, part = _part(folder, image_id)
    return page.crop(part.edges)


def check_page(path: Path) -> None:
    """Make sure that a file is an image that can be shown.

    Raises:
        ImageError: it cannot be read or is too large.
    """
    _opened(path, path.stem)


def _part(folder: PageFolder, image_id: str) -> tuple[Image.Image, str, Box]:
    """The page of an image, the page's id, and where the image stands in it."""
    page_id, part = crop_of(image_id) or (image_id, None)
    page = _opened(folder.path(page_id), page_id)
    all_of_it = Box(0, 0, page.width, page.height)
    part = part or all_of_it
    if not (part.x1 < part.x2 <= all_of_it.x2 and part.y1 < part.y2 <= all_of_it.y2):
        raise unknown_image()
    return page, page_id, part


def _opened(path: Path, image_id: str) -> Image.Image:
    """The whole image, decoded and turned upright as its EXIF data say; its file is closed again."""
    try:
        with _header(path) as image:
            if image.width * image.height > MOST_PIXELS:
                raise too_large(image_id, MOST_PIXELS)
            return _on_paper(ImageOps.exif_transpose(image))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise too_large(image_id, MOST_PIXELS) from error
    except (OSError, ValueError, SyntaxError) as error:  # what Pillow raises for a damaged file
        raise unreadable_image(image_id, type(error).__name__) from error


def _header(path: Path) -> Image.Image:
    """Read the head of the file alone; Pillow's warning of a bomb is an error here, which is set for the process."""
    with _opening, warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        return Image.open(path, formats=FORMATS)


def _on_paper(image: Image.Image) -> Image.Image:
    """Greyscale or RGB; what is transparent is white, and shades of 16 bits become those of 8."""
    if image.mode.startswith("I;16"):  # Pillow would cut them off at 255, so that nearly all of it is white
        image = image.convert("I").point(lambda shade: shade * (1 / 256)).convert("L")
    if not image.has_transparency_data:
        return image if image.mode == "L" else image.convert("RGB")
    coloured = image.convert("RGBA")
    paper = Image.new("RGB", coloured.size, "white")
    paper.paste(coloured, mask=coloured.getchannel("A"))
    return paper


QUALITIES = (90, 75, 50, 30)
"""Of a JPEG, tried in this order where the PNG has too many bytes."""
KEPT_IMAGES = 32
"""Images whose bytes are kept in memory; an older one is made again."""


@dataclass(frozen=True, slots=True)
class _Made:
    size: Size
    shown: ShownImage
    part: ImagePart


class PillowImages:
    """Makes what the model sees; implements `ImagesPort`.

    An image within the bounds is a PNG of its very pixels. A larger one is made smaller; one with too many bytes
    becomes a JPEG. The page's file is only ever read.
    """

    def __init__(self, folder: PageFolder, viewing: Viewing, most_bytes: int) -> None:
        """`most_bytes`: of one image, encoded."""
        self._folder = folder
        self._viewing = viewing
        self._most_bytes = most_bytes
        self._made: OrderedDict[str, _Made] = OrderedDict()
        self._sizes: dict[str, Size] = {}

    async def size(self, image_id: str) -> Size:
        """Width and height of an image itself, upright.

        Raises:
            ActionError: as the port says.
        """
        size = self._sizes.get(image_id)
        if size is None:
            image = await asyncio.to_thread(whole, self._folder, image_id)
            size = self._sizes[image_id] = Size(*image.size)
        return size

    async def show(self, image_id: str) -> ShownImage:
        """An image as the model is to see it.

        Raises:
            ActionError: as the port says.
        """
        return (await self._of(image_id)).shown

    async def part(self, image_id: str) -> ImagePart:
        """The same image with its bytes.

        Raises:
            ActionError: as the port says.
        """
        return (await self._of(image_id)).part

    async def _of(self, image_id: str) -> _Made:
        made = self._made.get(image_id)
        if made is None:
            made = await asyncio.to_thread(self._make, image_id)
            self._made[image_id] = made
            self._sizes[image_id] = made.size
        self._made.move_to_end(image_id)
        if len(self._made) > KEPT_IMAGES:
            self._made.popitem(last=False)
        return made

    def _make(self, image_id: str) -> _Made:
        image = whole(self._folder, image_id)
        own = Size(*image.size)
        size = self._viewing.shown_size(own)
        if size != own:
            image = image.resize((size.width, size.height), Image.Resampling.LANCZOS)
        data, media_type = self._encoded(image, image_id)
        part = ImagePart(data, media_type, image_id)
        return _Made(own, ShownImage(image_id, size, media_type, part.digest), part)

    def _encoded(self, image: Image.Image, image_id: str) -> tuple[bytes, ImageType]:
        data = _saved(image, "PNG", optimize=True)
        if len(data) <= self._most_bytes:
            return data, ImageType.PNG
        for quality in QUALITIES:
            data = _saved(image, "JPEG", quality=quality)
            if len(data) <= self._most_bytes:
                return data, ImageType.JPEG
        raise too_many_bytes(image_id, self._most_bytes)


def _saved(image: Image.Image, image_format: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, format=image_format, **options)
    return file.getvalue()


class PillowCrop:
    """Cuts regions out of pages; implements `CropPort`.

    A region that overshoots the image is clipped to it, and the result says to what; one that lies outside, or is
    too small, is refused.
    A crop of a crop is a part of the page. The page's file is only ever read.
    """

    def __init__(self, folder: PageFolder, crops: Path) -> None:
        """Crops are written to the folder `crops`, which is made with the first."""
        self._folder = folder
        self._crops = crops

    async def crop(self, image_id: str, region: Region) -> CroppedImage:
        """Cut and write; the file is there whole or not at all.

        Raises:
            ActionError: as the port says.
            VisualRagConfigurationError: the crop cannot be written.
        """
        return await asyncio.to_thread(self._crop, image_id, region)

    def _crop(self, image_id: str, region: Region) -> CroppedImage:
        part = cut(self._folder, image_id, region)
        name = crop_id(part.page_id, part.page_box)
        try:
            _write(part.image, self._crops / f"{name}.png")
        except OSError as error:
            raise crop_not_written(error.strerror or type(error).__name__) from error
        return CroppedImage(name, image_id, part.box)


def _write(image: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
        part = Path(file.name)
        try:
            image.save(file, format="PNG")
            file.flush()
            part.replace(path)
        except BaseException:
            part.unlink()
            raise
