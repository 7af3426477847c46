"""A sample of the rows."""

import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from src.modules.reparsing.domain.record import Row
from src.modules.reparsing.infrastructure.sources.first_rows import sample_rows
from tests.modules.reparsing.rows import memory_rows


def places(*lengths: int, size: int) -> list[list[str]]:
    """Where the chosen rows of inputs of these lengths stand."""
    sources = [memory_rows(["x"] * length, f"{number}") for number, length in enumerate(lengths)]
    return [[row.place for row in each.rows()] for each in sample_rows(sources, size)]


def test_so_many_rows_are_chosen_and_each_once() -> None:
    chosen = [place for each in places(700, 300, size=50) for place in each]
    assert len(set(chosen)) == len(chosen) == 50


def test_rows_keep_their_order_and_their_input() -> None:
    first, second = places(700, 300, size=50)
    for number, each in enumerate((first, second)):
        lines = [int(place.partition(":")[2]) for place in each]
        assert lines == sorted(lines)
        assert all(place.startswith(f"{number}:") for place in each)
    assert len(first) > len(second) > 0


def test_same_rows_are_chosen_every_time() -> None:
    """Also by another version of Python: the first rows of a sample are written down here."""
    first, second = places(700, 300, size=5), places(700, 300, size=5)
    assert first == second == [["0:113", "0:168", "0:308", "0:545"], ["1:195"]]


def test_all_rows_are_chosen_where_there_are_no_more() -> None:
    assert places(2, 0, 1, size=3) == [["0:1", "0:2"], [], ["2:1"]]


def test_every_row_has_the_same_chance() -> None:
    """Over 250 inputs of different lengths each half is chosen about equally often."""
    halves = Counter(
        int(place.partition(":")[2]) > length // 2
        for length in range(20, 2020, 8)
        for place in places(length, size=8)[0]
    )
    assert 0.9 < halves[True] / halves[False] < 1.1


def test_chosen_rows_are_read_any_number_of_times_also_in_another_process_and_the_inputs_once() -> None:
    whole, readings = memory_rows(["x"] * 100, "a"), list[int]()

    def rows() -> Iterator[Row]:
        readings.append(1)
        return whole.rows()

    (sample,) = sample_rows([replace(whole, rows=rows)], 10)
    assert list(sample.rows()) == list(sample.rows())
    assert len(readings) == 1
    (sample,) = sample_rows([whole], 10)
    assert list(pickle.loads(pickle.dumps(sample.rows))()) == list(sample.rows())  # noqa: S301 - our own


def test_sample_is_known_by_what_its_input_is() -> None:
    source = memory_rows(["x"] * 100, "a", repeatable=False)
    (sample,) = sample_rows([source], 10)
    assert replace(sample, rows=source.rows) == source
