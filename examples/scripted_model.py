"""A model of pydantic-ai whose answers are written down: no provider, no network."""

from collections.abc import AsyncIterator

from pydantic_ai import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

_PIECE = 11


class ScriptedModel(FunctionModel):
    """Gives these texts, one a request, in pieces where a stream is asked for.

    Attributes:
        asked: the last part of each request, as text.
    """

    def __init__(self, *texts: str) -> None:
        self.asked: list[str] = []
        self._texts = iter(texts)
        super().__init__(self._reply, stream_function=self._stream)

    def _reply(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(self._next(messages))], finish_reason="stop")

    async def _stream(self, messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str]:
        text = self._next(messages)
        for at in range(0, len(text), _PIECE):
            yield text[at : at + _PIECE]

    def _next(self, messages: list[ModelMessage]) -> str:
        self.asked.append(str(getattr(messages[-1].parts[-1], "content", "")))
        return next(self._texts)
