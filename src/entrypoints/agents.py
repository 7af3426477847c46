"""The agents there are: the folders of the contexts' agents. Everything else is taken from an agent's parser."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from pydantic import BaseModel

from src import modules
from src.shared.domain.answer_type import name_of
from src.shared.domain.language import Language, language
from src.shared.infrastructure.agents.agent_output import AgentOutput


@dataclass(frozen=True)
class Agent:
    """An agent, imported on first use: a command that needs one of them does not load the others.

    Attributes:
        context: the bounded context it belongs to.
        name: its name, which is that of its folder.
    """

    context: str
    name: str

    @property
    def module(self) -> str:
        """Where the function is imported from."""
        return f"{modules.__name__}.{self.context}.infrastructure.agents.{self.name}.output_parser"

    @cached_property
    def parse(self) -> Callable[..., BaseModel]:
        """The parse function: the raw text, and by name `finished`, as the agent's type."""
        names = vars(import_module(self.module)).items()
        (parse,) = (value for name, value in names if name.startswith("parse_") and value.__module__ == self.module)
        return cast("Callable[..., BaseModel]", parse)

    @cached_property
    def output(self) -> AgentOutput[Any]:
        """The output contract."""
        output: AgentOutput[Any] = import_module(self.module).OUTPUT
        return output

    @property
    def dto(self) -> str:
        """The name of the type it gives."""
        return name_of(self.output.dto_type)


CONTEXTS = ("research", "debate", "judge")
"""The bounded contexts whose agents are looked for, in the order of the analysis."""
AGENTS = {
    found.name: Agent(context, found.name)
    for context in CONTEXTS
    for found in pkgutil.iter_modules([f"{folder}/{context}/infrastructure/agents" for folder in modules.__path__])
    if found.ispkg
}
"""Name → agent, by context and then by name. Every package beneath a context's `infrastructure/agents` is an agent."""


def agent_word(name: str, spoken: Language | None = None) -> str:
    """What an agent is called: in English its name instead of its Chinese title; another name stays as it is.

    Args:
        name: as events and stores have it: the title of an agent, or a label of somebody's own.
        spoken: the language; None for the one that is asked for.
    """
    if (spoken or language()) is not Language.EN:
        return name
    return next((agent.name for agent in AGENTS.values() if agent.output.label == name), name)
