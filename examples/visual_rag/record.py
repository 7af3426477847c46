"""Make the transcripts of the two examples anew: `python -m examples.visual_rag.record`.

The replies in their folders `replies/` were written by hand, the way models answer. Search, crop and OCR are real, so
that the observations of a transcript are what Tesseract read on the machine that made it.
"""

import asyncio
import tempfile
from pathlib import Path

from dependency_injector import providers

from examples.visual_rag.container import visual_rag_of
from examples.visual_rag.make_chart import CHART
from examples.written_replies import WrittenReplies
from src.bootstrap import Application

HERE = Path(__file__).parent
TRANSCRIPT = "transcript.jsonl"


async def record(example: Path, output: Path) -> None:
    """Play an example's episode, and keep its transcript."""
    app = Application()
    app.model.override(providers.Object(WrittenReplies(sorted((example / "replies").iterdir()))))
    rag = visual_rag_of(app)
    rag.config.from_dict({"pages": example / "pages", "output": output})
    question = (example / "question.txt").read_text(encoding="utf-8").strip()
    await rag.manager().run([question])
    await app.open_things().aclose()
    (example / TRANSCRIPT).write_bytes(rag.transcript().path.read_bytes())


if __name__ == "__main__":
    for folder_of_example in (HERE, CHART):
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(record(folder_of_example, Path(folder)))
