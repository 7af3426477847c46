"""Crops with Pillow, written into a folder of the run as PNG files."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.ports.crop import CroppedImage
from src.modules.visual_rag.infrastructure.page_folder import PageFolder, crop_id
from src.modules.visual_rag.infrastructure.page_images import cut
from src.modules.visual_rag.infrastructure.tool_errors import crop_not_written, needs_extra

with needs_extra():
    from PIL import Image


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
