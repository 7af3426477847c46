"""A run: what is done is kept, and what is not done is read."""

from collections import Counter
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from src.modules.reparsing.application import BatchRun, Progress, count_texts
from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource, parts_of
from src.modules.reparsing.domain.tally import Tally
from tests.modules.reparsing.rows import memory_rows


def clean(texts: int) -> Tally:
    return Tally(Counter(texts=texts, clean=texts))


def read_clean(sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
    """Every text is clean; the last part comes first."""
    for number, source in reversed(list(enumerate(sources))):
        for part in parts_of(source, number):
            if part.id not in done:
                yield PartResult(part.id, part.position, part.digest, {}, clean(len(part.rows)))


class MemoryStore:
    """Keeps parts in a dictionary."""

    def __init__(self, parts: dict[PartId, Tally] | None = None, whole: Tally | None = None) -> None:
        self.parts, self.whole = parts or {}, whole
        self.manifest: dict[str, Any] = {}
        self.closed = 0

    def begin(self, manifest: dict[str, Any], *, resume: bool) -> Done:
        assert resume == bool(self.parts or self.whole)
        self.manifest = manifest
        return dict.fromkeys(self.parts, "")

    def commit(self, result: PartResult) -> None:
        self.parts[result.id] = result.tally

    def tallies(self) -> list[Tally]:
        return [self.parts[part] for part in sorted(self.parts)]

    def finish(self) -> Tally:
        self.whole = Tally()
        for tally in self.tallies():
            self.whole.add(tally)
        return self.whole

    def finished(self) -> Tally | None:
        return self.whole

    def close(self) -> None:
        self.closed += 1


Shown = list[tuple[int, int, float | None]]


def run(store: MemoryStore, *sources: RowSource, resume: bool = False) -> tuple[Tally, Shown]:
    """The tally, and what was shown of the progress: texts, new ones, share."""
    shown: Shown = []

    def show(progress: Progress) -> None:
        shown.append((progress.counts["texts"], progress.new, progress.share))

    return BatchRun(sources, {"agent": "verdict"}, read_clean, store)(show, resume=resume), shown  # type: ignore[arg-type]


def test_run_reads_everything_tells_how_far_it_is_and_lets_go_of_the_folder() -> None:
    store = MemoryStore()
    whole, shown = run(store, memory_rows(["{}"] * 1000, "a"), memory_rows(["{}"] * 1000, "b"))
    assert whole == clean(2000)
    assert shown == [(0, 0, 0.0), (1000, 1000, 0.5), (2000, 2000, 1.0)]
    inputs = [{"name": "a", "size": 1000}, {"name": "b", "size": 1000}]
    assert (store.manifest, store.closed) == ({"inputs": inputs, "options": {"agent": "verdict"}}, 1)


def test_resumed_run_reads_what_is_not_done_and_tells_of_both() -> None:
    whole, shown = run(MemoryStore({PartId(0, 0): clean(1000)}), memory_rows(["{}"] * 1500), resume=True)
    assert (whole, [each[:2] for each in shown]) == (clean(1500), [(1000, 0), (1500, 500)])


def test_finished_run_is_told_and_not_read_again() -> None:
    assert run(MemoryStore(whole=clean(7)), memory_rows(["{}"]), resume=True) == (clean(7), [])


def test_finished_run_of_an_input_that_is_read_once_is_not_taken_for_the_same() -> None:
    with pytest.raises(BatchInputError, match="name another folder"):
        run(MemoryStore(whole=Tally()), memory_rows(["{}"], "-", repeatable=False), resume=True)


@pytest.mark.parametrize("sources", [[], [memory_rows([])]])
def test_input_of_unknown_length_has_no_share(sources: list[RowSource]) -> None:
    assert [share for *_, share in run(MemoryStore(), *sources)[1]] == [None]


def test_input_that_changes_while_it_is_read_is_an_error_and_nothing_is_finished() -> None:
    sizes = iter(range(9))
    store, growing = MemoryStore(), memory_rows(["{}"], identity=lambda: {"size": next(sizes)})
    with pytest.raises(BatchInputError, match="it changed while it was read"):
        run(store, growing)
    assert (len(store.parts), store.whole) == (1, None)


def test_notes_are_told_of_before_their_part_counts_as_done() -> None:
    store, told = MemoryStore(), list[tuple[PartId, bool]]()
    rows = [memory_rows(["{}"] * 1500)]
    batch = BatchRun(rows, {}, read_clean, store, lambda part, _: told.append((part, part in store.parts)))  # type: ignore[arg-type]
    batch(lambda _: None)
    assert told == [(PartId(0, 0), False), (PartId(0, 1), False)]


def test_texts_are_counted_in_the_order_of_the_inputs() -> None:
    shown: list[int] = []
    whole = count_texts(
        [memory_rows(["{}"] * 1500), memory_rows(["{}"])], read_clean, lambda one: shown.append(one.new)
    )
    assert (whole, shown) == (clean(1501), [1, 1001, 1501])
