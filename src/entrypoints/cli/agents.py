"""The agents there are: the folders of the contexts' agents. Everything else is taken from an agent's parser."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from src import modules
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.answer_type import name_of
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
        return f"src.modules.{self.context}.infrastructure.agents.{self.name}.output_parser"

    @cached_property
    def parse(self) -> Callable[..., BaseModel]:
        """The parse function: the raw text, and by name `finished`, as the agent's type."""
        parser = import_module(self.module)
        (parse,) = (
            value
            for name, value in vars(parser).items()
            if name.startswith("parse_") and value.__module__ == self.module
        )
        return cast("Callable[..., BaseModel]", parse)

    @property
    def function(self) -> str:
        """The name of the parse function."""
        return self.parse.__name__

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


def _agents(context: str) -> Iterator[Agent]:
    """The agents of a context, none of which is imported."""
    folders = [str(Path(folder, context, "infrastructure", "agents")) for folder in modules.__path__]
    for module in pkgutil.iter_modules(folders):
        if module.ispkg:
            yield Agent(context, module.name)


AGENTS = {agent.name: agent for context in CONTEXTS for agent in _agents(context)}
"""Name → agent, by context and then by name. Every package beneath a context's `infrastructure/agents` is an agent."""


def agent_named(name: str) -> Agent:
    """The agent of this name.

    Raises:
        CommandError: there is none; the message names the nearest, and all.
    """
    if name in AGENTS:
        return AGENTS[name]
    near = difflib.get_close_matches(name.lower(), AGENTS, n=1)
    hint_zh, hint = (f"；是否应为 {near[0]}？", f"; did you mean {near[0]}?") if near else ("。", ".")
    names = ", ".join(AGENTS)
    message = spoken(
        f"没有名为 {name!r} 的智能体{hint_zh}可选：{names}。",
        f"there is no agent {name!r}{hint} The agents are: {names}.",
    )
    raise CommandError(message)
