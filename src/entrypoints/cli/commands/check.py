"""`llm-output check`: whether recorded outputs read as recorded, and recording them anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.text import Text

from src.entrypoints.cli import options as flags
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.recorded import Manifest, RecordedFolder, Recording, recorded_folders
from src.entrypoints.cli.screen import stdout
from src.modules.reparsing.domain.comparison import ONLY_NEW, ONLY_OLD, DifferingValue, differences, differing_value
from src.shared.domain.exceptions import LLMJsonParseError, json_path, problems_of
from src.shared.domain.one_line import one_line
from src.shared.domain.options import ReadOptions
from src.shared.infrastructure.agents.agent_output import read_text

EXAMPLES = (
    "llm-output check recorded --record --dto shop.models:Order",
    "llm-output check recorded",
    "llm-output check recorded --format json",
)

MOST_DIFFERENCES = 20
"""Most places of a value that a finding holds."""
VALUES_SHOWN = 3
"""Differing places that are told of a recording; JSON has more of them."""
_VALUE_SHOWN = 80
_REASON_SHOWN = 160

FoldersArgument: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FOLDER...",
        help="Folders of recorded outputs, a text a file, and the folders in them.",
        show_default=False,
    ),
]
RecordOption: TypeAlias = Annotated[
    bool,
    typer.Option("--record", help="Record the present reading of each text, and the type if one is given."),
]
FinishReasonOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--finish-reason",
        metavar="WORD",
        help="With --record: why the model stopped, in any provider's words, for texts that are new.",
    ),
]


@guarded
@flags.reads("coerce")
def check(  # noqa: PLR0913 - one parameter an option
    folders: FoldersArgument,
    *,
    record: RecordOption = False,
    agent: flags.AgentOption = None,
    dto: flags.DtoOption = None,
    schema: flags.SchemaOption = None,
    finish_reason: FinishReasonOption = None,
    output_format: flags.ResultFormatOption = flags.ResultFormat.TEXT,
    verbose: flags.VerboseOption = False,
    options: ReadOptions,
) -> None:
    """Check that recorded outputs still read as recorded.

    What each text must come out as, its whole value or a refusal with its stage, is in the `manifest.json` of its
    folder; --record writes it. Each text that now comes out as something else, is not recorded, or is gone is reported
    on a line, and the exit code is 4. Without a type, texts are read into plain data.
    """
    flags.configure_log(verbose=verbose)
    named = [agent, dto, schema].count(None) < len((agent, dto, schema))
    if (named or options or finish_reason is not None) and not record:
        raise CommandError(
            "--agent, --dto, --schema, --coerce and --finish-reason go with --record: then they are in manifest.json"
        )
    contract_of(agent, dto, schema, options)  # what is wrong with them is told of the option, not of a manifest
    type_names = {"agent": agent, "dto": dto, "schema": schema, "coerce": options.get("coerce", False)}
    found = recorded_folders(folders, type_names if named else None)
    if record:
        _record(found, finish_reason, output_format)
    else:
        _check(found, output_format)


class Problem(StrEnum):
    """Why a recording is not as recorded; there is no other reason."""

    DIFFERENT = "different"
    """It is read as another value."""
    REFUSED = "refused"
    """A value is recorded, and it is refused."""
    READ = "read"
    """A refusal is recorded, and it is read."""
    OTHER_STAGE = "other_stage"
    """It is refused at another stage."""
    NOT_RECORDED = "not_recorded"
    """Nothing is recorded of it."""
    NO_FILE = "no_file"
    """Its file is not there."""


@dataclass(frozen=True)
class Reading:
    """What becomes of a text: a value as JSON types, or a refusal.

    Attributes:
        value: the value.
        stage: where it was refused; None where it was read.
        reason: why.
    """

    value: Any = None
    stage: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """A recording that is not as recorded.

    Attributes:
        file: its path.
        problem: why.
        recorded: the stage at which it must be refused; None where there is none.
        reading: what became of it; None where it has no file.
        values: the places where the values differ, the first `MOST_DIFFERENCES` of them.
        more: whether there are others.
    """

    file: str
    problem: Problem
    recorded: str | None = None
    reading: Reading | None = None
    values: tuple[DifferingValue, ...] = ()
    more: bool = False


def _check(found: tuple[RecordedFolder, ...], output_format: flags.ResultFormat) -> None:
    each = [finding for folder in found for finding in _findings(folder)]
    findings = [finding for finding in each if finding]
    if output_format is flags.ResultFormat.JSON:
        _write_findings(len(each), findings)
    else:
        print_findings(findings, "bold red")
        _print_checked(len(each), findings)
    if findings:
        raise typer.Exit(ExitCode.NOT_AS_RECORDED)


def _findings(folder: RecordedFolder) -> Iterator[Finding | None]:
    """For each recording, by the names of the files, what is wrong with it."""
    contract = folder.manifest.contract(folder.path)
    for recording in sorted(folder.recordings(), key=lambda one: one.file):
        file = str(folder.path / recording.file)
        reading = _reading(folder, recording, contract)
        yield compared(file, recording, reading) if reading else Finding(file, Problem.NO_FILE)


def _record(found: tuple[RecordedFolder, ...], finish_reason: str | None, output_format: flags.ResultFormat) -> None:
    made = [(folder, *_read_anew(folder, finish_reason)) for folder in found]
    findings: list[Finding] = []
    for folder, manifest, changes in made:
        if folder.recordings():
            folder.write(manifest)
        findings += changes
    total = sum(len(manifest.recordings) for _, manifest, _ in made)
    if output_format is flags.ResultFormat.JSON:
        _write_findings(total, findings)
    else:
        print_findings(findings, "yellow")
        _print_recorded(total, findings)


def _read_anew(folder: RecordedFolder, finish_reason: str | None) -> tuple[Manifest, list[Finding]]:
    """The manifest with the present readings, and what is new, gone or another in it."""
    contract = folder.manifest.contract(folder.path)
    listed = {recording.file for recording in folder.manifest.recordings}
    made, findings = [], []
    for each in folder.recordings():
        is_new = finish_reason is not None and each.file not in listed
        recording = Recording(file=each.file, finish_reason=finish_reason) if is_new else each
        file, reading = str(folder.path / each.file), _reading(folder, recording, contract)
        if reading is None:
            findings.append(Finding(file, Problem.NO_FILE))
            continue
        again = _reading(folder, recording, contract)
        other = next(_changed(reading.value, again and again.value), None)
        if other:  # a new id or the time: it would be another one at each check
            raise CommandError(
                "{file} cannot be recorded: {path} is another one at each reading ({old}, {new})",
                file=file,
                path=other.path,
                old=other.old,
                new=other.new,
            )
        findings += filter(None, [compared(file, recording, reading)])
        outcome = {"value": reading.value} if reading.stage is None else {"refused": reading.stage}
        made.append(recording.outcome(**outcome))
    return folder.manifest.model_copy(update={"recordings": tuple(made)}), findings


def _reading(folder: RecordedFolder, recording: Recording, contract: Contract | None) -> Reading | None:
    text = folder.text(recording)
    return None if text is None else read_again(text, contract, finished=recording.finished)


def read_again(text: str, contract: Contract | None, *, finished: bool | None) -> Reading:
    """Read a text as it would be read now, into plain data where there is no contract.

    Raises:
        CommandError: the type cannot be used.
    """
    try:
        value = read_text(text, contract, finished=finished).value
        return Reading(contract.data(value) if contract else value)
    except LLMJsonParseError as error:
        return Reading(stage=error.details["stage"], reason=_reason(error))


def _reason(error: LLMJsonParseError) -> str:
    problems = error.details.get("validation_errors")
    if problems:
        return f"{json_path(problems[0]['loc'])}: {problems_of(error)[0]}"
    reason: str = error.details.get("json_error", error.message)
    return reason


def refusal_in_words(reading: Reading) -> str:
    """Where and why a text was refused."""
    return spoken("refused at {stage}: {reason}", stage=reading.stage, reason=reading.reason)


def compared(file: str, recording: Recording, reading: Reading) -> Finding | None:
    """What is wrong with a recording; None where it is as recorded."""
    if not recording.is_recorded:
        return Finding(file, Problem.NOT_RECORDED, reading=reading)
    if recording.is_read != (reading.stage is None):
        problem = Problem.REFUSED if recording.is_read else Problem.READ
        return Finding(file, problem, recording.refused, reading)
    if recording.refused != reading.stage:
        return Finding(file, Problem.OTHER_STAGE, recording.refused, reading)
    values = tuple(islice(_changed(recording.value, reading.value), MOST_DIFFERENCES + 1))
    if not values:
        return None
    more = len(values) > MOST_DIFFERENCES
    return Finding(file, Problem.DIFFERENT, None, reading, values[:MOST_DIFFERENCES], more)


def _changed(old: object, new: object) -> Iterator[DifferingValue]:
    return map(differing_value, differences(old, new))


def print_findings(findings: list[Finding], style: str) -> None:
    """Print a line a finding on stdout."""
    console = stdout()
    for finding in findings:
        line = Text.assemble((visible(finding.file), style), ": ", visible(_in_words(finding)))
        console.print(line, soft_wrap=True)


def _print_checked(total: int, findings: list[Finding]) -> None:
    """Print the summary of a check."""
    counted = spoken("1 recording: ") if total == 1 else spoken("{total} recordings: ", total=total)
    unrecorded = sum(finding.problem is Problem.NOT_RECORDED for finding in findings)
    differing = len(findings) - unrecorded
    if not findings:
        verdict = (spoken("all as recorded."), "green")
    else:
        verdict = (
            spoken(
                "{differing} not as recorded, {unrecorded} without a recorded outcome.",
                differing=differing,
                unrecorded=unrecorded,
            ),
            "bold red",
        )
    stdout().print(Text.assemble(counted, verdict), soft_wrap=True)


def _print_recorded(total: int, findings: list[Finding]) -> None:
    """Print the summary of a recording."""
    new, gone = (
        sum(finding.problem is problem for finding in findings) for problem in (Problem.NOT_RECORDED, Problem.NO_FILE)
    )
    changed = len(findings) - new - gone
    summary = spoken(
        "{total} recorded: {new} new, {changed} changed, {gone} gone.", total=total, new=new, changed=changed, gone=gone
    )
    stdout().print(summary, soft_wrap=True)


def _write_findings(total: int, findings: list[Finding]) -> None:
    """Write the findings and how many recordings there are as JSON to stdout."""
    write_stdout(json_text({"recordings": total, "findings": [_data(finding) for finding in findings]}))


def _data(finding: Finding) -> dict[str, Any]:
    reading = finding.reading
    return {
        "file": finding.file,
        "problem": finding.problem.value,
        "recorded_stage": finding.recorded,
        "stage": reading and reading.stage,
        "reason": one_line(reading.reason, _REASON_SHOWN) if reading and reading.stage else None,
        "differences": [{"path": one.path, "recorded": one.old, "read": one.new} for one in finding.values],
    }


def _in_words(finding: Finding) -> str:
    reading = finding.reading
    if reading is None:
        return spoken("recorded, but there is no such file")
    if finding.problem is Problem.DIFFERENT:
        more = [spoken("and more")] if finding.more or len(finding.values) > VALUES_SHOWN else []
        return "; ".join([*map(_value, finding.values[:VALUES_SHOWN]), *more])
    now = spoken("now read") if reading.stage is None else _now(refusal_in_words(reading))
    if finding.problem is Problem.NOT_RECORDED:
        return spoken("nothing is recorded; {now}", now=now)
    if finding.problem is Problem.REFUSED:
        return spoken("recorded as read; {now}", now=now)
    stage = finding.recorded
    return spoken("recorded as refused at {stage}; {now}", stage=stage, now=now)


def _now(refusal: str) -> str:
    refusal = one_line(refusal, _REASON_SHOWN)
    return spoken("now {refusal}", refusal=refusal)


def _value(value: DifferingValue) -> str:
    old, new = one_line(value.old, _VALUE_SHOWN), one_line(value.new, _VALUE_SHOWN)
    path = value.path
    if path.endswith(ONLY_NEW):
        path = path.removesuffix(ONLY_NEW)
        return spoken("{path} is not recorded, now {new}", path=path, new=new)
    if path.endswith(ONLY_OLD):
        path = path.removesuffix(ONLY_OLD)
        return spoken("{path} recorded as {old}, now missing", path=path, old=old)
    return spoken("{path} recorded as {old}, now {new}", path=path, old=old, new=new)
