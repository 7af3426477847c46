"""One turn of a transcript as one line of JSON.

A line written by hand needs `question` and `response` only::

    {"question": "2+2?", "response": "<answer>4</answer>"}
"""

from __future__ import annotations

import json
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from src.modules.visual_rag.domain.episode import Turn
from src.modules.visual_rag.domain.ports import ShownImage
from src.shared.domain.llm_exchange import ImageType
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from src.shared.infrastructure.llm.exchange import RecordedUsage, redact


class ShownLine(BaseModel):
    """`ShownImage` in a file.

    Attributes:
        image_id: of the page or crop.
        size: width and height as shown, in pixels.
        media_type: of the bytes.
        digest: SHA-256 of the bytes, in hexadecimal.
    """

    model_config = ConfigDict(extra="forbid")

    image_id: str
    size: tuple[int, int]
    media_type: ImageType
    digest: str

    @classmethod
    def of(cls, image: ShownImage) -> Self:
        """What is written of an image."""
        size = image.size.width, image.size.height
        return cls(image_id=image.image_id, size=size, media_type=image.media_type, digest=image.digest)


class ReplacedLine(BaseModel):
    """What the model wrote where the forced search stands; the fields are those of a turn."""

    model_config = ConfigDict(extra="forbid")

    response: str
    finish_reason: FinishReason = FinishReason.UNKNOWN
    model: str = ""
    usage: RecordedUsage = RecordedUsage()

    def reply(self) -> LLMReply:
        """What the model answered."""
        return LLMReply(self.response, self.finish_reason, self.model, TokenUsage(**dict(self.usage)))


class TurnLine(ReplacedLine):
    """A turn in a file; replaying needs the question, the response and its finish reason, the rest is for readers.

    Attributes:
        episode: number of the question in its batch, from 0.
        question: what was asked, redacted.
        turn: number of the turn in its episode, from 1.
        forced: whether this is the forced search.
        replaced: what the model wrote in its place.
        response: the model's text, redacted.
        finish_reason: why it stopped; unknown where the line does not say.
        model: its name.
        usage: its tokens.
        action: what it did; null where there was no action.
        problem: why there was none.
        error: the code of the failure, where the action failed.
        observation: what the model was told, redacted.
        images: what the model was shown beside it: references and digests, no pixels.
        answer: the answer, which ended the episode.
    """

    episode: int = Field(0, ge=0)
    question: str
    turn: int = Field(1, ge=1)
    forced: bool = False
    replaced: ReplacedLine | None = None
    action: str | None = None
    problem: str | None = None
    error: str | None = None
    observation: str = ""
    images: list[ShownLine] = Field(default_factory=list)
    answer: str | None = None

    def asked(self) -> LLMReply:
        """What the model answered, also where the forced search took its place; nothing, where nobody was asked."""
        if not self.forced:
            return self.reply()
        return self.replaced.reply() if self.replaced else LLMReply("", FinishReason.STOP)


def line_of(turn: Turn) -> bytes:
    """The line of a turn; keys are redacted, and what UTF-8 cannot hold becomes `?`."""
    parsed, seen = turn.parsed, turn.observation
    data: dict[str, Any] = {
        "episode": turn.episode,
        "question": writable(turn.question),
        "turn": turn.number,
        "forced": turn.is_forced,
        "replaced": turn.replaced and _reply(turn.replaced),
        **_reply(turn.reply),
        "action": parsed.action_type,
        "problem": parsed.problem and parsed.problem.message,
        "error": seen.error,
        "observation": writable(seen.words),
        "images": [ShownLine.of(image).model_dump(mode="json") for image in seen.images],
        "answer": None if seen.answer is None else writable(seen.answer),
    }
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def _reply(reply: LLMReply) -> dict[str, Any]:
    return {
        "response": writable(reply.text),
        "finish_reason": reply.finish_reason,
        "model": reply.model,
        "usage": {name: getattr(reply.usage, name) for name in RecordedUsage.model_fields},
    }


def writable(text: str) -> str:
    """A text as it stands in a transcript."""
    return redact(text).encode("utf-8", "replace").decode()
