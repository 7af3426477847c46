"""The parser for LangChain: `prompt | model | UnifiedOutputParser(Review)`, `model | RepairedToolCalls(tools)`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, cast, overload

from pydantic import BaseModel, TypeAdapter, create_model

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.options import DEFAULTS, Keep, KeepingOptions, ReaderOptions, takes, unusual
from src.shared.domain.partial import Partial
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.read_as import told_scalar
from src.shared.infrastructure.answer_in_pieces import AnswerInPieces, read_answer, through, through_async
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.finish_fields import finished_by
from src.shared.infrastructure.parsing.target_type import target_type
from src.shared.infrastructure.tool_arguments import BoundTools, held_back

with needs_package("langchain"):
    from langchain_core.exceptions import OutputParserException
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
    from langchain_core.messages.tool import tool_call, tool_call_chunk
    from langchain_core.output_parsers import BaseTransformOutputParser
    from langchain_core.outputs import ChatGeneration, Generation
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.runnables.config import run_in_executor
    from langchain_core.utils.function_calling import convert_to_openai_tool

T = TypeVar("T")
S = TypeVar("S")


if TYPE_CHECKING:
    _Options = BaseModel
else:
    _Options = create_model("_Options", **{name: (Any, DEFAULTS[name]) for name in KeepingOptions.__annotations__})


class UnifiedOutputParser(BaseTransformOutputParser[T], _Options, Generic[T]):
    """Reads a typed object from a model's message, or refuses it with LangChain's own exception.

    A message's finish reason is respected: what was cut off is refused, whatever it looks like. A string has none, so
    the text itself has to show its end.

    What is refused raises `OutputParserException`. Its `llm_output` is the text, its `observation` what to tell the
    model for its next try, its `send_to_llm` is True, and its cause is the `LLMJsonParseError`.

    Args:
        dto_type: any type the parser takes: a model, a dataclass, a `TypedDict`, `list[Model]`, a `TypeAdapter`, a
            `JsonSchema`.
        options: those of `KeepingOptions`: with `keep="good"` the parser gives a `Partial`.
        stream_data: whether a stream also shows what is certain of the answer so far; see `transform`.
        name: the name of the run in callbacks and traces; by default that of the class.

    Raises:
        TypeError: `dto_type` is no type, or its JSON is neither an object nor an array.

    .. versionadded:: 0.1.0
    """

    dto_type: Any
    stream_data: bool = False

    @overload
    def __init__(
        self: UnifiedOutputParser[S],
        dto_type: AnswerType[S],
        *,
        keep: None = None,
        stream_data: bool = False,
        name: str | None = None,
        **options: Unpack[ReaderOptions],
    ) -> None: ...

    @overload
    def __init__(
        self: UnifiedOutputParser[Partial[S]],
        dto_type: AnswerType[S],
        *,
        keep: Keep,
        stream_data: bool = False,
        name: str | None = None,
        **options: Unpack[ReaderOptions],
    ) -> None: ...

    @takes(KeepingOptions)
    def __init__(
        self,
        dto_type: AnswerType[Any],
        *,
        stream_data: bool = False,
        name: str | None = None,
        **options: Unpack[KeepingOptions],
    ) -> None:
        dto_type = told_scalar(dto_type, options)
        target_type(dto_type, coerce=options.get("coerce", False))  # no type: told here, not at the first answer
        fields: dict[str, Any] = {"dto_type": dto_type, **options, "stream_data": stream_data, "name": name}
        super().__init__(**fields)

    @property
    def _asked(self) -> dict[str, Any]:
        """The options that are not usual."""
        return unusual({name: getattr(self, name) for name in KeepingOptions.__annotations__})

    @property
    def OutputType(self) -> type[T]:  # noqa: N802 - LangChain's name
        """The type of the object."""
        given = Partial if "keep" in self._asked else self.dto_type
        return cast("type[T]", given._type if isinstance(given, TypeAdapter) else given)  # noqa: SLF001 - it has no other name

    @property
    def _type(self) -> str:
        return "unified_llm_output"

    def get_format_instructions(self) -> str:
        """The JSON requirement and the description of the type, for the prompt, as `call_with_json` sends them."""
        return with_json_requirement("", self.dto_type)

    def parse(self, text: str) -> T:
        """Read the object in a text of which nobody knows how it ended.

        Raises:
            OutputParserException: it is refused.
        """
        return self.parse_result([Generation(text=text)])

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> T:
        """Read the object in the first generation.

        Args:
            result: what the model generated; all but the first are left alone.
            partial: whether more of the text is to come. Then the result is the object if all of it is there already,
                else None.

        Raises:
            OutputParserException: it is refused; not if `partial`.
        """
        text, finished, tools = _parts_of(result[0])
        asked = self._asked
        if not partial:
            return self._result(lambda: read_answer(text, self.dto_type, asked, finished, tools), text)
        if not asked.keys().isdisjoint({"several", "accept"}):
            return cast("T", None)
        whole = AnswerInPieces[Any](self.dto_type, asked).feed(text).value
        return cast("T", Partial(whole) if "keep" in asked and whole is not None else whole)

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[Any]:  # noqa: A002 - LangChain's name
        """Yield the object once the whole text is there.

        With `stream_data` plain data come first, each time more of the answer is certain; the object is always last.
        A step that adds chunks up is left with the last of them.
        """
        answer = AnswerInPieces[Any](self.dto_type, self._asked)
        for chunk in input:
            yield from self._certain_data(answer, chunk)
        yield self._result(answer.read, answer.stream.text)

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[Any]:  # noqa: A002 - LangChain's name
        """Yield what `_transform` yields; the whole text is read in a thread."""
        answer = AnswerInPieces[Any](self.dto_type, self._asked)
        async for chunk in input:
            for data in self._certain_data(answer, chunk):
                yield data
        yield await run_in_executor(None, self._result, answer.read, answer.stream.text)

    def _certain_data(self, answer: AnswerInPieces[Any], chunk: str | BaseMessage) -> Iterator[Any]:
        """What is certain after a piece, if that is to be shown and is more than before."""
        is_message = isinstance(chunk, BaseMessage)
        text, finished, tools = _parts_of(ChatGeneration(message=chunk) if is_message else Generation(text=chunk))
        answer.tools = (*answer.tools, *tools)
        answer.feed(text, finished=finished)
        data = answer.growth() if self.stream_data else None
        if data is not None:
            yield _Latest(data) if isinstance(data, list) else data

    @staticmethod
    def _result(read: Callable[[], T], text: str) -> T:
        """What is read, or LangChain's exception for a text that is refused."""
        try:
            return read()
        except LLMJsonParseError as error:
            raise _exception(error, text) from error


