"""Who else is told what came of each text, besides the run's own outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from src.modules.reparsing.domain.note import TextNote
from src.modules.reparsing.domain.part import PartId


class OutcomesPort(Protocol):
    """Takes the notes of each part, before the part counts as done. An adapter never raises."""

    @property
    def characters(self) -> int:
        """How much of each text it wants; 0 for nothing of it."""
        ...

    def keep(self, part: PartId, notes: Sequence[TextNote]) -> None:
        """Take the notes of a part. A part that is read again, after the run was killed, is told of again."""
        ...

    def close(self) -> None:
        """There are no more of them for now."""
        ...
