"""`llm-output check`: whether recorded outputs read as recorded, and recording them anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer
from rich.text import Text

from src.entrypoints.cli import options as flags
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.recorded import RecordedFolder, RecordedReading, Recording, recorded_folders
from src.entrypoints.cli.screen import stdout
from src.modules.reparsing.domain.comparison import ONLY_NEW, ONLY_OLD, DifferingValue, differences, differing_value
from src.shared.domain.one_line import one_line
from src.shared.domain.options import ReadOptions

EXAMPLES = (
    "llm-output check recorded --record --dto shop.models:Order",
    "llm-output check recorded",
    "llm-output check recorded --format json",
)

MOST_DIFFERENCES = 20
"""Most places of a value that JSON tells of a recording."""
VALUES_SHOWN = 3
"""The same of a line in words."""
_VALUE_SHOWN = 80
_REASON_SHOWN = 160

Problem: TypeAlias = Literal["different", "refused", "read", "other_stage", "not_recorded", "no_file"]
"""Why a recording is not as recorded; there is no other reason."""


@flags.command("coerce")
def check(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...",
            help="Folders of recorded outputs, a text a file, and the folders in them.",
            show_default=False,
        ),
    ],
    *,
    record: Annotated[
        bool, flags.switch("--record", "Record the present reading of each text, and the type if one is given.")
    ] = False,
    types: flags.TypeOptions,
    finish_reason: Annotated[
        str | None,
        flags.option("WORD", "With --record: why the model stopped, in any provider's words, for texts that are new."),
    ] = None,
    output_format: flags.ResultFormatOption = "text",
    verbose: flags.VerboseOption = False,
    options: ReadOptions,
) -> None:
    """Check that recorded outputs still read as recorded.

    What each text must come out as, its whole value or a refusal with its stage, is in the `manifest.json` of its
    folder; --record writes it. Each text that now comes out as something else, is not recorded, or is gone is reported
    on a line, and the exit code is 4. Without a type, texts are read into plain data.
    """
    flags.configure_log(verbose=verbose)
    is_named = types != flags.TypeOptions()
    if (is_named or options or finish_reason is not None) and not record:
        raise CommandError(
            "--agent, --dto, --schema, --coerce and --finish-reason go with --record: then they are in manifest.json"
        )
    contract_of(types, options)  # what is wrong with them is told of the option, not of a manifest
    found = recorded_folders(folders, {**asdict(types), **options} if is_named else None)
    readings = [list(_readings(folder, finish_reason, record=record)) for folder in found]
    if record:  # nothing is written where one text cannot be recorded
        for folder, each in zip(found, readings, strict=True):
            if each:
                folder.write(tuple(now for now, _ in each if now))
    whole = [one for each in readings for one in each]
    findings = [finding for _, finding in whole if finding]
    total = sum(now is not None for now, _ in whole) if record else len(whole)
    if output_format == "json":
        write_stdout(json_text({"recordings": total, "findings": [one.data() for one in findings]}))
    else:
        print_findings(findings, "yellow" if record else "bold red")
        stdout().print(_summary(total, findings, record=record), soft_wrap=True)
    if findings and not record:
        raise typer.Exit(ExitCode.NOT_AS_RECORDED)


@dataclass(frozen=True)
class Finding:
    """A recording that is not as recorded.

    Attributes:
        file: its path.
        problem: it is read as another value; refused, or read, against its record; refused at another stage; nothing is
            recorded of it; or its file is not there.
        recorded: the stage at which it must be refused; None where there is none.
        stage: where it is refused now; None where it is read, or has no file.
        reason: why it is refused.
        values: the places where the values differ, one more than JSON tells of if there are so many.
    """

    file: str
    problem: Problem
    recorded: str | None = None
    stage: str | None = None
    reason: str = ""
    values: tuple[DifferingValue, ...] = ()

    def data(self) -> dict[str, Any]:
        """The finding as JSON types."""
        values = self.values[:MOST_DIFFERENCES]
        return {
            "file": self.file,
            "problem": self.problem,
            "recorded_stage": self.recorded,
            "stage": self.stage,
            "reason": one_line(self.reason, _REASON_SHOWN) if self.stage else None,
            "differences": [{"path": one.path, "recorded": one.old, "read": one.new} for one in values],
        }

    def text(self) -> str:
        """The finding in words."""
        if self.problem == "no_file":
            return spoken("recorded, but there is no such file")
        if self.problem == "different":
            more = [spoken("and more")] if len(self.values) > VALUES_SHOWN else []
            return "; ".join([*map(_difference, self.values[:VALUES_SHOWN]), *more])
        now = spoken("now read")
        if self.stage is not None:
            now = spoken("now {refusal}", refusal=one_line(refusal_text(self.stage, self.reason), _REASON_SHOWN))
        if self.problem == "not_recorded":
            return spoken("nothing is recorded; {now}", now=now)
        if self.problem == "refused":
            return spoken("recorded as read; {now}", now=now)
        return spoken("recorded as refused at {stage}; {now}", stage=self.recorded, now=now)


def _difference(value: DifferingValue) -> str:
    path, old, new = value.path, one_line(value.old, _VALUE_SHOWN), one_line(value.new, _VALUE_SHOWN)
    if path.endswith(ONLY_NEW):
        return spoken("{path} is not recorded, now {new}", path=path.removesuffix(ONLY_NEW), new=new)
    if path.endswith(ONLY_OLD):
        return spoken("{path} recorded as {old}, now missing", path=path.removesuffix(ONLY_OLD), old=old)
    return spoken("{path} recorded as {old}, now {new}", path=path, old=old, new=new)


def refusal_text(stage: str, reason: str) -> str:
    """Where and why a text was refused."""
    return spoken("refused at {stage}: {reason}", stage=stage, reason=reason)


def _readings(
    folder: RecordedFolder, finish_reason: str | None, *, record: bool
) -> Iterator[tuple[Recording | None, Finding | None]]:
    """How each recording reads now, None where its file is gone; and what is not as recorded."""
    contract = folder.manifest.contract(folder.path)
    listed = {recording.file for recording in folder.manifest.recordings}
    recordings: Iterable[Recording] = folder.recordings()
    for one in recordings if record else sorted(recordings, key=lambda one: one.file):
        path = folder.path / one.file
        if one.file not in folder.texts and not path.exists():
            yield None, Finding(str(path), "no_file")
            continue
        is_new = finish_reason is not None and one.file not in listed
        recording = Recording(file=one.file, finish_reason=finish_reason) if is_new else one
        now, finding = read_recorded(path, recording, contract, record=record)
        yield now.recording, finding


def read_recorded(
    path: Path, recording: Recording, contract: Contract | None, *, record: bool, traced: bool = False
) -> tuple[RecordedReading, Finding | None]:
    """How a recorded text reads now, and what is not as recorded; `traced` as for `read_again`.

    Raises:
        CommandError: the type cannot be used; or it is to be recorded, and has a value, such as a new id or the time,
            that is another one at each reading.
    """
    text = read_source(str(path)).text
    now = recording.read_again(text, contract, traced=traced)
    changed = compare(path, now.recording, recording.read_again(text, contract, traced=traced)) if record else None
    if changed and changed.values:
        (other, *_) = changed.values
        raise CommandError(
            "{file} cannot be recorded: {path} is another one at each reading ({old}, {new})",
            file=path,
            path=other.path,
            old=other.old,
            new=other.new,
        )
    return now, compare(path, recording, now)


def compare(path: Path | str, recorded: Recording, reading: RecordedReading) -> Finding | None:
    """What is wrong with a recording; None where it is as recorded."""
    now = reading.recording
    values: tuple[DifferingValue, ...] = ()
    problem: Problem = "different"
    if not recorded.is_read and recorded.refused is None:
        problem = "not_recorded"
    elif recorded.is_read != now.is_read:
        problem = "refused" if recorded.is_read else "read"
    elif recorded.refused != now.refused:
        problem = "other_stage"
    else:
        found = map(differing_value, differences(recorded.value, now.value))
        values = tuple(islice(chain(found, _trace_differences(recorded, now)), MOST_DIFFERENCES + 1))
        if not values:
            return None
    return Finding(str(path), problem, recorded.refused, now.refused, reading.reason, values)


def _trace_differences(recorded: Recording, now: Recording) -> Iterator[DifferingValue]:
    """Where the grade or the repairs are others than recorded, if they are."""
    if recorded.grade is None:
        return
    pairs = ("grade", recorded.grade, now.grade), ("repairs", *(", ".join(one.repairs) for one in (recorded, now)))
    none = spoken("none")
    yield from (DifferingValue(name, old or none, new or none) for name, old, new in pairs if old != new)


def print_findings(findings: list[Finding], style: str) -> None:
    """Print a line a finding on stdout."""
    console = stdout()
    for finding in findings:
        line = Text.assemble((visible(finding.file), style), ": ", visible(finding.text()))
        console.print(line, soft_wrap=True)


def _summary(total: int, findings: list[Finding], *, record: bool) -> Text:
    problems = Counter(finding.problem for finding in findings)
    new, gone = problems["not_recorded"], problems["no_file"]
    if record:
        counts = {"total": total, "new": new, "changed": len(findings) - new - gone, "gone": gone}
        return Text(spoken("{total} recorded: {new} new, {changed} changed, {gone} gone.", **counts))
    counted = spoken("1 recording: ") if total == 1 else spoken("{total} recordings: ", total=total)
    if not findings:
        return Text.assemble(counted, (spoken("all as recorded."), "green"))
    verdict = spoken(
        "{differing} not as recorded, {unrecorded} without a recorded outcome.",
        differing=len(findings) - new,
        unrecorded=new,
    )
    return Text.assemble(counted, (verdict, "bold red"))
