"""What `llm-output parse` says on stderr of a text that it refuses: why, where, and which options help."""

from __future__ import annotations

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.error_view import report_error
from src.entrypoints.cli.explain import explain_failure
from src.entrypoints.cli.options import ErrorFormat, Finished, TraceFormat
from src.entrypoints.cli.screen import stderr
from src.entrypoints.cli.source import Source
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.cli.trace_json import failure_trace
from src.shared.domain.exceptions import LLMJsonParseError


def report(
    error: LLMJsonParseError, source: Source, contract: Contract | None, trace: TraceFormat, error_format: ErrorFormat,
    *, finished: Finished, salvage: bool,
) -> None:  # fmt: skip
    """Say why a text was refused."""
    console = stderr()
    if trace is TraceFormat.JSON:
        console.print(failure_trace(source.text, contract, error, finished=finished.known), soft_wrap=True)
        return
    if trace is TraceFormat.STAGES and error_format is ErrorFormat.TEXT:
        explain_failure(console, source.text, contract, error, finished=finished.known)
    report_error(error, source, error_format)
    if error_format is ErrorFormat.TEXT:
        _hint(error, finished=finished, salvage=salvage)


def _hint(error: LLMJsonParseError, *, finished: Finished, salvage: bool) -> None:
    """Say which options help with a text that was cut off."""
    if not error.details.get("truncated"):
        return
    console = stderr()
    if finished is Finished.UNKNOWN:
        console.print(finished_hint(), soft_wrap=True)
    if not salvage:
        console.print(_salvage(), soft_wrap=True)


def finished_hint() -> str:
    """Which option says that the text is whole."""
    return spoken(
        "提示：如果模型是自行停止的，--finished yes 会补上末尾缺少的括号。",
        "Hint: if the model stopped by itself, --finished yes closes brackets that are missing at the end.",
    )


def _salvage() -> str:
    return spoken(
        "提示：--salvage 保留完整的成员；不能与 --agent、--dto 或 --schema 同时使用。",
        "Hint: --salvage keeps the members that were complete; it goes without --agent, --dto and --schema.",
    )
