"""The nine agents, once: each is its output contract and its parse function; all else is read off these two."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from src.entrypoints.cli.guard import CommandError
from src.modules.debate.infrastructure.agents.bear_advocate import output_parser as bear_advocate
from src.modules.debate.infrastructure.agents.bull_advocate import output_parser as bull_advocate
from src.modules.debate.infrastructure.agents.resolution import output_parser as resolution
from src.modules.judge.infrastructure.agents.verdict import output_parser as verdict
from src.modules.research.infrastructure.agents.catalyst_detective import output_parser as catalyst_detective
from src.modules.research.infrastructure.agents.financial_auditor import output_parser as financial_auditor
from src.modules.research.infrastructure.agents.macro_intelligence import output_parser as macro_intelligence
from src.modules.research.infrastructure.agents.technical_analyst import output_parser as technical_analyst
from src.modules.research.infrastructure.agents.valuation_modeler import output_parser as valuation_modeler
from src.shared.domain.answer_type import name_of
from src.shared.infrastructure.agents.agent_output import AgentOutput


class ParseFunction(Protocol):
    """What every agent's parse function takes and gives."""

    __module__: str
    __name__: str

    def __call__(self, raw: str, *, finished: bool | None = None) -> BaseModel:
        """The agent's raw text as its type."""
        ...


@dataclass(frozen=True)
class Agent:
    """An agent as its output parser presents it: `src.modules.<context>.infrastructure.agents.<name>.output_parser`.

    Attributes:
        output: the agent's output contract.
        parse: the function its callers use.
    """

    output: AgentOutput[Any]
    parse: ParseFunction

    @property
    def module(self) -> str:
        """Where the function is imported from."""
        return self.parse.__module__

    @property
    def name(self) -> str:
        """The agent's name: that of its folder."""
        return self.module.split(".")[-2]

    @property
    def context(self) -> str:
        """The bounded context it belongs to."""
        return self.module.removeprefix("src.modules.").partition(".")[0]

    @property
    def function(self) -> str:
        """The name of the parse function."""
        return self.parse.__name__

    @property
    def dto(self) -> str:
        """The name of the type it gives."""
        return name_of(self.output.dto_type)


AGENTS = {
    agent.name: agent
    for agent in (
        Agent(technical_analyst.OUTPUT, technical_analyst.parse_technical_analysis_result),
        Agent(financial_auditor.OUTPUT, financial_auditor.parse_financial_audit_result),
        Agent(valuation_modeler.OUTPUT, valuation_modeler.parse_valuation_result),
        Agent(macro_intelligence.OUTPUT, macro_intelligence.parse_macro_intelligence_result),
        Agent(catalyst_detective.OUTPUT, catalyst_detective.parse_catalyst_detective_result),
        Agent(bull_advocate.OUTPUT, bull_advocate.parse_bull_argument),
        Agent(bear_advocate.OUTPUT, bear_advocate.parse_bear_argument),
        Agent(resolution.OUTPUT, resolution.parse_resolution_result),
        Agent(verdict.OUTPUT, verdict.parse_verdict_result),
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
    hint = f"; did you mean {near[0]}?" if near else "."
    message = f"there is no agent {name!r}{hint} The agents are: {', '.join(AGENTS)}."
    raise CommandError(message)
