"""Where the outcomes of a run go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from src.modules.reparsing.domain.manifest import Manifest
from src.modules.reparsing.domain.part import Done, PartResult
from src.modules.reparsing.domain.tally import Tally


class RunStorePort(Protocol):
    """A folder with the parts of one run, and in the end its outputs. What it says is done outlives a power cut."""

    def begin(self, manifest: Manifest, *, resume: bool) -> Done:
        """Take the folder for a run; the parts that are done already.

        Raises:
            BatchFolderError: it holds another run, or one that is not to be resumed; it is in use; it cannot be
                written.
        """
        ...

    def commit(self, result: PartResult) -> None:
        """Keep what came of a part, whole or not at all.

        Raises:
            BatchFolderError: it cannot be written.
        """
        ...

    def tallies(self) -> Iterator[Tally]:
        """The tallies of the parts, in the order of their rows."""
        ...

    def finish(self) -> Tally:
        """Join the parts to the outputs, in the order of the rows, and drop the parts; the tally of the whole.

        Raises:
            BatchFolderError: it cannot be written.
        """
        ...

    def finished(self) -> Tally | None:
        """The tally of the whole, where the run was finished before."""
        ...

    def close(self) -> None:
        """Let go of the folder."""
        ...
