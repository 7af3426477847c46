"""The use case of a debate: both advocates at once, then the resolution."""

from __future__ import annotations

from src.modules.debate.domain.dtos.debate_input import DebateInput
from src.modules.debate.domain.dtos.debate_outcome import DebateOutcomeDTO
from src.modules.debate.domain.ports.advocates import BearAdvocatePort, BullAdvocatePort
from src.modules.debate.domain.ports.resolution import ResolutionPort
from src.shared.application.together import both


class DebateService:
    """Runs a debate.

    Args:
        bull_agent: argues for the stock.
        bear_agent: argues against it.
        resolution_agent: settles the debate.
    """

    def __init__(
        self, bull_agent: BullAdvocatePort, bear_agent: BearAdvocatePort, resolution_agent: ResolutionPort
    ) -> None:
        self._bull = bull_agent
        self._bear = bear_agent
        self._resolution = resolution_agent

    async def run(self, debate_input: DebateInput) -> DebateOutcomeDTO:
        """Debate a stock. An agent that fails ends the debate: half a debate would be a plausible wrong answer.

        Raises:
            AppException: what the agent that failed raised; the other advocate is cancelled.
        """
        bull, bear = await both(self._bull.advocate(debate_input), self._bear.advocate(debate_input))
        resolution = await self._resolution.resolve(debate_input.symbol, bull, bear)
        return DebateOutcomeDTO(
            symbol=debate_input.symbol,
            direction=resolution.direction,
            confidence=resolution.confidence,
            bull_case=bull,
            bear_case=bear,
            risk_matrix=resolution.risk_matrix,
            key_disagreements=resolution.key_disagreements,
            conflict_resolution=resolution.conflict_resolution,
        )
