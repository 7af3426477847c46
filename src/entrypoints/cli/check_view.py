"""What a check of recorded outputs came to: a line a finding, or one JSON object."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.recorded import Finding, Problem, refusal_in_words
from src.entrypoints.cli.screen import stdout
from src.modules.reparsing.domain.comparison import ONLY_NEW, ONLY_OLD, DifferingValue
from src.shared.domain.one_line import one_line

VALUES_SHOWN = 3
"""Differing places that are told of a recording; JSON has more of them."""
_VALUE_SHOWN = 80
_REASON_SHOWN = 160


def print_findings(findings: list[Finding], style: str) -> None:
    """Print a line a finding on stdout."""
    console = stdout()
    for finding in findings:
        line = Text.assemble((visible(finding.file), style), ": ", visible(_in_words(finding)))
        console.print(line, soft_wrap=True)


def print_checked(total: int, findings: list[Finding]) -> None:
    """Print the summary of a check."""
    counted = spoken(f"{total} 个录制：", f"{total} recording{'' if total == 1 else 's'}: ")
    unrecorded = sum(finding.problem is Problem.NOT_RECORDED for finding in findings)
    differing = len(findings) - unrecorded
    if not findings:
        verdict = (spoken("全部与录制相符。", "all as recorded."), "green")
    else:
        verdict = (
            spoken(
                f"{differing} 个与录制不符，{unrecorded} 个没有录制结果。",
                f"{differing} not as recorded, {unrecorded} without a recorded outcome.",
            ),
            "bold red",
        )
    stdout().print(Text.assemble(counted, verdict), soft_wrap=True)


def print_recorded(total: int, findings: list[Finding]) -> None:
    """Print the summary of a recording."""
    new, gone = (
        sum(finding.problem is problem for finding in findings) for problem in (Problem.NOT_RECORDED, Problem.NO_FILE)
    )
    changed = len(findings) - new - gone
    summary = spoken(
        f"已录制 {total} 个：新增 {new}，改变 {changed}，移除 {gone}。",
        f"{total} recorded: {new} new, {changed} changed, {gone} gone.",
    )
    stdout().print(summary, soft_wrap=True)


def write_findings(total: int, findings: list[Finding]) -> None:
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
        return spoken("已录制，但没有这个文件", "recorded, but there is no such file")
    if finding.problem is Problem.DIFFERENT:
        more = [spoken("还有其他不同", "and more")] if finding.more or len(finding.values) > VALUES_SHOWN else []
        return "; ".join([*map(_value, finding.values[:VALUES_SHOWN]), *more])
    now = spoken("现在可以读取", "now read") if reading.stage is None else _now(refusal_in_words(reading))
    if finding.problem is Problem.NOT_RECORDED:
        return spoken(f"没有录制结果；{now}", f"nothing is recorded; {now}")
    if finding.problem is Problem.REFUSED:
        return spoken(f"录制为可读取；{now}", f"recorded as read; {now}")
    stage = finding.recorded
    return spoken(f"录制为在 {stage} 阶段拒绝；{now}", f"recorded as refused at {stage}; {now}")


def _now(refusal: str) -> str:
    refusal = one_line(refusal, _REASON_SHOWN)
    return spoken(f"现在{refusal}", f"now {refusal}")


def _value(value: DifferingValue) -> str:
    old, new = one_line(value.old, _VALUE_SHOWN), one_line(value.new, _VALUE_SHOWN)
    path = value.path
    if path.endswith(ONLY_NEW):
        path = path.removesuffix(ONLY_NEW)
        return spoken(f"{path} 未录制，现为 {new}", f"{path} is not recorded, now {new}")
    if path.endswith(ONLY_OLD):
        path = path.removesuffix(ONLY_OLD)
        return spoken(f"{path} 录制为 {old}，现在没有", f"{path} recorded as {old}, now missing")
    return spoken(f"{path} 录制为 {old}，现为 {new}", f"{path} recorded as {old}, now {new}")
