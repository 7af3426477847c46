"""The committee's composition root: the three contexts' containers over one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dependency_injector import containers, providers

from examples.committee.application.committee import Committee
from examples.committee.infrastructure.verdict.adapter import PricedVerdictAdapter
from src.modules.debate.container import DebateContainer
from src.modules.judge.container import JudgeContainer
from src.modules.research.container import ResearchContainer
from src.shared.application.agent_runs import AgentId
from src.shared.application.prompted_agent import AskOptions, PromptedAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import TokenPrice


def _ids(experts: Sequence[PromptedAgent[Any, Any]], *others: PromptedAgent[Any, Any]) -> tuple[AgentId, ...]:
    return tuple(agent.id for agent in (*experts, *others))


class CommitteeContainer(containers.DeclarativeContainer):
    """What it needs: a model; and, where the defaults do not do, how to ask it, a quorum, a deadline and a price."""

    llm: providers.Dependency[TypedLLM] = providers.Dependency(instance_of=TypedLLM)
    options: providers.Provider[AskOptions] = providers.Object(AskOptions())
    least_experts: providers.Provider[int] = providers.Object(3)
    deadline: providers.Provider[float | None] = providers.Object(None)
    price: providers.Provider[TokenPrice | None] = providers.Object(None)

    research = providers.Container(ResearchContainer, llm=llm, options=options, least_experts=least_experts)
    debate = providers.Container(DebateContainer, llm=llm, options=options)
    judge = providers.Container(
        JudgeContainer, llm=llm, options=options, verdict_agent=providers.Singleton(PricedVerdictAdapter, llm, options)
    )

    agents = providers.Callable(
        _ids,
        research.experts,
        debate.bull_agent,
        debate.bear_agent,
        debate.resolution_agent,
        judge.verdict_agent,
    )
    """Who sits in the committee, in the order in which they are asked."""

    committee = providers.Singleton(
        Committee,
        research.research_service,
        debate.debate_service,
        judge.judge_service,
        deadline=deadline,
        price=price,
    )
