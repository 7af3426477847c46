"""What asking a model took, one line per attempt."""

from __future__ import annotations

from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.plain_output import visible
from src.shared.application.outcome import Attempt, Outcome

_ERROR_SHOWN = 120


def print_attempts(console: Console, outcome: Outcome[BaseModel]) -> None:
    """Print who was asked, what came of it, and what it cost in tokens and seconds."""
    for attempt in outcome.attempts:
        who = "repair" if attempt.by_repair_agent else "asked"
        style = "green" if attempt.error is None else "yellow"
        console.print(
            Text.assemble((f"{who:8}", style), f"{attempt.number}  {_cost(attempt)}  {visible(_result(attempt))}"),
            soft_wrap=True,
        )


def _cost(attempt: Attempt) -> str:
    if attempt.reply is None:
        return "no answer"
    usage = attempt.reply.usage
    tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens" if usage.total_tokens else "tokens unknown"
    return f"{tokens}, {attempt.reply.latency:.1f} s"


def _result(attempt: Attempt) -> str:
    if attempt.error is None:
        return "answered"
    message = attempt.error.message
    return message if len(message) <= _ERROR_SHOWN else message[: _ERROR_SHOWN - 1] + "…"