class _Latest(list[Any]):
    """A list in a stream. Steps of LangChain add chunks up; to add a later one is to replace this one."""

    def __add__(self, later: Any) -> Any:  # noqa: ANN401 - the next chunk
        return later


def _parts_of(generation: Generation) -> tuple[str, bool | None, list[str]]:
    """The text of a generation, what is known of its end, and the names of the tools that it calls."""
    message = generation.message if isinstance(generation, ChatGeneration) else None
    finished = finished_by(generation.generation_info, message and message.response_metadata)
    calls = (*message.tool_calls, *message.invalid_tool_calls) if isinstance(message, AIMessage) else ()
    return generation.text, finished, [call["name"] for call in calls if call["name"]]


# --- calls of tools ---


class RepairedToolCalls(Runnable[AIMessage, AIMessage]):
    """Repairs the tool calls of a model's messages: `model.bind_tools(tools) | RepairedToolCalls(tools)`.

    What LangChain put under `invalid_tool_calls` is read, and stands under `tool_calls`, behind the calls that are
    whole. A message without damage is passed on as it is. In a stream, what comes from the first part of a call on is
    passed on at the end of the message: LangChain itself closes the brackets of calls that were cut off.

    What is refused raises `OutputParserException`, as for `UnifiedOutputParser`, with the text of the arguments.

    Args:
        tools: what `bind_tools` of the model got.

    .. versionadded:: 0.1.0
    """

    def __init__(self, tools: Sequence[Any]) -> None:
        functions = [convert_to_openai_tool(tool)["function"] for tool in tools]
        self._tools = BoundTools({one["name"]: one.get("parameters", {}) for one in functions}, _exception)

    def invoke(self, input: AIMessage, config: RunnableConfig | None = None, **_options: object) -> AIMessage:  # noqa: A002 - LangChain's name
        """The message with its calls repaired.

        Raises:
            OutputParserException: a call is refused.
        """
        return self._call_with_config(lambda message: self._repaired([message])[0], input, config)

    def transform(
        self,
        input: Iterator[AIMessage],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,  # noqa: ARG002 - LangChain's signature
        **_options: object,
    ) -> Iterator[AIMessage]:
        """The chunks of a message as they come; from the first part of a call on, at its end."""
        yield from through(input, *held_back(_may_call, self._repaired))

    async def atransform(
        self,
        input: AsyncIterator[AIMessage],  # noqa: A002 - LangChain's name
        config: RunnableConfig | None = None,  # noqa: ARG002 - as above
        **_options: object,
    ) -> AsyncIterator[AIMessage]:
        """As `transform`."""
        async for message in through_async(input, *held_back(_may_call, self._repaired)):
            yield message

    def _repaired(self, parts: list[AIMessage]) -> list[AIMessage]:
        """The parts of a message: the same if there is nothing to repair, else with all calls in the last one."""
        finished = finished_by(*(part.response_metadata for part in parts))
        given = _calls_of(parts)
        calls = [self._tools.repaired(name, args, finished=finished) for name, args, _ in given]
        is_valid = all(isinstance(part, AIMessageChunk) or not part.invalid_tool_calls for part in parts)
        if is_valid and not any(call.is_changed for call in calls):
            return parts
        found = [(call.name, call.arguments, id_) for call, (*_, id_) in zip(calls, given, strict=True)]
        *others, last = (part.model_copy(update=_made([], part)) for part in parts)
        return [*others, last.model_copy(update=_made(found, last))]


