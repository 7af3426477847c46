"""The files of a folder, each of them one text."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import SourceRow
from src.modules.reparsing.domain.record import FieldNames, RawRow
from src.modules.reparsing.infrastructure.sources import opening as row_size
from src.modules.reparsing.infrastructure.sources.opening import LocalFile, identity_of, reading
from src.shared.domain.language import Message, Phrase


class TextFolder:
    """As `RowSource`. Files of all levels by name, folder by folder; hidden ones and links are left out."""

    repeatable = True

    def __init__(self, path: Path, names: FieldNames, data: tuple[str, ...]) -> None:
        """Look at nothing yet.

        Args:
            path: the folder.
            names: the text's name is the only one that matters.
            data: endings of files that hold rows and are no texts.
        """
        self.name = str(path)
        self.total = 0
        self._path = path
        self._text = names.text
        self._data = data

    def identity(self) -> dict[str, Any]:
        """As `RowSource.identity`: names, sizes, first and last blocks of all files, in one hash."""
        files = size = 0
        folded = hashlib.sha256()
        for path in self._files():
            if path.name.endswith(self._data):
                raise self._holds_data(path)
            try:
                identity = identity_of(LocalFile(path))
            except BatchInputError:
                identity = {"size": 0}  # it is a row that is refused
            files, size = files + 1, size + identity["size"]
            folded.update(json.dumps([_name(path), identity]).encode())
        self.total = size
        return {"files": files, "size": size, "content": folded.hexdigest()}

    def rows(self) -> Iterator[SourceRow]:
        """As `RowSource.rows`."""
        position = 0
        for path in self._files():
            try:
                content = _content(path)
            except OSError as error:
                why = error.strerror or error
                content = Phrase("the file cannot be read: {why}", why=why)
            if isinstance(content, bytes):
                position += len(content)
                yield SourceRow(RawRow(_name(path), {self._text: content}), len(content), position)
            else:
                yield SourceRow(RawRow(_name(path), content), row_size.UNKEPT, position)

    def _files(self) -> Iterator[Path]:
        with reading(self.name):
            entries = [_sorted(self._path)]
            while entries:
                entry = next(entries[-1], None)
                if entry is None:
                    entries.pop()
                elif entry.is_dir(follow_symlinks=False):
                    entries.append(_sorted(Path(entry.path)))
                elif entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)

    def _holds_data(self, path: Path) -> BatchInputError:
        pattern = self._path / f"*{path.suffix}"
        return BatchInputError.of(
            self.name,
            Phrase(
                "it holds data, such as {name}; a folder is for one text a file, so name the data: {pattern}",
                name=_name(path),
                pattern=pattern,
            ),
        )


def _sorted(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(".")]
    return iter(sorted(shown, key=lambda entry: os.fsencode(entry.name)))


def _content(path: Path) -> bytes | Message:
    with path.open("rb") as file:
        content = file.read(row_size.ROW_BYTES + 1)
    return content if len(content) <= row_size.ROW_BYTES else row_size.too_large()


def _name(path: Path) -> str:
    """The path, with an escape for what is not UTF-8 in it."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
