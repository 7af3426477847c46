"""A run: what is done is kept, and what is not done is read."""

import io
import json
import sys
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, Outcomes, PartId, PartResult, RowSource, parts_of, parts_to_read
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.run import BatchRun, Engine, Progress, count_texts
from src.modules.reparsing.infrastructure.run_folder import RunFolder
from src.modules.reparsing.infrastructure.sources.lines import standard_input
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message
from tests.modules.reparsing.rows import memory_rows


def clean(texts: int) -> Tally:
    return Tally(Counter(texts=texts, clean=texts))


def read_clean(sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
    """Every text is clean; the last part comes first."""
    for number, source in reversed(list(enumerate(sources))):
        for part in parts_of(source, number):
            if part.id not in done:
                yield PartResult(part.id, part.position, part.digest, Outcomes([], clean(len(part.rows))))


def read_checked(sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
    """As `read_clean`, which looks at what is done as well."""
    for number, source in enumerate(sources):
        for part in parts_to_read(source, number, done):
            yield PartResult(part.id, part.position, part.digest, Outcomes([], clean(len(part.rows))))


Shown = list[tuple[int, int, float | None]]


class Runs:
    """Runs in one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, *sources: RowSource, resume: bool = False, engine: Engine = read_clean) -> tuple[Tally, Shown]:
        """The tally, and what was shown of the progress: texts, new ones, share."""
        shown: Shown = []

        def show(progress: Progress) -> None:
            shown.append((progress.counts["texts"], progress.new, progress.share))

        folder = RunFolder(self.path, "jsonl")
        return BatchRun(sources, {"agent": "verdict"}, engine, folder)(show, resume=resume), shown


@pytest.fixture
def run(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_run_reads_everything_tells_how_far_it_is_and_lets_go_of_the_folder(run: Runs) -> None:
    sources = [memory_rows(["{}"] * 1000, name) for name in "ab"]
    whole, shown = run(*sources)
    assert whole == clean(2000)
    assert shown == [(0, 0, 0.0), (1000, 1000, 0.5), (2000, 2000, 1.0)]
    inputs = [{"name": "a", "size": 1000}, {"name": "b", "size": 1000}]
    manifest = {"inputs": inputs, "options": {"agent": "verdict"}}
    assert json.loads((run.path / "manifest.json").read_bytes()) == manifest
    assert run(*sources, resume=True) == (clean(2000), [])


def test_resumed_run_reads_what_is_not_done_and_tells_of_both(run: Runs) -> None:
    def read_first(sources: Sequence[RowSource], _done: Done) -> Generator[PartResult, None, None]:
        yield from [*read_clean(sources, {})][:1]
        raise BatchInputError.of(sources[0].name, Message("被截断", "cut off"))

    source = memory_rows(["{}"] * 1500)
    with pytest.raises(BatchInputError, match="cut off"):
        run(source, engine=read_first)
    whole, shown = run(source, resume=True)
    assert (whole, [each[:2] for each in shown]) == (clean(1500), [(1000, 0), (1500, 500)])


def test_finished_run_of_an_input_that_is_read_once_is_not_taken_for_the_same(run: Runs) -> None:
    source = memory_rows(["{}"], "-", repeatable=False)
    run(source)
    with pytest.raises(BatchInputError, match="name another folder"):
        run(source, resume=True)


LINES = [f'{{"text": "{number:40}"}}\n' for number in range(4_500)]
"""Five parts, and more than is kept of the beginning."""


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (LINES, ""),
        ([*LINES[:3_999], '"x"\n', *LINES[4_000:]], "it changed since the run began, from -:3001 on"),
        (LINES[:2_000], "it changed since the run began"),
        (['"x"\n', *LINES[1:]], "- changed (first)"),
    ],
    ids=["the same", "another row", "fewer rows", "another beginning"],
)
def test_run_over_standard_input_goes_on_with_the_same_input_alone(
    run: Runs, monkeypatch: pytest.MonkeyPatch, lines: list[str], why: str
) -> None:
    def piped(some: list[str]) -> RowSource:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("".join(some).encode())))
        return standard_input()

    def read_four(sources: Sequence[RowSource], _done: Done) -> Generator[PartResult, None, None]:
        yield from [*read_clean(sources, {})][:4]
        raise BatchInputError.of(sources[0].name, Message("被截断", "cut off"))

    with pytest.raises(BatchInputError, match="cut off"):
        run(piped(LINES), engine=read_four)
    again = piped(lines)
    if not why:
        assert run(again, resume=True, engine=read_checked)[0] == clean(4_500)
        return
    with pytest.raises(AppException) as caught:
        run(again, resume=True, engine=read_checked)
    assert why in caught.value.message


@pytest.mark.parametrize("sources", [[], [memory_rows([])]])
def test_input_of_unknown_length_has_no_share(run: Runs, sources: list[RowSource]) -> None:
    assert [share for *_, share in run(*sources)[1]] == [None]


def test_input_that_changes_while_it_is_read_is_an_error_and_nothing_is_finished(run: Runs) -> None:
    sizes = iter(range(9))
    with pytest.raises(BatchInputError, match="it changed while it was read"):
        run(memory_rows(["{}"], identity=lambda: {"size": next(sizes)}))
    assert [path.name for path in (run.path / "parts").iterdir()] == ["0-0"]
    assert not (run.path / "tally.json").exists()


def test_notes_are_told_of_before_their_part_counts_as_done(tmp_path: Path) -> None:
    told: list[tuple[PartId, bool]] = []

    def on_part(part: PartId, _notes: object) -> None:
        told.append((part, (tmp_path / f"parts/0-{part.number}").exists()))

    folder = RunFolder(tmp_path, "jsonl")
    BatchRun([memory_rows(["{}"] * 1500)], {}, read_clean, folder, on_part)(lambda _: None)
    assert told == [(PartId(0, 0), False), (PartId(0, 1), False)]


def test_texts_are_counted_in_the_order_of_the_inputs() -> None:
    shown: list[int] = []
    sources = [memory_rows(["{}"] * 1500), memory_rows(["{}"])]
    assert count_texts(sources, read_clean, lambda one: shown.append(one.new)) == clean(1501)
    assert shown == [1, 1001, 1501]
