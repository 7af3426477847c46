"""What the model is told became of its action: the one place where it is rendered.

What was read from pages is data. It stands as JSON between `<information>` and `</information>`, and no `<` of its own
survives in it: it can neither end the block, nor the turn, nor look like a tag. The parser never sees an observation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.exceptions import FailureCode
from src.modules.visual_rag.domain.messages import (
    LAST_TURN,
    NO_SEARCH_LEFT,
    disarm,
    failed_action,
    invalid_action,
    user_turn,
)
from src.modules.visual_rag.domain.ports import PageHit, ShownImage
from src.modules.visual_rag.domain.viewing import Coordinates

TEXT_LIMIT = 4_000
"""Most characters of one text that an observation repeats."""
HITS_LIMIT = 10
"""Most pages of one search that an observation repeats."""
PICTURES_LIMIT = 20
"""Most pages with hardly any text that an observation names."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What became of an action.

    Attributes:
        words: what the model is told; empty after an answer.
        answer: the answer, if that was the action; it ends the episode.
        error: the code of the failure, if the action failed or there was none; None where all went well.
        image_id: the image that was shown or named, the last one of several; None where none was.
        images: what the model is shown beside the words.
        pages: what a search has found and told.
    """

    words: str
    answer: str | None = None
    error: str | None = None
    image_id: str | None = None
    images: tuple[ShownImage, ...] = ()
    pages: tuple[PageHit, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to be told: the episode has ended."""
        return not self.words

    @property
    def text(self) -> str:
        """The words as a turn of the user's in the chat template; empty after an answer."""
        return user_turn(self.words) if self.words else ""


NOT_ACTIVE = Observation("")
"""Nothing was done: the episode had ended before."""
ONLY_AN_ANSWER = Observation(LAST_TURN, error=FailureCode.LAST_TURN)
"""Nothing was done: this is the last turn, and the action was no answer."""
NO_SEARCH = Observation(NO_SEARCH_LEFT, error=FailureCode.SEARCH_LIMIT)
"""The search was not made: it is one too many."""
_NOTHING_NEW = (
    "All pages that the search found have been shown to you already. "
    "Look at them more closely, answer from what you have seen, or search with other words."
)


def describe_search(
    hits: Sequence[PageHit],
    images: Sequence[ShownImage] = (),
    pictures: Sequence[PageHit] = (),
    *,
    has_known: bool = False,
) -> Observation:
    """After a search.

    Args:
        hits: the pages that were found.
        images: those of the pages that are shown.
        pictures: pages with hardly any text, which no words find; the first of them may be shown as well.
        has_known: whether pages were found that have been shown before.
    """
    found = tuple(hits[:HITS_LIMIT])
    first = "The search found no page. Try other words."
    if found:
        first = f"Pages found: {len(found)}, the best first."
    elif has_known:
        first = _NOTHING_NEW
        if not pictures:
            return Observation(first)
    sizes = {image.image_id: image.size for image in images}
    pages = [replace(hit, size=sizes.get(hit.image_id, hit.size)) for hit in found]
    data: dict[str, Any] = {"pages": [_named(page) | clip_text(page.text) for page in pages]}
    if pictures:
        first += " Pages with hardly any text, which no words find, stand apart: look at them by their image_id."
        data["hardly_any_text"] = [_named(page) for page in pictures[:PICTURES_LIMIT]]
        if len(pictures) > PICTURES_LIMIT:
            data["more"] = len(pictures) - PICTURES_LIMIT
    named = [None, *(page.image_id for page in found), *sizes]
    return replace(describe_data(first, data, named[-1], *images), pages=found)


def _named(page: PageHit) -> dict[str, Any]:
    return {"image_id": page.image_id, **({"size": [page.size.width, page.size.height]} if page.size else {})}


def clip_text(text: str) -> dict[str, Any]:
    """A text that was read, within its bound."""
    return {"text": text[:TEXT_LIMIT], **({"cut_off": True} if len(text) > TEXT_LIMIT else {})}


def describe_data(first: str, data: Mapping[str, Any], image_id: str | None, *images: ShownImage) -> Observation:
    """A sentence of ours, and behind it what was read or made; `image_id` and `images` as for `Observation`."""
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    words = f"{first}\n\n<information>\n{disarm(text)}\n</information>"
    return Observation(words, image_id=image_id, images=images)


def describe_failure(
    action: ActionType | None, reason: str, code: str, coordinates: Coordinates = Coordinates.PIXELS
) -> Observation:
    """An action could not be done; None: there was none.

    Source: specification "JSON Output Format Adaptation", criteria 3.1 to 3.3.
    """
    words = failed_action(action, reason, coordinates) if action else invalid_action(reason, coordinates)
    return Observation(words, error=code)
