"""Reads from the network in small pieces: what comes at once is worked through at once, before others have their turn.

Tens of thousands of interim responses, headers or chunks fit into the 64 KiB that the HTTP client reads otherwise.
"""

from __future__ import annotations

import ssl
from typing import Any

from src.shared.infrastructure.llm.extra import needs_extra

with needs_extra():
    import httpcore2

MOST = 8_192
"""Bytes of one reading."""


class SmallReads(httpcore2.AsyncNetworkBackend):
    """Connects as another backend does, and reads less at once."""

    def __init__(self, backend: httpcore2.AsyncNetworkBackend) -> None:
        self._backend = backend

    async def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.AsyncNetworkStream:  # noqa: ANN401 - as in the base class
        """Connect."""
        return SmallReadStream(await self._backend.connect_tcp(*args, **options))


class SmallReadStream(httpcore2.AsyncNetworkStream):
    """A connection."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - of the base class
        """Read what there is, up to `MOST`."""
        return await self._stream.read(min(max_bytes, MOST), timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - of the base class
        """Write."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - of the base class
    ) -> httpcore2.AsyncNetworkStream:
        """Encrypt."""
        return SmallReadStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - of the base class
        """What the connection is."""
        return self._stream.get_extra_info(info)
