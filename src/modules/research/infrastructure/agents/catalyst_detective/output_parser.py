"""The catalyst detective's output contract and parser."""

from __future__ import annotations

from src.modules.research.domain.dtos.catalyst_dtos import CatalystDetectiveResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.agents.normalizers import each_object, fill_missing_text

FILL_EXPECTED_IMPACT: tuple[Normalizer, ...] = tuple(
    each_object(field, fill_missing_text("expected_impact")) for field in ("positive_catalysts", "negative_catalysts")
)
"""An event without `expected_impact` gets the empty text; no event is dropped."""


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
