"""The ports to the two advocates."""

from __future__ import annotations

from typing import Protocol

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.debate_input import DebateInput


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
