"""The nine agents, one row each: where its output parser is. Everything else is taken from the parser."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from pydantic import BaseModel

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
        function: the name of the parse function that its callers use.
    """

    context: str
    name: str
    function: str

    @property
    def module(self) -> str:
        """Where the function is imported from."""
        return f"src.modules.{self.context}.infrastructure.agents.{self.name}.output_parser"

    @cached_property
    def parse(self) -> Callable[..., BaseModel]:
        """The parse function: the raw text, and by name `finished`, as the agent's type."""
        parse: Callable[..., BaseModel] = getattr(import_module(self.module), self.function)
        return parse

    @cached_property
    def output(self) -> AgentOutput[Any]:
        """The output contract."""
        output: AgentOutput[Any] = import_module(self.module).OUTPUT
        return output

    @property
    def dto(self) -> str:
        """The name of the type it gives."""
        return name_of(self.output.dto_type)


AGENTS = {
    agent.name: agent
    for agent in (
        Agent("research", "technical_analyst", "parse_technical_analysis_result"),
        Agent("research", "financial_auditor", "parse_financial_audit_result"),
        Agent("research", "valuation_modeler", "parse_valuation_result"),
        Agent("research", "macro_intelligence", "parse_macro_intelligence_result"),
        Agent("research", "catalyst_detective", "parse_catalyst_detective_result"),
        Agent("debate", "bull_advocate", "parse_bull_argument"),
        Agent("debate", "bear_advocate", "parse_bear_argument"),
        Agent("debate", "resolution", "parse_resolution_result"),
        Agent("judge", "verdict", "parse_verdict_result"),
    )
}
"""Name → agent, in the order of the analysis: research, debate, judge."""


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
