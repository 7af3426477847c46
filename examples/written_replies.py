"""A model that answers with files, for making the recordings of the examples."""

from collections.abc import Iterable
from pathlib import Path

from src.shared.domain.ports.llm import FinishReason, LLMReply, OutputSchema


class WrittenReplies:
    """Answers with the texts of files, one after the other."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._texts = [path.read_text(encoding="utf-8") for path in files]

    async def generate(
        self,
        prompt: str,
        system_message: str | None = None,
        temperature: float = 0.7,
        max_tokens: int | None = None,
        *,
        output_schema: OutputSchema | None = None,
    ) -> LLMReply:
        """Give the next text."""
        del prompt, system_message, temperature, max_tokens, output_schema
        return LLMReply(self._texts.pop(0), FinishReason.STOP, "written-by-hand")
