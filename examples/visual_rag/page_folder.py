"""Which file an image id means. Ids are made here and looked up: no text of a model's becomes a path."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from src.modules.visual_rag.domain.exceptions import ImageError, UnknownImageError, VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Box
from src.shared.domain.language import Message
from src.shared.infrastructure.extras import needs_package


def needs_extra() -> AbstractContextManager[None]:
    """Around the imports of the extra's packages.

    Raises:
        VisualRagConfigurationError: one of them is not installed.
    """
    return needs_package("visual-rag", lambda message, details: VisualRagConfigurationError(message.text(), details))


def unknown_image() -> UnknownImageError:
    """No image has this id; what the model wrote is not repeated."""
    message = Message(
        "没有这个 image_id；请使用搜索或裁剪结果中的 image_id",
        "unknown image_id; use one that a search or a crop has given",
    )
    return UnknownImageError(message.text())


def unreadable_image(image_id: str, reason: str) -> ImageError:
    """The file is missing, damaged, or no image."""
    message = Message.glossed(
        f"无法读取图像 {image_id}", f"the image {image_id} cannot be read", "the image cannot be read"
    )
    return ImageError(message.text(), {"image_id": image_id, "reason": reason})


def too_large(image_id: str, limit: int) -> ImageError:
    """The image has more pixels than are decoded."""
    more = f"has more than {limit:,} pixels"
    zh, en = f"图像 {image_id} 超过 {limit:,} 像素的上限，未解码", f"the image {image_id} {more} and was not decoded"
    return ImageError(Message.glossed(zh, en, f"the image {more}").text(), {"image_id": image_id, "limit": limit})


def too_many_bytes(image_id: str, limit: int) -> ImageError:
    """The image cannot be encoded in so few bytes."""
    more = f"cannot be shown within {limit:,} bytes; crop a smaller part of it"
    zh, en = f"图像 {image_id} 无法压缩到 {limit:,} 字节以内；请裁剪更小的部分", f"the image {image_id} {more}"
    return ImageError(Message.glossed(zh, en, f"the image {more}").text(), {"image_id": image_id, "limit": limit})


def crop_not_written(reason: str) -> VisualRagConfigurationError:
    """The folder of the run cannot be written."""
    message = Message.glossed(
        f"无法写入裁剪图像：{reason}；请检查输出文件夹",
        f"a crop cannot be written: {reason}; check the output folder",
        "a crop cannot be written; check the output folder",
    )
    return VisualRagConfigurationError(message.text(), {"reason": reason})


NO_FOLDER = Message("无法读取页面文件夹", "the folder of pages cannot be read")
NO_PAGES = Message("文件夹中没有页面图像，或页面过多", "the folder holds no image of a page, or too many")


def file_error(problem: Message, path: Path, reason: object = "") -> VisualRagConfigurationError:
    """A folder or file that the user has named cannot be used."""
    why_zh, why_en = (f"：{reason}", f": {reason}") if str(reason) else ("", "")
    message = Message(
        f"{problem.zh}：{path}{why_zh}",
        f"{problem.en}: {path}{why_en}",
        f"{problem.zh}：{path} ({problem.en}{why_en})",
    )
    return VisualRagConfigurationError(message.text(), {"path": str(path), "reason": str(reason)})


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
