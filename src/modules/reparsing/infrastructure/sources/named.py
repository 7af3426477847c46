"""Which source an input is, by its name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.sources import opening
from src.modules.reparsing.infrastructure.sources.lines import (
    STANDARD_INPUT,
    csv_rows,
    json_identity,
    json_lines,
    standard_input,
)
from src.modules.reparsing.infrastructure.sources.opening import COMPRESSED, STORES, identity_of
from src.modules.reparsing.infrastructure.sources.tables import (
    SCHEME,
    parquet_rows,
    sqlite_identity,
    sqlite_rows,
    table_of,
)
from src.modules.reparsing.infrastructure.sources.text_folder import folder_identity, folder_rows, folder_size
from src.shared.domain.language import Phrase

LINES = (".jsonl", ".ndjson")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON = ".json"
PARQUET = ".parquet"
_DATA = (*LINES, *DELIMITERS, PARQUET, ".db", ".sqlite", ".sqlite3", *COMPRESSED)
"""Endings of files that hold rows: none is a text of a folder."""
_FILE_URL = "file://"
_SCHEME_END = "://"
FORMS = (
    *(f"FILE{ending}" for ending in (*LINES, JSON, *DELIMITERS)),
    *(f"…{ending}" for ending in COMPRESSED),
    *(f"FILE{PARQUET}", "FOLDER", f"{SCHEME}FILE?table=NAME", STANDARD_INPUT),
    *(f"{store}BUCKET/KEY" for store in STORES),
)
"""What an input can be."""
_UNKNOWN = Phrase("not a kind that is read; those are: {forms}", forms=", ".join(FORMS))


def sources_named(inputs: Sequence[str], names: FieldNames) -> list[RowSource]:
    """The sources of the inputs, in their order.

    Raises:
        BatchInputError: one of them is nothing that can be read, or is in there twice.
    """
    sources = [source_named(name, names) for name in inputs]
    places: dict[str, str] = {}
    for name in inputs:
        place = _place(name)
        if place in places:
            raise _twice(name, places[place])
        places[place] = name
    for place, name in places.items():
        above = next((str(parent) for parent in Path(place).parents if str(parent) in places), None)
        if above is not None:
            raise _twice(name, places[above])
    return sources


def source_named(name: str, names: FieldNames) -> RowSource:
    """The source of an input.

    Raises:
        BatchInputError: it is nothing that can be read.
    """
    if name == STANDARD_INPUT:
        return standard_input()
    if name.startswith(SCHEME):
        table_of(name)
        return RowSource(name, partial(sqlite_rows, name, names), partial(sqlite_identity, name))
    if opening.is_object(name):
        opening.check_object(name)
        return _file_source(name, names)
    path = _local(name)
    if path.is_dir():
        rows, identity = partial(folder_rows, path, names.text), partial(folder_identity, path, _DATA)
        return RowSource(str(path), rows, identity, folder_size(path))
    if not path.is_file():
        scheme, is_address, _ = name.partition(_SCHEME_END)
        if is_address and not name.startswith(_FILE_URL):
            raise BatchInputError.of(opening.hide_address(f"{scheme}{_SCHEME_END}"), _UNKNOWN)
        why = Phrase("it is neither a file nor a folder") if path.exists() else opening.NO_FILE
        raise BatchInputError.of(name, why)
    return _file_source(str(path), names)


def _local(name: str) -> Path:
    """The path of a file of this machine; that of a `file:` URL stands behind three slashes, with percent signs."""
    path = name.removeprefix(_FILE_URL)
    return Path(unquote(path)) if name.startswith(f"{_FILE_URL}/") and "\0" not in unquote(path) else Path(name)


def _file_source(name: str, names: FieldNames) -> RowSource:
    """The source of a file, or of an object of a store."""
    path = PurePosixPath(name)
    ending = path.with_suffix("").suffix if path.suffix in COMPRESSED else path.suffix
    if ending in (*LINES, JSON):
        rows = partial(json_lines, name)
    elif ending in DELIMITERS:
        rows = partial(csv_rows, name, names, DELIMITERS[ending])
    elif path.suffix == PARQUET:
        rows = partial(parquet_rows, name, names)
    else:
        raise BatchInputError.of(name, opening.NO_OBJECT if opening.is_object(name) else _UNKNOWN)
    identity = json_identity if ending == JSON else identity_of
    return RowSource(name, rows, partial(identity, name), opening.size_of(name))


def _place(name: str) -> str:
    """Where the rows of an input are, whatever it was called."""
    if name.startswith(SCHEME):
        path, table = table_of(name)
        return f"{os.path.realpath(path)}?{table.lower()}"
    return name if name == STANDARD_INPUT or opening.is_object(name) else os.path.realpath(_local(name))


def _twice(name: str, other: str) -> BatchInputError:
    return BatchInputError.of(name, Phrase("its rows are in {other} already", other=other))
