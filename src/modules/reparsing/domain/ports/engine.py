"""Who reads the parts of a run."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from src.modules.reparsing.domain.part import Done, PartResult
from src.modules.reparsing.domain.ports.rows import RowSource


class EnginePort(Protocol):
    """Reads parts side by side."""

    def results(self, sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
        """What came of each part that is not done yet, as each is finished, in any order.

        Closing the iterator stops the reading.

        Raises:
            BatchInputError: an input cannot be read to its end.
            BatchReaderError: no reader can be started.
        """
        ...
