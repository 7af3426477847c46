"""The files of a folder, each of them one text."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.record import Row
from src.modules.reparsing.infrastructure.sources import opening
from src.modules.reparsing.infrastructure.sources.opening import identity_of, reading
from src.shared.domain.language import Phrase


def folder_size(folder: Path) -> int:
    """The bytes of all files."""
    return sum(opening.size_of(str(path)) for path in _files(folder))


def folder_identity(folder: Path, data: tuple[str, ...]) -> dict[str, Any]:
    """As `RowSource.identity`: names, sizes, first and last blocks of all files, in one hash.

    Args:
        folder: where the files are.
        data: endings of files that hold rows and are no texts.
    """
    files = size = 0
    folded = hashlib.sha256()
    for path in _files(folder):
        if path.name.endswith(data):
            why = Phrase(
                "it holds data, such as {name}; a folder is for one text a file, so name the data: {pattern}",
                name=_name(path),
                pattern=folder / f"*{path.suffix}",
            )
            raise BatchInputError.of(str(folder), why)
        try:
            identity = identity_of(str(path))
        except BatchInputError:
            identity = {"size": 0}  # it is a row that is refused
        files, size = files + 1, size + identity["size"]
        folded.update(json.dumps([_name(path), identity]).encode())
    return {"files": files, "size": size, "content": folded.hexdigest()}


def folder_rows(folder: Path, field: str) -> Iterator[Row]:
    """As `RowSource.rows`, each text under the name of a field."""
    position = 0
    for path in _files(folder):
        name = _name(path)
        try:
            with path.open("rb") as file:
                content = file.read(opening.ROW_BYTES + 1)
        except OSError as error:
            why = Phrase("the file cannot be read: {why}", why=error.strerror or error)
            yield Row(name, why, position=position)
            continue
        if len(content) > opening.ROW_BYTES:
            yield opening.oversized_row(name, position)
        else:
            position += len(content)
            yield Row(name, {field: content}, len(content), position)


def _files(folder: Path) -> Iterator[Path]:
    """Files of all levels by name, folder by folder; hidden ones and links are left out."""
    with reading(str(folder)):
        entries = [_sorted(folder)]
        while entries:
            entry = next(entries[-1], None)
            if entry is None:
                entries.pop()
            elif entry.is_dir(follow_symlinks=False):
                entries.append(_sorted(Path(entry.path)))
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def _sorted(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(".")]
    return iter(sorted(shown, key=lambda entry: os.fsencode(entry.name)))


def _name(path: Path) -> str:
    """The path, with an escape for what is not UTF-8 in it."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
