"""The run that another one goes on with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from examples.committee.commands.run_journal import settled_in
from examples.committee.domain.dossier import Dossier
from examples.committee.infrastructure.dossier_reader import load_dossier
from examples.committee.infrastructure.run_files import DOSSIER, JOURNAL, RECORDING, is_run
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import spoken
from src.shared.infrastructure.llm.replay import EarlierRun


@dataclass(frozen=True)
class ResumedRun:
    """A run that stopped.

    Attributes:
        place: its folder.
        dossier: what it was about.
        earlier: what was answered and what is settled; None where it was killed before its first answer.
    """

    place: Path
    dossier: Dossier
    earlier: EarlierRun | None


def resumed_run(place: Path, given: Dossier | None) -> ResumedRun:
    """The run of a folder.

    Args:
        place: the folder.
        given: the dossier of the command line, if there is one: it must be the run's.

    Raises:
        CommandError: there is no run, or it is about something else.
        DossierError: its dossier cannot be read.
    """
    if not is_run(place):
        message = spoken(f"{place} 不是一次运行的文件夹", f"{place} is no folder of a run")
        raise CommandError(message)
    dossier = load_dossier(place / DOSSIER)
    if given is not None and given != dossier:
        message = spoken(
            f"{place} 中的运行用的是另一份档案；去掉 DOSSIER，或重新运行",
            f"the run in {place} is about another dossier; leave DOSSIER out, or start a new run",
        )
        raise CommandError(message)
    recording = place / RECORDING
    if not recording.exists():
        return ResumedRun(place, dossier, None)
    try:
        return ResumedRun(place, dossier, EarlierRun(recording, settled_in(place / JOURNAL)))
    except ValueError as error:
        message = spoken(f"{place / JOURNAL} 有误：{error}", f"{place / JOURNAL} cannot be read: {error}")
        raise CommandError(message) from error
