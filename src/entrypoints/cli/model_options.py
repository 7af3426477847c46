"""The options of the commands that ask a model, and how they select the model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.spoken import spoken

if TYPE_CHECKING:
    from src.bootstrap import Application
    from src.shared.infrastructure.llm.exchanges.resuming import EarlierRun

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


@dataclass(frozen=True)
class ModelOptions:
    """Which model to ask, and where to record it.

    Attributes:
        run_record: the recording that belongs to a run's folder.
        resume: a run to go on with.
    """

    model: str | None = None
    base_url: str | None = None
    replay: Path | None = None
    record: Path | None = None
    run_record: Path | None = None
    resume: EarlierRun | None = None


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
            "record": [file for file in (options.record, options.run_record) if file],
            "resume": options.resume,
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
    from src.shared.infrastructure.llm.exchanges.replay import read_exchanges  # noqa: PLC0415 - as above

    exchanges = read_exchanges(recording)
    if not exchanges:
        message = spoken(
            f"{recording} 中没有录制的问题；请给出含提示词的 FILE",
            f"{recording} holds no recorded question; name a FILE with the prompt",
        )
        raise CommandError(message)
    return exchanges[0].prompt, exchanges[0].system_message
