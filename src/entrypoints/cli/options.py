"""The options that several commands share, some in groups, and what they select: the log and the model."""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast, get_type_hints

import typer

from src.entrypoints.cli.guard import Command, guarded
from src.entrypoints.cli.plain_output import spoken
from src.shared.domain.options import NEEDING_TYPE, OPTIONS, unusual

if TYPE_CHECKING:
    from src.bootstrap import Application


def option(metavar: str, text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401 - typer's own
    """An option with a value: what its value is, its help, and its names if they are not those of the parameter."""
    return typer.Option(*names, metavar=metavar, help=text, **more)


def switch(name: str, text: str, *names: str) -> Any:  # noqa: ANN401 - as above
    """An option that is there or not."""
    return typer.Option(name, *names, help=text)


Format: TypeAlias = Literal["json", "table"]
Finished: TypeAlias = Literal["yes", "no", "unknown"]
KNOWN_END: dict[Finished, bool | None] = {"yes": True, "no": False, "unknown": None}
"""What is known of the end of a text, as the parser takes it."""
InWordsOrJson: TypeAlias = Literal["text", "json"]
TraceFormat: TypeAlias = Literal["text", "stages", "json", "none"]
"""What is told on stderr of how a text was read."""

FileArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The model's raw text, UTF-8; `-`, or no FILE at all, reads stdin.")
]
ResultFormatOption: TypeAlias = Annotated[
    InWordsOrJson, option("text|json", "How the result is written to stdout.", "--format")
]
FinishedOption: TypeAlias = Annotated[Finished, option("|".join(KNOWN_END), str(OPTIONS["finished"].field.description))]
QuietOption: TypeAlias = Annotated[bool, switch("--quiet", "Say nothing on stderr but errors and warnings.", "-q")]
VerboseOption: TypeAlias = Annotated[bool, switch("--verbose", "Show log events on stderr.")]
StoreOption: TypeAlias = Annotated[
    str | None,
    option(
        "URL",
        "The store: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE; by default OUTPUT_STORE_URL.",
        show_default=False,
    ),
]
ModelOption: TypeAlias = Annotated[str | None, option("NAME", "The model's name at the provider. Default: LLM_MODEL.")]
BaseUrlOption: TypeAlias = Annotated[
    str | None,
    option("URL", "The address of the API. Default: LLM_BASE_URL. The key can only be set as LLM_API_KEY."),
]
ReplayOption: TypeAlias = Annotated[
    Path | None, option("FILE", "Answer from a recording instead of a model; needs no account.")
]


@dataclass(frozen=True)
class TypeOptions:
    """What a text is parsed into."""

    agent: Annotated[str | None, option("NAME", "The agent whose output it is; `llm-output agents` lists them.")] = None
    dto: Annotated[
        str | None,
        option(
            "MODULE:NAME",
            "Your own type, a Pydantic model or a type such as list[Model]; the current directory is importable.",
        ),
    ] = None
    schema: Annotated[str | None, option("FILE", "A JSON Schema (draft 2020-12) as the type, in a file.")] = None


@dataclass(frozen=True)
class ModelOptions:
    """Which model to ask, and where to record it."""

    model: ModelOption = None
    base_url: BaseUrlOption = None
    replay: ReplayOption = None
    record: Annotated[Path | None, option("FILE", "Add every question and answer to a recording, redacted.")] = None


@dataclass(frozen=True)
class ResultOptions:
    """How a result, or an error of parsing, is written, and where to."""

    output_format: Annotated[Format, option("json|table", "How the result is written to stdout.", "--format")] = "json"
    error_format: Annotated[InWordsOrJson, option("text|json", "How a parse error is written to stderr.")] = "text"
    output: Annotated[
        Path | None, option("FILE", "Write the result to this file instead of stdout.", "--output", "-o")
    ] = None


