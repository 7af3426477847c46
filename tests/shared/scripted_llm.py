"""A model that answers from a script: the fake at the port, for speed."""

from dataclasses import dataclass, field

from src.shared.domain.ports.llm import FinishReason, LLMReply, OutputSchema, TokenUsage


@dataclass(frozen=True)
class Call:
    """What the model was asked."""

    prompt: str
    system_message: str | None
    temperature: float
    max_tokens: int | None
    output_schema: OutputSchema | None


@dataclass
class ScriptedLLM:
    """Answers in the order of its script; an exception in it is raised. Asking more often than that fails."""

    script: list[str | LLMReply | Exception]
    calls: list[Call] = field(default_factory=list)

    async def generate(
        self,
        prompt: str,
        system_message: str | None = None,
        temperature: float = 0.7,
        max_tokens: int | None = None,
        *,
        output_schema: OutputSchema | None = None,
    ) -> LLMReply:
        """Answer with what comes next."""
        self.calls.append(Call(prompt, system_message, temperature, max_tokens, output_schema))
        answer = self.script[len(self.calls) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, LLMReply) else reply(answer)


def reply(text: str, finish_reason: FinishReason = FinishReason.STOP, *, tokens: int = 10) -> LLMReply:
    """A reply of a model called "scripted": as many tokens read as written, and half a second."""
    return LLMReply(text, finish_reason, "scripted", TokenUsage(tokens, tokens), 0.5)
