"""The folder of a run: a manifest, the parts that are done, and in the end the outputs.

A part is a folder of its own. It is written beside and renamed, so that it is there whole or not at all, whatever
happens to the process or to the power, and so are the outputs: the lines of the parts, in the order of the rows. The
tally of the whole is written last: where it is, the run is finished.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from src.modules.reparsing.domain.exceptions import BatchFolderError
from src.modules.reparsing.domain.part import COMPARED, PARSED, REFUSED, Done, PartId, PartResult
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import well_formed
from src.shared.infrastructure.files import replace_file, replacing, sync

LOCK = ".lock"
"""The file that says that a folder is in use; the system drops the lock when its process ends in any way."""
MANIFEST = "manifest.json"
PARTS = "parts"
TALLY = "tally.json"
DIGEST = "rows.digest"
_TALLIES: TypeAdapter[Tally] = TypeAdapter(Tally)


OutputFormat: TypeAlias = Literal["jsonl", "parquet"]
"""How the outputs are written."""


class RunFolder:
    """A folder with the parts of one run, and in the end its outputs. What it says is done outlives a power cut.

    Each method raises a `BatchFolderError` where the folder cannot be written.
    """

    def __init__(self, folder: Path, output_format: OutputFormat, *, compares: bool = False) -> None:
        """Touch nothing yet; with `compares` there is an output of comparisons as well."""
        self._folder = folder
        self._parts = folder / PARTS
        self._format = output_format
        self._outputs = (PARSED, REFUSED, COMPARED) if compares else (PARSED, REFUSED)
        self._open = contextlib.ExitStack()

    def begin(self, manifest: dict[str, Any], *, resume: bool) -> Done:
        """Take the folder for a run; the parts that are done already.

        Raises:
            BatchFolderError: it holds another run, or one that is not to be resumed; or it is in use.
        """
        with self._writing():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock()
            file = self._folder / MANIFEST
            if file.exists():
                self._check_same(manifest, file, resume=resume)
            elif any(path.name != LOCK for path in self._folder.iterdir()):
                raise self._error(Phrase("it is not empty and holds no run; name another folder"))
            else:
                text = json.dumps(manifest, ensure_ascii=False, indent=2)
                replace_file(file, text.encode(errors="backslashreplace"))  # a file's name may be no UTF-8
            self._parts.mkdir(exist_ok=True)
            for leftover in self._parts.glob(".*"):
                shutil.rmtree(leftover, ignore_errors=True)
            return {_id(part): (part / DIGEST).read_text("ascii") for part in self._part_folders()}

    def commit(self, result: PartResult) -> None:
        """Keep what came of a part, whole or not at all."""
        lines: dict[str, list[bytes]] = {}
        for output, content in result.outcomes.lines:
            lines.setdefault(f"{output}.jsonl", []).append(content)
        files = {name: b"".join(each) for name, each in lines.items()}
        files |= {TALLY: _dumped(result.outcomes.tally), DIGEST: result.digest.encode()}
        name = f"{result.id.source}-{result.id.number}"
        beside = self._parts / f".{name}"
        with self._writing():  # beside, to the disk, and then under its name
            shutil.rmtree(beside, ignore_errors=True)
            beside.mkdir()
            for file, content in files.items():
                (beside / file).write_bytes(content)
                sync(beside / file)
            sync(beside)
            beside.rename(self._parts / name)
            sync(self._parts)

    def tallies(self) -> Iterator[Tally]:
        """The tallies of the parts, in the order of their rows."""
        for part in self._part_folders():
            yield self._tally_in(part)

    def finish(self) -> Tally:
        """Join the parts to the outputs, in the order of the rows, and drop the parts; the tally of the whole."""
        whole = Tally()
        with self._writing():
            for tally in self.tallies():
                whole.add(tally)
            for name in self._outputs:
                files = [file for part in self._part_folders() if (file := part / f"{name}.jsonl").exists()]
                join = _join_as_parquet if self._format == "parquet" else _join
                with replacing(self._folder / f"{name}.{self._format}") as output:
                    join(name, files, output)
            replace_file(self._folder / TALLY, _dumped(whole))
        shutil.rmtree(self._parts, ignore_errors=True)
        return whole

    def finished(self) -> Tally | None:
        """The tally of the whole, where the run was finished before."""
        with self._writing():
            return self._tally_in(self._folder) if (self._folder / TALLY).exists() else None

    def close(self) -> None:
        """Let go of the folder."""
        self._open.close()

    def _lock(self) -> None:
        """Hold the folder for this process alone; on Windows, nothing."""
        file = self._open.enter_context((self._folder / LOCK).open("wb"))
        try:
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # pragma: no cover - Windows
            pass
        except BlockingIOError:
            raise self._error(Phrase("another process is running in it")) from None

    def _check_same(self, manifest: dict[str, Any], file: Path, *, resume: bool) -> None:
        if not resume:
            raise self._error(Phrase("it holds a run; go on with --resume, or name another folder"))
        try:
            differences = [*_differences(json.loads(file.read_bytes()), json.loads(json.dumps(manifest)))]
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._error(Phrase("{file} cannot be read: {error}", file=MANIFEST, error=error)) from error
        if differences:
            listed = Phrase.joined("{one}; {other}", differences)
            raise self._error(Phrase("the run in it is another one: {differences}", differences=listed))

    def _tally_in(self, folder: Path) -> Tally:
        try:
            return _TALLIES.validate_json((folder / TALLY).read_bytes())
        except ValueError as error:  # another version wrote it
            first, *_ = str(error).splitlines()
            raise self._error(Phrase("{file} cannot be read: {error}", file=TALLY, error=first)) from error

    def _part_folders(self) -> list[Path]:
        return sorted(self._parts.glob("[0-9]*"), key=_id)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise what goes wrong with a file as an error of the folder."""
        try:
            yield
        except OSError as error:
            raise self._error(Phrase("cannot be written: {why}", why=error.strerror or error)) from error

    def _error(self, why: Message) -> BatchFolderError:
        return BatchFolderError.of(str(self._folder), why)


