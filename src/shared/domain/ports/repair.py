"""The port to whoever repairs what the deterministic reader could not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from src.shared.domain.budget import Spending
from src.shared.domain.caller import NOBODY, Caller
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.llm import LLMReply


@dataclass(frozen=True, slots=True)
class RepairedText:
    """An accepted repair.

    Attributes:
        text: strict JSON, an object, with the names and values of the damaged text and no others.
        reply: the reply it came from, for what it cost.
    """

    text: str
    reply: LLMReply


class RepairPort(Protocol):
    """Repairs the syntax of a damaged text, and nothing else."""

    def accepts(self, broken: str, error: AppException) -> bool:
        """Whether the failure is one of syntax, and there is an object in the text that a repair could mend."""
        ...

    async def repair(
        self,
        broken: str,
        error: AppException,
        *,
        finished: bool | None = None,
        caller: Caller = NOBODY,
        spending: Spending | None = None,
    ) -> RepairedText:
        """Repair a damaged text, in one try.

        Args:
            broken: the text.
            error: why it could not be read.
            finished: as for `OutputPort.read`; brackets missing at the very end are an omission only where it is True.
            caller: whose text it is; goes to events.
            spending: the budget that has to allow the request; None where there is none.

        Raises:
            LLMBudgetError: the budget does not allow it.
            AppException: the text is too long, or the answer is not the same text repaired.
            LLMError: the model could not be asked.
        """
        ...


class ReadObject(Protocol):
    """Reads the object of a text by the parser's own rules, and tells nobody of it."""

    def __call__(self, text: str, *, finished: bool | None = None) -> dict[str, Any]:
        """Read a text, damaged or not.

        Args:
            text: the text.
            finished: as for `OutputPort.read`.

        Raises:
            LLMJsonParseError: the text is refused; `details["json_error"]` says why.
        """
        ...
