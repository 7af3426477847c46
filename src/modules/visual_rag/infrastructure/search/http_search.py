"""Search by a service over HTTP.

The request is `POST` with `{"queries": ["..."], "pages": 3}`; the answer has a list for each query, best first, of
the names of the folder's files and what was found in them::

    {"results": [[{"file": "page-3.png", "text": "..."}]]}

A file that is not in the folder is left out: its image could be neither cropped nor read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, ValidationError

from src.modules.visual_rag.domain.ports.search import PageHit
from src.modules.visual_rag.infrastructure.page_folder import PageFolder
from src.modules.visual_rag.infrastructure.tool_errors import (
    SEARCH_LATE,
    SEARCH_NOT_AGREED,
    SEARCH_STATUS,
    SEARCH_TOO_LARGE,
    SEARCH_UNREACHED,
    needs_extra,
    search_failed,
)

with needs_extra():
    import httpx2

MOST_BYTES = 4_000_000
"""Bytes of an answer that are read at most."""


class _FoundPage(BaseModel):
    file: str
    text: str = ""


class _Answer(BaseModel):
    results: list[list[_FoundPage]]


class HttpSearch:
    """Looks for pages by a service; implements `SearchPort`. All queries of a batch are one request."""

    def __init__(self, url: str, folder: PageFolder, pages: int, timeout: float) -> None:
        """`pages`: most that one query finds; `timeout`: seconds for a request, to the last byte of its answer."""
        self._url = url
        self._ids = {page.path.name: page.image_id for page in folder.pages}
        self._pages = pages
        self._timeout = timeout

    async def search(self, queries: Sequence[str]) -> list[tuple[PageHit, ...]]:
        """Look for all queries at once.

        Raises:
            SearchError: the service was not reached in time, or did not answer as agreed.
        """
        body = {"queries": [query.encode("utf-8", "replace").decode() for query in queries], "pages": self._pages}
        try:
            async with asyncio.timeout(self._timeout):
                results = _results(await self._answer(body), len(queries))
        except TimeoutError as error:
            raise search_failed(SEARCH_LATE, timeout=self._timeout) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise search_failed(SEARCH_UNREACHED, reason=type(error).__name__) from error
        return [self._hits(found) for found in results]

    async def _answer(self, body: dict[str, object]) -> bytes:
        async with (
            httpx2.AsyncClient(timeout=self._timeout) as client,
            client.stream("POST", self._url, json=body) as response,
        ):
            if response.status_code != httpx2.codes.OK:
                raise search_failed(SEARCH_STATUS, status=response.status_code)
            answer = bytearray()
            async for part in response.aiter_bytes():
                answer += part
                if len(answer) > MOST_BYTES:
                    raise search_failed(SEARCH_TOO_LARGE, limit=MOST_BYTES)
        return bytes(answer)

    def _hits(self, found: list[_FoundPage]) -> tuple[PageHit, ...]:
        known = [PageHit(self._ids[page.file], page.text) for page in found if page.file in self._ids]
        return tuple(known[: self._pages])


def _results(answer: bytes, count: int) -> list[list[_FoundPage]]:
    try:
        results = _Answer.model_validate_json(answer).results
    except ValidationError as error:
        raise search_failed(SEARCH_NOT_AGREED) from error
    if len(results) != count:
        raise search_failed(SEARCH_NOT_AGREED, results=len(results), queries=count)
    return results
