"""`llm-output parse`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, get_args

import typer

from src.entrypoints.cli import options as flags
from src.entrypoints.cli.contract import contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.files import STDIN, read_source, value_writer
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import spoken
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.options import NEEDING_TYPE, OPTIONS, ReadOptions
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.infrastructure.agents.agent_output import read_text

EXAMPLES = (
    "llm-output parse answer.txt --agent verdict",
    "cat answer.txt | llm-output parse --agent verdict --explain",
    "llm-output parse answer.txt --dto shop.models:Order --format table",
    "llm-output parse answer.txt --schema order.schema.json",
    "llm-output parse answer.txt --agent verdict --finished yes",
    "llm-output parse answer.txt --dto shop.models:Order --coerce",
    "llm-output parse answer.txt --agent verdict --output verdict.json --trace json 2> trace.json",
    "llm-output parse cut-off.txt --salvage > complete-members.json",
    "llm-output parse answer.txt --root array",
    "llm-output parse answer.txt --dto shop.models:Orders --keep good",
    "llm-output parse answer.txt --agent verdict --accept lossless",
)

_ARGUMENTS = frozenset({"arguments", "parameters", "args", "input"})
"""What the arguments of a tool call are called in an object with its name."""


@dataclass(frozen=True)
class ParseOptions:
    """What is told of the reading, and how a text without a type is read."""

    explain: Annotated[
        bool, flags.switch("--explain", "Show on stderr, stage by stage, what was recognised, dropped and repaired.")
    ] = False
    trace: Annotated[
        flags.TraceFormat,
        flags.option(
            "|".join(get_args(flags.TraceFormat)),
            "How stderr shows the reading: the repairs as text, the stages (as --explain), everything as one JSON "
            "object, or none of it.",
        ),
    ] = "text"
    salvage: Annotated[bool, flags.switch("--salvage", str(OPTIONS["salvage"].field.description))] = False
    root: Annotated[
        Roots | None,
        flags.option(
            "|".join(ROOTS),
            "What is looked for without a type; by default an object, or an array where that is all there is.",
        ),
    ] = None


@flags.command("several", *NEEDING_TYPE)
def parse(  # noqa: PLR0913 - one parameter an option
    file: flags.FileArgument = STDIN,
    *,
    types: flags.TypeOptions,
    result: flags.ResultOptions,
    finished: flags.FinishedOption = "unknown",
    how: ParseOptions,
    quiet: flags.QuietOption = False,
    verbose: flags.VerboseOption = False,
    options: ReadOptions,
) -> None:
    """Parse a model's text into a typed object.

    The object goes to stdout as JSON, the list of repairs to stderr. Without --agent, --dto and --schema the text is
    only decoded, and the object is written as it is. On an error stdout stays empty, and stderr says what is wrong, in
    which stage and where.
    """
    flags.configure_log(verbose=verbose)
    contract = contract_of(types, options)
    if how.salvage and contract:
        raise CommandError(
            "--salvage goes without --agent, --dto and --schema: a cut-off text is never passed off as a typed answer"
        )
    if how.root and contract:
        raise CommandError("--root goes without --agent, --dto and --schema: the type says what is looked for")
    if how.explain + quiet + (how.trace != "text") > 1:
        raise CommandError("--explain, --quiet and --trace exclude each other: each says how much is told")
    trace: flags.TraceFormat = "none" if quiet else "stages" if how.explain else how.trace
    source = read_source(file)
    try:
        untyped = {} if contract else {"root": how.root, "salvage": how.salvage, **options}
        parsed = read_text(source.text, contract, finished=flags.KNOWN_END[finished], **untyped)
    except LLMJsonParseError as error:
        from src.entrypoints.cli.reading_view import print_refusal  # noqa: PLC0415 - it imports every stage

        print_refusal(error, source, contract, trace, result.error_format, finished, salvage=how.salvage)
        raise typer.Exit(ExitCode.PARSE_ERROR) from None
    decoded, kept = parsed.decoded, parsed.kept
    data = contract.data(kept.value) if contract else kept.value
    write = value_writer(data, result)
    is_changed = trace == "text" and (decoded.repairs or decoded.coercions)
    if kept.problems or decoded.truncated or trace in {"stages", "json"} or is_changed:
        from src.entrypoints.cli.reading_view import print_reading  # noqa: PLC0415 - clean text needs nothing of it

        print_reading(parsed, source.text, contract, trace)
    write()
    if not contract and isinstance(data, dict) and "name" in data and not _ARGUMENTS.isdisjoint(data):
        from src.entrypoints.cli.screen import warning_line  # noqa: PLC0415 - clean text needs no rich
        from src.shared.infrastructure.tool_calls import contains_tool_call  # noqa: PLC0415 - as above

        if contains_tool_call(source.text):
            warning_line(
                spoken("the text holds a tool call, which is no answer; read_tool_calls of llm_output reads tool calls")
            )
