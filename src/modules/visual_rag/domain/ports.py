"""The ports of the agent: its parser, its tools, and what it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.viewing import Box, Size
from src.shared.domain.llm_exchange import ImagePart, ImageType


class ActionParserPort(Protocol):
    """Reads one turn of a model's, and nothing else: never a page's text, never a message to the model.

    A turn ends at its first action: what a model writes behind it rests on a result that it has not seen.
    """

    label: str
    """The agent's title; goes to logs and events as `context_label`."""
    stop: tuple[str, ...]
    """Texts at which a model may stop writing, since its turn is over; they are not part of the turn."""

    def parse(self, text: str, *, finished: bool | None, last_image: str | None) -> ParsedAction:
        """The first action in a text, or why there is none.

        Args:
            text: the model's turn.
            finished: whether the model ended on its own; None where nobody knows.
            last_image: the id of the image it was shown last; None where it was shown none.
        """
        ...


@dataclass(frozen=True, slots=True)
class CroppedImage:
    """A new image, part of another one.

    Attributes:
        image_id: of the new image; further actions can name it.
        source_id: of the image it was cut out of.
        box: which pixels of the source it holds: the region, clipped to the source.
    """

    image_id: str
    source_id: str
    box: Box

    @property
    def size(self) -> Size:
        """Of the new image."""
        return self.box.size


@dataclass(frozen=True, slots=True)
class ReadText:
    """What was read.

    Attributes:
        image_id: of the image.
        box: which pixels of it were read: the region, clipped to the image.
        text: as read, without white space around it; empty where there is none.
    """

    image_id: str
    box: Box
    text: str


class OcrPort(Protocol):
    """Anything that can read."""

    async def read(self, image_id: str, region: Region) -> ReadText:
        """Read the text in a region of an image, in the image's own pixels.

        Raises:
            ActionError: there is no such image, it cannot be read, the region lies outside it or is too small, or it
                took too long.
        """
        ...


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
            ActionError: none of the queries could be looked for.
        """
        ...

    async def hardly_any_text(self) -> tuple[PageHit, ...]:
        """The pages that words hardly find, since next to no text was read from them, in their order.

        Empty where the search looks at the pages themselves.
        """
        ...


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A reference to what was shown; the bytes are made again where a request needs them.

    Attributes:
        image_id: of the page or crop.
        size: as shown, which may be smaller than the image itself.
        media_type: of the bytes.
        digest: SHA-256 of the bytes, in hexadecimal.
    """

    image_id: str
    size: Size
    media_type: ImageType
    digest: str


class ImagesPort(Protocol):
    """Anything that knows the images of a run, and can cut parts out of them."""

    async def size(self, image_id: str) -> Size:
        """Width and height of an image itself, upright.

        Raises:
            ActionError: there is no such image, or it cannot be read.
        """
        ...

    async def show(self, image_id: str) -> ShownImage:
        """An image as the model is to see it, within the bounds on its side and its bytes.

        Raises:
            ActionError: there is no such image, it cannot be read, or it does not fit the bounds.
        """
        ...

    async def part(self, image_id: str) -> ImagePart:
        """The same image with its bytes, for a request.

        Raises:
            ActionError: as for `show`.
        """
        ...

    async def crop(self, image_id: str, region: Region) -> CroppedImage:
        """Cut a region out of an image, in the image's own pixels; the image itself is never changed.

        Raises:
            ActionError: there is no such image, it cannot be read, or the region lies outside it or is too small.
        """
        ...
