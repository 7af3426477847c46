"""The port that cuts a region out of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.pixels import Box, Size


@dataclass(frozen=True, slots=True)
class CroppedImage:
    """A new image, part of another one.

    Attributes:
        image_id: of the new image; further actions can name it.
        source_id: of the image it was cut out of.
        box: which pixels of the source it holds: the region, clipped to the source.
    """

    image_id: str
    source_id: str
    box: Box

    @property
    def size(self) -> Size:
        """Of the new image."""
        return self.box.size


class CropPort(Protocol):
    """Anything that can cut."""

    async def crop(self, image_id: str, region: Region) -> CroppedImage:
        """Cut a region out of an image, in the image's own pixels; the image itself is never changed.

        Raises:
            ActionError: there is no such image, it cannot be read, or the region lies outside it or is too small.
        """
        ...
