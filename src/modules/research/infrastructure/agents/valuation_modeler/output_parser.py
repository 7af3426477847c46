"""The valuation modeler's output contract and parser."""

from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.infrastructure.agents.valuation_modeler.normalizers import normalize_verdict
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(
    label="估值建模师",
    dto_type=ValuationResultDTO,
    error_type=LLMOutputParseError,
    normalizers=(normalize_verdict,),
)


def parse_valuation_result(raw: str, *, finished: bool | None = None) -> ValuationResultDTO:
    """Read the valuation modeler's raw text as verdict, intrinsic value range and evidence.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
