"""Finding the runs beneath a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from examples.committee.domain.dossier import Dossier
from examples.committee.domain.exceptions import RunUnfinishedError, RunUnreadableError
from examples.committee.domain.run_record import RecordedRun
from examples.committee.infrastructure.run_files import DOSSIER, RESULT, RUN
from examples.committee.infrastructure.run_reader import dossier_of, read_run
from src.shared.domain.language import Message

DEEPEST = 8
"""Folders within folders that are looked into."""
MOST_FOLDERS = 20_000
"""Folders that are looked into in all."""
MOST_RUNS = 1_000
"""Runs that are read."""


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run without a result; `dossier` is None where it cannot be read."""

    folder: Path
    dossier: Dossier | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A folder that was not read, and why."""

    folder: Path
    reason: Message


@dataclass(slots=True)
class FoundRuns:
    """What there is beneath a folder, each in the order of its path.

    Attributes:
        runs: those that have a result.
        unfinished: those that can be gone on with.
        left_out: the others: results that cannot be read, links, what is too deep.
        is_all: whether everything was looked at; False where a bound was reached.
    """

    runs: list[RecordedRun] = field(default_factory=list)
    unfinished: list[UnfinishedRun] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    is_all: bool = True


def find_runs(root: Path) -> FoundRuns:
    """Every run beneath a folder, and the folder itself if it is one; no link leads out of it.

    Raises:
        OSError: the folder itself cannot be read.
    """
    found = FoundRuns()
    inside = root.resolve()
    for number, (folder, depth) in enumerate(_folders(root, found)):
        if number >= MOST_FOLDERS or len(found.runs) >= MOST_RUNS:
            found.is_all = False
            break
        if depth > DEEPEST:
            reason = Message(f"比 {DEEPEST} 层更深", f"deeper than {DEEPEST} folders")
            found.left_out.append(LeftOut(folder, reason))
        else:
            _look_at(folder, inside, found)
    found.left_out.sort(key=lambda one: one.folder)
    return found


def _folders(root: Path, found: FoundRuns) -> Iterator[tuple[Path, int]]:
    """Each folder with its depth, in the order of their paths; those of the last level are not looked into."""
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        yield folder, depth
        if depth > DEEPEST:
            continue
        try:
            inner, links = _inner(folder)
        except OSError as error:
            if folder == root:
                raise
            why = error.strerror or str(error)
            found.left_out.append(LeftOut(folder, Message(f"打不开，{why}", f"cannot be opened, {why}")))
            continue
        reason = Message("是链接，没有跟随", "a link, which was not followed")
        found.left_out += [LeftOut(link, reason) for link in links]
        waiting += [(one, depth + 1) for one in reversed(inner)]


def _inner(folder: Path) -> tuple[list[Path], list[Path]]:
    """The folders of a folder, and the links to folders."""
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    folders = [folder / entry.name for entry in listed if entry.is_dir(follow_symlinks=False)]
    links = [folder / entry.name for entry in listed if entry.is_symlink() and entry.is_dir()]
    return folders, links


def _look_at(folder: Path, inside: Path, found: FoundRuns) -> None:
    if not any(os.path.lexists(folder / name) for name in (RESULT, RUN)):
        return
    if not all((folder / name).resolve().is_relative_to(inside) for name in (RESULT, RUN, DOSSIER)):
        reason = Message("链接到文件夹之外", "links to a place outside the folder")
        found.left_out.append(LeftOut(folder, reason))
        return
    try:
        found.runs.append(read_run(folder))
    except RunUnfinishedError:
        found.unfinished.append(UnfinishedRun(folder, dossier_of(folder)))
    except RunUnreadableError as error:
        found.left_out.append(LeftOut(folder, error.reason))
