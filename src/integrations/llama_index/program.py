"""LlamaIndex's program for a prompt, a model and a parser."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any, Generic

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.program import LLMTextCompletionProgram
from llama_index.core.program.utils import FlexibleModel, create_flexible_model
from llama_index.core.types import Model

from src.integrations.llama_index.output_parser import Response, UnifiedOutputParser, finished_of, text_of, tools_of
from src.shared.infrastructure.finish_fields import end_of


class UnifiedProgram(LLMTextCompletionProgram[Model]):
    """`LLMTextCompletionProgram` with `UnifiedOutputParser`, with the finish reason and with streams.

    LlamaIndex's own class works with the parser as well, but hands it the text alone, and streams past it.

    .. versionadded:: 0.1.0
    """

    _output_parser: UnifiedOutputParser[Model]

    def __call__(self, llm_kwargs: dict[str, Any] | None = None, *_args: object, **values: object) -> Model:
        """Ask once and read the object.

        Raises:
            RefusedOutputError: it is refused.
        """
        way, prompt = self._prompted(values)
        return self._output_parser.parse_response(getattr(self._llm, way)(prompt, **(llm_kwargs or {})))

    async def acall(self, llm_kwargs: dict[str, Any] | None = None, *_args: object, **values: object) -> Model:
        """As `__call__`."""
        way, prompt = self._prompted(values)
        return self._output_parser.parse_response(await getattr(self._llm, f"a{way}")(prompt, **(llm_kwargs or {})))

    def stream_call(
        self,
        *_args: object,
        llm_kwargs: dict[str, Any] | None = None,
        **values: object,
    ) -> Generator[Model | FlexibleModel, None, None]:
        """Yield what is certain so far, each time it is more, and at last the object.

        What comes before the object is one of LlamaIndex's flexible models; its fields are None until they are certain.

        Raises:
            RefusedOutputError: it is refused.
        """
        way, prompt = self._prompted(values)
        pieces = _Pieces(self._output_parser)
        for response in getattr(self._llm, f"stream_{way}")(prompt, **(llm_kwargs or {})):
            yield from pieces.add(response)
        yield pieces.read()

    async def astream_call(
        self,
        *_args: object,
        llm_kwargs: dict[str, Any] | None = None,
        **values: object,
    ) -> AsyncGenerator[Model | FlexibleModel, None]:
        """As `stream_call`."""
        way, prompt = self._prompted(values)
        responses = await getattr(self._llm, f"astream_{way}")(prompt, **(llm_kwargs or {}))

        async def objects() -> AsyncGenerator[Model | FlexibleModel, None]:
            pieces = _Pieces(self._output_parser)
            async for response in responses:
                for partial in pieces.add(response):
                    yield partial
            yield pieces.read()

        return objects()

    def _prompted(self, values: dict[str, object]) -> tuple[str, str | list[ChatMessage]]:
        """The method of the model, and what it is called with."""
        if not self._llm.metadata.is_chat_model:
            return "complete", self._prompt.format(llm=self._llm, **values)
        messages = self._prompt.format_messages(llm=self._llm, **values)
        return "chat", self._llm._extend_messages(messages)  # noqa: SLF001 - as its base class does


class _Pieces(Generic[Model]):
    """An answer that comes in pieces."""

    def __init__(self, parser: UnifiedOutputParser[Model]) -> None:
        self._parser = parser
        self._stream = parser.stream()
        self._flexible = create_flexible_model(parser.output_cls)
        self._shown: Any = None
        self._length = 0
        self._ends: set[bool | None] = set()
        self._tools: list[str] = []

    def add(self, response: Response) -> Iterator[FlexibleModel]:
        """Take the next piece, and yield what is certain if that is more than before.

        With `several="last"` nothing is certain before the end.
        """
        text = text_of(response)[self._length :] if response.delta is None else response.delta
        self._length += len(text)
        self._ends.add(finished_of(response))
        self._tools = tools_of(response)  # each response has all of them so far
        snapshot = self._stream.feed(text)
        data = snapshot.data if self._parser.several == "refuse" else None
        if isinstance(data, dict) and data != self._shown:
            self._shown = data
            yield self._flexible.model_validate(data)

    def read(self) -> Model:
        """The object of the whole text."""
        return self._parser.read(self._stream.text, finished=end_of(self._ends), tools=self._tools)
