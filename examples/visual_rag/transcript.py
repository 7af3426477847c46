"""Transcripts of episodes in JSON Lines: written turn by turn, and played again.

A line written by hand needs `question` and `reply.text` only::

    {"question": "2+2?", "reply": {"text": "<answer>4</answer>", "finish_reason": "stop"}}
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from examples.visual_rag.page_folder import blaming
from src.modules.visual_rag.domain.episode import Turn
from src.shared.domain.language import Message
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.llm.exchange import RecordedReply, RecordedUsage, append_whole, redact
from src.shared.infrastructure.llm.provider_errors import configuration_error
from src.shared.infrastructure.llm.replay import stored_lines

_NOT_WRITTEN = "无法写入轨迹文件", "the transcript cannot be written"


class JsonLinesTranscript:
    """Writes each turn when it is done. A line is written whole or not at all.

    Attributes:
        path: the file, readable for its owner only.
    """

    def __init__(self, folder: Path) -> None:
        """Make a new file, `transcript-001.jsonl` or the next number that is free, in a folder that is made too.

        Raises:
            VisualRagConfigurationError: it cannot be made; `add` raises it where it cannot be written.
        """
        names = (folder / f"transcript-{number:03}.jsonl" for number in count(1))
        with blaming(folder, *_NOT_WRITTEN):
            folder.mkdir(parents=True, exist_ok=True)
            self.path = next(path for path in names if not path.exists())
            append_whole(self.path, b"", is_new=True)

    def add(self, turn: Turn) -> None:
        """Append a turn."""
        with blaming(self.path, *_NOT_WRITTEN):
            append_whole(self.path, _line_of(turn))


class TurnLine(BaseModel):
    """What a replay needs of a turn: the question, and what the model wrote; the rest of a line is for people."""

    question: str
    reply: RecordedReply


class RecordedModel:
    """Answers with recorded turns, one after the other, whatever it is asked; implements `LLMPort`.

    Another version of the OCR may read a page differently. So a replay tries the tools, not the model: whether its
    answer is still what the pages say is for a reader of the new transcript.

    Attributes:
        question: what was asked first; empty where there is no turn.
    """

    def __init__(self, path: Path) -> None:
        """Read the whole transcript.

        Raises:
            LLMConfigurationError: it cannot be read, or a line is malformed; says which.
        """
        lines = stored_lines(path, TurnLine, Message("轨迹文件", "transcript"))
        self.question = lines[0].question if lines else ""
        self._replies = deque(line.reply.outcome() for line in lines)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """The next turn; an `LLMConfigurationError` where the transcript ends."""
        del request
        if not self._replies:
            raise configuration_error(Message("轨迹到此为止，其运行曾被中断", "the transcript ends here"))
        return self._replies.popleft()


def _line_of(turn: Turn) -> bytes:
    """The line of a turn, redacted; images are references and digests, no pixels."""
    parsed, seen = turn.parsed, turn.observation
    reply = turn.written
    data: dict[str, Any] = {
        "episode": turn.episode,
        "question": _written(turn.question),
        "turn": turn.number,
        "reply": {
            "text": _written(reply.text),
            "finish_reason": reply.finish_reason,
            "model": reply.model,
            "usage": {name: getattr(reply.usage, name) for name in RecordedUsage.model_fields},
        },
        "forced": turn.is_forced,
        "action": parsed.action_type,
        "problem": parsed.problem and parsed.problem.message,
        "error": seen.error,
        "observation": _written(seen.words),
        "images": [asdict(image) for image in seen.images],
        "answer": seen.answer and _written(seen.answer),
    }
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def _written(text: str) -> str:
    """A text as it stands in a transcript: keys are redacted, and what UTF-8 cannot hold becomes `?`."""
    return redact(text).encode("utf-8", "replace").decode()
