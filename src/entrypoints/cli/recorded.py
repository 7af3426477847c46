"""Recorded model outputs: folders of texts, and beside them what each must come out as, in `manifest.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.files import read_source, write_file
from src.entrypoints.cli.guard import CommandError, os_errors_told
from src.entrypoints.cli.plain_output import json_text
from src.shared.domain.exceptions import json_path
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.language import Phrase

MANIFEST = "manifest.json"
"""Says of each recording of a folder what it must come out as."""
PACKAGED = Path(__file__).parent / "recordings"
"""The recordings that come with the package, one folder an agent."""


def _plain_name(name: str) -> str:
    if Path(name).name != name or name == ".." or "\0" in name:
        message = "it is no name of a file in this folder"
        raise ValueError(message)
    return name


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Recording(_Written):
    """One recorded output, and what it must come out as: a value, or a refusal. Neither is there before it is recorded.

    Attributes:
        file: the name of its file.
        what: what is wrong with it, for the reader.
        finish_reason: why the model stopped, as its provider spelled it; None where that was not recorded.
        value: the whole value, as JSON types.
        refused: the stage at which it must be refused.
    """

    file: Annotated[str, AfterValidator(_plain_name)]
    what: str | None = None
    finish_reason: str | None = None
    value: Any = None
    refused: str | None = None

    @model_validator(mode="after")
    def _one_outcome(self) -> Recording:
        if self.is_read and self.refused is not None:
            message = "it has a value and is refused"
            raise ValueError(message)
        return self

    @property
    def case(self) -> str:
        """Its file's name without the ending."""
        return Path(self.file).stem

    @property
    def is_read(self) -> bool:
        """Whether a value is recorded."""
        return "value" in self.model_fields_set

    @property
    def is_recorded(self) -> bool:
        """Whether an outcome is recorded."""
        return self.is_read or self.refused is not None

    @property
    def finished(self) -> bool | None:
        """What the parser is told of the end of the text."""
        return finish_reason_of(self.finish_reason).finished

    def outcome(self, **outcome: object) -> Recording:
        """The same recording, with this `value` or this stage as `refused`."""
        facts = self.model_dump(exclude_unset=True, exclude={"value", "refused"})
        return Recording.model_validate({**facts, **outcome})


class Manifest(_Written):
    """What is recorded of the texts of a folder.

    Attributes:
        agent, dto, schema_file: the type, as `--agent` and `--dto` name it, or a file from the folder. One at most;
            without any a text is read into plain data.
        coerce: whether values in another spelling than their type are read.
        headline: the fields that `llm-output demo` shows of a value.
        recordings: one a text.
    """

    agent: str | None = None
    dto: str | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    coerce: bool = False
    headline: tuple[str, ...] = ()
    recordings: tuple[Recording, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Manifest:
        seen: set[str] = set()
        for recording in self.recordings:
            if recording.file in seen:
                message = f"{recording.file!r} is there twice"
                raise ValueError(message)
            seen.add(recording.file)
        return self

    def contract(self, folder: Path) -> Contract | None:
        """What its texts are parsed into.

        Raises:
            CommandError: the manifest in `folder` names nothing that there is.
        """
        schema = None if self.schema_file is None else os.path.normpath(folder / self.schema_file)
        try:
            return contract_of(self.agent, self.dto, schema, {"coerce": True} if self.coerce else None)
        except CommandError as error:
            raise CommandError("{manifest}: {why}", manifest=folder / MANIFEST, why=error.message) from error

    def with_type(
        self, folder: Path, *, agent: str | None, dto: str | None, schema: str | None, coerce: bool
    ) -> Manifest:
        """The manifest of a folder with the type that the options of a command name, by one of three."""
        file = None if schema is None else Path(os.path.relpath(os.path.realpath(schema), folder)).as_posix()
        names = {"agent": agent, "dto": dto, "schema": file, "coerce": coerce}
        others = self.model_dump(by_alias=True, exclude_unset=True, exclude={"agent", "dto", "schema_file", "coerce"})
        return Manifest.model_validate({**{key: name for key, name in names.items() if name}, **others})

    def text(self) -> str:
        """The manifest as its file holds it.

        Raises:
            ValueError: a value cannot be written as JSON.
            RecursionError: a value is nested too deeply.
        """
        return json_text(self.model_dump(by_alias=True, exclude_unset=True))


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
        new = (Recording(file=name) for name in self.texts if name not in known)
        return (*self.manifest.recordings, *new)

    def text(self, recording: Recording) -> str | None:
        """The text of a recording; None where its file is not there.

        Raises:
            CommandError: it cannot be read.
        """
        file = self.path / recording.file
        return read_source(str(file)).text if recording.file in self.texts or file.exists() else None

    def write(self, manifest: Manifest) -> None:
        """Write the manifest of the folder, unless it is there as it is.

        Raises:
            CommandError: it cannot be written.
        """
        file = self.path / MANIFEST
        try:
            text = manifest.text()
        except (ValueError, RecursionError) as error:
            raise CommandError("{file} cannot be written: {error}", file=file, error=error) from error
        if not file.exists() or read_source(str(file)).text != text + "\n":
            write_file(file, text)


def recorded_folders(roots: list[Path], named: dict[str, Any] | None = None) -> tuple[RecordedFolder, ...]:
    """The folders with texts or a manifest beneath the given ones, each once, by name.

    Every file is a text but manifests, the schemas that they name and hidden files. Links to folders are left out.

    Args:
        roots: the given ones.
        named: the type of all of them as `Manifest.with_type` takes it, whatever their manifests say.

    Raises:
        CommandError: a folder cannot be read or has nothing in it, or a manifest is damaged.
    """
    beneath = {root: {os.path.realpath(path): (path, names) for path, names in _walk(root) if names} for root in roots}
    found: dict[str, tuple[Path, list[str]]] = {}
    for folders in beneath.values():
        for real, one in folders.items():
            found.setdefault(real, one)
    manifests = {real: read_manifest(path) for real, (path, _) in found.items()}
    if named:
        manifests = {real: manifest.with_type(Path(real), **named) for real, manifest in manifests.items()}
    schemas = {os.path.realpath(Path(real, each.schema_file)) for real, each in manifests.items() if each.schema_file}
    made = {}
    for real, (path, names) in found.items():
        texts = (name for name in names if name != MANIFEST and str(Path(real, name)) not in schemas)
        made[real] = RecordedFolder(path, manifests[real], tuple(texts))
    for root, folders in beneath.items():
        if not any(made[real].recordings() for real in folders):
            raise CommandError("there are no recorded outputs in {root}", root=root)
    return tuple(made.values())


def _walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Each folder and the names of its files, both sorted; hidden ones are left out."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        with os_errors_told(Phrase("cannot read the folder {folder}", folder=folder)):
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except FileNotFoundError as error:
                raise CommandError("there is no folder {path}", path=folder) from error
        shown = [entry for entry in entries if not entry.name.startswith(".")]
        waiting += [Path(entry.path) for entry in reversed(shown) if entry.is_dir(follow_symlinks=False)]
        yield folder, [entry.name for entry in shown if entry.is_file()]
