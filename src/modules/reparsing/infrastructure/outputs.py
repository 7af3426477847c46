"""The outputs of a run: the lines of its parts, joined in the order of the rows."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from src.modules.reparsing.domain.part import PartResult
from src.modules.reparsing.infrastructure.durable import beside_of

PARSED, REFUSED, COMPARED = "parsed", "refused", "compared"


class OutputFormat(StrEnum):
    """How the outputs are written."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class Outputs:
    """The files of one folder."""

    def __init__(self, folder: Path, output_format: OutputFormat, *, compares: bool = False) -> None:
        """Touch nothing yet; with `compares` there is a file of comparisons as well."""
        self._folder = folder
        self._format = output_format
        self._names = (PARSED, REFUSED, COMPARED) if compares else (PARSED, REFUSED)

    def files_of(self, result: PartResult) -> dict[str, bytes]:
        """The files of a part, by name."""
        lines = (result.parsed, result.refused, result.compared)
        return {_lines(name): content for name, content in zip(self._names, lines, strict=False)}

    def join(self, parts: Sequence[Path]) -> None:
        """Write the outputs, each whole or not at all.

        Raises:
            OSError: they cannot be written.
        """
        for name in self._names:
            files = [file for part in parts if (file := part / _lines(name)).exists()]
            with beside_of(self._folder / f"{name}.{self._format}") as output:
                if self._format is OutputFormat.PARQUET:
                    from src.modules.reparsing.infrastructure.parquet_output import write_parquet  # noqa: PLC0415

                    write_parquet(name, files, output)
                else:
                    _join(files, output)


def _join(files: Sequence[Path], output: Path) -> None:
    with output.open("wb") as joined:
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, joined, 1024 * 1024)


def _lines(name: str) -> str:
    return f"{name}.jsonl"
