"""The research context's composition root. A new expert is one more line here, and its folder."""

from __future__ import annotations

from dependency_injector import containers, providers

from src.modules.research.application.services.research_service import ResearchService
from src.modules.research.infrastructure.agents.catalyst_detective.adapter import CatalystDetectiveAdapter
from src.modules.research.infrastructure.agents.financial_auditor.adapter import FinancialAuditorAdapter
from src.modules.research.infrastructure.agents.macro_intelligence.adapter import MacroIntelligenceAdapter
from src.modules.research.infrastructure.agents.technical_analyst.adapter import TechnicalAnalystAdapter
from src.modules.research.infrastructure.agents.valuation_modeler.adapter import ValuationModelerAdapter
from src.shared.application.prompted_agent import AskOptions
from src.shared.application.typed_llm import TypedLLM


class ResearchContainer(containers.DeclarativeContainer):
    """What it needs: a model, how to ask it, and how many experts must answer."""

    llm: providers.Dependency[TypedLLM] = providers.Dependency(instance_of=TypedLLM)
    options: providers.Dependency[AskOptions] = providers.Dependency(instance_of=AskOptions, default=AskOptions())
    least_experts: providers.Dependency[int] = providers.Dependency(instance_of=int, default=3)

    experts = providers.List(
        providers.Singleton(TechnicalAnalystAdapter, llm, options),
        providers.Singleton(FinancialAuditorAdapter, llm, options),
        providers.Singleton(ValuationModelerAdapter, llm, options),
        providers.Singleton(MacroIntelligenceAdapter, llm, options),
        providers.Singleton(CatalystDetectiveAdapter, llm, options),
    )

    research_service = providers.Singleton(ResearchService, experts, least=least_experts)
