"""The use case of a debate: both advocates at once, then the resolution."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.modules.debate.domain.dtos.debate_input import DebateInput
from src.modules.debate.domain.dtos.debate_outcome import DebateArguments, DebateOutcomeDTO
from src.modules.debate.domain.dtos.resolution_result import ResolutionResult
from src.shared.domain.exceptions import AppException

T_co = TypeVar("T_co", covariant=True)


class AdvocatePort(Protocol[T_co]):
    """Whoever argues for the stock, or against it."""

    async def advocate(self, debate_input: DebateInput) -> T_co:
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


T = TypeVar("T")

BULL, BEAR = "bull_advocate", "bear_advocate"
"""What the advocates are called where one of them is missing."""


class DebateService:
    """Runs a debate.

    Args:
        bull_agent: argues for the stock.
        bear_agent: argues against it.
        resolution_agent: settles the debate.
    """

    def __init__(
        self,
        bull_agent: AdvocatePort[BullArgument],
        bear_agent: AdvocatePort[BearArgument],
        resolution_agent: ResolutionPort,
    ) -> None:
        self._bull = bull_agent
        self._bear = bear_agent
        self._resolution = resolution_agent

    async def run(self, debate_input: DebateInput) -> DebateOutcomeDTO:
        """Debate a stock: `argue`, then `settle`.

        Raises:
            AppException: both advocates failed, or the resolution did.
        """
        return await self.settle(debate_input, await self.argue(debate_input))

    async def argue(self, debate_input: DebateInput) -> DebateArguments:
        """Let both advocates make their cases side by side. One that fails leaves the other's case standing.

        Cancelling this cancels both. What an advocate raises that is no `AppException` is a defect: it ends the other
        and is raised as an `ExceptionGroup`.

        Raises:
            AppException: both failed; the bull's error.
        """
        async with asyncio.TaskGroup() as group:
            for_it = group.create_task(_case(self._bull.advocate(debate_input)))
            against_it = group.create_task(_case(self._bear.advocate(debate_input)))
        (bull, bull_error), (bear, bear_error) = for_it.result(), against_it.result()
        if bull_error and bear_error:
            raise bull_error
        failures = {name: error for name, error in ((BULL, bull_error), (BEAR, bear_error)) if error}
        return DebateArguments(bull, bear, failures)

    async def settle(self, debate_input: DebateInput, arguments: DebateArguments) -> DebateOutcomeDTO:
        """Have the cases weighed; where there is only one, whoever weighs it is told that the other is missing.

        Raises:
            AppException: no usable answer came.
        """
        resolution = await self._resolution.resolve(debate_input.symbol, arguments.bull, arguments.bear)
        return DebateOutcomeDTO(
            symbol=debate_input.symbol,
            direction=resolution.direction,
            confidence=resolution.confidence,
            bull_case=arguments.bull,
            bear_case=arguments.bear,
            missing_cases={name: error.message for name, error in arguments.failures.items()},
            risk_matrix=resolution.risk_matrix,
            key_disagreements=resolution.key_disagreements,
            conflict_resolution=resolution.conflict_resolution,
        )


async def _case(asked: Coroutine[Any, Any, T]) -> tuple[T | None, AppException | None]:
    """A case, or why there is none."""
    try:
        return await asked, None
    except AppException as error:
        return None, error
