"""An output as Parquet: the columns of its lines, and what has no fixed form as JSON text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # no stubs
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from src.modules.reparsing.domain.comparison import well_formed

_TEXT, _NUMBER, _FLAG = pa.string(), pa.int64(), pa.bool_()
_WHICH = [("place", _TEXT), ("id", _TEXT), ("agent", _TEXT)]
_REPAIRS = pa.list_(pa.struct([("kind", _TEXT), ("line", _NUMBER), ("column", _NUMBER)]))
_LEFT_OUT = pa.list_(pa.struct([("path", _TEXT), ("line", _NUMBER), ("column", _NUMBER), ("message", _TEXT)]))
_SCHEMAS = {
    "parsed": pa.schema([*_WHICH, ("data", _TEXT), ("repairs", _REPAIRS), ("grade", _TEXT), ("left_out", _LEFT_OUT)]),
    "refused": pa.schema(
        [
            *(*_WHICH, ("stage", _TEXT), ("message", _TEXT), ("line", _NUMBER), ("column", _NUMBER)),
            *(("truncated", _FLAG), ("feedback", _TEXT)),
        ]
    ),
    "compared": pa.schema([*_WHICH[:2], ("agreement", _TEXT), ("paths", pa.list_(_TEXT)), ("old_error", _TEXT)]),
}


def write_parquet(name: str, files: Sequence[Path], output: Path) -> None:
    """Write the lines of some files as one Parquet file, a row group a file.

    Raises:
        OSError: it cannot be written.
    """
    schema = _SCHEMAS[name]
    with pq.ParquetWriter(output, schema, compression="zstd") as writer:
        for file in files:
            rows = [_row(line) for line in file.read_bytes().splitlines()]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _row(line: bytes) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(line)
    if "data" in row:
        row["data"] = json.dumps(row["data"], ensure_ascii=False)
    return {name: well_formed(value) if isinstance(value, str) else value for name, value in row.items()}
