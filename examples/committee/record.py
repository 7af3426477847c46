"""Make the recording of this folder anew: `python -m examples.committee.record`.

The replies in `replies/` were written by hand, the way models answer; a prompt is what the application makes of the
dossier today. Run it when the wording of a prompt, the dossier or a reply has changed.
"""

import asyncio
from pathlib import Path

from examples.committee.committee import committee_of
from examples.committee.dossier import load_dossier
from examples.committee.result import CommitteeResult
from examples.each_language import record_in_each_language
from src.bootstrap import Application
from src.entrypoints.agents import AGENTS
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.infrastructure.llm.exchange import RecordingLLM

HERE = Path(__file__).parent
DOSSIER = HERE / "dossier.json"
RECORDING = HERE / "recording.jsonl"


class WrittenReplies:
    """A model that answers each agent, known by its title in the system message, with that agent's files in turn."""

    def __init__(self) -> None:
        self._texts = {
            agent.output.label: [
                path.read_text(encoding="utf-8")
                for pattern in (f"{name}.txt", f"{name}-*.txt")
                for path in sorted((HERE / "replies").glob(pattern))
            ]
            for name, agent in AGENTS.items()
        }

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Give the agent's next text."""
        title = next(title for title in self._texts if f"**{title}**" in (request.system_message or ""))
        return LLMReply(self._texts[title].pop(0), FinishReason.STOP, "written-by-hand")


async def record(path: Path) -> CommitteeResult:
    """Let the committee sit with the written replies, and write down what was asked and answered in a new file."""
    return await record_in_each_language(path, _record)


async def _record(path: Path) -> CommitteeResult:
    app = Application()
    app.model.override(RecordingLLM(WrittenReplies(), path))
    return await committee_of(app.typed_llm()).run(load_dossier(DOSSIER))


if __name__ == "__main__":
    asyncio.run(record(RECORDING)).decision()
