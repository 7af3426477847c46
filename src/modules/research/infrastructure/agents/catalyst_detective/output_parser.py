"""The catalyst detective's output contract and parser."""

from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.infrastructure.agents.catalyst_detective.normalizers import FILL_EXPECTED_IMPACT
from src.shared.infrastructure.agents.agent_output import AgentOutput

OUTPUT = AgentOutput(
    label="催化剂侦探",
    dto_type=CatalystDetectiveResultDTO,
    error_type=LLMOutputParseError,
    normalizers=FILL_EXPECTED_IMPACT,
)


def parse_catalyst_detective_result(raw: str, *, finished: bool | None = None) -> CatalystDetectiveResultDTO:
    """Read the catalyst detective's raw text as assessment, events and sources.

    `finished`: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.
    Fails with the context's `LLMOutputParseError`, and with nothing else, when it cannot.
    """
    return OUTPUT.parse(raw, finished=finished)
