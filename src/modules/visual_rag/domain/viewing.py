"""How images are shown to the model, and how the model names a part of one."""

from __future__ import annotations

from dataclasses import dataclass

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.pixels import Box, Edges, Size
from src.shared.domain.token_estimate import TOKENS_AN_IMAGE


@dataclass(frozen=True, slots=True)
class Viewing:
    """How images are shown.

    Attributes:
        shows_images: whether the model gets pixels; a model that takes text alone sees pages through search and OCR.
        longest_side: pixels of an image's longer side at most; larger images are shown smaller.
        image_tokens: tokens that the images of one request may take; the oldest are left out first.
    """

    shows_images: bool = True
    longest_side: int = 1_568
    image_tokens: int = 16_000

    @property
    def most_images(self) -> int:
        """How many images a request may hold."""
        return self.image_tokens // TOKENS_AN_IMAGE

    def shown_size(self, size: Size) -> Size:
        """How large an image of this size is shown; never larger than it is."""
        longer = max(size.width, size.height)
        if not self.shows_images or longer <= self.longest_side:
            return size
        scale = self.longest_side / longer
        return Size(max(1, round(size.width * scale)), max(1, round(size.height * scale)))

    def in_pixels(self, region: Region, size: Size) -> Region:
        """A region as the model names it, in pixels of the image itself, which is `size` large."""
        shown = self.shown_size(size)
        across, down = size.width / shown.width, size.height / shown.height
        x1, y1, x2, y2 = region
        return x1 * across, y1 * down, x2 * across, y2 * down

    def named(self, box: Box, size: Size) -> Edges:
        """Pixels of an image itself as the model names them."""
        shown = self.shown_size(size)
        across, down = shown.width / size.width, shown.height / size.height
        x1, y1, x2, y2 = box.edges
        return round(x1 * across), round(y1 * down), round(x2 * across), round(y2 * down)
