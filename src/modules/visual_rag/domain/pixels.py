"""Which pixels of an image a region means: clipped to the image, refused where too little is left to see anything."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import RegionError
from src.shared.domain.language import Message

Edges: TypeAlias = tuple[float, float, float, float]
"""`x1, y1, x2, y2` of a rectangle, in whatever unit."""

LEAST_SIDE = 16
"""Pixels that each side of a region has at least: on a scan, less shows no letter that can be read."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of an image, in pixels; both at least 1."""

    width: int
    height: int

    @property
    def pixels(self) -> int:
        """How many there are."""
        return self.width * self.height


@dataclass(frozen=True, slots=True)
class Box:
    """Whole pixels of an image: `x1` and `y1` included, `x2` and `y2` not."""

    x1: int
    y1: int
    x2: int
    y2: int

    @property
    def size(self) -> Size:
        """Width and height."""
        return Size(self.x2 - self.x1, self.y2 - self.y1)

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """`x1, y1, x2, y2`."""
        return self.x1, self.y1, self.x2, self.y2

    def moved(self, x: int, y: int) -> Box:
        """The same box, so far to the right and down."""
        return Box(self.x1 + x, self.y1 + y, self.x2 + x, self.y2 + y)


def box_in(region: Region, size: Size) -> Box:
    """Every pixel a region touches: models overshoot an edge by a little, and half a pixel is one.

    Raises:
        RegionError: the region lies outside the image, or a side of what lies inside has less than `LEAST_SIDE` pixels.
    """
    x1, y1, x2, y2 = region
    if x1 >= size.width or y1 >= size.height:
        whole, outside = f"{size.width}x{size.height}", "the region lies outside the image"
        message = Message.glossed(f"区域在图像之外，图像为 {whole} 像素", f"{outside} of {whole} pixels", outside)
        raise RegionError(message.text(), {"size": (size.width, size.height)})
    box = Box(
        math.floor(x1), math.floor(y1), math.ceil(min(x2, float(size.width))), math.ceil(min(y2, float(size.height)))
    )
    if min(box.size.width, box.size.height) < LEAST_SIDE:
        raise _too_small(box, size)
    return box


def _too_small(box: Box, size: Size) -> RegionError:
    inside, whole = (f"{one.width}x{one.height}" for one in (box.size, size))
    zh = f"区域在图像（{whole} 像素）内只有 {inside} 像素，每边至少 {LEAST_SIDE} 像素；请选更大的区域"
    needs = f"each side needs {LEAST_SIDE} at least: choose a larger one"
    en = f"the region has {inside} pixels inside the image, which has {whole}; {needs}"
    message = Message.glossed(zh, en, f"the region has {inside} pixels inside the image; {needs}")
    return RegionError(message.text(), {"size": (size.width, size.height), "region": box.edges})
