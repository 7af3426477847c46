"""Opening page images and cutting parts out of them: bounded, upright, and never written to."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from pathlib import Path

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.pixels import Box, Size, box_in
from src.modules.visual_rag.infrastructure.page_folder import PageFolder, crop_of
from src.modules.visual_rag.infrastructure.tool_errors import needs_extra, too_large, unknown_image, unreadable_image

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
    page_box = box.moved(part.x1, part.y1)
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
            if Size(image.width, image.height).pixels > MOST_PIXELS:
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
