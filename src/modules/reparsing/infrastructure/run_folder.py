"""The folder of a run: a manifest, the parts that are done, and in the end the outputs.

A part is a folder of its own. It is written beside and renamed, so that it is there whole or not at all, and so are the
outputs. The tally of the whole is written last: where it is, the run is finished.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from src.modules.reparsing.domain.exceptions import BatchFolderError
from src.modules.reparsing.domain.manifest import Manifest
from src.modules.reparsing.domain.part import Done, PartId, PartResult
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.durable import LOCK, folder_lock, replaced, write_whole
from src.modules.reparsing.infrastructure.outputs import OutputFormat, Outputs
from src.shared.domain.language import Message

MANIFEST = "manifest.json"
PARTS = "parts"
TALLY = "tally.json"
DIGEST = "rows.digest"

R = TypeVar("R")
_TALLIES: TypeAdapter[Tally] = TypeAdapter(Tally)
_FOREIGN = Message(
    "不是空的，也没有运行记录；请指定另一个文件夹", "it is not empty and holds no run; name another folder"
)
_HOLDS_A_RUN = Message(
    "已有一次运行；用 --resume 继续，或指定另一个文件夹", "it holds a run; go on with --resume, or name another folder"
)


class RunFolder:
    """As `RunStorePort`, in a folder of the file system."""

    def __init__(self, folder: Path, output_format: OutputFormat, *, compares: bool = False) -> None:
        """Touch nothing yet; `compares` as for `Outputs`."""
        self._folder = folder
        self._parts = folder / PARTS
        self._outputs = Outputs(folder, output_format, compares=compares)
        self._open = contextlib.ExitStack()

    def begin(self, manifest: Manifest, *, resume: bool) -> Done:
        """As `RunStorePort.begin`."""
        return self._guarded(lambda: self._begun(manifest, resume=resume))

    def commit(self, result: PartResult) -> None:
        """As `RunStorePort.commit`."""
        files = {name: content for name, content in self._outputs.files_of(result).items() if content}
        files |= {TALLY: _dumped(result.tally), DIGEST: result.digest.encode()}
        self._guarded(lambda: write_whole(self._parts / _name(result.id), files))

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
        self._outputs.join(self._part_folders())
        replaced(self._folder / TALLY, _dumped(whole))
        shutil.rmtree(self._parts, ignore_errors=True)
        return whole

    def _begun(self, manifest: Manifest, *, resume: bool) -> Done:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._open.enter_context(folder_lock(self._folder))
        file = self._folder / MANIFEST
        if file.exists():
            self._fits(manifest, file, resume=resume)
        elif any(path.name != LOCK for path in self._folder.iterdir()):
            raise self._error(
                Message(
                    "不是空的，也没有运行记录；请指定另一个文件夹",
                    "it is not empty and holds no run; name another folder",
                )
            )
        else:
            text = json.dumps(asdict(manifest), ensure_ascii=False, indent=2)
            replaced(file, text.encode(errors="backslashreplace"))  # a file's name may be no UTF-8
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
            why = Message(f"{MANIFEST} 无法读取：{error}", f"{MANIFEST} cannot be read: {error}")
            raise self._error(why) from error
        differences = earlier.differences(manifest)
        if differences:
            zh, en = "；".join(each.zh for each in differences), "; ".join(each.en for each in differences)
            raise self._error(Message(f"其中的运行与此不同：{zh}", f"the run in it is another one: {en}"))

    def _part_folders(self) -> list[Path]:
        return sorted(self._parts.glob("[0-9]*"), key=_id)

    def _guarded(self, action: Callable[[], R]) -> R:
        try:
            return action()
        except OSError as error:
            why = error.strerror or error
            raise self._error(Message(f"无法写入：{why}", f"cannot be written: {why}")) from error

    def _error(self, why: Message) -> BatchFolderError:
        return BatchFolderError.of(str(self._folder), why)


def _dumped(tally: Tally) -> bytes:
    """A tally as JSON; half of a surrogate pair in an id or a message, which no JSON text can hold, as `?`."""
    return json.dumps(_TALLIES.dump_python(tally), ensure_ascii=False).encode("utf-8", errors="replace")


def _name(part: PartId) -> str:
    return f"{part.source}-{part.number}"


def _id(part: Path) -> PartId:
    source, _, number = part.name.partition("-")
    return PartId(int(source), int(number))
