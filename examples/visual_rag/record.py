"""Make the transcript of this folder anew: `python -m examples.visual_rag.record`.

The replies in `replies/` were written by hand, the way models answer. Search, crop and OCR are real, so that the
observations of the transcript are what Tesseract read on the machine that made it.
"""

import asyncio
import tempfile
from pathlib import Path

from dependency_injector import providers

from examples.written_replies import WrittenReplies
from src.bootstrap import Application

HERE = Path(__file__).parent
TRANSCRIPT = HERE / "transcript.jsonl"


async def record(output: Path) -> None:
    """Play the episode, and keep its transcript."""
    app = Application()
    app.model.override(providers.Object(WrittenReplies(sorted((HERE / "replies").iterdir()))))
    rag = app.visual_rag()
    rag.config.from_dict({"pages": HERE / "pages", "output": output})
    question = (HERE / "question.txt").read_text(encoding="utf-8").strip()
    await rag.manager().run([question])
    await app.open_things().aclose()
    TRANSCRIPT.write_bytes(rag.transcript().path.read_bytes())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(record(Path(folder)))
