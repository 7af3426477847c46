"""The local index of a folder of pages: SQLite with FTS5, in one file.

What was read from a page is kept by the digest of its file, so that a page is read once whatever becomes of its name.
The index over it is made anew, in one transaction, when the folder's pages are others than before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

from examples.visual_rag.search.excerpts import excerpt
from examples.visual_rag.search.terms import query_words, words_of
from examples.visual_rag.tool_errors import BAD_INDEX, FOREIGN_INDEX, file_error
from src.modules.visual_rag.domain.ports import PageHit
from src.modules.visual_rag.domain.viewing import Size

WORDS_LIMIT = 64
"""Most words of a query that are looked for."""
LITTLE_TEXT = 20
"""Letters and digits below which a page counts as a picture: an OCR reads a few into any picture."""

_APPLICATION = 0x56524147
"""`VRAG`: says that a database is an index of ours."""
_VERSION = 1
_SCHEMA = f"""
BEGIN;
CREATE TABLE texts (digest TEXT PRIMARY KEY, text TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL);
CREATE TABLE pages (image_id TEXT PRIMARY KEY, digest TEXT NOT NULL REFERENCES texts);
CREATE VIRTUAL TABLE words USING fts5 (image_id UNINDEXED, text, tokenize = "unicode61 remove_diacritics 0");
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
COMMIT;
"""
_TEXTS = """
SELECT pages.image_id, texts.text, texts.width, texts.height
FROM pages JOIN texts USING (digest) ORDER BY pages.rowid
"""
_SEARCH = """
SELECT pages.image_id, texts.text, texts.width, texts.height
FROM words JOIN pages USING (image_id) JOIN texts USING (digest)
WHERE words MATCH ? ORDER BY bm25(words), pages.image_id LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page of the folder and the digest of what is read from it."""

    image_id: str
    digest: str


class PageIndex:
    """An index file, open."""

    def __init__(self, path: Path) -> None:
        """Open the index, or make an empty one.

        Raises:
            VisualRagConfigurationError: the file cannot be used, or is something else.
        """
        self._path = path
        with self._blaming(), ExitStack() as unusable:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, isolation_level=None)
            unusable.callback(self.close)
            if not self._number("schema_version"):
                self._database.executescript(_SCHEMA)
            if (self._number("application_id"), self._number("user_version")) != (_APPLICATION, _VERSION):
                raise file_error(FOREIGN_INDEX, path)
            unusable.pop_all()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        """Use as a context."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def missing(self, pages: Iterable[IndexedPage]) -> list[IndexedPage]:
        """The pages that have not been read yet."""
        with self._blaming():
            known = {row[0] for row in self._database.execute("SELECT digest FROM texts")}
        return [page for page in pages if page.digest not in known]

    def keep(self, digest: str, text: str, size: Size) -> None:
        """Keep what was read from a page."""
        row = (digest, text, size.width, size.height)
        with self._blaming():
            self._database.execute("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)", row)

    def arrange(self, pages: Sequence[IndexedPage]) -> None:
        """Make the index that of these pages, all of which have been read."""
        wanted = [(page.image_id, page.digest) for page in pages]
        with self._blaming():
            if self._database.execute("SELECT image_id, digest FROM pages ORDER BY rowid").fetchall() == wanted:
                return
            with self._database:
                self._database.execute("BEGIN")
                self._database.execute("DELETE FROM pages")
                self._database.execute("DELETE FROM words")
                self._database.executemany("INSERT INTO pages VALUES (?, ?)", wanted)
                rows = self._database.execute("SELECT image_id, text FROM pages JOIN texts USING (digest)").fetchall()
                indexed = ((image_id, " ".join(words_of(text))) for image_id, text in rows)
                self._database.executemany("INSERT INTO words VALUES (?, ?)", indexed)

    def search(self, query: str, most: int) -> tuple[PageHit, ...]:
        """The pages that share a word with a query, best first."""
        looked_for = dict.fromkeys(islice(query_words(query), WORDS_LIMIT))
        if not looked_for:
            return ()
        match = " OR ".join(f'"{word}"' for word in looked_for)
        with self._blaming():
            rows = self._database.execute(_SEARCH, (match, most)).fetchall()
        return tuple(
            PageHit(image_id, excerpt(text, looked_for.keys()), Size(width, height))
            for image_id, text, width, height in rows
        )

    def hardly_any_text(self) -> tuple[PageHit, ...]:
        """The pages with fewer than `LITTLE_TEXT` letters and digits, in the order of the pages."""
        with self._blaming():
            rows = self._database.execute(_TEXTS)
            return tuple(
                PageHit(image_id, text, Size(width, height))
                for image_id, text, width, height in rows
                if sum(map(str.isalnum, text)) < LITTLE_TEXT
            )

    def _number(self, pragma: str) -> int:
        return int(self._database.execute(f"PRAGMA {pragma}").fetchone()[0])

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        """Say that it is the file which cannot be used."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise file_error(BAD_INDEX, self._path, error) from error
