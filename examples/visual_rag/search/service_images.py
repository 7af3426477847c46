"""The images that a search service names: pages of the folder by their file names, others loaded from the service."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from examples.visual_rag.page_folder import MOST_PAGES, PageFolder
from examples.visual_rag.pillow_images import check_page
from examples.visual_rag.search.service import Service
from examples.visual_rag.tool_errors import image_not_kept
from src.modules.visual_rag.domain.exceptions import ImageError, SearchError

MOST_IMAGE_BYTES = 20_000_000
"""Bytes of one image that is loaded at most."""
_SEPARATOR = re.compile(r"[/\\]")


class ServiceImages:
    """Finds the image id of what the service calls a path. A page that is loaded becomes one of the folder's.

    A file is written under the digest of its content, never under a name of the service's.
    """

    def __init__(self, service: Service, folder: PageFolder, loaded: Path) -> None:
        """Images are loaded into the folder `loaded`, which is made with the first."""
        self._service = service
        self._folder = folder
        self._loaded = loaded
        self._ids = {page.path.name: page.image_id for page in folder.pages}
        self._one_by_one = asyncio.Lock()

    async def ids(self, paths: Sequence[str]) -> list[str | None]:
        """The image id of each path, in their order; None for one that cannot be loaded.

        Raises:
            VisualRagConfigurationError: an image cannot be written.
        """
        async with self._one_by_one:  # so that pages are numbered in the same order in every run
            return [await self._id(path) for path in paths]

    async def _id(self, path: str) -> str | None:
        known = self._ids.get(_SEPARATOR.split(path)[-1]) or self._ids.get(path)
        if known or len(self._folder.pages) >= MOST_PAGES:
            return known
        try:
            data = await self._service.get(path, MOST_IMAGE_BYTES)
            file = await asyncio.to_thread(self._kept, data)
        except (SearchError, ImageError):
            return None
        image_id = self._ids[path] = self._folder.add(file)
        return image_id

    def _kept(self, data: bytes) -> Path:
        """The file of an image that can be read."""
        file = self._loaded / f"{hashlib.sha256(data).hexdigest()[:32]}.image"
        try:
            self._loaded.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        except OSError as error:
            raise image_not_kept(error.strerror or type(error).__name__) from error
        try:
            check_page(file)
        except ImageError:
            file.unlink()
            raise
        return file
