"""The nine agents' parsers and the envelope's, under a short name; `VERDICT` is the verdict's output as an object."""

from __future__ import annotations

from src.modules.cowriting.infrastructure import parse_envelope, parse_payload
from src.modules.debate.infrastructure.agents.bear_advocate.output_parser import parse_bear_argument
from src.modules.debate.infrastructure.agents.bull_advocate.output_parser import parse_bull_argument
from src.modules.debate.infrastructure.agents.resolution.output_parser import parse_resolution_result
from src.modules.judge.infrastructure.agents.verdict.output_parser import OUTPUT as VERDICT
from src.modules.judge.infrastructure.agents.verdict.output_parser import parse_verdict_result
from src.modules.research.infrastructure.agents.catalyst_detective.output_parser import parse_catalyst_detective_result
from src.modules.research.infrastructure.agents.financial_auditor.output_parser import parse_financial_audit_result
from src.modules.research.infrastructure.agents.macro_intelligence.output_parser import parse_macro_intelligence_result
from src.modules.research.infrastructure.agents.technical_analyst.output_parser import parse_technical_analysis_result
from src.modules.research.infrastructure.agents.valuation_modeler.output_parser import parse_valuation_result

__all__ = [
    "VERDICT",
    "parse_bear_argument",
    "parse_bull_argument",
    "parse_catalyst_detective_result",
    "parse_envelope",
    "parse_financial_audit_result",
    "parse_macro_intelligence_result",
    "parse_payload",
    "parse_resolution_result",
    "parse_technical_analysis_result",
    "parse_valuation_result",
    "parse_verdict_result",
]
