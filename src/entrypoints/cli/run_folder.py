"""A run's folder: everything needed to read the run and to replay it. It appears complete or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from src.committee.application.result import CommitteeResult
from src.committee.domain.dossier import Dossier
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.reports.html_report import html_report
from src.entrypoints.reports.markdown_report import markdown_report
from src.entrypoints.reports.result_json import result_data

KIND = "llm-output committee run"
"""What `run.json` says of itself: a folder with it is a run's, and may be replaced by the next."""
RUN, DOSSIER, RECORDING = "run.json", "dossier.json", "recording.jsonl"
RESULT, MARKDOWN, HTML = "result.json", "report.md", "report.html"
FILES = (HTML, MARKDOWN, RESULT, DOSSIER, RECORDING, RUN)


@dataclass(frozen=True)
class NewRun:
    """A run whose folder is being written.

    Attributes:
        place: where it will be.
        draft: where it is until then, beside that place.
    """

    place: Path
    draft: Path

    @property
    def recording(self) -> Path:
        """The recording to add to."""
        return self.draft / RECORDING

    def finish(self, dossier: Dossier, result: CommitteeResult) -> None:
        """Write everything, and move it to its place.

        Raises:
            OSError: it cannot be written.
        """
        about = {"kind": KIND, "created": datetime.now(UTC).isoformat(timespec="seconds"), "files": FILES}
        texts = {
            DOSSIER: dossier.model_dump_json(indent=2, exclude_unset=True),
            RESULT: json_text(result_data(dossier, result)),
            MARKDOWN: markdown_report(dossier, result),
            HTML: html_report(dossier, result),
            RUN: json_text(about),
        }
        for name, text in texts.items():
            (self.draft / name).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        self.recording.touch()
        _move(self.draft, self.place)


@contextmanager
def new_run(place: Path) -> Iterator[NewRun]:
    """A new run's folder; what is not finished is gone at the end of the block.

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
    try:
        yield NewRun(place, draft)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _require_free(place: Path) -> None:
    if not place.exists():
        return
    if not place.is_dir():
        message = spoken(f"{place} 是文件；请给出文件夹", f"{place} is a file; name a folder")
        raise CommandError(message)
    names = {path.name for path in place.iterdir()}
    others = sorted(names - set(FILES))
    if others or (names and not _is_run(place)):
        found = ", ".join((others or sorted(names))[:3])
        message = spoken(
            f"{place} 中有别的内容（{found}）；请另选文件夹，或清空它",
            f"{place} holds something else than a run ({found}); name a new folder, or empty this one",
        )
        raise CommandError(message)


def _is_run(place: Path) -> bool:
    with suppress(OSError, ValueError):
        about = json.loads((place / RUN).read_text(encoding="utf-8"))
        return isinstance(about, dict) and about.get("kind") == KIND
    return False


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