def command(*readings: str) -> Callable[[Command], Command]:
    """Make a function a command, which ends as `guarded` says.

    A parameter that is a group of options stands for those of the group.

    Args:
        readings: options of a reading that it takes besides; those that are not usual come as `options`.
    """

    def decorate(function: Command) -> Command:
        parameters: list[inspect.Parameter] = []
        groups: dict[str, Any] = {}
        for one in inspect.signature(function, eval_str=True).parameters.values():
            if is_dataclass(one.annotation):
                groups[one.name] = one.annotation
                kinds = get_type_hints(one.annotation, include_extras=True)
                parameters += [_keyword(each.name, each.default, kinds[each.name]) for each in fields(one.annotation)]
            elif one.name != "options":
                parameters.append(one)
        parameters += map(_flag, readings)

        @functools.wraps(function)
        def call(**arguments: Any) -> None:  # noqa: ANN401 - whatever the command takes
            for name, group in groups.items():
                arguments[name] = group(**{one.name: arguments.pop(one.name) for one in fields(group)})
            if readings:
                given = {name: arguments.pop(name) for name in readings}
                words = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
                arguments["options"] = unusual(given | words)
            function(**arguments)

        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        return cast("Command", guarded(call))

    return decorate


def _keyword(name: str, default: object, kind: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _flag(name: str) -> inspect.Parameter:
    """An option of a reading as a parameter of a command."""
    listed, shown = OPTIONS[name], dict[str, Any]()
    if listed.kind == float | None:
        shown = {"min": 0.001, "metavar": "SECONDS"}
    elif listed.takes_several:
        shown = {"metavar": "|".join(listed.words), "callback": _some_of(listed.words, listed.field.default)}
    elif listed.words:
        shown = {"metavar": "|".join(listed.words), "show_default": not listed.is_optional}
    needs = " Needs a type." if name in NEEDING_TYPE else ""
    flag = typer.Option(f"--{name.replace('_', '-')}", help=f"{listed.field.description}{needs}", **shown)
    if listed.takes_several:
        return _keyword(name, listed.field.default, Annotated[list[str], flag])
    return _keyword(name, listed.field.default, Annotated[listed.kind, flag])


def _some_of(words: Sequence[str], first: Sequence[str]) -> Callable[[list[str]], tuple[str, ...]]:
    """What reads some of these words, repeated or with commas between them: in their order, with the first ones."""

    def read(given: list[str]) -> tuple[str, ...]:
        named = [word.strip() for one in given for word in one.split(",")]
        for word in named:
            if word not in words:
                raise typer.BadParameter(spoken("{word} is none of: {words}", word=repr(word), words=", ".join(words)))
        return tuple(word for word in words if word in (*first, *named))

    return read


def configure_log(*, verbose: bool) -> None:
    """Show the parser's log events on stderr, or none at all: stdout is reserved for the result."""
    if not verbose and "structlog" not in sys.modules:
        return  # nobody listens: the library's lines go nowhere, and structlog takes a while to import
    import structlog  # noqa: PLC0415 - see above

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.KeyValueRenderer(key_order=["level", "event"]),  # repr: a value cannot break the line
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.CRITICAL),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )


@asynccontextmanager
async def application(options: ModelOptions, *, repair: bool = True) -> AsyncIterator[Application]:
    """The application with the model the options describe; closed afterwards.

    Args:
        options: which model.
        repair: whether a model may be asked to repair the syntax of a text.

    Raises:
        LLMConfigurationError: there is not enough to reach a model, or the recording cannot be used.
    """
    from src.bootstrap import Application  # noqa: PLC0415 - the provider's package takes a second to import

    app = Application()
    settings = {"model": options.model, "base_url": options.base_url}
    app.config.from_dict(
        {
            "settings": {name: value for name, value in settings.items() if value is not None},
            "replay": options.replay,
            "record": [options.record] if options.record else [],
            "repair": "agent" if repair else "none",
        }
    )
    try:
        yield app
    finally:
        await app.open_things().aclose()
