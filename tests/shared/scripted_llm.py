"""A model that answers from a script: the fake at the port, for speed."""

from dataclasses import dataclass, field

from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, TokenUsage


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


def reply(text: str, finish_reason: FinishReason = FinishReason.STOP, *, tokens: int = 10) -> LLMReply:
    """A reply of a model called "scripted": as many tokens read as written, and half a second."""
    return LLMReply(text, finish_reason, "scripted", TokenUsage(tokens, tokens), 0.5)
