"""Search over the text of pages: SQLite with FTS5, no network.

What an OCR read from a page is kept in a file by the digest of the page, so that a page is read once whatever becomes
of its name. The index over it is in memory.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import Path

from examples.visual_rag.page_folder import PageFolder, blaming
from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.ports import OcrPort, PageHit
from src.modules.visual_rag.domain.viewing import Size

WHOLE: Region = (0.0, 0.0, 1e9, 1e9)
"""A region that is clipped to any page."""
WORDS_LIMIT = 64
"""Most words of a query that are looked for."""
LITTLE_TEXT = 20
"""Letters and digits below which a page counts as a picture: an OCR reads a few into any picture."""
EXCERPT_LIMIT = 300
"""Most characters of an excerpt."""

_UNUSABLE = "无法使用索引文件", "the index cannot be used"
_UNREADABLE = "页面图像无法读取，请修复或移走", "a page cannot be read; mend it or move it away"
_TEXTS = "CREATE TABLE IF NOT EXISTS texts (digest TEXT PRIMARY KEY, text TEXT, width INTEGER, height INTEGER)"
_WORDS = """
CREATE VIRTUAL TABLE temp.page_words USING fts5 (
    words, image_id UNINDEXED, digest UNINDEXED, tokenize = "unicode61 remove_diacritics 0"
)
"""
_PAGES = "SELECT image_id, text, width, height FROM page_words JOIN texts USING (digest)"
_FOUND = f"{_PAGES} WHERE page_words MATCH ? ORDER BY bm25(page_words), image_id LIMIT ?"
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Kana and Han, which are written without spaces."""
_WORD = re.compile(r"[^\W_]++")
_RUN = re.compile(rf"(?P<unspaced>[{_UNSPACED}]++)|[^{_UNSPACED}]++")


class SqliteSearch:
    """Looks for pages; implements `SearchPort`. The first search reads the pages that were not read before."""

    def __init__(self, path: Path, folder: PageFolder, ocr: OcrPort, languages: str) -> None:
        """Open the file of what `ocr` reads in these languages, or make one.

        Raises:
            VisualRagConfigurationError: the file cannot be used.
        """
        self._path, self._folder, self._ocr, self._languages = path, folder, ocr, languages
        self._preparing = asyncio.Lock()
        self._is_ready = False
        with blaming(self._path, *_UNUSABLE):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    async def search(self, queries: Sequence[str], most: int) -> list[tuple[PageHit, ...]]:
        """Look for each query, as the port says.

        Raises:
            VisualRagConfigurationError: a page cannot be read, or the file cannot be used; names it.
        """
        await self._prepare()
        return [self._found(query, most) for query in queries]

    async def hardly_any_text(self) -> tuple[PageHit, ...]:
        """The pages with fewer than `LITTLE_TEXT` letters and digits; raises as `search` does."""
        await self._prepare()
        pages = [_hit(*row) for row in self._database.execute(f"{_PAGES} ORDER BY page_words.rowid")]
        return tuple(page for page in pages if sum(map(str.isalnum, page.text)) < LITTLE_TEXT)

    def _found(self, query: str, most: int) -> tuple[PageHit, ...]:
        words = dict.fromkeys(islice(words_of(query, is_query=True), WORDS_LIMIT))
        if not words:
            return ()
        rows = self._database.execute(_FOUND, (" OR ".join(f'"{word}"' for word in words), most))
        return tuple(_hit(image_id, excerpt(text, words.keys()), *size) for image_id, text, *size in rows)

    async def _prepare(self) -> None:
        """Read every page that was not read before, and index them all."""
        async with self._preparing:
            if not self._is_ready:
                with blaming(self._path, *_UNUSABLE):
                    await self._index()
                self._is_ready = True

    async def _index(self) -> None:
        self._database.execute(_TEXTS)
        digests = {image_id: self._digest(path) for image_id, path in self._folder.paths.items()}
        known = {digest for (digest,) in self._database.execute("SELECT digest FROM texts")}
        missing = {digest: image_id for image_id, digest in digests.items() if digest not in known}
        await asyncio.gather(*(self._read(image_id, digest) for digest, image_id in missing.items()))
        texts = dict(self._database.execute("SELECT digest, text FROM texts").fetchall())
        rows = [(" ".join(words_of(texts[digest])), image_id, digest) for image_id, digest in digests.items()]
        self._database.execute(_WORDS)
        self._database.executemany("INSERT INTO page_words VALUES (?, ?, ?)", rows)

    async def _read(self, image_id: str, digest: str) -> None:
        """Keep what a page says, page by page: an interruption costs the pages in hand only."""
        with blaming(self._folder.paths[image_id], *_UNREADABLE):
            read = await self._ocr.read(image_id, WHOLE)
        row = (digest, read.text, read.box.size.width, read.box.size.height)
        self._database.execute("INSERT INTO texts VALUES (?, ?, ?, ?)", row)

    def _digest(self, path: Path) -> str:
        with blaming(path, *_UNREADABLE):
            return hashlib.sha256(path.read_bytes() + self._languages.encode()).hexdigest()


def words_of(text: str, *, is_query: bool = False) -> Iterator[str]:
    """The words of a text, in lower case and full-width forms as their plain ones; they have letters and digits only.

    A run of Han characters gives each character and each pair of neighbours. A query looks for the pairs, which say
    more than single characters, where there are any.
    """
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        for run in _RUN.finditer(word):
            signs = run.group()
            pairs = [signs[at : at + 2] for at in range(len(signs) - 1)]
            if not run["unspaced"]:
                yield signs
            else:
                yield from pairs if is_query and pairs else (*signs, *pairs)


def excerpt(text: str, looked_for: AbstractSet[str]) -> str:
    """The line that shares most words with the query, and lines after it as far as they fit; the first of equals."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    shared = [len(looked_for & set(words_of(line))) for line in lines]
    return "\n".join(lines[shared.index(max(shared)) :])[:EXCERPT_LIMIT] if lines else ""


def _hit(image_id: str, text: str, width: int, height: int) -> PageHit:
    return PageHit(image_id, text, Size(width, height))
