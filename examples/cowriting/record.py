"""Make the recording of this folder anew: `python -m examples.cowriting.record`.

The reply in `replies/` was written by hand, the way models answer; the prompt is what the repair agent makes of the
broken payload today. Run it when the wording of the prompt has changed.
"""

import asyncio
from pathlib import Path

from examples.cowriting.draft import Draft
from examples.written_replies import WrittenReplies
from src.bootstrap import Application
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm.exchange import RecordingLLM

HERE = Path(__file__).parent


def recorder(path: Path) -> Application:
    """The application with a model whose reply is recorded in a new file."""
    path.unlink(missing_ok=True)
    app = Application()
    app.model.override(RecordingLLM(WrittenReplies([HERE / "replies/payload.txt"]), path))
    return app


async def record(path: Path) -> Draft | None:
    """Open the envelope whose payload has punctuation that is not JSON's, and record its repair."""
    opening = recorder(path).open_envelope()
    envelope = await opening.envelope((HERE / "broken.txt").read_text(encoding="utf-8"))
    return await opening.payload(envelope, plain_output(Draft))


if __name__ == "__main__":
    asyncio.run(record(HERE / "repair.jsonl"))
