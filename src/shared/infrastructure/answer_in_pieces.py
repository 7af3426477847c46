"""One answer of a framework's model while it is written: pieces in, what is certain out, at its end the object."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.llm_errors import only_tools_error
from src.shared.domain.options import unusual
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.read_as import told_scalar
from src.shared.infrastructure.finish_fields import end_of
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot

T = TypeVar("T")
Chunk = TypeVar("Chunk")
Shown = TypeVar("Shown")


class AnswerInPieces(Generic[T]):
    """An answer in the making, as the frameworks show it.

    Attributes:
        stream: its text so far, and what is certain of it.
        tools: names of the tools that the model called.
    """

    def __init__(self, dto_type: AnswerType[T], options: Mapping[str, Any]) -> None:
        """Begin an answer; `options` are those that it will be read with."""
        dto_type = told_scalar(dto_type, options)
        self.stream = LLMJsonStream(dto_type, options.get("context_label", ""), options.get("normalizers"))
        self.tools: Sequence[str] = ()
        self._dto_type = dto_type
        self._options = unusual(options)
        self._ends: set[bool | None] = set()
        self._shown: Any = None

    def feed(self, piece: str, *, finished: bool | None = None) -> StreamSnapshot[T]:
        """Take the next piece, and what the provider said of the end with it."""
        self._ends.add(finished)
        return self.stream.feed(piece)

    def growth(self) -> Any:  # noqa: ANN401 - decoded JSON
        """What is certain, if that is more than when it was asked for last, else None.

        With `several="last"` nothing is certain before the end.
        """
        data = None if "several" in self._options else self.stream.snapshot.data
        if data is None or data == self._shown:
            return None
        self._shown = data
        return data

    @property
    def finished(self) -> bool | None:
        """What all pieces say of its end."""
        return end_of(self._ends)

    def read(self) -> Any:  # noqa: ANN401 - of the type, or a `Partial` of it
        """What is made of the whole text.

        Raises:
            LLMJsonParseError: it is refused.
        """
        return read_answer(self.stream.text, self._dto_type, self._options, self.finished, self.tools)

    def close(self) -> StreamSnapshot[T]:
        """The snapshot of the whole text.

        Raises:
            LLMJsonParseError: it is refused.
        """
        parsed = parse_llm_json_output_with_trace(
            self.stream.text, self._dto_type, finished=self.finished, **self._options
        )
        return self.stream.close_as(ParsedText(parsed.value, data=parsed.decoded.data))


def read_answer(
    text: str,
    dto_type: AnswerType[Any],
    options: Mapping[str, Any],
    finished: bool | None,  # noqa: FBT001 - what is known of the end, passed on
    tools: Sequence[str] = (),
) -> Any:  # noqa: ANN401 - of the type, or a `Partial` of it
    """What is made of a whole text.

    Raises:
        LLMJsonParseError: it is refused; where the model called tools and wrote no text, that is what it says.
    """
    try:
        return parse_llm_json_output(text, dto_type, finished=finished, **options)
    except LLMJsonParseError as error:
        if text.strip() or not tools:
            raise
        raise only_tools_error(tools, error) from error


def through(
    chunks: Iterable[Chunk], take: Callable[[Chunk], Iterable[Shown]], end: Callable[[], Iterable[Shown]]
) -> Iterator[Shown]:
    """What is to be shown after each chunk, and at the end; chunks that are left early are closed."""
    try:
        for chunk in chunks:
            yield from take(chunk)
        yield from end()
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()


async def through_async(
    chunks: AsyncIterable[Chunk], take: Callable[[Chunk], Iterable[Shown]], end: Callable[[], Iterable[Shown]]
) -> AsyncGenerator[Shown, None]:
    """As `through`."""
    try:
        async for chunk in chunks:
            for shown in take(chunk):
                yield shown
        for shown in end():
            yield shown
    finally:
        close = getattr(chunks, "close", None) or getattr(chunks, "aclose", None)
        if close is not None:
            await close()
