"""The port to whoever settles a debate."""

from __future__ import annotations

from typing import Protocol

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult


class ResolutionPort(Protocol):
    """Weighs two cases against each other."""

    async def resolve(self, symbol: str, bull: BullArgument | None, bear: BearArgument | None) -> ResolutionResult:
        """Settle the debate; a case that is None is missing, and is no reason to side with the other.

        Raises:
            AppException: no usable answer came.
        """
        ...
