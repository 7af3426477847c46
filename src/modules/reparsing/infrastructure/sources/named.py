"""Which source an input is, by its name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.sources.csv_table import CsvTable
from src.modules.reparsing.infrastructure.sources.jsonl import STANDARD_INPUT, JsonFile, JsonLines, StandardInput
from src.modules.reparsing.infrastructure.sources.opening import (
    COMPRESSED,
    NO_FILE,
    NO_OBJECT,
    STORES,
    InputFile,
    LocalFile,
    StoredObject,
    hidden,
)
from src.modules.reparsing.infrastructure.sources.tables import SCHEME, ParquetTable, SqliteTable
from src.modules.reparsing.infrastructure.sources.text_folder import TextFolder
from src.shared.domain.language import Phrase

LINES = (".jsonl", ".ndjson")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON = ".json"
FILE_URL = "file://"
_SCHEME_END = "://"
PARQUET = ".parquet"
DATABASES = (".db", ".sqlite", ".sqlite3")
FORMS = (
    *(f"FILE{ending}" for ending in (*LINES, JSON, *DELIMITERS)),
    *(f"…{ending}" for ending in COMPRESSED),
    *(f"FILE{PARQUET}", "FOLDER", f"{SCHEME}FILE?table=NAME", STANDARD_INPUT),
    *(f"{store}BUCKET/KEY" for store in STORES),
)
"""What an input can be."""


def sources_named(inputs: Sequence[str], names: FieldNames) -> list[RowSource]:
    """The sources of the inputs, in their order.

    Raises:
        BatchInputError: one of them is nothing that can be read, or is in there twice.
    """
    sources = [source_named(name, names) for name in inputs]
    keys: dict[str, str] = {}
    for name, source in zip(inputs, sources, strict=True):
        key = _key(source)
        if key in keys:
            raise _twice(name, keys[key])
        keys[key] = name
    for key, name in keys.items():
        for parent in Path(key).parents:
            if str(parent) in keys:
                raise _twice(name, keys[str(parent)])
    return sources


def source_named(name: str, names: FieldNames) -> RowSource:
    """The source of an input.

    Raises:
        BatchInputError: it is nothing that can be read.
    """
    if name == STANDARD_INPUT:
        return StandardInput()
    if name.startswith(SCHEME):
        return SqliteTable(name, names)
    if name.startswith(tuple(STORES)):
        return _rows_in(StoredObject(name), names)
    path = _local(name)
    if path.is_dir():
        return TextFolder(path, names, data=(*LINES, *DELIMITERS, PARQUET, *DATABASES, *COMPRESSED))
    if not path.is_file():
        scheme, is_address, _ = name.partition(_SCHEME_END)
        if is_address and not name.startswith(FILE_URL):
            raise BatchInputError.of(hidden(f"{scheme}{_SCHEME_END}"), _UNKNOWN)
        raise BatchInputError.of(name, _NOT_A_FILE if path.exists() else NO_FILE)
    return _rows_in(LocalFile(path), names)


def _local(name: str) -> Path:
    """The path of a file of this machine; that of a `file:` URL stands behind three slashes, with percent signs."""
    path = name.removeprefix(FILE_URL)
    return Path(unquote(path)) if name.startswith(f"{FILE_URL}/") and "\0" not in unquote(path) else Path(name)


def _rows_in(file: InputFile, names: FieldNames) -> RowSource:
    path = file.path
    ending = path.with_suffix("").suffix if path.suffix in COMPRESSED else path.suffix
    if ending in LINES:
        return JsonLines(file, names)
    if ending == JSON:
        return JsonFile(file, names)
    if ending in DELIMITERS:
        return CsvTable(file, names, DELIMITERS[ending])
    if path.suffix == PARQUET:
        return ParquetTable(file, names)
    raise BatchInputError.of(file.name, NO_OBJECT if isinstance(file, StoredObject) else _UNKNOWN)


_NOT_A_FILE = Phrase("it is neither a file nor a folder")
_UNKNOWN = Phrase("not a kind that is read; those are: {forms}", forms=", ".join(FORMS))


def _key(source: RowSource) -> str:
    """Where the rows are, whatever the input was called."""
    if isinstance(source, SqliteTable):
        return f"{os.path.realpath(source.path)}?{source.table.lower()}"
    is_local = not isinstance(source, StandardInput) and not source.name.startswith(tuple(STORES))
    return os.path.realpath(source.name) if is_local else source.name


def _twice(name: str, other: str) -> BatchInputError:
    return BatchInputError.of(name, Phrase("its rows are in {other} already", other=other))