def _differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Message]:
    """What is not the same in two manifests, in words."""
    before, after = ([one["name"] for one in manifest["inputs"]] for manifest in (old, new))
    if before != after:
        yield Phrase("inputs {new}, not {old}", new=", ".join(after) or "-", old=", ".join(before) or "-")
    else:
        for name, one, other in zip(before, old["inputs"], new["inputs"], strict=True):
            if one != other:
                yield Phrase("{name} changed ({changed})", name=name, changed=", ".join(_differing(one, other)))
    one, other = old["options"], new["options"]
    for name in _differing(one, other):
        yield Phrase("{name} is {new}, not {old}", name=name, new=repr(other.get(name)), old=repr(one.get(name)))


def _differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def _dumped(tally: Tally) -> bytes:
    """A tally as JSON; half of a surrogate pair in an id or a message, which no JSON text can hold, as `?`."""
    return json.dumps(_TALLIES.dump_python(tally), ensure_ascii=False).encode("utf-8", errors="replace")


def _id(part: Path) -> PartId:
    source, _, number = part.name.partition("-")
    return PartId(int(source), int(number))


def _join(_name: str, files: Sequence[Path], output: Path) -> None:
    """Write the lines of the parts as one output."""
    with output.open("wb") as joined:
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, joined, 1024 * 1024)


def _join_as_parquet(name: str, files: Sequence[Path], output: Path) -> None:
    """Write the lines of the parts as one output, a row group a part; what has no fixed form as JSON text."""
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
    from pyarrow import parquet  # noqa: PLC0415

    text, number = pa.string(), pa.int64()
    place = [("line", number), ("column", number)]
    columns = {
        PARSED: [
            *(("agent", text), ("data", text), ("repairs", pa.list_(pa.struct([("kind", text), *place])))),
            *(("grade", text), ("left_out", pa.list_(pa.struct([("path", text), *place, ("message", text)])))),
        ],
        REFUSED: [
            *(("agent", text), ("stage", text), ("message", text), *place),
            *(("truncated", pa.bool_()), ("feedback", text)),
        ],
        COMPARED: [("agreement", text), ("paths", pa.list_(text)), ("old_error", text)],
    }
    if name == PARSED and files and "spans" in json.loads(files[0].read_bytes().partition(b"\n")[0]):
        columns[PARSED].append(("spans", text))
    schema = pa.schema([("place", text), ("id", text), *columns[name]])
    with parquet.ParquetWriter(output, schema, compression="zstd") as writer:
        for file in files:
            rows = [json.loads(line) for line in file.read_bytes().splitlines()]
            for row in rows:
                row |= {key: json.dumps(row[key], ensure_ascii=False) for key in ("data", "spans") if key in row}
                row |= {key: well_formed(value) for key, value in row.items() if isinstance(value, str)}
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
