"""The macro intelligence officer's output contract and parser."""

from src.modules.research.domain.dtos.macro_dtos import MacroIntelligenceResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(label="宏观情报员", dto_type=MacroIntelligenceResultDTO, error_type=LLMOutputParseError)


def parse_macro_intelligence_result(raw: str, *, finished: bool | None = None) -> MacroIntelligenceResultDTO:
    """Read the macro intelligence officer's raw text as environment, four dimensions and sources.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
