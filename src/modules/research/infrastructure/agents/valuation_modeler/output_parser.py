"""The valuation modeler's output contract and parser."""

from __future__ import annotations

from typing import Any

from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO, ValuationVerdict
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput

_GLOSSES: dict[ValuationVerdict, str] = {"Undervalued": "低估", "Fair": "合理", "Overvalued": "高估"}

_ENGLISH: dict[str, ValuationVerdict] = {
    spelling: verdict
    for verdict, gloss in _GLOSSES.items()
    for spelling in (verdict, f"{verdict}({gloss})", f"{verdict} ({gloss})")
}

_ASCII_BRACKETS = str.maketrans("（）", "()")


def normalize_verdict(data: dict[str, Any]) -> dict[str, Any]:
    """Map `"Fair (合理)"` and its two siblings in `valuation_verdict` to `"Fair"`.

    Brackets may be full-width, spaces may stand around. Anything else stays as it is, and so does a gloss
    that contradicts its verdict.
    """
    verdict = data.get("valuation_verdict")
    if not isinstance(verdict, str):
        return data
    english = _ENGLISH.get(verdict.translate(_ASCII_BRACKETS).strip())
    return data | {"valuation_verdict": english} if english else data


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
