"""What `llm-output parse` says on stderr of a text that it reads: what was repaired, or all that was done."""

from __future__ import annotations

from rich.text import Text

from src.entrypoints.cli.contract import Contract, Parsed
from src.entrypoints.cli.options import TraceFormat
from src.entrypoints.cli.repairs_view import print_coercions, print_repairs
from src.entrypoints.cli.screen import stderr
from src.entrypoints.cli.spoken import spoken


def tell(parsed: Parsed, text: str, contract: Contract | None, trace: TraceFormat) -> None:
    """Say how a text was read."""
    console = stderr()
    if trace is TraceFormat.JSON:
        from src.entrypoints.cli.trace_json import result_trace  # noqa: PLC0415 - hardly a call asks for it

        console.print(result_trace(text, parsed.decoded), soft_wrap=True)
        return
    if trace is TraceFormat.STAGES:
        from src.entrypoints.cli.explain import explain_result  # noqa: PLC0415 - as above

        explain_result(console, text, contract, parsed.decoded)
    elif trace is TraceFormat.TEXT:
        print_repairs(console, parsed.decoded.repairs)
    print_coercions(console, parsed.decoded.coercions)
    if parsed.decoded.truncated:
        console.print(Text.assemble((spoken("警告:", "Warning:"), "bold yellow"), " ", _truncated()), soft_wrap=True)


def _truncated() -> str:
    return spoken(
        "文本被截断；结果中只有完整的成员",
        "the text was cut off; only the members that were complete are in the result",
    )
