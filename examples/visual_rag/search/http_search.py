"""Search by a service over HTTP, in the protocol of the original code base's visual retrieval.

The request is `GET` with a parameter `queries` for each query; the answer has a list for each query, best first, of the
pages' images, with the text that was found in them where the service knows it::

    GET /search?queries=revenue+by+region

    [[{"idx": 0, "image_file": "./corpus/img/page-3.png", "text": "..."}]]

An image whose file name is one of the folder's is that page. Any other is loaded from the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from examples.visual_rag.search.service import Service
from examples.visual_rag.search.service_images import ServiceImages
from examples.visual_rag.tool_errors import SEARCH_NO_IMAGE, SEARCH_NOT_AGREED, search_failed
from src.modules.visual_rag.domain.ports import PageHit

MOST_BYTES = 4_000_000
"""Bytes of an answer that are read at most."""
MOST_IN_A_REQUEST = 4_000
"""Characters of the queries that go into one address; a query that is longer goes alone."""


class FoundImage(BaseModel):
    """One image of an answer; other fields are read over."""

    model_config = ConfigDict(frozen=True)

    image_file: str
    text: str = ""


_ANSWER: TypeAdapter[list[list[FoundImage | str]]] = TypeAdapter(list[list[FoundImage | str]])


class HttpSearch:
    """Looks for pages by a service; implements `SearchPort`. The queries of a batch are few requests."""

    def __init__(self, service: Service, images: ServiceImages) -> None:
        """`images`: knows the folder's pages, and loads others."""
        self._service = service
        self._images = images

    async def search(self, queries: Sequence[str], most: int) -> list[tuple[PageHit, ...]]:
        """Look for all queries, as the port says.

        Raises:
            SearchError: the service was not reached in time or did not answer as agreed, or no image of the pages
                that it found could be loaded.
        """
        found = [page for batch in _batches(queries) for page in await self._results(batch)]
        wanted = [[_image(one) for one in pages[:most]] for pages in found]
        return list(await asyncio.gather(*map(self._hits, wanted)))

    async def hardly_any_text(self) -> tuple[PageHit, ...]:
        """None: the service looks at the pages."""
        return ()

    async def _results(self, queries: list[str]) -> list[list[FoundImage | str]]:
        answer = await self._service.get("", MOST_BYTES, [("queries", query) for query in queries])
        try:
            results = _ANSWER.validate_json(answer)
        except ValidationError as error:
            raise search_failed(SEARCH_NOT_AGREED) from error
        if len(results) != len(queries):
            raise search_failed(SEARCH_NOT_AGREED, results=len(results), queries=len(queries))
        return results

    async def _hits(self, wanted: list[FoundImage]) -> tuple[PageHit, ...]:
        ids = await self._images.ids([one.image_file for one in wanted])
        hits = (PageHit(image_id, one.text) for image_id, one in zip(ids, wanted, strict=True) if image_id)
        known = tuple({hit.image_id: hit for hit in hits}.values())
        if wanted and not known:
            raise search_failed(SEARCH_NO_IMAGE, images=len(wanted))
        return known


def _image(found: FoundImage | str) -> FoundImage:
    return FoundImage(image_file=found) if isinstance(found, str) else found


def _batches(queries: Sequence[str]) -> Iterator[list[str]]:
    """The queries in their order, as many at a time as one address holds; what UTF-8 cannot hold becomes `?`."""
    batch: list[str] = []
    for query in (query.encode("utf-8", "replace").decode() for query in queries):
        if batch and sum(map(len, batch)) + len(query) > MOST_IN_A_REQUEST:
            yield batch
            batch = []
        batch.append(query)
    yield batch
