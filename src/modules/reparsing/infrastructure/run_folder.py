"""The folder of a run: a manifest, the parts that are done, and in the end the outputs.

A part is a folder of its own. It is written beside and renamed, so that it is there whole or not at all, whatever
happens to the process or to the power, and so are the outputs: the lines of the parts, in the order of the rows. The
tally of the whole is written last: where it is, the run is finished.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from src.modules.reparsing.domain.exceptions import BatchFolderError
from src.modules.reparsing.domain.part import Done, PartId, PartResult
from src.modules.reparsing.domain.ports import Manifest
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.language import Message, Phrase
from src.shared.infrastructure.files import replace_file, replacing, sync

LOCK = ".lock"
"""The file that says that a folder is in use; the system drops the lock when its process ends in any way."""


def write_whole(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files: beside, to the disk, and then under its name.

    Raises:
        OSError: it cannot be written.
    """
    beside = folder.with_name(f".{folder.name}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    for name, content in files.items():
        (beside / name).write_bytes(content)
        sync(beside / name)
    sync(beside)
    beside.rename(folder)
    sync(folder.parent)


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder for this process alone; on Windows, nothing.

    Raises:
        BatchFolderError: another process holds it.
    """
    with (folder / LOCK).open("wb") as file:
        try:
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # pragma: no cover - Windows
            pass
        except BlockingIOError:
            why = Phrase("another process is running in it")
            raise BatchFolderError.of(str(folder), why) from None
        yield


PARSED, REFUSED, COMPARED = "parsed", "refused", "compared"
MANIFEST = "manifest.json"
PARTS = "parts"
TALLY = "tally.json"
DIGEST = "rows.digest"

R = TypeVar("R")
_TALLIES: TypeAdapter[Tally] = TypeAdapter(Tally)
_FOREIGN = Phrase("it is not empty and holds no run; name another folder")
_HOLDS_A_RUN = Phrase("it holds a run; go on with --resume, or name another folder")


class OutputFormat(StrEnum):
    """How the outputs are written."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class RunFolder:
    """As `RunStorePort`, in a folder of the file system."""

    def __init__(self, folder: Path, output_format: OutputFormat, *, compares: bool = False) -> None:
        """Touch nothing yet; with `compares` there is an output of comparisons as well."""
        self._folder = folder
        self._parts = folder / PARTS
        self._format = output_format
        self._outputs = (PARSED, REFUSED, COMPARED) if compares else (PARSED, REFUSED)
        self._open = contextlib.ExitStack()

    def begin(self, manifest: Manifest, *, resume: bool) -> Done:
        """As `RunStorePort.begin`."""
        return self._guarded(lambda: self._begun(manifest, resume=resume))

    def commit(self, result: PartResult) -> None:
        """As `RunStorePort.commit`."""
        outputs = zip(self._outputs, (result.parsed, result.refused, result.compared), strict=False)
        files = {f"{name}.jsonl": lines for name, lines in outputs if lines}
        files |= {TALLY: _dumped(result.tally), DIGEST: result.digest.encode()}
        part = self._parts / f"{result.id.source}-{result.id.number}"
        self._guarded(lambda: write_whole(part, files))

    def tallies(self) -> Iterator[Tally]:
        """As `RunStorePort.tallies`."""
        for part in self._part_folders():
            yield _TALLIES.validate_json((part / TALLY).read_bytes())

    def finish(self) -> Tally:
        """As `RunStorePort.finish`."""
        return self._guarded(self._finished)

    def finished(self) -> Tally | None:
        """As `RunStorePort.finished`."""
        file = self._folder / TALLY
        return self._guarded(lambda: _TALLIES.validate_json(file.read_bytes()) if file.exists() else None)

    def close(self) -> None:
        """As `RunStorePort.close`."""
        self._open.close()

    def _finished(self) -> Tally:
        whole = Tally()
        for tally in self.tallies():
            whole.add(tally)
        for name in self._outputs:
            files = [file for part in self._part_folders() if (file := part / f"{name}.jsonl").exists()]
            with replacing(self._folder / f"{name}.{self._format}") as output:
                self._join(name, files, output)
        replace_file(self._folder / TALLY, _dumped(whole))
        shutil.rmtree(self._parts, ignore_errors=True)
        return whole

    def _join(self, name: str, files: Sequence[Path], output: Path) -> None:
        """Write the lines of the parts as one output."""
        if self._format is OutputFormat.PARQUET:
            from src.modules.reparsing.infrastructure.parquet_output import write_parquet  # noqa: PLC0415 - of `bulk`

            write_parquet(name, files, output)
            return
        with output.open("wb") as joined:
            for file in files:
                with file.open("rb") as part:
                    shutil.copyfileobj(part, joined, 1024 * 1024)

    def _begun(self, manifest: Manifest, *, resume: bool) -> Done:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._open.enter_context(folder_lock(self._folder))
        file = self._folder / MANIFEST
        if file.exists():
            self._fits(manifest, file, resume=resume)
        elif any(path.name != LOCK for path in self._folder.iterdir()):
            raise self._error(_FOREIGN)
        else:
            text = json.dumps(asdict(manifest), ensure_ascii=False, indent=2)
            replace_file(file, text.encode(errors="backslashreplace"))  # a file's name may be no UTF-8
        self._parts.mkdir(exist_ok=True)
        for leftover in self._parts.glob(".*"):
            shutil.rmtree(leftover, ignore_errors=True)
        return {_id(part): (part / DIGEST).read_text("ascii") for part in self._part_folders()}

    def _fits(self, manifest: Manifest, file: Path, *, resume: bool) -> None:
        if not resume:
            raise self._error(_HOLDS_A_RUN)
        try:
            earlier = Manifest(**json.loads(file.read_bytes()))
        except (ValueError, TypeError) as error:
            why = Phrase("{manifest} cannot be read: {error}", manifest=MANIFEST, error=error)
            raise self._error(why) from error
        differences = earlier.differences(manifest)
        if differences:
            listed = Phrase.joined("{one}; {other}", differences)
            raise self._error(Phrase("the run in it is another one: {differences}", differences=listed))

    def _part_folders(self) -> list[Path]:
        return sorted(self._parts.glob("[0-9]*"), key=_id)

    def _guarded(self, action: Callable[[], R]) -> R:
        try:
            return action()
        except OSError as error:
            why = error.strerror or error
            raise self._error(Phrase("cannot be written: {why}", why=why)) from error

    def _error(self, why: Message) -> BatchFolderError:
        return BatchFolderError.of(str(self._folder), why)


def _dumped(tally: Tally) -> bytes:
    """A tally as JSON; half of a surrogate pair in an id or a message, which no JSON text can hold, as `?`."""
    return json.dumps(_TALLIES.dump_python(tally), ensure_ascii=False).encode("utf-8", errors="replace")


def _id(part: Path) -> PartId:
    source, _, number = part.name.partition("-")
    return PartId(int(source), int(number))
