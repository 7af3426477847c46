"""One search service: bounded requests to one host, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit

from examples.visual_rag.tool_errors import (
    SEARCH_ELSEWHERE,
    SEARCH_LATE,
    SEARCH_STATUS,
    SEARCH_TOO_LARGE,
    SEARCH_UNREACHED,
    needs_extra,
    search_failed,
)

with needs_extra():
    import httpx2


class Service:
    """The service at an address."""

    def __init__(self, url: str, timeout: float) -> None:
        """`timeout`: seconds for a request, to the last byte of its answer."""
        self._url = url
        self._timeout = timeout

    async def get(self, path: str, most: int, parameters: Sequence[tuple[str, str]] = ()) -> bytes:
        """What stands at a path, which is relative to the service's own; redirections are not followed.

        Raises:
            SearchError: the path leads to another host, or there was no whole answer of at most so many bytes in time.
        """
        try:
            url = urljoin(self._url, path)
            if urlsplit(url)[:2] != urlsplit(self._url)[:2]:
                raise search_failed(SEARCH_ELSEWHERE)
            async with asyncio.timeout(self._timeout):
                return await self._answer(url, most, parameters)
        except TimeoutError as error:
            raise search_failed(SEARCH_LATE, timeout=self._timeout) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise search_failed(SEARCH_UNREACHED, reason=type(error).__name__) from error

    async def _answer(self, url: str, most: int, parameters: Sequence[tuple[str, str]]) -> bytes:
        async with (
            httpx2.AsyncClient(timeout=self._timeout) as client,
            client.stream("GET", url, params=list(parameters) or None) as response,
        ):
            if response.status_code != httpx2.codes.OK:
                raise search_failed(SEARCH_STATUS, status=response.status_code)
            answer = bytearray()
            async for part in response.aiter_bytes():
                answer += part
                if len(answer) > most:
                    raise search_failed(SEARCH_TOO_LARGE, limit=most)
        return bytes(answer)
