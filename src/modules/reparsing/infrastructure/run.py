"""A run over stored outputs: parts are read side by side, kept one by one, and joined in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.run_folder import RunFolder
from src.shared.domain.language import Phrase
from src.shared.domain.outcome import Outcome

_FINISHED = Phrase(
    "the run in the folder is finished, and nothing tells whether this is the same again; name another folder"
)
_CHANGED = Phrase("it changed while it was read; run it again, in another folder, once it does not change any more")

Engine: TypeAlias = Callable[[Sequence[RowSource], Done], Generator[PartResult, None, None]]
"""Reads parts side by side: gives what came of each part that is not done yet, as each is finished, in any order.

Closing the iterator stops the reading. A `BatchInputError` says that an input cannot be read to its end, a
`BatchReaderError` that no reader can be started.
"""


class Progress:
    """How far a run is.

    Attributes:
        counts: the texts that are done by `OUTCOMES`, those of an earlier start among them.
        new: how many of them are of this start.
    """

    def __init__(self, sources: Sequence[RowSource], done: Done) -> None:
        self.counts, self.new = Counter[str](), 0
        self._totals = [source.total for source in sources]
        begun = max((part.source for part in done), default=0)  # those before it are about done
        self._positions = [*self._totals[:begun], *[0] * (len(self._totals) - begun)]

    @property
    def share(self) -> float | None:
        """How much of the inputs is read, 0 to 1; None where their length is not known."""
        return sum(self._positions) / sum(self._totals) if self._totals and all(self._totals) else None

    def add(self, result: PartResult) -> None:
        """Count a part."""
        source = result.id.source
        counts = result.outcomes.tally.counts
        self.counts.update(counts)
        self.new += counts["texts"]
        self._positions[source] = max(self._positions[source], result.position)


@dataclass(frozen=True)
class BatchRun:
    """One run, which may be started several times until it is finished.

    Attributes:
        sources: the inputs.
        options: what the outputs depend on besides, as JSON types.
        engine: who reads.
        folder: where the outcomes go.
        on_part: takes the notes of each part before it counts as done, and never raises. A part that is read again,
            after the run was killed, is told of again. None where nobody is told.
    """

    sources: Sequence[RowSource]
    options: dict[str, object]
    engine: Engine
    folder: RunFolder
    on_part: Callable[[PartId, Sequence[Outcome]], None] | None = None

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What this run is: `inputs`, with their names and identities when it was first asked for, and `options`.

        Raises:
            BatchInputError: an input cannot be read.
        """
        return {"inputs": [{"name": one.name, **one.identity()} for one in self.sources], "options": self.options}

    def __call__(self, on_progress: Callable[[Progress], None], *, resume: bool = False) -> Tally:
        """Read what is not done yet; the tally of the whole.

        Raises:
            BatchInputError: an input cannot be read, or changed. What was done until then is kept.
            BatchFolderError: the folder does not fit, or cannot be written.
            BatchReaderError: nobody can read here.
        """
        with closing(self.folder):
            done = self.folder.begin(self.manifest, resume=resume)
            finished = self.folder.finished()
            once = next((source for source in self.sources if not source.repeatable), None)
            if finished and once:
                raise BatchInputError.of(once.name, _FINISHED)
            if finished:
                return finished
            progress = Progress(self.sources, done)
            for tally in self.folder.tallies():
                progress.counts.update(tally.counts)
            on_progress(progress)
            with closing(self.engine(self.sources, done)) as results:
                for result in results:
                    if self.on_part:
                        self.on_part(result.id, result.outcomes.notes)
                    self.folder.commit(result)
                    progress.add(result)
                    on_progress(progress)
            # rows that came or went meanwhile may be in the outputs or not
            for source, before in zip(self.sources, self.manifest["inputs"], strict=True):
                if source.repeatable and {"name": source.name, **source.identity()} != before:
                    raise BatchInputError.of(source.name, _CHANGED)
            return self.folder.finish()


def count_texts(sources: Sequence[RowSource], engine: Engine, on_progress: Callable[[Progress], None]) -> Tally:
    """Read inputs to count what came of their texts, and write nothing.

    Raises:
        BatchInputError: an input cannot be read.
        BatchReaderError: nobody can read here.
    """
    progress, tallies, whole = Progress(sources, {}), dict[PartId, Tally](), Tally()
    with closing(engine(sources, {})) as results:
        for result in results:
            tallies[result.id] = result.outcomes.tally
            progress.add(result)
            on_progress(progress)
    for part in sorted(tallies):
        whole.add(tallies[part])
    return whole
