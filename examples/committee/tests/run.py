"""A committee over a model that knows who asks, and somebody who watches."""

from pydantic import BaseModel

from examples.committee.application.committee import Committee
from examples.committee.application.progress import Stage
from examples.committee.container import CommitteeContainer
from src.shared.application.agent_runs import AgentAnswer, AgentId
from tests.shared.routed_llm import RoutedLLM, typed_llm


def committee(llm: RoutedLLM, **provided: object) -> Committee:
    """The committee as the container makes it."""
    return CommitteeContainer(llm=typed_llm(llm), **provided).committee()


class Watcher:
    """Keeps what it is told, in order."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.answers: list[AgentAnswer[BaseModel]] = []

    def stage_started(self, stage: Stage) -> None:
        self.seen.append(f"{stage} begins")

    def stage_finished(self, stage: Stage) -> None:
        self.seen.append(f"{stage} ends")

    def agent_started(self, agent: AgentId) -> None:
        self.seen.append(f"{agent.name} asked")

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        self.seen.append(f"{answer.agent.name} answered")
        self.answers.append(answer)
