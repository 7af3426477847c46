"""The port that takes note of calls for a typed answer: one event at the start, one more where there is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A model is about to be asked for a typed answer.

    Attributes:
        context_label: who asks, such as an agent's title.
        output_model: name of the type asked for.
        prompt_id: identifies the prompt to readers of the event; empty if none was given.
    """

    context_label: str
    output_model: str
    prompt_id: str = ""


@dataclass(frozen=True, slots=True)
class CallFailed:
    """No attempt gave an answer.

    Attributes:
        context_label: as above.
        output_model: as above.
        code: code of the last error, such as `LLM_JSON_PARSE_ERROR` or a provider's.
        stop: why no further attempt was made, such as `retries_spent`.
        attempts: questions asked, the repair agent's included.
        details: facts of the last error; they may quote the answer.
    """

    context_label: str
    output_model: str
    code: str
    stop: str
    attempts: int
    details: Mapping[str, Any]


class CallObserver(Protocol):
    """Learns about calls to a model. An adapter never raises."""

    def call_started(self, event: CallStarted) -> None:
        """Take note that a model is asked."""
        ...

    def call_failed(self, event: CallFailed) -> None:
        """Take note that there is no answer."""
        ...
