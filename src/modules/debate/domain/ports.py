"""The ports behind which the debate's agents stand."""

from __future__ import annotations

from typing import Protocol

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.debate_input import DebateInput
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult


class BullAdvocatePort(Protocol):
    """Whoever argues for the stock."""

    async def advocate(self, debate_input: DebateInput) -> BullArgument:
        """Make the case.

        Raises:
            AppException: no usable answer came.
        """
        ...


class BearAdvocatePort(Protocol):
    """Whoever argues against it."""

    async def advocate(self, debate_input: DebateInput) -> BearArgument:
        """Make the case.

        Raises:
            AppException: no usable answer came.
        """
        ...


class ResolutionPort(Protocol):
    """Weighs two cases against each other."""

    async def resolve(self, symbol: str, bull: BullArgument | None, bear: BearArgument | None) -> ResolutionResult:
        """Settle the debate; a case that is None is missing, and is no reason to side with the other.

        Raises:
            AppException: no usable answer came.
        """
        ...
