"""The command line: `python -m examples.visual_rag PAGES`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from examples.visual_rag.tools import LANGUAGES, open_tools
from examples.visual_rag.transcript import JsonLinesTranscript, RecordedModel
from src.entrypoints.cli.app import add_command
from src.entrypoints.cli.exit_codes import USAGE_CODES, ExitCode, code_of
from src.entrypoints.cli.files import value_writer
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.main import whole_process
from src.entrypoints.cli.options import (
    BaseUrlOption,
    ModelOption,
    ModelOptions,
    ResultOptions,
    VerboseOption,
    application,
    configure_log,
)
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.screen import error_line
from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.domain.episode import Episode
from src.modules.visual_rag.domain.viewing import Coordinates, Viewing
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.application.requests import FallbackLLM, ObservedLLM
from src.shared.domain.language import Message

NAME = "python -m examples.visual_rag"
EXAMPLES = (
    f"{NAME} examples/visual_rag/pages --replay examples/visual_rag/transcript.jsonl",
    f"{NAME} examples/visual_rag/chart/pages --replay examples/visual_rag/chart/transcript.jsonl",
    f'{NAME} scans "How high is the provision?" --base-url http://localhost:80/v1 --model qwen3',
)
NO_QUESTION = Message("请在文件夹之后给出 QUESTION", "name a QUESTION after the folder, or a --replay")


@guarded
def run(  # noqa: PLR0913 - one parameter an option
    pages: Annotated[
        Path, typer.Argument(metavar="PAGES", help="A folder of page images: PNG, JPEG, WebP, TIFF, BMP.")
    ],
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="The question; with --replay by default the first recorded one."),
    ] = None,
    *,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play a transcript's model turns again; crop and OCR are done for real."),
    ] = None,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the index, the crops and a new transcript of the run.")
    ] = Path("visual-rag-run"),
    languages: Annotated[str, typer.Option(metavar="NAMES", help="Tesseract's languages, joined by `+`.")] = LANGUAGES,
    coordinates: Annotated[
        Coordinates, typer.Option(metavar="|".join(Coordinates), help="The unit in which the model names regions.")
    ] = Coordinates.PIXELS,
    text_only: Annotated[
        bool, typer.Option("--text-only", help="Show the model no images: it sees pages by search and OCR.")
    ] = False,
    max_turns: Annotated[
        int, typer.Option(min=1, metavar="N", help="The most turns; in the last one only an answer counts.")
    ] = 8,
    verbose: VerboseOption = False,
) -> None:
    """Answer a question from a folder of page images.

    A model searches the pages, crops parts out of them and reads them by OCR, one action per turn, until it answers.
    The answer and a summary of the run go to stdout as JSON; each turn is added to the transcript when it is done.
    """
    configure_log(verbose=verbose)
    viewing = Viewing(not text_only, coordinates=coordinates)

    async def play() -> tuple[Episode, Path]:
        async with application(ModelOptions(model, base_url)) as app:
            recorded = RecordedModel(replay) if replay else None
            asked = question or (recorded.question if recorded else "")
            if not asked.strip():
                raise CommandError(NO_QUESTION)
            with open_tools(pages, output, languages=languages, viewing=viewing) as tools:
                events, transcript, rules = app.events(), JsonLinesTranscript(output), EpisodeRules(max_turns)
                other = None if recorded else app.fallback()
                first, second = recorded or ObservedLLM(app.model(), events), other and ObservedLLM(other, events)
                parser = VisualRagActionParser()
                manager = LLMGenerationManager(
                    lambda _: FallbackLLM(first, second), parser, tools, transcript.add, rules=rules, events=events
                )
                (episode,) = await manager.run([asked])
                return episode, transcript.path

    _tell(*asyncio.run(play()))


def _tell(episode: Episode, transcript: Path) -> None:
    if episode.answer is None:
        turns = len(episode.turns)
        nothing = spoken(Message(f"{turns} 轮内没有答案", f"no answer within {turns} turns"))
        kept = spoken(Message(f"；轨迹文件：{transcript}", f"; transcript: {transcript}"))
        error_line((episode.error.message if episode.error else nothing) + kept)
        raise typer.Exit(code_of(episode.error) if episode.error else ExitCode.PARSE_ERROR)
    turns_done = [
        {"turn": turn.number, "action": turn.parsed.action_type, "error": turn.observation.error}
        for turn in episode.turns
    ]
    result = {"question": episode.question, "answer": episode.answer, "turns": turns_done}
    value_writer(result | {"tokens": episode.usage.total_tokens, "transcript": str(transcript)}, ResultOptions())()


app = typer.Typer(name=NAME, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
add_command(app, sys.modules[__name__], "run")
USAGE_CODES.add("VISUAL_RAG_CONFIGURATION")

if __name__ == "__main__":
    with whole_process():
        app(prog_name=NAME)
