"""A run's folder: everything needed to read the run, to replay it, and to go on with it where it stopped."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.infrastructure.run_files import (
    DOSSIER,
    FILES,
    HTML,
    JOURNAL,
    KIND,
    MARKDOWN,
    RECORDING,
    RESULT,
    RUN,
    is_run,
)
from examples.committee.reports.html_report import html_report
from examples.committee.reports.markdown_report import markdown_report
from examples.committee.reports.result_json import result_data
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text, spoken, visible
from src.entrypoints.cli.screen import stderr

UNFINISHED = ".unfinished"
"""Added to the name of a folder whose run was broken off, where its place holds another run."""


@dataclass(frozen=True)
class NewRun:
    """A run whose folder is being written.

    Attributes:
        place: where it will be.
        draft: where it is until then, beside that place.
        earlier: the folder of the run that this one goes on with; None for a new one.
    """

    place: Path
    draft: Path
    earlier: Path | None = None

    @property
    def recording(self) -> Path:
        """The recording to add to."""
        return self.draft / RECORDING

    @property
    def journal(self) -> Path:
        """The journal to add to."""
        return self.draft / JOURNAL

    def begin(self, dossier: Dossier) -> None:
        """Write what another run needs to go on with this one, and what there is of an earlier run.

        Raises:
            OSError: it cannot be written.
        """
        about = {"kind": KIND, "created": datetime.now(UTC).isoformat(timespec="seconds"), "files": FILES}
        self._write({DOSSIER: dossier.model_dump_json(indent=2, exclude_unset=True), RUN: json_text(about)})
        for file in (self.recording, self.journal):
            if self.earlier and (self.earlier / file.name).exists():
                shutil.copy2(self.earlier / file.name, file)

    def finish(self, dossier: Dossier, result: CommitteeResult) -> None:
        """Write everything, and move it to its place.

        Raises:
            OSError: it cannot be written.
        """
        self.write_report(dossier, result)
        for file in (self.recording, self.journal):
            file.touch()
        _move(self.draft, self.place)

    def write_report(self, dossier: Dossier, result: CommitteeResult) -> None:
        """Write what came of the run.

        Raises:
            OSError: it cannot be written.
        """
        texts = {
            RESULT: json_text(result_data(dossier, result)),
            MARKDOWN: markdown_report(dossier, result),
            HTML: html_report(dossier, result),
        }
        self._write(texts)

    def break_off(self) -> Path | None:
        """Keep what was answered in a run that did not come to its end; where, or None where that is nothing."""
        if _size(self.recording) <= _size(self.earlier and self.earlier / RECORDING):
            shutil.rmtree(self.draft, ignore_errors=True)
            return None
        own = self.place == self.earlier or not self.place.exists() or not any(self.place.iterdir())
        place = self.place if own else self.place.with_name(self.place.name + UNFINISHED)
        try:
            _require_free(place)
            _move(self.draft, place)
        except (CommandError, OSError):
            return self.draft
        return place

    def _write(self, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            (self.draft / name).write_text(text.rstrip("\n") + "\n", encoding="utf-8")


@contextmanager
def new_run(place: Path, dossier: Dossier, earlier: Path | None = None) -> Iterator[NewRun]:
    """A new run's folder; where the run is broken off, it holds what was received until then.

    Args:
        place: where it will be.
        dossier: what the run is about.
        earlier: the folder of the run to go on with.

    Raises:
        CommandError: the place is taken by something else, or nothing can be written there.
    """
    place = place.resolve()
    _require_free(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    except OSError as error:
        why = error.strerror or error
        message = spoken(f"无法写入 {place}：{why}", f"cannot write to {place}: {why}")
        raise CommandError(message) from error
    run = NewRun(place, draft, earlier and earlier.resolve())
    try:
        run.begin(dossier)
        yield run
    finally:
        if draft.exists() and (kept := run.break_off()):
            _tell_of(kept)


def _tell_of(kept: Path) -> None:
    name = visible(str(kept))
    told = spoken(
        f"已收到的答复保存在 {name}；接着运行：committee run --resume {name}",
        f"what was answered is kept in {name}; go on with committee run --resume {name}",
    )
    if (kept / HTML).exists():
        told += spoken("；请看其中的 report.html", "; read report.html in it")
    with suppress(OSError):  # who reads stderr has gone
        stderr().print(told, soft_wrap=True)


def _require_free(place: Path) -> None:
    if not place.exists():
        return
    if not place.is_dir():
        message = spoken(f"{place} 是文件；请给出文件夹", f"{place} is a file; name a folder")
        raise CommandError(message)
    names = {path.name for path in place.iterdir()}
    others = sorted(names - set(FILES))
    if others or (names and not is_run(place)):
        found = ", ".join((others or sorted(names))[:3])
        message = spoken(
            f"{place} 中有别的内容（{found}）；请另选文件夹，或清空它",
            f"{place} holds something else than a run ({found}); name a new folder, or empty this one",
        )
        raise CommandError(message)


def _size(file: Path | None) -> int:
    return file.stat().st_size if file and file.exists() else 0


def _move(draft: Path, place: Path) -> None:
    """Put the draft into its place; an earlier run there goes, and stays if that fails or is interrupted."""
    before = draft.with_name(f"{draft.name}.before")
    try:
        if place.exists():
            place.rename(before)
        draft.rename(place)
    except BaseException:
        if before.exists():
            before.rename(place)
        raise
    shutil.rmtree(before, ignore_errors=True)