_Call = tuple[str, str | dict[str, Any] | None, str | None]
"""The name of a call, its arguments, and its id."""


def _calls_of(parts: list[AIMessage]) -> list[_Call]:
    """The calls of a message; those of chunks by their text, since LangChain reads that with its brackets closed.

    Of two calls with one index LangChain gives what follows to the first.
    """
    calls: list[_Call | list[Any]] = []
    growing: dict[object, list[Any]] = {}
    for part in parts:
        if not isinstance(part, AIMessageChunk):
            whole = (*part.tool_calls, *part.invalid_tool_calls)
            calls += ((one["name"] or "", one["args"], one["id"]) for one in whole)
            continue
        for chunk in part.tool_call_chunks:
            at = chunk["index"]
            known = growing.get(at) if at is not None else None
            if known is None or (chunk["id"] and known[2] and chunk["id"] != known[2]):
                known = growing[at] = ["", [], None]
                calls.append(known)
            known[0] += chunk["name"] or ""
            known[1].append(chunk["args"] or "")
            known[2] = known[2] or chunk["id"]
    return [one if isinstance(one, tuple) else (one[0], "".join(one[1]), one[2]) for one in calls]


def _made(calls: list[tuple[str, dict[str, Any], str | None]], part: AIMessage) -> dict[str, Any]:
    """The fields of a part of a message that has these calls."""
    made: dict[str, Any] = {
        "tool_calls": [tool_call(name=name, args=args, id=id_) for name, args, id_ in calls],
        "invalid_tool_calls": [],
    }
    if isinstance(part, AIMessageChunk):
        made["tool_call_chunks"] = [
            tool_call_chunk(name=name, args=json.dumps(args, ensure_ascii=False), id=id_, index=at)
            for at, (name, args, id_) in enumerate(calls)
        ]
    return made


def _may_call(message: AIMessage) -> bool:
    """Whether a part of a message has a part of a call; one that is whole may have one."""
    return not isinstance(message, AIMessageChunk) or bool(message.tool_call_chunks)


def _exception(error: LLMJsonParseError, text: str) -> OutputParserException:
    """LangChain's exception for what is refused."""
    return OutputParserException(error, observation=error.feedback(), llm_output=text, send_to_llm=True)
