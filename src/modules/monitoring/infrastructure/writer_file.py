"""A writer that goes on after its process has ended: a file says which one of the store's it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from src.modules.monitoring.domain.moment import Moment


@dataclass(frozen=True, slots=True)
class WriterRow:
    """A writer as the store knows it; together the fields are one writer's of all stores.

    Attributes:
        id: its number in the store.
        host: the machine it began on.
        pid: the process it began in.
        started: when it began.
    """

    id: int
    host: str
    pid: int
    started: Moment


class WriterFile:
    """Remembers a writer in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def recall(self) -> WriterRow | None:
        """The writer that was remembered; None where there is none, or the file is not ours."""
        try:
            return WriterRow(**json.loads(self._file.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def remember(self, row: WriterRow) -> None:
        """Remember a writer; the file is there whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        beside = self._file.with_name(f".{self._file.name}")
        beside.write_text(json.dumps(asdict(row)), encoding="utf-8")
        beside.replace(self._file)
