"""The options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


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
