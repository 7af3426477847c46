"""A run over stored outputs: parts are read side by side, kept one by one, and joined in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource
from src.modules.reparsing.domain.ports import EnginePort, Manifest, OutcomesPort, RunStorePort
from src.modules.reparsing.domain.tally import Counts, Tally
from src.shared.domain.language import Phrase

_FINISHED = Phrase(
    "the run in the folder is finished, and nothing tells whether this is the same again; name another folder"
)


_CHANGED = Phrase("it changed while it was read; run it again, in another folder, once it does not change any more")


class Progress(NamedTuple):
    """How far a run is.

    Attributes:
        counts: the texts that are done, those of an earlier start among them.
        new: how many of them are of this start.
        share: how much of the inputs is read, 0 to 1; None where their length is not known.
    """

    counts: Counts
    new: int
    share: float | None


@dataclass(frozen=True)
class BatchRun:
    """One run, which may be started several times until it is finished.

    Attributes:
        sources: the inputs.
        options: what the outputs depend on besides, as JSON types.
        engine: who reads.
        store: where the outcomes go.
        outcomes: who else is told of each text; None where nobody is.
    """

    sources: Sequence[RowSource]
    options: dict[str, object]
    engine: EnginePort
    store: RunStorePort
    outcomes: OutcomesPort | None = None

    @cached_property
    def manifest(self) -> Manifest:
        """What this run is, with the identity of its inputs when it was first asked for.

        Raises:
            BatchInputError: an input cannot be read.
        """
        return Manifest([{"name": source.name, **source.identity()} for source in self.sources], self.options)

    def __call__(self, on_progress: Callable[[Progress], None], *, resume: bool = False) -> Tally:
        """Read what is not done yet; the tally of the whole.

        Raises:
            BatchInputError: an input cannot be read, or changed. What was done until then is kept.
            BatchFolderError: the folder does not fit, or cannot be written.
            BatchReaderError: nobody can read here.
        """
        with ExitStack() as opened:
            opened.enter_context(closing(self.store))
            if self.outcomes:
                opened.enter_context(closing(self.outcomes))
            done = self.store.begin(self.manifest, resume=resume)
            finished = self.store.finished()
            once = next((source for source in self.sources if not source.repeatable), None)
            if finished and once:
                raise BatchInputError.of(once.name, _FINISHED)
            return finished or self._read(done, on_progress)

    def _read(self, done: Done, on_progress: Callable[[Progress], None]) -> Tally:
        meter = _Meter(self.sources, done)
        for tally in self.store.tallies():
            meter.counts.add(tally.counts)
        on_progress(meter.progress())
        results = self.engine.results(self.sources, done)
        with closing(results):
            for result in results:
                if self.outcomes:
                    self.outcomes.keep(result.id, result.notes)
                self.store.commit(result)
                meter.add(result)
                on_progress(meter.progress())
        self._check_unchanged()
        return self.store.finish()

    def _check_unchanged(self) -> None:
        """Rows that came or went while the inputs were read may be in the outputs or not; then nothing is finished."""
        for source, before in zip(self.sources, self.manifest.inputs, strict=True):
            if source.repeatable and {"name": source.name, **source.identity()} != before:
                raise BatchInputError.of(source.name, _CHANGED)


@dataclass(frozen=True)
class CountRun:
    """Reads inputs to count what came of their texts, and writes nothing.

    Attributes:
        sources: the inputs.
        engine: who reads.
    """

    sources: Sequence[RowSource]
    engine: EnginePort

    def __call__(self, on_progress: Callable[[Progress], None]) -> Tally:
        """Read all texts; their tally.

        Raises:
            BatchInputError: an input cannot be read.
            BatchReaderError: nobody can read here.
        """
        meter, tallies, whole = _Meter(self.sources, {}), dict[PartId, Tally](), Tally()
        with closing(self.engine.results(self.sources, {})) as results:
            for result in results:
                tallies[result.id] = result.tally
                meter.add(result)
                on_progress(meter.progress())
        for part in sorted(tallies):
            whole.add(tallies[part])
        return whole


class _Meter:
    def __init__(self, sources: Sequence[RowSource], done: Done) -> None:
        self.counts = Counts()
        self._new = 0
        self._totals = [source.total for source in sources]
        begun = max((part.source for part in done), default=0)  # those before it are about done
        self._positions = [*self._totals[:begun], *[0] * (len(self._totals) - begun)]

    def add(self, result: PartResult) -> None:
        source, position = result.id.source, result.position
        self.counts.add(result.tally.counts)
        self._new += result.tally.counts.texts
        self._positions[source] = max(self._positions[source], position)

    def progress(self) -> Progress:
        known = all(self._totals)
        counts = Counts(self.counts.clean, self.counts.repaired, self.counts.refused, self.counts.truncated)
        return Progress(counts, self._new, sum(self._positions) / sum(self._totals) if known and self._totals else None)
