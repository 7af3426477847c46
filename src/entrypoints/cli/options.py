"""The options that several commands share, and what they select: the log and the model."""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, cast

import typer

from src.shared.domain.options import NEEDING_TYPE, OPTIONS, unusual

if TYPE_CHECKING:
    from src.bootstrap import Application


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
AgentOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The agent whose output it is; `llm-output agents` lists them."),
]
DtoOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:NAME",
        help="Your own type, a Pydantic model or a type such as list[Model]; the current directory is importable.",
    ),
]
SchemaOption: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A JSON Schema (draft 2020-12) as the type, in a file."),
]
FormatOption: TypeAlias = Annotated[
    Format, typer.Option("--format", metavar="json|table", help="How the result is written to stdout.")
]
ResultFormatOption: TypeAlias = Annotated[
    InWordsOrJson, typer.Option("--format", metavar="text|json", help="How the result is written to stdout.")
]
ErrorFormatOption: TypeAlias = Annotated[
    InWordsOrJson, typer.Option(metavar="text|json", help="How a parse error is written to stderr.")
]
FinishedOption: TypeAlias = Annotated[
    Finished,
    typer.Option(metavar="|".join(KNOWN_END), help=OPTIONS["finished"].field.description),
]
OutputOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the result to this file instead of stdout."),
]
QuietOption: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors and warnings.")
]
VerboseOption: TypeAlias = Annotated[bool, typer.Option("--verbose", help="Show log events on stderr.")]

StoreOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The store: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE; by default "
        "OUTPUT_STORE_URL.",
        show_default=False,
    ),
]
WindowOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="N|TIME|N,TIME",
        help="Which texts are counted: the last 200 of each, those of a time such as 24h (s, m, h, d), or of those "
        "the last 200: 200,24h.",
    ),
]

ModelOption: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="The model's name at the provider. Default: LLM_MODEL.")
]
BaseUrlOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The address of the API. Default: LLM_BASE_URL. The key can only be set as LLM_API_KEY.",
    ),
]
ReplayOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Answer from a recording instead of a model; needs no account."),
]
RecordOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Add every question and answer to a recording, redacted."),
]


Command = TypeVar("Command", bound=Callable[..., None])


def reads(*names: str) -> Callable[[Command], Command]:
    """Give a command a flag for each of these options of a reading; those that are not usual come as `options`."""

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [one for one in signature.parameters.values() if one.name != "options"]
        parameters = [*own, *map(_flag, names)]

        @functools.wraps(command)
        def call(**arguments: Any) -> None:  # noqa: ANN401 - whatever the command takes
            values = {name: arguments.pop(name) for name in names}
            command(**arguments, options=unusual(values))

        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        return cast("Command", call)

    return decorate


def _flag(name: str) -> inspect.Parameter:
    """An option of a reading as a parameter of a command."""
    option, shown = OPTIONS[name], dict[str, Any]()
    if option.kind == float | None:
        shown = {"min": 0.001, "metavar": "SECONDS"}
    elif option.words:
        shown = {"metavar": "|".join(option.words), "show_default": not option.is_optional}
    needs = " Needs a type." if name in NEEDING_TYPE else ""
    flag = typer.Option(f"--{name.replace('_', '-')}", help=f"{option.field.description}{needs}", **shown)
    kind: Any = Annotated[option.kind, flag]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.field.default, annotation=kind)


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


@dataclass(frozen=True)
class ModelOptions:
    """Which model to ask, and where to record it."""

    model: str | None = None
    base_url: str | None = None
    replay: Path | None = None
    record: Path | None = None


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
