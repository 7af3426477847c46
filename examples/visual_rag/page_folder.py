"""The page images of a folder, and parts of them. Ids are made here and looked up: no text of a model's becomes a path.

Images are bounded, upright, and never written to.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode, VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Box, box_in
from src.shared.domain.language import Message
from src.shared.infrastructure.extras import needs_package

with needs_package("visual-rag"):
    from PIL import Image, ImageOps

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
"""Files of a folder that are taken for pages."""
FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP")
NO_PAGE = "it holds no image of a page"
MOST_PIXELS = 50_000_000
"""Pixels of an image that is decoded at most; an A4 page at 600 dpi has 35 million."""

_CROP = re.compile(r"(?P<page>image_\d{2,5})_crop_(?P<edges>\d{1,7}(?:_\d{1,7}){3})", re.ASCII)


class PageFolder:
    """The page images of a folder, numbered in the order of their names: `image_01`, `image_02` and so on.

    Attributes:
        paths: the file of each page, by its id.
    """

    def __init__(self, folder: Path) -> None:
        """List the folder once.

        Raises:
            VisualRagConfigurationError: it cannot be listed, or holds no page; names it.
        """
        with blaming(folder, "页面文件夹无法使用", "the folder of pages cannot be used"):
            files = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file()]
            if not files:
                raise FileNotFoundError(NO_PAGE)
        self.paths = {f"image_{number:02}": path for number, path in enumerate(sorted(files), 1)}

    def image(self, image_id: str) -> Image.Image:
        """A page, or the part of one that a crop's id names.

        Raises:
            ActionError: there is no such image, it cannot be read, or it is too large.
        """
        page, _, box = self._open(image_id)
        return page.crop(box)

    def cut(self, image_id: str, region: Region) -> tuple[str, Image.Image, Box]:
        """A region of an image: its id, its pixels, and where it stands in the image.

        The id says which part of which page it is, also for a crop of a crop, so that it is the same in every run.

        Raises:
            ActionError: as for `image`, or the region lies outside the image or is too small.
        """
        page, page_id, outer = self._open(image_id)
        box = box_in(region, outer.size)
        edges = (box.x1 + outer.x1, box.y1 + outer.y1, box.x2 + outer.x1, box.y2 + outer.y1)
        return f"{page_id}_crop_{'_'.join(map(str, edges))}", page.crop(edges), box

    def _open(self, image_id: str) -> tuple[Image.Image, str, Box]:
        """The page of an image, the page's id, and where the image stands in it."""
        crop = _CROP.fullmatch(image_id)
        page_id = crop["page"] if crop else image_id
        if page_id not in self.paths:
            raise _unknown_image()
        page = _decoded(self.paths[page_id], page_id)
        x1, y1, x2, y2 = map(int, crop["edges"].split("_")) if crop else (0, 0, page.width, page.height)
        if not (x1 < x2 <= page.width and y1 < y2 <= page.height):
            raise _unknown_image()
        return page, page_id, Box(x1, y1, x2, y2)


@contextmanager
def blaming(path: Path, zh: str, en: str) -> Iterator[None]:
    """Within the block, what fails is a `VisualRagConfigurationError` that names a folder or file of the user's."""
    try:
        yield
    except (OSError, sqlite3.Error, ActionError) as error:
        message = Message(f"{zh}：{path}（{error}）", f"{en}: {path} ({error})")
        raise VisualRagConfigurationError(message.text(), {"path": str(path)}) from error


def _decoded(path: Path, page_id: str) -> Image.Image:
    """The whole page, turned upright as its EXIF data say; its file is closed again."""
    try:
        with Image.open(path, formats=FORMATS) as image:
            if image.width * image.height <= MOST_PIXELS:
                return _on_paper(ImageOps.exif_transpose(image))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        pass  # refused below
    except (OSError, ValueError, SyntaxError) as error:  # what Pillow raises for a damaged file
        message = Message(f"无法读取图像 {page_id}", f"the image {page_id} cannot be read")
        raise ActionError(message.text(), code=FailureCode.IMAGE) from error
    zh = f"图像 {page_id} 超过 {MOST_PIXELS:,} 像素的上限，未解码"
    en = f"the image {page_id} has more than {MOST_PIXELS:,} pixels and was not decoded"
    raise ActionError(Message(zh, en).text(), code=FailureCode.IMAGE)


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


def _unknown_image() -> ActionError:
    """No image has this id; what the model wrote is not repeated."""
    en = "unknown image_id; use one that a search or a crop has given"
    message = Message("没有这个 image_id；请使用搜索或裁剪结果中的 image_id", en)
    return ActionError(message.text(), code=FailureCode.UNKNOWN_IMAGE)
