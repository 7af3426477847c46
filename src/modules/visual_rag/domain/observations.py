"""What the model is told became of its action: the one place where it is rendered.

What was read from pages is data. It stands as JSON between `<information>` and `</information>`, and no `<` of its own
survives in it: it can neither end the block, nor the turn, nor look like a tag. The parser never sees an observation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from src.modules.visual_rag.domain.actions import ON_IMAGE, ActionType, Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.messages import (
    LAST_TURN,
    NO_SEARCH_LEFT,
    failed_action,
    harmless,
    invalid_action,
    user_turn,
)
from src.modules.visual_rag.domain.parsed_action import ActionProblem
from src.modules.visual_rag.domain.ports import CroppedImage, PageHit, ReadText, ShownImage
from src.modules.visual_rag.domain.viewing import Coordinates, Size

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
    shown = tuple(hits[:HITS_LIMIT])
    if shown:
        first = f"Pages found: {len(shown)}, the best first."
    elif has_known:
        first = _NOTHING_NEW
        if not pictures:
            return Observation(first)
    else:
        first = "The search found no page. Try other words."
    sizes = {image.image_id: image.size for image in images}
    data: dict[str, Any] = {
        "pages": [_page_entry(hit, sizes.get(hit.image_id, hit.size)) | _text(hit.text) for hit in shown]
    }
    if pictures:
        first += " Pages with hardly any text, which no words find, stand apart: look at them by their image_id."
        data["hardly_any_text"] = [_page_entry(page, page.size) for page in pictures[:PICTURES_LIMIT]]
        if len(pictures) > PICTURES_LIMIT:
            data["more"] = len(pictures) - PICTURES_LIMIT
    named = [None, *(hit.image_id for hit in shown), *(image.image_id for image in images)]
    return replace(_with_data(first, data, named[-1], images), pages=shown)


def describe_crop(image: CroppedImage, edges: Region, size: Size, *images: ShownImage) -> Observation:
    """After a crop: `edges` are those of the part in its source, as the model names parts, `size` is that shown."""
    source = {"source": image.source_id, "source_region": edges}
    data = {"image_id": image.image_id, "size": [size.width, size.height], **source}
    return _with_data("The crop is a new image.", data, image.image_id, images)


def describe_text(read: ReadText, edges: Region) -> Observation:
    """After an OCR: `edges` say which part of the image was read, as the model names parts."""
    first = "The OCR read this text; single characters may be misread." if read.text else "The OCR found no text."
    return _with_data(first, {"image_id": read.image_id, "region": edges, **_text(read.text)}, read.image_id)


def describe_failure(
    action: ActionType, error: ActionError, coordinates: Coordinates = Coordinates.PIXELS
) -> Observation:
    """An action could not be done."""
    return Observation(failed_action(action, error.message, coordinates), error=error.code)


def describe_problem(problem: ActionProblem, coordinates: Coordinates = Coordinates.PIXELS) -> Observation:
    """There was no action. A crop or an OCR with wrong arguments gets the message of a crop or an OCR that failed.

    Source: specification "JSON Output Format Adaptation", criteria 3.1 to 3.3.
    """
    if problem.action in ON_IMAGE:
        words = failed_action(problem.action, problem.message, coordinates)
    else:
        words = invalid_action(problem.message, coordinates)
    return Observation(words, error=problem.kind.value)


def mention_unread_rest(observation: Observation) -> Observation:
    """The same after a turn that went on behind its first action; an answer ends the episode all the same."""
    one_action = (
        "What you wrote behind your first action was not read. Write one action each turn, and wait for its result."
    )
    return replace(observation, words=f"{observation.words}\n\n{one_action}") if observation.words else observation


def _page_entry(page: PageHit, size: Size | None) -> dict[str, Any]:
    return {"image_id": page.image_id, **({"size": [size.width, size.height]} if size else {})}


def _text(text: str) -> dict[str, Any]:
    return {"text": text[:TEXT_LIMIT], **({"cut_off": True} if len(text) > TEXT_LIMIT else {})}


def _with_data(
    first: str, data: dict[str, Any], image_id: str | None, images: Sequence[ShownImage] = ()
) -> Observation:
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    words = f"{first}\n\n<information>\n{harmless(text)}\n</information>"
    return Observation(words, image_id=image_id, images=tuple(images))
