"""The command line: `python -m examples.visual_rag PAGES`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from examples.visual_rag.container import visual_rag_of
from examples.visual_rag.turns_view import TurnsView
from src.entrypoints.cli.app import add_command
from src.entrypoints.cli.exit_codes import ExitCode, add_codes, code_of
from src.entrypoints.cli.files import value_writer
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.main import whole_process
from src.entrypoints.cli.options import (
    BaseUrlOption,
    Format,
    ModelOption,
    ModelOptions,
    VerboseOption,
    application,
    configure_log,
)
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.screen import error_line
from src.modules.visual_rag.application.generation_manager import EpisodeRules
from src.modules.visual_rag.domain.episode import Episode

NAME = "python -m examples.visual_rag"
EXAMPLES = (
    "python -m examples.visual_rag examples/visual_rag/pages --replay examples/visual_rag/transcript.jsonl",
    "python -m examples.visual_rag examples/visual_rag/chart/pages --replay examples/visual_rag/chart/transcript.jsonl",
    'python -m examples.visual_rag scans "How high is the provision?" --base-url http://localhost:80/v1 --model qwen3',
    "python -m examples.visual_rag scans --replay visual-rag-run/transcript-001.jsonl --output again",
)

PagesArgument: TypeAlias = Annotated[
    Path, typer.Argument(metavar="PAGES", help="A folder of page images: PNG, JPEG, WebP, TIFF, BMP.")
]
QuestionArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTION", help="The question; with --replay it may be left out and is the first recorded one."
    ),
]
OutputOption: TypeAlias = Annotated[
    Path,
    typer.Option("--output", metavar="DIR", help="Folder for the index, the crops and a new transcript of the run."),
]
TranscriptOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--replay",
        metavar="FILE",
        help="Play a transcript's model turns again instead of asking a model; crop and OCR are done for real.",
    ),
]
MaxTurnsOption: TypeAlias = Annotated[
    int, typer.Option("--max-turns", min=1, metavar="N", help="The most turns; in the last one only an answer counts.")
]
MaxSearchesOption: TypeAlias = Annotated[
    int, typer.Option("--max-searches", min=1, metavar="N", help="The most searches, including a forced one.")
]
FreeStartOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--no-first-search", help="Do not search for the question where the model's first turn has no action."
    ),
]


@dataclass(frozen=True)
class _Run:
    """What was asked for on the command line."""

    pages: Path
    question: str | None
    output: Path
    replay: Path | None
    rules: EpisodeRules


@guarded
def run(  # noqa: PLR0913 - one parameter an option
    pages: PagesArgument,
    question: QuestionArgument = None,
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: TranscriptOption = None,
    output: OutputOption = Path("visual-rag-run"),
    max_turns: MaxTurnsOption = 8,
    max_searches: MaxSearchesOption = 5,
    no_first_search: FreeStartOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Answer a question from a folder of page images.

    A model searches the pages, crops parts out of them and reads them by OCR, one action per turn, until it answers.
    The answer and a summary of the run go to stdout as JSON; each turn is added to the transcript when it is done.
    """
    configure_log(verbose=verbose)
    rules = EpisodeRules(max_turns, not no_first_search, max_searches)
    asked = _Run(pages, question, output, replay, rules)
    with TurnsView() as view:
        episode, transcript = asyncio.run(_run(asked, ModelOptions(model, base_url), view))
    _tell(episode, transcript)


async def _run(asked: _Run, options: ModelOptions, view: TurnsView) -> tuple[Episode, Path]:
    async with application(options) as app:
        rag = visual_rag_of(app)
        rag.config.from_dict(
            {
                "pages": asked.pages,
                "output": asked.output,
                "replay": asked.replay,
                "rules": asked.rules,
                "progress": view.pages,
            }
        )
        question = _question(asked, rag)
        rag.tools()  # what is missing on this machine is said before the model's settings, and before a file is made
        manager = rag.manager(view)
        (episode,) = await manager.run([question])
        return episode, rag.transcript().path


def _question(asked: _Run, rag: Any) -> str:  # noqa: ANN401 - a container's attributes are made at run time
    question: str | None = asked.question
    if question is None and asked.replay is not None:
        question = rag.models().questions[0]
    if question is None or not question.strip():
        message = spoken(
            "请在文件夹之后给出 QUESTION，或用 --replay 给出轨迹文件",
            "name a QUESTION after the folder, or a transcript with --replay",
        )
        raise CommandError(message)
    return question


def _tell(episode: Episode, transcript: Path) -> None:
    if episode.answer is not None:
        value_writer(_result(episode, transcript), Format.JSON)()
        return
    kept = spoken(f"；轨迹文件：{transcript}", f"; transcript: {transcript}")
    if episode.error is not None:
        error_line(f"{episode.error.message}{kept}")
        raise typer.Exit(code_of(episode.error))
    turns = len(episode.turns)
    error_line(spoken(f"{turns} 轮内没有答案", f"no answer within {turns} turns") + kept)
    raise typer.Exit(ExitCode.PARSE_ERROR)


def _result(episode: Episode, transcript: Path) -> dict[str, Any]:
    turns = [
        {"turn": turn.number, "action": turn.parsed.action_type, "error": turn.observation.error}
        for turn in episode.turns
    ]
    return {
        "question": episode.question,
        "answer": episode.answer,
        "turns": turns,
        "tokens": episode.usage.total_tokens,
        "transcript": str(transcript),
    }


def _app() -> typer.Typer:
    command = typer.Typer(name=NAME, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    add_command(command, sys.modules[__name__], "run")
    add_codes({"VISUAL_RAG_CONFIGURATION": ExitCode.USAGE})
    return command


app = _app()

if __name__ == "__main__":
    with whole_process():
        app(prog_name=NAME)
