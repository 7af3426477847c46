"""The contracts of all agents together, and the ways a test runs over them: each agent, or each place of some kind."""

from collections.abc import Sequence
from importlib import import_module
from typing import TypeAlias, TypeVar

import pytest

from src.entrypoints.agents import AGENTS, Agent
from tests.modules.agent_contract import AgentContract, Kind, Place


def _contract(agent: Agent) -> AgentContract:
    """The contract of an agent: each has a file of its own, in its context's folder of contracts."""
    contract: AgentContract = import_module(f"tests.modules.{agent.context}.contracts.{agent.name}").CONTRACT
    return contract


CONTRACTS = tuple(map(_contract, AGENTS.values()))
K = TypeVar("K", bound=Kind)
Case: TypeAlias = tuple[AgentContract, Place, K]

each_agent = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.agent)


def every_place() -> list[Case[Kind]]:
    """List every place of every agent."""
    return [(contract, *entry) for contract in CONTRACTS for entry in contract.all_places().items()]


def places(kind: type[K]) -> list[Case[K]]:
    """List every place of this kind, of every agent."""
    return [(contract, place, found) for contract, place, found in every_place() if isinstance(found, kind)]


def each(cases: Sequence[Case[K]]) -> pytest.MarkDecorator:
    """Run a test, of `contract` and `place`, once for each of these."""
    return pytest.mark.parametrize(("contract", "place"), [case[:2] for case in cases], ids=_names(cases))


def each_kind(cases: Sequence[Case[K]]) -> pytest.MarkDecorator:
    """Run a test, of `contract`, `place` and its `kind`, once for each of these."""
    return pytest.mark.parametrize(("contract", "place", "kind"), cases, ids=_names(cases))


def _names(cases: Sequence[Case[K]]) -> list[str]:
    return [f"{contract.agent}-{'.'.join(map(str, place))}" for contract, place, _ in cases]
