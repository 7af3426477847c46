"""Copies files into a host's folder; a manifest lists which files are ours, and no others are touched.

Imports the standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

MANIFEST = "vendored.json"
"""Beside the files: what was copied, and the SHA-256 of each."""


class InTheWayError(Exception):
    """Files of the host stand where files are to be copied to; nothing was written.

    Attributes:
        paths: their paths within the folder.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(", ".join(paths))
        self.paths = paths


@dataclass(frozen=True)
class Copied:
    """What a copy did, as paths within the folder.

    Attributes:
        written: files that are new or have another text than before.
        unchanged: files that already had their text.
        removed: files that an earlier copy wrote and that are no longer needed.
        kept: files that the host has changed since they were copied, and that were left as they are.
    """

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]


def copy_files(files: Mapping[str, str], folder: Path, about: Mapping[str, str]) -> Copied:
    """Copy files into a folder, or bring an earlier copy up to date.

    Args:
        files: the texts by their paths within the folder, with slashes.
        folder: where they go; made if it is not there.
        about: where they come from; goes into the manifest.

    Raises:
        InTheWayError: there are files that no earlier copy wrote, or the manifest is not one of ours.
        OSError: something cannot be read or written.
    """
    before = _manifest_in(folder)
    wanted = {path: _hash(text.encode()) for path, text in files.items()}
    found = {path: _hash_of(folder / path) for path in wanted.keys() | before.keys()}
    in_the_way = [path for path in wanted if found[path] not in {None, wanted[path], before.get(path, wanted[path])}]
    foreign = tuple(path for path in in_the_way if path not in before)
    if foreign:
        raise InTheWayError(foreign)
    stale = [path for path in before if path not in wanted and found[path] is not None]
    removed = tuple(path for path in stale if found[path] == before[path])
    kept = (*in_the_way, *(path for path in stale if path not in removed))
    written = tuple(path for path in wanted if found[path] != wanted[path] and path not in kept)
    for path in written:
        _write(folder / path, files[path])
    for path in removed:
        (folder / path).unlink()
    hashes = {path: value for path, value in wanted.items() if path not in kept} | {path: before[path] for path in kept}
    _write(folder / MANIFEST, json.dumps({**about, "files": dict(sorted(hashes.items()))}, indent=2) + "\n")
    unchanged = tuple(path for path in wanted if path not in {*written, *kept})
    return Copied(written, unchanged, removed, kept)


def _manifest_in(folder: Path) -> dict[str, str]:
    """The hashes of an earlier copy, by path; empty where there is none.

    Raises:
        InTheWayError: the file is not a manifest of ours.
    """
    try:
        files: Any = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        raise InTheWayError((MANIFEST,)) from error
    if not isinstance(files, dict) or not all(map(_is_within, files)):
        raise InTheWayError((MANIFEST,))
    return {path: str(value) for path, value in files.items()}


def _is_within(path: str) -> bool:
    """Whether a path of a manifest cannot lead out of its folder."""
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts and ":" not in path and "\\" not in path


def _hash_of(path: Path) -> str | None:
    """The hash of a file, None where there is none; what is no plain file has one that no text has."""
    if path.is_symlink() or path.is_dir():
        return ""
    return _hash(path.read_bytes()) if path.exists() else None


def _hash(data: bytes) -> str:
    """The same for both kinds of line ends, which version control may exchange."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
