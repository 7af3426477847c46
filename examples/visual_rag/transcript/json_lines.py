"""A transcript in a file of JSON Lines, a new file for each run."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from examples.visual_rag.tool_errors import BAD_TRANSCRIPT, file_error
from examples.visual_rag.transcript.lines import line_of
from src.modules.visual_rag.domain.episode import Turn
from src.modules.visual_rag.domain.exceptions import VisualRagConfigurationError
from src.shared.infrastructure.llm.exchange import append_whole


class JsonLinesTranscript:
    """Writes each turn when it is done; implements `TurnsPort`. A line is written whole or not at all.

    Attributes:
        path: the file, readable for its owner only.
    """

    def __init__(self, folder: Path) -> None:
        """Make a new file, `transcript-001.jsonl` or the next number that is free, in a folder that is made too.

        Raises:
            VisualRagConfigurationError: it cannot be made.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.path = _new_file(folder)
        except OSError as error:
            raise _not_written(folder, error) from error

    def add(self, turn: Turn) -> None:
        """Append a turn.

        Raises:
            VisualRagConfigurationError: it cannot be written.
        """
        try:
            append_whole(self.path, line_of(turn))
        except OSError as error:
            raise _not_written(self.path, error) from error


def _new_file(folder: Path) -> Path:
    for number in count(1):
        path = folder / f"transcript-{number:03}.jsonl"
        try:
            append_whole(path, b"", is_new=True)
        except FileExistsError:
            continue
        return path
    raise AssertionError  # pragma: no cover - count does not end


def _not_written(path: Path, error: OSError) -> VisualRagConfigurationError:
    return file_error(BAD_TRANSCRIPT, path, error.strerror or error)
