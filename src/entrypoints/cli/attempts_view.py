"""What asking a model took, one line per attempt."""

from __future__ import annotations

from pydantic import BaseModel
from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.spoken import spoken
from src.shared.application.outcome import Attempt, Outcome

_ERROR_SHOWN = 120


def print_attempts(console: Console, outcome: Outcome[BaseModel]) -> None:
    """Print who was asked, what came of it, and what it cost in tokens and seconds."""
    for attempt in outcome.attempts:
        who = spoken("修复", "repair") if attempt.by_repair_agent else spoken("提问", "asked")
        style = "green" if attempt.error is None else "yellow"
        console.print(
            Text.assemble(
                (set_cell_size(who, 8), style), f"{attempt.number}  {_cost(attempt)}  {visible(_result(attempt))}"
            ),
            soft_wrap=True,
        )


def _cost(attempt: Attempt) -> str:
    if attempt.reply is None:
        return spoken("没有答复", "no answer")
    usage = attempt.reply.usage
    counts, seconds = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,}", f"{attempt.reply.latency:.1f}"
    if usage.is_estimated:
        return spoken(f"约 {counts} 词元（估算），{seconds} 秒", f"about {counts} tokens (estimated), {seconds} s")
    return spoken(f"{counts} 词元，{seconds} 秒", f"{counts} tokens, {seconds} s")


def _result(attempt: Attempt) -> str:
    if attempt.error is None:
        return spoken("已答复", "answered")
    message = attempt.error.message
    return message if len(message) <= _ERROR_SHOWN else message[: _ERROR_SHOWN - 1] + "…"
