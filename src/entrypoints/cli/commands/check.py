"""`llm-output check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from src.entrypoints.cli import options
from src.entrypoints.cli.check_view import print_checked, print_findings, print_recorded, write_findings
from src.entrypoints.cli.contract import coerced, contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.recorded import Finding
from src.entrypoints.cli.recorded_folder import RecordedFolder, TypeNames, recorded_folders

EXAMPLES = (
    "llm-output check recorded --record --dto shop.models:Order",
    "llm-output check recorded",
    "llm-output check recorded --format json",
)

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
def check(  # noqa: PLR0913 - one parameter an option
    folders: FoldersArgument,
    *,
    record: RecordOption = False,
    agent: options.AgentOption = None,
    dto: options.DtoOption = None,
    schema: options.SchemaOption = None,
    coerce: options.CoerceOption = False,
    finish_reason: FinishReasonOption = None,
    output_format: options.ResultFormatOption = options.ResultFormat.TEXT,
    verbose: options.VerboseOption = False,
) -> None:
    """Check that recorded outputs still read as recorded.

    What each text must come out as, its whole value or a refusal with its stage, is in the `manifest.json` of its
    folder; --record writes it. Each text that now comes out as something else, is not recorded, or is gone is reported
    on a line, and the exit code is 4. Without a type, texts are read into plain data.
    """
    configure_log(verbose=verbose)
    named = [agent, dto, schema].count(None) < len((agent, dto, schema))
    if (named or coerce or finish_reason is not None) and not record:
        raise CommandError(
            "--agent、--dto、--schema、--coerce 与 --finish-reason 须与 --record 同时使用：之后它们在 manifest.json 中",
            "--agent, --dto, --schema, --coerce and --finish-reason go with --record: then they are in manifest.json",
        )
    contract = contract_of(agent, dto, schema)  # what is wrong with them is told of the option, not of a manifest
    if coerce:
        coerced(contract)
    found = recorded_folders(folders, TypeNames(agent, dto, schema, coerce) if named else None)
    if record:
        _record(found, finish_reason, output_format)
    else:
        _check(found, output_format)


def _check(found: tuple[RecordedFolder, ...], output_format: options.ResultFormat) -> None:
    each = [finding for folder in found for finding in folder.findings()]
    findings = [finding for finding in each if finding]
    if output_format is options.ResultFormat.JSON:
        write_findings(len(each), findings)
    else:
        print_findings(findings, "bold red")
        print_checked(len(each), findings)
    if findings:
        raise typer.Exit(ExitCode.NOT_AS_RECORDED)


def _record(found: tuple[RecordedFolder, ...], finish_reason: str | None, output_format: options.ResultFormat) -> None:
    made = [(folder, *folder.record(finish_reason)) for folder in found]
    findings: list[Finding] = []
    for folder, manifest, changes in made:
        if folder.recordings():
            folder.write(manifest)
        findings += changes
    total = sum(len(manifest.recordings) for _, manifest, _ in made)
    if output_format is options.ResultFormat.JSON:
        write_findings(total, findings)
    else:
        print_findings(findings, "yellow")
        print_recorded(total, findings)
