"""Tables of rows in many styles: what is written, and what is said of how they are read."""

import json
from typing import Any

import pytest

from tools.benchmarks import rows
from tools.benchmarks.rows import COMPARED, STYLES, Measured, Table, growth, is_bad, main, measure, tables

BY_NAME = {style.name: style for style in STYLES}
RIGHT = Measured("right", 1_000, 0.01, 0.02)


def written(*names: str, count: int = 3) -> str:
    return Table("rows with a note", tuple(BY_NAME[name] for name in names)).written(count)[0]


def test_table_of_one_row_is_read_right_in_every_style_and_pair() -> None:
    found = [(str(made), measure(made, 1, None).verdict) for made in tables()]
    assert ([name for name, verdict in found if verdict != "right"], len(found)) == ([], 152)


def test_of_two_styles_of_quotes_each_has_every_second_row() -> None:
    text = written("single quotes", "smart quotes")
    assert "'id': 0" in text
    assert "“id”: 1" in text
    assert "'id': 2" in text


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("single quotes, apostrophes", "'it is isn't so'"),
        ("Python's", "'ok': False"),
        ("bare keys", "{id: 0, note: "),
        ("inner quotes", '"it is "really" so"'),
        ("full-width signs", '｛"id"： 1， "note"'),
        ("trailing commas", "true,},\n  ],\n}"),
        ("words of Python", '"ok": True'),
        ("one member a line", '{\n      "id": 0,\n'),
        ("rows without commas", "}\n    {"),
        ("a comment a row", "}, // row 0\n"),
    ],
)
def test_style_is_written(name: str, part: str) -> None:
    assert part in written(name)


def test_clean_table_is_strict_json_of_its_value() -> None:
    for shape in rows.SHAPES:
        text, expected = Table(shape, ()).written(4)
        assert json.loads(text) == expected


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({COMPARED: RIGHT}, False),
        ({COMPARED: RIGHT._replace(peer=0.005)}, True),
        ({COMPARED: RIGHT._replace(verdict="refused")}, True),
        ({1: RIGHT._replace(peer=0.005)}, False),
        ({COMPARED: RIGHT, 2 * COMPARED: RIGHT._replace(seconds=0.03, peer=0.04)}, True),
        ({COMPARED: RIGHT, 2 * COMPARED: RIGHT._replace(seconds=0.02, length=2_000, peer=0.04)}, False),
    ],
)
def test_table_is_bad_where_it_is_not_right_slower_than_json_repair_or_not_linear(
    sizes: dict[int, Measured], *, expected: bool
) -> None:
    assert is_bad(sizes) is expected


def test_growth_of_what_takes_no_time_is_not_measured() -> None:
    assert growth({1: RIGHT._replace(seconds=1e-6), 2: RIGHT}) == 0


def test_command_prints_a_line_for_each_size_and_each_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sizes", "1", "2", "--only", "rows with a note: bare keys + trailing", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines[2:4]] == [["1", "1", "1"], ["2", "1", "1"]]
    assert lines[-1].startswith("rows with a note: bare keys + trailing commas  right ")


def test_json_repair_is_compared_with_where_it_reads_a_damaged_table_right() -> None:
    made = Table("dense rows", (BY_NAME["bare keys"],))
    expected: Any = made.written(2)[1]
    assert measure(made, 2, lambda _: expected).peer is not None
    assert measure(made, 2, lambda _: {}).peer is None
    assert measure(Table("dense rows", ()), 2, lambda _: expected).peer is None
