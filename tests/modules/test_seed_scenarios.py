"""The scenarios of the specification "unified-llm-output-parser" that speak of the agents' parsers: one test each."""

import inspect
from typing import get_type_hints

import pytest

from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.exceptions import LLMOutputParseError
from src.modules.research.infrastructure.agents.macro_intelligence.output_parser import parse_macro_intelligence_result
from src.modules.research.infrastructure.agents.technical_analyst.output_parser import parse_technical_analysis_result
from src.modules.research.infrastructure.agents.valuation_modeler.output_parser import parse_valuation_result
from src.shared.domain.exceptions import LLMJsonParseError
from tests.modules.agent_contract import as_text, replaced
from tests.modules.research.contracts.macro_intelligence import CONTRACT as MACRO_INTELLIGENCE
from tests.modules.research.contracts.valuation_modeler import CONTRACT as VALUATION_MODELER


def test_module_parser_turns_the_error_into_its_own() -> None:
    """Scenario: 模块 parser 转换异常类型."""
    with pytest.raises(LLMOutputParseError) as caught:
        parse_technical_analysis_result("[{}]")
    error, cause = caught.value, caught.value.__cause__
    assert isinstance(cause, LLMJsonParseError)
    assert (error.message, error.details) == (cause.message, cause.details)


def test_agent_without_normalizing_delegates_to_the_unified_parser() -> None:
    """Scenario: 无特有归一化的 Agent（如 macro_intelligence）."""
    raw = f"```json\n{as_text(MACRO_INTELLIGENCE.answer)}\n```"
    assert parse_macro_intelligence_result(raw).model_dump() == MACRO_INTELLIGENCE.answer


def test_agent_with_normalizing_passes_its_hook_to_the_unified_parser() -> None:
    """Scenario: 有特有归一化的 Agent（如 valuation_modeler）."""
    answer = replaced(VALUATION_MODELER.answer, ("valuation_verdict",), "Fair (合理)")
    assert parse_valuation_result(as_text(answer)).valuation_verdict == "Fair"


def test_public_signature_is_unchanged() -> None:
    """Scenario: 重构后公开函数签名不变."""
    raw, *optional = inspect.signature(parse_technical_analysis_result).parameters.values()
    hints = get_type_hints(parse_technical_analysis_result)
    assert (raw.name, hints["raw"], hints["return"]) == ("raw", str, TechnicalAnalysisResultDTO)
    assert {one.kind for one in optional} <= {inspect.Parameter.KEYWORD_ONLY}
    assert all(one.default is not inspect.Parameter.empty for one in optional)
