"""The port that reads the text in a region of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.pixels import Box


@dataclass(frozen=True, slots=True)
class ReadText:
    """What was read.

    Attributes:
        image_id: of the image.
        box: which pixels of it were read: the region, clipped to the image.
        text: as read, without white space around it; empty where there is none.
    """

    image_id: str
    box: Box
    text: str


class OcrPort(Protocol):
    """Anything that can read."""

    async def read(self, image_id: str, region: Region) -> ReadText:
        """Read the text in a region of an image, in the image's own pixels.

        Raises:
            ActionError: there is no such image, it cannot be read, the region lies outside it or is too small, or it
                took too long.
        """
        ...
