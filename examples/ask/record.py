"""Make the recordings of this folder anew: `python -m examples.ask.record`.

The replies in `replies/` were written by hand, the way models answer; a prompt is what the application makes of the
question today. Run it when the wording of a prompt has changed.
"""

import asyncio
from pathlib import Path

from examples.each_language import record_in_each_language
from examples.written_replies import WrittenReplies
from src.bootstrap import Application
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.question import Question
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm_json import decode_llm_json

HERE = Path(__file__).parent


def recorder(path: Path, *replies: str) -> Application:
    """The application with a model whose replies are recorded in a new file."""
    path.unlink(missing_ok=True)
    app = Application()
    app.model.override(RecordingLLM(WrittenReplies(HERE / "replies" / name for name in replies), path))
    return app


async def record_verdict(path: Path) -> None:
    """An answer that breaks the contract, and one after a re-ask whose punctuation is damaged."""
    await record_in_each_language(path, _record_verdict)


async def _record_verdict(path: Path) -> None:
    question = Question.of((HERE / "question.md").read_text(encoding="utf-8"))
    llm = recorder(path, "verdict-1.txt", "verdict-2.txt").typed_llm()
    (await llm.generate_and_parse(question, OUTPUT)).result()


async def record_repair(path: Path) -> None:
    """A damaged text with punctuation that is not JSON's, and its repair."""
    broken = (HERE / "broken.txt").read_text(encoding="utf-8")
    try:
        decode_llm_json(broken)
    except LLMJsonParseError as error:
        await recorder(path, "repair.txt").repair_agent().repair(broken, error)


if __name__ == "__main__":
    asyncio.run(record_verdict(HERE / "verdict.jsonl"))
    asyncio.run(record_repair(HERE / "repair.jsonl"))
