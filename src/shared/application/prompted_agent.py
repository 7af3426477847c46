"""The agent behind all agents: fills its prompts with what it is asked about, asks, parses, tells the listener."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from src.shared.application.agent_runs import AgentAnswer, AgentId, current_listener, seconds_left
from src.shared.application.prompt_data import delimited, describe_data
from src.shared.application.question import Question
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.ports.output import OutputPort
from src.shared.domain.prompt import AgentPrompts

TaskT = TypeVar("TaskT", bound=BaseModel)
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How agents ask.

    Attributes:
        temperature: 0 to 2; None leaves it to the provider.
        max_tokens: most tokens of one answer; None leaves it to the provider.
        budget: bounds on all attempts of one agent together; None leaves it to `TypedLLM`.
    """

    temperature: float | None = 0.3
    max_tokens: int | None = None
    budget: Budget | None = None


class PromptedAgent(Generic[TaskT, T]):
    """An agent made of prompts and an output contract.

    Args:
        llm: the model.
        output: the agent's output contract.
        prompts: its prompts; their places are the fields of `TaskT`.
        options: how to ask.
    """

    def __init__(
        self, llm: TypedLLM, output: OutputPort[T], prompts: AgentPrompts, options: AskOptions | None = None
    ) -> None:
        self._llm = llm
        self._output = output
        self._prompts = prompts
        self._options = options or AskOptions()
        self.id = AgentId(prompts.agent, output.label)

    async def ask(self, task: TaskT) -> AgentAnswer[T]:
        """Ask about one task. A failure is in the answer: its `result` raises it."""
        listener = current_listener()
        if listener:
            listener.agent_started(self.id)
        outcome = await self._llm.generate_and_parse(
            self._question(task), self._output, budget=self._options.budget, seconds=seconds_left()
        )
        answer = AgentAnswer(self.id, self._prompts.system, outcome)
        if listener:
            listener.agent_answered(answer)
        return answer

    def _question(self, task: TaskT) -> Question:
        values = {name: delimited(name, describe_data(getattr(task, name))) for name in type(task).model_fields}
        return Question.of(
            self._prompts.filled(values),
            self._prompts.system,
            prompt_id=self._prompts.prompt_id,
            temperature=self._options.temperature,
            max_tokens=self._options.max_tokens,
        )
