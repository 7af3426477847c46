"""The folders of recorded outputs: what is in them, whether it reads as recorded, and recording it anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.files import read_source, write_file
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.recorded import (
    MANIFEST,
    Finding,
    Manifest,
    Problem,
    Reading,
    Recording,
    changed,
    compared,
    read_again,
    read_manifest,
)


@dataclass(frozen=True)
class TypeNames:
    """A type as the options of a command name it, by one of three, and whether its values are coerced."""

    agent: str | None = None
    dto: str | None = None
    schema: str | None = None
    coerce: bool = False

    def of(self, manifest: Manifest, folder: Path) -> Manifest:
        """The manifest of a folder with this type."""
        schema = None if self.schema is None else Path(os.path.relpath(os.path.realpath(self.schema), folder))
        names = {"agent": self.agent, "dto": self.dto, "schema": schema and schema.as_posix(), "coerce": self.coerce}
        others = manifest.model_dump(
            by_alias=True, exclude_unset=True, exclude={"agent", "dto", "schema_file", "coerce"}
        )
        return Manifest.model_validate({**{key: name for key, name in names.items() if name}, **others})


@dataclass(frozen=True)
class RecordedFolder:
    """A folder with texts of its own, without those of the folders in it.

    Attributes:
        path: the folder.
        manifest: what is recorded of it.
        texts: the names of its texts, sorted.
    """

    path: Path
    manifest: Manifest
    texts: tuple[str, ...]

    def recordings(self) -> tuple[Recording, ...]:
        """All that are in the manifest, in its order, and then the texts that are not."""
        known = {recording.file for recording in self.manifest.recordings}
        new = (Recording(file=name) for name in self.texts if name not in known)
        return (*self.manifest.recordings, *new)

    def findings(self) -> Iterator[Finding | None]:
        """For each recording, by the names of the files, what is wrong with it.

        Raises:
            CommandError: a text cannot be read, or the type cannot be used.
        """
        contract = self.manifest.contract(self.path)
        for recording in sorted(self.recordings(), key=lambda one: one.file):
            file = self.path / recording.file
            reading = self._reading(recording, contract)
            yield compared(str(file), recording, reading) if reading else Finding(str(file), Problem.NO_FILE)

    def record(self, finish_reason: str | None) -> tuple[Manifest, list[Finding]]:
        """The manifest with the present readings, and what is new, gone or another in it.

        Args:
            finish_reason: of the texts that are new in it.

        Raises:
            CommandError: a text cannot be read, or its value cannot be recorded.
        """
        contract = self.manifest.contract(self.path)
        listed = {recording.file for recording in self.manifest.recordings}
        made, findings = [], []
        for each in self.recordings():
            is_new = finish_reason is not None and each.file not in listed
            recording = Recording(file=each.file, finish_reason=finish_reason) if is_new else each
            file, reading = str(self.path / each.file), self._reading(recording, contract)
            if reading is None:
                findings.append(Finding(file, Problem.NO_FILE))
                continue
            self._insist_on_the_same(recording, reading, contract)
            findings += filter(None, [compared(file, recording, reading)])
            made.append(reading.record(recording))
        return self.manifest.model_copy(update={"recordings": tuple(made)}), findings

    def write(self, manifest: Manifest) -> None:
        """Write the manifest of the folder, unless it is there as it is.

        Raises:
            CommandError: it cannot be written.
        """
        file = self.path / MANIFEST
        try:
            text = manifest.text()
        except (ValueError, RecursionError) as error:
            raise CommandError(f"{file} 无法写出：{error}", f"{file} cannot be written: {error}") from error
        if not file.exists() or read_source(str(file)).text != text + "\n":
            write_file(file, text)

    def _reading(self, recording: Recording, contract: Contract | None) -> Reading | None:
        file = self.path / recording.file
        if recording.file not in self.texts and not file.exists():
            return None
        return read_again(read_source(str(file)).text, contract, finished=recording.finished)

    def _insist_on_the_same(self, recording: Recording, reading: Reading, contract: Contract | None) -> None:
        """A value with a new id or the time in it would be another one at each check."""
        again = self._reading(recording, contract)
        other = next(changed(reading.value, again and again.value), None)
        if other is None:
            return
        file = self.path / recording.file
        raise CommandError(
            f"{file} 无法录制：{other.path} 每次读取的结果都不同（{other.old}，{other.new}）",
            f"{file} cannot be recorded: {other.path} is another one at each reading ({other.old}, {other.new})",
        )


def recorded_folders(roots: list[Path], named: TypeNames | None = None) -> tuple[RecordedFolder, ...]:
    """The folders with texts or a manifest beneath the given ones, each once, by name.

    Every file is a text but manifests, the schemas that they name and hidden files. Links to folders are left out.

    Args:
        roots: the given ones.
        named: the type of all of them, whatever their manifests say.

    Raises:
        CommandError: a folder cannot be read or has nothing in it, or a manifest is damaged.
    """
    beneath = {root: {os.path.realpath(path): (path, names) for path, names in _walk(root) if names} for root in roots}
    found: dict[str, tuple[Path, list[str]]] = {}
    for folders in beneath.values():
        found = {**found, **{real: one for real, one in folders.items() if real not in found}}
    manifests = {real: read_manifest(path) for real, (path, _) in found.items()}
    if named:
        manifests = {real: named.of(manifest, Path(real)) for real, manifest in manifests.items()}
    schemas = {os.path.realpath(Path(real, each.schema_file)) for real, each in manifests.items() if each.schema_file}
    made = {
        real: RecordedFolder(path, manifests[real], tuple(name for name in names if not _is_apart(real, name, schemas)))
        for real, (path, names) in found.items()
    }
    for root, folders in beneath.items():
        _insist_on_recordings(root, [made[real] for real in folders])
    return tuple(made.values())


def _insist_on_recordings(root: Path, folders: list[RecordedFolder]) -> None:
    if not any(folder.recordings() for folder in folders):
        raise CommandError(f"{root} 中没有录制的输出", f"there are no recorded outputs in {root}")


def _is_apart(folder: str, name: str, schemas: set[str]) -> bool:
    return name == MANIFEST or str(Path(folder, name)) in schemas


def _walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Each folder and the names of its files, both sorted; hidden ones are left out."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError as error:
            raise CommandError(f"没有目录 {folder}", f"there is no folder {folder}") from error
        except OSError as error:
            why = error.strerror or error
            raise CommandError(f"无法读取目录 {folder}：{why}", f"cannot read the folder {folder}: {why}") from error
        shown = [entry for entry in entries if not entry.name.startswith(".")]
        waiting += [Path(entry.path) for entry in reversed(shown) if entry.is_dir(follow_symlinks=False)]
        yield folder, [entry.name for entry in shown if entry.is_file()]
