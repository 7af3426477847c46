"""A run: what is done is kept, and what is not done is read."""

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from src.modules.reparsing.application import BatchRun, Progress
from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource, parts_of
from src.modules.reparsing.domain.ports import Manifest
from src.modules.reparsing.domain.tally import Counts, Tally
from tests.modules.reparsing.rows import MemoryRows


class CleanEngine:
    """Every text is clean; the last part comes first."""

    def results(self, sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
        for number, source in reversed(list(enumerate(sources))):
            for part in parts_of(source, number):
                if part.id not in done:
                    yield PartResult(part.id, part.position, b"", b"", b"", Tally(Counts(clean=len(part.rows))))


class MemoryStore:
    """Keeps parts in a dictionary."""

    def __init__(self) -> None:
        self.parts: dict[PartId, Tally] = {}
        self.manifest: Manifest | None = None
        self.whole: Tally | None = None
        self.closed = 0

    def begin(self, manifest: Manifest, *, resume: bool) -> Done:
        assert resume == bool(self.manifest)
        self.manifest = manifest
        return dict.fromkeys(self.parts, "")

    def commit(self, result: PartResult) -> None:
        self.parts[result.id] = result.tally

    def tallies(self) -> list[Tally]:
        return [self.parts[part] for part in sorted(self.parts)]

    def finish(self) -> Tally:
        self.whole = Tally(Counts(clean=sum(tally.counts.clean for tally in self.parts.values())))
        return self.whole

    def finished(self) -> Tally | None:
        return self.whole

    def close(self) -> None:
        self.closed += 1


class Growing(MemoryRows):
    """Has one more row whenever it is looked at."""

    def identity(self) -> dict[str, Any]:
        self._texts = [*self._texts, "{}"]
        return {"size": len(self._texts)}


def run(store: MemoryStore, *sources: MemoryRows, resume: bool = False) -> tuple[Tally, list[Progress]]:
    told: list[Progress] = []
    tally = BatchRun(sources, {"agent": "verdict"}, CleanEngine(), store)(told.append, resume=resume)  # type: ignore[arg-type]
    return tally, told


def test_run_reads_everything_and_gives_the_tally_of_the_whole() -> None:
    assert run(MemoryStore(), MemoryRows(["{}"] * 1500), MemoryRows(["{}"]))[0] == Tally(Counts(clean=1501))


def test_manifest_names_inputs_and_options() -> None:
    store = MemoryStore()
    run(store, MemoryRows(["{}"], "a"))
    assert store.manifest == Manifest([{"name": "a", "size": 1}], {"agent": "verdict"})


def test_resumed_run_reads_what_is_not_done_and_tells_of_both() -> None:
    store = MemoryStore()
    store.manifest, store.parts = Manifest([], {}), {PartId(0, 0): Tally(Counts(clean=1000))}
    tally, told = run(store, MemoryRows(["{}"] * 1500), resume=True)
    assert tally.counts.texts == 1500
    assert [(progress.counts.texts, progress.new) for progress in told] == [(1000, 0), (1500, 500)]


def test_finished_run_is_told_and_not_read_again() -> None:
    store = MemoryStore()
    store.manifest, store.whole = Manifest([], {}), Tally(Counts(refused=7))
    assert run(store, MemoryRows(["{}"]), resume=True) == (Tally(Counts(refused=7)), [])


def test_finished_run_of_an_input_that_is_read_once_is_not_taken_for_the_same() -> None:
    store, piped = MemoryStore(), MemoryRows(["{}"], "-")
    store.manifest, store.whole, piped.repeatable = Manifest([], {}), Tally(), False
    with pytest.raises(BatchInputError, match="name another folder"):
        run(store, piped, resume=True)


def test_progress_is_the_share_of_the_inputs_that_is_read() -> None:
    told = run(MemoryStore(), MemoryRows(["{}"] * 1000), MemoryRows(["{}"] * 1000))[1]
    assert [progress.share for progress in told] == [0.0, 0.5, 1.0]


def test_input_of_unknown_length_has_no_share() -> None:
    told = run(MemoryStore(), MemoryRows([]))[1]
    assert [progress.share for progress in told] == [None]


def test_input_that_changes_while_it_is_read_is_an_error_and_nothing_is_finished() -> None:
    store = MemoryStore()
    with pytest.raises(BatchInputError, match="it changed while it was read"):
        run(store, Growing(["{}"]))
    assert (len(store.parts), store.whole) == (1, None)


def test_folder_is_let_go_of() -> None:
    store = MemoryStore()
    run(store, MemoryRows(["{}"]))
    assert store.closed == 1


class MemoryOutcomes:
    """Keeps which parts it was told of, and which of them were done by then."""

    characters = 0

    def __init__(self, store: MemoryStore) -> None:
        self._store, self.told, self.closed = store, list[tuple[PartId, bool]](), 0

    def keep(self, part: PartId, _notes: object) -> None:
        self.told.append((part, part in self._store.parts))

    def close(self) -> None:
        self.closed += 1


def test_outcomes_are_told_of_each_part_before_it_counts_as_done() -> None:
    store = MemoryStore()
    outcomes = MemoryOutcomes(store)
    BatchRun([MemoryRows(["{}"] * 1500)], {}, CleanEngine(), store, outcomes)(lambda _: None)  # type: ignore[arg-type]
    assert outcomes.told == [(PartId(0, 0), False), (PartId(0, 1), False)]
    assert outcomes.closed == 1
