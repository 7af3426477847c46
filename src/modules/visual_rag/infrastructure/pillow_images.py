"""Images for the model's eyes, made with Pillow: small enough for a request, and the same bytes every time."""

from __future__ import annotations

import asyncio
import io
from collections import OrderedDict
from dataclasses import dataclass

from src.modules.visual_rag.domain.images import ShownImage
from src.modules.visual_rag.domain.pixels import Size
from src.modules.visual_rag.domain.viewing import Viewing
from src.modules.visual_rag.infrastructure.page_folder import PageFolder
from src.modules.visual_rag.infrastructure.page_images import whole
from src.modules.visual_rag.infrastructure.tool_errors import needs_extra, too_many_bytes
from src.shared.domain.chat import ImagePart, ImageType

with needs_extra():
    from PIL import Image

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
