"""Pages with Pillow: what the model sees of them, and crops. The pages' files are only ever read."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path

from PIL import Image

from examples.visual_rag.page_folder import PageFolder, blaming
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.ports import CroppedImage, ShownImage
from src.modules.visual_rag.domain.viewing import Size, Viewing
from src.shared.domain.llm_exchange import ImagePart, ImageType

MOST_BYTES = 2_000_000
"""Bytes of a PNG at most; an image that has more is shown as a JPEG. Ten of them are 27 MB in a request."""
JPEG_QUALITY = 80


class PillowImages:
    """Shows images and cuts parts out of them; implements `ImagesPort`.

    An image within the bounds is a PNG of its very pixels, and a larger one is made smaller. A crop is cut out of the
    page at its full resolution.
    """

    def __init__(self, folder: PageFolder, viewing: Viewing, crops: Path) -> None:
        """Crops are also written to the folder `crops`, for people; it is made with the first."""
        self._folder = folder
        self._viewing = viewing
        self._crops = crops
        self._made: dict[str, tuple[ShownImage, ImagePart]] = {}

    async def size(self, image_id: str) -> Size:
        """Width and height of an image itself, upright."""
        image = await asyncio.to_thread(self._folder.image, image_id)
        return Size(*image.size)

    async def show(self, image_id: str) -> ShownImage:
        """An image as the model is to see it."""
        return (await self._of(image_id))[0]

    async def part(self, image_id: str) -> ImagePart:
        """The same image with its bytes."""
        return (await self._of(image_id))[1]

    async def crop(self, image_id: str, region: Region) -> CroppedImage:
        """Cut a region out of an image, and keep it as a file; a `VisualRagConfigurationError` where that fails."""
        return await asyncio.to_thread(self._crop, image_id, region)

    async def _of(self, image_id: str) -> tuple[ShownImage, ImagePart]:
        made = self._made.get(image_id)
        if made is None:
            made = self._made[image_id] = await asyncio.to_thread(self._make, image_id)
        return made

    def _make(self, image_id: str) -> tuple[ShownImage, ImagePart]:
        image = self._folder.image(image_id)
        size = self._viewing.shown_size(Size(*image.size))
        if (size.width, size.height) != image.size:
            image = image.resize((size.width, size.height), Image.Resampling.LANCZOS)
        data, media_type = png_of(image), ImageType.PNG
        if len(data) > MOST_BYTES:
            file = BytesIO()
            image.save(file, "JPEG", quality=JPEG_QUALITY)
            data, media_type = file.getvalue(), ImageType.JPEG
        part = ImagePart(data, media_type, image_id)
        return ShownImage(image_id, size, media_type, part.digest), part

    def _crop(self, image_id: str, region: Region) -> CroppedImage:
        crop_id, image, box = self._folder.cut(image_id, region)
        with blaming(self._crops, "无法写入裁剪图像", "a crop cannot be written"):
            self._crops.mkdir(parents=True, exist_ok=True)
            (self._crops / f"{crop_id}.png").write_bytes(png_of(image))
        return CroppedImage(crop_id, image_id, box)


def png_of(image: Image.Image) -> bytes:
    """An image's file."""
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
