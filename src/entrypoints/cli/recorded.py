"""Recorded model outputs: folders of texts, and beside them what each must come out as, in `manifest.json`."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.files import read_source, write_file
from src.entrypoints.cli.guard import CommandError, os_errors_as
from src.entrypoints.cli.options import TypeOptions
from src.entrypoints.cli.plain_output import json_text
from src.shared.domain.exceptions import LLMJsonParseError, json_path, problems_of
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Phrase
from src.shared.infrastructure.agents.agent_output import read_text

MANIFEST = "manifest.json"
"""Says of each recording of a folder what it must come out as."""
PACKAGED = Path(__file__).parent / "recordings"
"""The recordings that come with the package, one folder an agent."""
_TYPE_FIELDS = {"agent", "dto", "schema_file", "coerce"}


def _plain_name(name: str) -> str:
    if Path(name).name != name or name == ".." or "\0" in name:
        message = "it is no name of a file in this folder"
        raise ValueError(message)
    return name


class Recording(BaseModel):
    """One recorded output, and what it must come out as: a value, or a refusal. Neither is there before it is recorded.

    Attributes:
        file: the name of its file.
        what: what is wrong with it, for the reader.
        finish_reason: why the model stopped, as its provider spelled it; None where that was not recorded.
        value: the whole value, as JSON types.
        refused: the stage at which it must be refused.
        grade: how sure the reading must be; None where that was not recorded, as `check` does not by itself.
        repairs: the kinds of its repairs, where the grade was recorded.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: Annotated[str, AfterValidator(_plain_name)]
    what: str | None = None
    finish_reason: str | None = None
    value: Any = None
    refused: str | None = None
    grade: str | None = None
    repairs: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_outcome(self) -> Recording:
        if self.is_read and self.refused is not None:
            message = "it has a value and is refused"
            raise ValueError(message)
        return self

    @property
    def is_read(self) -> bool:
        """Whether a value is recorded."""
        return "value" in self.model_fields_set

    @property
    def finished(self) -> bool | None:
        """What the parser is told of the end of the text."""
        return finish_reason_of(self.finish_reason).finished

    def outcome(self, **outcome: object) -> Recording:
        """The same recording, with this `value` or this stage as `refused`, and what else is said of it."""
        facts = self.model_dump(exclude_unset=True, exclude={"value", "refused", "grade", "repairs"})
        return Recording.model_validate({**facts, **outcome})

    def read_again(self, text: str, contract: Contract | None, *, traced: bool = False) -> RecordedReading:
        """Its text as it is read now, into plain data where there is no contract.

        `traced` with the grade and the kinds of repairs, as also where they were recorded.

        Raises:
            CommandError: the type cannot be used, or the value cannot be written as JSON.
        """
        try:
            parsed = read_text(text, contract, finished=self.finished)
        except LLMJsonParseError as error:
            return RecordedReading(self.outcome(refused=error.details["stage"]), error=error)
        decoded, trace = parsed.decoded, dict[str, object]()
        if traced or self.grade is not None:
            kinds = sorted({one.kind.value for one in decoded.repairs})
            trace = {"grade": decoded.grade.value} | ({"repairs": kinds} if kinds else {})
        data = contract.data(parsed.value) if contract else parsed.value
        return RecordedReading(self.outcome(value=data, **trace), parsed.value)


class RecordedReading(NamedTuple):
    """How a recorded text is read now.

    Attributes:
        recording: the same recording with what came of its text.
        value: the value, of its type.
        error: why the text is refused; None where it is read.
    """

    recording: Recording
    value: Any = None
    error: LLMJsonParseError | None = None

    @property
    def reason(self) -> str:
        """Why it is refused, in words; the first problem of a value that does not satisfy its type."""
        if self.error is None:
            return ""
        if problems := self.error.details.get("validation_errors"):
            return f"{json_path(problems[0]['loc'])}: {problems_of(self.error)[0]}"
        return str(self.error.details.get("json_error", self.error.message))


