"""Which file an image id means. Ids are made here and looked up: no text of a model's becomes a path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from examples.visual_rag.tool_errors import NO_FOLDER, NO_PAGES, file_error, unknown_image
from src.modules.visual_rag.domain.viewing import Box

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
"""Files of a folder that are taken for pages."""
MOST_PAGES = 10_000

_CROP = re.compile(r"(?P<page>image_\d{2,5})_crop_(?P<edges>\d{1,7}(?:_\d{1,7}){3})", re.ASCII)
_LONGEST_ID = 60
_DIGITS = re.compile(r"(\d++)")


@dataclass(frozen=True, slots=True)
class Page:
    """A page's image id and file."""

    image_id: str
    path: Path


class PageFolder:
    """The page images of a folder, numbered in the order of their names: `image_01`, `image_02` and so on.

    Numbers in names count as numbers: `page-10.png` comes after `page-9.png`. Subfolders are not looked into.
    """

    def __init__(self, folder: Path, *, least: int = 1) -> None:
        """List the folder once.

        Raises:
            VisualRagConfigurationError: it cannot be listed, holds less than `least` pages, or too many.
        """
        try:
            files = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file()]
        except OSError as error:
            raise file_error(NO_FOLDER, folder, error.strerror) from error
        if not least <= len(files) <= MOST_PAGES:
            raise file_error(NO_PAGES, folder, f"{least} to {MOST_PAGES} of {', '.join(sorted(SUFFIXES))}")
        ordered = sorted(files, key=lambda path: _natural(path.name))
        self._paths: dict[str, Path] = {}
        for path in ordered:
            self.add(path)

    @property
    def pages(self) -> tuple[Page, ...]:
        """All pages, in the order of their numbers."""
        return tuple(Page(image_id, path) for image_id, path in self._paths.items())

    def add(self, path: Path) -> str:
        """Number one page more; its image id."""
        image_id = f"image_{len(self._paths) + 1:02}"
        self._paths[image_id] = path
        return image_id

    def path(self, image_id: str) -> Path:
        """The file of a page.

        Raises:
            UnknownImageError: no page has this id.
        """
        if image_id not in self._paths:
            raise unknown_image()
        return self._paths[image_id]


def crop_id(page_id: str, box: Box) -> str:
    """The id of a part of a page: it says which, so that the same part has the same id in every run."""
    return f"{page_id}_crop_{'_'.join(map(str, box.edges))}"


def crop_of(image_id: str) -> tuple[str, Box] | None:
    """The page and the part of it that a crop's id names; None for any other text."""
    found = _CROP.fullmatch(image_id) if len(image_id) <= _LONGEST_ID else None
    if found is None:
        return None
    x1, y1, x2, y2 = map(int, found["edges"].split("_"))
    return found["page"], Box(x1, y1, x2, y2)


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name)]
