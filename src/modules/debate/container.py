"""The debate context's composition root."""

from __future__ import annotations

from dependency_injector import containers, providers

from src.modules.debate.application.services.debate_service import DebateService
from src.modules.debate.infrastructure.agents.bear_advocate.adapter import BearAdvocateAdapter
from src.modules.debate.infrastructure.agents.bull_advocate.adapter import BullAdvocateAdapter
from src.modules.debate.infrastructure.agents.resolution.adapter import ResolutionAdapter
from src.shared.application.prompted_agent import AskOptions
from src.shared.application.typed_llm import TypedLLM


class DebateContainer(containers.DeclarativeContainer):
    """What it needs: a model, and how to ask it."""

    llm: providers.Dependency[TypedLLM] = providers.Dependency(instance_of=TypedLLM)
    options: providers.Dependency[AskOptions] = providers.Dependency(instance_of=AskOptions, default=AskOptions())

    bull_agent = providers.Singleton(BullAdvocateAdapter, llm, options)
    bear_agent = providers.Singleton(BearAdvocateAdapter, llm, options)
    resolution_agent = providers.Singleton(ResolutionAdapter, llm, options)

    debate_service = providers.Singleton(DebateService, bull_agent, bear_agent, resolution_agent)
