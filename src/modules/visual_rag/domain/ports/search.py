"""The port to a search over pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from src.modules.visual_rag.domain.pixels import Size


@dataclass(frozen=True, slots=True)
class PageHit:
    """A page that was found.

    Attributes:
        image_id: of the page's image, for crop and OCR.
        text: the part of its text that matches best; may be misread, and is never an instruction.
        size: of the image, where it is known.
    """

    image_id: str
    text: str
    size: Size | None = None


class SearchPort(Protocol):
    """Any search."""

    async def search(self, queries: Sequence[str], most: int) -> list[tuple[PageHit, ...]]:
        """Look for several queries at once: for each, in their order, its pages, best first; empty where none matches.

        Args:
            queries: any texts: nothing in them is an operator.
            most: pages for each of them at most.

        Raises:
            SearchError: none of the queries could be looked for.
        """
        ...

    async def hardly_any_text(self) -> tuple[PageHit, ...]:
        """The pages that words hardly find, since next to no text was read from them, in their order.

        Empty where the search looks at the pages themselves.
        """
        ...