class Manifest(BaseModel):
    """What is recorded of the texts of a folder.

    Attributes:
        agent, dto, schema_file: the type, as `--agent` and `--dto` name it, or a file from the folder. One at most;
            without any a text is read into plain data.
        coerce: whether values in another spelling than their type are read.
        headline: the fields that `llm-output demo` shows of a value.
        recordings: one a text.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent: str | None = None
    dto: str | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    coerce: bool = False
    headline: tuple[str, ...] = ()
    recordings: tuple[Recording, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Manifest:
        counts = Counter(recording.file for recording in self.recordings)
        twice = next((file for file, count in counts.items() if count > 1), None)
        if twice is not None:
            message = f"{twice!r} is there twice"
            raise ValueError(message)
        return self

    def contract(self, folder: Path) -> Contract | None:
        """What its texts are parsed into.

        Raises:
            CommandError: the manifest in `folder` names nothing that there is.
        """
        schema = None if self.schema_file is None else os.path.normpath(folder / self.schema_file)
        try:
            return contract_of(TypeOptions(self.agent, self.dto, schema), {"coerce": True} if self.coerce else None)
        except CommandError as error:
            raise CommandError("{manifest}: {why}", manifest=folder / MANIFEST, why=error.message) from error

    def with_type(self, folder: str, named: dict[str, Any]) -> Manifest:
        """The manifest of a folder with the type that the options of a command name: `agent`, `dto` or `schema`."""
        names = {name: value for name, value in named.items() if value}
        if "schema" in names:
            names["schema"] = Path(os.path.relpath(os.path.realpath(names["schema"]), folder)).as_posix()
        others = self.model_dump(by_alias=True, exclude_unset=True, exclude=_TYPE_FIELDS)
        return Manifest.model_validate({**names, **others})


def read_manifest(folder: Path) -> Manifest:
    """What is recorded of a folder; nothing where it has no manifest.

    Raises:
        CommandError: it cannot be read, or is no manifest.
    """
    file = folder / MANIFEST
    if not file.exists():
        return Manifest()
    text = read_source(str(file)).text
    try:
        return Manifest.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        why = f"{json_path(first['loc'])}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        why = str(error) or type(error).__name__
    raise CommandError("{file} is no manifest of recordings: {why}", file=file, why=why)


def packaged() -> dict[str, Manifest]:
    """Agent → the manifest of its recordings that come with the package."""
    return {agent: read_manifest(PACKAGED / agent) for agent in AGENTS}


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
        return (*self.manifest.recordings, *(Recording(file=name) for name in self.texts if name not in known))

    def write(self, recordings: tuple[Recording, ...]) -> None:
        """Write the manifest of the folder with these recordings, unless it is there as it is.

        Raises:
            CommandError: it cannot be written.
        """
        file, manifest = self.path / MANIFEST, self.manifest.model_copy(update={"recordings": recordings})
        try:
            text = json_text(manifest.model_dump(by_alias=True, exclude_unset=True))
        except (ValueError, RecursionError) as error:
            raise CommandError("{file} cannot be written: {error}", file=file, error=error) from error
        if not file.exists() or read_source(str(file)).text != text + "\n":
            write_file(file, text)


def recorded_folders(roots: list[Path], named: dict[str, Any] | None = None) -> list[RecordedFolder]:
    """The folders with texts or a manifest beneath the given ones, each once, by name.

    Every file is a text but manifests, the schemas that they name and hidden files. Links to folders are left out.

    Args:
        roots: the given ones.
        named: the type of all of them as `Manifest.with_type` takes it, whatever their manifests say.

    Raises:
        CommandError: a folder cannot be read or has nothing in it, or a manifest is damaged.
    """
    found: dict[str, RecordedFolder] = {}
    beneath: dict[Path, list[str]] = {root: [] for root in roots}
    walked = ((root, path, names) for root in beneath for path, names in _walk(root) if names)
    for root, path, names in walked:
        real = os.path.realpath(path)
        beneath[root].append(real)
        if real not in found:
            manifest = read_manifest(path)
            found[real] = RecordedFolder(path, manifest.with_type(real, named) if named else manifest, names)
    schemas = {
        os.path.realpath(Path(real, folder.manifest.schema_file))
        for real, folder in found.items()
        if folder.manifest.schema_file
    }
    for real, folder in found.items():
        texts = (name for name in folder.texts if name != MANIFEST and str(Path(real, name)) not in schemas)
        found[real] = replace(folder, texts=tuple(texts))
    for root, reals in beneath.items():
        if not any(found[real].recordings() for real in reals):
            raise CommandError("there are no recorded outputs in {root}", root=root)
    return list(found.values())


def _walk(root: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Each folder and the names of its files, both sorted; hidden ones are left out."""

    def refuse(error: OSError) -> None:
        if isinstance(error, FileNotFoundError):
            raise CommandError("there is no folder {path}", path=error.filename) from error
        with os_errors_as(Phrase("cannot read the folder {folder}", folder=error.filename)):
            raise error

    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        shown = sorted(name for name in names if not name.startswith("."))
        yield Path(folder), tuple(name for name in shown if Path(folder, name).is_file())
