"""An image as the model is shown it, without its pixels: what conversations and transcripts hold."""

from __future__ import annotations

from dataclasses import dataclass

from src.modules.visual_rag.domain.pixels import Size
from src.shared.domain.chat import ImageType


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A reference to what was shown; the bytes are made again where a request needs them.

    Attributes:
        image_id: of the page or crop.
        size: as shown, which may be smaller than the image itself.
        media_type: of the bytes.
        digest: SHA-256 of the bytes, in hexadecimal.
    """

    image_id: str
    size: Size
    media_type: ImageType
    digest: str
