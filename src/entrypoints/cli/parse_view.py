"""What `llm-output parse` says on stderr of a text that it reads: what was repaired, or all that was done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from src.entrypoints.cli.contract import Contract, Parsed
from src.entrypoints.cli.error_view import report_error
from src.entrypoints.cli.explain import explain_failure
from src.entrypoints.cli.files import Source
from src.entrypoints.cli.options import ErrorFormat, Finished, TraceFormat
from src.entrypoints.cli.plain_output import json_text, spoken
from src.entrypoints.cli.repairs_view import print_coercions, print_left_out, print_repairs
from src.entrypoints.cli.screen import stderr
from src.entrypoints.reports.stages import coercions_json, left_out_json, note_json, repair_json
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.partial import PartProblem
from src.shared.domain.repair import Repair
from src.shared.infrastructure.llm_json import DecodedJson
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect
from src.shared.infrastructure.tool_calls import contains_tool_call


def tell(parsed: Parsed, text: str, contract: Contract | None, trace: TraceFormat) -> None:
    """Say how a text was read."""
    console = stderr()
    if trace is TraceFormat.JSON:
        console.print(result_trace(text, parsed.decoded, parsed.problems), soft_wrap=True)
        return
    if trace is TraceFormat.STAGES:
        from src.entrypoints.cli.explain import explain_result  # noqa: PLC0415 - as above

        explain_result(console, text, contract, parsed.decoded)
    elif trace is TraceFormat.TEXT:
        print_repairs(console, parsed.decoded.repairs)
    print_coercions(console, parsed.decoded.coercions)
    print_left_out(console, parsed.problems)
    if parsed.decoded.truncated:
        console.print(Text.assemble((spoken("警告:", "Warning:"), "bold yellow"), " ", _truncated()), soft_wrap=True)


def tell_of_a_call(text: str) -> None:
    """Say that what was read is a tool call, and what reads those, if it is one."""
    if not contains_tool_call(text):
        return
    zh = "文本中有工具调用，它不是答案；llm_output 的 read_tool_calls 读取工具调用"
    en = "the text holds a tool call, which is no answer; read_tool_calls of llm_output reads tool calls"
    stderr().print(Text.assemble((spoken("警告:", "Warning:"), "bold yellow"), " ", spoken(zh, en)), soft_wrap=True)


def _truncated() -> str:
    return spoken(
        "文本被截断；结果中只有完整的成员",
        "the text was cut off; only the members that were complete are in the result",
    )


def result_trace(text: str, decoded: DecodedJson[Any], problems: Iterable[PartProblem] = ()) -> str:
    """`notes`, `repairs`, `coercions`, what is `left_out`, all of it; the `grade`; whether it was `truncated`."""
    end = {
        "coercions": coercions_json(decoded.coercions),
        "grade": decoded.grade.value,
        "truncated": decoded.truncated,
        "left_out": left_out_json(problems),
    }
    return json_text(_reading(text, decoded.notes, decoded.repairs) | end)


def failure_trace(text: str, contract: Contract | None, error: LLMJsonParseError, *, finished: bool | None) -> str:
    """The same up to the stage that failed, and the `error`."""
    dto_type, normalizers, root = (
        (contract.dto_type, contract.normalizers, None) if contract else (None, (), error.details.get("root"))
    )
    reading = inspect(text, dto_type, normalizers=normalizers, finished=finished, root=root)
    failure = {"code": error.code, "message": error.message, "details": error.details}
    return json_text(_reading(text, reading.notes, reading.repairs) | {"error": failure})


def _reading(text: str, notes: Iterable[Note], repairs: Iterable[Repair]) -> dict[str, Any]:
    lines = LineIndex(text)
    return {
        "notes": [note_json(note, lines) for note in notes],
        "repairs": [repair_json(repair) for repair in repairs],
    }


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
