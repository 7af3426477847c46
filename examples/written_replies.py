"""A model that answers with files, for making the recordings of the examples."""

from collections.abc import Iterable
from pathlib import Path

from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest


class WrittenReplies:
    """Answers with the texts of files, one after the other."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._texts = [path.read_text(encoding="utf-8") for path in files]

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Give the next text."""
        del request
        return LLMReply(self._texts.pop(0), FinishReason.STOP, "written-by-hand")
