"""The names that callers import, at the paths they import them from."""

import re
from importlib import import_module

import pytest

import llm_output
import src.shared.infrastructure.llm_json as parser
from tests.paths import ROOT

AGENTS = "src.modules.{}.infrastructure.agents.{}.output_parser"
DTOS = "src.modules.{}.domain.dtos.{}"

NAMES = {
    AGENTS.format("research", "technical_analyst"): ["parse_technical_analysis_result"],
    AGENTS.format("research", "financial_auditor"): ["parse_financial_audit_result"],
    AGENTS.format("research", "valuation_modeler"): ["parse_valuation_result"],
    AGENTS.format("research", "macro_intelligence"): ["parse_macro_intelligence_result"],
    AGENTS.format("research", "catalyst_detective"): ["parse_catalyst_detective_result"],
    AGENTS.format("debate", "bull_advocate"): ["parse_bull_argument"],
    AGENTS.format("debate", "bear_advocate"): ["parse_bear_argument"],
    AGENTS.format("debate", "resolution"): ["parse_resolution_result"],
    AGENTS.format("judge", "verdict"): ["parse_verdict_result"],
    "src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser": [
        "extract_json_response",
        "parse_action",
        "parse_actions",
        "postprocess_predictions",
        "postprocess_responses",
    ],
    "src.modules.visual_rag.domain.actions": ["Action", "ActionType"],
    "src.modules.visual_rag.domain.messages": [
        "CROP_ERROR",
        "INVALID_ACTION_ERROR",
        "OCR_ERROR",
        "forced_first_search",
    ],
    "src.modules.visual_rag.domain.parsed_action": ["ParsedAction"],
    "src.modules.visual_rag.application.execute_predictions": ["Tools", "execute_predictions"],
    "src.modules.visual_rag.application.generation_manager": ["EpisodeRules", "LLMGenerationManager"],
    "src.modules.visual_rag.application.rollout": ["Rollout", "RolloutStep"],
    DTOS.format("research", "technical_analysis_dtos"): ["TechnicalAnalysisResultDTO", "KeyTechnicalLevelsDTO"],
    DTOS.format("research", "financial_dtos"): ["FinancialAuditResultDTO", "DimensionAnalysisDTO"],
    DTOS.format("research", "valuation_dtos"): ["ValuationResultDTO", "IntrinsicValueRangeDTO"],
    DTOS.format("research", "macro_dtos"): ["MacroIntelligenceResultDTO", "MacroDimensionAnalysis"],
    DTOS.format("research", "catalyst_dtos"): [
        "CatalystDetectiveResultDTO",
        "CatalystDimensionAnalysis",
        "CatalystEvent",
    ],
    DTOS.format("debate", "bull_bear_argument"): ["BullArgument", "BearArgument"],
    DTOS.format("debate", "resolution_result"): ["ResolutionResult"],
    DTOS.format("debate", "risk_matrix"): ["RiskItemDTO"],
    DTOS.format("judge", "verdict_result"): ["VerdictResult"],
    "src.modules.workbench.domain.response_formats": [
        *("CodeResponse", "ReportResponse", "ChatResponse", "ChatSummary", "TaskBlueprint", "BlueprintApproval"),
        *("DebugSummary", "ExplorationAction", "IntentResponse", "DataLoadingGuide", "FileLoadingInfo"),
    ],
    "src.shared.domain.prompt": ["JSON_SCHEMA_REQUIREMENT", "with_json_requirement"],
    "src.shared.domain.type_description": ["describe_type"],
    DTOS.format("debate", "debate_input"): ["DebateInput", "ExpertSummary"],
    DTOS.format("debate", "debate_outcome"): ["DebateOutcomeDTO"],
    DTOS.format("judge", "judge_input"): ["JudgeInput"],
    DTOS.format("judge", "verdict"): ["VerdictDTO"],
    "src.modules.debate.application.services.debate_service": ["DebateService"],
    "src.modules.judge.application.services.judge_service": ["JudgeService"],
    "src.modules.research.application.services.research_service": ["ResearchService"],
    "src.modules.research.domain.exceptions": ["LLMOutputParseError"],
    "src.modules.debate.domain.exceptions": ["LLMOutputParseError"],
    "src.modules.judge.domain.exceptions": ["LLMOutputParseError"],
    "src.shared.domain.exceptions": ["AppException", "LLMJsonParseError"],
    "src.shared.domain.repair": ["Repair", "RepairKind"],
}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in NAMES.items() for name in names])
def test_name_can_be_imported_from_its_path(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)


def test_parser_exports_its_three_functions_and_their_results() -> None:
    assert sorted(parser.__all__) == [
        "DecodedJson",
        "ParsedOutput",
        "decode_llm_json",
        "parse_llm_json_output",
        "parse_llm_json_output_with_trace",
    ]


@pytest.mark.parametrize("name", parser.__all__)
def test_exported_name_exists_and_is_documented(name: str) -> None:
    assert getattr(parser, name).__doc__


RELEASES = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
ALIASES = {
    *("AnswerType", "Normalizer", "Rule"),
    *("Amount", "LenientBool", "LenientDate", "LenientEnum", "OneOrMany", "OrNone", "Percent", "PercentPoints"),
}
"""Names of types that have no documentation of their own at run time."""


@pytest.mark.parametrize("name", sorted(set(llm_output.__all__) - ALIASES))
def test_documentation_says_since_which_release_there_is_a_name(name: str) -> None:
    documentation = getattr(llm_output, name).__doc__
    since = re.findall(r"^ *\.\. versionadded:: (\S+)$", documentation, re.MULTILINE)

    assert len(since) == 1
    assert since[0] in RELEASES
