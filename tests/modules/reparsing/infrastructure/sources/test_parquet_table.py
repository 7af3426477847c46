"""Rows of Parquet."""

import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from src.modules.reparsing.domain.record import FieldNames, Record
from src.modules.reparsing.infrastructure.sources import tables
from tests.modules.reparsing.infrastructure.sources.read import records, source, texts, until_error
from tests.paths import ROOT


def written(folder: Path, columns: dict[str, Any], **options: object) -> Path:
    path = folder / "a.parquet"
    pq.write_table(pa.table(columns), path, **options)
    return path


def test_every_field_is_read(tmp_path: Path) -> None:
    columns = {
        "text": ["{}", None],
        "id": [7, 8],
        "agent": ["verdict", None],
        "finish_reason": ["stop", None],
        "model": ["m", None],
        "time": [datetime(2026, 1, 1, 9, tzinfo=UTC), None],
    }
    path = written(tmp_path, columns)
    assert records(path) == [
        Record(f"{path}:1", "7", "{}", "verdict", "stop", "m", "2026-01-01T09"),
        Record(f"{path}:2", "8", None),
    ]


def not_utf8() -> pa.Array:
    """Two strings, the first of which is not UTF-8, as other writers of Parquet let it pass."""
    return pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xffc")]
    )


TEXTS = pa.array(["ab", None, "é"])
REFUSAL = "not UTF-8: byte 0xff at offset 0"
REPLY = pa.array([{"choices": [{"message": {"content": "a", "at": 1}}], "text": "a", "tags": [b"\xff"]}])


@pytest.mark.parametrize(
    ("column", "name", "expected"),
    [
        *(
            (TEXTS.cast(kind), "text", ["ab", None, "é"])
            for kind in (
                *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()),
                *(pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int32(), pa.binary())),
            )
        ),
        (pa.array([b"ab", None], pa.binary(2)), "text", ["ab", None]),
        (pa.array([b"\xff", b"c"]), "text", [REFUSAL, "c"]),
        (not_utf8(), "text", [REFUSAL, "c"]),
        (pa.array([], pa.string()), "text", []),
        (REPLY, "reply.choices.0.message.content", ["a"]),
        (REPLY, "reply.text", ["a"]),
        (pa.array(["x"]), "a.b", ["x"]),
    ],
    ids=lambda one: str(one.type) if isinstance(one, pa.Array) else None,
)
def test_text_is_found_in_a_column_of_any_type_of_texts(
    tmp_path: Path, column: pa.Array, name: str, expected: list[str | None]
) -> None:
    """Or along the dots of a name that is no column's, in objects and lists."""
    field = name.partition(".")[0] if column is REPLY else name
    path = written(tmp_path, {field: column, "other": column})
    assert texts(path, FieldNames(text=name)) == expected


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str]]]:
    """How many rows at once, and which columns, the library was asked for."""
    found: list[tuple[int, list[str]]] = []
    whole = pq.ParquetFile.iter_batches

    def iter_batches(file: pq.ParquetFile, rows: int, columns: list[str]) -> object:
        found.append((rows, columns))
        return whole(file, rows, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", iter_batches)
    return found


def test_columns_that_are_not_needed_are_not_read(tmp_path: Path, asked: list[tuple[int, list[str]]]) -> None:
    path = written(tmp_path, {"blob": [b"x" * 1000], "text": ["a"], "reply": [{"id": 3}], "more": [1]})
    assert records(path, FieldNames(id="reply.id")) == [Record(f"{path}:1", "3", "a")]
    assert [columns for _, columns in asked] == [["text", "reply"]]


@pytest.mark.parametrize(
    ("kind", "value", "hour"),
    [
        (pa.timestamp("s"), datetime(2026, 1, 1, 9), "2026-01-01T09"),  # noqa: DTZ001 - without a zone
        (pa.timestamp("ms", "America/New_York"), datetime(2026, 1, 1, 9, tzinfo=UTC), "2026-01-01T09"),
        (pa.timestamp("ns"), 1_000_000_000_000_000_001, "2001-09-09T01"),
        (pa.date32(), date(2026, 1, 1), "2026-01-01T00"),
        (pa.string(), "2026-01-01T09:30:00+01:00", "2026-01-01T08"),
        (pa.int64(), 1_767_258_000, "2026-01-01T09"),
        (pa.timestamp("us"), 2**62, None),
    ],
    ids=str,
)
def test_time_may_have_any_type_of_times(tmp_path: Path, kind: pa.DataType, value: object, hour: str | None) -> None:
    path = written(tmp_path, {"text": ["a", "b"], "time": pa.array([value, None], kind)})
    first, second = records(path)
    assert isinstance(first, Record)
    assert (first.text, first.hour) == ("a", hour)
    assert second == Record(f"{path}:2", f"{path}:2", "b")


def test_large_rows_are_decoded_few_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[tuple[int, list[str]]]
) -> None:
    monkeypatch.setattr(tables, "_BATCH_BYTES", 10_000)
    path = written(tmp_path, {"text": ["x" * 3_000] * 10}, use_dictionary=False)
    assert len(texts(path)) == 10
    assert [rows for rows, _ in asked] == [2]


def test_file_with_a_broken_page_is_an_error_behind_the_rows_before_it(tmp_path: Path) -> None:
    path = written(tmp_path, {"text": [f"{n:0100}" for n in range(200)]}, row_group_size=100, use_dictionary=False)
    content = bytearray(path.read_bytes())
    middle = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    content[middle : middle + 200] = b"\xff" * 200
    path.write_bytes(content)
    found, why = until_error(source(path))
    assert found == [f"{n:0100}" for n in range(64)]
    assert "cannot be read" in why


def test_pandas_is_not_imported(tmp_path: Path) -> None:
    """Not even where it is installed, for times with nanoseconds."""
    (tmp_path / "pandas.py").write_text("raise SystemExit('pandas was imported')")
    times = pa.array([1_000_000_000_000_000_001], pa.timestamp("ns"))
    path = written(
        tmp_path, {"text": ["a"], "time": times, "reply": pa.array([{"at": 5}], pa.struct([("at", times.type)]))}
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from tests.modules.reparsing.infrastructure.sources.read import records, FieldNames\n"
        "print(records(sys.argv[1], FieldNames(id='reply.id'))[0].hour, 'pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(path), str(tmp_path)]
    assert subprocess.check_output(command, cwd=ROOT, text=True).split() == ["2001-09-09T01", "False"]  # noqa: S603 - our own
