"""The parser in the manner of LlamaIndex: an output parser, a program, what query engines need, calls of tools."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeVar, Unpack

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.options import Finished, ReaderOptions, known_end, takes
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.read_as import told_scalar
from src.shared.infrastructure.answer_in_pieces import AnswerInPieces, read_answer, through, through_async
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.finish_fields import end_of, field_of, finished_by
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing.target_type import target_type
from src.shared.infrastructure.tool_arguments import BoundTools, held_back

with needs_package("llama-index"):
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ChatResponse,
        ChatResponseAsyncGen,
        ChatResponseGen,
        CompletionResponse,
        ToolCallBlock,
    )
    from llama_index.core.bridge.pydantic import BaseModel
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.llms import LLM
    from llama_index.core.llms.function_calling import FunctionCallingLLM
    from llama_index.core.output_parsers import PydanticOutputParser
    from llama_index.core.output_parsers.base import OutputParserException
    from llama_index.core.program import LLMTextCompletionProgram
    from llama_index.core.program.utils import FlexibleModel, create_flexible_model
    from llama_index.core.prompts import BasePromptTemplate
    from llama_index.core.prompts.mixin import PromptDictType
    from llama_index.core.response_synthesizers.refine import StructuredRefineResponse
    from llama_index.core.tools import BaseTool
    from llama_index.core.types import BasePydanticProgram, Model

__all__ = [
    "RefusedOutputError",
    "UnifiedEvaluator",
    "UnifiedOutputParser",
    "UnifiedProgram",
    "repair_tool_calls",
    "typed_answers",
]


T = TypeVar("T")
ToolLLM = TypeVar("ToolLLM", bound=FunctionCallingLLM)
Response = ChatResponse | CompletionResponse


class RefusedOutputError(OutputParserException):
    """LlamaIndex's exception for a text that was refused. Its cause is the `LLMJsonParseError`.

    Its message is what to tell the model for its next try. It is no `ValueError`: LlamaIndex's synthesizers turn those
    into an empty response.

    Attributes:
        llm_output: the text.

    .. versionadded:: 0.1.0
    """

    def __init__(self, feedback: str, llm_output: str = "") -> None:
        super().__init__(feedback, llm_output)
        self.llm_output = llm_output

    def __str__(self) -> str:
        """What to tell the model."""
        return str(self.args[0])


class UnifiedOutputParser(PydanticOutputParser[Any], Generic[T]):
    """Reads a typed object from a model's text, or refuses it with `RefusedOutputError`.

    Args:
        dto_type: any type the parser takes. LlamaIndex's programs need a model.
        options: those of `ReaderOptions`.

    Raises:
        TypeError: `dto_type` is no type, or its JSON is neither an object nor an array.

    .. versionadded:: 0.1.0
    """

    @takes(ReaderOptions)
    def __init__(self, dto_type: AnswerType[T], **options: Unpack[ReaderOptions]) -> None:
        dto_type = told_scalar(dto_type, options)
        target_type(dto_type, coerce=options.get("coerce", False))  # no type: told here, not at the first answer
        given: Any = dto_type
        super().__init__(output_cls=given)
        self.options = options

    def parse(self, text: str) -> T:
        """Read the object in a text of which nobody knows how it ended: the text itself has to show its end.

        Raises:
            RefusedOutputError: it is refused.
        """
        return self.read(text)

    def parse_response(self, response: Response) -> T:
        """Read the object in a response; one that its finish reason says was cut off is refused.

        Raises:
            RefusedOutputError: it is refused.
        """
        return self.read(text_of(response), finished=finished_of(response), tools=tools_of(response))

    def read(self, text: str, *, finished: Finished = None, tools: Sequence[str] = ()) -> T:
        """Read the object in a text.

        Args:
            text: the whole of it.
            finished: as for `parse_llm_json_output`.
            tools: the names of the tools that were called.

        Raises:
            RefusedOutputError: it is refused.
        """
        try:
            value: T = read_answer(text, self.output_cls, self.options, known_end(finished), tools)
        except LLMJsonParseError as error:
            raise RefusedOutputError(error.feedback(), text) from error
        return value

    def stream(self) -> LLMJsonStream[T]:
        """Begin an answer that comes in pieces."""
        return LLMJsonStream(self.output_cls, self.options.get("context_label", ""), self.options.get("normalizers"))

    def get_format_string(self, escape_json: bool = True) -> str:  # noqa: FBT001, FBT002 - LlamaIndex's signature
        """The JSON requirement and the description of the type.

        Args:
            escape_json: whether braces are doubled, for `str.format`. LlamaIndex's own templates need none doubled.
        """
        text = with_json_requirement("", self.output_cls)
        return text.replace("{", "{{").replace("}", "}}") if escape_json else text

    def format(self, query: str) -> str:
        """Append the JSON requirement and the description of the type, unless the query has them."""
        return with_json_requirement(query, self.output_cls)


def text_of(response: Response) -> str:
    """The text of a response, without reasoning that the provider returns apart."""
    return response.text if isinstance(response, CompletionResponse) else response.message.content or ""


def tools_of(response: Response) -> list[str]:
    """The names of the tools that a response calls."""
    blocks = response.message.blocks if isinstance(response, ChatResponse) else ()
    return [block.tool_name for block in blocks if isinstance(block, ToolCallBlock)]


def finished_of(response: Response) -> bool | None:
    """What is known of the end, from what the provider sent, as LlamaIndex keeps it."""
    raw = response.raw
    first = [choices[0] for name in ("choices", "candidates") if (choices := field_of(raw, name))]
    return finished_by(response.additional_kwargs, raw, field_of(raw, "delta"), *first)


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
        responses = getattr(self._llm, f"stream_{way}")(prompt, **(llm_kwargs or {}))
        yield from through(responses, *self._pieces())

    async def astream_call(
        self,
        *_args: object,
        llm_kwargs: dict[str, Any] | None = None,
        **values: object,
    ) -> AsyncGenerator[Model | FlexibleModel, None]:
        """As `stream_call`."""
        way, prompt = self._prompted(values)
        responses = await getattr(self._llm, f"astream_{way}")(prompt, **(llm_kwargs or {}))
        return through_async(responses, *self._pieces())

    def _pieces(self) -> tuple[Callable[[Response], Iterator[Any]], Callable[[], Iterator[Any]]]:
        """What takes the responses of a stream, and what ends it."""
        parser = self._output_parser
        answer = AnswerInPieces(parser.output_cls, parser.options)
        flexible = create_flexible_model(parser.output_cls)
        length = 0

        def take(response: Response) -> Iterator[FlexibleModel]:
            nonlocal length
            text = text_of(response)[length:] if response.delta is None else response.delta
            length += len(text)
            answer.tools = tools_of(response)  # each response has all of them so far
            answer.feed(text, finished=finished_of(response))
            data = answer.growth()
            if isinstance(data, dict):
                yield flexible.model_validate(data)

        def end() -> Iterator[Model]:
            yield parser.read(answer.stream.text, finished=answer.finished, tools=answer.tools)

        return take, end

    def _prompted(self, values: dict[str, object]) -> tuple[str, str | list[ChatMessage]]:
        """The method of the model, and what it is called with."""
        if not self._llm.metadata.is_chat_model:
            return "complete", self._prompt.format(llm=self._llm, **values)
        messages = self._prompt.format_messages(llm=self._llm, **values)
        return "chat", self._llm._extend_messages(messages)  # noqa: SLF001 - as its base class does


class _AnswerProgram(BasePydanticProgram[StructuredRefineResponse]):
    """A program whose object, as JSON, is the answer of a query engine."""

    def __init__(self, program: UnifiedProgram[Any]) -> None:
        self._program = program

    @property
    def output_cls(self) -> type[StructuredRefineResponse]:
        return StructuredRefineResponse

    def __call__(self, **values: object) -> StructuredRefineResponse:
        return _answer(self._program(None, **values))

    async def acall(self, **values: object) -> StructuredRefineResponse:
        return _answer(await self._program.acall(None, **values))


def _answer(value: BaseModel) -> StructuredRefineResponse:
    """The text that the synthesizer shows the model if there is more context, and makes the object of at the end."""
    text = value.model_dump_json(by_alias=True, round_trip=True)
    if type(value).model_validate_json(text) != value:
        message = f"a {type(value).__name__} is not the same after JSON; LlamaIndex's synthesizers need it to be"
        raise RuntimeError(message)
    return StructuredRefineResponse(answer=text, query_satisfied=True)


def typed_answers(
    parser: UnifiedOutputParser[Any], llm: LLM
) -> Callable[[BasePromptTemplate], BasePydanticProgram[Any]]:
    """The `program_factory` of a synthesizer whose answers are typed objects.

    To be given to `get_response_synthesizer`, with `output_cls` and `structured_answer_filtering=True`. The response of
    the query engine is then a `PydanticResponse`. What is refused raises `RefusedOutputError`; a type whose objects are
    not the same after a turn through JSON, which synthesizers take them through, raises `RuntimeError`.

    .. versionadded:: 0.1.0
    """
    return lambda prompt: _AnswerProgram(UnifiedProgram(parser, parser.output_cls, prompt, llm))


class UnifiedEvaluator(BaseEvaluator):
    """Says whether a response can be read, and if not, what to tell the model: for LlamaIndex's `RetryQueryEngine`.

    .. versionadded:: 0.1.0
    """

    def __init__(self, parser: UnifiedOutputParser[Any]) -> None:
        self._parser = parser

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_options: object,
    ) -> EvaluationResult:
        """Read the response. If it is refused, it does not pass, and the feedback is the parser's."""
        result = EvaluationResult(query=query, response=response, contexts=contexts, passing=True, score=1.0)
        try:
            self._parser.parse(response or "")
        except RefusedOutputError as error:
            return result.model_copy(update={"passing": False, "score": 0.0, "feedback": str(error)})
        return result

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_options: object,
    ) -> EvaluationResult:
        """As `evaluate`."""
        return self.evaluate(query, response, contexts)

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """There are none."""


