"""The libraries that show an answer while it is written, each called as its own documentation says."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

Show: TypeAlias = Callable[[Any], None]
"""Is told what is shown: plain data, or an object of the type."""
Run: TypeAlias = Callable[[Iterable[str], Show], None]
"""Reads the pieces of one text, and shows what it makes of them; raises where it refuses."""

OURS = "ours"
OURS_AT_THE_END = "ours, looked at only at the end"


class Peer(NamedTuple):
    """A library under its name in the tables.

    Attributes:
        name: as the tables show it.
        package: the distribution; empty for ours.
        family: `ours`, `native` or `python`: what the part that reads the text is written in.
        load: imports it, for a type.
        note: how it is called.
    """

    name: str
    package: str
    family: str
    load: Callable[[type[BaseModel]], Run]
    note: str

    def version(self) -> str | None:
        """The version that is installed; None where it is not."""
        try:
            return importlib.metadata.version(self.package) if self.package else "this source tree"
        except importlib.metadata.PackageNotFoundError:
            return None


def _ours(dto: type[BaseModel], *, is_looked_at: bool = True) -> Run:
    stream_of: Any = import_module("src.shared.infrastructure.llm_stream").LLMJsonStream

    def run(chunks: Iterable[str], show: Show) -> None:
        stream = stream_of(dto)
        for chunk in chunks:
            snapshot = stream.feed(chunk)
            if is_looked_at:
                show(snapshot.data)
        show(stream.close())

    return run


def _ours_at_the_end(dto: type[BaseModel]) -> Run:
    return _ours(dto, is_looked_at=False)


def _each_time(read: Callable[[str], Any], last: Callable[[str], Any]) -> Run:
    """Read the whole text again at every piece; where that raises, what was shown stays."""

    def run(chunks: Iterable[str], show: Show) -> None:
        text = ""
        for chunk in chunks:
            text += chunk
            try:
                value = read(text)
            except (ValueError, TypeError):
                continue
            show(value)
        show(last(text))

    return run


def _pydantic_core(dto: type[BaseModel]) -> Run:
    from_json = import_module("pydantic_core").from_json
    return _each_time(lambda text: from_json(text, allow_partial="trailing-strings"), dto.model_validate_json)


def _jiter(dto: type[BaseModel]) -> Run:
    from_json = import_module("jiter").from_json
    return _each_time(
        lambda text: from_json(text.encode(), partial_mode="trailing-strings"),
        lambda text: dto.model_validate(from_json(text.encode())),
    )


def _partial_json_parser(dto: type[BaseModel]) -> Run:
    loads = import_module("partial_json_parser").loads
    return _each_time(loads, lambda text: dto.model_validate(loads(text)))


def _langchain(dto: type[BaseModel]) -> Run:
    parser: Any = import_module("langchain_core.output_parsers").JsonOutputParser(pydantic_object=dto)

    def run(chunks: Iterable[str], show: Show) -> None:
        value = None
        for value in parser.transform(iter(chunks)):
            show(value)
        show(dto.model_validate(value))

    return run


def _instructor(dto: type[BaseModel], *, is_extracted: bool = False) -> Run:
    partial: Any = import_module("instructor").Partial[dto]
    extract = import_module("instructor.v2.core.json").extract_json_from_stream

    def run(chunks: Iterable[str], show: Show) -> None:
        value: Any = None
        for value in partial.from_streaming_response(iter(chunks), stream_extractor=extract if is_extracted else iter):
            show(value)
        show(dto.model_validate(value.model_dump()))

    return run


def _instructor_md_json(dto: type[BaseModel]) -> Run:
    return _instructor(dto, is_extracted=True)


def _pydantic_ai(dto: type[BaseModel]) -> Run:
    agent_of: Any = import_module("pydantic_ai").Agent
    output: Any = import_module("pydantic_ai").PromptedOutput(_all_optional(dto))
    function_model: Any = import_module("pydantic_ai.models.function").FunctionModel

    def run(chunks: Iterable[str], show: Show) -> None:
        async def answer(_messages: object, _info: object) -> AsyncIterator[str]:
            for chunk in chunks:
                yield chunk

        async def ask() -> None:
            agent = agent_of(function_model(stream_function=answer), output_type=output, retries=0)
            value: Any = None
            async with agent.run_stream("?") as result:
                async for value in result.stream_output(debounce_by=None):
                    show(value)
            show(dto.model_validate(value))

        asyncio.run(ask())

    return run


def _all_optional(kind: Any) -> Any:  # noqa: ANN401 - any annotation
    """The type as typed dicts without a required key: the form that pydantic-ai validates in parts."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = {name: _all_optional(field.annotation) for name, field in kind.model_fields.items()}
        return TypedDict(kind.__name__, fields, total=False)  # type: ignore[operator]  # made while it runs
    if get_origin(kind) is list:
        return list[_all_optional(get_args(kind)[0])]  # type: ignore[misc]  # made while it runs
    return kind


def _parsantic(dto: type[BaseModel]) -> Run:
    parse_stream = import_module("parsantic").parse_stream
    adapter = TypeAdapter(dto)

    def run(chunks: Iterable[str], show: Show) -> None:
        parser = parse_stream(adapter)
        for chunk in chunks:
            parser.feed(chunk)
            try:
                value = parser.parse_partial().value
            except (ValueError, TypeError):
                continue
            show(value)
        show(parser.finish().value)

    return run


PEERS: tuple[Peer, ...] = (
    Peer(OURS, "", "ours", _ours, "`LLMJsonStream.feed(chunk).data` after every piece, then `close`"),
    Peer(OURS_AT_THE_END, "", "ours", _ours_at_the_end, "`feed` for every piece, then `close`"),
    Peer(
        "pydantic-core",
        "pydantic-core",
        "native",
        _pydantic_core,
        '`from_json(text, allow_partial="trailing-strings")`, Rust',
    ),
    Peer("jiter", "jiter", "native", _jiter, '`from_json(text, partial_mode="trailing-strings")`, Rust'),
    Peer("partial-json-parser", "partial-json-parser", "python", _partial_json_parser, "`loads(text)`"),
    Peer("langchain", "langchain-core", "python", _langchain, "`JsonOutputParser().transform(pieces)`"),
    Peer(
        "instructor",
        "instructor",
        "python",
        _instructor,
        "`Partial[T].from_streaming_response`, the pieces as they are",
    ),
    Peer(
        "instructor MD_JSON",
        "instructor",
        "python",
        _instructor_md_json,
        "the same behind `extract_json_from_stream`, as with `Mode.MD_JSON`",
    ),
    Peer(
        "pydantic-ai",
        "pydantic-ai-slim",
        "python",
        _pydantic_ai,
        "`Agent.run_stream` of a `FunctionModel` with `PromptedOutput`, no debounce; the type as typed dicts",
    ),
    Peer(
        "parsantic",
        "parsantic",
        "python",
        _parsantic,
        "`parse_stream(T)`, `parse_partial` after every piece; for Python 3.12 and newer",
    ),
)


def present() -> Iterator[Peer]:
    """The libraries that are installed here."""
    return (peer for peer in PEERS if peer.version())
