"""The port that makes images for the model's eyes."""

from __future__ import annotations

from typing import Protocol

from src.modules.visual_rag.domain.images import ShownImage
from src.modules.visual_rag.domain.pixels import Size
from src.shared.domain.chat import ImagePart


class ImagesPort(Protocol):
    """Anything that knows the images of a run."""

    async def size(self, image_id: str) -> Size:
        """Width and height of an image itself, upright.

        Raises:
            ActionError: there is no such image, or it cannot be read.
        """
        ...

    async def show(self, image_id: str) -> ShownImage:
        """An image as the model is to see it, within the bounds on its side and its bytes.

        Raises:
            ActionError: there is no such image, it cannot be read, or it does not fit the bounds.
        """
        ...

    async def part(self, image_id: str) -> ImagePart:
        """The same image with its bytes, for a request.

        Raises:
            ActionError: as for `show`.
        """
        ...
