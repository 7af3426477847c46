"""Models that answer from a script, or never: the fakes at the port, for speed."""

import asyncio
from dataclasses import dataclass, field

from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage
from tests.processes import LIMIT


@dataclass
class ScriptedLLM:
    """Answers in the order of its script; an exception in it is raised. Asking more often than that fails."""

    script: list[str | LLMReply | Exception]
    calls: list[LLMRequest] = field(default_factory=list)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Answer with what comes next."""
        self.calls.append(request)
        answer = self.script[len(self.calls) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, LLMReply) else reply(answer)


@dataclass
class HangingLLM:
    """Writes the beginning of an answer where somebody follows, and is never done with it; a test that waits fails."""

    beginning: str = ""

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Wait."""
        if request.progress and self.beginning:
            request.progress.add(self.beginning)
        await asyncio.sleep(LIMIT)
        raise AssertionError


def reply(text: str, finish_reason: FinishReason = FinishReason.STOP, *, tokens: int = 10) -> LLMReply:
    """A reply of a model called "scripted": as many tokens read as written, and half a second."""
    return LLMReply(text, finish_reason, "scripted", TokenUsage(tokens, tokens), 0.5)
