"""Make the recordings of `examples/ask` and `examples/cowriting` anew: `python -m examples.recordings`.

The replies in their folders `replies` were written by hand, the way models answer; a prompt is what the application
makes of the question or the broken text today. Run it when the wording of a prompt has changed.
"""

import asyncio
from pathlib import Path

from examples.cowriting.draft import Draft
from examples.each_language import record_in_each_language
from src.bootstrap import Application
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT
from src.shared.application.question import Question
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm_json import decode_llm_json

ASK, COWRITING = (Path(__file__).parent / name for name in ("ask", "cowriting"))


class WrittenReplies:
    """A model that answers with the texts of files, one after the other."""

    def __init__(self, *files: Path) -> None:
        self._texts = [path.read_text(encoding="utf-8") for path in files]

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Give the next text."""
        del request
        return LLMReply(self._texts.pop(0), FinishReason.STOP, "written-by-hand")


def recorder(path: Path, *replies: Path) -> Application:
    """The application with a model whose replies are recorded in a new file."""
    path.unlink(missing_ok=True)
    app = Application()
    app.model.override(RecordingLLM(WrittenReplies(*replies), path))
    return app


async def record_verdict(path: Path) -> None:
    """An answer that breaks the contract, and one after a re-ask whose punctuation is damaged."""
    question = Question.of((ASK / "question.md").read_text(encoding="utf-8"))

    async def record(path: Path) -> None:
        app = recorder(path, ASK / "replies/verdict-1.txt", ASK / "replies/verdict-2.txt")
        (await app.typed_llm().generate_and_parse(question, OUTPUT)).result()

    await record_in_each_language(path, record)


async def record_repair(path: Path) -> None:
    """A damaged text with punctuation that is not JSON's, and its repair."""
    broken = (ASK / "broken.txt").read_text(encoding="utf-8")
    try:
        decode_llm_json(broken)
    except LLMJsonParseError as error:
        await recorder(path, ASK / "replies/repair.txt").repair_agent().repair(broken, error)


async def record_payload(path: Path) -> Draft | None:
    """An envelope whose payload has punctuation that is not JSON's, and its repair."""
    opening = recorder(path, COWRITING / "replies/payload.txt").open_envelope()
    envelope = await opening.envelope((COWRITING / "broken.txt").read_text(encoding="utf-8"))
    return await opening.payload(envelope, plain_output(Draft))


RECORDED = {
    ASK / "verdict.jsonl": record_verdict,
    ASK / "repair.jsonl": record_repair,
    COWRITING / "repair.jsonl": record_payload,
}

if __name__ == "__main__":
    for recording, record_anew in RECORDED.items():
        asyncio.run(record_anew(recording))
