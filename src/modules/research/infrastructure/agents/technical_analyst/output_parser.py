"""The technical analyst's output contract and parser."""

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(label="技术分析师", dto_type=TechnicalAnalysisResultDTO, error_type=LLMOutputParseError)


def parse_technical_analysis_result(raw: str, *, finished: bool | None = None) -> TechnicalAnalysisResultDTO:
    """Read the technical analyst's raw text as signal, key levels and risk.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
