"""How images are shown to the model, and which pixels of one it means by a region.

A region is clipped to the image, and refused where too little is left to see anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.shared.domain.budget import TOKENS_AN_IMAGE
from src.shared.domain.language import Phrase

LEAST_SIDE = 16
"""Pixels that each side of a region has at least: on a scan, less shows no letter that can be read."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of an image, in pixels; both at least 1."""

    width: int
    height: int


class Box(NamedTuple):
    """Whole pixels of an image: `x1` and `y1` included, `x2` and `y2` not."""

    x1: int
    y1: int
    x2: int
    y2: int

    @property
    def size(self) -> Size:
        """Width and height."""
        return Size(self.x2 - self.x1, self.y2 - self.y1)


def box_in(region: Region, size: Size) -> Box:
    """Every pixel a region touches: models overshoot an edge by a little, and half a pixel is one.

    Raises:
        ActionError: the region lies outside the image, or a side of what lies inside has less than `LEAST_SIDE` pixels.
    """
    x1, y1, x2, y2 = region
    whole, details = f"{size.width}x{size.height}", {"size": (size.width, size.height)}
    if x1 >= size.width or y1 >= size.height:
        message = Phrase("the region lies outside the image of {whole} pixels", whole=whole)
        raise ActionError(message.text(), details, code=FailureCode.REGION)
    right, bottom = math.ceil(min(x2, float(size.width))), math.ceil(min(y2, float(size.height)))
    box = Box(math.floor(x1), math.floor(y1), right, bottom)
    if min(box.size.width, box.size.height) < LEAST_SIDE:
        message = Phrase(
            "the region has {inside} pixels inside the image, which has {whole}; "
            "each side needs {least} at least: choose a larger one",
            inside=f"{box.size.width}x{box.size.height}",
            whole=whole,
            least=LEAST_SIDE,
        )
        raise ActionError(message.text(), {**details, "region": tuple(box)}, code=FailureCode.REGION)
    return box


class Coordinates(StrEnum):
    """The unit in which the model names a part of an image, from its top left corner."""

    PIXELS = "pixels"
    """Of the image as it is shown."""
    FRACTION = "fraction"
    """0 to 1 of its width and its height."""
    THOUSANDTHS = "thousandths"
    """0 to 1000 of its width and its height."""


_WHOLE = {Coordinates.FRACTION: 1, Coordinates.THOUSANDTHS: 1_000}
"""What stands for the whole width or height."""
_DECIMALS = 6
"""Kept of a coordinate in pixels: what is left of a division would be a pixel more."""


@dataclass(frozen=True, slots=True)
class Viewing:
    """How images are shown.

    Attributes:
        shows_images: whether the model gets pixels; a model that takes text alone sees pages through search and OCR.
        longest_side: pixels of an image's longer side at most; larger images are shown smaller.
        image_tokens: tokens that the images of one request may take; the oldest are left out first.
        coordinates: the unit of regions, in what the model writes and in what it is told.
    """

    shows_images: bool = True
    longest_side: int = 1_568
    image_tokens: int = 16_000
    coordinates: Coordinates = Coordinates.PIXELS

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
        """A region as the model names it, in pixels of the image itself, which is `size` large.

        Raises:
            ActionError: a coordinate lies beyond the unit's whole, so that it is of another unit.
        """
        whole = _WHOLE.get(self.coordinates)
        if whole is not None and max(region) > whole:
            message = Phrase(
                "the region's coordinates must be 0 to {whole}, of the image's width and height", whole=whole
            )
            raise ActionError(message.text(), {"whole": whole}, code=FailureCode.REGION)
        return _scaled(region, self._whole(size), size, _DECIMALS)

    def in_unit(self, box: Box, size: Size) -> Region:
        """Pixels of an image itself as the model names them."""
        decimals = 3 if self.coordinates is Coordinates.FRACTION else None
        return _scaled(box, size, self._whole(size), decimals)

    def _whole(self, size: Size) -> Size:
        """What stands for the width and the height of an image of this size."""
        whole = _WHOLE.get(self.coordinates)
        return self.shown_size(size) if whole is None else Size(whole, whole)


def _scaled(edges: Region, whole: Size, to: Size, decimals: int | None) -> Region:
    """The edges of a part of a whole, where the whole is as large as `to`."""
    x1, y1, x2, y2 = edges
    return (
        round(x1 * to.width / whole.width, decimals),
        round(y1 * to.height / whole.height, decimals),
        round(x2 * to.width / whole.width, decimals),
        round(y2 * to.height / whole.height, decimals),
    )
