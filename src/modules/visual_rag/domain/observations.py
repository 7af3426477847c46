"""What the model is told became of its action: the one place where it is rendered.

What was read from pages is data. It stands as JSON between `<information>` and `</information>`, and no `<` of its own
survives in it: it can neither end the block, nor the turn, nor look like a tag. The parser never sees an observation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from src.modules.visual_rag.domain.actions import ON_IMAGE, ActionType
from src.modules.visual_rag.domain.messages import failed_action_message, harmless, invalid_action_message, user_turn
from src.modules.visual_rag.domain.ports.crop import CroppedImage
from src.modules.visual_rag.domain.ports.ocr import ReadText
from src.modules.visual_rag.domain.ports.search import PageHit
from src.modules.visual_rag.domain.problems import ActionProblem

TEXT_LIMIT = 4_000
"""Most characters of one text that an observation repeats."""
HITS_LIMIT = 10
"""Most pages of one search that an observation repeats."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What became of an action.

    Attributes:
        text: the next turn of the user's, as the model gets it; empty after an answer.
        answer: the answer, if that was the action; it ends the episode.
        error: the code of the failure, if the action failed or there was none; None where all went well.
        image_id: the image that was shown, the last one of several; None where none was.
    """

    text: str
    answer: str | None = None
    error: str | None = None
    image_id: str | None = None

    @property
    def is_done(self) -> bool:
        """Whether the episode has ended."""
        return self.answer is not None


def answered(answer: str) -> Observation:
    """The episode is over."""
    return Observation("", answer=answer)


def found(hits: Sequence[PageHit]) -> Observation:
    """After a search."""
    shown = hits[:HITS_LIMIT]
    first = f"Pages found: {len(shown)}, the best first." if shown else _NOTHING
    return _informed(first, {"pages": [_page(hit) for hit in shown]}, shown[-1].image_id if shown else None)


def cropped(image: CroppedImage) -> Observation:
    """After a crop."""
    source = {"source": image.source_id, "source_region": image.box.edges}
    data = {"image_id": image.image_id, "size": _size(image), **source}
    return _informed("The crop is a new image.", data, image.image_id)


def was_read(read: ReadText) -> Observation:
    """After an OCR."""
    first = "The OCR read this text; single characters may be misread." if read.text else "The OCR found no text."
    data = {"image_id": read.image_id, "region": read.box.edges, **_text(read.text)}
    return _informed(first, data, read.image_id)


def failed(action: ActionType, message: str, code: str) -> Observation:
    """An action could not be done."""
    return Observation(failed_action_message(action, message), error=code)


def invalid(problem: ActionProblem) -> Observation:
    """There was no action. A crop or an OCR with wrong arguments gets the message of a crop or an OCR that failed.

    Source: specification "JSON Output Format Adaptation", criteria 3.1 to 3.3.
    """
    if problem.action in ON_IMAGE:
        return failed(problem.action, problem.message, problem.kind.value)
    return Observation(invalid_action_message(problem.message), error=problem.kind.value)


_NOTHING = "The search found no page. Try other words."


def _page(hit: PageHit) -> dict[str, Any]:
    size = {"size": [hit.size.width, hit.size.height]} if hit.size else {}
    return {"image_id": hit.image_id, **size, **_text(hit.text)}


def _size(image: CroppedImage) -> list[int]:
    return [image.size.width, image.size.height]


def _text(text: str) -> dict[str, Any]:
    return {"text": text[:TEXT_LIMIT], **({"cut_off": True} if len(text) > TEXT_LIMIT else {})}


def _informed(first: str, data: dict[str, Any], image_id: str | None) -> Observation:
    return Observation(user_turn(first, f"<information>\n{_as_data(data)}\n</information>"), image_id=image_id)


def _as_data(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\x7f", "\\u007f")
    return harmless(text)
