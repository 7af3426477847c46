"""Make the transcript of this folder anew: `python -m examples.visual_rag.record`.

The replies in `replies/` were written by hand, the way models answer. Search, crop and OCR are real, so that the
observations of the transcript are what Tesseract read on the machine that made it.
"""

import asyncio
import tempfile
from pathlib import Path

from dependency_injector import providers

from src.bootstrap import Application
from src.shared.domain.ports.llm import LLMReply, OutputSchema

HERE = Path(__file__).parent
TRANSCRIPT = HERE / "transcript.jsonl"


class WrittenReplies:
    """A model that answers with files, one after the other."""

    def __init__(self) -> None:
        self._texts = [path.read_text(encoding="utf-8") for path in sorted((HERE / "replies").iterdir())]

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
        return LLMReply(self._texts.pop(0), model="written-by-hand")


async def record(output: Path) -> None:
    """Play the episode, and keep its transcript."""
    app = Application()
    app.model.override(providers.Object(WrittenReplies()))
    rag = app.visual_rag()
    rag.config.from_dict({"pages": HERE / "pages", "output": output})
    question = (HERE / "question.txt").read_text(encoding="utf-8").strip()
    await rag.manager().run([question])
    await app.open_things().aclose()
    TRANSCRIPT.write_bytes(rag.transcript().path.read_bytes())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(record(Path(folder)))
