"""The options that several commands share, and what they select: the log and the model."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from src.entrypoints.cli.guard import CommandError
from src.shared.domain.grade import Grade

if TYPE_CHECKING:
    from src.bootstrap import Application


class Format(StrEnum):
    """How a result is written to stdout."""

    JSON = "json"
    TABLE = "table"


class ResultFormat(StrEnum):
    """How a result that is told in words is written to stdout."""

    TEXT = "text"
    JSON = "json"


class Finished(StrEnum):
    """What is known of the end of a text."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    @property
    def known(self) -> bool | None:
        """As the parser takes it."""
        return {Finished.YES: True, Finished.NO: False}.get(self)


class Root(StrEnum):
    """What is looked for in a text where there is no type."""

    OBJECT = "object"
    ARRAY = "array"
    ANY = "any"


class KeepWhat(StrEnum):
    """What is kept of a text that is not all right."""

    GOOD = "good"


class ErrorFormat(StrEnum):
    """How a parse error is written to stderr."""

    TEXT = "text"
    JSON = "json"


class TraceFormat(StrEnum):
    """What is told on stderr of how a text was read."""

    TEXT = "text"
    STAGES = "stages"
    JSON = "json"
    NONE = "none"


class Escapes(StrEnum):
    """How a backslash is read that may begin more than an escape."""

    JSON = "json"
    LATEX = "latex"
    PATH = "path"


class RunTogether(StrEnum):
    """What to do with rows that were run together."""

    REFUSE = "refuse"
    SPLIT = "split"


FileArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="The model's raw text, UTF-8; `-`, or no FILE at all, reads stdin.")
]
AgentOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--agent", metavar="NAME", help="The agent whose output it is; `llm-output agents` lists them."),
]
DtoOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dto",
        metavar="MODULE:NAME",
        help="Your own type, a Pydantic model or a type such as list[Model]; the current directory is importable.",
    ),
]
SchemaOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="A JSON Schema (draft 2020-12) as the type, in a file."),
]
CoerceOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--coerce",
        help='Read values in another spelling than their type, if they have one exact reading: "1.2亿" for a number; '
        "only with --agent or --dto.",
    ),
]
KeepOption: TypeAlias = Annotated[
    KeepWhat | None,
    typer.Option(
        "--keep",
        metavar="good",
        help="Keep the elements of a list that satisfy the type, and of a text that was cut off the members that were "
        "complete; the rest is named. Needs a type.",
        show_default=False,
    ),
]
AcceptOption: TypeAlias = Annotated[
    Grade,
    typer.Option(
        "--accept", metavar="|".join(Grade), help="Refuse a result that is less sure than this. Needs a type."
    ),
]
UnwrapOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--unwrap", help="Also take an answer under one key, or in a list of one, if just one candidate fits the type."
    ),
]
EscapesOption: TypeAlias = Annotated[
    Escapes,
    typer.Option(
        "--escapes",
        metavar="|".join(Escapes),
        help=r"What a backslash may begin besides an escape of JSON: a LaTeX command (\times), or a part of a path.",
    ),
]
RunTogetherOption: TypeAlias = Annotated[
    RunTogether,
    typer.Option(
        "--run-together",
        metavar="|".join(RunTogether),
        help="Whether rows that were run together in one object of a list are refused, or split if each is complete.",
    ),
]
FormatOption: TypeAlias = Annotated[
    Format, typer.Option("--format", metavar="|".join(Format), help="How the result is written to stdout.")
]
ResultFormatOption: TypeAlias = Annotated[
    ResultFormat, typer.Option("--format", metavar="|".join(ResultFormat), help="How the result is written to stdout.")
]
ErrorFormatOption: TypeAlias = Annotated[
    ErrorFormat,
    typer.Option("--error-format", metavar="|".join(ErrorFormat), help="How a parse error is written to stderr."),
]
FinishedOption: TypeAlias = Annotated[
    Finished,
    typer.Option(
        "--finished",
        metavar="|".join(Finished),
        help="Whether the model stopped by itself (finish reason `stop`) or was cut off; by default, the text decides.",
    ),
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
        "--store",
        metavar="URL",
        help="The store: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE; by default "
        "OUTPUT_STORE_URL.",
        show_default=False,
    ),
]
WindowOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--window",
        metavar="N|TIME|N,TIME",
        help="Which texts are counted: the last 200 of each, those of a time such as 24h (s, m, h, d), or of those "
        "the last 200: 200,24h.",
    ),
]

ModelOption: TypeAlias = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model's name at the provider. Default: LLM_MODEL.")
]
BaseUrlOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="The address of the API. Default: LLM_BASE_URL. The key can only be set as LLM_API_KEY.",
    ),
]
ReplayOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--replay", metavar="FILE", help="Answer from a recording instead of a model; needs no account."),
]
RecordOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Add every question and answer to a recording, redacted."),
]


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
async def application(options: ModelOptions) -> AsyncIterator[Application]:
    """The application with the model the options describe; closed afterwards.

    Raises:
        LLMConfigurationError: there is not enough to reach a model, or the recording cannot be used.
    """
    from src.bootstrap import Application  # noqa: PLC0415 - the provider's package takes a second to import

    app = Application()
    app.config.from_dict(
        {
            "settings": {
                name: value
                for name, value in (("model", options.model), ("base_url", options.base_url))
                if value is not None
            },
            "replay": options.replay,
            "record": [options.record] if options.record else [],
        }
    )
    try:
        yield app
    finally:
        await app.open_things().aclose()


def recorded_question(recording: Path) -> tuple[str, str | None]:
    """The prompt and the system's message of the first exchange of a recording.

    Raises:
        LLMConfigurationError: it cannot be read.
        CommandError: it holds nothing.
    """
    from src.shared.infrastructure.llm.replay import read_exchanges  # noqa: PLC0415 - as above

    exchanges = read_exchanges(recording)
    if not exchanges:
        raise CommandError(
            f"{recording} 中没有录制的问题；请给出含提示词的 FILE",
            f"{recording} holds no recorded question; name a FILE with the prompt",
        )
    return exchanges[0].prompt, exchanges[0].system_message
