"""What our own side of the HTTP client refuses, on its way through the vendor's package."""

from __future__ import annotations

from typing import Any

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMError
from src.shared.infrastructure.llm.extra import needs_extra

with needs_extra():
    import httpx2


class RefusedError(httpx2.TransportError):
    """Goes through the vendor's package as a broken connection would, and is a domain error behind it.

    Attributes:
        kind: which error it becomes.
        problem: what that error says.
        facts: its `details`.
    """

    def __init__(self, kind: type[LLMError], problem: Message, **facts: Any) -> None:  # noqa: ANN401 - facts of any JSON type
        super().__init__(problem.en)
        self.kind = kind
        self.problem = problem
        self.facts = facts
