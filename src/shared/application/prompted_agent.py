"""The agent behind all agents: fills its prompts with what it is asked about, asks, parses, tells the listener.

Agents return what the domain wants from them. Prompt, raw text, attempts and cost go to the listener of the run, which
is known by the context of the task (`contextvars`): tasks started within the run inherit it, runs side by side do not
mix.

Data in a prompt: every value with what it means, what is missing told as missing, all of it delimited.

Text from outside is hostile. Every text is written as a JSON string on one line, so that it cannot look like another
value, and the whole stands between marks that carry a number computed from it, so that nothing inside can close it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from src.shared.application.question import Outcome, Question
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.output import OutputPort
from src.shared.domain.prompt import AgentPrompts

MISSING = "缺失"
NONE_GIVEN = "无（已提供，为空）"

_INDENT = "  "
_ID_LENGTH = 12
_LINE_ENDS = {mark: f"\\u{mark:04x}" for mark in (0x7F, 0x85, 0x2028, 0x2029)}


def delimit(name: str, text: str) -> str:
    """Put a text between marks that it does not hold; the same text always gets the same marks.

    Args:
        name: what the data is; ours, not from outside.
        text: the data.
    """
    number = _hash(text)
    while number in text:
        number = _hash(number)
    return f'<资料 名称="{name}" 编号="{number}">\n{text}\n</资料 编号="{number}">'


def describe_data(value: object) -> str:
    """A value for a prompt: a model as a list of its fields with their descriptions, anything else as JSON.

    `None` is told as missing, an empty list or mapping as given and empty.
    """
    return "\n".join(_lines(value))


def _lines(value: object) -> list[str]:
    if isinstance(value, BaseModel):
        fields = type(value).model_fields.items()
        names = {name: f"{name}（{field.description}）" if field.description else name for name, field in fields}
        entries = [(f"- {label}：", getattr(value, name)) for name, label in names.items()]
    elif isinstance(value, Mapping):
        entries = [(f"- {_literal(key)}：", item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        entries = [(f"{number}. ", item) for number, item in enumerate(value, 1)]
    else:
        return [MISSING if value is None else _literal(value)]
    lines: list[str] = []
    for label, item in entries:
        inner = _lines(item)
        is_on_one_line = not isinstance(item, BaseModel | Mapping | list | tuple) or not item
        lines += [label + inner[0]] if is_on_one_line else [label.rstrip(), *(_INDENT + line for line in inner)]
    return lines or [NONE_GIVEN]


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str).translate(_LINE_ENDS)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]


TaskT = TypeVar("TaskT", bound=BaseModel)
T = TypeVar("T", bound=BaseModel)
T_co = TypeVar("T_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True, slots=True)
class AgentId:
    """Which agent: the name of its folder, and its Chinese title."""

    name: str
    label: str


@dataclass(frozen=True, slots=True)
class AgentAnswer(Generic[T_co]):
    """One time an agent was asked, and everything that came of it.

    Attributes:
        agent: who.
        system_message: the system's message.
        outcome: every attempt, the result or the error, tokens and time.
    """

    agent: AgentId
    system_message: str
    outcome: Outcome[T_co]

    @property
    def result(self) -> T_co:
        """The typed answer.

        Raises:
            AppException: there is none; `Outcome.result`.
        """
        return self.outcome.result()

    @property
    def prompt(self) -> str:
        """The user's message as it was sent first."""
        return self.outcome.attempts[0].prompt

    @property
    def raw_output(self) -> str:
        """The agent's last text, as it came; empty where none came."""
        own = [attempt.reply for attempt in self.outcome.attempts if attempt.reply and not attempt.by_repair_agent]
        return own[-1].text if own else ""

    @property
    def replies(self) -> tuple[LLMReply, ...]:
        """All replies of all attempts, the repair agent's too."""
        return tuple(attempt.reply for attempt in self.outcome.attempts if attempt.reply)


class AgentListener(Protocol):
    """Follows a run. It never raises."""

    def agent_started(self, agent: AgentId) -> None:
        """An agent is being asked."""
        ...

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """An agent has answered, or failed to; one that is cancelled never gets here."""
        ...


LISTENER: ContextVar[AgentListener | None] = ContextVar("agent_listener", default=None)
"""Who is told in this context, or None."""


@contextmanager
def listening(listener: AgentListener) -> Iterator[None]:
    """Tell this listener of every agent that is asked in this context, until the end of the block."""
    token = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(token)


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
        listener = LISTENER.get()
        if listener:
            listener.agent_started(self.id)
        outcome = await self._llm.generate_and_parse(self._question(task), self._output, budget=self._options.budget)
        answer = AgentAnswer(self.id, self._prompts.system, outcome)
        if listener:
            listener.agent_answered(answer)
        return answer

    def _question(self, task: TaskT) -> Question:
        values = {name: delimit(name, describe_data(getattr(task, name))) for name in type(task).model_fields}
        return Question.of(
            self._prompts.filled(values),
            self._prompts.system,
            prompt_id=self._prompts.prompt_id,
            temperature=self._options.temperature,
            max_tokens=self._options.max_tokens,
        )
