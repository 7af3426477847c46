"""The judge context's composition root."""

from __future__ import annotations

from dependency_injector import containers, providers

from src.modules.judge.application.services.judge_service import JudgeService
from src.modules.judge.infrastructure.agents.verdict.adapter import VerdictAdapter
from src.shared.application.prompted_agent import AskOptions
from src.shared.application.typed_llm import TypedLLM


class JudgeContainer(containers.DeclarativeContainer):
    """What it needs: a model, and how to ask it."""

    llm: providers.Dependency[TypedLLM] = providers.Dependency(instance_of=TypedLLM)
    options: providers.Dependency[AskOptions] = providers.Dependency(instance_of=AskOptions, default=AskOptions())

    verdict_agent = providers.Singleton(VerdictAdapter, llm, options)

    judge_service = providers.Singleton(JudgeService, verdict_agent)
