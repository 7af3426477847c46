"""Search over the local index, and making it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from examples.visual_rag.page_folder import Page, PageFolder
from examples.visual_rag.search.page_index import IndexedPage, PageIndex
from examples.visual_rag.tool_errors import BAD_PAGE, file_error
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.ports import OcrPort, PageHit

WHOLE: Region = (0.0, 0.0, 1e9, 1e9)
"""A region that is clipped to any page."""
_READING = "3"
"""Changes when pages are read differently: what was read before does not count any more."""

Progress = Callable[[int, int], None]
"""Is told how many pages of how many have been read."""


class SqliteSearch:
    """Looks for pages in a local index; implements `SearchPort`. No network.

    The first search brings the index up to date, which takes some seconds for each page that was not read before.
    """

    def __init__(
        self,
        folder: PageFolder,
        index: PageIndex,
        ocr: OcrPort,
        *,
        languages: str,
        progress: Progress | None = None,
    ) -> None:
        """Make a search over a folder.

        Args:
            folder: the pages.
            index: where what was read is kept; its owner closes it.
            ocr: reads the pages.
            languages: in which `ocr` reads.
            progress: is told how many pages of how many have been read; None: nobody is.
        """
        self._folder = folder
        self._index = index
        self._ocr = ocr
        self._languages = languages
        self._progress = progress
        self._preparing = asyncio.Lock()
        self._is_ready = False

    async def search(self, queries: Sequence[str], most: int) -> list[tuple[PageHit, ...]]:
        """Look for each query, as the port says.

        Raises:
            VisualRagConfigurationError: a page cannot be read, or the index cannot be used; names the file.
        """
        async with self._preparing:
            await self._prepare()
        return [self._index.search(query, most) for query in queries]

    async def hardly_any_text(self) -> tuple[PageHit, ...]:
        """Pages from which little or nothing was read, as the port says.

        Raises:
            VisualRagConfigurationError: as for `search`.
        """
        async with self._preparing:
            await self._prepare()
        return self._index.hardly_any_text()

    async def _prepare(self) -> None:
        if self._is_ready:
            return
        await index_pages(self._folder, self._index, self._ocr, languages=self._languages, progress=self._progress)
        self._is_ready = True


async def index_pages(
    folder: PageFolder, index: PageIndex, ocr: OcrPort, *, languages: str, progress: Progress | None
) -> None:
    """Read every page that has not been read in these languages, and bring the index up to date.

    What was read is kept page by page, so that an interruption costs the pages in hand only.

    Raises:
        VisualRagConfigurationError: a page cannot be read, or the index cannot be used; names the file.
    """
    pages = [IndexedPage(page.image_id, _digest(page, languages)) for page in folder.pages]
    missing = _each_once(index.missing(pages))
    done = 0

    async def read(page: IndexedPage) -> None:
        nonlocal done
        try:
            page_text = await ocr.read(page.image_id, WHOLE)
        except ActionError as error:
            raise file_error(BAD_PAGE, folder.path(page.image_id), error.message) from error
        index.keep(page.digest, page_text.text, page_text.box.size)
        done += 1
        if progress:
            progress(done, len(missing))

    tasks = [asyncio.create_task(read(page)) for page in missing]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    index.arrange(pages)


def _each_once(pages: list[IndexedPage]) -> list[IndexedPage]:
    """Of equal pages the first."""
    return list({page.digest: page for page in reversed(pages)}.values())[::-1]


def _digest(page: Page, languages: str) -> str:
    try:
        with page.path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256")
    except OSError as error:
        raise file_error(BAD_PAGE, page.path, error.strerror) from error
    content.update(f"\0{_READING}\0{languages}".encode())
    return content.hexdigest()