# --- calls of tools ---


def repair_tool_calls(llm: ToolLLM) -> ToolLLM:
    """A copy of a model that repairs the arguments of its tool calls, for agents and `predict_and_call`.

    The blocks of a response that call tools (`ToolCallBlock`) are repaired in what `chat_with_tools` and its three
    siblings give; in a stream in its last response. A response without damage is passed on as it is.

    Args:
        llm: any model that calls functions.

    Returns:
        A copy, which raises `RefusedOutputError` for a call that is refused.

    .. versionadded:: 0.1.0
    """
    copied = llm.model_copy()
    repairing: Any = type(llm.__class__.__name__, (_RepairingLLM, llm.__class__), {"__module__": __name__})
    object.__setattr__(copied, "__class__", repairing)
    return copied


class _RepairingLLM(FunctionCallingLLM):
    """What a model does besides, of which `repair_tool_calls` gave a copy."""

    def chat_with_tools(self, tools: Sequence[BaseTool], *args: Any, **kwargs: Any) -> ChatResponse:  # noqa: ANN401 - LlamaIndex's
        return self._repaired(tools, super().chat_with_tools(tools, *args, **kwargs))

    async def achat_with_tools(self, tools: Sequence[BaseTool], *args: Any, **kwargs: Any) -> ChatResponse:  # noqa: ANN401 - as above
        return self._repaired(tools, await super().achat_with_tools(tools, *args, **kwargs))

    def stream_chat_with_tools(self, tools: Sequence[BaseTool], *args: Any, **kwargs: Any) -> ChatResponseGen:  # noqa: ANN401 - as above
        responses = super().stream_chat_with_tools(tools, *args, **kwargs)
        yield from through(responses, *held_back(_has_calls, partial(self._last_repaired, tools)))

    async def astream_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        *args: Any,  # noqa: ANN401 - as above
        **kwargs: Any,  # noqa: ANN401 - as above
    ) -> ChatResponseAsyncGen:
        responses = await super().astream_chat_with_tools(tools, *args, **kwargs)
        return through_async(responses, *held_back(_has_calls, partial(self._last_repaired, tools)))

    def _last_repaired(self, tools: Sequence[BaseTool], responses: list[ChatResponse]) -> list[ChatResponse]:
        return [*responses[:-1], self._repaired(tools, *reversed(responses))]

    def _repaired(self, tools: Sequence[BaseTool], response: ChatResponse, *earlier: ChatResponse) -> ChatResponse:
        """The response with its calls repaired; the same if there is nothing to repair. Any may tell how it ended."""
        finished = end_of({finished_of(one) for one in (response, *earlier)})
        schemas = {str(one.metadata.name): one.metadata.get_parameters_dict() for one in tools}
        bound = BoundTools(schemas, lambda error, text: RefusedOutputError(error.feedback(), text))
        repaired: dict[int, ToolCallBlock] = {}
        for at, block in enumerate(response.message.blocks):
            if isinstance(block, ToolCallBlock):
                args = block.tool_kwargs
                read = bound.repaired(block.tool_name, args, finished=finished)
                if read.is_changed:
                    kwargs = json.dumps(read.arguments, ensure_ascii=False) if isinstance(args, str) else read.arguments
                    repaired[at] = block.model_copy(update={"tool_name": read.name, "tool_kwargs": kwargs})
        if not repaired:
            return response
        blocks = [repaired.get(at, block) for at, block in enumerate(response.message.blocks)]
        return response.model_copy(update={"message": response.message.model_copy(update={"blocks": blocks})})


def _has_calls(response: ChatResponse) -> bool:
    return any(isinstance(block, ToolCallBlock) for block in response.message.blocks)
